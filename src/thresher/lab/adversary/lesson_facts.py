"""What a game of the adversary shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

from thresher.lab.adversary.game import bury, run


def facts(state: dict[str, Any]) -> dict[str, Any]:
    moves = state.get("moves") or bury({"n": state["n"], **state["bury"]})["moves"]
    trace = run({"n": state["n"], "seed": state["seed"], "moves": moves})
    out: dict[str, Any] = {"cost": trace["cost"][-1], "bound": f"{trace['bound'][-1]:,.0f}"}
    return out | {f"mistakes{i}": p["mistakes"] for i, p in enumerate(trace["panels"])}
