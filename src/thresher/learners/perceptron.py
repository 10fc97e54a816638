"""The Perceptron family."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from thresher.errors import InvalidInput
from thresher.learners.base import FitOptions, finite, fit_weights, one_of, whole
from thresher.learners.class_weights import ClassWeight
from thresher.learners.classifier import Classifier, OnlineClassifier, _only
from thresher.learners.examples import MOST_COLUMNS
from thresher.prepare import Written

if TYPE_CHECKING:
    import numpy as np
else:
    from thresher.lazy import np

Rate = float | str | Callable[[int], float]


def _rate(rate: Rate) -> Rate:
    """η: a number, the name of a schedule, or a function of t."""
    if isinstance(rate, str):
        return one_of("learning_rate", rate, ("1/t", "1/sqrt(t)"))
    return rate if callable(rate) else finite("learning_rate", rate, above=0.0)


class Perceptron(OnlineClassifier):
    """The perceptron (Rosenblatt 1958): on a mistake, w += η·y·x.

    Parameters
    ----------
    average : predict with the mean of all hypotheses, each weighted by the examples it survived.
    margin : γ; update also when y·s ≤ γ, a thick separator.
    step : "fixed" moves by `learning_rate`; "aggressive" by (γ − y·s)/‖x‖², so that the example
        lands on the margin (needs ``margin > 0``; `learning_rate` has no part in it).
    learning_rate : η, a number, "1/t", "1/sqrt(t)", or a function of t (examples so far).
    burn_in : examples left out of the average.
    max_epochs : passes of ``fit``; None goes on until an epoch without an update, or until the
        weights of an earlier epoch come back, which proves that the data is not separable.
    shuffle : take the rows in a new random order in each epoch of ``fit``.
    random_state : the seed of that order.
    fit_intercept : a constant feature, which counts in ‖x‖² like any other.
    intercept_scaling : its value. Where rows have length 1, as is usual for text, 0.1 keeps it from
        outweighing them.
    multiclass : from three classes on, "ultraconservative" moves the right class and its strongest
        rival; "one-vs-rest" keeps a two-class machine for each class.
    calibrate : learn probabilities on the fly, for ``predict_proba``.
    prepare : steps that every row goes through first, learned and saved with the model:
        "standard", "minmax", "maxabs", "unit", "conjunctions(2)", "polynomial(2)",
        "fourier(500, gamma=0.1)", or several, "standard, polynomial(2)". `thresher.features` has
        the same steps on their own.
    class_weight : what an example of each class counts besides its own weight: a dict such as
        ``{"spam": 5.0}``, the others counting 1; or "balanced", n/(K·n_k), with n the weight of the
        examples so far, n_k that of its class and K how many classes came, itself included. So
        rare classes count as much as frequent ones, in an array as in a stream.

    Examples
    --------
    >>> from thresher import Perceptron
    >>> model = Perceptron()
    >>> for words, label in [
    ...     ("cheap pills", "spam"),
    ...     ("see you at lunch", "ham"),
    ...     ("cheap lunch", "spam"),
    ...     ("lunch at noon", "ham"),
    ... ]:
    ...     model.learn_one(words.split(), label)
    >>> model.predict_one(["cheap", "offer"]), model.mistakes_
    ('spam', 4)
    """

    def __init__(
        self,
        average: bool = True,
        margin: float = 0.0,
        step: str = "fixed",
        learning_rate: Rate = 1.0,
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
        self.average = average
        self.margin = margin
        self.step = step
        self.learning_rate = learning_rate
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
        aggressive = one_of("step", self.step, ("fixed", "aggressive")) == "aggressive"
        margin = finite("margin", self.margin, least=0.0)
        if aggressive and margin == 0.0:
            raise InvalidInput(
                "step='aggressive' needs margin > 0: with margin 0 the first step from w = 0 has "
                "length 0, and so has every other."
            )
        rule = "aggressive" if aggressive else "perceptron"
        rate = _rate(self.learning_rate)
        return self._online_options() | {"rule": rule, "margin": margin, "learning_rate": rate}

    def _repeats_prove(self) -> bool:
        fixed = self.step == "fixed" and isinstance(self.learning_rate, (int, float))
        return fixed and self.class_weight != "balanced"  # which goes on counting

    @property
    def cycled_(self) -> bool:
        """Whether ``fit`` stopped because the weights of an earlier epoch came back."""
        self._learned()
        return bool(self.__dict__.get("_cycled", False))

    @cycled_.setter
    def cycled_(self, value: bool) -> None:
        self._cycled = value


class TruncatedPerceptron(OnlineClassifier):
    """The perceptron with a budget of features (Wang, Zhao, Hoi & Jin 2014): the `keep` largest.

    After each update all weights but the `keep` largest in size are set to 0, so a model of two
    classes never depends on more than `keep` features: `n_features_used_`. The intercept is not
    counted and never dropped. An update costs O(keep + nonzeros of x).

    As it stands this is the paper's PET. Its OFS is ``TruncatedPerceptron(l2=0.01, margin=1.0,
    learning_rate=0.2)``: w is shrunk at each update and scaled into a ball before it is cut, so
    that no weight is kept only for having been large long ago.

    Parameters
    ----------
    keep : B, how many features to keep; with three classes and more, for each class its own.
    l2 : with l2 > 0 an update is w = (1 − l2·η)·w + η·y·x, then w is scaled into the ball ‖w‖ ≤
        1/√l2, then cut. The intercept has no part in it. (The paper also shrinks w at examples
        that bring no update; here those change nothing.)
    max_epochs : passes of ``fit``. There is no None: what is cut off may be missed for ever, so the
        weights need not settle even where the data is separable.
    margin, learning_rate, shuffle, random_state, fit_intercept, intercept_scaling, multiclass,
    calibrate, class_weight : as in `Perceptron`. There is no average: the mean of sparse weights is
        not sparse.

    Notes
    -----
    Of equal weights the one that has been there longer stays, and of those that came with one
    example the earlier in the example. A Python set has no order: give a list or a dict.

    Examples
    --------
    >>> from thresher import TruncatedPerceptron
    >>> model = TruncatedPerceptron(keep=2)
    >>> for words, label in [
    ...     ("cheap pills", "spam"),
    ...     ("lunch at noon", "ham"),
    ...     ("cheap lunch", "spam"),
    ... ]:
    ...     model.learn_one(words.split(), label)
    >>> model.top_features(), model.n_features_used_
    ([('cheap', 1.0), ('pills', 1.0)], 2)
    """

    def __init__(
        self,
        keep: int = 1000,
        l2: float = 0.0,
        margin: float = 0.0,
        learning_rate: Rate = 1.0,
        max_epochs: int = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
        class_weight: ClassWeight = None,
    ) -> None:
        self.keep = keep
        self.l2 = l2
        self.margin = margin
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.multiclass = multiclass
        self.calibrate = calibrate
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        if self.max_epochs is None:
            raise InvalidInput(
                "max_epochs is None; expected a whole number ≥ 1: with features cut off, the "
                "weights need not settle even where the data is separable."
            )
        rate, l2 = _rate(self.learning_rate), finite("l2", self.l2, least=0.0)
        if isinstance(rate, float) and l2 * rate >= 1.0:
            raise InvalidInput(
                f"l2·learning_rate is {l2 * rate:g}; expected less than 1: each update would "
                "forget all before it."
            )
        return self._online_options() | {
            "geometry": "truncated",
            "rule": "perceptron",
            "keep": min(whole("keep", self.keep, 1), MOST_COLUMNS),
            "l2": l2,
            "margin": finite("margin", self.margin, least=0.0),
            "learning_rate": rate,
        }


class BatchPerceptron(Classifier):
    """The batch perceptron: steps down the mean gradient of the perceptron criterion.

    δ = −(1/N)·Σ y·x over the examples with y·s ≤ 0; w −= η·δ; until ‖δ‖ < ε. It needs all its data
    at once, so it has no ``partial_fit`` and no ``learn_one``.

    Parameters
    ----------
    learning_rate : η.
    epsilon : ε, the length of the mean step at which to stop.
    fixed_increment : η = 1 and no division by N.
    max_epochs : steps at most.
    fit_intercept : a constant feature 1.

    Examples
    --------
    >>> from thresher import BatchPerceptron
    >>> model = BatchPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> model.predict([[0, 0], [1, 0]]).tolist(), model.converged_
    ([0, 1], True)
    """

    metadata: ClassVar = {"fit": ("sample_weight",), "score": ("sample_weight",)}

    def __init__(
        self,
        learning_rate: float = 1.0,
        epsilon: float = 1e-6,
        fixed_increment: bool = False,
        max_epochs: int = 1000,
        fit_intercept: bool = True,
    ) -> None:
        self.learning_rate = learning_rate
        self.epsilon = epsilon
        self.fixed_increment = fixed_increment
        self.max_epochs = max_epochs
        self.fit_intercept = fit_intercept

    def _core_options(self) -> dict[str, Any]:
        finite("epsilon", self.epsilon, above=0.0)
        whole("max_epochs", self.max_epochs, 1)
        return {
            "rule": "perceptron",
            "learning_rate": finite("learning_rate", self.learning_rate, above=0.0),
            "fit_intercept": bool(self.fit_intercept),
        }

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Self:
        """Learn anew from all rows at once."""
        rows = self._rows(X)
        weights = fit_weights(_only(options, "sample_weight"), rows.size)
        fresh = self._fresh()
        model = fresh._begin()
        codes = fresh._codes(y, rows.size, weights)
        rows = fresh._admit_columns(rows, model)
        eta = 1.0 if self.fixed_increment else float(self.learning_rate)
        counted = rows.size if weights is None else int(np.count_nonzero(weights))
        divide = 1.0 if self.fixed_increment else float(max(1, counted))
        fresh.epochs_, fresh.converged_ = 0, False
        while fresh.epochs_ < self.max_epochs and not fresh.converged_:
            _, length = model.batch_epoch(rows.core, codes, weights, eta, divide)
            fresh.epochs_ += 1
            fresh.converged_ = length < self.epsilon
        self._take(fresh)
        return self

    epochs_: int
    converged_: bool
