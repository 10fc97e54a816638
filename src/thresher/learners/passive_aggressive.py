"""Passive-Aggressive learners and MIRA."""

from __future__ import annotations

import math
from typing import Any

from thresher.learners.base import finite, one_of
from thresher.learners.class_weights import ClassWeight
from thresher.learners.classifier import OnlineClassifier
from thresher.learners.regressor import OnlineRegressor
from thresher.prepare import Written

VARIANTS = ("PA", "PA-I", "PA-II")


class PassiveAggressive(OnlineClassifier):
    """Passive-Aggressive (Crammer et al. 2006): the smallest change that ends the hinge loss.

    ℓ = max(0, 1 − y·s); w += τ·y·x with τ = ℓ/‖x‖² (PA), min(C, ℓ/‖x‖²) (PA-I) or
    ℓ/(‖x‖² + 1/(2C)) (PA-II). The bias counts in ‖x‖², so after a PA update y·s is 1 exactly.

    Parameters
    ----------
    C : how far one example may move the weights (PA-I, PA-II); a sample weight multiplies it.
    variant : "PA", "PA-I" or "PA-II".
    average, burn_in, max_epochs, shuffle, random_state, fit_intercept, calibrate,
    intercept_scaling, multiclass, prepare, class_weight : as in `Perceptron`.

    Examples
    --------
    >>> from thresher import PassiveAggressive
    >>> model = PassiveAggressive(variant="PA", average=False)
    >>> model.learn_one({"age": 3.0, "color": "red"}, True)
    >>> model.score_one({"age": 3.0, "color": "red"})
    1.0
    """

    def __init__(
        self,
        C: float = 1.0,
        variant: str = "PA-I",
        average: bool = True,
        burn_in: int = 0,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
        prepare: Written = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.multiclass = multiclass
        self.calibrate = calibrate
        self.prepare = prepare
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        return self._online_options() | {
            "rule": "passive_aggressive",
            "variant": one_of("variant", self.variant, VARIANTS),
            "C": finite("C", self.C, above=0.0),
            "margin": 1.0,
        }


class PassiveAggressiveRegressor(OnlineRegressor):
    """Passive-Aggressive regression: the smallest change that brings the target within ε.

    ℓ = max(0, |y − s| − ε), τ as in `PassiveAggressive`, w += sign(y − s)·τ·x.

    Parameters
    ----------
    C, variant, average, burn_in, max_epochs, shuffle, random_state, fit_intercept, prepare :
        as in `PassiveAggressive`.
    epsilon : ε, the error that costs nothing.

    Examples
    --------
    >>> from thresher import PassiveAggressiveRegressor
    >>> model = PassiveAggressiveRegressor(variant="PA", epsilon=0.0, average=False)
    >>> model.learn_one({"size": 2.0}, 10.0)
    >>> model.predict_one({"size": 2.0})
    10.0
    """

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        variant: str = "PA-I",
        average: bool = True,
        burn_in: int = 0,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        prepare: Written = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.variant = variant
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.prepare = prepare

    def _core_options(self) -> dict[str, Any]:
        return self._online_options() | {
            "rule": "passive_aggressive_regression",
            "regressor": True,
            "variant": one_of("variant", self.variant, VARIANTS),
            "C": finite("C", self.C, above=0.0),
            "epsilon": finite("epsilon", self.epsilon, least=0.0),
        }


class MIRA(OnlineClassifier):
    """MIRA (Crammer & Singer 2003): a prototype for each class, the smallest change of all of them
    that ranks the right class above every other by the margin.

    With two classes it is PA-I.

    Parameters
    ----------
    C : how far one example may move the prototypes; ``float("inf")`` for no limit.
    constraints : "all" rivals at once, the quadratic programme solved exactly; or only the
        strongest "one", in closed form.
    margin : by how much the right class must lead.
    average, burn_in, max_epochs, shuffle, random_state, fit_intercept, calibrate,
    intercept_scaling, prepare, class_weight : as in `Perceptron`.

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

    def __init__(
        self,
        C: float = 1.0,
        constraints: str = "all",
        margin: float = 1.0,
        average: bool = True,
        burn_in: int = 0,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        calibrate: bool = False,
        prepare: Written = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.C = C
        self.constraints = constraints
        self.margin = margin
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.calibrate = calibrate
        self.prepare = prepare
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        if self.C not in (math.inf,):  # which is no limit at all
            finite("C", self.C, above=0.0)
        return self._online_options() | {
            "rule": "passive_aggressive",
            "variant": "PA-I",
            "C": float(self.C),
            "margin": finite("margin", self.margin, above=0.0),
            "all_constraints": one_of("constraints", self.constraints, ("all", "one")) == "all",
        }
