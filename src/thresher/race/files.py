"""A race over files: a training run whose learner is a field of learners."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from thresher.race.field import RaceField

if TYPE_CHECKING:
    from thresher.data.reader import BadLines
    from thresher.data.reading import ReadingOptions
    from thresher.learners.standing import Standing
    from thresher.training import Plan, Training

END = object()


class FileRace:
    """A race over files. Iterate over it: it yields regularly, and may be left at any time."""

    def __init__(
        self,
        field: RaceField,
        paths: Iterable[str | os.PathLike[str]],
        reading: ReadingOptions,
        plan: Plan,
        bad: BadLines,
    ) -> None:
        from thresher.training import Training

        self.field = field
        field.begin_reading(reading)
        self.bad = bad
        self.seconds = 0.0
        self._began = time.monotonic()
        self.training: Training = Training(self.field, paths, reading=reading, plan=plan, bad=bad)

    def __iter__(self) -> Iterator[None]:
        run = iter(self.training)
        stop = 1024  # looks at who is worse are among its doublings
        while True:
            while stop <= self.field.examples:
                stop *= 2
            self.training.stop_at = stop
            if next(run, END) is END:
                return
            yield

    def standings(self) -> list[Standing]:
        return self.field.standings()

    @property
    def best(self) -> Any:
        """The learner that leads. It shares its names with the others while these run."""
        return self.field.leader.learner

    def check_learned(self) -> None:
        """A race in which nothing was learned has no winner."""
        if self.training.nothing_learned:
            self.training.progress = self.field.leader.progress
            raise self.training.why_nothing_learned()

    def close(self) -> None:
        """End the race where it is: the runners keep what they have learned."""
        self.training.close()
        self.seconds = time.monotonic() - self._began
        for runner in self.field.running:
            self.training.progress = runner.progress
            runner.learner.provenance_ = copy.deepcopy(self.training.provenance())
            runner.learner.epochs_ = self.training.at.number

    def __enter__(self) -> FileRace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
