"""thresher race --cluster: settings spread over workers."""

from __future__ import annotations

import math
import sys
import threading
import time
from contextlib import ExitStack
from typing import Any

from thresher.cli import clustered, options
from thresher.cli.race import figure
from thresher.cli.race_log import Moment, RaceLog


def race_on_cluster(
    learners: list[Any],
    data: tuple[str, ...],
    keep_all: bool,
    given: dict[str, Any],
    model: str | None,
) -> Any:
    """The result of the race; the winner is saved."""
    from thresher.cli.race import Finished
    from thresher.cluster.manifest import whole_files
    from thresher.cluster.racing import ClusterRace
    from thresher.cluster.tasks import loaded
    from thresher.data.reader import BadLines
    from thresher.training import Plan

    plan = Plan(1, given["shuffle_buffer"], given["seed"], given["holdout"],
                clustered.threads_of(given))  # fmt: skip
    lesson = clustered.lesson_of(given, "", (), plan)
    files = whole_files(data, lesson.reading)
    began = time.monotonic()
    live = not given["quiet"] and not given["as_json"] and sys.stderr.isatty()
    with ExitStack() as stack:
        engine = stack.enter_context(clustered.engine_of(given))
        race = ClusterRace(engine, files, lesson, learners, metric=options.metric_of(given),
                           keep_all=keep_all)  # fmt: skip
        watch = RaceWatch(race, live=live)
        if given["log"] or live:
            race.watch = watch.see
        if given["log"]:
            watch.log = stack.enter_context(watch.log_in(given["log"], model))
        stack.enter_context(watch)
        race.run()
        best = watch.best = loaded(race.best)
    if model:
        best.save(model)
    bad = BadLines(given["on_bad_line"])
    bad.count, bad.first = race.bad_lines, race.first_bad
    return Finished(race.decided, race.examples, race.task == "regress",
                    time.monotonic() - began, bad, False, best, race.doubt)  # fmt: skip


class RaceWatch:
    """Told how far all groups of a race are: a line on the terminal, a log for the lab."""

    def __init__(self, race: Any, *, live: bool) -> None:
        self.race = race
        self.best: Any = None  # once the race is over
        self.log: RaceLog | None = None
        self._lock = threading.Lock()
        self._scores = [(0.0, 0.0, True)] * len(race.names)
        self._examples = 0
        self._status: Any = None
        if live:
            from rich.console import Console

            self._status = Console(stderr=True, highlight=False).status("the race begins")

    def __enter__(self) -> RaceWatch:
        if self._status is not None:
            self._status.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._status is not None:
            self._status.__exit__(*error)

    def see(self, examples: int, scores: dict[int, tuple[float, float]]) -> None:
        with self._lock:
            self._examples = examples
            self._scores = [
                (*scores.get(i, last[:2]), i in scores) for i, last in enumerate(self._scores)
            ]
            if self._status is not None:
                i = self._leader()
                weight, loss, _ = self._scores[i]
                error = figure(loss / weight if weight else math.nan, self.race.task == "regress")
                self._status.update(f"{examples:,} examples; {self.race.names[i]} leads: {error}")
            if self.log is not None and not self.log.ended:
                self.log.look_at_race()

    def log_in(self, folder: str, model: str | None) -> RaceLog:
        files = [str(file) for file in self.race.heat.files]
        total = sum(file.size for file in self.race.heat.files)
        return RaceLog(folder, self.race.names, files, model, total,
                       regress=self.race.task == "regress", moment=self._moment,
                       standings=lambda: self.race.decided,
                       best=lambda: self.best)  # fmt: skip

    def _leader(self) -> int:
        """While a heat runs, the one with the least error; who leads is decided after it."""
        if self.best is not None:
            return int(self.race.leader)
        errors = [loss / weight if runs and weight else math.inf
                  for weight, loss, runs in self._scores]  # fmt: skip
        return errors.index(min(errors))

    def _moment(self) -> Moment:
        return Moment(self._examples, None, None, self._leader(), self._scores)
