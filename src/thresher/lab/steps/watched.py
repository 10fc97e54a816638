"""A step as it happened: the example, and the engine's numbers before and after it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.learners.kernel.learner import KernelLearner
from thresher.learners.linear.lda import LDA
from thresher.learners.linear.naive_bayes import NaiveBayes

Floats = npt.NDArray[np.float64]


class Inside:
    """The state of a linear engine with two classes, as it would be saved."""

    def __init__(self, model: Any, first: int) -> None:
        state = model._learned().state()
        self._arrays, self._reals = state["arrays"], state["reals"]
        # Until there is a second label, the first is learned both ways: as −1 and as +1.
        alone = state["counts"].get("readings") == 2
        self._prefix = f"reading{int(alone and first > 0)}.geometry."
        self.coef = np.array(np.ravel(model.coef_), np.float64)
        self.intercept = float(np.ravel(model.intercept_)[0])
        self.counts: tuple[Floats, Floats] | None = None  # per class: examples; their sum or mean
        if isinstance(model, NaiveBayes):
            self.counts = model.class_count_, model.feature_count_
        elif isinstance(model, LDA):
            begun = model.examples_ > 0
            self.counts = (model._masses(), model.means_) if begun else (np.zeros(2), self.coef)

    def array(self, name: str) -> Floats:
        return np.frombuffer(self._arrays[name])

    def real(self, name: str) -> float:
        return float(self._reals[self._prefix + name])

    def weights(self, name: str) -> Floats:
        """One per feature, then that of the constant feature."""
        return np.roll(self.array(f"{self._prefix}{name}.cells"), -1)


@dataclass(frozen=True)
class Support:
    """What a kernel learner with two classes computes for one example x."""

    a: Floats
    """What each support vector adds to the score of the positive class."""
    K: Floats
    """K(x_j, x) of each, the constant of the bias included."""
    predicting: float
    """The score of x by the hypothesis that predicts: averaged, voted or last."""

    @property
    def last(self) -> float:
        """The score of x by the last hypothesis, which learns."""
        return float(self.a @ self.K)


@dataclass(frozen=True)
class Watched:
    """Everything that an explanation says about a step comes from here."""

    model: Any
    """The learner afterwards."""
    t: int
    x: Floats
    """As the learner reads it."""
    y: int
    """1 or −1."""
    first: int
    """The label of the first example of the run."""
    both: bool
    """Whether both labels had been seen before this step."""
    score: float
    """Of the last hypothesis, before the step."""
    score_now: float
    """Of the last hypothesis, after the step."""
    mistake: bool
    update: bool
    was: Any
    """`Inside` or `Support`, before the step."""
    now: Any

    @property
    def options(self) -> Mapping[str, Any]:
        params: Mapping[str, Any] = self.model.get_params()
        return params


def constant_of(options: Mapping[str, Any]) -> float:
    """x₀, the value of the constant feature; 0 if there is none."""
    if not options.get("fit_intercept", False):
        return 0.0
    return float(options.get("intercept_scaling", 1.0))


def watch(model: Any, X: Floats, y: Sequence[int], labels: Sequence[Any] = (-1, 1)) -> Watched:
    """Teach a new model all these examples, and watch the last one.

    `y` holds 1 and −1; the model gets the second and the first of `labels` for them.
    """
    targets, x = [labels[int(sign > 0)] for sign in y], X[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not isinstance(model, KernelLearner):  # weight 0: not learned, but there are weights
            model.partial_fit(0.0 * X[:1], targets[:1], classes=labels, sample_weight=[0.0])
        if len(X) > 1:
            model.partial_fit(X[:-1], targets[:-1], classes=labels)
        looked = _support if isinstance(model, KernelLearner) else _inside
        was, score, counts = looked(model, x, y[:-1])
        model.partial_fit(X[-1:], targets[-1:], classes=labels)
        now, score_now, counts_now = looked(model, x, y)
    if counts is None:  # LDA counts no mistakes
        mistake, update = int(y[-1]) * score <= 0.0, True
    else:
        mistake, update = (after > before for before, after in zip(counts, counts_now, strict=True))
    clipped = np.clip(x, 0.0, 1.0) if model.get_params().get("clip") else x
    return Watched(
        model, len(X), clipped, int(y[-1]), int(y[0]), len(set(y[:-1])) == 2, score, score_now,
        mistake, update, was, now,
    )  # fmt: skip


def _inside(model: Any, x: Floats, y: Sequence[int]) -> tuple[Inside, float, Any]:
    counts = None if isinstance(model, LDA) else (model.mistakes_, model.updates_)
    score = float(model.decision_function(x[None, :])[0])
    return Inside(model, y[0] if len(y) else 1), score, counts


def _support(model: Any, x: Floats, y: Sequence[int]) -> tuple[Support, float, Any]:
    if not len(y):
        return Support(np.zeros(0), np.zeros(0), 0.0), 0.0, (0, 0)
    sign = 1.0 if max(y) > 0 else -1.0  # the last column is that of the largest label seen
    found = Support(
        sign * model.support_coef_[:, -1],
        model.kernel_values(x[None, :])[0],
        float(model.decision_function(x[None, :])[0]),
    )
    return found, found.last, (model.mistakes_, model.updates_)
