"""What the page shows, as lines of Python that give the same numbers."""

from __future__ import annotations

from typing import Any

from thresher.lab.classes.catalog import model
from thresher.lab.classes.trace import ClassesSetup
from thresher.lab.texts import wrapped


def python(given: Any) -> dict[str, str]:
    setup = ClassesSetup(given)
    names = sorted({entry.name for entry, _ in setup.panels})
    lines = [f"from thresher import {', '.join(names)}", ""] if names else []
    lines += [
        f"X = {wrapped([[float(a), float(b)] for a, b in setup.X])}",
        f"y = {wrapped([c + 1 for c in setup.y])}",
        f"order = {wrapped(setup.sequence())}",
        "",
    ]
    for entry, options in setup.panels:
        lines += [
            f"model = {model(entry, options)!r}",
            "for i in order:",
            f"    model.partial_fit([X[i]], [y[i]], classes={list(range(1, setup.classes + 1))})",
            f'print("{entry.name}:", model.mistakes_, "mistakes,", model.updates_, "updates")',
            "print(model.coef_, model.intercept_)",
            "",
        ]
    return {"python": "\n".join(lines).rstrip() + "\n"}
