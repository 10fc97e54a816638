"""A run that is written down step by step: losses, promotions, demotions, norms.

The core shows the recorder each example and the step that the learner's own rule takes.
"""

from __future__ import annotations

import math
from typing import Any

from thresher.learners.linear.passive_aggressive import MIRA, PassiveAggressive
from thresher.learners.linear.perceptron import Perceptron
from thresher.learners.linear.winnow import BalancedWinnow, Winnow


class Recorder:
    """Called by the core for each example with the scalars of its step.

    While only one label has come, the core learns both readings of it, as −1 and as +1; which of
    the two is the run is known only later. So their sums are kept apart.
    """

    def __init__(self, learner: Any) -> None:
        self.target = target_of(learner)
        self.longest, self.shortest = 0.0, math.inf
        self.weighted = False
        self._sums = {0: [0.0, 0.0, 0.0], -1: [0.0, 0.0, 0.0], 1: [0.0, 0.0, 0.0]}
        self._lone = True
        self._held: tuple[float, list[float]] | None = None

    def __call__(
        self,
        margin: float,
        sqnorm: float,
        y: float,
        score: float,
        t: float,
        weight: float,
        step: float,
    ) -> None:
        if sqnorm > self.longest:
            self.longest = sqnorm
        if sqnorm < self.shortest:
            self.shortest = sqnorm
        if weight != 1.0:
            self.weighted = True
        loss = max(0.0, 1.0 - margin / self.target)
        moved = step != 0.0
        item = [loss * loss, float(moved and y > 0.0), float(moved and y < 0.0)]
        if not self._lone:
            self._add(0, item)
        elif self._held is None:
            if y < 0.0:  # perhaps the first of two readings
                self._held = (t, item)
            else:
                self._lone = False
                self._add(0, item)
        elif self._held[0] == t and y > 0.0:
            self._add(-1, self._held[1])
            self._add(1, item)
            self._held = None
        else:
            self._lone = False
            self._add(0, self._held[1])
            self._add(0, item)
            self._held = None

    def _add(self, reading: int, item: list[float]) -> None:
        sums = self._sums[reading]
        for i in range(3):
            sums[i] += item[i]

    def totals(self, first: int) -> tuple[float, int, int]:
        """Σ ℓ², promotions, demotions, if the label that came first stands for `first` = ±1."""
        parts = [self._sums[0], self._sums[first]]
        if self._held is not None:
            parts.append(self._held[1])
        loss, up, down = (math.fsum(part[i] for part in parts) for i in range(3))
        return loss, round(up), round(down)


def can_record(learner: Any) -> bool:
    """Whether there is a theorem that needs more of this learner's run than its counters."""
    if isinstance(learner, Perceptron):
        return learner.step == "aggressive"
    return isinstance(learner, (PassiveAggressive, MIRA, Winnow, BalancedWinnow))


def recorded(learner: Any, recorder: Recorder, **changes: Any) -> Any:
    """A fresh learner of the same options whose every step the recorder sees."""
    cls: Any = type(learner)

    class Recorded(cls):  # type: ignore[misc]
        def _settled(self) -> dict[str, Any]:
            return {**super()._settled(), "record": recorder}

    Recorded.__name__ = cls.__name__
    return Recorded(**{**learner.get_params(deep=False), **changes})


def target_of(learner: Any) -> float:
    """The margin that the losses are measured from."""
    if isinstance(learner, MIRA) or (
        isinstance(learner, Perceptron) and learner.step == "aggressive"
    ):
        return float(learner.margin)
    return 1.0
