"""Learners that know how sure they are of each weight."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base import finite
from thresher.learners.class_weights import ClassWeight
from thresher.learners.classifier import OnlineClassifier
from thresher.prepare import Written


class AROW(OnlineClassifier):
    """AROW, adaptive regularization of weights (Crammer, Kulesza & Dredze 2009), diagonal.

    Each weight has a variance Σ_i, 1 at the start. When ℓ = max(0, 1 − y·s) > 0, weights move by
    what they are unsure of, w_i += τ·y·Σ_i·x_i with τ = ℓ/(xᵀΣx + r), and become surer,
    1/Σ_i += x_i²/r. Rare features keep large steps when frequent ones have settled, which suits
    text: often the best single pass there is.

    Parameters
    ----------
    r : how little one example may change: large for noisy labels and for rows of large counts; a
        sample weight divides it.
    average, burn_in, max_epochs, shuffle, random_state, fit_intercept, calibrate,
    intercept_scaling, multiclass, prepare, class_weight : as in `Perceptron`; averages are off by
        default, since the steps shrink by themselves.

    Examples
    --------
    >>> from thresher import AROW
    >>> model = AROW(fit_intercept=False)
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> {name: round(weight, 3) for name, weight in model.top_features(2)}
    {'buy': 0.429, 'see': -0.381}
    """

    def __init__(
        self,
        r: float = 1.0,
        average: bool = False,
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
        self.r = r
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
            "geometry": "diagonal",
            "rule": "arow",
            "r": finite("r", self.r, above=0.0),
        }


class ConfidenceWeighted(OnlineClassifier):
    """Confidence-Weighted learning (Crammer, Dredze & Pereira 2008), diagonal.

    Weights are normal, with means w and variances Σ_i, 1 at the start. It rests on examples that it
    gets right with probability η; on any other it takes the belief nearest to the old one that
    does: w_i += α·y·Σ_i·x_i and 1/Σ_i += (α·φ/√u)·x_i², with α in closed form (the paper's form in
    the standard deviation). `AROW` is the same idea with a soft loss: where labels are noisy prefer
    that.

    Parameters
    ----------
    eta : η, the probability with which an example must be right once it was learned, above 0.5 and
        below 1. A sample weight below 1 goes that part of the way; one above 1 counts as 1.
    average, burn_in, max_epochs, shuffle, random_state, fit_intercept, calibrate,
    intercept_scaling, multiclass, prepare, class_weight : as in `Perceptron`. Averages are on by
        default: without them one wrong label may undo much.

    Examples
    --------
    >>> from thresher import ConfidenceWeighted
    >>> model = ConfidenceWeighted(fit_intercept=False)
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> model.predict_one(["buy", "you"]), model.updates_
    (1, 3)
    """

    def __init__(
        self,
        eta: float = 0.9,
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
        self.eta = eta
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
        from statistics import NormalDist

        eta = finite("eta", self.eta, above=0.5)
        if eta >= 1.0:
            raise InvalidInput(f"eta is {self.eta!r}; expected a number above 0.5 and below 1.")
        return self._online_options() | {
            "geometry": "diagonal",
            "rule": "confidence_weighted",
            "phi": NormalDist().inv_cdf(eta),
        }
