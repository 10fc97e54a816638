"""The Perceptron family."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar, Self, Unpack

from thresher.errors import InvalidInput, NotSeparableWarning, RoundingWarning
from thresher.lazy import np
from thresher.learners.base.classifier import Classifier, OnlineClassifier, _only
from thresher.learners.base.examples import MOST_COLUMNS, Rows
from thresher.learners.base.groups import (
    Calibration,
    ClassWeights,
    Intercept,
    InterceptScaling,
    ManyClasses,
    Passes,
)
from thresher.learners.base.labels import warn_of_one_label
from thresher.learners.base.learner import Engine, FitOptions
from thresher.learners.base.weights import fit_weights
from thresher.learners.linear.classifier import LinearClassifier
from thresher.learners.linear.proof import MOST_PRODUCTS, Moves, ProofRows, Proving, moves_around
from thresher.options import Declared, but, choice, count, finite, flag, real

Rate = float | str | Callable[[int], float]


class Stepping(Declared):
    margin: float = real(
        default=0.0, least=0.0, doc="γ; update also when y·s ≤ γ, a thick separator."
    )
    learning_rate: Rate = real(
        default=1.0,
        above=0.0,
        words=("1/t", "1/sqrt(t)"),
        function=True,
        doc='η, a number, "1/t", "1/sqrt(t)", or a function of t (examples so far).',
    )


class Perceptron(Proving, Stepping, LinearClassifier):
    """The perceptron (Rosenblatt 1958): on a mistake, w += η·y·x.

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

    engine = Engine("additive", "perceptron")

    step: str = choice(
        "fixed", "aggressive",
        default="fixed",
        doc='"fixed" moves by `learning_rate`; "aggressive" by (γ − y·s)/‖x‖², so that the example '
        "lands on the margin (needs ``margin > 0``; `learning_rate` is not used).",
    )  # fmt: skip
    max_epochs: int | None = but(
        default=1,
        doc="passes of ``fit``; None goes on until an epoch without an update, or until the "
        "weights of an earlier epoch come back: `cycled_`, with the proof that the data is not "
        "separable in `certificate_`, unless rounding made them come back.",
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        if options.pop("step") == "fixed":
            return options
        if options["margin"] == 0.0:
            raise InvalidInput(
                "step='aggressive' needs margin > 0: with margin 0 the first step from w = 0 has "
                "length 0, and so has every other."
            )
        del options["learning_rate"]
        return options | {"rule": "aggressive"}

    def _begun(self, options: FitOptions) -> Self:
        begun = super()._begun(options)
        begun._cycled, begun._proof = False, None
        return begun

    def _repeats_prove(self) -> bool:
        fixed = self.step == "fixed" and isinstance(self.learning_rate, (int, float))
        return fixed and self.class_weight != "balanced"  # which continues to count

    def _came_back(self, rows: Rows, epoch: int, passes: int, **lesson: Any) -> None:
        self._cycled = True
        given = ProofRows(
            self, rows, lesson["codes"], lesson["weights"], class_weight=self.class_weight,
            step=Perceptron(
                average=False, fit_intercept=self.fit_intercept,
                intercept_scaling=self.intercept_scaling, prepare=self.prepare,
            ),
        )  # fmt: skip
        moves = moves_around(given, passes)
        again = (
            f"after epoch {epoch} the weights are those of epoch {epoch - passes}: the same passes "
            "would repeat forever. "
        )
        if moves is not None and given.cancels(moves):
            if len(self._labels.values) <= 2 and self.prepare is None:
                self._proof = given.coefficients(moves)
            warnings.warn(
                f"{again}The updates in between add up to exactly zero, so the data is not "
                "linearly separable (perceptron cycling theorem). Stopped.",
                NotSeparableWarning,
                stacklevel=5,
            )
        elif moves is None:
            warnings.warn(
                f"{again}Whether the data is separable was not decided, as it would take too long "
                "to add the updates in between without rounding. Stopped.",
                RoundingWarning,
                stacklevel=5,
            )
        else:
            warnings.warn(
                f"{again}But the updates in between do not add up to zero: rounding undid them, "
                "and the data may well be separable. Bring the features to like sizes. Stopped.",
                RoundingWarning,
                stacklevel=5,
            )

    @property
    def cycled_(self) -> bool:
        """Whether ``fit`` stopped because the weights of an earlier epoch came back.

        That alone proves nothing, as rounding may have done it: `certificate_` does.
        """
        self._learned()
        return self._cycled


class TruncatedPerceptron(
    Stepping,
    Passes,
    Intercept,
    InterceptScaling,
    ManyClasses,
    Calibration,
    ClassWeights,
    OnlineClassifier,
):
    """The perceptron with a budget of features (Wang, Zhao, Hoi & Jin 2014): the `keep` largest.

    After each update all weights but the `keep` of largest magnitude are set to 0, so a model of
    two classes never depends on more than `keep` features: `n_features_used_`. The intercept is
    not counted and never dropped. An update costs O(keep + nonzeros of x).

    By default this is the paper's PET. Its OFS is ``TruncatedPerceptron(l2=0.01, margin=1.0,
    learning_rate=0.2)``: w is shrunk at each update and scaled into a ball before it is cut, so
    that no weight is kept only because it was large long ago.

    Notes
    -----
    Of equal weights the older one stays, and of those from the same example the one earlier in
    it. A Python set has no order: give a list or a dict.

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

    engine = Engine("truncated", "perceptron")

    keep: int = count(
        default=1000,
        least=1,
        doc="B, how many features to keep; with three classes or more, for each class.",
    )
    l2: float = real(
        default=0.0,
        least=0.0,
        doc="with l2 > 0 an update is w = (1 − l2·η)·w + η·y·x, then w is scaled into the ball "
        "‖w‖ ≤ 1/√l2, then cut. The intercept is exempt. (The paper also shrinks w at "
        "examples without an update; here those change nothing.)",
    )
    max_epochs: int = but(
        default=1,
        none=False,
        doc="passes of ``fit``. There is no None: what is cut off may be missing forever, so the "
        "weights need not settle even if the data is separable.",
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        rate, l2 = options["learning_rate"], options["l2"]
        if isinstance(rate, float) and l2 * rate >= 1.0:
            raise InvalidInput(
                f"l2·learning_rate is {l2 * rate:g}; expected less than 1: each update would "
                "forget all before it."
            )
        return options | {"keep": min(options["keep"], MOST_COLUMNS)}


def rate_at(learning_rate: Rate, t: int) -> float:
    """η(t)."""
    if callable(learning_rate):
        return finite(f"learning_rate({t})", learning_rate(t))
    if isinstance(learning_rate, str):
        return 1.0 / (t if learning_rate == "1/t" else math.sqrt(t))
    return float(learning_rate)


class BatchPerceptron(Proving, Intercept, Classifier):
    """The batch perceptron: steps down the mean gradient of the perceptron criterion.

    δ = −(1/N)·Σ y·x over the examples with y·s ≤ 0; w −= η·δ; until ‖δ‖ < ε. It needs all its data
    at once, so it has no ``partial_fit`` and no ``learn_one``.

    `converged_` says whether the last pass was without a mistake. If δ = 0 though mistakes remain,
    these add up to zero, which proves that no separator exists: `certificate_`.

    Examples
    --------
    >>> from thresher import BatchPerceptron
    >>> model = BatchPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> model.predict([[0, 0], [1, 0]]).tolist(), model.converged_
    ([0, 1], True)
    """

    engine = Engine("additive", "perceptron")
    metadata: ClassVar = {"fit": ("sample_weight",), "score": ("sample_weight",)}

    learning_rate: Rate = real(
        default=1.0,
        above=0.0,
        words=("1/t", "1/sqrt(t)"),
        function=True,
        doc='η, a number, "1/t", "1/sqrt(t)", or a function of t, 1 at the first step.',
    )
    epsilon: float = real(
        default=1e-6,
        above=0.0,
        core=False,
        doc="ε, the length of the mean step at which to stop.",
    )
    fixed_increment: bool = flag(default=False, core=False, doc="η = 1 and no division by N.")
    max_epochs: int = count(default=1000, least=1, core=False, doc="the most steps.")
    fit_intercept: bool = but(default=True, doc="a constant feature 1.")

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options | {"margin": 0.0}

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Self:
        """Learn from all rows at once, from scratch."""
        rows = self._rows(X)
        weights = fit_weights(_only(options, "sample_weight"), rows.size)
        fresh = self.fresh()
        model = fresh._begin()
        codes = fresh._codes(y, rows.size, weights)
        rows = fresh._admit_columns(rows, model)
        rate: Rate = 1.0 if self.fixed_increment else self.learning_rate
        counted = rows.size if weights is None else int(np.count_nonzero(weights))
        divide = 1.0 if self.fixed_increment else float(max(1, counted))
        fresh.epochs_, fresh.converged_ = 0, False
        length = math.inf
        while fresh.epochs_ < self.max_epochs and length >= self.epsilon:
            fresh.epochs_ += 1
            eta = rate_at(rate, fresh.epochs_)
            mistakes, length = model.batch_epoch(rows.core, codes, weights, eta, divide)
            fresh.converged_ = mistakes == 0
        if length < self.epsilon and not fresh.converged_:
            fresh._stalled(rows, codes, weights, mistakes, length)
        self._take(fresh)
        warn_of_one_label(self.learned_labels())
        return self

    def fit_file(self, path: Any, *, passes: int = 1, **options: Any) -> Self:
        """Not for it: a file is learned one example at a time. Read the file, then `fit`."""
        raise InvalidInput(
            "BatchPerceptron has no fit_file: it needs all examples at once, and a file is learned "
            "one at a time. Read it into memory, for example X, y = thresher.read_svmlight(path), "
            "then call fit(X, y)."
        )

    def _stalled(self, rows: Rows, codes: Any, weights: Any, mistakes: int, length: float) -> None:
        """The mean step is as good as zero, and mistakes remain: say what that means."""
        model = self._learned()
        stopped = f"stopped after epoch {self.epochs_} with {mistakes} mistakes: the mean step has "
        if length == 0.0 and len(model.constants()) == 1:  # so these are still the mistakes
            step = Perceptron(average=False, fit_intercept=self.fit_intercept)
            given = ProofRows(self, rows, codes, weights, step=step)
            negative = np.array(self._labels.looks_negative)[codes]
            wrong = np.where(negative, -1.0, 1.0) * model.decision(rows.core)[:, 0] <= 0.0
            wrong &= True if weights is None else weights > 0.0
            moves: Moves = Counter({(i, (0,)): 1 for i in np.flatnonzero(wrong).tolist()})
            if len(moves) * rows.columns <= MOST_PRODUCTS and given.cancels(moves):
                self._proof = given.coefficients(moves)
                warnings.warn(
                    f"{stopped}length 0, since these {mistakes} signed examples add up to exactly "
                    "zero. So the data is not linearly separable.",
                    NotSeparableWarning,
                    stacklevel=3,
                )
                return
        warnings.warn(
            f"{stopped}length {length:.3g}, which is below epsilon={self.epsilon:g}. That does not "
            "tell whether the data is separable. Scale the features up, or set a smaller epsilon.",
            RoundingWarning,
            stacklevel=3,
        )
