"""Passive-Aggressive learners and MIRA."""

from __future__ import annotations

from typing import Any

from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.groups import (
    Averaging,
    Calibration,
    ClassWeights,
    ClippedPredictions,
    Intercept,
    InterceptScaling,
    Passes,
    Preparation,
)
from thresher.learners.base.learner import Engine
from thresher.learners.base.regressor import OnlineRegressor
from thresher.learners.linear.classifier import LinearClassifier
from thresher.options import Declared, choice, real


class Aggressiveness(Declared):
    C: float = real(
        default=1.0,
        above=0.0,
        doc="how far one example may move the weights (PA-I, PA-II); a sample weight multiplies "
        "it.",
    )
    variant: str = choice(
        "PA", "PA-I", "PA-II", default="PA-I", doc='"PA", "PA-I" or "PA-II": how τ is limited.'
    )


class PassiveAggressive(Aggressiveness, LinearClassifier):
    """Passive-Aggressive (Crammer et al. 2006): the smallest change that removes the hinge loss.

    ℓ = max(0, 1 − y·s); w += τ·y·x with τ = ℓ/‖x‖² (PA), min(C, ℓ/‖x‖²) (PA-I) or
    ℓ/(‖x‖² + 1/(2C)) (PA-II). The bias counts in ‖x‖², so after a PA update y·s is 1 exactly.

    Examples
    --------
    >>> from thresher import PassiveAggressive
    >>> model = PassiveAggressive(variant="PA", average=False)
    >>> model.learn_one({"age": 3.0, "color": "red"}, True)
    >>> model.score_one({"age": 3.0, "color": "red"})
    1.0
    """

    engine = Engine("additive", "passive-aggressive")

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options | {"margin": 1.0}


class PassiveAggressiveRegressor(
    Aggressiveness,
    Averaging,
    Passes,
    Intercept,
    ClippedPredictions,
    Preparation,
    OnlineRegressor,
):
    """Passive-Aggressive regression: the smallest change that brings the target within ε.

    ℓ = max(0, |y − s| − ε), τ as in `PassiveAggressive`, w += sign(y − s)·τ·x.

    Examples
    --------
    >>> from thresher import PassiveAggressiveRegressor
    >>> model = PassiveAggressiveRegressor(variant="PA", epsilon=0.0, average=False)
    >>> model.learn_one({"size": 2.0}, 10.0)
    >>> model.predict_one({"size": 2.0})
    10.0
    """

    engine = Engine("additive", "passive-aggressive-regression")

    epsilon: float = real(default=0.1, least=0.0, doc="ε, the error that costs nothing.")


class MIRA(
    Averaging,
    Passes,
    Intercept,
    InterceptScaling,
    Calibration,
    Preparation,
    ClassWeights,
    OnlineClassifier,
):
    """MIRA (Crammer & Singer 2003): a prototype for each class, the smallest change of all of them
    that ranks the right class above every other by the margin.

    With two classes it is PA-I.

    Examples
    --------
    >>> from thresher import MIRA
    >>> model = MIRA(average=False)
    >>> for animal, legs in [("hen", 2), ("cat", 4), ("ant", 6)]:
    ...     model.learn_one({animal, "animal"}, legs)
    >>> scores = model.score_one({"ant", "animal"})
    >>> min(scores[6] - scores[2], scores[6] - scores[4]) >= 1 - 1e-12
    True
    """

    engine = Engine("additive", "passive-aggressive")

    C: float = real(
        default=1.0,
        above=0.0,
        infinite=True,
        doc='how far one example may move the prototypes; ``float("inf")`` for no limit.',
    )
    constraints: str = choice(
        "all", "one",
        default="all",
        doc='"all" rivals at once, the quadratic programme solved exactly; or only the strongest '
        '"one", in closed form.',
    )  # fmt: skip
    margin: float = real(default=1.0, above=0.0, doc="by how much the right class must lead.")

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        many = {"all": "all-constraints", "one": "ultraconservative"}[options.pop("constraints")]
        return options | {"variant": "PA-I", "multiclass": many}
