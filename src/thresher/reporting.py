"""What a run tells while it goes on: to a callback, which may send it anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher._core import Progress


@dataclass(frozen=True)
class Report:
    """How far a run is. A loss is the error of a classifier, the squared error of a regressor,
    each of predictions that were made before the example was learned."""

    examples: int
    """So far, in all passes."""
    passes: int
    """That are done."""
    loss: float | None
    """The mean of all examples so far."""
    recent: float | None
    """The mean of those since the last report."""
    held_out: float | None
    """The mean of those held out."""
    features: int
    seconds: float


class MeanLoss:
    """Mean losses of a run: of all that was learned, of the last part of it, of what was held out.

    None where there is nothing to take the mean of.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.mark()

    def mark(self) -> None:
        """The last part begins here."""
        learned = self._progress.learned
        self._weight, self._loss = learned.weight, learned.loss

    @property
    def all(self) -> float | None:
        learned = self._progress.learned
        return learned.loss / learned.weight if learned.weight else None

    @property
    def recent(self) -> float | None:
        learned = self._progress.learned
        weight = learned.weight - self._weight
        return (learned.loss - self._loss) / weight if weight else None

    @property
    def held_out(self) -> float | None:
        held = self._progress.held_out
        return held.loss / held.weight if held.weight else None


class Reporting:
    """Calls back at 1, 2, 4, 8 … examples, or at every N-th, and at the end."""

    def __init__(self, training: Any, tell: Callable[[Report], object], every: int = 0) -> None:
        self._training, self._tell, self._every = training, tell, every
        self._next = every or 1
        self._told = -1
        self._loss = MeanLoss(training.progress)
        self._began = time.monotonic()
        training.stop_at = self._next

    def look(self) -> None:
        """Called whenever something was learned."""
        while self._training.examples >= self._next:
            if self._training.examples == self._next or self._every == 0:
                self._report()
            self._next = self._next + self._every if self._every else 2 * self._next
        self._training.stop_at = self._next

    def end(self) -> None:
        if self._training.examples != self._told:
            self._report()

    def _report(self) -> None:
        training, loss = self._training, self._loss
        report = Report(
            examples=training.examples,
            passes=training.at.number,
            loss=loss.all,
            recent=loss.recent,
            held_out=loss.held_out,
            features=training.learner.known_features,
            seconds=time.monotonic() - self._began,
        )
        loss.mark()
        self._told = training.examples
        self._tell(report)
