"""The Winnow family: multiplicative updates."""

from __future__ import annotations

import math
from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base import finite, one_of
from thresher.learners.class_weights import ClassWeight
from thresher.learners.classifier import OnlineClassifier
from thresher.prepare import Written, domain_for_unit, steps_of


class _Multiplicative(OnlineClassifier):
    @property
    def clamped_(self) -> int:
        """Weight updates that left [1e-150, 1e150] and were held at its end."""
        return int(self._learned().counters()["clamped"])


class Winnow(_Multiplicative):
    """Winnow (Littlestone 1988): positive weights, doubled or halved on a mistake.

    Predicts positive when w·x ≥ θ. On a false negative w_i *= α^{x_i}, on a false positive
    w_i /= α^{x_i}. It needs only O(k·log n) mistakes when k of n features matter. Values lie in
    [0, 1]; `BalancedWinnow` takes any.

    Parameters
    ----------
    alpha : α > 1.
    theta : θ; by default the number of features (2n with `negations`); with named features, of
        those seen so far.
    margin : γ; update also when the score is closer than γ to the threshold.
    demotion : "divide" by α^{x_i}, or "eliminate": set to 0 (for disjunctions without noise).
    floor : no demotion goes below it. 0.5 is Winnow-R, which follows a target that changes.
    negations : learn over the 2n literals x_i and 1 − x_i, at O(active features) a step (together
        with `floor`, a demotion costs O(n)).
    clip : take values outside [0, 1] as 0 or 1 instead of refusing them.
    average, burn_in, max_epochs, shuffle, random_state, calibrate, class_weight, prepare :
        as in `Perceptron`. Of
        the steps those that lead to [0, 1]: "minmax" from any values, "maxabs" and "unit" from
        values of 0 or more, "conjunctions" and "polynomial" from values in [0, 1].

    Examples
    --------
    >>> from thresher import Winnow
    >>> model = Winnow(theta=2.0)
    >>> X = [[0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]
    >>> model.fit(X, [-1, +1, +1]).coef_.tolist()
    [[2.0, 2.0, 1.0, 1.0]]
    """

    def __init__(
        self,
        alpha: float = 2.0,
        theta: float | None = None,
        margin: float = 0.0,
        demotion: str = "divide",
        floor: float | None = None,
        negations: bool = False,
        clip: bool = False,
        average: bool = False,
        burn_in: int = 0,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        calibrate: bool = False,
        prepare: Written = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.alpha = alpha
        self.theta = theta
        self.margin = margin
        self.demotion = demotion
        self.floor = floor
        self.negations = negations
        self.clip = clip
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.calibrate = calibrate
        self.prepare = prepare
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        eliminate = one_of("demotion", self.demotion, ("divide", "eliminate")) == "eliminate"
        if eliminate and self.floor is not None:
            raise InvalidInput("demotion='eliminate' sets weights to 0; it cannot have a floor.")
        steps = steps_of(self.prepare)
        domain = domain_for_unit(steps, "Winnow") if steps else "unit"
        if self.clip and domain != "unit":
            raise InvalidInput(
                f"clip=True cuts values to [0, 1] before prepare={self.prepare!r} could bring them "
                "there; expected one of the two."
            )
        return self._online_options() | {
            "rule": "winnow",
            "geometry": "negations" if self.negations else "multiplicative",
            "fit_intercept": False,
            "clip": bool(self.clip),
            "unit": domain == "unit",
            "domain": domain,
            "prepared_unit": bool(steps),
            "alpha": finite("alpha", self.alpha, above=1.0),
            "theta": math.nan if self.theta is None else finite("theta", self.theta),
            "margin": finite("margin", self.margin, least=0.0),
            "eliminate": eliminate,
            "floor": 0.0 if self.floor is None else finite("floor", self.floor, above=0.0),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_any = self.prepare is not None and not self._core_options()["unit"]
        tags.input_tags.positive_only = not (self.clip or takes_any)
        return tags


class BalancedWinnow(_Multiplicative):
    """Balanced Winnow: two positive weights a feature, of which the difference counts.

    Predicts positive when (w⁺ − w⁻)·x ≥ θ. On a mistake w±_i *= α^{±y·x_i}. Takes any real x;
    values far from [−1, 1] make large steps, so scale them.

    Parameters
    ----------
    alpha : α > 1.
    theta : θ.
    margin : γ; update also when the score is closer than γ to the threshold.
    average, burn_in, max_epochs, shuffle, random_state, fit_intercept, calibrate, prepare,
    class_weight : as in `Perceptron`.

    Examples
    --------
    >>> from thresher import BalancedWinnow
    >>> model = BalancedWinnow(max_epochs=10)
    >>> model.fit([[1, -1], [-1, 1], [1, 1]], [1, 0, 0]).predict([[1, -1], [1, 1]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        alpha: float = 1.5,
        theta: float = 0.0,
        margin: float = 0.0,
        average: bool = False,
        burn_in: int = 0,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        calibrate: bool = False,
        prepare: Written = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.alpha = alpha
        self.theta = theta
        self.margin = margin
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.calibrate = calibrate
        self.prepare = prepare
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        return self._online_options() | {
            "rule": "winnow",
            "geometry": "balanced",
            "alpha": finite("alpha", self.alpha, above=1.0),
            "theta": finite("theta", self.theta),
            "margin": finite("margin", self.margin, least=0.0),
        }
