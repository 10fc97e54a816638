"""Winnow's rows: which disjunction the labels follow, and how well weights w* ≥ 0 explain them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from thresher.learners.linear.winnow import Winnow
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorems import ABOUT, WINNOW, WINNOW_R, Evidence, fails, unrelated
from thresher.theory.bounds import (
    Assumption,
    Bound,
    MonotoneMargins,
    winnow_disjunction,
    winnow_entropy_on,
    winnow_on,
    winnow_r,
    winnow_r_demotions,
)
from thresher.theory.signed import Floats, SignedExamples

MOST_VARIABLES = 1000  # of a disjunction that is looked for
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
        scores = np.maximum(scores, 0.0)  # which it is, but for rounding
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


def winnow_rows(evidence: Evidence, view: Monotone) -> list[Row]:
    """The rows of all five theorems about Winnow."""
    learner: Winnow = evidence.learner
    if evidence.classes > 2:
        return [unrelated(name, evidence) for name in (*WINNOW, *WINNOW_R)]
    counts = evidence.counts
    restored = learner.floor is not None
    plain = learner.margin == 0.0 and not restored and view.clamped == 0
    found = "so here" if plain else (
        f"floor={learner.floor!r}, margin={learner.margin!r}"
        + (f", {view.clamped} updates were held at 1e±150" if view.clamped else "")
    )  # fmt: skip
    run = (
        *evidence.shared,
        Assumption("θ stays the same", view.theta_is_fixed,
                   f"θ = {view.theta:g}" if view.theta_is_fixed
                   else "θ is by default the number of names so far; set theta"),
    )  # fmt: skip
    starts = Assumption(
        "all weights start at 1; they change only on a mistake, without floor or margin",
        plain, found,
    )  # fmt: skip
    rows = [disjunction_row(evidence, view, (*run, starts))]
    makers: list[tuple[str, Callable[[MonotoneMargins], Bound]]] = [
        ("Winnow", lambda m: winnow_on(m, theta=view.theta, alpha=learner.alpha)),
        ("Winnow with noise", lambda m: winnow_entropy_on(
            m, passes=evidence.passes, theta=view.theta, alpha=learner.alpha)),
    ]  # fmt: skip
    divides = learner.demotion == "divide"
    for name, make in makers:
        if not divides:
            why = fails("a demotion divides by α^{x_i}", "demotion='eliminate'")
            rows.append(blank(name, why))
        elif view.theta <= 0.0:
            rows.append(blank(name, fails("θ > 0", f"θ = {view.theta:g}")))
        elif not view.comparators:
            rows.append(blank(name, fails("some w* ≥ 0 with w*·x > 0", "none is known")))
        else:
            made = [(origin, make(margins)) for origin, margins in view.comparators]
            candidates = [
                Row(replace(b, assumptions=(*run, starts, *b.assumptions[1:])), "mistakes",
                    counts.mistakes, origin)
                for origin, b in made
            ]  # fmt: skip
            rows.append(min(candidates, key=lambda row: (not row.applies, row.value)))
    return rows + restoring_rows(evidence, view, run)


def disjunction_row(evidence: Evidence, view: Monotone, run: tuple[Assumption, ...]) -> Row:
    learner, k = evidence.learner, len(view.disjunction.variables)
    theta_fits = Assumption("θ ≥ 1", view.theta >= 1.0, f"θ = {view.theta:g}")
    bound = winnow_disjunction(
        k, view.d, alpha=learner.alpha, theta=max(1.0, view.theta), demotion=learner.demotion
    )
    return Row(
        replace(
            bound,
            value=bound.value if view.disjunction.exists else math.inf,
            assumptions=(*run, theta_fits, boolean(view), labels_of(view)),
        ),
        "mistakes",
        evidence.counts.mistakes,
        f"k = {k} of {view.d}",
    )


def boolean(view: Monotone) -> Assumption:
    return Assumption("x is in {0,1}^d", view.boolean, "so in X" if view.boolean else "not so in X")


def labels_of(view: Monotone) -> Assumption:
    found = view.disjunction
    return Assumption(
        "every label is that of one disjunction of k variables",
        found.exists,
        found.problem or f"one of k = {len(found.variables)} was found",
    )


def restoring_rows(evidence: Evidence, view: Monotone, run: tuple[Assumption, ...]) -> list[Row]:
    learner, counts = evidence.learner, evidence.counts
    if learner.floor is None:
        return [
            Row(Bound(name, ABOUT[name][0], math.inf, {}, (fails("floor ½", "no floor"),)),
                "mistakes", None, about=ABOUT[name][1])
            for name in WINNOW_R
        ]  # fmt: skip
    as_stated = (
        learner.alpha == 2.0 and learner.floor == 0.5 and view.theta == view.d
        and learner.margin == 0.0 and learner.demotion == "divide" and view.clamped == 0
    )  # fmt: skip
    settings = Assumption(
        "α = 2, θ = n, floor ½, all weights start at 1, no margin",
        as_stated,
        f"α = {learner.alpha:g}, θ = {view.theta:g}, n = {view.d}, floor {learner.floor:g}, "
        f"margin {learner.margin:g}",
    )
    shared = (*run, settings, boolean(view))
    demotions = winnow_r_demotions(counts.promotions or 0)
    counted = Assumption(
        "promotions were counted", counts.promotions is not None,
        "so in a replay" if counts.promotions is not None else "only a replay counts them",
    )  # fmt: skip
    fixed = winnow_r(len(view.disjunction.variables), view.d)
    return [
        Row(replace(demotions, assumptions=(*shared, counted)), "demotions", counts.demotions),
        Row(
            replace(
                fixed,
                value=fixed.value if view.disjunction.exists else math.inf,
                assumptions=(*shared, labels_of(view)),
            ),
            "mistakes",
            counts.mistakes,
            f"cost c = k = {len(view.disjunction.variables)}: the disjunction never changes",
        ),
    ]


def blank(theorem: str, why: Assumption) -> Row:
    return Row(Bound(theorem, ABOUT[theorem][0], math.inf, {}, (why,)), "mistakes", None)
