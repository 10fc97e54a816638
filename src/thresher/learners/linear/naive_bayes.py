"""Naive Bayes, one example at a time."""

from __future__ import annotations

import copy
from typing import Any

from thresher.lazy import np
from thresher.learners.base.classifier import ClassSums
from thresher.learners.base.groups import ClassWeights
from thresher.learners.base.learner import Engine, Floats
from thresher.options import Declared, choice, flag, real


class Prior(Declared):
    fit_prior: bool = flag(
        kw_only=True,
        default=True,
        doc="P(k) from the examples seen; False: all classes are equally likely.",
    )


class NaiveBayes(Prior, ClassWeights, ClassSums):
    """Naive Bayes: counts of each feature with each class, and probabilities computed from them.

    It has nothing to tune and no order: what it has learned is a sum over its examples, so there
    is only one pass. ``predict_proba`` is exact for the model (which is often overconfident:
    features are not independent). Names never seen have no effect.

    Examples
    --------
    >>> from thresher import NaiveBayes
    >>> model = NaiveBayes()
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> {label: round(p, 2) for label, p in model.predict_proba_one(["buy", "you"]).items()}
    {1: 0.67, 0: 0.33}
    """

    engine = Engine("naive-bayes")

    kind: str = choice(
        "multinomial", "bernoulli",
        default="multinomial",
        doc='"multinomial" for counts, x ≥ 0: P(x|k) ∝ Π θ_ki^x_i with θ_ki = (c_ki + α)/(T_k + '
        'α·n); "bernoulli" for features that are present (x > 0) or absent, where absence counts '
        "as well: p_ki = (c_ki + α)/(N_k + 2α).",
    )  # fmt: skip
    alpha: float = real(default=1.0, above=0.0, doc="α, added to each count (Laplace smoothing).")

    # -- what was learned, a row or a number for each of ``classes_``

    @property
    def class_count_(self) -> Floats:
        """The examples of each class, by their weights."""
        return np.asarray(self._by_label(self._kept("seen")[None, :], absent=0.0)[0])

    @property
    def class_log_prior_(self) -> Floats:
        """log P(k)."""
        with np.errstate(divide="ignore"):  # a class that was announced but never seen: −inf
            return np.asarray(np.log(self._priors(self.class_count_)))

    @property
    def feature_count_(self) -> Floats:
        """The counts of each feature with each class."""
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
