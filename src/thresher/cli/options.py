"""Options that several commands share, written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from thresher.cli.config import complete_setting, complete_step, read_config
from thresher.data.reading import (
    FEATURES,
    FORMATS,
    MISSING,
    WEIGHTINGS,
    ReadingOptions,
    reading_options,
)

F = TypeVar("F", bound=Callable[..., Any])


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


data_argument = click.argument(
    "data", nargs=-1, required=True, metavar="DATA...", type=click.Path(allow_dash=True)
)

columns = together(
    click.option(
        "--format", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
        help="Of the input; auto recognises it by name and content.",
    ),
    click.option("--label", metavar="COLUMN", help="Column or key of the label (csv, tsv, jsonl, "
                 "parquet, arrow)."),
    click.option("--weight", metavar="COLUMN", help="Column or key of the importance, if any."),
    click.option("--header/--no-header", default=None, help="Whether a csv file begins with the "
                 "names of its columns; by default this is recognised."),
    click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="Of the "
                 "text: latin-1, cp1252, utf-16, shift_jis …"),
)  # fmt: skip

reading = together(
    columns,
    click.option("--on-bad-line", type=click.Choice(["error", "skip", "quarantine"]),
                 default="error", show_default=True, help="What to do with a line that cannot be "
                 "used."),
    click.option("--quarantine", metavar="FILE", type=click.Path(), help="Where bad lines are "
                 "written (implies --on-bad-line quarantine)."),
    click.option("--threads", type=click.IntRange(1, 64), help="Parsing threads; by default as "
                 "many as there are processors. Results do not depend on it."),
)  # fmt: skip

metric = click.option(
    "--metric", metavar="NAME|COSTS", help="By which the best of several wins: error (default), "
    "log-loss, auc (1 − AUC), f1 (1 − F1), balanced (the mean error of the labels), costs of a "
    "mistake on each label (spam:5,ham:1); for numbers rmse or mae.",
)  # fmt: skip


settings = together(
    click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="An option of the "
                 "learner, as in Python: --set C=0.1.", shell_complete=complete_setting),
    click.option("--prepare", metavar="STEP", multiple=True, shell_complete=complete_step,
                 help="Preparation of each example before it is learned: standard, minmax, maxabs, "
                 "idf, unit, conjunctions(2), polynomial(2), fourier(500); several in their "
                 "order."),
)  # fmt: skip

observing = together(
    click.option("--holdout", type=click.IntRange(0), default=0, metavar="N", help="Every N-th "
                 "example is predicted but never learned."),
    click.option("--on-drift", type=click.Choice(["report", "reset", "forget"]), help="Watch the "
                 "error; when it rises: report it, start over, or keep the weights and forget what "
                 "makes steps small."),
    click.option("--drift-detector", type=click.Choice(["adwin", "ddm", "page-hinkley"]),
                 help="What finds that out: adwin by default."),
    click.option("--audit", type=click.Choice(["live"]), help="Keep R, margins and the bound on "
                 "mistakes while it learns (two classes)."),
)  # fmt: skip

run_log = click.option(
    "--log", type=click.Path(file_okay=False), metavar="DIR", help="Log the run to a new file in "
    "DIR; `thresher lab --logs DIR` shows it.",
)  # fmt: skip


def plot(what: str) -> Callable[[F], F]:
    """--plot FILE; whether it can be drawn is checked before anything else is done."""

    def check(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
        if path:
            from thresher.plots.style import check_suffix, matplotlib

            check_suffix(path)
            matplotlib()
        return path

    return click.option("--plot", metavar="FILE", type=click.Path(), callback=check,
                        help=f"{what} (.png, .svg, .pdf).")  # fmt: skip


def check_observing(given: dict[str, Any]) -> None:
    if given["drift_detector"] and not given["on_drift"]:
        raise click.UsageError("--drift-detector is for --on-drift; say what to do then.")


def metric_of(given: dict[str, Any]) -> Any:
    """What --metric says."""
    from thresher.learners.criteria import metric_from

    return metric_from(given["metric"] or "error")


recipe = together(
    click.option("--text", metavar="COLUMN", multiple=True, help="Take the words of this column "
                 "as features."),
    click.option("--categorical", metavar="COLUMN", multiple=True, help="Take the numbers of this "
                 "column as names."),
    click.option("--date", metavar="COLUMN", multiple=True, help="Take this column as dates "
                 "(2024-05-17, 2024-05-17 13:30:00): years since 2000, month, weekday, hour."),
    click.option("--ignore", metavar="COLUMN", multiple=True, help="Learn nothing from this "
                 "column, key or namespace."),
    click.option("--missing", type=click.Choice(MISSING), default="zero", show_default=True,
                 help="What an empty cell, NA or null is worth: nothing, the mean of its column "
                 "(over the first examples), or a feature of its own, COLUMN=missing."),
    click.option("--ngrams", type=click.IntRange(1, 10), default=1, show_default=True, help="Also "
                 "runs of up to this many neighbouring words."),
    click.option("--char-ngrams", metavar="N-M", help="Also runs of N to M neighbouring "
                 "characters within each word: 3-5."),
    click.option("--weighting", type=click.Choice(WEIGHTINGS), default="count", show_default=True,
                 help="What a word that occurs c times is worth: c, 1, or 1 + ln c. (tf-idf: "
                 "--weighting log --prepare idf --prepare unit.)"),
    click.option("--cross", metavar="A,B", multiple=True, help="Also products of the features of "
                 "two or more columns or namespaces: --cross site,ad or a,b,c."),
)  # fmt: skip

features = together(
    recipe,
    click.option("--hash-bits", type=click.IntRange(1, 30), help="Fixed memory: names hashed to "
                 "2^N features, not kept."),
    click.option("--min-count", type=click.IntRange(1, 255), default=1, show_default=True,
                 help="A name counts from its N-th occurrence on."),
    click.option("--max-features", type=click.IntRange(1, 2**31 - 1), help="Bounded memory: once "
                 "there are N names, new ones are ignored."),
)  # fmt: skip

speaking = together(
    click.option("--config", metavar="FILE", type=click.Path(), is_eager=True, expose_value=False,
                 callback=read_config, help="Options from a TOML file, by their names: "
                 "learner = \"pa\". What is typed counts more."),
    click.option("--json", "as_json", is_flag=True, help="Results as JSON, for machines."),
    click.option("-q", "--quiet", is_flag=True, help="Only results and errors."),
    click.option("--debug", is_flag=True, help="Errors with the whole traceback."),
)  # fmt: skip


INPUT = ("format", "label", "weight", "header", "encoding")
READING = (*INPUT, *FEATURES)
USUAL: dict[str, Any] = {
    "format": "auto", "encoding": "utf-8", "missing": "zero", "ngrams": 1, "weighting": "count",
    "min_count": 1,
}  # fmt: skip


def reading_words(given: dict[str, Any]) -> list[str]:
    """The arguments that say how data was read, for use in another command."""
    import shlex

    words: list[str] = []
    for name in READING:
        value, option = given[name], f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option if value else f"--no-{name}")
        elif value not in (None, USUAL.get(name)):
            for one in value if isinstance(value, tuple) else (value,):
                words += [option, shlex.quote(str(one))]
    return words


def check_place(path: str) -> None:
    """A model that could not be saved is an error before hours of learning, not after."""
    import os

    from thresher.errors import InvalidInput

    if os.path.isdir(path):
        raise InvalidInput(f"{path}: a folder; expected the name of a file for the model.")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise InvalidInput(f"{path}: the folder {folder} does not exist; make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidInput(f"{path}: no permission to write in the folder {folder}.")


def reading_of(given: dict[str, Any]) -> ReadingOptions:
    """How the data is to be read."""
    return reading_options(**{name: given[name] for name in READING})
