"""Naive Bayes, one example at a time."""

from __future__ import annotations

from typing import Any

from thresher.learners.base import finite, one_of
from thresher.learners.classifier import ProbabilityModel
from thresher.learners.online import OrderFree

KINDS = ("multinomial", "bernoulli")


class NaiveBayes(OrderFree, ProbabilityModel):
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
        self, kind: str = "multinomial", alpha: float = 1.0, fit_prior: bool = True
    ) -> None:
        self.kind = kind
        self.alpha = alpha
        self.fit_prior = fit_prior

    def _core_options(self) -> dict[str, Any]:
        return {
            "geometry": "naive_bayes",
            "bernoulli": one_of("kind", self.kind, KINDS) == "bernoulli",
            "alpha": finite("alpha", self.alpha, above=0.0),
            "fit_prior": bool(self.fit_prior),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.kind == "multinomial"
        tags.classifier_tags.poor_score = True  # of features that are neither counts nor flags
        return tags
