"""What a run on boolean examples shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

from thresher.lab.boolean.trace import FIELDS, bounds, run


def facts(state: dict[str, Any]) -> dict[str, Any]:
    asked = {name: state[name] for name in FIELDS if name in state}
    out: dict[str, Any] = {"n": state["n"]}
    for i, panel in enumerate(run(asked)["panels"]):
        out[f"mistakes{i}"] = sum(panel["mistake"])
        if "size" in panel:
            out |= {"concepts": f"{panel['size'][0]:,}", "left": f"{panel['size'][-1]:,}"}
    for i, bound in enumerate(bounds(asked)["bounds"]):
        if bound.get("value"):
            out[f"bound{i}"] = f"{bound['most']:,}"
    return out
