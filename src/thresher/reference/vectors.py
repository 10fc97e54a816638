"""Sparse vectors as dictionaries: a name maps to a value, a name left out is zero."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["BIAS"]

BIAS = "(bias)"

Vector = dict[str, float]

MOST_PARTS = 16  # floats that are multiples of 1/16, such as the 0.0, 0.5 or 2.0 of a formula


def within_fractions(operation: Callable[[Any, Any], Any]) -> Any:
    """An operation of Fraction whose result is exact, also where the formula writes a float."""

    def result(self: "Exact", other: Any) -> Any:
        if isinstance(other, float):
            other = Exact.of_formula(other)
        found = operation(self, other)
        return Exact(found) if isinstance(found, Fraction) else found

    return result


class Exact(Fraction):
    """A fraction that stays exact when combined with the 0.0 or 1.0 of a formula; shown as 2/3.

    >>> Exact(1, 3) * 2.0 + 0.5, 0.0 + Exact(4)
    (7/6, 4)

    Other floats are refused: they are roots and exponentials, or decimals that no float holds.

    >>> 0.1 * Exact(1)
    Traceback (most recent call last):
    ArithmeticError: 0.1 is a float, which exact numbers do not mix with: write Fraction('0.1')
    """

    __slots__ = ()

    @staticmethod
    def of_formula(value: float) -> Fraction:
        """A float that is exact beyond doubt."""
        if not (value * MOST_PARTS).is_integer():
            raise ArithmeticError(
                f"{value} is a float, which exact numbers do not mix with: write "
                f"Fraction({str(value)!r})"
            )
        return Fraction(value)

    __add__ = within_fractions(Fraction.__add__)
    __radd__ = within_fractions(Fraction.__radd__)
    __sub__ = within_fractions(Fraction.__sub__)
    __rsub__ = within_fractions(Fraction.__rsub__)
    __mul__ = within_fractions(Fraction.__mul__)
    __rmul__ = within_fractions(Fraction.__rmul__)
    __truediv__ = within_fractions(Fraction.__truediv__)
    __rtruediv__ = within_fractions(Fraction.__rtruediv__)

    def __pow__(self, exponent: Any) -> "Exact":  # type: ignore[override]  # never a float
        if Fraction(exponent).denominator != 1:
            raise ArithmeticError(f"({self})^({exponent}) is no fraction: take whole exponents")
        return Exact(Fraction(self) ** int(exponent))

    def __rpow__(self, base: Any) -> "Exact":  # type: ignore[override]
        return Exact(Exact.of_formula(base) if isinstance(base, float) else base) ** self

    def __neg__(self) -> "Exact":
        return Exact(-Fraction(self))

    def __abs__(self) -> "Exact":
        return Exact(abs(Fraction(self)))

    def __repr__(self) -> str:
        return str(self)


def number(value: Any) -> Any:
    """A Fraction as an Exact; other numbers as they are."""
    return Exact(value) if isinstance(value, Fraction) else value


def as_given(x: Mapping[str, Any]) -> dict[str, Any]:
    """x with its fractions as exact numbers.

    >>> as_given({"a": Fraction(1, 3), "b": 0.25})
    {'a': 1/3, 'b': 0.25}
    """
    return {name: number(value) for name, value in x.items()}


def with_bias(x: Mapping[str, float], value: float = 1.0) -> Vector:
    """Add the constant feature: a feature like any other, so it counts in ‖x‖².

    >>> with_bias({"a": 2.0})
    {'a': 2.0, '(bias)': 1.0}
    """
    return {**x, BIAS: value}


def dot(w: Mapping[str, float], x: Mapping[str, float]) -> float:
    """w·x, over the names of x, in their order.

    >>> dot({"a": 2.0, "b": 1.0}, {"b": 3.0})
    3.0
    """
    # A loop, not sum(): from Python 3.12 on, sum() compensates for rounding, and a step of the
    # engine would not be the same step.
    total = 0.0
    for name, value in x.items():
        total += w[name] * value
    return total


def sqnorm(x: Mapping[str, float]) -> float:
    """‖x‖².

    >>> sqnorm({"a": 3.0, "b": 4.0})
    25.0
    """
    return dot(x, x)


def add(w: Vector, step: float, x: Mapping[str, float]) -> None:
    """w += step·x, in place.

    >>> w = Weights()
    >>> add(w, -2.0, {"a": 3.0})
    >>> w
    {'a': -6.0}
    """
    step = number(step)
    for name, value in x.items():
        w[name] += step * value


class Weights(Vector):
    """One weight for each name; a name never seen has the weight `unseen`.

    So the set of names is unbounded: reading a new name costs nothing, and a name is added when a
    step first writes to it.

    >>> w = Weights(unseen=1.0)
    >>> w["new"], len(w)
    (1.0, 0)
    """

    def __init__(self, unseen: float = 0.0) -> None:
        super().__init__()
        self.unseen = unseen

    def __missing__(self, name: str) -> float:
        return self.unseen

    def scaled(self, factor: float) -> "Weights":
        """A new vector, factor·w."""
        result = Weights(self.unseen * factor)
        result.update({name: weight * factor for name, weight in self.items()})
        return result

    def divided(self, divisor: float) -> "Weights":
        """A new vector, w/divisor."""
        result = Weights(self.unseen / divisor)
        result.update({name: weight / divisor for name, weight in self.items()})
        return result
