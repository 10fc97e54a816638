"""A bound: a number, where it comes from, and what must hold for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Assumption:
    """One thing that a theorem requires, and whether it holds.

    >>> print(Assumption("‖x‖ ≤ R", True, "R = 2"))
    holds: ‖x‖ ≤ R (R = 2)
    """

    text: str
    holds: bool = True
    found: str = "claimed by the caller"

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'fails'}: {self.text} ({self.found})"


@dataclass(frozen=True)
class Bound:
    """What a theorem states about one run.

    >>> bound = Bound("Novikoff", "mistakes ≤ R²/γ²", 4.0, {"R": 2.0, "gamma": 1.0})
    >>> print(bound)
    Novikoff: mistakes ≤ R²/γ² = 4
    """

    theorem: str
    statement: str
    value: float
    """The bound; infinite if an assumption without which there is no number fails."""
    quantities: Mapping[str, float] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()

    @property
    def applies(self) -> bool:
        """Every assumption holds. Only then may the number be compared with a run."""
        return all(assumption.holds for assumption in self.assumptions)

    def __str__(self) -> str:
        if self.applies:
            return f"{self.theorem}: {self.statement} = {self.value:.6g}"
        why = "; ".join(str(a) for a in self.assumptions if not a.holds)
        return f"{self.theorem} does not apply: {why}"
