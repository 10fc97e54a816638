"""The fewest mistakes of any hyperplane, and the fewest labels whose change makes data separable.

To minimise mistakes is NP-hard (Johnson & Preparata 1978), so this is for small data, or for a time
limit. The answer holds its proof, or how far it can be from the optimum: a hyperplane that makes so
few mistakes, and a number below which no hyperplane gets.

No hyperplane has all rows of a certificate on the right side (see `certificate.py`). So its
mistakes hit every certificate, and the fewest rows that hit those found so far are a lower bound.
If the rows left without them are separable, the bound is reached; if not, they hold another
certificate (Parker & Ryan 1996; Codato & Fischetti 2006). The usual integer programme has a large
constant for each row, and tolerances decide in it what a mistake is. Here the programme has no
coefficients but 0 and 1, and every certificate and separator is checked without rounding.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.base.labels import column
from thresher.learners.linear.passive_aggressive import PassiveAggressive
from thresher.options import finite
from thresher.theory.certificate import Certificate
from thresher.theory.covering import Cover, fewest_columns
from thresher.theory.max_margin import row_norms
from thresher.theory.separation import Separable, exact_signs, separability
from thresher.theory.signed import Floats, SignedExamples, signed_examples

TIME_LIMIT = 10.0


@dataclass(frozen=True)
class FewestMistakes:
    """A hyperplane that makes few mistakes, and the proof of how few any can make."""

    weights: Floats
    intercept: float
    rows: tuple[int, ...]
    """Its mistakes: rows of X with y·(w·x + b) ≤ 0, checked without rounding. None is on the
    hyperplane itself, unless all its features are 0 and there is no intercept."""
    at_least: int
    """No hyperplane makes fewer mistakes."""
    certificates: tuple[Certificate, ...]
    """Why: each of them has a mistake among its rows, and `at_least` rows are needed to hit all."""
    status: str
    """"optimal", "time limit", or "rounding": a part of the data could not be decided exactly."""

    @property
    def mistakes(self) -> int:
        return len(self.rows)

    @property
    def optimal(self) -> bool:
        """Whether no hyperplane makes fewer."""
        return self.mistakes == self.at_least

    def __str__(self) -> str:
        made = "1 mistake" if self.mistakes == 1 else f"{self.mistakes} mistakes"
        if self.optimal:
            return f"{made}, and no hyperplane makes fewer"
        return f"{made}; every hyperplane makes at least {self.at_least} ({self.status})"


def fewest_mistakes(
    X: Any, y: Any, fit_intercept: bool = True, *, time_limit: float = TIME_LIMIT
) -> FewestMistakes:
    """The hyperplane with the fewest mistakes on rows X with two labels y (needs scipy).

    It stops after about `time_limit` seconds with the best that it has, and says so.

    >>> found = fewest_mistakes([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # XOR
    >>> print(found)
    1 mistake, and no hyperplane makes fewer
    """
    deadline = time.monotonic() + finite("time_limit", time_limit, above=0.0)
    search = FewestSearch(signed_examples(X, y, fit_intercept), fit_intercept, deadline)
    at_least, removed, status = 0, frozenset[int](), ""
    while not status and search.mistakes > at_least:
        status = search.explore(removed)
        if search.proofs:
            cover = search.fewest_hits()
            at_least, removed = max(at_least, cover.at_least), frozenset(cover.columns)
        if time.monotonic() >= deadline:
            status = status or "time limit"
    return FewestMistakes(
        weights=search.w[:-1] if fit_intercept else search.w,
        intercept=float(search.w[-1]) if fit_intercept else 0.0,
        rows=tuple(search.wrong.tolist()),
        at_least=at_least,
        certificates=tuple(search.proofs),
        status="optimal" if search.mistakes == at_least else status,
    )


class FewestSearch:
    """The certificates found so far, and the best hyperplane."""

    def __init__(self, examples: SignedExamples, fit_intercept: bool, deadline: float) -> None:
        self.fit_intercept, self.deadline = fit_intercept, deadline
        self.z = examples.signed_rows()
        self.x = examples.rows[:, :-1] if fit_intercept else examples.rows
        self.y = examples.y
        self.proofs: list[Certificate] = []
        self.w = np.zeros(examples.columns)
        self.wrong: npt.NDArray[np.intp] = np.arange(len(examples))
        learned = PassiveAggressive(fit_intercept=fit_intercept, max_epochs=10).fit(self.x, self.y)
        self.try_out(self.joined(learned.coef_[0], float(learned.intercept_[0])))

    @property
    def mistakes(self) -> int:
        return len(self.wrong)

    def joined(self, weights: Floats, intercept: float) -> Floats:
        return np.append(weights, intercept) if self.fit_intercept else np.asarray(weights)

    def explore(self, removed: frozenset[int]) -> str:
        """Separate the rows that are left, taking out one row of each certificate that they hold.

        The answer is "", or why it stopped before.
        """
        out, seen = set(removed), Counter(i for proof in self.proofs for i in proof.rows)
        while len(out) < len(self.y):
            rest = np.array([i for i in range(len(self.y)) if i not in out])
            found = separability(self.x[rest], self.y[rest], self.fit_intercept)
            if isinstance(found, Separable):
                self.try_out(self.joined(found.weights, found.intercept))
                break
            if not found.certificate.exact:
                return "rounding"
            rows = tuple(int(rest[i]) for i in found.certificate.rows)
            self.proofs.append(Certificate(rows, found.certificate.weights, self.fit_intercept))
            seen.update(rows)
            out.add(max(rows, key=lambda i: seen[i]))
            if time.monotonic() >= self.deadline:
                return "time limit"
        return ""

    def try_out(self, w: Floats) -> None:
        """Take it if it is better than the best so far."""
        w = off_the_boundary(self.z, w)
        wrong = np.flatnonzero(exact_signs(self.z, w) <= 0)
        if len(wrong) < self.mistakes:
            self.w, self.wrong = w, wrong

    def fewest_hits(self) -> Cover:
        table = np.zeros((len(self.proofs), len(self.y)), dtype=bool)
        for k, proof in enumerate(self.proofs):
            table[k, list(proof.rows)] = True
        return fewest_columns(table, self.deadline - time.monotonic())


def off_the_boundary(z: Any, w: Floats) -> Floats:
    """w, moved a little so that no row has a score of exactly 0, and none that was right is wrong.

    Almost any direction will do, if the step is short enough; each is checked without rounding.
    """
    signs, some = exact_signs(z, w), row_norms(z) > 0
    rng, moved, size = np.random.default_rng(0), w, float(np.abs(w).max(initial=0.0)) or 1.0
    for k in range(8, 48):
        now = exact_signs(z, moved)
        if (now[signs > 0] > 0).all() and (now[some] != 0).all():
            return moved
        moved = w + size * 2.0**-k * rng.normal(size=len(w))
    return w


@dataclass(frozen=True)
class Repair:
    """Labels that a hyperplane separates, as few of them changed as was found."""

    labels: npt.NDArray[Any]
    rows: tuple[int, ...]
    """Which were changed."""
    weights: Floats
    intercept: float
    """The hyperplane: it has every row strictly on the side of its new label."""
    at_least: int
    """Fewer changes do not suffice."""
    certificates: tuple[Certificate, ...]
    status: str

    @property
    def optimal(self) -> bool:
        return len(self.rows) == self.at_least

    def __str__(self) -> str:
        changes = "1 change" if len(self.rows) == 1 else f"{len(self.rows)} changes"
        if self.optimal:
            return f"separable after {changes} of labels, and not after fewer"
        return f"separable after {changes} of labels; at least {self.at_least} ({self.status})"


def repair(X: Any, y: Any, fit_intercept: bool = True, *, time_limit: float = TIME_LIMIT) -> Repair:
    """The fewest labels whose change makes the data linearly separable.

    They are the mistakes of the hyperplane with the fewest: a label that is changed is one that the
    old hyperplane was wrong about, and a hyperplane that no row lies on is right about every label
    once those that it is wrong about are changed.

    >>> print(repair([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    separable after 1 change of labels, and not after fewer
    """
    examples = signed_examples(X, y, fit_intercept)
    found = fewest_mistakes(X, y, fit_intercept, time_limit=time_limit)
    norms = examples.squared_norms()
    for i in found.rows:
        if norms[i] == 0:
            raise InvalidInput(
                f"row {i} is all 0, so no hyperplane through 0 is right about it, whatever its "
                "label; expected fit_intercept=True, or X without such rows."
            )
    given = column(y, len(examples), "a repair").copy()
    if found.rows and len(examples.labels) < 2:
        raise InvalidInput(
            f"y has only the label {examples.labels[0]!r}, and row {found.rows[0]} needs another; "
            "expected two labels, or fit_intercept=True."
        )
    changed = list(found.rows)
    if changed:
        negative, positive = examples.labels
        given[changed] = np.where(examples.y[changed] > 0, negative, positive)
    return Repair(
        given,
        found.rows,
        found.weights,
        found.intercept,
        found.at_least,
        found.certificates,
        found.status,
    )
