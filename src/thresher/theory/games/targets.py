"""The targets of games: concepts over named features; those not named in an example are 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

X = Mapping[str, float]  # an example: the features that are there, with their values


class Target(Protocol):
    """A concept that labels examples."""

    def __call__(self, x: X, /) -> Any: ...


@dataclass(frozen=True)
class AtLeast:
    """True if at least m of some variables are active; m = 1 is their disjunction.

    >>> concept = AtLeast(1, frozenset({"x2", "x5"}))
    >>> concept({"x1": 1, "x2": 1}), concept({"x1": 1})
    (True, False)
    >>> print(concept, "|", AtLeast(2, concept.variables), "|", AtLeast(1, frozenset()))
    x2 ∨ x5 | at least 2 of x2, x5 | false
    """

    m: int
    variables: frozenset[str]

    def __call__(self, x: X) -> bool:
        # Iterate over the smaller one: both may be large.
        if len(self.variables) < len(x):
            return sum(1 for name in self.variables if x.get(name)) >= self.m
        return sum(1 for name, value in x.items() if value and name in self.variables) >= self.m

    def __str__(self) -> str:
        names = sorted(self.variables, key=lambda name: (len(name), name))
        if self.m == 1:
            return " ∨ ".join(names) or "false"
        return f"at least {self.m} of {', '.join(names)}"


@dataclass(frozen=True)
class Parity:
    """True if an odd number of some variables is active: x1 ⊕ x2 for two of them.

    >>> xor = Parity(("x1", "x2"))
    >>> xor({"x1": 1}), xor({"x1": 1, "x2": 1}), str(xor)
    (True, False, 'x1 ⊕ x2')
    """

    variables: tuple[str, ...]

    def __call__(self, x: X) -> bool:
        return sum(1 for name in self.variables if x.get(name)) % 2 == 1

    def __str__(self) -> str:
        return " ⊕ ".join(self.variables)


@dataclass(frozen=True)
class Linear:
    """True if w·x ≥ 0.

    >>> Linear({"a": 2.0, "b": -1.0})({"a": 1.0, "b": 3.0})
    False
    """

    weights: Mapping[str, float]

    def __call__(self, x: X) -> bool:
        score = 0.0  # added up in the order of x
        for name, value in x.items():
            score += self.weights.get(name, 0.0) * value
        return score >= 0


@dataclass(frozen=True)
class Assigned:
    """A label for each example of one feature.

    >>> Assigned({"x1": 3, "x2": 1})({"x2": 1.0})
    1
    """

    labels: Mapping[str, int]

    def __call__(self, x: X) -> int:
        (name,) = x
        return self.labels[name]
