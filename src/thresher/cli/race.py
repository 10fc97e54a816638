"""thresher race: many learners and settings in one pass, and the best of them saved."""

from __future__ import annotations

import itertools
import math
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from thresher.cli import clustered, options
from thresher.cli.config import complete_learner
from thresher.cli.progress import finite
from thresher.cli.stopping import stopping
from thresher.cli.tables import UNDEFINED

if TYPE_CHECKING:
    from rich.table import Table

    from thresher.learners.base.learner import Learner
    from thresher.race import FileRace, Standing


@click.command(short_help="many learners and settings in one pass")
@options.data_argument
@click.option("--learners", metavar="auto|all|NAME,…", shell_complete=complete_learner,
              help="Which learners: a portfolio that does "
              "well on most data (auto, the default), all with their defaults (all; not lda and "
              "rls, whose time grows with the square of the number of features), or these."
)  # fmt: skip
@click.option("--grid", metavar="NAME:OPTION=VALUE,…", multiple=True, help="A learner with each of "
              "these values; more options after another colon. May be repeated.")  # fmt: skip
@click.option("--task", type=click.Choice(["classify", "regress"]), help="What auto and all are "
              "for. By default the first labels of a file decide.")  # fmt: skip
@options.metric
@click.option("-m", "--model", metavar="BEST", type=click.Path(), help="Where to save the winner.")
@click.option("--keep-all", is_flag=True, help="Keep learners that are surely worse than the "
              "leader to the end.")  # fmt: skip
@click.option("--holdout", type=click.IntRange(0), default=0, metavar="N", help="Only predict "
              "every N-th example, and race by the error on these.")  # fmt: skip
@click.option("--shuffle-buffer", type=click.IntRange(0), default=0, metavar="N", help="Shuffle "
              "within blocks of N examples.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Of that shuffling.")
@click.option("--log", type=click.Path(file_okay=False), metavar="DIR", help="Log the race to a "
              "new file in DIR; `thresher lab --logs DIR` shows it.")  # fmt: skip
@clustered.whole_files
@options.reading
@options.features
@options.speaking
def command(
    data: tuple[str, ...],
    learners: str | None,
    grid: tuple[str, ...],
    task: str | None,
    model: str | None,
    keep_all: bool,
    **given: Any,
) -> int:
    """Let many learners and settings learn DATA in one pass; the smallest error wins.

    Every example is predicted before it is learned, so the error is an honest one. Learners that
    are surely worse than the leader, over all examples and lately, are dropped on the way.

    \b
    thresher race reviews.svm.gz -m best.model
    thresher race reviews.svm.gz --grid pa:C=0.1,1 --grid perceptron:margin=0,1
    thresher race prices.csv --label price --learners lms,pa-regressor
    """  # fmt: skip
    from thresher.cli.columns import propose_columns, take_columns
    from thresher.cli.task import are_files, look_at_labels

    if model:
        options.check_place(model)
    texts = take_columns if learners in (None, "auto") and not grid else propose_columns
    texts(data, given)
    portfolio = learners in ("auto", "all") or (learners is None and not grid)
    task_is_open = portfolio and not task
    if task_is_open:
        task = look_at_labels(data, given)
    given["task_is_open"] = task_is_open and not are_files(data)
    runners = who_runs(learners, grid, task or "classify")
    if given["cluster"]:
        from thresher.cli.cluster_race import race_on_cluster

        return report(race_on_cluster(runners, data, keep_all, given, model), data, model, given)
    clustered.refuse_without_cluster(given)
    return report(run(runners, data, keep_all, given, model), data, model, given)


class Finished(NamedTuple):
    """What there is to report of a race."""

    standings: list[Standing]
    examples: int
    regress: bool
    seconds: float
    bad: Any
    interrupted: bool
    best: Any
    doubt: str | None  # about the order of the data
    formats: tuple[str, ...] = ()


def report(race: Finished, data: tuple[str, ...], model: str | None, given: dict[str, Any]) -> int:
    """Report the result; returns the exit code."""
    from thresher.cli.doubts import doubt_mixed_columns
    from thresher.cli.report import put_json
    from thresher.cli.train import doubt_one_label, doubt_targets, report_bad_lines, say_order

    standings, interrupted = race.standings, race.interrupted
    if given["as_json"]:
        put_json({
            "data": list(data), "model": model, "examples": race.examples,
            "seconds": round(race.seconds, 3), "bad_lines": race.bad.count,
            "interrupted": interrupted, "standings": [as_plain(row) for row in standings],
        })  # fmt: skip
    else:
        show(standings, race.examples, race.regress)
        if not given["quiet"]:
            if given["metric"] in (None, "error"):
                doubt_baselines(standings, race.regress)
            doubt_mixed_columns(race.best, race.formats)
            doubt_one_label(race.best)
            doubt_targets(race.best, "--task regress, or learners such as lms and pa-regressor")
            say_order(race.doubt)
            explain(race.best, standings[0].name, data, model, interrupted, given)
    code = report_bad_lines(race.bad)
    return 130 if interrupted else code


# -- the field


def who_runs(learners: str | None, grids: tuple[str, ...], task: str) -> list[Learner]:
    """The learners of the options, each setting once."""
    from thresher.learners.table import LINEAR, by_short
    from thresher.race import name_of, portfolio

    found: list[Learner] = []
    if learners == "auto" or (learners is None and not grids):
        found += portfolio(task)
    elif learners == "all":
        every = (entry for entry in LINEAR if entry.online and not entry.quadratic)
        found += [entry.cls() for entry in every if entry.task == task]
    elif learners is not None:
        found += [by_short(short.strip()).cls() for short in learners.split(",")]
    for grid in grids:
        found += read_grid(grid)
    return list({name_of(learner): learner for learner in found}.values())


def read_grid(grid: str) -> Iterator[Learner]:
    """``pa:C=0.1,1:variant=PA-I,PA-II``: a learner for each combination of the values."""
    from thresher.errors import InvalidInput
    from thresher.learners.table import by_short, parse_settings
    from thresher.prepare import split

    short, *parts = grid.split(":")
    cls = by_short(short.strip()).cls
    choices: list[list[str]] = []
    for part in parts:
        name, equals, text = part.partition("=")
        values = ["".join(value.split()) for value in split(text, ",")]
        if not equals or not all(values):
            raise InvalidInput(
                f"--grid {grid}: found {part!r}; expected OPTION=VALUE,VALUE… as in "
                "--grid pa:C=0.01,0.1,1"
            )
        choices.append([f"{name}={value}" for value in values])
    for settings in itertools.product(*choices):
        yield cls(**parse_settings(cls, settings))


# -- the run


def run(
    learners: list[Learner],
    data: tuple[str, ...],
    keep_all: bool,
    given: dict[str, Any],
    model: str | None,
) -> Finished:
    """To the end of the data, or until Ctrl-C or SIGTERM; then the winner is saved."""
    from thresher.cli.doubts import doubt_columns_of_a_pipe, doubt_options
    from thresher.cli.race_log import log_of_race
    from thresher.cli.report import say
    from thresher.cli.task import are_files, refuse_targets
    from thresher.cli.train import bad_lines
    from thresher.data.sniffing import with_means
    from thresher.race import FileRace, RaceField, runners_of
    from thresher.training import Plan, doubt_of_order

    plan = Plan(1, given["shuffle_buffer"], given["seed"], given["holdout"], given["threads"])
    runners = runners_of(learners)
    field = RaceField(runners, keep_all, plan.holdout, plan.threads, options.metric_of(given))
    reading = with_means(data, options.reading_of(given))
    doubt_options(data, reading, given["quiet"])
    race = FileRace(field, data, reading, plan, bad_lines(given))
    if not given["quiet"] and not are_files(data):
        doubt_columns_of_a_pipe(race.training)
    live = not given["quiet"] and not given["as_json"] and sys.stderr.isatty()

    with stopping(race.training.stop):
        with (
            log_of_race(race, given["log"], model) if given["log"] else nullcontext() as log,
            race,
            shown(race) if live else nullcontext(lambda: None) as refresh,
        ):
            for _ in race:
                if given["task_is_open"]:
                    refuse_targets(race.best.learned_labels())
                refresh()
                if log:
                    log.look_at_race()
            if not race.training.stopped:
                race.check_learned()
            if log:
                log.learned(race.field.examples)
                log.end("stopped" if race.training.stopped else "done")
        if race.training.nothing_learned:
            say("Stopped before anything was learned; nothing was saved.")
            raise click.Abort
        if model:
            race.best.save(model)
    return Finished(
        race.standings(),
        field.examples,
        field.regress,
        race.seconds,
        race.bad,
        race.training.stopped,
        race.best,
        doubt_of_order(field.leader.progress),
        tuple(race.training.formats),
    )


# -- what is shown

LIVE_SECONDS = 0.2
HEAD = ("", "learner", "error", "±", "examples", "examples/s")
LEARNER = 1  # the column that may be long
ROOMY = 60  # columns of a terminal, below which the table leaves some figures out


def head(rows: list[Standing]) -> list[str]:
    """Instead of ± what decides, where that is not the error."""
    decides = not math.isnan(rows[0].figure)
    return ["metric" if decides and name == "±" else name for name in HEAD]


def cells(rank: int, row: Standing, regress: bool) -> list[str]:
    """A learner that left the race has no rank; ± is half the width of the 95 % interval."""
    half = (row.interval[1] - row.interval[0]) / 2
    spread = (f"{half:.2g}" if regress else f"{100 * half:.2f}") if half < math.inf else UNDEFINED
    return [
        str(rank) if row.dropped_at is None and not row.baseline else UNDEFINED,
        row.name,
        figure(row.error, regress),
        spread if math.isnan(row.figure) else f"{row.figure:.4f}",
        f"{row.examples:,}",
        UNDEFINED if row.baseline else f"{row.rate:,.0f}",
    ]


def figure(error: float, regress: bool) -> str:
    if math.isnan(error):
        return UNDEFINED
    return f"{error:.4g}" if regress else f"{100 * error:.2f} %"


def drawn(rows: list[Standing], regress: bool, title: str, width: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, header_style="bold", title=title, title_justify="left")
    columns = len(HEAD) if width >= ROOMY else len(HEAD) - 2  # without examples and their rate
    for i, name in enumerate(head(rows)[:columns]):  # names may take two lines
        table.add_column(name, justify="left" if i == LEARNER else "right", no_wrap=i != LEARNER)
    for rank, row in enumerate(rows, 1):
        style = "dim" if row.dropped_at is not None else "bold" if rank == 1 else ""
        shown = cells(rank, row, regress)[:columns]
        table.add_row(*(Text(cell) for cell in shown), style=style)
    return table


@contextmanager
def shown(race: FileRace) -> Iterator[Callable[[], None]]:
    """The standings on the terminal, redrawn repeatedly."""
    from rich.console import Console
    from rich.live import Live

    began = time.monotonic()
    drawn_at = 0.0
    console = Console(stderr=True, highlight=False)
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def refresh() -> None:
            nonlocal drawn_at
            now = time.monotonic()
            if now - drawn_at < LIVE_SECONDS:
                return
            drawn_at = now
            n = race.field.examples
            title = f"{n:,} examples, {n / (now - began):,.0f} a second"
            table = drawn(race.standings(), race.field.regress, title, console.width)
            live.update(table, refresh=True)

        yield refresh


def show(rows: list[Standing], examples: int, regress: bool) -> None:
    """The final table, and why some learners left early."""
    from thresher.cli.report import counted, put
    from thresher.cli.tables import clean, table

    title = counted(examples, "example")
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
        console.print(drawn(rows, regress, title, console.width))
    else:
        put(title)
        lines = [cells(rank, row, regress) for rank, row in enumerate(rows, 1)]
        table(lines, head(rows), left=(LEARNER,))
    if any(row.dropped_at is not None and not row.failed for row in rows):
        put("–: left early, surely worse than the leader")
    for row in rows:
        if row.failed:
            put(f"–: {row.name} cannot use this data: {clean(row.reason or '')}")
    best = min((row for row in rows if row.dropped_at is None and not row.baseline), key=_error)
    if best.error < rows[0].error and math.isnan(best.figure):
        now, then = figure(rows[0].recent, regress), figure(best.recent, regress)
        put(f"{rows[0].name} leads: over the last quarter of the examples its error is {now}, that "
            f"of {best.name} {then}.")  # fmt: skip


def doubt_baselines(rows: list[Standing], regress: bool, together: float = math.inf) -> None:
    """A model that is no better than a constant has learned nothing useful."""
    from thresher.cli.report import say

    baseline = min((row for row in rows if row.baseline), key=_error, default=None)
    if baseline is not None and not min(rows[0].error, together) < baseline.error:
        say(f"warning: no learner does better than the baseline “{baseline.name}” "
            f"({figure(baseline.error, regress)}): this model has learned nothing useful. Check "
            "the label, and whether the features say anything about it.")  # fmt: skip


def _error(row: Standing) -> float:
    return math.inf if math.isnan(row.error) else row.error


def explain(
    best: Any,
    name: str,
    data: tuple[str, ...],
    model: str | None,
    interrupted: bool,
    given: dict[str, Any],
) -> None:
    """What to do with the winner."""
    from thresher.cli.report import say
    from thresher.learners.portfolio import written

    if interrupted:
        say("Stopped early; these are the standings so far.")
    if model:
        say(f"{name} is saved in {model}. Use it:\n  thresher predict NEW -m {shlex.quote(model)}")
        return
    short, settings = written(best)
    chosen = "".join(f" --set {shlex.quote(setting)}" for setting in settings)
    read = "".join(f" {word}" for word in options.reading_words(given))
    say(f"The winner was not saved (-m BEST does). To train it:\n  thresher train "
        f"{shlex.join(data)} -m MODEL --learner {short}{chosen}{read}")  # fmt: skip


def as_plain(row: Standing) -> dict[str, Any]:
    """For JSON, which has neither NaN nor infinity."""
    plain = asdict(row)
    for name, value in plain.items():
        if isinstance(value, float):
            plain[name] = finite(value)
    plain["interval"] = [finite(end) for end in row.interval]
    return plain
