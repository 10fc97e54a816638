"""What the first examples of a file show: labels, and columns that want an option.

A value that hardly ever comes again is useless as a feature of its own. If it is a running text,
its words are not, and if it is a date, its parts: such columns are for the options `text` and
`date`. If it is the name or number of the row, the column is for `ignore`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from thresher.data.formats import by_name
from thresher.data.reader import BadLines, Batch, Reader, label_of
from thresher.data.reading import ROLES, WORDS, ReadingOptions
from thresher.data.sources import expand
from thresher.errors import InvalidInput, ThresherError

TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
CHUNK = 1 << 18  # bytes that are parsed to look at
MOST = 500  # examples that are looked at
LEAST = 10  # values of a column: fewer show nothing
DIFFERENT = 0.8  # of the values
OF_WORDS = 0.5  # of the values have two words or more, not all of them numbers
WORDS_EACH = 3  # on average
ERA = 1e9, 2.1e9  # seconds since 1970: from 2001 to 2036
UNITS = 1.0, 1e3, 1e6, 1e9  # seconds, milli-, micro-, nanoseconds
OF_IDS = 100  # values, all of them different, or one more each, show the name or number of a row
WORD = re.compile(r"[^\W_]+")
# Numbers as people write them, and those that are read as numbers.
CURRENCY = r"(?:[€$£¥₹]|EUR|USD|GBP|CHF|JPY)"
DIGITS = r"(?:\d+(?:,\d+)*(?:\.\d+)?|\d{1,3}(?:[.'’\s]\d{3})+(?:[.,]\d+)?)"
NUMBER = re.compile(rf"{CURRENCY}?\s?[+-]?\s?{CURRENCY}?\s?{DIGITS}\s?(?:{CURRENCY}|[%‰])?")
READ = re.compile(r"[+-]?\d+(\.\d+)?")
OF_POINTS = re.compile(r"\d{1,3}(\.\d{3})+(,\d+)\b")  # 1.234,50: the point is for thousands
ADDRESS = re.compile(r"\d+(\.\d+){3}")  # of the Internet
TIME = r"([T ,]+\d\d?:\d\d(:\d\d(\.\d+)?)?\s?([AaPp][Mm]|Z|[+-]\d\d:?\d\d)?)?"
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
OTHER_DATES = re.compile(
    r"(\d\d?([./-])\d\d?\2\d{4}|\d\d?/\d\d?/\d\d|\d\d\.\d\d\.\d\d|\d{4}([./-])\d\d?\3\d\d?"
    rf"|\d\d?\.?[ -]?[^\W\d]{{3,9}}\.?[ ,-]+\d{{4}}|[^\W\d]{{3,9}}\.? \d\d?,? \d{{4}}){TIME}"
)


@dataclass(frozen=True)
class TextColumn:
    """A column that looks like text, and why."""

    name: str
    values: int
    different: int
    words: float
    """In a value, on average."""
    role: ClassVar = "text"
    consequence: ClassVar = (
        ". Each value is learned as one name, which hardly ever comes again. To learn its words, "
    )

    def __str__(self) -> str:
        return (
            f"{self.name!r} looks like text ({self.different:,} of its first {self.values:,} "
            f"values are different, with {self.words:.0f} words each)"
        )


@dataclass(frozen=True)
class DateColumn:
    """A column of dates."""

    name: str
    example: str
    role: ClassVar = "date"
    consequence: ClassVar = (
        ". Each is learned as one name. To learn year, month, day of the week and hour, "
    )

    def __str__(self) -> str:
        return f"{self.name!r} holds dates ({self.example}, …)"


@dataclass(frozen=True)
class RowColumn:
    """A column that looks like the name or number of its row."""

    name: str
    values: int
    counts: bool
    """Whether it is a number, one more in each row."""
    role: ClassVar = "ignore"
    consequence: ClassVar = ", and it is learned from. To leave it out, "

    def __str__(self) -> str:
        each = "one more in each" if self.counts else "different in each"
        return (
            f"{self.name!r} looks like the name of a row "
            f"(it is {each} of the first {self.values:,})"
        )


@dataclass(frozen=True)
class ClockColumn:
    """A column of numbers that look like times as computers count them."""

    name: str
    example: float
    role: ClassVar = "ignore"
    consequence: ClassVar = (
        ". It is learned as one number, far above most others. To leave it out, "
    )

    def __str__(self) -> str:
        return (
            f"{self.name!r} looks like a time that is counted from 1970 on ({self.example:.0f}, …)"
        )


# How numbers and dates have to be written to be read as such.
READABLE = {
    "numbers": "Write them with a point, and without separators of thousands and signs such as % "
    "and €; in a file whose fields are separated by semicolons or tabs, decimal commas are read if "
    "all its numbers have them.",
    "dates": "Dates are read if they are written as 2024-05-17.",
}


@dataclass(frozen=True)
class UnreadColumn:
    """A column of numbers or dates as people write them, which are read as texts."""

    name: str
    example: str
    what: str
    role: ClassVar = None

    @property
    def consequence(self) -> str:
        return f". Each is learned as one name. {READABLE[self.what]}"

    def __str__(self) -> str:
        return f"{self.name!r} holds {self.what} that are read as texts ({self.example}, …)"


@dataclass(frozen=True)
class ThousandsColumn:
    """A column whose points may separate thousands, as they do in another column."""

    name: str
    example: str
    other: str
    role: ClassVar = None
    consequence: ClassVar = (
        ". The point is taken for decimals. Write numbers without separators of thousands."
    )

    def __str__(self) -> str:
        return f"{self.name!r} holds numbers such as {self.example}, and another {self.other}"


Wanting = TextColumn | DateColumn | RowColumn | ClockColumn | UnreadColumn | ThousandsColumn


def warning_of(column: Wanting, asked: Callable[[str, str], str]) -> str:
    """What is probably wrong with a column, and what to do: `asked` says how a role is given."""
    advice = asked(column.role, column.name) if column.role else ""
    return f"the column {column}{column.consequence}{advice}"


def as_option(role: str, name: str) -> str:
    """How a column gets a role on the command line."""
    return f"add: --{role} {shlex.quote(name)}"


def in_python(role: str, name: str) -> str:
    """How a column gets a role in Python."""
    return f"give {role}={name!r}."


def in_table(role: str, name: str) -> str:
    """What can be done about a column of a table in Python, whose columns have no roles."""
    return {
        "text": f"use CountVectorizer of scikit-learn, or fit_file with text={name!r}.",
        "date": "make it a column of dates.",
        "ignore": "drop it.",
    }[role]


def text_columns(
    paths: Iterable[str | os.PathLike[str]], reading: ReadingOptions | None = None
) -> list[TextColumn]:
    """Columns of the first file that look like text, and have no role yet.

    At most 500 examples are looked at. Pipes are not, since they can be read only once; nor are
    formats without columns. A file that cannot be read has none: reading it will say why.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "reviews.tsv")
    >>> rows = [f"good\\tbook {i} is a joy to read" for i in range(20)]
    >>> _ = path.write_text("\\n".join(["label\\treview", *rows]))
    >>> print(*text_columns([path]))
    'review' looks like text (20 of its first 20 values are different, with 7 words each)
    """
    return [found for found in wanting_columns(paths, reading) if isinstance(found, TextColumn)]


def wanting_columns(
    paths: Iterable[str | os.PathLike[str]], reading: ReadingOptions | None = None
) -> list[Wanting]:
    """Columns of the first file that look like text, dates or names of rows, and have no role."""
    reading = reading or ReadingOptions()
    found = _first_batch(paths, replace(_without_words(reading), need_labels=False), TABLES)
    if found is None:
        return []
    return wanting_in(found, reading)


def wanting_in(batch: Batch, reading: ReadingOptions) -> list[Wanting]:
    """The same for columns of these examples."""
    return _found(batch, [c for role in ROLES for c in getattr(reading, role)])


def first_labels(
    paths: Iterable[str | os.PathLike[str]], reading: ReadingOptions | None = None
) -> list[Any]:
    """The different labels of the first examples; none of a pipe, which can be read only once."""
    batch = _first_batch(paths, reading or ReadingOptions())
    return [] if batch is None else [label_of(text) for text in batch.core.label_texts]


def are_targets(labels: Sequence[Any], most: int) -> bool:
    """Whether labels look like numbers to predict: some are not whole, or there are many. One in
    a hundred may be something else (“on request”): that is no class, but a bad line."""
    numbers = [label for label in labels if isinstance(label, int | float)]
    if not numbers or len(labels) - len(numbers) > len(labels) / 100:
        return False
    return len(numbers) > most or any(number % 1 for number in numbers)


def first_groups(paths: Iterable[str | os.PathLike[str]], reading: ReadingOptions) -> set[str]:
    """What columns, keys or namespaces the first examples have, whatever is made of them."""
    usual = ReadingOptions()
    plain = replace(
        _without_words(reading), need_labels=False, missing="indicator",
        **{role: getattr(usual, role) for role in ROLES},
    )  # fmt: skip
    batch = _first_batch(paths, plain, (*TABLES, "vw"))
    names = () if batch is None else batch.core.names
    return {re.split("[=^]", name.decode("utf-8", "surrogateescape"))[0] for name in names}


def with_means(paths: Iterable[str | os.PathLike[str]], reading: ReadingOptions) -> ReadingOptions:
    """The same with the mean of each column of numbers, over the examples at the beginning of the
    first file, if a missing value is to count as that."""
    if reading.missing != "mean" or reading.means:
        return reading
    batch = _first_batch(paths, replace(_without_words(reading), need_labels=False), TABLES, True)
    if batch is None:
        raise InvalidInput(
            "missing='mean' needs a table in a file, of which it reads the beginning first; for a "
            "pipe and for other formats there are zero and indicator."
        )
    _, index, value = batch.core.cells()
    names, means = batch.core.names, []
    for i, name in enumerate(names):
        if b"=" not in name:
            means.append((name.decode("utf-8", "surrogateescape"), float(value[index == i].mean())))
    return replace(reading, means=tuple(means))


def _first_batch(
    paths: Iterable[str | os.PathLike[str]],
    reading: ReadingOptions,
    formats: Sequence[str] = (),
    keep_zeros: bool = False,
) -> Batch | None:
    """Of the first file, if it is one of these formats."""
    try:
        file = next((path for path in expand(paths) if path != "-"), "")
        named = by_name(file) if reading.format == "auto" else reading.format
        if not os.path.isfile(file) or (formats and named and named not in formats):
            return None
        with Reader(
            [file], reading, bad=BadLines("skip"), threads=1, chunk=CHUNK, keep_zeros=keep_zeros
        ) as reader:
            batch = next(iter(reader), None)
            return None if formats and not {*reader.formats[:1]} & {*formats} else batch
    except (ThresherError, OSError):
        return None


def _without_words(reading: ReadingOptions) -> ReadingOptions:
    """The same, with no feature made of words."""
    usual = ReadingOptions()
    return replace(reading, cross=(), **{name: getattr(usual, name) for name in WORDS})


def _found(batch: Batch, have_roles: Iterable[str]) -> list[Wanting]:
    texts: dict[str, list[str]] = {}
    numbers: dict[str, list[float]] = {}
    several = set(have_roles)  # keys with several values in one example are no columns either
    for features in batch.features()[:MOST]:
        here: set[str] = set()
        for name, value in features.items():
            column, equals, text = name.partition("=")
            if not equals:
                numbers.setdefault(name, []).append(value)
                continue
            if column in here:
                several.add(column)
            here.add(column)
            texts.setdefault(column, []).append(text)
    looked = [look_at(column, values) for column, values in texts.items() if column not in several]
    counting: list[Wanting | None] = [_counting(*column) for column in numbers.items()]
    written = (column.example for column in looked if isinstance(column, UnreadColumn))
    if pointed := next(filter(OF_POINTS.search, written), None):
        counting += [_thousands(column, values, pointed) for column, values in numbers.items()]
    return [found for found in (*looked, *counting) if found and found.name not in several]


def look_at(name: str, values: list[str]) -> Wanting | None:
    """What a column of texts looks like, by its first values."""
    if len(values) < LEAST:
        return None
    if all(DATE.fullmatch(value) for value in values):
        return DateColumn(name, values[0])
    if all(OTHER_DATES.fullmatch(value) for value in values):
        return UnreadColumn(name, values[0], "dates")
    if are_numbers(values):
        unread = [value for value in values if not READ.fullmatch(value)]
        return UnreadColumn(name, next(filter(OF_POINTS.search, unread), unread[0]), "numbers")
    words = [WORD.findall(value) for value in values]
    of_words = sum(len(w) > 1 and not all(map(str.isdigit, w)) for w in words)
    different, each = len(set(values)), sum(map(len, words)) / len(values)
    if different < DIFFERENT * len(values):
        return None
    if of_words >= OF_WORDS * len(values) and each >= WORDS_EACH:
        return TextColumn(name, len(values), different, each)
    if different == len(values) >= OF_IDS:
        return RowColumn(name, len(values), counts=False)
    return None


def are_numbers(texts: Iterable[str]) -> bool:
    """Whether these are numbers as people write them, some of which are not read as such."""
    unread = 0
    for text in texts:
        if not NUMBER.fullmatch(text) or ADDRESS.fullmatch(text):
            return False
        unread += not READ.fullmatch(text)
    return unread > 0


def _thousands(name: str, values: list[float], other: str) -> ThousandsColumn | None:
    """Numbers below 1000, with a fraction of three digits at most: 1.079, 318."""
    broken = [value for value in values if value % 1]
    if len(broken) < LEAST or any(round(1000 * abs(v), 6) % 1 or abs(v) >= 1000 for v in values):
        return None
    if all(round(100 * value, 6) % 1 == 0 for value in broken):  # a price
        return None
    return ThousandsColumn(name, f"{broken[0]:.3f}", other)


def _counting(name: str, values: list[float]) -> RowColumn | ClockColumn | None:
    if len(values) < OF_IDS:
        return None
    if all(after - before == 1 for before, after in pairwise(values)):
        return RowColumn(name, len(values), counts=True)
    begin, end = ERA
    if any(all(begin * unit <= value < end * unit for value in values) for unit in UNITS):
        return ClockColumn(name, values[0])
    return None
