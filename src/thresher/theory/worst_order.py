"""The order of given examples in which a learner makes the most mistakes.

Mistake bounds hold for every order, so the worst one is what they are about. To find it is a search
among N! orders: all of them are tried where N is small. Else a local search starts from the best of
the order given, "worst first" (the example that the hypothesis of the moment gets most wrong) and
"barely wrong first" (of those that it gets wrong the closest, which teaches it least).
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.online import generator_from
from thresher.options import whole
from thresher.theory.audit import Audit, Row, audit
from thresher.theory.replay import Replay
from thresher.theory.signed import signs

Ints = npt.NDArray[np.int64]
Progress = Callable[[int, int, int], None]
"""Called with how many orders were tried, of how many, and the most mistakes so far."""

MOST_ROWS = 7  # of which all 5,040 orders are tried
STARTS = 3  # orders from which the search begins


@dataclass(frozen=True, eq=False)
class WorstOrder:
    """The worst order that was found for one pass over the rows."""

    order: Ints
    """Rows of X, as they should come."""
    mistakes: int
    """In that order."""
    given: int
    """Mistakes in the order given."""
    worst_first: int
    """Mistakes where each time the row comes that is most wrong by then."""
    barely_wrong: int
    """Mistakes where each time the row comes that is wrong by the least."""
    tried: int
    """How many orders were run."""
    proved: bool
    """All orders were tried, so no other has more."""
    bound: Row | None
    """The least bound of the audit that applies to the learner, whatever the order is."""

    def __str__(self) -> str:
        best = "the most of all orders" if self.proved else f"the most in {self.tried:,} orders"
        text = (
            f"{self.mistakes:,} mistakes in {len(self.order):,} examples, {best}; "
            f"{self.given:,} as given, {self.worst_first:,} worst first, "
            f"{self.barely_wrong:,} barely wrong first"
        )
        if self.bound is None:
            return f"{text}; no bound applies"
        share = self.mistakes / self.bound.value if self.bound.value else 1.0
        return f"{text}; at most {self.bound.value:,.4g} by {self.bound.theorem}, ratio {share:.3g}"


def worst_order(
    model: Any,
    X: Any,
    y: Any,
    *,
    steps: int = 2000,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> WorstOrder:
    """Look for the order of the rows in which one pass of the model makes the most mistakes.

    Up to 7 rows all orders are tried. With more, the best of three orders (as given, worst first,
    barely wrong first) is changed step by step, a row or a block of rows moved elsewhere, and a
    change that costs no mistakes is kept. What is found need not be the worst there is.

    Parameters
    ----------
    model : an online classifier; a fresh copy of it runs. X has two classes.
    X, y : the rows.
    steps : how many changes to try; each is a run over all rows.
    random_state : the seed of the changes.
    progress : called after each run with its number, of how many, and the most mistakes so far.

    Examples
    --------
    >>> from thresher import Perceptron
    >>> X, y = [[4, 1], [2, 2], [1, 3], [-3, 2], [-1, -1]], [1, 1, 1, 0, 0]
    >>> found = worst_order(Perceptron(), X, y)
    >>> found.given, found.mistakes, found.order.tolist(), found.proved
    (1, 2, [3, 4, 2, 1, 0], True)
    """
    if not isinstance(model, OnlineClassifier):
        raise InvalidInput(
            f"model is {model!r}; expected an online classifier, such as thresher.Perceptron()."
        )
    steps = whole("steps", steps, 0)
    options = model.get_params(deep=False)
    for name, value in (("average", False), ("shuffle", False), ("max_epochs", 1)):
        if name in options:
            options[name] = value
    search = OrderSearch(type(model)(**options), X, y, progress)
    size = search.run.size
    if size <= MOST_ROWS:
        search.total = math.factorial(size) + STARTS
    else:
        search.total = steps + STARTS
    given = search.mistakes_in(np.arange(size))
    worst_first = search.mistakes_in(search.greedy(barely=False))
    barely_wrong = search.mistakes_in(search.greedy(barely=True))
    if size <= MOST_ROWS:
        for order in itertools.permutations(range(size)):
            search.mistakes_in(np.array(order))
    else:
        search.climb(steps, generator_from(random_state))
    taught = search.fresh().partial_fit(search.run.X, search.run.y)
    return WorstOrder(
        search.best, search.most, given, worst_first, barely_wrong, search.tried, size <= MOST_ROWS,
        least_bound(audit(taught, search.run.X, search.run.y)),
    )  # fmt: skip


def least_bound(found: Audit) -> Row | None:
    """Of those that bound the mistakes: a mistake is an update, and has a loss of 1 or more."""
    rows = [row for row in found.applying if row.compared in ("mistakes", "updates", "Σ ℓ²")]
    return min(rows, key=lambda row: row.value, default=None)


class OrderSearch:
    """Orders that were tried, and the best of them."""

    def __init__(self, learner: Any, X: Any, y: Any, progress: Progress | None) -> None:
        self.run = Replay(learner, X, y, passes=1)
        self.learner, self.progress = learner, progress
        self.sign, self.labels = signs(self.run.y)
        self.best: Ints = np.arange(self.run.size)
        self.most = -1
        self.tried = self.total = 0

    def fresh(self) -> Any:
        return type(self.learner)(**self.learner.get_params(deep=False))

    def mistakes_in(self, order: Ints) -> int:
        """Run them; an order with at least as many mistakes as any before is kept."""
        learner = self.fresh()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner.partial_fit(self.run.X[order], self.run.y[order], classes=list(self.labels))
        mistakes = int(learner.mistakes_)
        if mistakes > self.most or (mistakes == self.most and self.tried >= STARTS):
            self.most, self.best = mistakes, order
        self.tried += 1
        if self.progress is not None:
            self.progress(self.tried, self.total, self.most)
        return mistakes

    def greedy(self, barely: bool) -> Ints:
        """Each time the row of those left with the least y·s; or the largest that is wrong."""
        learner, left = self.fresh(), list(range(self.run.size))
        order: list[int] = []
        while left:
            place = 0
            if order:
                scores = self.sign[left] * learner.decision_function(self.run.X[left])
                place = int(np.argmin(scores))
                if barely and scores[place] <= 0.0:
                    place = int(np.argmax(np.where(scores <= 0.0, scores, -np.inf)))
            order.append(left.pop(place))
            row = slice(order[-1], order[-1] + 1)
            learner.partial_fit(self.run.X[row], self.run.y[row], classes=list(self.labels))
        return np.array(order)

    def climb(self, steps: int, random: np.random.Generator) -> None:
        size = self.run.size
        for _ in range(steps):
            length = 1 if random.random() < 0.7 else int(random.integers(2, 2 + size // 4))
            begin = int(random.integers(size - length + 1))
            block = self.best[begin : begin + length]
            rest = np.concatenate([self.best[:begin], self.best[begin + length :]])
            place = int(random.integers(len(rest) + 1))
            self.mistakes_in(np.concatenate([rest[:place], block, rest[place:]]))
