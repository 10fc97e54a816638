"""The theorems about experts, and the audit of a committee."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.labels import column
from thresher.learners.experts import Committee
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence, Theorem
from thresher.theory.bounds import Assumption, Bound, experts, experts_squares


def applied(evidence: Evidence) -> Row:
    learner = evidence.learner
    found = learner._learned().committee()
    members, rows = learner._members(), found["members"]
    left = [i for i, row in enumerate(rows) if not row["left"]]
    best = min(left, key=lambda i: rows[i]["loss"])
    asked = (rows[best]["loss"], len(rows), evidence.counts.examples)
    eta, share = float(learner.eta), float(learner.share)
    bound: Bound
    if learner.task == "regress":
        S, N, T = asked
        bound = experts_squares(S, N, T, found["span"], eta, share)
        # The first example, before there is any range to clip to, is not in the theorem.
        figure, compared = found["loss"] - found["first"], "Σ (ŷ−y)²"
    else:
        bound = experts(*asked, eta, share)
        figure, compared = evidence.counts.mistakes, "mistakes"
    heaviest = found["heaviest"]
    weighed = Assumption("every example has the weight 1", heaviest <= 1.0, f"at most {heaviest:g}")
    bound = replace(bound, assumptions=(*evidence.shared, weighed, *bound.assumptions[1:]))
    return Row(bound, compared, figure, members[best].name)


def _theorem(name: str, statement: str, about: str, task: str) -> Theorem:
    return Theorem(
        name, statement, about,
        lambda learner: isinstance(learner, Committee) and learner.task == task,
        applied,
    )  # fmt: skip


EXPERTS = (
    _theorem("experts", experts(0, 1, 0, 0.5, 0.5).statement, "Experts", "classify"),
    _theorem(
        "experts, squares", experts_squares(0, 1, 0, 0, 0.5, 0.5).statement, "ExpertsRegressor",
        "regress",
    ),
)  # fmt: skip


def run_of(model: Any, X: Any, y: Any, comparator: Any, replay: bool) -> Any:
    """The committee that is audited: a fresh one that keeps all its members, or the model."""
    if comparator != "auto":
        raise InvalidInput(
            f"comparator is {comparator!r}; expected 'auto': {type(model).__name__} is compared "
            "with its members."
        )
    if not replay:
        return model
    values = column(y, len(y), type(model).__name__)
    learners = {member.name: member.learner for member in model._members()}
    return model._fresh().set_params(keep_all=True, learners=learners).fit(X, values)
