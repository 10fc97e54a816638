"""The p-norm perceptron: between the Perceptron and Winnow."""

from __future__ import annotations

import math
from typing import Any

from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.groups import ClassWeights
from thresher.learners.base.learner import Engine
from thresher.learners.linear.classifier import PlainLinearClassifier
from thresher.learners.linear.perceptron import Stepping
from thresher.options import real


class PNormPerceptron(Stepping, PlainLinearClassifier, ClassWeights, OnlineClassifier):
    """The p-norm perceptron (Grove, Littlestone & Schuurmans 1997; Gentile 2003).

    On a mistake v += η·y·x; the weights are w = ∇½‖v‖_p², which is w_i = sgn(v_i)·|v_i|^{p−1} /
    ‖v‖_p^{p−2}. With p = 2 it is the `Perceptron`. With p = 2·ln n its mistakes grow with ln n
    where few of n features matter, as Winnow's do, for values and weights of either sign. A step
    costs O(active features·log n).

    It has no `average`: ‖v‖ moves all weights at once, and a mean kept lazily would lose its
    digits, for the factors 1/‖v‖^{p−2} of early and late hypotheses differ by many orders of
    magnitude.

    Examples
    --------
    >>> from thresher import PNormPerceptron
    >>> model = PNormPerceptron(p=3.0, fit_intercept=False)
    >>> model.fit([[1, 2], [0, 1]], [1, -1]).coef_.round(6).tolist()
    [[0.793701, 0.793701]]
    """

    engine = Engine("p-norm", "perceptron")

    p: float | str = real(
        default="auto",
        least=2.0,
        most=100.0,
        words=("auto",),
        doc='p ≥ 2. "auto" is 2·ln n, with n the number of features met so far, rounded up to a '
        "power of two: so p grows each time they have doubled, and is the same throughout for an "
        "array.",
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options | {"p": None if options["p"] == "auto" else options["p"]}

    @property
    def p_(self) -> float:
        """p as it is now."""
        if self.p != "auto":
            return float(self.p)
        features = len(self._learned().weight_names())
        return max(2.0, 2.0 * math.log(1 << max(features - 1, 0).bit_length()))
