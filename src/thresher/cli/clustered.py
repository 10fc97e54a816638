"""--cluster: the same commands on several machines."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from thresher.cli import options
from thresher.cli.report import counted, say
from thresher.cli.stopping import stopping
from thresher.errors import ClusterError, InvalidInput

F = TypeVar("F", bound=Callable[..., Any])

where = (
    click.option("--cluster", metavar="ADDRESS", help="Run on a cluster: local[:N], "
                 "tcp://HOST:PORT, tls://HOST:PORT or file:scheduler.json (Dask), "
                 "spark://HOST:PORT."),
    click.option("--insecure-cluster", is_flag=True, help="Allow tcp:// beyond this machine: "
                 "anyone who reaches the port can run code."),
)  # fmt: skip
whole_files = options.together(*where)
shared = options.together(
    *where,
    click.option("--shards", type=click.IntRange(1, 100_000), metavar="N", help="On a cluster: cut "
                 "large files into about N parts. By default each file is one part for train and "
                 "audit; predict and evaluate cut as many as keep the workers busy."),
)  # fmt: skip
ONLY = ("shards", "insecure_cluster", "scratch", "mix")


def refuse_without_cluster(given: dict[str, Any]) -> None:
    for name in ONLY if not given["cluster"] else ():
        if given.get(name):
            raise click.UsageError(f"--{name.replace('_', '-')} is for --cluster.")


def lesson_of(given: dict[str, Any], learner: str, settings: tuple[str, ...], plan: Any) -> Any:
    from thresher.cluster.tasks import Lesson, versions
    from thresher.data.reading import ReadingOptions

    if given["quarantine"] or given["on_bad_line"] == "quarantine":
        raise click.UsageError(
            "--quarantine writes one file, and on a cluster bad lines are found on several "
            "machines; expected --on-bad-line skip or error."
        )
    if "text" in given:
        reading = options.reading_of(given)
        if reading.missing == "mean" and not reading.means:
            raise click.UsageError(
                "--missing mean is not for --cluster; there are zero and indicator."
            )
    else:
        known = {name: given[name] for name in options.INPUT}
        reading = ReadingOptions(**known)
    return Lesson(learner, settings, reading, plan, given["on_bad_line"], versions())


@contextmanager
def engine_of(given: dict[str, Any]) -> Any:
    from thresher.cluster.engine import connected

    stop = threading.Event()
    with (
        stopping(stop.set),
        connected(given["cluster"], insecure=given["insecure_cluster"], stop=stop) as engine,
    ):
        yield engine


def threads_of(given: dict[str, Any]) -> int | None:
    """That parse, in each worker: those of this machine share its processors."""
    from thresher.cluster.engine import workers_here

    workers = workers_here(given["cluster"])
    if given["threads"] or workers is None:
        threads: int | None = given["threads"]
        return threads
    return max(1, len(os.sched_getaffinity(0)) // workers)


def of_resumed(learner: Any, path: str, asked: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The learner and the settings of the run that made a model, as they were named."""
    run = learner.provenance_.get("cluster")
    if not isinstance(run, dict):
        raise InvalidInput(
            f"{path}: this model is not of a run on a cluster; expected one that `train --cluster` "
            "has saved. Go on without --cluster, or start over without --resume."
        )
    settings = tuple(map(str, run["settings"]))
    if not set(asked) <= set(settings):
        raise click.UsageError(
            f"{path} is of a run with {' '.join(settings) or 'the usual settings'}; found "
            f"{' '.join(asked)}. Leave the settings out, or start over."
        )
    return str(run["learner"]), settings


def say_bad(count: int, first: list[str]) -> int:
    if not count:
        return 0
    say(f"{counted(count, 'bad line')} left out; the first of them:")
    for message in first[:10]:
        say(message)
    return 3


# ------------------------------------------------------------------ predict, evaluate


def predict_shard(
    lesson: Any, shard: Any, scores: bool, proba: bool, as_json: bool, model: bytes
) -> Any:
    """The lines that `thresher predict` writes for a shard."""
    from thresher.cli.predict import PredictionTable
    from thresher.cluster.tasks import asked

    def lines(learner: Any, reader: Any) -> bytes:
        table = PredictionTable(learner, scores=scores, proba=proba)
        write = table.json_lines if as_json else table.csv_lines
        text = "".join(write(batch) for batch in reader if len(batch))
        return text.encode("utf-8", "backslashreplace")

    return asked(lesson, shard, model, lines, "optional")


def in_order(found: Any, shards: int) -> Any:
    """Answers as they come, handed on in the order of the shards."""
    waiting: dict[int, Any] = {}
    following = 0
    for i, answer in found:
        if answer.error is not None:
            raise ClusterError(answer.error)
        waiting[i] = answer
        while following in waiting:
            yield waiting.pop(following)
            following += 1
    assert following == shards


def ask_on_cluster(
    data: tuple[str, ...], path: str, learner: Any, given: dict[str, Any], task: Any, *more: Any
) -> Any:
    """The answers of a task for all shards, in their order, by a learner that is in a file."""
    from dataclasses import replace

    from thresher.cluster.manifest import shards_of
    from thresher.training import Plan

    with open(path, "rb") as file:
        model = file.read()
    lesson = lesson_of(given, "", (), Plan(threads=threads_of(given)))
    with engine_of(given) as engine:
        wanted = given["shards"] or 4 * engine.workers
        made = lesson.reading.as_model(learner.reading_, learner.provenance_)
        reading = replace(made, needs=learner.needs())
        shards = shards_of(data, reading, wanted, most=100_000)
        tasks = [(lesson, shard, *more) for shard in shards]
        yield from in_order(engine.run(task, tasks, model), len(shards))


def predict_on_cluster(data: tuple[str, ...], path: str, output: str, given: dict[str, Any]) -> int:
    from thresher.cli.predict import PredictionTable, opened
    from thresher.model_file import load_for_files

    learner = load_for_files(path)
    table = PredictionTable(learner, scores=given["scores"], proba=given["proba"])
    bad = 0
    first: list[str] = []
    with opened(output) as out:
        head = "" if given["as_json"] else table.header()
        how = (given["scores"], given["proba"], given["as_json"])
        for answer in ask_on_cluster(data, path, learner, given, predict_shard, *how):
            out.write(head + answer.content.decode())
            head = ""
            bad, first = bad + answer.bad_lines, first + answer.first_bad
        out.write(head)  # even without any predictions
    return say_bad(bad, first)


def evaluate_on_cluster(
    data: tuple[str, ...], path: str, learner: Any, given: dict[str, Any], metrics: Any
) -> tuple[int, list[str]]:
    """The metrics count what the shards have answered, as if it had been answered here."""
    from thresher.cluster.tasks import answers_of_shard
    from thresher.evaluate.blocks import InBlocks

    bad = 0
    first: list[str] = []
    blocks = InBlocks(metrics)
    for answer in ask_on_cluster(data, path, learner, given, answers_of_shard):
        for call in answer.content:
            blocks.add(*call)
        bad, first = bad + answer.bad_lines, first + answer.first_bad
    blocks.finish()
    return bad, first
