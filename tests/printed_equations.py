"""Printed equations, evaluated: every number stands for all that are printed like it.

An equation is true to its printed precision if both sides can be the same number. A side with a
name in it is skipped; what has none must be read, or it is an error.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from dataclasses import dataclass

FUNCTIONS = ("max", "min", "exp", "ln", "sgn")
TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+−]?\d+)?|∞|max|min|exp|ln|sgn|[-+−·∘/^()|,√])")
RELATIONS = {"=": "=", "←": "=", "≤": "≤", "<": "≤", ">": "≥", "≥": "≥"}


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def meets(self, other: Interval, relation: str) -> bool:
        room = 1e-9 * max(map(abs, (self.low, other.low, 1e-300)))
        below, above = self.low <= other.high + room, self.high >= other.low - room
        return {"=": below and above, "≤": below, "≥": above}[relation]

    def corners(self, other: Interval, what) -> Interval:
        values = [what(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        values = [0.0 if math.isnan(v) else v for v in values]  # 0·∞
        return Interval(min(values), max(values))

    def each(self, what) -> Interval:
        return Interval(what(self.low), what(self.high))


def printed(text: str) -> Interval:
    """A number as `thresher.lab.texts.figure` prints it: three decimals or three digits."""
    if text == "∞":
        return Interval(math.inf, math.inf)
    value = float(text.replace("−", "-"))
    if value == 0.0 or ("e" not in text and len(text.partition(".")[2]) > 4 and value >= 1e-2):
        return Interval(value, value)  # nothing else is printed as 0; or all digits are there
    digits = 3 if 1.0 <= value < 100.0 else 0 if 100.0 <= value < 1e5 else None
    if digits is None:
        digits = 2 - math.floor(math.log10(value))
    return Interval(value - 0.5000001 * 10.0**-digits, value + 0.5000001 * 10.0**-digits)


def over(a: float, b: float) -> float:
    return a / b if b else math.copysign(math.inf, a) if a else 0.0


def divided(a: Interval, b: Interval) -> Interval:
    if b.low <= 0.0 <= b.high and (b.low or b.high):
        return Interval(-math.inf, math.inf)
    return a.corners(b, over)


def product(a: Interval, b: Interval) -> Interval:
    return a.corners(b, operator.mul)


def power(a: float, b: float) -> float:
    try:
        return a**b
    except OverflowError:
        return math.inf


def exponential(v: float) -> float:
    return math.exp(v) if v < 709.0 else math.inf


NUMBER_BY_NUMBER = {
    "+": lambda a, b: Interval(a.low + b.low, a.high + b.high),
    "−": lambda a, b: Interval(a.low - b.high, a.high - b.low),
    "∘": product,
    "/": divided,
    "^": lambda a, b: a.corners(b, power),
    "max": lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
    "min": lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
}
OF_ONE = {
    "√": lambda a: a.each(lambda v: math.sqrt(max(0.0, v))),
    "exp": lambda a: a.each(exponential),
    "ln": lambda a: a.each(lambda v: math.log(v) if v > 0.0 else -math.inf),
    "sgn": lambda a: a.each(lambda v: float(v > 0.0) - float(v < 0.0)),
    "|": lambda a: Interval(
        0.0 if a.low <= 0.0 <= a.high else min(abs(a.low), abs(a.high)),
        max(abs(a.low), abs(a.high)),
    ),
}


def by_number(name, a, b):
    if isinstance(a, list) or isinstance(b, list):
        size = len(a if isinstance(a, list) else b)
        a, b = (v if isinstance(v, list) else [v] * size for v in (a, b))
        return [by_number(name, *pair) for pair in zip(a, b, strict=True)]
    return NUMBER_BY_NUMBER[name](a, b)


def of_one(name, a):
    return [of_one(name, v) for v in a] if isinstance(a, list) else OF_ONE[name](a)


def times(a, b):
    """A number times anything; of two vectors the sum of products; of a matrix, its rows."""
    if not (isinstance(a, list) and isinstance(b, list)):
        return by_number("∘", a, b)
    if isinstance(a[0], list):
        return [times(row, b) for row in a]
    total = Interval(0.0, 0.0)
    for pair in zip(a, b, strict=True):
        total = by_number("+", total, product(*pair))
    return total


class Reader:
    """One expression without names."""

    def __init__(self, text: str) -> None:
        self.tokens, at = [], 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"cannot read {text[at:]!r} of {text!r}")
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def next(self, *wanted: str) -> str | None:
        if self.at < len(self.tokens) and (not wanted or self.tokens[self.at] in wanted):
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def all(self):
        value = self.sum()
        if self.at < len(self.tokens):
            raise ValueError(f"left over: {self.tokens[self.at :]}")
        return value

    def sum(self):
        value = self.product()
        while sign := self.next("+", "−"):
            value = by_number(sign, value, self.product())
        return value

    def product(self):
        value = self.signed()
        while sign := self.next("·", "∘", "/"):
            other = self.signed()
            value = times(value, other) if sign == "·" else by_number(sign, value, other)
        return value

    def signed(self):
        if self.next("−"):
            return by_number("−", Interval(0.0, 0.0), self.signed())
        value = self.one()
        return by_number("^", value, self.one()) if self.next("^") else value

    def one(self):
        token = self.next()
        if token == "√":
            return of_one("√", self.one())
        if token == "|":
            value = of_one("|", self.sum())
            assert self.next("|")
            return value
        if token == "(":
            values = self.several()
            return values[0] if len(values) == 1 else values
        if token in FUNCTIONS:
            assert self.next("(")
            values = self.several()
            return by_number(token, *values) if len(values) == 2 else of_one(token, values[0])
        if token is None or not (token[0].isdigit() or token == "∞"):
            raise ValueError(f"found {token!r}; expected a number")
        return printed(token)

    def several(self):
        values = [self.sum()]
        while self.next(","):
            values.append(self.sum())
        assert self.next(")")
        return values


def value_of(side: str):
    """None if there is a name in it."""
    bare = re.sub(r"max|min|exp|ln|sgn|(?<=\d)e(?=[+−]?\d)", "", side)
    if re.search(r"[^\d\s.,()+−·∘/^|√∞]", bare) or not bare.strip():
        return None
    return Reader(side).all()


def meet(a, b, relation: str) -> bool:
    if isinstance(a, list) or isinstance(b, list):
        return len(a) == len(b) and all(meet(*pair, relation) for pair in zip(a, b, strict=True))
    return a.meets(b, relation)


def statements(text: str):
    """Every equation or inequality of a text: its name, and the sides that are numbers."""
    for line in text.splitlines():
        for part in re.split(r"[,:]   ", line):
            pieces = re.split(r" ([=←≤<>≥]) ", part)
            if len(pieces) < 3 or "→" in part:
                continue
            sides, relation, found = pieces[::2], [], []
            for side, sign in itertools.zip_longest(sides, pieces[1::2]):
                if (value := value_of(side)) is not None:
                    found.append((tuple(relation), value))
                    relation = []
                relation.append(RELATIONS.get(sign, "="))
            yield part, sides[0].strip(), found


def check(text: str) -> dict[str, object]:
    """All is true; the last value of every name."""
    last: dict[str, object] = {}
    for part, name, found in statements(text):
        for (_, a), (relations, b) in itertools.pairwise(found):
            relation = next((r for r in relations if r != "="), "=")
            assert meet(a, b, relation), f"{part!r} is false, in\n{text}"
        if found and " = " in f"{part} ":
            last[name] = found[-1][1] if "≤" not in part and ">" not in part else found[0][1]
    return last
