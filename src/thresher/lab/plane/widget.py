"""The plane in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab.plane.catalog import entries
from thresher.lab.plane.catalog import learner as checked_learner
from thresher.lab.plane.trace import PlaneSetup
from thresher.lab.serving.widget import Widget
from thresher.learners.base.examples import read_rows
from thresher.learners.base.labels import column
from thresher.sparse import is_sparse


class PlaneWidget(Widget):
    """Points in the plane, learners side by side.

    Parameters
    ----------
    X, y : points of two features and their labels; by default a generated set.
    learners : learners, such as ``[Perceptron(), PassiveAggressive(C=0.1)]``.
    epochs, order, seed : how often and in which order the points come ("given", "shuffled",
        "worst").
    exact : compute with fractions, as on paper, by `thresher.reference`.

    Examples
    --------
    >>> from thresher import Perceptron
    >>> from thresher.lab import PlaneWidget
    >>> widget = PlaneWidget([[1, 2], [-1, 0]], [1, -1], learners=[Perceptron(margin=1.0)])
    >>> widget.state["panels"]
    [{'learner': 'perceptron', 'options': {'margin': 1.0}}]
    """

    _view_name_of_lab = "plane"

    def __init__(
        self,
        X: Any = None,
        y: Any = None,
        *,
        learners: Sequence[Any] | None = None,
        epochs: int = 2,
        order: str = "given",
        seed: int = 0,
        exact: bool = False,
    ) -> None:
        state: dict[str, Any] = {"epochs": epochs, "order": order, "seed": seed, "exact": exact}
        if X is not None:
            state["points"] = _points(X, y)
        if learners is not None:
            state["panels"] = [_panel(learner) for learner in learners]
        if {"points", "panels"} <= state.keys():
            PlaneSetup(state)  # refuses here what the page would refuse later
        super().__init__(state)


def _points(X: Any, y: Any) -> list[list[float]]:
    rows = read_rows(X)
    points = np.asarray(X.toarray() if is_sparse(X) else rows.core, np.float64)
    if points.shape[1] != 2:
        raise InvalidInput(f"X has {points.shape[1]} columns; expected 2: the plane has two.")
    if y is None:
        raise InvalidInput("y is None; expected a label for each row of X.")
    labels = column(y, rows.size, "PlaneWidget")
    kinds = np.unique(labels)
    if len(kinds) > 2:
        raise InvalidInput(f"y has {len(kinds)} labels; expected two.")
    positive = labels == kinds[-1] if len(kinds) == 2 else labels > 0
    signs = np.where(positive, 1, -1)
    return [[float(a), float(b), int(s)] for (a, b), s in zip(points, signs, strict=True)]


def _panel(learner: Any) -> dict[str, Any]:
    """A learner as the page names it: its options that are not the defaults."""
    for entry in entries().values():
        if entry.cls is type(learner):
            usual = entry.cls().get_params()
            options = {k: v for k, v in learner.get_params().items() if v != usual[k]}
            panel = {"learner": entry.short, "options": options}
            checked_learner("learners", panel)
            return panel
    known = ", ".join(entry.name for entry in entries().values())
    raise InvalidInput(f"{type(learner).__name__} has no panel; expected one of {known}.")
