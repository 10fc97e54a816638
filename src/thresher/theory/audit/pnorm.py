"""The theorem about the p-norm perceptron."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thresher.learners.linear.pnorm import PNormPerceptron
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence, Theorem, fails, least
from thresher.theory.bounds import Assumption, pnorm_on


def lacks(learner: Any, classes: int) -> Assumption | None:
    if classes > 2:
        return fails("two classes", f"{classes} classes")
    rate = learner.learning_rate
    if isinstance(rate, str) or callable(rate):
        return fails("η is constant", f"learning_rate={rate!r}")
    return None


def applied(evidence: Evidence) -> Row:
    learner, counts, examples = evidence.learner, evidence.counts, evidence.examples
    if examples is None:
        return THEOREM.blank(fails("‖x‖_p is known", "the data is not kept in memory"))
    if learner.p == "auto" and evidence.names_grow:
        why = "p='auto' grew with the number of names; set p"
        return THEOREM.blank(fails("p stays the same", why))
    options = {"margin": float(learner.margin), "learning_rate": float(learner.learning_rate)}
    compared, figure = (
        ("updates", counts.updates) if learner.margin else ("mistakes", counts.mistakes)
    )
    rows = []
    for comparator in evidence.comparators:
        if not len(comparator.u):
            continue
        bound = pnorm_on(examples, comparator.u, learner.p_, **options)
        starts, *others = bound.assumptions
        starts = replace(starts, found=f"so in {type(learner).__name__}")
        bound = replace(bound, assumptions=(*evidence.shared, starts, *others))
        rows.append(Row(bound, compared, figure, comparator.origin))
    if not rows:
        return THEOREM.blank(fails("some u with y·(u·x) > 0", "none is known"))
    return least(rows)


THEOREM = Theorem(
    "p-norm perceptron",
    "mistakes ≤ (p − 1)·X_p²·‖u‖_q²/γ²",
    "the PNormPerceptron",
    lambda learner: isinstance(learner, PNormPerceptron),
    applied,
    lacks,
)
