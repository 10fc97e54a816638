"""What may be wrong though nothing failed: said once, with what to do about it."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thresher.cli.report import counted, say
from thresher.data.reading import ROLES, ReadingOptions

if TYPE_CHECKING:
    from thresher._core import Progress
    from thresher.data.reader import Batch
    from thresher.training import Training

MOST_NAMES = 1_000_000  # of a model, that are looked through
SHOWN = 5
LONGEST = 40  # characters of a name that is shown
FEWEST_KEYS = 20  # examples, from which it is said what all of them lack
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

    if not set(formats) & set(TABLES) or not _is_readable(learner):
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


def _is_readable(learner: Any) -> bool:
    """Whether its names are those of the data, and few enough to look through."""
    if not learner.reads_names or learner.reading_.hash_bits:
        return False
    return bool(learner.known_features <= MOST_NAMES)


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


class Unknown:
    """Whether a model knows any feature of what it is to predict."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        self._known = False
        self._names: list[bytes] = []
        self._first: Batch | None = None

    def watched(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        for batch in batches:
            if self._first is None and len(batch):
                self._first = batch
            if not self._known and len(batch):
                self._known = self._learner.knows_some(batch)
                if not self._known and not self._names:
                    self._names = batch.core.names[:SHOWN]
            yield batch

    def doubt(self, columns: Iterable[str], formats: Iterable[str]) -> None:
        """`columns` are those of the tables that were read, if they were tables."""
        if self._known:
            doubt_columns(self._learner, list(columns))
            if self._first is not None:
                # What learned from a stream does not say of what format it was.
                learned = set(self._learner.provenance_.get("formats") or formats)
                doubt_keys(self._learner, self._first, learned)
                doubt_kinds(self._learner, self._first, learned)
        if self._known or not self._names:
            return
        from itertools import islice

        has = list(islice(self._learner.feature_names(), SHOWN))
        found = [name.decode("utf-8", "backslashreplace") for name in self._names]
        say(f"warning: the model knows none of the features that were found, such as "
            f"{shown(found)}; it knows {shown(has)}. Every prediction is the same. Is this the "
            "data, or the format, that it was made for?")  # fmt: skip


def doubt_columns(learner: Any, columns: Sequence[str]) -> None:
    """Columns that a model of tables has learned from, and that are not there: renamed, perhaps."""
    from thresher.data.sniffing import TABLES
    from thresher.options import near

    formats = set(learner.provenance_.get("formats", ()))
    if not columns or not formats or not formats <= set(TABLES) - {"jsonl"}:
        return
    if not _is_readable(learner):
        return
    learned: dict[str, None] = {}
    for name in learner.feature_names():
        column = name.partition("=")[0]
        day = column.partition(".")[0]
        learned[day if day in learner.reading_.date else column] = None
    lacking = [c for c in learned if c not in columns and "*" not in c]
    if lacking:
        say(f"warning: the model has learned from {shown(lacking)}, of which there is no column; "
            f"each counts as 0.{near(lacking[0], columns)} There are {shown(columns)}."
        )  # fmt: skip


def doubt_keys(learner: Any, batch: Batch, formats: set[str]) -> None:
    """Keys or namespaces that were renamed, perhaps: most examples have one that the model does not
    know, and none has another that it knows. No example has to have them all."""
    from thresher.data.sniffing import MOST

    rows = batch.features()[:MOST] if formats and formats <= {"jsonl", "vw"} else []
    if len(rows) < FEWEST_KEYS or not _is_readable(learner):
        return
    have = Counter(group for row in rows for group in {group_of(name) for name in row})
    known = dict.fromkeys(map(group_of, learner.feature_names()))
    new = [g for g, count in have.items() if g not in known and 2 * count >= len(rows)]
    lacking = [g for g in known if g not in have and "*" not in g]
    new = [g for g in new if "*" not in g]
    if new and lacking:
        say(f"warning: the model knows nothing about {shown(new)}, which most examples have; and "
            f"it has learned from {shown(lacking)}, which none of the first {len(rows):,} has. "
            "Was something renamed?")  # fmt: skip


def group_of(name: str) -> str:
    """The key or namespace of a feature."""
    return re.split("[=^]", name, maxsplit=1)[0]


def doubt_kinds(learner: Any, batch: Batch, formats: set[str]) -> None:
    """Columns that held numbers when they were learned, and hold texts now, or the reverse."""
    from thresher.data.sniffing import TABLES

    if not formats or not formats <= set(TABLES) or not _is_readable(learner):
        return
    roles = {column for role in ROLES for column in getattr(learner.reading_, role)}
    names = [name.decode("utf-8", "backslashreplace") for name in batch.core.names]
    texts = {name.partition("=")[0]: name for name in reversed(names) if "=" in name}
    numbers = {name for name in names if "=" not in name}
    known = set(learner.feature_names())
    known_texts = {name.partition("=")[0] for name in known if "=" in name}
    for column in dict.fromkeys(name.partition("=")[0] for name in names):
        if column in roles or "*" in column:
            continue
        if column not in numbers and column in known and column not in known_texts:
            found = clipped(texts[column].partition("=")[2])
            say(f"warning: the column {column!r} held numbers where the model learned, and here "
                f"texts, such as {found}, of which it knows nothing.")  # fmt: skip
        elif column not in texts and column in known_texts and column not in known:
            say(f"warning: the column {column!r} held texts where the model learned, and here "
                "numbers, of which it knows nothing. To read them as names, train with "
                f"--categorical {shlex.quote(column)}.")  # fmt: skip


def doubt_truths(truths: Iterable[Any], classes: Iterable[Any]) -> None:
    """Labels of which the model has learned none: it cannot be right."""
    found, known = list(truths), list(classes)
    if found and known and not set(found) & set(known):
        say(f"warning: the model has learned none of the labels that were found, "
            f"{shown(map(str, found))}; it knows {shown(map(str, known))}. Is this the column of "
            "the label (--label)?")  # fmt: skip


def shown(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(map(clipped, listed[:SHOWN])) + (", …" if len(listed) > SHOWN else "")


def clipped(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
