"""The theorems about learners of boolean concepts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from thresher.learners.boolean.elimination import Elimination
from thresher.learners.boolean.version_spaces import (
    Consistent,
    Halving,
    StandardOptimal,
    WeightedMajority,
)
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence, Theorem
from thresher.theory.bounds import (
    Assumption,
    Bound,
    consistent,
    elimination,
    halving,
    standard_optimal,
    weighted_majority,
)


def of_concepts(
    name: str, statement: str, learner_class: type, make: Callable[[Any], Bound]
) -> Theorem:
    """`make` takes the learner as its run ended."""

    def applied(evidence: Evidence) -> Row:
        ended = evidence.concepts
        assert ended is not None, "a learner of concepts was audited without them"
        bound = make(ended.learner)
        of_class, *others = bound.assumptions
        if isinstance(ended.learner, WeightedMajority):
            found = f"m = {ended.learner.best_mistakes_}, counted"
            of_class = Assumption(of_class.text, True, found)
        else:
            of_class = Assumption(of_class.text, ended.realizable, ended.why)
        others = [replace(other, found="so in X") for other in others]
        bound = replace(bound, assumptions=(*evidence.shared, of_class, *others))
        return Row(bound, "mistakes", evidence.counts.mistakes)

    return Theorem(
        name,
        statement,
        learner_class.__name__,
        lambda learner: isinstance(learner, learner_class),
        applied,
    )


CONCEPTS = (
    of_concepts("Halving", "mistakes ≤ log2 |C|", Halving, lambda run: halving(run.concepts.size)),
    of_concepts(
        "SOA",
        "mistakes ≤ the Littlestone dimension",
        StandardOptimal,
        lambda run: standard_optimal(int(run.bound_)),
    ),
    of_concepts("CON", "mistakes ≤ |C| − 1", Consistent, lambda run: consistent(run.concepts.size)),
    of_concepts(
        "ELIM",
        "mistakes ≤ n + 1 (monotone: n)",
        Elimination,
        lambda run: elimination(run.n_features_in_, bool(run.monotone)),
    ),
    of_concepts(
        "Weighted Majority",
        "mistakes ≤ (log2 N + m·log2(1/β)) / log2(2/(1 + β))",
        WeightedMajority,
        lambda run: weighted_majority(run.concepts.size, run.best_mistakes_, float(run.beta)),
    ),
)
