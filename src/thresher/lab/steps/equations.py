"""Equations as they are printed: in symbols, with the numbers put in, and what comes of it.

A name stands for one number or vector. A line is made from one formula, so that its symbols and its
numbers cannot differ: ``τ = ℓ/‖x‖² = 1.42/1.312 = 1.082``. In a formula · is a product (of two
vectors the sum of products), ∘ and / go number by number, and so do ^, √, |…|, exp, ln, sgn, min
and max.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from thresher.lab.texts import figure, told_apart

FUNCTIONS = ("max", "min", "exp", "ln", "sgn")


def written(value: Any) -> str:
    """A number, a vector, or a list of vectors."""
    if np.ndim(value):
        return f"({', '.join(written(v) for v in value)})"
    return figure(float(value))


class Equations:
    """Lines, one after the other; a name keeps its last number.

    >>> lines = Equations()
    >>> lines.let("y", -1)
    >>> lines.let("x", [0.5, 1])
    >>> lines.becomes("w", "y·x", [-0.5, -1])
    >>> lines.equal("s", "w·x", -1.25)
    >>> print(lines)
    w ← y·x = (−1)·(0.5, 1) = (−0.5, −1)
    s = w·x = (−0.5, −1)·(0.5, 1) = −1.25
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[str, str] = {}

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def say(self, line: str) -> None:
        """A line of symbols."""
        self.lines.append(line)

    def let(self, name: str, value: Any, line: bool = False) -> None:
        """A number that is given; with `line` it is printed."""
        text = written(value)
        self._numbers[name] = f"({text})" if text.startswith("−") else text
        if line:
            self.say(f"{name} = {text}")

    def equal(self, name: str, formula: str, value: Any) -> None:
        self._add(name, "=", formula, value)

    def becomes(self, name: str, formula: str, value: Any) -> None:
        """The formula has the old numbers; from here on the name stands for the new one."""
        self._add(name, "←", formula, value)

    def stated(self, formula: str, value: Any) -> None:
        """What a formula without a name of its own comes to."""
        self.say(" = ".join(dict.fromkeys([formula, self.put(formula), written(value)])))

    def compared(self, formula: str, value: float, limit: str, bound: float) -> None:
        """On which side of a limit a formula lies."""
        sides = [formula, self.put(formula), told_apart(value, bound)]
        named = limit if limit == written(bound) else f"{limit} = {written(bound)}"
        sign = "≤" if value <= bound else ">"
        self.say(f"{' = '.join(dict.fromkeys(sides))} {sign} {named}")

    def put(self, formula: str) -> str:
        """The formula with numbers for names."""
        names = sorted((*FUNCTIONS, *self._numbers), key=len, reverse=True)
        return re.sub(
            "|".join(map(re.escape, names)),
            lambda found: self._numbers.get(found[0], found[0]),
            formula,
        )

    def _add(self, name: str, sign: str, formula: str, value: Any) -> None:
        sides, result = [f"{name} {sign} {formula}"], written(value)
        numbers = self.put(formula)
        sides += [side for side in (numbers, result) if side != sides[-1]]
        if numbers == result:
            sides = [sides[0], result]
        self.say(" = ".join(sides))
        self.let(name, value)
