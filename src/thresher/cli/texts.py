"""Columns that look like text: proposed for --text, or taken as such where the command decides."""

from __future__ import annotations

import math
import os
import shlex
from typing import Any

from thresher.cli import options
from thresher.cli.report import say

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


def propose_texts(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """Say which columns look like text, and the option that makes them so."""
    if given["quiet"]:
        return
    from thresher.data.sniffing import text_columns

    for column in text_columns(data, options.reading_of(given)):
        say(f"warning: the column {column}. Each value is learned as one name, which hardly ever "
            f"comes again. To learn its words, add: --text {shlex.quote(column.name)}")  # fmt: skip


def take_texts(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """Take columns that look like text as such, and say so."""
    from thresher.data.sniffing import text_columns

    for column in text_columns(data, options.reading_of(given)):
        given["text"] = (*given["text"], column.name)
        if not given["quiet"]:
            name = shlex.quote(column.name)
            say(f"The column {column}: its words are learned, as with --text {name}. To learn each "
                f"value as one name: --categorical {name}")  # fmt: skip


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
