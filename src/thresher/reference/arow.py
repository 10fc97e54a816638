"""AROW and Confidence-Weighted, diagonal: weights with variances."""

from statistics import NormalDist

from . import rules
from .average import Mean, Trajectory
from .geometry import Additive, Hypothesis
from .multiclass import Classifier
from .vectors import Vector, Weights

__all__ = ["AROW", "ConfidenceWeighted"]

LEAST = 1e-100  # variance: weights with less have long settled


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

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        for name, value in x.items():
            unsure = h[1][name]
            h[0][name] += amount * unsure * value
            h[1][name] = max(LEAST, unsure / (1.0 + gain * unsure * value * value))
        return 0

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        """±w/2; the prototypes keep the variances of their common vector."""
        parts = super().split(trajectory)
        for part in parts:
            part.now[1] = trajectory.now[1].scaled(1.0)
        return parts


class AROW(Classifier):
    """AROW (Crammer, Kulesza and Dredze 2009).

    Passive while y·s ≥ 1; otherwise it moves to a nearby distribution with a smaller loss.

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
        average: Mean = False,
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

    def gain(self, tau: float, sqnorm: float, t: int, weight: float) -> float:
        return weight / self.r


class ConfidenceWeighted(Classifier):
    """Confidence-Weighted learning (Crammer, Dredze and Pereira 2008, the standard deviation form).

    Passive while it is right with probability η; otherwise the nearest distribution that is.

    eta       η, between 0.5 and 1
    The other options are those of the Perceptron.

    >>> learner = ConfidenceWeighted(eta=0.75, fit_intercept=False)
    >>> learner.learn({"a": 1.0}, +1)
    >>> mean, variance = (part["a"] for part in learner.readings[+1].trajectory.now)
    >>> round(NormalDist(mean, variance**0.5).cdf(0.0), 12)  # the probability of being wrong
    0.25
    """

    def __init__(
        self,
        *,
        eta: float = 0.9,
        average: Mean = True,
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
        self.phi = NormalDist().inv_cdf(eta)

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return rules.confidence_weighted(margin, sqnorm, phi=self.phi, weight=weight)

    def gain(self, tau: float, sqnorm: float, t: int, weight: float) -> float:
        return rules.confidence_gain(tau, sqnorm, phi=self.phi)
