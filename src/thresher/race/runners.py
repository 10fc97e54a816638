"""The runners of a race: fresh copies of learners, each with its name and its score."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher._core import Progress
from thresher.errors import InvalidInput
from thresher.learners.base.learner import Learner
from thresher.learners.base.online import Online
from thresher.learners.criteria import Metric, criterion, of_numbers
from thresher.learners.portfolio import name_of
from thresher.learners.portfolio import portfolio as settings
from thresher.learners.standing import Standing, standing

if TYPE_CHECKING:
    from thresher._core import Score


@dataclass
class Runner:
    """A learner in the race."""

    name: str
    learner: Any  # Racing; None once it was dropped
    progress: Progress = field(default_factory=Progress)
    shares_names: bool = False  # with the other runners: to be copied before it learns on its own
    seconds: float = 0.0
    last: float = 0.0  # seconds for its last piece
    dropped_at: int | None = None
    failure: Exception | None = None
    reason: str | None = None
    spread: float = 0.0  # the standard error of its error, once it was dropped

    def figure(self, metric: Metric, distance: float) -> float:
        """By which it is compared, where that is not the error; else NaN. `distance` is the mean
        absolute error of numbers."""
        if metric == "error" or self.learner is None:
            return math.nan
        if self.learner.task == "regress":
            return of_numbers(metric, self.error, distance)
        return criterion(metric, self.progress.figures, self.learner._labels.codes)

    def standing(self, found: dict[str, Any], metric: Metric, distance: float) -> Standing:
        """Its line of the table; `found` is what the core says of one that is running."""
        if self.dropped_at is not None:
            found = {"error": self.error, "recent": None, "standard_error": self.spread}
        return standing(
            self.name,
            found,
            self.score.examples,
            dropped_at=self.dropped_at,
            reason=self.reason,
            failed=self.failure is not None,
            rate=self.progress.learned.examples / self.seconds if self.seconds else 0.0,
            figure=self.figure(metric, distance),
        )

    @property
    def score(self) -> Score:
        return self.progress.held_out if self.progress.hold_out_every else self.progress.learned

    @property
    def error(self) -> float:
        return self.score.loss / self.score.weight if self.score.weight > 0 else math.nan

    @property
    def met(self) -> int:
        """Examples of the stream that it has passed."""
        progress = self.progress
        return progress.learned.examples + progress.held_out.examples + progress.unlabelled

    def own(self) -> Any:
        """The learner, free to continue without the others."""
        if self.shares_names:
            self.learner = copy.copy(self.learner)
            self.shares_names = False
        return self.learner


def portfolio(task: str) -> list[Learner]:
    """Those of ``--learners auto``: of `Experts`, without what is only for data of some kind."""
    return [found.learner for found in settings(task) if not found.dense]


def runners_of(learners: Iterable[Learner] | Mapping[str, Learner]) -> list[Runner]:
    """Fresh copies of the learners, checked."""
    if isinstance(learners, Mapping):
        named = list(learners.items())
    else:
        learners = list(learners)
        for learner in learners:
            _check_online(learner)
        named = [(name_of(learner), learner) for learner in learners]
    if not named:
        raise InvalidInput("a race needs learners; found none.")
    tasks: dict[str, str] = {}
    for name, learner in named:
        _check_online(learner)
        if [other for other, _ in named].count(name) > 1:
            raise InvalidInput(f"{name} runs twice; expected each learner once.")
        tasks.setdefault(learner.task, name)
    if len(tasks) > 1:
        raise InvalidInput(
            f"{tasks['classify']} predicts labels, {tasks['regress']} numbers; expected learners "
            "of one kind in a race."
        )
    return [Runner(name, learner.fresh()) for name, learner in named]


def _check_online(learner: Any) -> None:
    if not isinstance(learner, Online):
        raise InvalidInput(
            f"{learner!r} cannot race; expected online learners, such as thresher.Perceptron()."
        )
