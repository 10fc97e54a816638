"""What a model does not know of data that it is to predict: nothing fails, and the answers are
worth less. Each doubt is a text; the command says it, and in Python it is a warning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thresher.data.reading import ROLES, ReadingOptions

if TYPE_CHECKING:
    from thresher.data.reader import Batch

MOST_NAMES = 1_000_000  # of a model, that are looked through
SHOWN = 5
LONGEST = 40  # characters of a name that is shown
FEWEST_KEYS = 20  # examples, from which it is said what all of them lack

Asked = Callable[[str, str], str]  # how a column gets a role, as of `thresher.data.sniffing`


class Unknown:
    """Whether a model knows the features of what it is to predict."""

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

    def doubts(self, columns: Iterable[str], formats: Iterable[str], asked: Asked) -> Iterator[str]:
        """`columns` are those of the tables that were read, if they were tables."""
        if self._known:
            yield from doubts_of_columns(self._learner, list(columns))
            if self._first is not None:
                # What learned from a stream does not say of what format it was.
                learned = set(self._learner.provenance_.get("formats") or formats)
                yield from doubts_of_keys(self._learner, self._first, learned)
                yield from doubts_of_kinds(self._learner, self._first, learned, asked)
        if self._known or not self._names:
            return
        from itertools import islice

        has = list(islice(self._learner.feature_names(), SHOWN))
        found = [name.decode("utf-8", "backslashreplace") for name in self._names]
        yield (
            f"the model knows none of the features that were found, such as {shown(found)}; it "
            f"knows {shown(has)}. Every prediction is the same. Is this the data, or the format, "
            "that it was made for?"
        )


def doubts_of_columns(learner: Any, columns: Sequence[str]) -> Iterator[str]:
    """Columns that a model of tables has learned from, and that are not there: renamed, perhaps."""
    from thresher.data.sniffing import TABLES
    from thresher.options import near

    formats = set(learner.provenance_.get("formats", ()))
    if not columns or not formats or not formats <= set(TABLES) - {"jsonl"}:
        return
    if not is_readable(learner):
        return
    dates = _reading_of(learner).date
    learned: dict[str, None] = {}
    for name in learner.feature_names():
        column = name.partition("=")[0]
        day = column.partition(".")[0]
        learned[day if day in dates else column] = None
    lacking = [c for c in learned if c not in columns and "*" not in c]
    if lacking:
        yield (
            f"the model has learned from {shown(lacking)}, of which there is no column; each "
            f"counts as 0.{near(lacking[0], columns)} There are {shown(columns)}."
        )


def doubts_of_keys(learner: Any, batch: Batch, formats: set[str]) -> Iterator[str]:
    """Keys or namespaces that were renamed, perhaps: most examples have one that the model does not
    know, and none has another that it knows. No example has to have them all."""
    from thresher.data.sniffing import MOST

    rows = batch.features()[:MOST] if formats and formats <= {"jsonl", "vw"} else []
    if len(rows) < FEWEST_KEYS or not is_readable(learner):
        return
    have = Counter(group for row in rows for group in {group_of(name) for name in row})
    known = dict.fromkeys(map(group_of, learner.feature_names()))
    new = [g for g, count in have.items() if g not in known and 2 * count >= len(rows)]
    lacking = [g for g in known if g not in have and "*" not in g]
    new = [g for g in new if "*" not in g]
    if new and lacking:
        yield (
            f"the model knows nothing about {shown(new)}, which most examples have; and it has "
            f"learned from {shown(lacking)}, which none of the first {len(rows):,} has. Was "
            "something renamed?"
        )


def group_of(name: str) -> str:
    """The key or namespace of a feature."""
    return re.split("[=^]", name, maxsplit=1)[0]


def doubts_of_kinds(learner: Any, batch: Batch, formats: set[str], asked: Asked) -> Iterator[str]:
    """Columns that held numbers when they were learned, and hold texts now, or the reverse."""
    from thresher.data.sniffing import TABLES

    if not formats or not formats <= set(TABLES) or not is_readable(learner):
        return
    roles = {column for role in ROLES for column in getattr(_reading_of(learner), role)}
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
            yield (
                f"the column {column!r} held numbers where the model learned, and here texts, such "
                f"as {found}, of which it knows nothing."
            )
        elif column not in texts and column in known_texts and column not in known:
            yield (
                f"the column {column!r} held texts where the model learned, and here numbers, of "
                "which it knows nothing. To read them as names, train it anew and "
                f"{asked('categorical', column)}"
            )


def is_readable(learner: Any) -> bool:
    """Whether its names are those of the data, and few enough to look through."""
    if not learner.reads_names or _reading_of(learner).hash_bits:
        return False
    return bool(learner.known_features <= MOST_NAMES)


def _reading_of(learner: Any) -> ReadingOptions:
    """That of a learner of dicts or tables is the usual one."""
    return learner.reading_ or ReadingOptions()


def shown(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(map(clipped, listed[:SHOWN])) + (", …" if len(listed) > SHOWN else "")


def clipped(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
