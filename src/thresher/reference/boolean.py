"""Learners of boolean concepts in plain Python: sets of literals, lists of concepts.

An example is a tuple of 0 and 1, a concept any function of it. A literal (i, v): x_i has value v.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction

__all__ = ["Consistent", "Elimination", "Halving", "StandardOptimal", "WeightedMajority"]

Example = Sequence[int]
Concept = Callable[[Example], bool]


class NotRealizable(ValueError):
    """No concept of the class agrees with all examples."""


class _Learner:
    def __init__(self) -> None:
        self.examples = self.mistakes = 0

    def predict(self, x: Example) -> bool:
        raise NotImplementedError

    def update(self, x: Example, value: bool) -> None:
        raise NotImplementedError

    def learn(self, x: Example, value: bool) -> None:
        said = self.predict(x)
        self.update(x, value)  # may raise: then nothing was learned
        self.examples += 1
        self.mistakes += said != value


class Elimination(_Learner):
    """Start with all literals; delete those that an example rules out.

    >>> learner = Elimination(3, "conjunction", monotone=True)
    >>> learner.learn((1, 1, 0), True)
    >>> sorted(learner.literals)
    [(0, 1), (1, 1)]
    """

    def __init__(self, n: int, concept: str, monotone: bool) -> None:
        super().__init__()
        self.any = concept == "disjunction"
        values = (1,) if monotone else (1, 0)
        self.literals = {(i, v) for i in range(n) for v in values}

    def predict(self, x: Example) -> bool:
        true = [x[i] == v for i, v in self.literals]
        return any(true) if self.any else all(true)

    def update(self, x: Example, value: bool) -> None:
        if self.predict(x) == value:
            return
        if value == self.any:
            raise NotRealizable
        # The literals that are true in a negative example, or false in a positive one.
        self.literals -= {(i, v) for i, v in self.literals if (x[i] == v) != value}


class Consistent(_Learner):
    """CON: predict with one of the concepts that agree with all examples; `choose` says which.

    >>> learner = Consistent([lambda x: x[0] == 1, lambda x: x[1] == 1], choose=lambda step, n: 0)
    >>> learner.learn((1, 0), False)
    >>> learner.predict((0, 1))
    True
    """

    def __init__(self, concepts: Sequence[Concept], choose: Callable[[int, int], int]) -> None:
        super().__init__()
        self.left = list(concepts)
        self.choose = choose

    def predict(self, x: Example) -> bool:
        return self.left[self.choose(self.examples, len(self.left))](x)

    def update(self, x: Example, value: bool) -> None:
        agree = [f for f in self.left if f(x) == value]
        if not agree:
            raise NotRealizable
        self.left = agree


class Halving(Consistent):
    """Predict with the majority of the concepts that agree with all examples; a tie means false."""

    def __init__(self, concepts: Sequence[Concept]) -> None:
        super().__init__(concepts, choose=lambda step, n: 0)

    def predict(self, x: Example) -> bool:
        return 2 * sum(f(x) for f in self.left) > len(self.left)


@functools.cache
def littlestone_dimension(concepts: tuple[Concept, ...], inputs: tuple[Example, ...]) -> int:
    """The mistakes that an adversary can force on any learner of these concepts; −1 for none.

    >>> littlestone_dimension((lambda x: x[0] == 1, lambda x: x[0] == 0), ((0,), (1,)))
    1
    """
    found = 0 if concepts else -1
    for x in inputs:
        true = tuple(f for f in concepts if f(x))
        false = tuple(f for f in concepts if not f(x))
        if true and false:
            either = (littlestone_dimension(part, inputs) for part in (true, false))
            found = max(found, 1 + min(either))
    return found


class StandardOptimal(Consistent):
    """SOA: predict the label whose concepts have the larger dimension; a tie means false."""

    def __init__(self, concepts: Sequence[Concept], inputs: Sequence[Example]) -> None:
        super().__init__(concepts, choose=lambda step, n: 0)
        self.inputs = tuple(inputs)

    def predict(self, x: Example) -> bool:
        true, false = (tuple(f for f in self.left if f(x) == value) for value in (True, False))
        of = littlestone_dimension
        return of(true, self.inputs) > of(false, self.inputs)


class WeightedMajority(_Learner):
    """Concepts lose weight where they are wrong, but stay; the larger weight wins.

    >>> learner = WeightedMajority([lambda x: x[0] == 1, lambda x: x[1] == 1], beta=0.5)
    >>> learner.learn((1, 0), False)
    >>> learner.weights
    [Fraction(1, 2), Fraction(1, 1)]
    """

    def __init__(self, concepts: Sequence[Concept], beta: float) -> None:
        super().__init__()
        self.concepts = list(concepts)
        self.beta = Fraction(beta)
        self.weights = [Fraction(1)] * len(self.concepts)

    def predict(self, x: Example) -> bool:
        pairs = list(zip(self.weights, self.concepts, strict=True))
        return sum(w for w, f in pairs if f(x)) > sum(w for w, f in pairs if not f(x))

    def update(self, x: Example, value: bool) -> None:
        for i, f in enumerate(self.concepts):
            if f(x) != value:
                self.weights[i] *= self.beta
