"""A run repeated from the start, to be observed while it learns."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput, ThresherError
from thresher.learners.base.examples import read_rows
from thresher.learners.base.labels import column
from thresher.learners.base.online import Online, generator_from
from thresher.options import whole
from thresher.sparse import is_sparse

Ints = npt.NDArray[np.int64]
MOST_MOMENTS = 400  # a plot cannot show more


def moments(total: int, most: int = MOST_MOMENTS) -> Ints:
    """When to observe: after each example, or densely enough for a linear and a log axis."""
    if total <= most:
        return np.arange(1, total + 1)
    even, early = np.linspace(1, total, most // 2), np.geomspace(1, total, most // 2)
    return np.unique(np.concatenate([even, early]).round().astype(np.int64))


class Replay:
    """A fresh copy of a learner and the rows that it is about to learn, in their order.

    `passes` over the rows are those that ``fit`` of the model made, or one; with ``shuffle=True``
    the rows come in the order of its seed. So a model that was fitted to X and y, and to nothing
    else, ends as it did.
    """

    def __init__(self, model: Any, X: Any, y: Any, passes: int | None = None) -> None:
        if not hasattr(model, "partial_fit"):
            raise InvalidInput(
                f"{type(model).__name__} does not learn row by row, so there is no run to replay; "
                "expected a learner with partial_fit, such as thresher.Perceptron()."
            )
        rows = read_rows(X)
        self.X = X.tocsr() if is_sparse(X) else rows.core
        self.y = column(y, rows.size, type(model).__name__)
        self.size = rows.size
        self.columns = rows.columns
        if passes is None:
            passes = max(1, getattr(model, "epochs_", 1))
        self.passes = whole("passes", passes, 1)
        self.total = self.size * self.passes
        options = model.get_params(deep=False)
        if "random_state" in options:  # a user's generator must not be advanced
            options["random_state"] = copy.deepcopy(options["random_state"])
        self.learner: Any = type(model)(**options)

    def at(self, times: Iterable[int]) -> Iterator[int]:
        """Learn, and stop after each of the given numbers of examples, which ascend.

        After 0 examples an online learner shows its initial weights.
        """
        announced = self._announced()
        online = isinstance(self.learner, Online)
        done, X, y, order = 0, self.X, self.y, None
        shuffled = _order_of(self.learner)
        for time in times:
            if time == 0 and online:  # weight 0: not learned
                self.learner.partial_fit(X[:1], y[:1], **announced, sample_weight=[0.0])
                announced.clear()
            while done < time:
                place = done % self.size
                if place == 0 and shuffled is not None:
                    order = shuffled.permutation(self.size)
                    X, y = self.X[order], self.y[order]
                end = min(self.size, place + time - done)
                try:
                    self.learner.partial_fit(X[place:end], y[place:end], **announced)
                except ThresherError as error:
                    if error.where.row is not None:
                        row = place + error.where.row
                        error.where.row = row if order is None else int(order[row])
                    raise
                announced.clear()
                done += end - place
            yield int(time)

    def order(self) -> Iterator[int]:
        """The rows as they come, pass after pass: to be learned one by one, by `learn`."""
        shuffled = _order_of(self.learner)
        for _ in range(self.passes):
            rows = np.arange(self.size) if shuffled is None else shuffled.permutation(self.size)
            yield from rows.tolist()

    def learn(self, row: int) -> None:
        """Learn one row."""
        new = not self.learner.__sklearn_is_fitted__()
        announced = self._announced() if new else {}
        self.learner.partial_fit(self.X[row : row + 1], self.y[row : row + 1], **announced)

    def _announced(self) -> dict[str, Any]:
        """The labels that will come, for the first rows, if the learner takes them."""
        if "classes" in inspect.signature(self.learner.partial_fit).parameters:
            with contextlib.suppress(TypeError):  # labels of mixed type: the learner will say so
                return {"classes": np.unique(self.y).tolist()}
        return {}


def _order_of(learner: Any) -> np.random.Generator | None:
    """What shuffles the rows in ``fit``."""
    if not (isinstance(learner, Online) and getattr(learner, "shuffle", False)):
        return None
    return generator_from(learner.random_state)
