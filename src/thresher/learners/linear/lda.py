"""Linear discriminant analysis, one example at a time."""

from __future__ import annotations

import copy
from typing import NoReturn

from thresher.lazy import np
from thresher.learners.base.classifier import ClassSums
from thresher.learners.base.groups import ClassWeights, PairsOfColumns
from thresher.learners.base.learner import Engine, Floats
from thresher.learners.linear.naive_bayes import Prior
from thresher.options import real


class LDA(Prior, PairsOfColumns, ClassWeights, ClassSums):
    """Linear discriminant analysis: a mean for each class and one covariance for all of them.

    After every example the weights are those of the batch solution, Σ⁻¹μ_k, and ``predict_proba``
    is exact for the model: normal classes with one covariance. The order of examples does not
    matter, and there is only one pass. A step costs the square of the number of features, and so
    does memory: up to 10,000 features. Weights are solved for on demand, at the same cost, or at
    the cube of the number of features with `shrinkage`. Hence it counts no mistakes while it
    learns. A feature without variance within the classes, or determined by others, has weight 0.

    Examples
    --------
    >>> from thresher import LDA
    >>> model = LDA()
    >>> for height, label in [(1.0, "low"), (2.0, "low"), (5.0, "high"), (6.0, "high")]:
    ...     model.learn_one({"height": height}, label)
    >>> {label: round(p, 3) for label, p in model.predict_proba_one({"height": 3.4}).items()}
    {'low': 0.832, 'high': 0.168}
    """

    engine = Engine("lda")

    shrinkage: float = real(
        default=0.0,
        least=0.0,
        most=1.0,
        doc="a in [0, 1], which replaces Σ by (1 − a)·Σ + a·t·I, where t is the mean of its "
        "diagonal: for few examples, or features that depend on each other.",
    )

    counts_mistakes = False

    @property
    def mistakes_(self) -> NoReturn:
        """Not counted: it would have to solve for its weights at each example."""
        raise AttributeError(
            "LDA counts no mistakes: it solves for its weights only when they are asked for. Use "
            "progressive validation: thresher.Race, or thresher train."
        )

    # -- what was learned

    def _masses(self) -> Floats:
        return np.asarray(self._by_label(self._kept("masses")[None, :], absent=0.0)[0])

    @property
    def priors_(self) -> Floats:
        """P(k) of each of ``classes_``."""
        return self._priors(self._masses())

    @property
    def means_(self) -> Floats:
        """μ_k, a row for each of ``classes_``; NaN for one that was announced but never seen."""
        still = copy.copy(self)  # other threads may learn
        means = [still._kept(f"means{k}") for k in range(len(still._met()[1]))]
        return np.asarray(still._by_label(np.column_stack(means), absent=np.nan).T)

    @property
    def covariance_(self) -> Floats:
        """Σ within the classes, shrunk if `shrinkage` is set."""
        still = copy.copy(self)  # other threads may learn
        n = still._learned().features
        triangle = np.zeros((n, n))
        triangle[np.tril_indices(n)] = still._kept("triangle.cells")
        spread = triangle.T @ triangle / still._masses().sum()
        a = float(self.shrinkage)
        return np.asarray((1.0 - a) * spread + a * np.trace(spread) / n * np.eye(n))
