"""The theorems about Winnow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.learners.linear.winnow import BalancedWinnow, Winnow
from thresher.theory.audit.additive import over_comparators
from thresher.theory.audit.monotone import Monotone
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence, Theorem, fails, least
from thresher.theory.bounds import (
    Assumption,
    Bound,
    Margins,
    MonotoneMargins,
    balanced_winnow_on,
    winnow_disjunction,
    winnow_entropy_on,
    winnow_on,
    winnow_r,
    winnow_r_demotions,
)


def lacks(learner: Any, classes: int) -> Assumption | None:
    return fails("two classes", f"{classes} classes") if classes > 2 else None


def view_of(evidence: Evidence) -> Monotone:
    assert evidence.monotone is not None, "Winnow was audited without its view of the stream"
    return evidence.monotone


# ------------------------------------------------------------------ assumptions of the rows


def same_theta(evidence: Evidence) -> tuple[Assumption, ...]:
    """What all of them require of the run."""
    view = view_of(evidence)
    found = (
        f"θ = {view.theta:g}"
        if view.theta_is_fixed
        else "θ is by default the number of names so far; set theta"
    )
    return (*evidence.shared, Assumption("θ stays the same", view.theta_is_fixed, found))


def plain_steps(evidence: Evidence) -> Assumption:
    learner, view = evidence.learner, view_of(evidence)
    plain = learner.margin == 0.0 and learner.floor is None and view.clamped == 0
    found = "so here"
    if not plain:
        held = f", {view.clamped} updates were held at 1e±150" if view.clamped else ""
        found = f"floor={learner.floor!r}, margin={learner.margin!r}{held}"
    return Assumption(
        "all weights start at 1; they change only on a mistake, without floor or margin",
        plain,
        found,
    )


def boolean(view: Monotone) -> Assumption:
    return Assumption("x is in {0,1}^d", view.boolean, "so in X" if view.boolean else "not so in X")


def one_disjunction(view: Monotone) -> Assumption:
    found = view.disjunction
    return Assumption(
        "every label is that of one disjunction of k variables",
        found.exists,
        found.problem or f"one of k = {len(found.variables)} was found",
    )


# ------------------------------------------------------------------ Winnow


def disjunctions(evidence: Evidence) -> Row:
    learner, view = evidence.learner, view_of(evidence)
    k = len(view.disjunction.variables)
    bound = winnow_disjunction(
        k, view.d, alpha=learner.alpha, theta=max(1.0, view.theta), demotion=learner.demotion
    )
    assumptions = (
        *same_theta(evidence),
        plain_steps(evidence),
        Assumption("θ ≥ 1", view.theta >= 1.0, f"θ = {view.theta:g}"),
        boolean(view),
        one_disjunction(view),
    )
    value = bound.value if view.disjunction.exists else math.inf
    bound = replace(bound, value=value, assumptions=assumptions)
    return Row(bound, "mistakes", evidence.counts.mistakes, f"k = {k} of {view.d}")


def on_weights(
    name: str, statement: str, make: Callable[[Evidence, MonotoneMargins], Bound]
) -> Theorem:
    """A bound by weights w* ≥ 0."""

    def applied(evidence: Evidence) -> Row:
        view = view_of(evidence)
        if evidence.learner.demotion != "divide":
            return theorem.blank(fails("a demotion divides by α^{x_i}", "demotion='eliminate'"))
        if view.theta <= 0.0:
            return theorem.blank(fails("θ > 0", f"θ = {view.theta:g}"))
        if not view.comparators:
            return theorem.blank(fails("some w* ≥ 0 with w*·x > 0", "none is known"))
        run = (*same_theta(evidence), plain_steps(evidence))
        rows = []
        for origin, margins in view.comparators:
            bound = make(evidence, margins)
            bound = replace(bound, assumptions=(*run, *bound.assumptions[1:]))
            rows.append(Row(bound, "mistakes", evidence.counts.mistakes, origin))
        return least(rows)

    theorem = Theorem(name, statement, "Winnow", is_winnow, applied, lacks)
    return theorem


def is_winnow(learner: Any) -> bool:
    return isinstance(learner, Winnow)


# ------------------------------------------------------------------ Balanced Winnow


def balanced_lacks(learner: Any, classes: int) -> Assumption | None:
    if learner.theta != 0.0 or learner.margin != 0.0:
        found = f"theta={learner.theta!r}, margin={learner.margin!r}"
        return fails("θ = 0, and weights change only on a mistake", found)
    return lacks(learner, classes)


def as_scaled(evidence: Evidence) -> Evidence | None:
    """The evidence of rows x/max(1, max|x_i|), on which `scaled` steps are those of the theorem.

    None where rows go beyond [−1, 1] and are not in memory.
    """
    if not evidence.learner.scaled or all(c.margins.R_inf <= 1.0 for c in evidence.comparators):
        return evidence
    examples = evidence.examples
    if examples is None:
        return None
    data = abs(examples.rows).max(axis=1)
    largest = np.maximum(1.0, np.asarray(data.todense() if examples.sparse else data).ravel())
    rows = (
        examples.rows.multiply(1.0 / largest[:, None]).tocsr()
        if examples.sparse
        else examples.rows / largest[:, None]
    )
    scaled = replace(examples, rows=rows)
    return replace(
        evidence,
        comparators=tuple(
            replace(c, margins=Margins.of_examples(scaled, c.u))
            for c in evidence.comparators
            if len(c.u)
        ),
    )


def balanced(evidence: Evidence) -> Row:
    scaled = as_scaled(evidence)
    if scaled is None:
        why = "scaled=True and some |x_i| > 1: the rows as learned are not known"
        return BALANCED.blank(fails("w±_i *= α^{±y·x_i}", why))
    evidence = scaled
    held = Assumption(
        "no weight is held at the end of its range",
        evidence.clamped == 0,
        f"{evidence.clamped} updates were held at 1e±150" if evidence.clamped else "so in the run",
    )

    def make(margins: Margins) -> Bound:
        bound = balanced_winnow_on(
            margins, evidence.features, alpha=evidence.learner.alpha, passes=evidence.passes
        )
        starts, *others = bound.assumptions
        return replace(bound, assumptions=(starts, held, *others))

    return over_comparators(evidence, BALANCED, make, "mistakes", evidence.counts.mistakes)


BALANCED = Theorem(
    "Balanced Winnow",
    "mistakes ≤ (ln 2d − H + η·Σ ξ)/(η·γ − ln cosh(η·X)), η = ln α",
    "Balanced Winnow",
    lambda learner: isinstance(learner, BalancedWinnow),
    balanced,
    balanced_lacks,
)


# ------------------------------------------------------------------ Winnow-R


def restores(learner: Any) -> bool:
    return isinstance(learner, Winnow) and learner.floor is not None


def as_stated(evidence: Evidence) -> tuple[Assumption, ...]:
    learner, view = evidence.learner, view_of(evidence)
    holds = (
        learner.alpha == 2.0 and learner.floor == 0.5 and view.theta == view.d
        and learner.margin == 0.0 and learner.demotion == "divide" and view.clamped == 0
    )  # fmt: skip
    settings = Assumption(
        "α = 2, θ = n, floor ½, all weights start at 1, no margin",
        holds,
        f"α = {learner.alpha:g}, θ = {view.theta:g}, n = {view.d}, floor {learner.floor:g}, "
        f"margin {learner.margin:g}",
    )
    return (*same_theta(evidence), settings, boolean(view))


def demotions(evidence: Evidence) -> Row:
    counts = evidence.counts
    known = counts.promotions is not None
    found = "so in a replay" if known else "only a replay counts them"
    counted = Assumption("promotions were counted", known, found)
    bound = winnow_r_demotions(counts.promotions or 0)
    bound = replace(bound, assumptions=(*as_stated(evidence), counted))
    return Row(bound, "demotions", counts.demotions)


def restoring(evidence: Evidence) -> Row:
    view = view_of(evidence)
    k = len(view.disjunction.variables)
    bound = winnow_r(k, view.d)
    value = bound.value if view.disjunction.exists else math.inf
    assumptions = (*as_stated(evidence), one_disjunction(view))
    bound = replace(bound, value=value, assumptions=assumptions)
    cost = f"cost c = k = {k}: the disjunction never changes"
    return Row(bound, "mistakes", evidence.counts.mistakes, cost)


WINNOW = (
    Theorem(
        "Winnow, disjunctions",
        "mistakes ≤ 3u + 2, u = k·(1 + log2 n)",
        "Winnow",
        is_winnow,
        disjunctions,
        lacks,
    ),
    on_weights(
        "Winnow",
        "mistakes ≤ A + (1 + α)·u",
        lambda e, m: winnow_on(m, theta=view_of(e).theta, alpha=e.learner.alpha),
    ),
    on_weights(
        "Winnow with noise",
        "mistakes ≤ (D₀ + (κ/θ*)·Σ ξ)/g",
        lambda e, m: winnow_entropy_on(
            m, passes=e.passes, theta=view_of(e).theta, alpha=e.learner.alpha
        ),
    ),
    BALANCED,
    Theorem(
        "Winnow-R, demotions",
        "demotions ≤ 4u + 2",
        "Winnow-R (floor=0.5)",
        restores,
        demotions,
        lacks,
    ),
    Theorem(
        "Winnow-R",
        "mistakes ≤ 5u + 2, u = c·(1 + ⌈log2 n⌉)",
        "Winnow-R (floor=0.5)",
        restores,
        restoring,
        lacks,
    ),
)
