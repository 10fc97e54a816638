"""Which theorem covers which learner, option by option, and its row in the audit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from thresher.learners.base.regressor import OnlineRegressor
from thresher.learners.boolean.learner import BooleanLearner
from thresher.learners.linear.arow import AROW
from thresher.learners.linear.passive_aggressive import MIRA, PassiveAggressive
from thresher.learners.linear.perceptron import BatchPerceptron, Perceptron
from thresher.learners.linear.winnow import BalancedWinnow, Winnow
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.result import Counts, Row
from thresher.theory.bounds import (
    Assumption,
    Bound,
    Margins,
    noisy_hinge_on,
    noisy_squared_on,
    novikoff_on,
    pa_i_on,
    pa_ii_on,
    pa_noisy_on,
    pa_on,
)

EPS = 2.0**-52

# Every theorem of the table, with whom it is about; `rows_of` puts a row for each.
ABOUT = {
    "Novikoff": ("mistakes ≤ R²/γ²", "the Perceptron"),
    "perceptron with noise, squared": ("mistakes ≤ ((R + D2)/γ)²", "the Perceptron"),
    "perceptron with noise, hinge": ("mistakes ≤ R²/γ² + (2/γ)·TD", "the Perceptron"),
    "PA": ("mistakes ≤ Σ ℓ² ≤ ‖u‖²·R²", "Passive-Aggressive (PA)"),
    "PA with noise": ("mistakes ≤ Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)²", "Passive-Aggressive (PA)"),
    "PA-I": ("mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·L1)", "Passive-Aggressive (PA-I)"),
    "PA-II": (
        "mistakes ≤ Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²)",
        "Passive-Aggressive (PA-II)",
    ),
    "Winnow, disjunctions": ("mistakes ≤ 3u + 2, u = k·(1 + log2 n)", "Winnow"),
    "Winnow": ("mistakes ≤ A + (1 + α)·u", "Winnow"),
    "Winnow with noise": ("mistakes ≤ (D₀ + (κ/θ*)·Σ ξ)/g", "Winnow"),
    "Winnow-R, demotions": ("demotions ≤ 4(u + 1)", "Winnow-R (floor=0.5)"),
    "Winnow-R": ("mistakes ≤ 5u + 4, u = c·(2 + log2 n)", "Winnow-R (floor=0.5)"),
    "Halving": ("mistakes ≤ log2 |C|", "Halving"),
    "CON": ("mistakes ≤ |C| − 1", "Consistent"),
    "ELIM": ("mistakes ≤ n + 1 (monotone: n)", "Elimination"),
    "Weighted Majority": (
        "mistakes ≤ (log2 N + m·log2(1/β)) / log2(2/(1 + β))",
        "WeightedMajority",
    ),
}
PERCEPTRON = ("Novikoff", "perceptron with noise, squared", "perceptron with noise, hinge")
WINNOW = ("Winnow, disjunctions", "Winnow", "Winnow with noise")
WINNOW_R = ("Winnow-R, demotions", "Winnow-R")


@dataclass(frozen=True)
class Evidence:
    """All that the rows are made of."""

    learner: Any
    counts: Counts
    passes: int
    classes: int
    """How many labels the run met."""
    shared: tuple[Assumption, ...]
    """What every theorem asks of the run itself."""
    comparators: tuple[Comparator, ...]
    """With their margins; for three classes and more those of the joint vectors."""
    inseparable: bool = False
    """There is a certificate that no separator exists."""


def rows_of(evidence: Evidence, special: Iterable[Row] = ()) -> tuple[Row, ...]:
    """A row for every theorem, in the order of the table. `special` are rows made elsewhere."""
    made = {row.theorem: row for row in special}
    for row in linear_rows(evidence):
        made[row.theorem] = row
    return tuple(made.get(name) or unrelated(name, evidence) for name in ABOUT)


def unrelated(theorem: str, evidence: Evidence) -> Row:
    """The row of a theorem that does not cover this learner, with the reason."""
    statement, about = ABOUT[theorem]
    why = uncovered(theorem, evidence.learner, evidence.classes)
    if why is None:
        why = Assumption(f"the learner is {about}", False, f"it is {named(evidence.learner)}")
        return Row(Bound(theorem, statement, math.inf, {}, (why,)), "mistakes", None, about=about)
    return Row(Bound(theorem, statement, math.inf, {}, (why,)), "mistakes", None)


def named(learner: Any) -> str:
    name = type(learner).__name__
    if isinstance(learner, PassiveAggressive):
        return f"{name}(variant={learner.variant!r})"
    return name


def uncovered(theorem: str, learner: Any, classes: int) -> Assumption | None:
    """Why a learner to whose family a theorem belongs is not covered by it."""
    if isinstance(learner, Perceptron):
        if theorem not in PERCEPTRON:
            return None
        if learner.step == "aggressive":
            return fails("steps have length η", "step='aggressive'; the theorems of PA cover it")
        if classes > 2 and learner.multiclass != "ultraconservative":
            return fails("one machine", "multiclass='one-vs-rest' has one for each class")
        rate = learner.learning_rate
        return fails("η is constant", f"learning_rate={rate!r}") if not constant(rate) else None
    if isinstance(learner, (PassiveAggressive, MIRA)) and theorem == variant_of(learner):
        if classes > 2:
            return fails("two classes", many_classes(learner))
        return None
    if isinstance(learner, Winnow) and theorem in (*WINNOW, *WINNOW_R):
        return fails("two classes", f"{classes} classes") if classes > 2 else None
    if isinstance(learner, BalancedWinnow) and theorem in WINNOW:
        return fails("one weight w_i > 0 a feature", "the weights are w⁺ − w⁻ (BalancedWinnow)")
    if isinstance(learner, BatchPerceptron) and theorem == "Novikoff":
        return fails("one example a step", "a step of the batch perceptron takes all mistakes")
    if isinstance(learner, AROW) and theorem == "Novikoff":
        return fails(
            "w += η·y·x",
            "AROW steps by each weight's variance; its own theorem (Crammer et al. 2009) needs the "
            "variances at the end, and is not offered",
        )
    if isinstance(learner, OnlineRegressor) and theorem == "Novikoff":
        return fails("labels", "a regressor predicts numbers and makes no mistakes to be counted")
    if theorem == "Novikoff" and not isinstance(learner, (BooleanLearner, *KNOWN)):
        name = type(learner).__name__
        return fails(
            "w += η·y·x on a mistake", f"{name} has a rule of its own; no theorem is offered"
        )
    return None


KNOWN = (Perceptron, PassiveAggressive, MIRA, Winnow, BalancedWinnow)


def many_classes(learner: Any) -> str:
    if isinstance(learner, MIRA) and learner.constraints == "all":
        return "MIRA with all constraints moves several prototypes at once; no theorem is offered"
    if getattr(learner, "multiclass", "") == "one-vs-rest":
        return "one machine for each class (one-vs-rest); no theorem is offered"
    return (
        "C counts half until a third label comes and whole from then on, so no single C is right; "
        "variant='PA' has none"
    )


def fails(text: str, found: str) -> Assumption:
    return Assumption(text, False, found)


def constant(rate: Any) -> bool:
    return not isinstance(rate, str) and not callable(rate)


def variant_of(learner: Any) -> str:
    """The theorem about it: two-class MIRA is PA-I, and PA if C has no limit."""
    if isinstance(learner, MIRA):
        return "PA-I" if math.isfinite(learner.C) else "PA"
    return str(learner.variant)


# ------------------------------------------------------------------ linear learners


def linear_rows(evidence: Evidence) -> list[Row]:
    learner = evidence.learner
    if not evidence.comparators:
        why = fails("some u with y·(u·x) ≠ 0", "no u is known; is every example zero?")
        return [
            Row(Bound(name, ABOUT[name][0], math.inf, {}, (why,)), "mistakes", None)
            for name in family(learner)
            if uncovered(name, *about(evidence)) is None
        ]
    if isinstance(learner, Perceptron) and learner.step == "fixed":
        return perceptron_rows(evidence) if uncovered("Novikoff", *about(evidence)) is None else []
    if isinstance(learner, (Perceptron, PassiveAggressive, MIRA)):
        return passive_aggressive_rows(evidence)
    return []


def family(learner: Any) -> tuple[str, ...]:
    """The theorems that `linear_rows` has for a learner."""
    if isinstance(learner, Perceptron) and learner.step == "fixed":
        return PERCEPTRON
    if isinstance(learner, (Perceptron, PassiveAggressive, MIRA)):
        theorem = "PA" if isinstance(learner, Perceptron) else variant_of(learner)
        return ("PA", "PA with noise") if theorem == "PA" else (theorem,)
    return ()


def about(evidence: Evidence) -> tuple[Any, int]:
    return evidence.learner, evidence.classes


def perceptron_rows(evidence: Evidence) -> list[Row]:
    learner = evidence.learner
    # Of two prototypes ±w the lead is 2·y·s: until a third label comes, updates have 2·y·s ≤ 2m.
    margin = float(learner.margin) * (2.0 if evidence.classes > 2 else 1.0)
    options = {"margin": margin, "learning_rate": float(learner.learning_rate)}
    passes = evidence.passes
    compared = "updates" if margin else "mistakes"
    figure = evidence.counts.updates if margin else evidence.counts.mistakes
    makers: list[Callable[[Margins], Bound]] = [
        lambda m: novikoff_on(m, **options),
        lambda m: noisy_squared_on(m, passes=passes, **options),
        lambda m: noisy_hinge_on(m, passes=passes, **options),
    ]
    return [least(evidence, make, compared, figure) for make in makers]


def passive_aggressive_rows(evidence: Evidence) -> list[Row]:
    """PA and its variants; the aggressive perceptron with margin γ is PA with all scores over γ."""
    learner, passes = evidence.learner, evidence.passes
    theorem = "PA" if isinstance(learner, Perceptron) else variant_of(learner)
    one_vs_rest = getattr(learner, "multiclass", "") == "one-vs-rest"
    joint = theorem == "PA" and not one_vs_rest
    if isinstance(learner, MIRA):
        joint = joint and learner.constraints == "one"
    if evidence.classes > 2 and not joint:
        return []
    mistakes, losses = evidence.counts.mistakes, evidence.counts.squared_loss
    compared, figure = ("mistakes", mistakes) if losses is None else ("Σ ℓ²", losses)
    if theorem == "PA":
        return [
            least(evidence, pa_on, compared, figure),
            least(evidence, lambda m: pa_noisy_on(m, passes=passes), compared, figure),
        ]
    # MIRA aims at a margin of its own; in units of it, C is C over that margin.
    C = float(learner.C) / float(getattr(learner, "margin", 1.0))
    if theorem == "PA-I":
        return [least(evidence, lambda m: pa_i_on(m, C, passes=passes), "mistakes", mistakes)]
    return [least(evidence, lambda m: pa_ii_on(m, C, passes=passes), compared, figure)]


def least(
    evidence: Evidence, make: Callable[[Margins], Bound], compared: str, figure: float | None
) -> Row:
    """The least bound that a comparator gives."""
    rows = []
    for comparator in evidence.comparators:
        bound = make(trusted(comparator.margins, evidence.inseparable))
        bound = replace(bound, assumptions=(*evidence.shared, *checked(bound, evidence)))
        rows.append(Row(bound, compared, figure, comparator.origin))
    return min(rows, key=lambda row: (not row.applies, row.value))


def checked(bound: Bound, evidence: Evidence) -> tuple[Assumption, ...]:
    """What the theorem asks of the learner's steps was looked at to come here: say so."""
    starts, *others = bound.assumptions
    found = f"so in {named(evidence.learner)}"
    if evidence.inseparable:
        others = [
            o if o.holds else replace(o, found="a certificate proves that no u does it")
            for o in others
        ]
    return (replace(starts, found=found), *others)


def trusted(margins: Margins, inseparable: bool) -> Margins:
    """A smallest margin that rounding alone may have made positive counts as 0."""
    doubtful = margins.R * EPS * 64
    if margins.gamma > 0.0 and (inseparable or margins.gamma <= doubtful):
        values = margins.values.copy()
        values[values.argmin()] = 0.0
        return replace(margins, values=values)
    return margins
