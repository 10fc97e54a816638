"""The log of a race: the error of each runner over time, and the standings."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from thresher.cli.progress import finite, memory
from thresher.cli.race import as_plain
from thresher.cli.run_log import RunLog, about_run, described, stem

if TYPE_CHECKING:
    from thresher.race import FileRace


class RaceLog(RunLog):
    """Like that of one learner; its weights are those of the leader."""

    def __init__(self, race: FileRace, folder: str, model: str | None) -> None:
        self._race = race
        self._next = 1
        training = race.training
        self._runners = list(race.field.runners)
        self._measure = "squared_error" if race.field.regress else "error"
        self._before = [(0.0, 0.0)] * len(self._runners)  # weight and loss at the last line
        self._started = time.monotonic()
        about = about_run(
            "race", stem(model or training.at.files[0]), f"race of {len(self._runners)}",
            described(training.at.files), settings="", model=model,
            total_bytes=training.reader.size, runners=[runner.name for runner in self._runners],
        )  # fmt: skip
        super().__init__(folder, about, self._now, lambda: race.best)

    def look_at_race(self) -> None:
        """After each piece; milestones are doublings here as well."""
        examples = self._race.field.examples
        self.look(examples >= self._next)
        while self._next <= examples:
            self._next *= 2

    def _now(self) -> dict[str, Any]:
        """The leader's figures as those of the run, and the error of each learner still running."""
        field, training = self._race.field, self._race.training
        leader = self._runners.index(field.leader)
        errors: list[float | None] = []
        recent: list[float | None] = []
        for i, runner in enumerate(self._runners):
            weight, loss = runner.score.weight, runner.score.loss
            more = weight - self._before[i][0]
            recent.append(finite((loss - self._before[i][1]) / more) if more else None)
            errors.append(finite(runner.error) if more or runner.dropped_at is None else None)
            self._before[i] = (weight, loss)
        return {
            "examples": field.examples,
            "seconds": round(time.monotonic() - self._started, 3),
            "bytes_read": training.reader.bytes_read,
            "pass": 1,
            self._measure: errors[leader],
            "recent": recent[leader],
            "held_out_" + self._measure: None,
            "features": len(field.lexicon),
            "memory_bytes": memory(),
            "leader": leader,
            "errors": errors,
        }

    def _write_weights(self) -> None:
        super()._write_weights()
        standings = [as_plain(row) for row in self._race.standings() if not row.baseline]
        self._file.write(
            {
                "event": "standings",
                "time": time.time(),
                "examples": self._race.field.examples,
                "standings": standings,
            }
        )
