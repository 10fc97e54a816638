"""The views of the lab in a notebook: the same page, the same answers, another host (anywidget).

The messages of a widget are answered as those of the page are, by a process that is ended when a
question takes too long. ``widget.state`` holds what is shown, and follows what is done with mouse
and keys.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Sequence
from typing import Any, ClassVar

from thresher.errors import InvalidInput
from thresher.lab.page import joined
from thresher.lab.worker import BUDGET, Worker

try:
    import anywidget
    import traitlets
except ImportError as error:  # pragma: no cover (said where it is missing)
    raise ImportError(
        f"widgets need the package {error.name}: pip install 'thresher[notebook]'."
    ) from None


class Widget(anywidget.AnyWidget):
    """A view of the lab."""

    _esm = joined()
    _view_name_of_lab: ClassVar[str] = "plane"
    view = traitlets.Unicode("plane").tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, state: dict[str, Any] | None = None, *, logs: str | None = None) -> None:
        super().__init__(view=self._view_name_of_lab, state=dict(state or {}))
        self._logs = None if logs is None else os.path.abspath(logs)
        _worker()  # gets ready while the page does
        self.on_msg(self._asked)

    def _asked(self, _: Any, message: Any, buffers: Any) -> None:
        if isinstance(message, dict) and "stop" in message:
            return  # it comes when what it would stop has been answered
        with _one_at_a_time:
            answer = _worker().answer(json.dumps(message), self._logs, BUDGET)
        self.send(json.loads(answer))


_one_at_a_time = threading.Lock()
_workers: dict[int, Worker] = {}  # by process: one that was forked has its own


def _worker() -> Worker:
    """The worker of all widgets of this process."""
    mine = _workers.get(os.getpid())
    if mine is None or not mine.is_alive():
        mine = _workers[os.getpid()] = Worker().start()
    return mine


@atexit.register
def _end() -> None:
    if mine := _workers.get(os.getpid()):
        mine.end()


class PlaneWidget(Widget):
    """Points in the plane, learners side by side.

    Parameters
    ----------
    X, y : points of two features and their labels; by default a generated set.
    learners : learners, such as ``[Perceptron(), PassiveAggressive(C=0.1)]``.
    epochs, order, seed : how often and in which order the points come ("given", "shuffled",
        "worst").

    Examples
    --------
    >>> from thresher import Perceptron
    >>> from thresher.lab import PlaneWidget
    >>> widget = PlaneWidget([[1, 2], [-1, 0]], [1, -1], learners=[Perceptron(margin=1.0)])
    >>> widget.state["panels"]
    [{'learner': 'perceptron', 'options': {'margin': 1.0}}]
    """

    def __init__(
        self,
        X: Any = None,
        y: Any = None,
        *,
        learners: Sequence[Any] | None = None,
        epochs: int = 2,
        order: str = "given",
        seed: int = 0,
    ) -> None:
        state: dict[str, Any] = {"epochs": epochs, "order": order, "seed": seed}
        if X is not None:
            state["points"] = _points(X, y)
        if learners is not None:
            state["panels"] = [_panel(learner) for learner in learners]
        if {"points", "panels"} <= state.keys():
            from thresher.lab.plane import State

            State(state)  # refuses here what the page would refuse later
        super().__init__(state)


class BooleanWidget(Widget):
    """Boolean concepts: Winnow, Elimination, Halving and others side by side.

    Parameters
    ----------
    target : a concept as text, such as "x2 | x5 | x9", "x1 & !x3" or "2 of x1 x3 x4".
    n : how many variables there are.
    examples, seed : how many examples are drawn, half of them positive, and from which seed.

    Examples
    --------
    >>> from thresher.lab import BooleanWidget
    >>> BooleanWidget("x1 & !x3", n=8).state["target"]
    'x1 & !x3'
    """

    _view_name_of_lab = "boolean"

    def __init__(
        self, target: str = "x2 | x5 | x9", *, n: int = 32, examples: int = 120, seed: int = 3
    ) -> None:
        from thresher.lab.boolean import State

        state = {"target": target, "n": n, "examples": examples, "draw": "half", "seed": seed}
        State({**state, "panels": []})  # refuses here what the page would refuse later
        super().__init__(state)


class AdversaryWidget(Widget):
    """A target that you change at a cost, against learners that follow it.

    Parameters
    ----------
    n : how many variables there are; the target is empty at first. Without it, the game of
        `thresher.theory.games.BuriedTarget`, played to its end.
    seed : of the rounds that are drawn.

    Examples
    --------
    >>> from thresher.lab import AdversaryWidget
    >>> AdversaryWidget(n=16).state["moves"]
    []
    """

    _view_name_of_lab = "adversary"

    def __init__(self, n: int | None = None, *, seed: int = 0) -> None:
        from thresher.lab.adversary import State

        state: dict[str, Any] = {"seed": seed}
        if n is not None:
            state |= {"n": n, "moves": []}
        State({"n": 2, "moves": [], **state})
        super().__init__(state)


class RunsWidget(Widget):
    """The logs that `thresher train --log` and `thresher race --log` write into a folder."""

    _view_name_of_lab = "runs"

    def __init__(self, logs: str = ".") -> None:
        super().__init__(logs=logs)


def _points(X: Any, y: Any) -> list[list[float]]:
    import numpy as np

    from thresher.learners.base.examples import read_rows
    from thresher.learners.base.labels import column

    rows = read_rows(X)
    points = np.asarray(X.toarray() if hasattr(X, "toarray") else rows.core, np.float64)
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
    from thresher.lab.catalog import entries
    from thresher.lab.catalog import learner as checked

    for entry in entries().values():
        if entry.cls is type(learner):
            usual = entry.cls().get_params()
            options = {k: v for k, v in learner.get_params().items() if v != usual[k]}
            panel = {"learner": entry.short, "options": options}
            checked("learners", panel)
            return panel
    known = ", ".join(entry.name for entry in entries().values())
    raise InvalidInput(f"{type(learner).__name__} has no panel; expected one of {known}.")
