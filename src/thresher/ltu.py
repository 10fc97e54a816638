"""Linear threshold units: boolean functions of whether a weighted sum reaches a threshold.

Conjunctions, disjunctions and "at least m of these" are such functions. A literal is a number, as
in DIMACS files: 3 stands for x3 and -3 for ¬x3; variables count from 1.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt

MOST_IN_A_TABLE = 24  # a truth table of 2^24 rows takes 16 MB, and 128 MB while it is made


@dataclass(frozen=True, eq=False)
class ThresholdUnit:
    """True for x iff w·x ≥ θ.

    >>> majority = ThresholdUnit([1, 1, 1], 2)
    >>> print(majority)
    x1 + x2 + x3 >= 2
    >>> majority([1, 0, 1]), majority([0, 0, 1])
    (True, False)
    """

    weights: npt.NDArray[np.float64]
    threshold: float

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.ndim != 1 or weights.size == 0:
            raise InvalidInput(
                f"weights have shape {weights.shape}; expected one number for each of n ≥ 1 "
                "variables."
            )
        if not np.isfinite(weights).all():
            raise InvalidInput(
                f"weight {int(np.argmin(np.isfinite(weights))) + 1} is not finite; "
                "expected numbers."
            )
        threshold = float(self.threshold)
        if not math.isfinite(threshold):
            raise InvalidInput(f"threshold is {threshold}; expected a number.")
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "threshold", threshold)

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.weights)

    def __call__(self, x: npt.ArrayLike) -> bool:
        values = np.asarray(x, dtype=np.float64)
        if values.shape != (self.n,):
            raise InvalidInput(
                f"x has shape {values.shape}; expected {self.n} values, one for each variable."
            )
        # Summed in the order of the variables, as in truth_table, so that both always agree.
        return bool(np.cumsum(self.weights * values)[-1] >= self.threshold)

    def truth_table(self) -> npt.NDArray[np.bool_]:
        """The value for each of the 2^n inputs; row r is the input whose x_{i+1} is bit i of r.

        >>> conjunction([1, -2], 2).truth_table()  # x1 x2 = 00, 10, 01, 11
        array([False,  True, False, False])
        """
        if self.n > MOST_IN_A_TABLE:
            raise InvalidInput(
                f"a truth table of {self.n} variables has 2^{self.n} rows; expected at most "
                f"{MOST_IN_A_TABLE} variables. Ask for single inputs: unit(x)."
            )
        sums = np.zeros(1)
        for w in self.weights:  # with each variable the table doubles: x_i = 0, then x_i = 1
            sums = np.concatenate([sums, sums + w])
        return np.asarray(sums >= self.threshold)

    def __str__(self) -> str:
        text = ""
        for i in np.flatnonzero(self.weights):
            w = float(self.weights[i])
            size = "" if abs(w) == 1 else f"{_number(abs(w))}·"
            sign = ("-" if w < 0 else "") if not text else (" - " if w < 0 else " + ")
            text += f"{sign}{size}x{i + 1}"
        return f"{text or '0'} >= {_number(self.threshold)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ThresholdUnit):
            return NotImplemented
        return self.threshold == other.threshold and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((tuple(self.weights.tolist()), self.threshold))


def conjunction(literals: Iterable[int], n: int) -> ThresholdUnit:
    """All of the literals: only all of them together reach their number. None: always true.

    >>> print(conjunction([1, 2, 4], n=4))
    x1 + x2 + x4 >= 3
    >>> print(conjunction([2, -5], n=6))
    x2 - x5 >= 1
    """
    literals = check_literals(literals, n)
    return at_least(len(literals), literals, n)


def disjunction(literals: Iterable[int], n: int) -> ThresholdUnit:
    """At least one of the literals. No literals: always false.

    >>> print(disjunction([1, -3], n=3))
    x1 - x3 >= 0
    """
    return at_least(1, literals, n)


def at_least(m: int, literals: Iterable[int], n: int) -> ThresholdUnit:
    """At least m of the literals. A negated one, 1 − x_i, has weight −1 and lowers the threshold.

    >>> print(at_least(2, [1, 3, 4], n=4))
    x1 + x3 + x4 >= 2
    """
    m, literals = whole_number("m", m), check_literals(literals, n)
    if m < 0:
        raise InvalidInput(f"m is {m}; expected 0 or more literals that have to be true.")
    weights = np.zeros(n)
    for literal in literals:
        weights[abs(literal) - 1] += 1 if literal > 0 else -1
    return ThresholdUnit(weights, m - sum(literal < 0 for literal in literals))


def check_literals(literals: Iterable[int], n: int) -> list[int]:
    """The literals as a list, each once, each of a variable from x1 to xn.

    >>> check_literals([2, -9], n=10)
    [2, -9]
    """
    n = check_variables(n)
    found = [whole_number("a literal", literal) for literal in literals]
    for literal in found:
        if not 1 <= abs(literal) <= n:
            raise InvalidInput(
                f"literal {literal}; expected 1 to {n} for x1 to x{n}, or -1 to -{n} for their "
                "negations."
            )
    if len(set(found)) != len(found):
        twice = next(literal for literal in found if found.count(literal) > 1)
        raise InvalidInput(f"literal {twice} comes more than once; expected each one once.")
    return found


def check_variables(n: Any) -> int:
    """The number of variables: at least one."""
    found = whole_number("n", n)
    if found < 1:
        raise InvalidInput(f"n is {found}; expected at least one variable.")
    return found


def literal_name(literal: int, names: Sequence[str] | None = None) -> str:
    """A literal as text: x3, ¬x3, or with the variable's own name.

    >>> literal_name(-3), literal_name(1, ["red", "round"])
    ('¬x3', 'red')
    """
    name = f"x{abs(literal)}" if names is None else names[abs(literal) - 1]
    return name if literal > 0 else f"¬{name}"


def whole_number(what: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise InvalidInput(f"{what} is {value!r}; expected a whole number.") from None


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"{value:g}"
