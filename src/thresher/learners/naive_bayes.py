"""Naive Bayes, one example at a time."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from thresher.learners.base import Floats, finite, one_of
from thresher.learners.class_weights import ClassWeight
from thresher.learners.classifier import ClassSums

if TYPE_CHECKING:
    import numpy as np
else:
    from thresher.lazy import np

KINDS = ("multinomial", "bernoulli")


class NaiveBayes(ClassSums):
    """Naive Bayes: counts of each feature with each class, from which probabilities are made.

    It has nothing to tune and no order: what it has learned is a sum over its examples, so that one
    pass is all there is. ``predict_proba`` is exact for the model (which is often far too sure:
    features do know of each other). Names never seen say nothing.

    Parameters
    ----------
    kind : "multinomial" for counts, x ≥ 0: P(x|k) ∝ Π θ_ki^x_i with θ_ki = (c_ki + α)/(T_k + α·n);
        "bernoulli" for features that are there (x > 0) or not, and whose absence speaks too:
        p_ki = (c_ki + α)/(N_k + 2α).
    alpha : α > 0, added to each count (Laplace smoothing).
    fit_prior : P(k) from the examples seen; False: all classes are equally likely.
    class_weight : what an example of each class counts, a dict or "balanced", as in `Perceptron`.

    Examples
    --------
    >>> from thresher import NaiveBayes
    >>> model = NaiveBayes()
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> {label: round(p, 2) for label, p in model.predict_proba_one(["buy", "you"]).items()}
    {1: 0.67, 0: 0.33}
    """

    def __init__(
        self,
        kind: str = "multinomial",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_weight: ClassWeight = None,
    ) -> None:
        self.kind = kind
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_weight = class_weight

    def _core_options(self) -> dict[str, Any]:
        return {
            "geometry": "naive_bayes",
            "bernoulli": one_of("kind", self.kind, KINDS) == "bernoulli",
            "alpha": finite("alpha", self.alpha, above=0.0),
            "fit_prior": bool(self.fit_prior),
        }

    # -- what was learned, a row or a number for each of ``classes_``

    @property
    def class_count_(self) -> Floats:
        """The examples of each class, by their weights."""
        return np.asarray(self._by_label(self._kept("seen")[None, :], absent=0.0)[0])

    @property
    def class_log_prior_(self) -> Floats:
        """log P(k)."""
        with np.errstate(divide="ignore"):  # of a class that was announced and never came: −inf
            return np.asarray(np.log(self._priors(self.class_count_)))

    @property
    def feature_count_(self) -> Floats:
        """What was counted of each feature with each class."""
        still = copy.copy(self)  # other threads may learn
        counted = still._kept("counts.cells")  # a row before the first feature, and room for more
        table = counted.reshape(still._learned().features + 1, -1)[1:, : len(still._met()[1])]
        return np.asarray(still._by_label(table, absent=0.0).T)

    @property
    def feature_log_prob_(self) -> Floats:
        """log P(feature|k): θ_ki, or p_ki for ``kind="bernoulli"``."""
        still = copy.copy(self)  # other threads may learn
        smoothed = still.feature_count_ + self.alpha
        if self.kind == "bernoulli":
            total = still.class_count_[:, None] + 2.0 * self.alpha
        else:
            total = smoothed.sum(axis=1, keepdims=True)
        return np.asarray(np.log(smoothed) - np.log(total))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.kind == "multinomial"
        tags.classifier_tags.poor_score = True  # of features that are neither counts nor flags
        return tags
