"""A theorem as an object: what it states, which learners it covers, and its row for a run.

Families of theorems are in `additive`, `winnow` and `concepts`; `table` lists them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thresher.learners.linear.passive_aggressive import PassiveAggressive
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.monotone import Monotone
from thresher.theory.audit.result import Row, RunCounts
from thresher.theory.bounds import Assumption, Bound
from thresher.theory.signed import Floats, SignedExamples


@dataclass(frozen=True)
class Concepts:
    """How a learner of boolean concepts ended."""

    learner: Any
    realizable: bool
    why: str
    """Whether there is a concept that fits, in words."""


@dataclass(frozen=True)
class RegressionComparator:
    """A vector u that predicts numbers."""

    origin: str
    length: float
    """‖u‖."""
    errors: Floats
    """y − u·x of each row."""


@dataclass(frozen=True)
class Regression:
    """What the theorems about regressors ask for."""

    errors: Floats | None
    """y − w·x before each step of the run; None where it is too long to be followed."""
    squares: Floats
    """‖x‖² of each row, the constant feature included."""
    comparators: tuple[RegressionComparator, ...]


@dataclass(frozen=True)
class Evidence:
    """Everything that the rows are computed from."""

    learner: Any
    counts: RunCounts
    passes: int
    classes: int
    """How many labels the run has seen."""
    shared: tuple[Assumption, ...]
    """What every theorem requires of the run itself."""
    comparators: tuple[Comparator, ...] = ()
    """With their margins; for three classes or more those of the joint vectors."""
    inseparable: bool = False
    """There is a certificate that no separator exists."""
    examples: SignedExamples | None = None
    """Of two classes, where all of them are in memory."""
    names_grow: bool = False
    """Features were met one by one, as their names came."""
    monotone: Monotone | None = None
    """The examples as Winnow's theorems see them."""
    concepts: Concepts | None = None
    regression: Regression | None = None
    features: int = 0
    """How many have weights, the constant one included."""
    clamped: int = 0
    """Updates of Winnow's weights that were held at the end of their range."""


def nothing_lacks(learner: Any, classes: int) -> Assumption | None:
    return None


@dataclass(frozen=True)
class Theorem:
    """One theorem."""

    name: str
    statement: str
    about: str
    """Which learners it is about, in words."""
    covers: Callable[[Any], bool]
    """Whether it is about a learner at all."""
    applied: Callable[[Evidence], Row]
    """The row of a learner that it covers and that meets its assumptions."""
    lacks: Callable[[Any, int], Assumption | None] = nothing_lacks
    """The assumption that a covered learner, with this number of classes, fails."""

    def row(self, evidence: Evidence) -> Row:
        """The row of the theorem for a run, or why it does not apply."""
        learner = evidence.learner
        if not self.covers(learner):
            found = f"it is {named(learner)}"
            return self.blank(fails(f"the learner is {self.about}", found), about=self.about)
        lack = self.lacks(learner, evidence.classes)
        return self.applied(evidence) if lack is None else self.blank(lack)

    def blank(self, why: Assumption, about: str = "") -> Row:
        """The row of a theorem that does not apply."""
        bound = Bound(self.name, self.statement, math.inf, {}, (why,))
        return Row(bound, "mistakes", None, about=about)


def fails(text: str, found: str) -> Assumption:
    return Assumption(text, False, found)


def named(learner: Any) -> str:
    name = type(learner).__name__
    if isinstance(learner, PassiveAggressive):
        return f"{name}(variant={learner.variant!r})"
    return name


def least(rows: list[Row]) -> Row:
    """The smallest bound of several comparators; one that applies before one that does not."""
    return min(rows, key=lambda row: (not row.applies, row.value))
