"""The theorems while a learner learns: what ``audit="live"`` keeps, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class LiveAudit:
    """A run of two classes so far, for the online weights w (never their average).

    The learner is additive, w = Σ τ·y·x with all τ > 0. So for every unit vector u whose margin
    y·(u·x) is at least γ on the examples that moved w: γ·Στ ≤ u·w ≤ ‖w‖. Hence no separator has a
    margin above ``margin_ceiling``, and Novikoff's bound R²/γ² cannot be below ``bound_at_least``.
    If the examples are not separable, the ceiling falls to 0 during the run.

    From the other side: w itself has had the margin ``margin`` on the last ``survived`` examples,
    those since it last changed. If these are all examples (a whole epoch without an update), w is
    a separator, and ``bound`` is Novikoff's bound for the perceptron.

    >>> from thresher import Perceptron
    >>> model = Perceptron(max_epochs=None)
    >>> model = model.fit([[2.0, 1.0], [-1.0, -2.0], [1.0, 2.0]], [1, 0, 1], audit="live")
    >>> live = model.audit_
    >>> live.mistakes, live.survived, live.mistakes <= live.bound
    (1, 6, True)
    """

    examples: int
    mistakes: int
    updates: int
    R: float
    """The largest ‖x‖ so far, the constant feature included."""
    norm: float
    """‖w‖."""
    margin: float
    """The smallest y·(w·x)/‖w‖ of the last `survived` examples; −inf while w = 0."""
    survived: int
    """Examples since w last changed, including the one that changed it."""
    margin_ceiling: float
    """No unit vector has a larger margin on all examples so far."""
    squared_loss: float
    """Σ ℓ², ℓ = max(0, 1 − y·(w·x)) before each step: what PA's theorems bound."""

    @property
    def bound(self) -> float:
        """R²/margin², Novikoff's bound if `margin` holds for all examples; inf if it is ≤ 0."""
        return (self.R / self.margin) ** 2 if self.margin > 0 else math.inf

    @property
    def bound_at_least(self) -> float:
        """R²/margin_ceiling²: no comparator can give a smaller one."""
        if self.margin_ceiling == 0.0:
            return math.inf
        return (self.R / self.margin_ceiling) ** 2

    def as_dict(self) -> dict[str, Any]:
        numbers = asdict(self) | {"bound": self.bound, "bound_at_least": self.bound_at_least}
        return {k: v if math.isfinite(v) else None for k, v in numbers.items()}

    def __str__(self) -> str:
        return (
            f"{self.mistakes:,} mistakes in {self.examples:,} examples; R = {self.R:.4g}, "
            f"‖w‖ = {self.norm:.4g}\n"
            f"no separator has a margin above {self.margin_ceiling:.4g}: Novikoff's bound is at "
            f"least {self.bound_at_least:,.4g}\n"
            f"w has had the margin {self.margin:.4g} on the last {self.survived:,} examples: if "
            f"these were all, the bound would be {self.bound:,.4g}"
        )


def live_audit(counters: dict[str, int], ledger: dict[str, Any]) -> LiveAudit:
    """What the core has kept."""
    norm, steps = ledger["norm"], ledger["steps"]
    return LiveAudit(
        examples=counters["examples"],
        mistakes=counters["mistakes"],
        updates=counters["updates"],
        R=ledger["R"],
        norm=norm,
        margin=ledger["least_margin"] / norm if norm > 0 else -math.inf,
        survived=ledger["survived"],
        margin_ceiling=norm / steps if steps > 0 else math.inf,
        squared_loss=ledger["squared_loss"],
    )
