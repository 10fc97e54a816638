"""The rows of learners of boolean concepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thresher.learners.boolean.elimination import Elimination
from thresher.learners.boolean.version_spaces import Consistent, Halving, WeightedMajority
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorems import Evidence
from thresher.theory.bounds import (
    Assumption,
    Bound,
    consistent,
    elimination,
    halving,
    weighted_majority,
)


def bound_of(learner: Any, best: int) -> Bound | None:
    """The theorem about a learner, with its class or its number of variables."""
    if isinstance(learner, Halving):
        return halving(learner.concepts.size)
    if isinstance(learner, Consistent):
        return consistent(learner.concepts.size)
    if isinstance(learner, Elimination):
        return elimination(learner.n_features_in_, bool(learner.monotone))
    if isinstance(learner, WeightedMajority):
        return weighted_majority(learner.concepts.size, best, float(learner.beta))
    return None


def concept_rows(evidence: Evidence, run: Any, realizable: bool, why: str) -> list[Row]:
    """`run` is the learner after the run, `why` what speaks for or against a concept that fits."""
    best = run.best_mistakes_ if isinstance(run, WeightedMajority) else 0
    bound = bound_of(run, best)
    if bound is None:
        return []
    of_class, *others = bound.assumptions
    if isinstance(run, WeightedMajority):
        of_class = Assumption(of_class.text, True, f"m = {best}, counted")
    else:
        of_class = Assumption(of_class.text, realizable, why)
    others = [replace(other, found="so in X") for other in others]
    bound = replace(bound, assumptions=(*evidence.shared, of_class, *others))
    return [Row(bound, "mistakes", evidence.counts.mistakes)]
