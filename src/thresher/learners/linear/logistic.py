"""Logistic regression, one example at a time."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.classifier import ProbabilityModel
from thresher.learners.base.groups import (
    Averaging,
    ClassWeights,
    Intercept,
    InterceptScaling,
    Mean,
    Passes,
    Preparation,
    Thresholds,
)
from thresher.learners.base.learner import Engine
from thresher.options import but, choice, real


class LogisticRegression(
    Averaging, Passes, Intercept, InterceptScaling, Preparation, ClassWeights, Thresholds,
    ProbabilityModel,
):  # fmt: skip
    """Logistic regression online: P(+|x) = 1/(1 + exp(−s)), by FTRL-Proximal (McMahan et al. 2013).

    Every example moves the weights down the gradient of its log loss, w −= η·g, where
    g = −y·x/(1 + exp(y·s)). ``predict_proba`` is the model itself: there is nothing to calibrate.
    Three classes or more are learned by softmax. Averages are off by default, and are seldom 0
    where l1 makes weights 0.

    Examples
    --------
    >>> from thresher import LogisticRegression
    >>> model = LogisticRegression()
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> {label: round(p, 2) for label, p in model.predict_proba_one(["buy", "you"]).items()}
    {1: 0.56, 0: 0.44}
    """

    engine = Engine("ftrl", "logistic")

    step: str = choice(
        "adagrad", "constant", "1/sqrt(t)", "1/t", "scale-free",
        default="adagrad",
        doc='"adagrad" gives each weight its own rate, η = learning_rate/(beta + √Σg²), so '
        'that rare features keep large steps; "constant", "1/sqrt(t)" and "1/t" give all the '
        'same, times `learning_rate`; "scale-free" (normalised adaptive gradients, Ross, Mineiro '
        "& Langford 2013) does not depend on the units of the columns.",
    )  # fmt: skip
    learning_rate: float = real(default=0.5, above=0.0, doc="η, or its numerator.")
    beta: float = real(
        default=1.0,
        above=0.0,
        doc="keeps AdaGrad's first steps small (the other steps do not use it).",
    )
    l1: float = real(
        default=0.0,
        least=0.0,
        doc="the penalty l1·‖w‖₁ added to the sum of all losses: one for the whole stream, not "
        "one for each example. A weight stays 0 while its gradients add up to l1 or less, so most "
        "do if l1 is large: `n_features_used_`. The intercept is not penalised.",
    )
    l2: float = real(
        default=0.0, least=0.0, doc="the penalty ½·l2·‖w‖², once for the whole stream as well."
    )
    average: Mean = but(default=False)
    max_epochs: int = but(
        default=1,
        none=False,
        doc="passes of ``fit``. Every example moves the weights, so no epoch is without a change "
        "and there is no None.",
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        options |= {"multiclass": "softmax"}
        penalised = options["l1"] or options["l2"]
        if penalised and options["step"] != "scale-free":
            return options
        if penalised:
            raise InvalidInput(
                f"l1 is {options['l1']} and l2 is {options['l2']}, which depend on the units of "
                "the columns, and step='scale-free' does not; expected 0 for both, or another step."
            )
        del options["l1"], options["l2"]
        if options["step"] == "adagrad":
            return options | {"geometry": "adagrad"}
        del options["beta"]
        if options["step"] == "scale-free":
            return options | {"geometry": "scale-free", "lands": False}
        return options | {"geometry": "additive", "rule": "descent"}
