"""What a run of the perceptron can prove: that no separator exists.

If signed examples y·x, each λ > 0 times, add up to exactly zero, no w has y·(w·x) > 0 for all of
them (Gordan 1873). In exact arithmetic weights that come back give such a sum: the updates in
between. In floats they may also come back because an update was too small to be seen beside a large
weight. So the sum is formed again, in fractions.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from thresher.lazy import np
from thresher.learners.base.examples import Rows
from thresher.learners.base.learner import Learner

if TYPE_CHECKING:
    from thresher.theory.certificate import Certificate

MOST_STEPS = 500_000  # of a cycle that is followed once more, example by example
MOST_PRODUCTS = 3_000_000  # of fractions

Moves = Counter[tuple[int, tuple[int, ...]]]
"""How often each row moved which prototypes."""


class Proving(Learner):
    """A learner whose ``fit`` may prove that no separator exists."""

    learned = (*Learner.learned, "_proof")
    _proof: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    fit_intercept: bool

    @property
    def certificate_(self) -> Certificate | None:
        """The proof that no separator of the rows exists, if ``fit`` came upon one; else None.

        Whole numbers λ for some rows of X: Σ λ·y·x = 0, checked without rounding. It is not kept in
        files.
        """
        from thresher.theory.certificate import Certificate

        self._learned()
        if self._proof is None:
            return None
        return Certificate(*self._proof, bool(self.fit_intercept))


class ProofRows:
    """The rows of a ``fit`` as the theorems see them: what each adds to the weights, and its sign.

    `step` is a learner with the same features and constant whose first step is w = x.
    """

    def __init__(
        self,
        learner: Any,
        rows: Rows,
        codes: Any,
        weights: Any,
        *,
        step: Any,
        class_weight: Any = None,
    ) -> None:
        self.learner, self.rows, self.codes, self.weights = learner, rows, codes, weights
        self.step, self.class_weight = step, class_weight

    def vector(self, i: int) -> dict[str, Fraction]:
        """Row i with all that was made of it and the constant feature "", by name."""
        fresh = self.step.fresh()
        model = fresh._begin()
        fresh._codes([1], 1, None)  # a label that stands for +1
        model.grow(self.learner._learned().features)
        first = np.zeros(self.rows.size, np.int32)
        model.learn(
            self.rows.core, codes=first, targets=None, weights=None, order=np.array([i], np.int64)
        )
        values = np.frombuffer(model.hypothesis()).tolist()
        named = zip(["", *model.weight_names()], values, strict=True)
        return {name: Fraction(value) for name, value in named if value}

    def share(self, i: int) -> Fraction:
        """How much one step of row i counts beside that of a row of weight 1."""
        weight = Fraction(1) if self.weights is None else Fraction(float(self.weights[i]))
        if isinstance(self.class_weight, Mapping):
            label = self.learner._labels.values[self.codes[i]]
            weight *= Fraction(float(self.class_weight.get(label, 1.0)))
        return weight

    def signs(self, i: int, moved: tuple[int, ...]) -> dict[int, int]:
        """The prototypes that row i moved, and which way; with two classes there is one."""
        if moved == (0,) and len(self.learner._labels.values) <= 2:
            return {0: -1 if self.learner._labels.looks_negative[self.codes[i]] else 1}
        own = self.learner._learned().order().index(int(self.codes[i]))
        return {k: 1 if k == own else -1 for k in moved}

    def cancels(self, moves: Moves) -> bool:
        """Whether the moves add up to exactly zero."""
        totals: dict[tuple[int, str], Fraction] = {}
        for (i, moved), times in moves.items():
            x, factor = self.vector(i), times * self.share(i)
            for k, sign in self.signs(i, moved).items():
                for name, value in x.items():
                    part = sign * factor * value
                    totals[k, name] = totals.get((k, name), Fraction(0)) + part
        return bool(moves) and not any(totals.values())

    def coefficients(self, moves: Moves) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The rows and λ in whole numbers, of two classes."""
        shares = {i: times * self.share(i) for (i, _), times in sorted(moves.items())}
        whole = math.lcm(*(share.denominator for share in shares.values()))
        numbers = [int(share * whole) for share in shares.values()]
        common = math.gcd(*numbers)
        return tuple(shares), tuple(n // common for n in numbers)


def moves_around(lesson: ProofRows, passes: int) -> Moves | None:
    """Which rows move what in the next passes; None if that would take too long."""
    learner, rows = lesson.learner, lesson.rows
    if rows.size * passes > MOST_STEPS:
        return None
    model = copy.copy(learner)._learned()
    columns = len(model.constants())
    found: Moves = Counter()
    for _ in range(passes):
        for i in range(rows.size):
            updates = model.counters()["updates"]
            before = model.hypothesis() if columns > 1 else b""
            model.learn(
                rows.core, codes=lesson.codes, targets=None, weights=lesson.weights,
                order=np.array([i], np.int64),
            )  # fmt: skip
            if model.counters()["updates"] == updates:
                continue
            moved: tuple[int, ...] = (0,)
            if columns > 1:
                change = np.frombuffer(model.hypothesis()) != np.frombuffer(before)
                by_feature = change.reshape(len(model.weight_names()) + 1, -1)
                moved = tuple(np.flatnonzero(by_feature.any(axis=0)).tolist())
            found[i, moved] += 1
    return found if len(found) * model.features <= MOST_PRODUCTS else None
