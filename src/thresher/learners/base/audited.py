"""A learner's run compared with the theorems that bound its mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.theory.audit import Audit


class Audited:
    """What every learner has: an audit of its run."""

    def audit(
        self, X: Any, y: Any, *, comparator: Any = "auto", replay: bool | str = "auto"
    ) -> Audit:
        """Compare the mistakes of this learner's run over X and y with every bound that applies.

        See `thresher.audit`; ``print`` what it returns.
        """
        from thresher.theory.audit import audit

        return audit(self, X, y, comparator=comparator, replay=replay)
