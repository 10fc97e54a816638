"""AROW (Crammer, Kulesza and Dredze 2009), diagonal: weights that know how sure they are."""

from . import rules
from .average import Trajectory
from .geometry import Additive, Hypothesis
from .multiclass import Classifier
from .vectors import Vector, Weights


class Diagonal(Additive):
    """The additive geometry with a variance Σ for each weight, 1 at the start.

    w_i += amount·Σ_i·x_i;  1/Σ_i += gain·x_i²;  ‖x‖² is xᵀΣx.
    """

    def start(self) -> Hypothesis:
        return [Weights(0.0), Weights(1.0)]

    def sqnorm(self, h: Hypothesis, x: Vector) -> float:
        total = 0.0
        for name, value in x.items():
            total += h[1][name] * value * value
        return total

    def move(self, h: Hypothesis, amount: float, x: Vector) -> int:
        for name, value in x.items():
            h[0][name] += amount * h[1][name] * value
        return 0

    def confirm(self, h: Hypothesis, gain: float, x: Vector) -> None:
        for name, value in x.items():
            h[1][name] /= 1.0 + gain * h[1][name] * value * value

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        """±w/2; the prototypes are as sure as their common vector was."""
        parts = super().split(trajectory)
        for part in parts:
            part.now[1] = trajectory.now[1].scaled(1.0)
        return parts


class AROW(Classifier):
    """Rests while y·s ≥ 1; otherwise the belief nearest to the old one that is less wrong.

    r         how little one example may change
    The other options are those of the Perceptron.

    >>> learner = AROW(fit_intercept=False)
    >>> learner.learn({"a": 1.0}, +1)
    >>> learner.learn({"a": 1.0, "b": 1.0}, -1)
    >>> learner.weights()  # a is surer than b, so it moves less
    {'a': 0.2, 'b': -0.6}
    """

    def __init__(
        self,
        *,
        r: float = 1.0,
        average: bool = False,
        burn_in: int = 0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
    ) -> None:
        whole = multiclass == "one-vs-rest"  # of two, each machine mirrors the other
        bias = intercept_scaling if fit_intercept else 0.0
        super().__init__(
            Diagonal(bias, split=1.0 if whole else 0.5),
            average=average,
            burn_in=burn_in,
            calibrate=calibrate,
            multiclass=multiclass,
        )
        self.r = r

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return rules.arow(rules.hinge(margin), sqnorm, r=self.r, weight=weight)

    def gain(self, weight: float) -> float:
        return weight / self.r
