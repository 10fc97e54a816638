"""What a run over several classes shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

from thresher.lab.classes.points import generate
from thresher.lab.classes.trace import FIELDS, run
from thresher.lab.texts import figure


def facts(state: dict[str, Any]) -> dict[str, Any]:
    points = state.get("points") or generate(state["made"])["points"]
    asked = {name: state[name] for name in FIELDS if name in state} | {"points": points}
    trace = run(asked)
    out: dict[str, Any] = {"points": len(points), "classes": trace["classes"]}
    for i, panel in enumerate(trace["panels"]):
        moves = panel["moves"]
        out[f"mistakes{i}"] = sum(panel["mistake"])
        out[f"last{i}"] = sum(panel["mistake"][-len(points) :])
        out[f"wrong{i}"] = moves["wrong"][-1]
        out |= _next(panel, state.get("t"), i)
    return out


def _next(panel: dict[str, Any], t: int | None, i: int) -> dict[str, Any]:
    """What the step after t does."""
    moves = panel["moves"]
    for at, tau in zip(moves["at"], moves["tau"], strict=True):
        if t is not None and at == t + 1:
            pulled = max(tau, key=lambda c: tau[c])
            pushed = [f"{c + 1} by {figure(-v)}" for c, v in tau.items() if c != pulled]
            return {f"pulled{i}": pulled + 1, f"pull{i}": figure(tau[pulled]),
                    f"pushed{i}": " and ".join(pushed), f"moved{i}": len(tau)}  # fmt: skip
    return {}
