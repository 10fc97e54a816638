"""What a landscape shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

from thresher.lab.landscape.paths import run
from thresher.lab.landscape.setup import FIELDS, generate
from thresher.lab.landscape.surface import surface
from thresher.lab.texts import figure


def facts(state: dict[str, Any]) -> dict[str, Any]:
    points = state.get("points") or generate({"task": state["task"], **state["made"]})["points"]
    asked = {name: state[name] for name in FIELDS if name in state} | {"points": points}
    out: dict[str, Any] = {"points": len(points), "eta": figure(state["eta"]),
                           "epsilon": figure(state["epsilon"])}  # fmt: skip
    found = surface(asked)
    if found.get("eta_max"):
        low, high = found["eigenvalues"]
        out |= {"eta_max": figure(found["eta_max"]), "least": figure(found["least"]),
                "lambda_min": figure(low), "lambda_max": figure(high),
                "condition": figure(high / low) if low > 0 else "∞"}  # fmt: skip
    for path in run(asked)["paths"]:
        name = path["name"].replace(" ", "_")
        out[f"steps_{name}"] = len(path["w"]) - 1
        out[f"J_{name}"] = figure(path["J"][-1])
        out[f"third_{name}"] = figure(path["J"][min(3, len(path["J"]) - 1)])
    return out
