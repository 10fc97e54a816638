"""Learners with a variance for each weight."""

from __future__ import annotations

from typing import Any

from thresher.learners.base.groups import Mean
from thresher.learners.base.learner import Engine
from thresher.learners.linear.classifier import LinearClassifier
from thresher.options import but, real


class AROW(LinearClassifier):
    """AROW, adaptive regularization of weights (Crammer, Kulesza & Dredze 2009), diagonal.

    Each weight has a variance Σ_i, 1 at the start. When ℓ = max(0, 1 − y·s) > 0, weights move in
    proportion to it, w_i += τ·y·Σ_i·x_i with τ = ℓ/(xᵀΣx + r), and it shrinks,
    1/Σ_i += x_i²/r. Rare features keep large steps when frequent ones have settled, which suits
    text: often the best learner for a single pass. Averages are off by default, since the steps
    shrink anyway.

    Examples
    --------
    >>> from thresher import AROW
    >>> model = AROW(fit_intercept=False)
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> {name: round(weight, 3) for name, weight in model.top_features(2)}
    {'buy': 0.429, 'see': -0.381}
    """

    engine = Engine("diagonal", "arow")

    r: float = real(
        default=1.0,
        above=0.0,
        doc="how little one example may change: large for noisy labels and for rows of large "
        "counts; a sample weight divides it.",
    )
    average: Mean = but(default=False)


class ConfidenceWeighted(LinearClassifier):
    """Confidence-Weighted learning (Crammer, Dredze & Pereira 2008), diagonal.

    Weights are normal, with means w and variances Σ_i, 1 at the start. It is passive on examples
    that it gets right with probability η; on any other it takes the nearest distribution that
    does: w_i += α·y·Σ_i·x_i and 1/Σ_i += (α·φ/√u)·x_i², with α in closed form (the paper's form in
    the standard deviation). `AROW` is the same idea with a soft loss: prefer it if labels are
    noisy. Averages are on by default: without them one wrong label may undo much.

    Examples
    --------
    >>> from thresher import ConfidenceWeighted
    >>> model = ConfidenceWeighted(fit_intercept=False)
    >>> for words, label in [("buy now", 1), ("see you now", 0), ("buy a car", 1)]:
    ...     model.learn_one(words.split(), label)
    >>> model.predict_one(["buy", "you"]), model.updates_
    (1, 3)
    """

    engine = Engine("diagonal", "confidence-weighted")

    eta: float = real(
        default=0.9,
        above=0.5,
        below=1.0,
        doc="η, the probability with which an example must be right once it was learned. A sample "
        "weight below 1 scales the step; one above 1 counts as 1.",
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        from statistics import NormalDist

        return options | {"phi": NormalDist().inv_cdf(options.pop("eta"))}
