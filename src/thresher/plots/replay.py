"""What a fresh copy of a learner predicts for each row before it learns it."""

from __future__ import annotations

from typing import Any

from thresher.learners.base.examples import read_rows
from thresher.learners.base.online import Online, Progress
from thresher.theory.replay import Replay

Point = tuple[int, float, float | None, float | None]
"""Examples, error so far, error since the previous point, error held out."""


def kind_of(model: Any) -> str:
    """What is counted as the loss of a model, which may be scikit-learn's."""
    kind = getattr(model, "_estimator_type", None)
    if kind is None and hasattr(model, "__sklearn_tags__"):
        kind = model.__sklearn_tags__().estimator_type
    return "squared error" if kind == "regressor" else "error"


def points_of(model: Any, X: Any, y: Any) -> list[Point]:
    """One pass over the rows: the losses of a fresh copy of the model before it learned each."""
    run = Replay(model, X, y, 1)
    times = [2**k for k in range(run.total.bit_length()) if 2**k < run.total] + [run.total]
    losses = _native(run, times) if isinstance(model, Online) else _by_rows(run, times)
    points: list[Point] = []
    for time, loss in zip(times, losses, strict=True):
        before, past = (points[-1][0], points[-1][1] * points[-1][0]) if points else (0, 0.0)
        points.append((time, loss / time, (loss - past) / (time - before), None))
    return points


def _native(run: Replay, times: list[int]) -> list[float]:
    """The losses up to each time, counted in the core."""
    learner, progress, losses, begin = run.learner, Progress(), [], 0
    learn = learner.begin_rows(read_rows(run.X), run.y)
    for end in times:
        learn(begin, end, progress)
        losses.append(progress.learned.loss)
        begin = end
    return losses


def _by_rows(run: Replay, times: list[int]) -> list[float]:
    """The same for a learner of another library; a missing prediction is a mistake."""
    losses, total = [], 0.0
    steps = run.at(range(1, run.total + 1))
    for i, truth in enumerate(run.y):
        said: Any = None
        if i:
            said = run.learner.predict(run.X[i : i + 1])[0]
        if kind_of(run.learner) == "error":
            total += float(said != truth)
        else:
            total += (float(said or 0.0) - float(truth)) ** 2
        losses.append(total)
        next(steps)
    return [losses[time - 1] for time in times]
