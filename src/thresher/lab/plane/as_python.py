"""What the page shows, as lines of Python that give the same numbers."""

from __future__ import annotations

from typing import Any

from thresher.lab.plane import exact
from thresher.lab.plane.follow import counts_mistakes, learning_options
from thresher.lab.plane.trace import PlaneSetup, sequence_of
from thresher.lab.texts import wrapped


def python(given: Any) -> dict[str, str]:
    """The runs of all panels, and their plots."""
    setup = PlaneSetup(given)
    sequence = sequence_of(setup).tolist()
    if setup.exact:
        points = [(setup.X[i], int(setup.y[i])) for i in sequence]
        runs = [exact.python(e, learning_options(e, o), points) for e, o in setup.panels]
        return {"python": "\n".join(runs)}
    names = sorted({entry.name for entry, _ in setup.panels})
    lines = [f"from thresher import {', '.join(names)}", ""] if names else []
    lines += [
        f"X = {wrapped([[float(a), float(b)] for a, b in setup.X])}",
        f"y = {wrapped(setup.y.tolist())}",
        f"order = {_order(sequence, len(setup.X))}",
        "",
    ]
    for entry, options in setup.panels:
        asked = entry.cls(**options)
        averaged = bool(asked.get_params().get("average"))
        drawn = entry.cls(**{**options, "average": False}) if averaged else asked
        lines += [f"model = {drawn!r}"]
        lines += [f"mean = {asked!r}  # its dotted line"] if averaged else []
        learn = "partial_fit([X[i]], [y[i]], classes=[-1, 1])"
        lines += ["for i in order:", f"    model.{learn}"]
        lines += [f"    mean.{learn}"] if averaged else []
        if counts_mistakes(entry):
            counts = 'model.mistakes_, "mistakes,", model.updates_, "updates"'
            lines += [f'print("{entry.name}:", {counts})']
        if not entry.kernel:
            lines += ["print(model.coef_, model.intercept_)"]
        if averaged:
            lines += ['print("averaged:", mean.coef_, mean.intercept_)']
        lines += [""]
    if any(not entry.kernel for entry, _ in setup.panels):
        lines += [
            "# The picture (needs matplotlib):",
            "# from thresher.plots import DecisionBoundaryDisplay",
            "# DecisionBoundaryDisplay.from_estimator(model, X, y, path=False).plot()",
        ]
    return {"python": "\n".join(lines).rstrip() + "\n"}


def _order(sequence: list[int], size: int) -> str:
    """A cyclic order is written in short form."""
    if size and sequence == list(range(size)) * (len(sequence) // size):
        epochs = len(sequence) // size
        return f"list(range(len(X))) * {epochs}" if epochs > 1 else "range(len(X))"
    return wrapped(sequence)
