"""What a run tells while it goes on: to a callback, which may send it anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


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


class Reporting:
    """Calls back at 1, 2, 4, 8 … examples, or at every N-th, and at the end."""

    def __init__(self, training: Any, tell: Callable[[Report], object], every: int = 0) -> None:
        self._training, self._tell, self._every = training, tell, every
        self._next = every or 1
        self._told = -1
        self._last = (0.0, 0.0)
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
        training = self._training
        score, held = training.progress.learned, training.progress.held_out
        weight, loss = score.weight - self._last[0], score.loss - self._last[1]
        self._last, self._told = (score.weight, score.loss), training.examples
        self._tell(
            Report(
                examples=training.examples,
                passes=training.at.number,
                loss=score.loss / score.weight if score.weight else None,
                recent=loss / weight if weight else None,
                held_out=held.loss / held.weight if held.weight else None,
                features=training.learner.known_features,
                seconds=time.monotonic() - self._began,
            )
        )
