"""A theorem as an object: what it states, whom it covers, and its row beside the evidence of a run.

Families of theorems stand in `additive`, `winnow` and `concepts`; `table` lists them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thresher.learners.linear.passive_aggressive import PassiveAggressive
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.monotone import Monotone
from thresher.theory.audit.result import Counts, Row
from thresher.theory.bounds import Assumption, Bound
from thresher.theory.signed import SignedExamples


@dataclass(frozen=True)
class Concepts:
    """How a learner of boolean concepts ended."""

    learner: Any
    realizable: bool
    why: str
    """What speaks for or against a concept that fits."""


@dataclass(frozen=True)
class Evidence:
    """All that the rows are made of."""

    learner: Any
    counts: Counts
    passes: int
    classes: int
    """How many labels the run met."""
    shared: tuple[Assumption, ...]
    """What every theorem asks of the run itself."""
    comparators: tuple[Comparator, ...] = ()
    """With their margins; for three classes and more those of the joint vectors."""
    inseparable: bool = False
    """There is a certificate that no separator exists."""
    examples: SignedExamples | None = None
    """Of two classes, where all of them are in memory."""
    names_grow: bool = False
    """Features were met one by one, as their names came."""
    monotone: Monotone | None = None
    """The examples as Winnow's theorems see them."""
    concepts: Concepts | None = None


def nothing_lacks(learner: Any, classes: int) -> Assumption | None:
    return None


@dataclass(frozen=True)
class Theorem:
    """One theorem."""

    name: str
    statement: str
    about: str
    """Whom it is about, in words."""
    covers: Callable[[Any], bool]
    """Whether it is about a learner at all."""
    applied: Callable[[Evidence], Row]
    """The row of a learner that it covers and that lacks nothing."""
    lacks: Callable[[Any, int], Assumption | None] = nothing_lacks
    """What a learner that it covers, with so many classes, does not fulfil."""

    def row(self, evidence: Evidence) -> Row:
        """The theorem beside a run, or why it does not apply."""
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
    """The least bound of several comparators; one that applies before one that does not."""
    return min(rows, key=lambda row: (not row.applies, row.value))
