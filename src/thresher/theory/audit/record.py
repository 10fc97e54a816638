"""A run that is written down step by step: losses, promotions, demotions, norms.

The recorder is a rule in the native loop that returns exactly the step of the learner's own rule,
so the replay is the same run, and every example passes by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from thresher.learners.passive_aggressive import MIRA, PassiveAggressive
from thresher.learners.perceptron import Perceptron
from thresher.learners.winnow import BalancedWinnow, Winnow

Step = Callable[[float, float, float, float, float, float], float]


class Recorder:
    """Called by the core for each example with the scalars of its step.

    While only one label has come, the core learns both readings of it, as −1 and as +1; which of
    the two is the run is known only later. So their sums are kept apart.
    """

    def __init__(self, learner: Any) -> None:
        self.step, self.target = step_of(learner)
        self.longest, self.shortest = 0.0, math.inf
        self.weighted = False
        self._sums = {0: [0.0, 0.0, 0.0], -1: [0.0, 0.0, 0.0], 1: [0.0, 0.0, 0.0]}
        self._lone = True
        self._held: tuple[float, list[float]] | None = None

    def __call__(
        self, margin: float, sqnorm: float, y: float, score: float, t: float, weight: float
    ) -> float:
        step = self.step(margin, sqnorm, y, score, t, weight)
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
        return step

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
            return {**super()._settled(), "rule": "python", "step": recorder}

    Recorded.__name__ = cls.__name__
    return Recorded(**{**learner.get_params(deep=False), **changes})


def step_of(learner: Any) -> tuple[Step, float]:
    """The learner's step along y as a function of the scalars, and the margin it aims at."""
    if isinstance(learner, (PassiveAggressive, MIRA)):
        target = float(getattr(learner, "margin", 1.0))
        variant = getattr(learner, "variant", "PA-I")
        return passive_aggressive(variant, float(learner.C), target), target
    if isinstance(learner, Perceptron):
        gamma = float(learner.margin)
        if learner.step == "aggressive":
            return aggressive(gamma), gamma
        return perceptron(gamma, learner.learning_rate), 1.0
    return winnow(float(learner.margin)), 1.0


def perceptron(gamma: float, rate: Any) -> Step:
    rates: dict[Any, Callable[[float], float]] = {
        "1/t": lambda t: 1.0 / t,
        "1/sqrt(t)": lambda t: 1.0 / math.sqrt(t),
    }
    if isinstance(rate, str):
        rate = rates[rate]
    elif not callable(rate):
        eta = float(rate)
        return lambda margin, q, y, s, t, weight: eta * weight if margin <= gamma else 0.0
    return lambda margin, q, y, s, t, weight: rate(t) * weight if margin <= gamma else 0.0


def aggressive(gamma: float) -> Step:
    def step(margin: float, q: float, y: float, s: float, t: float, weight: float) -> float:
        return 0.0 if margin > gamma or q == 0.0 else min(1.0, weight) * (gamma - margin) / q

    return step


def passive_aggressive(variant: str, C: float, target: float) -> Step:
    def step(margin: float, q: float, y: float, s: float, t: float, weight: float) -> float:
        loss = target - margin
        if loss <= 0.0 or q == 0.0:
            return 0.0
        if variant == "PA":
            return min(1.0, weight) * loss / q
        if variant == "PA-I":
            return min(C * weight, loss / q)
        return loss / (q + 1.0 / (2.0 * C * weight))

    return step


def winnow(gamma: float) -> Step:
    def step(margin: float, q: float, y: float, s: float, t: float, weight: float) -> float:
        mistake = (s >= 0.0) != (y > 0.0)
        return weight if mistake or margin < gamma else 0.0

    return step
