"""thresher race --cluster: settings spread over workers."""

from __future__ import annotations

import time
from typing import Any

import click

from thresher.cli import clustered, options


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

    if given["log"]:
        raise click.UsageError(
            "--log is not for a race on a cluster: its table is known only after each heat."
        )
    plan = Plan(1, given["shuffle_buffer"], given["seed"], given["holdout"], given["threads"])
    lesson = clustered.lesson_of(given, "", (), plan)
    files = whole_files(data, lesson.reading)
    began = time.monotonic()
    with clustered.engine_of(given) as engine:
        race = ClusterRace(engine, files, lesson, learners, metric=options.metric_of(given),
                           keep_all=keep_all)  # fmt: skip
        race.run()
    best = loaded(race.best)
    if model:
        best.save(model)
    bad = BadLines(given["on_bad_line"])
    bad.count, bad.first = race.bad_lines, race.first_bad
    return Finished(race.standings(), race.examples, race.task == "regress",
                    time.monotonic() - began, bad, False, best, race.doubt)  # fmt: skip
