"""Equations as they are printed: the symbols, the numbers in their place, and the result.

A name stands for a number or a vector. Each line is made from one formula, so its symbols and its
numbers cannot differ: ``τ = ℓ/‖x‖² = 1.42/1.312 = 1.082``. In a formula · is the product (of two
vectors the dot product); ∘, /, ^, √, |…|, exp, ln, sgn, min and max work component by component.
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
    """Lines in order; a name keeps the last value that it was given.

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
        """A line without numbers."""
        self.lines.append(line)

    def let(self, name: str, value: Any, line: bool = False) -> None:
        """Give a name its value; with `line`, print it."""
        text = written(value)
        self._numbers[name] = f"({text})" if text.startswith("−") else text
        if line:
            self.say(f"{name} = {text}")

    def equal(self, name: str, formula: str, value: Any) -> None:
        self._add(name, "=", formula, value)

    def becomes(self, name: str, formula: str, value: Any) -> None:
        """The formula uses the old value; from here on the name has the new one."""
        self._add(name, "←", formula, value)

    def stated(self, formula: str, value: Any) -> None:
        """The value of a formula that has no name."""
        self.say(" = ".join(dict.fromkeys([formula, self.put(formula), written(value)])))

    def compared(self, formula: str, value: float, limit: str, bound: float) -> None:
        """A formula, its value, and whether that is at most a limit."""
        sides = [formula, self.put(formula), told_apart(value, bound)]
        named = limit if limit == written(bound) else f"{limit} = {written(bound)}"
        sign = "≤" if value <= bound else ">"
        self.say(f"{' = '.join(dict.fromkeys(sides))} {sign} {named}")

    def put(self, formula: str) -> str:
        """The formula with numbers in place of names."""
        names = sorted((*FUNCTIONS, *self._numbers), key=len, reverse=True)
        return re.sub(
            "|".join(map(re.escape, names)),
            lambda found: self._numbers.get(found[0], found[0]),
            formula,
        )

    def _add(self, name: str, sign: str, formula: str, value: Any) -> None:
        sides = dict.fromkeys([formula, self.put(formula), written(value)])
        self.say(f"{name} {sign} {' = '.join(sides)}")
        self.let(name, value)
