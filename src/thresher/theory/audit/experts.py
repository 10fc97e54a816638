"""The theorems about experts."""

from __future__ import annotations

from dataclasses import replace

from thresher.learners.experts import Committee
from thresher.learners.standing import BASELINES
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence, Theorem
from thresher.theory.bounds import Assumption, experts, experts_squares


def applied(evidence: Evidence) -> Row:
    learner = evidence.learner
    found = learner._learned().committee()
    members, rows = learner._members(), found["members"]
    losses = {
        member.name: row["loss"]
        for member, row in zip(members, rows, strict=True)
        if not row["left"]
    }
    if found["voters"] > len(rows):
        losses |= {name: found[key]["loss"] for key, name in BASELINES[learner.task].items()}
    best = min(losses, key=losses.__getitem__)
    if learner.task == "regress":
        bound = experts_squares(losses[best], found["allowed"])
        bound = replace(bound, assumptions=evidence.shared)
        # The first example, before there is any range to clip to, is not in the theorem.
        return Row(bound, "Σ (ŷ−y)²", found["loss"] - found["first"], best)
    bound = experts(losses[best], found["voters"], evidence.counts.examples,
                    float(learner.eta), float(learner.share))  # fmt: skip
    heaviest = found["heaviest"]
    weighed = Assumption("every example has the weight 1", heaviest <= 1.0, f"at most {heaviest:g}")
    bound = replace(bound, assumptions=(*evidence.shared, weighed))
    return Row(bound, "mistakes", evidence.counts.mistakes, best)


def _theorem(name: str, statement: str, about: str, task: str) -> Theorem:
    return Theorem(
        name, statement, about,
        lambda learner: isinstance(learner, Committee) and learner.task == task,
        applied,
    )  # fmt: skip


EXPERTS = (
    _theorem("experts", experts(0, 1, 0, 0.5, 0.5).statement, "Experts", "classify"),
    _theorem(
        "experts, squares", experts_squares(0, 0).statement, "ExpertsRegressor",
        "regress",
    ),
)  # fmt: skip
