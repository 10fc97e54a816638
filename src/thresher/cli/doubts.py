"""What may be wrong though nothing failed: said once, with what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from thresher.cli.report import counted, say
from thresher.data.reading import ROLES, ReadingOptions
from thresher.learners.unknown import clipped, is_readable, shown

if TYPE_CHECKING:
    from thresher._core import Progress
    from thresher.data.reader import Batch, Reader
    from thresher.learners.unknown import Unknown
    from thresher.training import Training

FEWEST = 100  # examples, from which an error is compared with that of a constant


def doubt_options(data: tuple[str, ...], reading: ReadingOptions, quiet: bool) -> None:
    """Options that name columns, keys or namespaces of which the first examples have none."""
    crossed = [group for groups in reading.cross for group in groups]
    named = [(role, column) for role in ROLES for column in getattr(reading, role)]
    named += [("cross", group) for group in dict.fromkeys(crossed)]
    if quiet or not named:
        return
    from thresher.data.sniffing import first_groups
    from thresher.options import near

    groups = first_groups(data, reading)
    for option, group in named:
        if groups and group not in groups:
            say(f"warning: --{option} names {group!r}, and nothing in the first examples is called "
                f"so.{near(group, groups)} There are {shown(sorted(groups))}.")  # fmt: skip


def doubt_mixed_columns(learner: Any, formats: Iterable[str]) -> None:
    """One x in a column of numbers is learned as a name, and says nothing about the number."""
    from thresher.data.sniffing import MOST, TABLES, TextColumn, look_at

    if not set(formats) & set(TABLES) or not is_readable(learner):
        return
    names = learner.feature_names()
    texts = _texts_of(learner, names)
    for column in [name for name in names if name in texts]:
        found = [text for text in texts[column] if text != "missing"]
        if found and not isinstance(look_at(column, found[:MOST]), TextColumn):
            say(f"warning: the column {column!r} holds numbers, and also {shown(found)}, which "
                f"{'is learned as a name' if len(found) == 1 else 'are learned as names'} "
                f"({column}={clipped(found[0])}). If a value is missing there, leave the cell "
                "empty; if the numbers are names, add: --categorical "
                f"{shlex.quote(column)}")  # fmt: skip


def _texts_of(learner: Any, names: Iterable[str]) -> dict[str, list[str]]:
    """The different texts of each column that was not named for a role."""
    texts: dict[str, list[str]] = {}
    made = {column for role in ROLES for column in getattr(learner.reading_, role)}
    for name in names:
        column, equals, text = name.partition("=")
        if equals and "*" not in name and column not in made:
            texts.setdefault(column, []).append(text)
    return texts


def doubt_columns_of_a_pipe(training: Training) -> None:
    """As of a file, which is looked at before it is learned: a pipe is when it has begun."""
    from thresher.cli.columns import propose
    from thresher.data.sniffing import TABLES, wanting_in

    def look(batch: Batch) -> None:
        if training.reader.formats[0] in TABLES:
            for column in wanting_in(batch, training.reading):
                propose(column)

    training.on_first_batch = look


def told_missing(count: int, missing: str) -> str:
    """How many values were missing, and what they counted as."""
    worth = {
        "zero": "counted as 0; --missing mean or indicator makes more of them",
        "mean": "counted as the means of their columns",
        "indicator": "each a feature of its own",
    }
    return f"{counted(count, 'missing value')}, {worth[missing]}"


def doubt_constant(progress: Progress) -> None:
    """A model that is worse than always saying the most frequent label."""
    counts, score = progress.label_counts, progress.learned
    n = sum(counts)
    if n < FEWEST or score.examples != n or not score.weight:
        return
    error, constant = score.loss / score.weight, 1 - max(counts) / n
    if error > constant > 0:
        say(f"warning: the error, {100 * error:.2f} %, is above that of always saying the most "
            f"frequent label, {100 * constant:.2f} %. Check the label and the options, or compare "
            "learners: thresher race.")  # fmt: skip


def say_unknown(unknown: Unknown, reader: Reader) -> None:
    """What the model does not know of what was read."""
    from thresher.data.sniffing import as_option

    for doubt in unknown.doubts(reader.columns, reader.formats, as_option):
        say(f"warning: {doubt}")


def doubt_truths(truths: Iterable[Any], classes: Iterable[Any]) -> None:
    """Labels of which the model has learned none: it cannot be right."""
    found, known = list(truths), list(classes)
    if found and known and not set(found) & set(known):
        say(f"warning: the model has learned none of the labels that were found, "
            f"{shown(map(str, found))}; it knows {shown(map(str, known))}. Is this the column of "
            "the label (--label)?")  # fmt: skip
