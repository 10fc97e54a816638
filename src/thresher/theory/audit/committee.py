"""The audit of a committee: its losses compared with those of its members."""

from __future__ import annotations

import math
from typing import Any

from thresher.theory.audit.result import Audit, RunCounts
from thresher.theory.audit.table import rows_of
from thresher.theory.audit.theorem import Evidence
from thresher.theory.bounds import Assumption

ALONE = "the run was over these examples alone"


def to_replay(model: Any) -> Any:
    """A fresh committee of the same members, which keeps them all: they are the comparators."""
    return model.fresh().set_params(keep_all=True)


def audit_committee(model: Any, replayed: Any = None) -> Audit:
    """Of a run that was replayed, or of the model's own."""
    learner = model if replayed is None else replayed
    source = "the model's own counters" if replayed is None else "a replay of 1 pass"
    found = "you say so" if replayed is None else "a replay, 1×"
    regresses = model.task == "regress"
    mistakes = 0 if regresses else learner.mistakes_
    counts = RunCounts(learner.examples_, mistakes, learner.updates_, source)
    classes = () if regresses else tuple(learner.classes_.tolist())
    evidence = Evidence(learner, counts, 1, len(classes), (Assumption(ALONE, True, found),))
    note = "a regressor makes no mistakes to be counted: its theorem bounds losses"
    return Audit(
        learner=repr(model),
        counts=counts,
        passes=1,
        classes=classes,
        R=math.nan,
        R_inf=math.nan,
        comparators=tuple(member.name for member in learner._members()),
        separability=None,
        realizable=None,
        why_realizable="" if regresses else "the members are the comparators",
        rows=rows_of(evidence),
        notes=(note,) if regresses else (),
    )
