"""Columns that look like text or dates: their options are proposed, or taken where the command
decides. What looks like the name of a row, or a number with a comma, is only said."""

from __future__ import annotations

import math
import os
import shlex
from typing import Any

from thresher.cli import options
from thresher.cli.report import say
from thresher.data.sniffing import (
    DateColumn,
    TextColumn,
    Wanting,
    as_option,
    wanting_columns,
    warning_of,
)

PLAIN: dict[str, Any] = {"ngrams": 1, "char_ngrams": None, "weighting": "count"}
# Ways to make features of texts, besides their words as they are counted.
WAYS: tuple[dict[str, Any], ...] = (
    {"weighting": "binary"},
    {"ngrams": 2},
    {"char_ngrams": "3-5"},
)
TRIED = 4000  # examples
FEWEST = 500
SURE = 2.0  # standard errors


def propose_columns(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """Say which columns look like text, dates or names of rows, and the option for each."""
    if given["quiet"]:
        return
    for column in wanting_columns(data, options.reading_of(given)):
        propose(column)


def propose(column: Wanting) -> None:
    """Say what is probably wrong, and what to do about it."""
    say(f"warning: {warning_of(column, as_option)}")


def take_columns(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """Take columns that look like text or dates as such, and say so."""
    for column in wanting_columns(data, options.reading_of(given)):
        name = shlex.quote(column.name)
        if not isinstance(column, TextColumn | DateColumn):
            if not given["quiet"]:
                propose(column)
            continue
        made = "its words" if isinstance(column, TextColumn) else "their parts"
        given[column.role] = (*given[column.role], column.name)
        if not given["quiet"]:
            say(f"The column {column}: {made} are learned, as with --{column.role} {name}. To "
                f"learn each value as one name: --categorical {name}")  # fmt: skip


def try_ways(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """If a way to make features of texts is surely better on the first examples, take it, and say
    so. Not if the user chose one, nor for a pipe, which can be read only once."""
    from thresher.data.sources import expand

    asked, usual = options.reading_of(given), options.reading_of(given | PLAIN)
    if not given["text"] or asked != usual or not all(map(os.path.isfile, expand(data))):
        return
    words, examples = _error(data, given)
    if examples < FEWEST:
        return
    found = [(_error(data, given | way)[0], way) for way in WAYS]
    best, way = min(found, key=lambda one: one[0])
    error = math.sqrt((words * (1 - words) + best * (1 - best)) / examples)
    if words - best <= SURE * error:
        return
    given |= way
    if not given["quiet"]:
        ((name, value),) = way.items()
        say(f"With --{name.replace('_', '-')} {value} the error on the first {examples:,} examples "
            f"is {100 * best:.1f} %, without it {100 * words:.1f} %: it is taken.")  # fmt: skip


def _error(data: tuple[str, ...], given: dict[str, Any]) -> tuple[float, int]:
    """Of one good learner for texts on the first examples, each predicted before it is learned."""
    from thresher.data.reader import BadLines
    from thresher.learners.table import by_short
    from thresher.training import Training

    reading = options.reading_of(given)
    learner = by_short("arow").cls(prepare="idf, unit")
    learner.begin_reading(reading)
    with Training(learner, data, reading=reading, bad=BadLines("skip")) as training:
        training.stop_at = TRIED
        for _ in training:
            if training.examples >= TRIED:
                break
        score = training.progress.learned
        return score.loss / max(score.weight, 1.0), score.examples
