"""The theorems about learners that add examples to their weights: Perceptrons, PA and MIRA."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from thresher.learners.base.regressor import OnlineRegressor
from thresher.learners.boolean.learner import BooleanLearner
from thresher.learners.kernel.learner import KernelLearner
from thresher.learners.linear.arow import AROW
from thresher.learners.linear.banditron import Banditron
from thresher.learners.linear.few_labels import LabelEfficientPerceptron, ShiftingPerceptron
from thresher.learners.linear.lms import LMS
from thresher.learners.linear.passive_aggressive import (
    MIRA,
    PassiveAggressive,
    PassiveAggressiveRegressor,
)
from thresher.learners.linear.perceptron import BatchPerceptron, Perceptron
from thresher.learners.linear.pnorm import PNormPerceptron
from thresher.learners.linear.snow import Snow
from thresher.learners.linear.winnow import BalancedWinnow, Winnow
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import Evidence, Theorem, fails, least, named
from thresher.theory.bounds import (
    Assumption,
    Bound,
    Margins,
    batch_perceptron_on,
    noisy_hinge_on,
    noisy_squared_on,
    novikoff_on,
    pa_i_on,
    pa_ii_on,
    pa_noisy_on,
    pa_on,
)

EPS = 2.0**-52

OnMargins = Callable[[Margins], Bound]


# ------------------------------------------------------------------ the smallest over comparators


def over_comparators(
    evidence: Evidence, theorem: Theorem, make: OnMargins, compared: str, figure: float | None
) -> Row:
    """The smallest bound that a comparator gives."""
    rows = []
    for comparator in evidence.comparators:
        bound = make(trusted(comparator.margins, evidence.inseparable))
        bound = replace(bound, assumptions=(*evidence.shared, *checked(bound, evidence)))
        rows.append(Row(bound, compared, figure, comparator.origin))
    if not rows:
        why = fails("some u with y·(u·x) ≠ 0", "no u is known; is every example zero?")
        return theorem.blank(next((a for a in evidence.shared if not a.holds), why))
    return least(rows)


def checked(bound: Bound, evidence: Evidence) -> tuple[Assumption, ...]:
    """Mark what the theorem requires of the learner's steps as checked: it was, to get here."""
    starts, *others = bound.assumptions
    found = f"so in {named(evidence.learner)}"
    if evidence.inseparable:
        others = [
            o if o.holds else replace(o, found="a certificate proves that no u does it")
            for o in others
        ]
    return (replace(starts, found=found), *others)


def trusted(margins: Margins, inseparable: bool) -> Margins:
    """A smallest margin that may be positive only by rounding counts as 0."""
    doubtful = margins.R * EPS * 64
    if margins.gamma > 0.0 and (inseparable or margins.gamma <= doubtful):
        values = margins.values.copy()
        values[values.argmin()] = 0.0
        return replace(margins, values=values)
    return margins


# ------------------------------------------------------------------ the perceptron

PERCEPTRONS = (Perceptron, KernelLearner)
HAVE_THEIR_OWN = (
    BooleanLearner,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    MIRA,
    PNormPerceptron,
    Winnow,
    BalancedWinnow,
    BatchPerceptron,
    LMS,
)


def perceptron_lacks(learner: Any, classes: int) -> Assumption | None:
    if isinstance(learner, KernelLearner):
        return kernel_lacks(learner, classes)
    if isinstance(learner, AROW):
        return fails(
            "w += η·y·x",
            "AROW steps by each weight's variance; its theorem (Crammer et al. 2009) is about full "
            "covariances, AROW here keeps their diagonal, and no theorem is offered",
        )
    if isinstance(learner, Snow):
        return fails(
            "w += η·y·x",
            "a node of Snow has links only to features that came with its label, so an example of "
            "another label moves part of x; no theorem is offered",
        )
    if isinstance(learner, OnlineRegressor):
        return fails("labels", "a regressor predicts numbers and makes no mistakes to be counted")
    if isinstance(learner, LabelEfficientPerceptron):
        return fails(
            "every label is asked for",
            "only some are; theory.bounds.label_efficient bounds the mean of its mistakes",
        )
    if isinstance(learner, Banditron):
        return fails(
            "every label is told",
            "only right or wrong is; theory.bounds.banditron bounds the mean of its wrong plays",
        )
    if isinstance(learner, ShiftingPerceptron):
        return fails(
            "w += η·y·x on a mistake",
            "w fades on each; theory.bounds.shifting bounds its mistakes",
        )
    if not isinstance(learner, Perceptron):
        rule = f"{type(learner).__name__} has a rule of its own; no theorem is offered"
        return fails("w += η·y·x on a mistake", rule)
    if learner.step == "aggressive":
        return fails("steps have length η", "step='aggressive'; the theorems of PA cover it")
    if classes > 2 and learner.multiclass != "ultraconservative":
        return fails("one machine", "multiclass='one-vs-rest' has one for each class")
    rate = learner.learning_rate
    if isinstance(rate, str) or callable(rate):
        return fails("η is constant", f"learning_rate={rate!r}")
    return None


def kernel_lacks(learner: Any, classes: int) -> Assumption | None:
    if learner.budget is not None:
        return fails("nothing is forgotten", f"budget={learner.budget}")
    return fails("two classes", f"{classes} classes") if classes > 2 else None


def of_perceptron(
    name: str, statement: str, make: Callable[..., Bound], *, noisy: bool = True
) -> Theorem:
    def applied(evidence: Evidence) -> Row:
        learner, counts = evidence.learner, evidence.counts
        margin, options = 0.0, {}
        if isinstance(learner, Perceptron):
            # Of two prototypes ±w the lead is 2·y·s: before a third label, updates have
            # 2·y·s ≤ 2m.
            margin = float(learner.margin) * (2.0 if evidence.classes > 2 else 1.0)
            rate = float(cast(float, learner.learning_rate))
            options = {"margin": margin, "learning_rate": rate}
        if noisy:
            options["passes"] = evidence.passes
        compared, figure = ("updates", counts.updates) if margin else ("mistakes", counts.mistakes)
        return over_comparators(evidence, theorem, lambda m: make(m, **options), compared, figure)

    def covers(learner: Any) -> bool:
        # Novikoff's row also says why the learners that have no theorem have none.
        return isinstance(learner, PERCEPTRONS) or (
            not noisy and not isinstance(learner, HAVE_THEIR_OWN)
        )

    theorem = Theorem(name, statement, "the Perceptron", covers, applied, perceptron_lacks)
    return theorem


def batch_row(evidence: Evidence) -> Row:
    mistakes = evidence.counts.mistakes
    return over_comparators(evidence, BATCH, batch_perceptron_on, "mistakes", mistakes)


def batch_lacks(learner: Any, classes: int) -> Assumption | None:
    rate = learner.learning_rate
    if not learner.fixed_increment and (isinstance(rate, str) or callable(rate)):
        return fails("η is constant", f"learning_rate={rate!r}")
    return fails("two classes", f"{classes} classes") if classes > 2 else None


BATCH = Theorem(
    "batch perceptron",
    "mistakes of all passes ≤ N·R²/γ²",
    "the batch perceptron",
    lambda learner: isinstance(learner, BatchPerceptron),
    batch_row,
    batch_lacks,
)


# ------------------------------------------------------------------ passive-aggressive


def variant_of(learner: Any) -> str:
    """Its variant of PA: two-class MIRA is PA-I, and PA if C is infinite; "" for other learners.

    The aggressive perceptron with margin γ is PA with all scores divided by γ.
    """
    if isinstance(learner, Perceptron):
        return "PA" if learner.step == "aggressive" else ""
    if isinstance(learner, MIRA):
        return "PA-I" if math.isfinite(learner.C) else "PA"
    return str(learner.variant) if isinstance(learner, PassiveAggressive) else ""


def passive_aggressive_lacks(learner: Any, classes: int) -> Assumption | None:
    if classes <= 2:
        return None
    if isinstance(learner, MIRA) and learner.constraints == "all":
        why = "MIRA with all constraints moves several prototypes at once; no theorem is offered"
    elif not isinstance(learner, MIRA) and learner.multiclass == "one-vs-rest":
        why = "one machine for each class (one-vs-rest); no theorem is offered"
    elif variant_of(learner) == "PA":
        return None
    else:
        why = (
            "C counts half until a third label comes and whole from then on, so no single C is "
            "right; variant='PA' has none"
        )
    return fails("two classes", why)


def of_variant(
    variant: str, name: str, statement: str, make: Callable[[Evidence], OnMargins], *, losses: bool
) -> Theorem:
    """`losses`: it bounds Σ ℓ², if that was counted."""

    def applied(evidence: Evidence) -> Row:
        counts = evidence.counts
        compared = "mistakes"
        figure: float | None = counts.mistakes
        if losses and counts.squared_loss is not None:
            compared, figure = "Σ ℓ²", counts.squared_loss
        return over_comparators(evidence, theorem, make(evidence), compared, figure)

    theorem = Theorem(
        name,
        statement,
        f"Passive-Aggressive ({variant})",
        lambda learner: variant_of(learner) == variant,
        applied,
        passive_aggressive_lacks,
    )
    return theorem


def cost_of(learner: Any) -> float:
    """C; for MIRA, C divided by its margin."""
    return float(learner.C) / (float(learner.margin) if isinstance(learner, MIRA) else 1.0)


ADDITIVE = (
    of_perceptron("Novikoff", "mistakes ≤ R²/γ²", novikoff_on, noisy=False),
    of_perceptron("perceptron with noise, squared", "mistakes ≤ ((R + D2)/γ)²", noisy_squared_on),
    of_perceptron("perceptron with noise, hinge", "mistakes ≤ R²/γ² + (2/γ)·TD", noisy_hinge_on),
    BATCH,
    of_variant("PA", "PA", "mistakes ≤ Σ ℓ² ≤ ‖u‖²·R²", lambda e: pa_on, losses=True),
    of_variant(
        "PA",
        "PA with noise",
        "mistakes ≤ Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)²",
        lambda e: lambda m: pa_noisy_on(m, passes=e.passes),
        losses=True,
    ),
    of_variant(
        "PA-I",
        "PA-I",
        "mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·L1)",
        lambda e: lambda m: pa_i_on(m, cost_of(e.learner), passes=e.passes),
        losses=False,
    ),
    of_variant(
        "PA-II",
        "PA-II",
        "mistakes ≤ Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²)",
        lambda e: lambda m: pa_ii_on(m, cost_of(e.learner), passes=e.passes),
        losses=True,
    ),
)
