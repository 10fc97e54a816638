"""The log of a race: the error of each runner over time, and the standings."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from thresher.cli.progress import finite, memory
from thresher.cli.race import as_plain
from thresher.cli.run_log import RunLog, about_run, described, stem

if TYPE_CHECKING:
    from thresher.learners.standing import Standing
    from thresher.race import FileRace


class Moment(NamedTuple):
    """How far a race is."""

    examples: int
    bytes_read: int | None
    features: int | None
    leader: int
    scores: Sequence[tuple[float, float, bool]]
    """Weight and loss of each runner, and whether it is still in the race."""


class RaceLog(RunLog):
    """Like that of one learner; figures and weights are those of the leader."""

    def __init__(
        self,
        folder: str,
        names: list[str],
        files: Sequence[str],
        model: str | None,
        total_bytes: int | None,
        *,
        regress: bool,
        moment: Callable[[], Moment],
        standings: Callable[[], list[Standing]],
        best: Callable[[], Any],
    ) -> None:
        self._moment, self._standings = moment, standings
        self._measure = "squared_error" if regress else "error"
        self._next = 1
        self._before = [(0.0, 0.0)] * len(names)  # weight and loss at the last line
        self._started = time.monotonic()
        about = about_run(
            "race", stem(model or files[0]), f"race of {len(names)}", described(files),
            settings="", model=model, total_bytes=total_bytes, runners=names,
        )  # fmt: skip
        super().__init__(folder, about, self._now, best)

    def look_at_race(self) -> None:
        """After each piece; milestones are doublings here as well."""
        examples = self._moment().examples
        self.look(examples >= self._next)
        while self._next <= examples:
            self._next *= 2

    def _now(self) -> dict[str, Any]:
        """The leader's figures as those of the run, and the error of each learner still running."""
        now = self._moment()
        errors: list[float | None] = []
        recent: list[float | None] = []
        for i, (weight, loss, runs) in enumerate(now.scores):
            more = weight - self._before[i][0]
            recent.append(finite((loss - self._before[i][1]) / more) if more else None)
            errors.append(finite(loss / weight) if weight and (more or runs) else None)
            self._before[i] = (weight, loss)
        return {
            "examples": now.examples,
            "seconds": round(time.monotonic() - self._started, 3),
            "bytes_read": now.bytes_read,
            "pass": 1,
            self._measure: errors[now.leader],
            "recent": recent[now.leader],
            "held_out_" + self._measure: None,
            "features": now.features,
            "memory_bytes": memory(),
            "leader": now.leader,
            "errors": errors,
        }

    def _write_weights(self) -> None:
        super()._write_weights()
        self._file.write(
            {
                "event": "standings",
                "time": time.time(),
                "examples": self._moment().examples,
                "standings": [as_plain(row) for row in self._standings() if not row.baseline],
            }
        )


def log_of_race(race: FileRace, folder: str, model: str | None) -> RaceLog:
    """Of a race in this process."""
    field, training = race.field, race.training
    runners = list(field.runners)

    def moment() -> Moment:
        scores = [(r.score.weight, r.score.loss, r.dropped_at is None) for r in runners]
        return Moment(field.examples, training.reader.bytes_read, len(field.lexicon),
                      runners.index(field.leader), scores)  # fmt: skip

    return RaceLog(folder, [runner.name for runner in runners], training.at.files, model,
                   training.reader.size, regress=field.regress, moment=moment,
                   standings=race.standings, best=lambda: race.best)  # fmt: skip
