"""What a run in the plane shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

from thresher.lab.plane.points import generate
from thresher.lab.plane.trace import FIELDS, bounds, run
from thresher.lab.plane.words import explain


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
    }
    size = len(state["points"])
    for i, panel in enumerate(trace["panels"]):
        out[f"mistakes{i}"] = sum(panel["mistake"])
        out[f"updates{i}"] = sum(panel["update"])
        out[f"first{i}"] = sum(panel["mistake"][:size])
        out[f"last{i}"] = sum(panel["mistake"][-size:])
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
