"""Logistic regression, one example at a time."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base import finite, one_of
from thresher.learners.class_weights import ClassWeight
from thresher.learners.classifier import ProbabilityModel
from thresher.prepare import Written

STEPS = ("adagrad", "constant", "1/sqrt(t)", "1/t")


class LogisticRegression(ProbabilityModel):
    """Logistic regression online: P(+|x) = 1/(1 + exp(−s)), by FTRL-Proximal (McMahan et al. 2013).

    Every example moves the weights down the slope of its log loss, w −= η·g, where g = −y·x/(1 +
    exp(y·s)). ``predict_proba`` is the model itself: there is nothing to calibrate. Three classes
    and more are learned by softmax.

    Parameters
    ----------
    step : "adagrad" gives each weight a rate of its own, η = learning_rate/(beta + √Σg²), so that
        rare features keep large steps; "constant", "1/sqrt(t)" and "1/t" give all the same, times
        `learning_rate`.
    learning_rate : η, or its numerator.
    beta : keeps AdaGrad's first steps small (the other steps have no use for it).
    l1, l2 : penalties l1·‖w‖₁ + ½·l2·‖w‖² beside the sum of all losses: one for the whole stream,
        not one for each example. A weight stays 0 while its gradients add up to l1 or less, so most
        do where l1 is large: `n_features_used_`. The intercept is not penalised.
    max_epochs : passes of ``fit``. Every pass moves the weights, so there is no None.
    average, burn_in, shuffle, random_state, fit_intercept, intercept_scaling, prepare,
    class_weight : as in `Perceptron`; averages are off by default, and are seldom 0 where l1 makes
        weights so.

    Examples
    --------
    >>> from thresher import LogisticRegression
    >>> model = LogisticRegression()
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> {label: round(p, 2) for label, p in model.predict_proba_one(["buy", "you"]).items()}
    {1: 0.56, 0: 0.44}
    """

    def __init__(
        self,
        step: str = "adagrad",
        learning_rate: float = 0.5,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        average: bool = False,
        burn_in: int = 0,
        max_epochs: int = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        prepare: Written = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.step = step
        self.learning_rate = learning_rate
        self.beta = beta
        self.l1 = l1
        self.l2 = l2
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.prepare = prepare
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        if self.max_epochs is None:
            raise InvalidInput(
                "max_epochs is None; expected a whole number ≥ 1: logistic regression moves at "
                "every example, so no epoch is without a change."
            )
        return self._online_options() | {
            "geometry": "ftrl",
            "rule": "logistic",
            "softmax": True,
            "schedule": one_of("step", self.step, STEPS),
            "learning_rate": finite("learning_rate", self.learning_rate, above=0.0),
            "beta": finite("beta", self.beta, above=0.0),
            "l1": finite("l1", self.l1, least=0.0),
            "l2": finite("l2", self.l2, least=0.0),
        }
