"""What a run in the plane shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.lab.plane.follow import that_learns
from thresher.lab.plane.points import generate
from thresher.lab.plane.trace import FIELDS, PlaneSetup, bounds, run
from thresher.lab.plane.words import explain

LATE = 50  # examples that are the newest
FRESH = 1000  # new points


def facts(state: dict[str, Any]) -> dict[str, Any]:
    state = dict(state)
    if "points" not in state:
        state["points"] = generate(state["made"])["points"]
    asked = {name: state[name] for name in FIELDS if name in state}
    trace = run(asked)
    data = trace["panels"][0]["data"]
    nothing = "unknown" if "undecided" in data else "none"
    out: dict[str, Any] = {
        "points": data["points"],
        "R": f"{data['R']:.3g}",
        "gamma": f"{data['gamma']:.3g}" if data["separable"] else nothing,
        "bound": f"{data['most']:,}" if data["separable"] else nothing,
        "support": len(data.get("support", ())),
    }
    if state.get("made", {}).get("kind") == "noisy":
        out |= _fresh(asked, state["made"], trace["sequence"])
    size = len(state["points"])
    for i, panel in enumerate(trace["panels"]):
        out[f"mistakes{i}"] = sum(panel["mistake"])
        out[f"updates{i}"] = sum(panel["update"])
        out[f"first{i}"] = sum(panel["mistake"][:size])
        out[f"last{i}"] = sum(panel["mistake"][-size:])
        late, means = range(-LATE, 0), panel.get("means")
        if means and size > LATE:  # of the newest, each predicted before it was learned
            out[f"late{i}"] = sum(panel["mistake"][-LATE:])
            X = [state["points"][trace["sequence"][t]] for t in late]
            by = [means[t - 1] for t in late]
            out[f"late_mean{i}"] = sum(
                y * (w[0] * x1 + w[1] * x2 + w[2]) <= 0
                for (x1, x2, y), w in zip(X, by, strict=True)
            )
    for t in range(1, min(2, len(trace["sequence"])) + 1):  # the first steps of the first panel
        about = {"state": asked, "panel": 0, "sequence": trace["sequence"][:t]}
        for line in explain(about)["maths"].splitlines():
            for name in ("s =", "w ←"):
                if line.startswith(name):
                    out[f"{name[0]}{t}"] = line
    for i, rows in enumerate(bounds(asked)["panels"]):
        for bound in rows:
            if bound["theorem"] == "perceptron with noise, squared" and bound["value"]:
                out[f"noisy{i}"] = f"{bound['most']:,}"
    return out


def _fresh(asked: dict[str, Any], made: dict[str, Any], sequence: list[int]) -> dict[str, str]:
    """Errors on new points of the same line without noise, in per cent: of each panel, and of the
    last hypothesis of one that averages."""
    many = {**made, "kind": "separable", "size": made["size"] + FRESH}
    new = np.array(generate(many)["points"])[made["size"] :]  # the line is drawn first, then points
    setup, out = PlaneSetup(asked), {}
    for i, (entry, options) in enumerate(setup.panels):
        last, averaged = that_learns(entry, options)
        models = {f"fresh{i}": entry.cls(**options)}
        if averaged:
            models[f"fresh_last{i}"] = last
        for name, model in models.items():
            model.partial_fit(setup.X[sequence], setup.y[sequence], classes=[-1, 1])
            out[name] = f"{100 * np.mean(model.predict(new[:, :2]) != new[:, 2]):.1f}"
    return out
