"""What the regressors share: predict s = w·x, then step along x by the rule's amount."""

import math
from abc import abstractmethod
from collections.abc import Mapping

from .average import Mean, Trajectory
from .fit import Epochs
from .geometry import Additive
from .scale_free import ScaleFree
from .vectors import Vector, sqnorm

__all__ = ["DivergenceError"]

TOO_FAR = 1e6


class DivergenceError(ArithmeticError):
    """The weights diverge from the targets. The offending example is not learned."""


class TargetRange:
    """The range of the targets learned so far, to which predictions may be clipped.

    >>> seen = TargetRange(clips=True)
    >>> seen.clipped(9.0)
    9.0
    >>> seen.include(-1.0)
    >>> seen.include(4.0)
    >>> seen.clipped(9.0), seen.clipped(-2.0), seen.clipped(3.0)
    (4.0, -1.0, 3.0)
    """

    def __init__(self, clips: bool) -> None:
        self.clips = clips
        self.low, self.high = math.inf, -math.inf

    def include(self, y: float) -> None:
        self.low, self.high = min(self.low, y), max(self.high, y)

    def clipped(self, prediction: float) -> float:
        if not self.clips or self.low > self.high:
            return prediction
        return min(max(prediction, self.low), self.high)


class Regressor(Epochs):
    """An online regressor. A learner defines how far to step (`step`)."""

    def __init__(
        self,
        *,
        average: Mean,
        burn_in: int,
        fit_intercept: bool,
        clip_predictions: bool = True,
        scale_free: bool = False,
    ) -> None:
        bias = float(fit_intercept)
        self.geometry = ScaleFree(bias, lands=True) if scale_free else Additive(bias)
        self.average = average
        self.burn_in = burn_in
        self.trajectory = Trajectory(self.geometry.start(), average)
        self.examples = 0
        self.largest = 0.0  # |y| so far
        self.targets = TargetRange(clip_predictions)
        self._updates = 0

    @property
    def updates(self) -> int:
        return self._updates

    @abstractmethod
    def step(self, residual: float, x: Vector, t: int, weight: float) -> float:
        """The signed size of the step along x."""

    def gain(self, largest: float) -> float:
        """The unit of a scale-free step; `largest` is that of all targets."""
        return 0.0

    def learn(self, x: Mapping[str, float], y: float, weight: float = 1) -> None:
        """Learn one example; one of weight 0 is skipped."""
        if not weight >= 0.0:
            raise ValueError(f"a weight is 0 or more, not {weight}")
        if weight == 0.0:
            return
        example = self.geometry.example(x)
        t = self.examples + 1
        largest = max(self.largest, abs(y))
        residual = y - self.geometry.score(self.trajectory.now, example)
        step = self.step(residual, example, t, weight)
        if not isinstance(self.geometry, ScaleFree):
            left = abs(residual - step * sqnorm(example))
            if not math.isfinite(left) or left > TOO_FAR * largest:
                raise DivergenceError(
                    f"example {t}: the residual after the step would be {float(left):g}, "
                    f"the largest target is {float(largest):g}; take a smaller learning rate"
                )
        self.geometry.see(example)
        self.examples, self.largest = t, largest
        self.targets.include(y)
        if step != 0.0:
            self._updates += 1
            if isinstance(self.geometry, ScaleFree):
                now, gain = self.trajectory.now, self.gain(largest)
                self.geometry.move_to(now, step, example, gain, abs(residual))
            else:
                self.geometry.move(self.trajectory.now, step, example)
        if t > self.burn_in:
            self.trajectory.count(weight)

    def predict(self, x: Mapping[str, float]) -> float:
        """w·x, clipped if predictions are. Averaged, if the learner averages."""
        h = self.trajectory.hypothesis(self.average)
        return self.targets.clipped(self.geometry.score(h, self.geometry.example(x)))

    score = predict

    def weights(self) -> Vector:
        """The weights that predict. Averaged, if the learner averages."""
        return self.geometry.weights(self.trajectory.hypothesis(self.average), 0.0)

    def hypothesis(self) -> Vector:
        """The current weights, not averaged."""
        return self.geometry.weights(self.trajectory.now, 0.0)
