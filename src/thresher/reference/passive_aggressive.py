"""Passive-Aggressive learners (Crammer et al. 2006): the smallest change that removes the loss."""

from . import rules
from .average import Mean
from .geometry import Additive
from .multiclass import Classifier
from .regression import Regressor
from .vectors import Vector, sqnorm

__all__ = ["PassiveAggressive", "PassiveAggressiveRegressor"]


def variant_rule(variant: str) -> rules.PassiveAggressiveRule:
    """The rule of that name."""
    if variant not in rules.PASSIVE_AGGRESSIVE:
        raise ValueError(f"variant is one of {list(rules.PASSIVE_AGGRESSIVE)}, not {variant!r}")
    return rules.PASSIVE_AGGRESSIVE[variant]


class PassiveAggressive(Classifier):
    """Passive while y·s ≥ 1; otherwise w += τ·y·x, with τ such that y·s becomes 1.

    C         how much one example may change: the largest τ (PA-I), or softer (PA-II)
    variant   "PA" (no C), "PA-I", "PA-II"
    The other options are those of the Perceptron.

    >>> learner = PassiveAggressive(variant="PA", average=False)
    >>> learner.learn({"a": 3.0}, +1)
    >>> round(learner.score({"a": 3.0}), 12)
    1.0
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: str = "PA-I",
        average: Mean = True,
        burn_in: int = 0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
    ) -> None:
        whole = multiclass == "one-vs-rest"  # of two, each machine mirrors the other
        bias = intercept_scaling if fit_intercept else 0.0
        geometry = Additive(bias, split=1.0 if whole else 0.5)
        super().__init__(
            geometry,
            average=average,
            burn_in=burn_in,
            calibrate=calibrate,
            multiclass=multiclass,
        )
        self.C = C
        self.rule = variant_rule(variant)

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return self.rule(rules.hinge(margin), sqnorm, C=self.C, weight=weight)


class PassiveAggressiveRegressor(Regressor):
    """Passive while |y − s| ≤ ε; otherwise the step that brings s to within ε of y.

    >>> learner = PassiveAggressiveRegressor(epsilon=0.5, variant="PA", average=False)
    >>> learner.learn({"a": 1.0}, 10.0)
    >>> learner.weights()["a"] + learner.weights()["(bias)"]
    9.5
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        variant: str = "PA-I",
        average: Mean = True,
        burn_in: int = 0,
        fit_intercept: bool = True,
        clip_predictions: bool = True,
    ) -> None:
        super().__init__(
            average=average,
            burn_in=burn_in,
            fit_intercept=fit_intercept,
            clip_predictions=clip_predictions,
        )
        self.C = C
        self.epsilon = epsilon
        self.rule = variant_rule(variant)

    def step(self, residual: float, x: Vector, t: int, weight: float) -> float:
        loss = rules.epsilon_insensitive(residual, self.epsilon)
        tau = self.rule(loss, sqnorm(x), C=self.C, weight=weight)
        return tau if residual > 0.0 else -tau
