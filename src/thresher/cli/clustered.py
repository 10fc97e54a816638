"""--cluster: the same commands on several machines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from thresher.cli import options
from thresher.cli.report import counted, put, put_json, say
from thresher.errors import ClusterError

F = TypeVar("F", bound=Callable[..., Any])

shared = options.together(
    click.option("--cluster", metavar="ADDRESS", help="Run on a cluster: local[:N], "
                 "tcp://HOST:PORT, tls://HOST:PORT or file:scheduler.json (Dask), "
                 "spark://HOST:PORT."),
    click.option("--shards", type=click.IntRange(1, 100_000), metavar="N", help="On a cluster: cut "
                 "large files into about N parts; by default a file is one."),
    click.option("--insecure-cluster", is_flag=True, help="Allow tcp:// beyond this machine: "
                 "anyone who reaches the port can run code."),
)  # fmt: skip
ONLY = ("shards", "insecure_cluster", "scratch", "mix")


def refuse_without_cluster(given: dict[str, Any]) -> None:
    for name in ONLY:
        if given.get(name):
            raise click.UsageError(f"--{name.replace('_', '-')} is for --cluster.")


def _lesson(given: dict[str, Any], learner: str, settings: tuple[str, ...], plan: Any) -> Any:
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
def _engine(given: dict[str, Any]) -> Any:
    from thresher.cluster.engine import connected

    with connected(given["cluster"], insecure=given["insecure_cluster"]) as engine:
        yield engine


# ------------------------------------------------------------------ train

NOT_ON_CLUSTER = ("shuffle_buffer", "holdout", "delay", "on_drift", "audit", "save_every",
                  "save_every_seconds", "log")  # fmt: skip


def train_on_cluster(data: tuple[str, ...], path: str, given: dict[str, Any], passes: int) -> int:
    from thresher.cli.train import settings_of
    from thresher.cluster.manifest import MOST_SHARDS, shards_of
    from thresher.cluster.training import FEW_EXAMPLES, ClusterTraining
    from thresher.model_file import load_for_files
    from thresher.training import Plan

    for name in NOT_ON_CLUSTER:
        if given[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} is not for --cluster.")
    plan = Plan(passes, threads=given["threads"])
    lesson = _lesson(given, given["learner"] or "", settings_of(given), plan)
    shards = shards_of(data, lesson.reading, given["shards"], given["shards"] or MOST_SHARDS)
    began = time.monotonic()
    resumed = load_for_files(given["resume"]) if given["resume"] else None
    with _engine(given) as engine, _Table(shards, given["quiet"]) as table:
        run = ClusterTraining(engine, shards, lesson, how=given["mix"] or "occurrence",
                              scratch=given["scratch"], watch=table.show)  # fmt: skip
        learner = run.run(lambda made: made.save(path), resumed)
    if run.last is None:
        say(f"{path}: this run is complete. Give more --passes to go on.")
        return 0
    first = [answer.first_bad for answer in run.last.answers.values() if answer.first_bad]
    facts = {
        "model": path, "learner": type(learner).__name__, "shards": len(shards),
        "workers": engine.workers, "mix": run.how, "examples": learner.examples_,
        "passes": run.history, "seconds": time.monotonic() - began,
    }  # fmt: skip
    if given["as_json"]:
        put_json(facts)
    elif not given["quiet"]:
        for found in run.history:
            loss = "" if found["loss"] is None else f", progressive loss {found['loss']:.4f}"
            put(f"pass {found['pass']}: {counted(found['examples'], 'example')}{loss}")
        put(f"{path}: {type(learner).__name__}, {counted(len(shards), 'shard')}, "
            f"{counted(engine.workers, 'worker')}, {facts['seconds']:.1f} s")  # fmt: skip
    small = [a.examples for a in run.last.answers.values() if a.examples < FEW_EXAMPLES]
    if small and len(shards) > 1 and not given["quiet"]:
        say(f"{counted(len(small), 'shard')} with fewer than {FEW_EXAMPLES:,} examples (the "
            f"smallest has {min(small):,}): one machine would learn more from them.")  # fmt: skip
    bad = run.history[-1]["bad_lines"]
    return _say_bad(bad, [line for lines in first for line in lines])


def _say_bad(count: int, first: list[str]) -> int:
    if not count:
        return 0
    say(f"{counted(count, 'bad line')} left out; the first of them:")
    for message in first[:10]:
        say(message)
    return 3


class _Table:
    """How far each shard is, where somebody watches."""

    def __init__(self, shards: list[Any], quiet: bool) -> None:
        self._shards = shards
        self._live: Any = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=4)

    def __enter__(self) -> _Table:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._live is not None:
            self._live.__exit__(*error)

    def show(self, found: Any) -> None:
        if self._live is None:
            return
        from rich.table import Table

        done = len(found.answers)
        table = Table(title=f"pass {found.number}: {done} of {len(self._shards)} shards done")
        for name in ("shard", "examples", "error", "worker"):
            table.add_column(name)
        for i in sorted(found.answers)[-20:]:
            answer = found.answers[i]
            error = f"{answer.loss / answer.weight:.4f}" if answer.weight else ""
            table.add_row(str(self._shards[i]), f"{answer.examples:,}", error, answer.worker)
        self._live.update(table)


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
    data: tuple[str, ...], path: str, given: dict[str, Any], task: Any, *more: Any
) -> Any:
    """The answers of a task for all shards, in their order."""
    from thresher.cluster.manifest import shards_of
    from thresher.training import Plan

    with open(path, "rb") as file:
        model = file.read()
    lesson = _lesson(given, "", (), Plan(threads=given["threads"]))
    with _engine(given) as engine:
        wanted = given["shards"] or 4 * engine.workers
        shards = shards_of(data, lesson.reading, wanted, most=100_000)
        tasks = [(lesson, shard, *more) for shard in shards]
        yield from in_order(engine.run(task, tasks, model), len(shards))


def predict_on_cluster(data: tuple[str, ...], path: str, output: str, given: dict[str, Any]) -> int:
    from thresher.cli.predict import PredictionTable, opened
    from thresher.model_file import load_for_files

    table = PredictionTable(load_for_files(path), scores=given["scores"], proba=given["proba"])
    bad = 0
    first: list[str] = []
    with opened(output) as out:
        out.write("" if given["as_json"] else table.header())
        how = (given["scores"], given["proba"], given["as_json"])
        for answer in ask_on_cluster(data, path, given, predict_shard, *how):
            out.write(answer.content.decode())
            bad, first = bad + answer.bad_lines, first + answer.first_bad
    return _say_bad(bad, first)


def evaluate_on_cluster(
    data: tuple[str, ...], path: str, given: dict[str, Any], metrics: Any
) -> tuple[int, list[str]]:
    """The metrics count what the shards have answered, as if it had been answered here."""
    from thresher.cluster.tasks import answers_of_shard

    bad = 0
    first: list[str] = []
    for answer in ask_on_cluster(data, path, given, answers_of_shard):
        for positional, named in answer.content:
            metrics.add(*positional, **named)
        bad, first = bad + answer.bad_lines, first + answer.first_bad
    return bad, first
