"""What the plain parsers share. They are slow and obviously right: the oracle of the tests.

A plain parser is a function `parse(text: bytes, **options) -> list[Row | Bad]`, in the order of the
lines. Lines and columns are counted from 0, columns in bytes.
"""

import math
import re
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


class Features:
    """The features of a row. Zeros are left out, a name given twice counts twice."""

    def __init__(self, ngrams: int = 1) -> None:
        self.values: dict[bytes, float] = {}
        self.ngrams = ngrams
        self.words: list[bytes] = []
        self.too_large = False

    def add(self, name: bytes, value: float) -> None:
        if value != 0:
            self.values[name] = self.values.get(name, 0.0) + value
            self.too_large |= math.isinf(self.values[name])

    def word(self, group: bytes, word: bytes, value: float = 1.0) -> None:
        """A word of a running text: its neighbours make n-grams with it until `end_words`."""
        self.words.append(word)
        self.add(group + word, value)

    def end_words(self, group: bytes) -> None:
        for i in range(len(self.words)):
            for n in range(2, self.ngrams + 1):
                if i + n <= len(self.words):
                    self.add(group + b" ".join(self.words[i : i + n]), 1.0)
        self.words.clear()

    def done(self, line: bytes) -> dict[bytes, float]:
        if self.too_large:
            raise Problem(len(line))
        return self.values


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
