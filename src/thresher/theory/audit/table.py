"""Every theorem of the audit, in the order of its table."""

from __future__ import annotations

from thresher.theory.audit.additive import ADDITIVE
from thresher.theory.audit.concepts import CONCEPTS
from thresher.theory.audit.experts import EXPERTS
from thresher.theory.audit.pnorm import THEOREM as PNORM
from thresher.theory.audit.regression import REGRESSION
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence
from thresher.theory.audit.winnow import WINNOW

THEOREMS = (*ADDITIVE, PNORM, *WINNOW, *REGRESSION, *EXPERTS, *CONCEPTS)


def rows_of(evidence: Evidence) -> tuple[Row, ...]:
    """A row for every theorem."""
    return tuple(theorem.row(evidence) for theorem in THEOREMS)
