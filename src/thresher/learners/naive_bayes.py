"""Naive Bayes, one example at a time."""

from __future__ import annotations

from typing import Any

from thresher.learners.base import Engine
from thresher.learners.classifier import OnlineClassifier
from thresher.options import Declared, choice, flag, real


class Prior(Declared):
    fit_prior: bool = flag(
        kw_only=True,
        default=True,
        doc="P(k) from the examples seen; False: all classes are equally likely.",
    )


class NaiveBayes(Prior, OnlineClassifier):
    """Naive Bayes: counts of each feature with each class, from which probabilities are made.

    It has nothing to tune and no order: what it has learned is a sum over its examples, so that one
    pass is all there is. ``predict_proba`` is exact for the model (which is often far too sure:
    features do know of each other). Names never seen say nothing.

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
    gives_probabilities = True

    kind: str = choice(
        "multinomial", "bernoulli",
        default="multinomial",
        doc='"multinomial" for counts, x ≥ 0: P(x|k) ∝ Π θ_ki^x_i with θ_ki = (c_ki + α)/(T_k + '
        'α·n); "bernoulli" for features that are there (x > 0) or not, and whose absence speaks '
        "too: p_ki = (c_ki + α)/(N_k + 2α).",
    )  # fmt: skip
    alpha: float = real(default=1.0, above=0.0, doc="α, added to each count (Laplace smoothing).")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.kind == "multinomial"
        tags.classifier_tags.poor_score = True  # of features that are neither counts nor flags
        return tags
