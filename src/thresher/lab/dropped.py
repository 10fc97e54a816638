"""A table that was dropped on the page: its columns of numbers, and the one that is the label."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab import check

MOST_TEXT = 1_000_000
LABEL_NAMES = ("label", "class", "target", "species", "y")
COUNTING = ("", "id", "index", "row", "nr", "unnamed: 0")  # names of a column that numbers the rows
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


@dataclass(frozen=True)
class Table:
    """Rows of a table, each with the number of its line."""

    names: list[str]
    rows: list[tuple[int, list[str]]]
    label: int
    numeric: list[int]
    """The columns of numbers, by the first row; the label is none of them. What only numbers the
    rows comes last."""
    drawn: str
    """What to say if these are only some of the rows, or commas stand for points."""

    @property
    def labels(self) -> list[str]:
        return [row[self.label].strip() for _, row in self.rows]

    def values(self, columns: list[int]) -> list[list[float]]:
        """The numbers of some columns, row by row."""
        return [[_number(row[j], n, self.names[j]) for j in columns] for n, row in self.rows]


def read(text: Any, told: Any, most: int) -> Table:
    """A CSV text with a label and at least two columns of numbers; at most so many rows of it,
    drawn at random. `told` says how many the file had, if that is known."""
    found, commas = _parsed(check.word("text", text, most=MOST_TEXT))
    numbered = [(n, row) for n, row in found if any(cell.strip() for cell in row)]
    if not numbered:
        raise InvalidInput("the table is empty; expected rows such as 0.3, -0.7, 1.")
    first = numbered[0][1]
    head = [cell.strip() for cell in first] if not any(map(_is_number, first)) else None
    body = numbered[1:] if head else numbered
    if not body:
        raise InvalidInput("the table has a line of names and no rows.")
    width = len(body[0][1])
    if width < 3:
        raise InvalidInput(
            f"the table has {_count(width, 'column')}; expected three: x1, x2 and the label."
        )
    if head and len(head) != width:
        raise InvalidInput(
            f"the line of names has {_count(len(head), 'column')}, the first row {width}; expected "
            "as many."
        )
    names = head or [f"column {j + 1}" for j in range(width)]
    label = _label_column(names, [row for _, row in body], width)
    numeric = [j for j in range(width) if j != label and _is_number(body[0][1][j])]
    numeric.sort(key=lambda j: names[j].lower() in COUNTING)
    if len(numeric) < 2:
        raise InvalidInput(
            f"the first row is {check.short(','.join(body[0][1]))}; expected two columns of "
            "numbers besides the label."
        )
    for number, row in body:
        if len(row) != width:
            raise InvalidInput(
                f"line {number} has {_count(len(row), 'column')}; expected {width} as in the first."
            )
    total = len(body) if told is None else check.whole("rows", told, 0, 10**12)
    if len(body) > most:
        chosen = np.sort(np.random.default_rng(0).choice(len(body), most, replace=False))
        body = [body[i] for i in chosen]
    drawn = f"{len(body):,} of {total:,} rows, drawn at random. " if total > len(body) else ""
    if commas:
        drawn += "Commas are read as decimal points. "
    return Table(names, body, label, numeric, drawn)


def in_order(labels: list[str]) -> list[str]:
    """Each label once: numbers by size, then words by letter."""
    return sorted(set(labels), key=lambda text: (not _is_number(text), order(text), text))


def order(text: str) -> float:
    if text in ("+", "-", "−"):
        return 1.0 if text == "+" else -1.0
    return float(text) if _is_number(text) else math.inf


def _parsed(text: str) -> tuple[list[tuple[int, list[str]]], bool]:
    """Each row, with the number of its line; whether it had decimal commas, now points."""
    if "\0" in text:
        raise InvalidInput("the file is not text in UTF-8; expected a table saved as CSV in UTF-8.")
    first = text.lstrip("\ufeff").splitlines()[:1]
    mark = max(",;\t", key=first[0].count) if first else ","
    try:
        reader = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=mark, strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InvalidInput(f"the table cannot be read as CSV: {error}.") from None
    pointed = [(n, row if mark == "," else list(map(_pointed, row))) for n, row in rows]
    return pointed, pointed != rows


def _pointed(cell: str) -> str:
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, line: int, name: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise InvalidInput(
            f"line {line}, {name}: found {check.short(cell)}; expected a number."
        ) from None
    if not math.isfinite(value) or abs(value) > 1e6:
        raise InvalidInput(
            f"line {line}, {name}: found {cell.strip()}; expected a number between −1e6 and 1e6."
        )
    return value


def _label_column(names: list[str], body: list[list[str]], width: int) -> int:
    """By its name, or the last column; the first if only that has two values."""
    lower = [name.lower() for name in names]
    for name in LABEL_NAMES:
        if name in lower and not (name == "y" and "x" in lower):  # next to x, y is a coordinate
            return lower.index(name)
    for j in (width - 1, 0):
        if len({row[j].strip() for row in body if len(row) == width}) == 2:
            return j
    return width - 1


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
