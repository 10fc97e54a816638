"""What a race over more and more variables shows, by names that the text of a lesson can use."""

from __future__ import annotations

from typing import Any

from thresher.lab.growth.measure import FIELDS, run


def facts(state: dict[str, Any]) -> dict[str, Any]:
    trace = run({name: state[name] for name in FIELDS if name in state})
    out: dict[str, Any] = {"k": state.get("k", 3), "largest": f"{trace['sizes'][-1]:,}"}
    t = min(state.get("t") or len(trace["sizes"]), len(trace["sizes"]))
    times = trace["sizes"][-1] / trace["sizes"][t - 1]
    out["n"] = f"{trace['sizes'][t - 1]:,}"
    for i, learner in enumerate(trace["learners"]):
        out |= {
            f"now{i}": f"{learner['mean'][t - 1]:,.0f}",
            f"last{i}": f"{learner['mean'][-1]:,.0f}",
            f"bound{i}": f"{learner['bound'][-1]:,.0f}",
            f"power{i}": f"{learner['power'][-1]:.2f}",
            f"doubling{i}": f"{learner['doubling'][-1]:.1f}",
            f"scaled{i}": f"{_round(times * learner['mean'][t - 1]):,}",
        }
    return out


def _round(value: float) -> int:
    """Two digits, as a guess has them."""
    return int(float(f"{value:.2g}"))
