"""What the plain parsers share. They are slow and obviously right: the oracle of the tests.

A plain parser is a function `parse(text: bytes, **options) -> list[Row | Bad]`, in the order of the
lines. Lines and columns are counted from 0, columns in bytes.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

SPACES = b" \t\r\f\v"
NUMBER = re.compile(rb"(\+(?!-)|-)?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass
class Row:
    label: bytes | float | None
    weight: float = 1.0
    tag: bytes = b""
    features: dict[bytes, float] = field(default_factory=dict)
    line: int = 0


@dataclass
class Bad:
    line: int
    column: int


class Problem(Exception):
    """A bad record: `at` is the column where it is bad."""

    def __init__(self, at: int) -> None:
        super().__init__(f"bad at byte {at}")
        self.at = at


def lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, without its end."""
    parts = text.split(b"\n")
    if parts[-1] == b"":
        parts.pop()
    for number, line in enumerate(parts):
        yield number, line.removesuffix(b"\r")


def finite(word: bytes) -> float | None:
    """The number that the word is, or None."""
    if not NUMBER.fullmatch(word):
        return None
    value = float(word)
    return value if math.isfinite(value) else None


def label_of(word: bytes, at: int, targets: bool, sets: bool = False) -> bytes | float:
    """The label as it is learned: its text, or a number where a regressor is to learn it."""
    if b"\0" in word:
        raise Problem(at + word.index(b"\0"))
    if not targets:
        if sets:
            check_set(word, at)
        return word
    target = finite(word)
    if target is None:
        raise Problem(at)
    return target


def check_set(word: bytes, at: int) -> None:
    """Labels with commas between, each once, none of them empty; or nothing at all."""
    seen: set[bytes] = set()
    for part in word.split(b",") if word.strip(b" \t") else []:
        label = part.strip(b" \t")
        if not label:
            raise Problem(at)
        if label in seen:
            raise Problem(at + len(part) - len(part.lstrip(b" \t")))
        seen.add(label)
        at += len(part) + 1


WORTH: dict[str, Callable[[int], float]] = {
    "binary": lambda count: 1.0,
    "log": lambda count: 1.0 + math.log(count),
}


class Features:
    """The features of a row. Zeros are left out, a name given twice counts twice.

    `char_ngrams` is "", or how many neighbouring characters of a word are features: "2-3".
    """

    def __init__(self, ngrams: int = 1, char_ngrams: str = "", weighting: str = "count") -> None:
        self.cells: list[tuple[bytes, float | None]] = []  # None: a word, which is counted
        self.ngrams = ngrams
        least, most = map(int, char_ngrams.split("-")) if char_ngrams else (1, 0)
        self.lengths = range(least, most + 1)
        self.weighting = weighting
        self.words: list[bytes] = []

    def add(self, name: bytes, value: float | None) -> None:
        if value != 0:
            self.cells.append((name, value))

    def word(self, group: bytes, word: bytes, value: float | None = None) -> None:
        """A word of a running text: its neighbours make n-grams with it until `end_words`."""
        self.words.append(word)
        self.add(group + word, value)
        if value is None:
            self.characters(group, word)

    def characters(self, group: bytes, word: bytes) -> None:
        text = f" {word.decode('utf-8', 'surrogateescape')} "  # bytes that are no text count as one
        for i in range(len(text)):
            for n in self.lengths:
                run = text[i : i + n]
                if len(run) == n and run != " ":
                    self.add(group + b"~" + run.encode("utf-8", "surrogateescape"), None)

    def end_words(self, group: bytes) -> None:
        for i in range(len(self.words)):
            for n in range(2, self.ngrams + 1):
                if i + n <= len(self.words):
                    self.add(group + b" ".join(self.words[i : i + n]), None)
        self.words.clear()

    def done(self, line: bytes) -> dict[bytes, float]:
        counts = Counter(name for name, value in self.cells if value is None)
        values: dict[bytes, float] = {}
        for name, value in self.cells:
            if value is None and self.weighting != "count":
                value = WORTH[self.weighting](counts.pop(name)) if name in counts else 0.0
            values[name] = values.get(name, 0.0) + (1.0 if value is None else value)
            if math.isinf(values[name]):
                raise Problem(len(line))
        return values


def parse_lines(
    text: bytes, is_blank: Callable[[bytes], bool], read: Callable[[bytes], Row]
) -> list[Row | Bad]:
    """Each line that says something, read by `read`."""
    found: list[Row | Bad] = []
    for number, line in lines(text):
        if is_blank(line):
            continue
        try:
            row = read(line)
            row.line = number
            found.append(row)
        except Problem as problem:
            found.append(Bad(number, problem.at))
    return found


def check_text(line: bytes) -> None:
    """UTF-8 without NUL."""
    at = line.find(b"\0")
    try:
        line.decode()
    except UnicodeDecodeError as error:
        at = error.start if at < 0 else min(at, error.start)
    if at >= 0:
        raise Problem(at)
