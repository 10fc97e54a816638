"""A stream as Winnow's theorems see it: which disjunction the labels follow, and how well weights
w* ≥ 0 explain them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.learners.linear.winnow import Winnow
from thresher.theory.audit.comparators import Comparator
from thresher.theory.bounds import MonotoneMargins
from thresher.theory.signed import Floats, SignedExamples

MOST_VARIABLES = 1000  # of a disjunction that is searched for
MOST_DENSE = 20_000_000  # cells of X and its negation


@dataclass(frozen=True)
class Disjunction:
    """One that gives every example its label, or why there is none."""

    variables: tuple[int, ...] = ()
    """Columns from 0; with negations, n + i is ¬x_i."""
    problem: str = ""

    @property
    def exists(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class Monotone:
    """Winnow's view of a stream."""

    d: int
    """Weights: n, or 2n with negations."""
    theta: float
    theta_is_fixed: bool
    boolean: bool
    disjunction: Disjunction
    comparators: tuple[tuple[str, MonotoneMargins], ...]
    clamped: int = 0


def find_disjunction(examples: SignedExamples, negations: bool) -> Disjunction:
    """Variables that no negative example has, chosen greedily until every positive has one.

    A disjunction that fits has only such variables, so if all of them together leave a positive
    example out, none exists.
    """
    X = examples.rows
    negative, positive = examples.y < 0, examples.y > 0
    if negations:
        if X.shape[0] * X.shape[1] * 2 > MOST_DENSE:
            return Disjunction(problem="not looked for: X and its negation are too large")
        dense = X.toarray() if examples.sparse else X
        X = np.hstack([dense, 1.0 - dense])
    in_negative = np.asarray(X[negative].sum(axis=0)).ravel() > 0
    allowed = np.flatnonzero(~in_negative)
    left = X[positive][:, allowed]
    rows = np.flatnonzero(positive)
    alone = np.asarray(left.sum(axis=1)).ravel() == 0
    if alone.any():
        first = int(rows[np.argmax(alone)])
        return Disjunction(problem=f"every variable of row {first}, a positive one, is on in some "
                           "negative example")  # fmt: skip
    chosen: list[int] = []
    open_rows = np.ones(len(rows))
    while open_rows.any():
        if len(chosen) == MOST_VARIABLES:
            return Disjunction(problem=f"none of at most {MOST_VARIABLES} variables was found")
        best = int(np.argmax(np.asarray(left.T @ open_rows).ravel()))
        chosen.append(int(allowed[best]))
        column = left[:, [best]]
        column = column.toarray() if examples.sparse and not negations else column
        open_rows[np.asarray(column).ravel() > 0] = 0.0
    return Disjunction(tuple(chosen))


def literal_scores(examples: SignedExamples, w: Floats, negations: bool) -> MonotoneMargins:
    """w*·x of the examples (without constant feature), over the literals if there are negations."""
    n = examples.columns
    data = examples.rows.data if examples.sparse else examples.rows
    if negations:
        scores = np.asarray(examples.rows @ (w[:n] - w[n:])) + w[n:].sum()
        scores = np.maximum(scores, 0.0)  # negative only by rounding
    else:
        scores = np.asarray(examples.rows @ w)
    return MonotoneMargins(
        weights=w,
        positive=scores[examples.y > 0],
        negative=scores[examples.y < 0],
        boolean=bool(((data == 0) | (data == 1)).all()),
        unit=bool(((data >= 0) & (data <= 1)).all()),
    )


def weights_from(u: Floats, negations: bool) -> Floats:
    """w* ≥ 0 from a vector of any sign: u_i < 0 becomes a weight of ¬x_i, or is left out."""
    up, down = np.maximum(u, 0.0), np.maximum(-u, 0.0)
    return np.concatenate([up, down]) if negations else up


def monotone_view(
    learner: Winnow, plain: SignedExamples, comparators: tuple[Comparator, ...], clamped: int
) -> Monotone:
    """Measure examples (without the constant feature) for the theorems about Winnow."""
    negations = bool(learner.negations)
    n = plain.columns
    d = 2 * n if negations else n
    data = plain.rows.data if plain.sparse else plain.rows
    boolean = bool(((data == 0) | (data == 1)).all())
    found = Disjunction(problem="X has values other than 0 and 1")
    if boolean:
        found = find_disjunction(plain, negations)
    sources: list[tuple[str, Floats]] = []
    if found.exists:
        w = np.zeros(d)
        w[list(found.variables)] = 1.0
        sources.append((f"a disjunction of {len(found.variables)} that fits", w))
    sources += [(c.origin, weights_from(c.u[:n], negations)) for c in comparators]
    return Monotone(
        d=d,
        theta=float(d if learner.theta is None else learner.theta),
        theta_is_fixed=True,
        boolean=boolean,
        disjunction=found,
        comparators=tuple(
            (origin, literal_scores(plain, w, negations)) for origin, w in sources if w.any()
        ),
        clamped=clamped,
    )
