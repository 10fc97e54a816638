"""The smallest conjunction, or disjunction, that agrees with all examples.

To find it is to cover every negative example with as few literals as possible, which is NP-hard
(Haussler 1988). It is solved as an integer programme in zeros and ones; the answer says how few
literals any conjunction needs, so where time runs out the gap is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.concepts.concept import AtLeast, not_bits
from thresher.errors import InvalidInput, NotRealizable, Where
from thresher.options import finite, one_of
from thresher.theory.covering import fewest_columns, greedy
from thresher.theory.fewest import TIME_LIMIT
from thresher.theory.signed import signed_examples


@dataclass(frozen=True)
class SmallestConjunction:
    """Few literals that agree with all examples, and the proof of how few any have."""

    concept: AtLeast
    at_least: int
    """No conjunction (disjunction) of fewer literals agrees."""
    greedy: int
    """The literals of the greedy cover, for comparison: at most ln(rows) + 1 times as many."""
    elimination: int
    """The literals that `Elimination` keeps: all that agree."""

    @property
    def literals(self) -> tuple[int, ...]:
        """3 for x3, −3 for ¬x3."""
        return self.concept.literals

    @property
    def optimal(self) -> bool:
        """Whether there is none with fewer literals."""
        return len(self.literals) == self.at_least

    def __str__(self) -> str:
        proof = "none is smaller" if self.optimal else f"at least {self.at_least} literals"
        return f"{self.concept}: {proof}"


def smallest_conjunction(
    X: Any,
    y: Any,
    *,
    concept: str = "conjunction",
    monotone: bool = False,
    time_limit: float = TIME_LIMIT,
) -> SmallestConjunction:
    """The conjunction (disjunction) of the fewest literals that agrees with all rows.

    X holds 0 and 1. The literals of a conjunction are among those that are true of all positive
    rows; each negative row must have one that is false. (Needs scipy.)

    >>> X = [[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]]
    >>> print(smallest_conjunction(X, [1, 1, 0, 0]))
    x1 ∧ x2: none is smaller
    >>> print(smallest_conjunction(X, [1, 1, 1, 0], concept="disjunction"))
    x2: none is smaller
    """
    one_of("concept", concept, ("conjunction", "disjunction"))
    seconds = finite("time_limit", time_limit, above=0.0)
    examples = signed_examples(X, y, fit_intercept=False)
    rows = examples.rows.toarray() if examples.sparse else examples.rows
    refuse_other_than_bits(rows)
    both = [rows > 0] if monotone else [rows > 0, rows == 0]
    values, truth = np.hstack(both), examples.y > 0
    if concept == "disjunction":  # ¬(a ∨ b) = ¬a ∧ ¬b
        values, truth = ~values, ~truth
    kept = np.flatnonzero(values[truth].all(axis=0))
    against = ~values[~truth][:, kept]
    refuse_contradiction(against, np.flatnonzero(~truth), concept)
    cover = fewest_columns(against, seconds)
    n = rows.shape[1]
    literals = tuple(literal(int(kept[j]), n) for j in cover.columns)
    form = ("and", len(literals)) if concept == "conjunction" else ("or", 1)
    return SmallestConjunction(
        AtLeast(n, tuple(sorted(literals, key=abs)), form[1], form[0]),
        cover.at_least,
        len(greedy(against)),
        len(kept),
    )


def literal(j: int, n: int) -> int:
    return j + 1 if j < n else -(j - n + 1)


def refuse_other_than_bits(rows: npt.NDArray[Any]) -> None:
    wrong = not_bits(rows)
    if wrong.any():
        i, j = (int(v) for v in np.argwhere(wrong)[0])
        raise InvalidInput(
            f"X has {rows[i, j]:g} in row {i}, column {j}; expected 0 or 1. Turn other values into "
            "yes/no features first, such as X > 0.5."
        )


def refuse_contradiction(against: npt.NDArray[Any], rows: npt.NDArray[Any], concept: str) -> None:
    missed = np.flatnonzero(~against.any(axis=1))
    if len(missed):
        row = int(rows[missed[0]])
        raise NotRealizable(
            f"row {row} has the other label, but every {concept} that fits those of its kind "
            f"gives it theirs: no {concept} agrees with all rows.",
            advice="Check its label, or use fewest_mistakes, which allows for wrong ones.",
            where=Where(row=row),
        )
