"""Sparse vectors as dictionaries: a name maps to a value, a name left out is zero."""

from collections.abc import Mapping

__all__ = ["BIAS"]

BIAS = "(bias)"

Vector = dict[str, float]


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
