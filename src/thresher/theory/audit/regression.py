"""The theorems about regressors: LMS and Passive-Aggressive regression."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.learners.linear.lms import LMS
from thresher.learners.linear.passive_aggressive import PassiveAggressiveRegressor
from thresher.theory.audit.result import Row
from thresher.theory.audit.theorem import (
    Evidence,
    Regression,
    RegressionComparator,
    Theorem,
    fails,
    least,
    named,
)
from thresher.theory.bounds import (
    Assumption,
    Bound,
    lms,
    nlms,
    pa_i_regression,
    pa_ii_regression,
    pa_regression,
    pa_regression_noisy,
)
from thresher.theory.replay import Replay
from thresher.theory.signed import Floats

MOST_STEPS = 200_000  # of a run that is followed example by example
MOST_COLUMNS = 1000  # up to which a ridge regression is solved


def followed(model: Any, X: Any, y: Any) -> tuple[Any, int, Floats | None]:
    """A fresh copy learns the rows again: itself, its passes, its errors before each step."""
    run = Replay(model, X, y)
    if run.total > MOST_STEPS:
        for _ in run.at([run.total]):
            pass
        return run.learner, run.passes, None
    # So that it predicts with the weights of the moment, and as the theorems have it.
    run.learner.set_params(average=False, clip_predictions=False)
    errors: list[float] = []
    for i in run.order():
        said = float(run.learner.predict(run.X[i : i + 1])[0]) if errors else 0.0
        errors.append(float(run.y[i]) - said)
        run.learn(i)
    return run.learner, run.passes, np.array(errors)


def regression_of(
    model: Any, passes: int, errors: Floats | None, rows: Any, y: Floats, own: Floats
) -> Regression:
    """What the theorems ask of rows (with their constant feature), and the comparators."""
    squares = np.asarray((rows * rows).sum(axis=1), dtype=float).ravel()
    vectors = [("the learner's weights", own), ("u = 0", np.zeros(rows.shape[1]))]
    if rows.shape[1] <= MOST_COLUMNS:
        vectors += [
            (f"ridge regression, λ = {penalty:.3g}", ridge(rows, y, penalty))
            for penalty in sorted({1e-9 * float(squares.sum() or 1.0), *penalties(model, passes)})
        ]
    comparators = tuple(
        RegressionComparator(origin, float(np.linalg.norm(u)), y - np.asarray(rows @ u))
        for origin, u in vectors
        if np.isfinite(u).all()
    )
    return Regression(errors, squares, comparators)


def penalties(model: Any, passes: int) -> list[float]:
    """The λ for which ‖u‖²·λ + Σ r*² is, up to a factor, the learner's own bound."""
    if isinstance(model, PassiveAggressiveRegressor):
        return [1.0 / (2.0 * float(model.C) * passes)]
    if isinstance(model, LMS) and isinstance(model.learning_rate, (int, float)):
        return [1.0 / (float(model.learning_rate) * passes)]
    return []


def ridge(rows: Any, y: Floats, penalty: float) -> Floats:
    square = rows.T @ rows
    square = np.asarray(square.toarray() if not isinstance(square, np.ndarray) else square)
    return np.linalg.solve(square + penalty * np.eye(len(square)), np.asarray(rows.T @ y))


# ------------------------------------------------------------------ the theorems


@dataclass(frozen=True)
class MeasuredRows:
    """One comparator on the whole run."""

    learner: Any
    u_norm: float
    R: float
    r: float
    squares: Floats
    """‖x‖² of each example."""
    errors: Floats
    """r* of each example."""
    passes: int

    def losses(self) -> Floats:
        return np.maximum(0.0, np.abs(self.errors) - float(self.learner.epsilon))

    def total(self, values: Floats) -> float:
        return self.passes * math.fsum(values)


Make = Callable[[MeasuredRows], Bound]
Figure = Callable[[Any, Floats, float], float]
"""Of the learner, its errors r before each step, and R."""


def regressor_lacks(learner: Any, classes: int) -> Assumption | None:
    if not isinstance(learner, LMS):
        return None
    if learner.step != "gradient":
        return fails("w += η·r·x", f"step={learner.step!r}, about which no theorem is offered")
    rate = learner.learning_rate
    if isinstance(rate, (int, float)) or (learner.normalized and rate == "auto"):
        return None
    return fails("η is a number", f"learning_rate={rate!r}")


def of_regressor(
    name: str,
    statement: str,
    about: str,
    covers: Callable[[Any], bool],
    make: Make,
    compared: str,
    figure: Figure,
) -> Theorem:
    def applied(evidence: Evidence) -> Row:
        seen = evidence.regression
        if seen is None:
            return theorem.blank(
                fails("the rows are in memory", "they are in files; use model.audit(X, y)")
            )
        R = math.sqrt(float(seen.squares.max()))
        if R == 0.0:
            return theorem.blank(fails("some example is not zero", "all of them are"))
        count = None
        if seen.errors is not None:
            count = figure(evidence.learner, seen.errors, R)
        rows = []
        for one in seen.comparators:
            r = math.sqrt(float(seen.squares.min()))
            measured = MeasuredRows(
                evidence.learner, one.length, R, r, seen.squares, one.errors, evidence.passes
            )
            bound = make(measured)
            starts, bounded, *others = bound.assumptions
            assumptions = (
                *evidence.shared,
                replace(starts, found=f"so in {named(evidence.learner)}"),
                replace(bounded, found=f"R = {R:.6g}") if bounded.holds else bounded,
                *(replace(o, found="measured") if "claimed" in o.found else o for o in others),
            )
            rows.append(Row(replace(bound, assumptions=assumptions), compared, count, one.origin))
        return least(rows)

    theorem = Theorem(name, statement, about, covers, applied, regressor_lacks)
    return theorem


def rate_of(learner: Any) -> float:
    """NLMS has 1 where it may choose."""
    rate = learner.learning_rate
    return 1.0 if isinstance(rate, str) else float(rate)


def of_lms(m: MeasuredRows) -> Bound:
    return lms(m.u_norm, m.R, m.total(m.errors**2), rate_of(m.learner))


def of_nlms(m: MeasuredRows) -> Bound:
    if m.r == 0.0:
        bound = nlms(m.u_norm, m.R, 0.0, rate_of(m.learner))
        starts, bounded, of_u, small = bound.assumptions
        of_u = replace(of_u, holds=False, found="an example is zero")
        return replace(bound, value=math.inf, assumptions=(starts, bounded, of_u, small))
    return nlms(m.u_norm, m.R, m.total(m.errors**2 / m.squares), rate_of(m.learner))


def of_pa(m: MeasuredRows) -> Bound:
    bound = pa_regression(m.u_norm or 1.0, m.R)
    starts, bounded, of_u = bound.assumptions
    largest = float(m.losses().max())
    of_u = replace(of_u, holds=largest == 0.0, found=f"the largest loss of u is {largest:.6g}")
    value = (m.u_norm * m.R) ** 2 if largest == 0.0 else math.inf
    return replace(bound, value=value, assumptions=(starts, bounded, of_u))


def of_noisy_pa(m: MeasuredRows) -> Bound:
    if m.r == 0.0:
        bound = pa_regression_noisy(m.u_norm, m.R, m.R, 0.0)
        starts, _, of_u = bound.assumptions
        short = fails("0 < r ≤ ‖x‖ ≤ R", "an example is zero")
        return replace(bound, value=math.inf, assumptions=(starts, short, of_u))
    return pa_regression_noisy(m.u_norm, m.R, m.r, math.sqrt(m.total(m.losses() ** 2)))


def variant(name: str) -> Callable[[Any], bool]:
    return lambda learner: (
        isinstance(learner, PassiveAggressiveRegressor) and learner.variant == name
    )


def squared_errors(learner: Any, errors: Floats, R: float) -> float:
    return math.fsum(errors**2)


def losses_of(learner: Any, errors: Floats) -> Floats:
    return np.maximum(0.0, np.abs(errors) - float(learner.epsilon))


def squared_losses(learner: Any, errors: Floats, R: float) -> float:
    return math.fsum(losses_of(learner, errors) ** 2)


def limited_losses(learner: Any, errors: Floats, R: float) -> float:
    loss = losses_of(learner, errors)
    return math.fsum(np.minimum(loss**2 / (R * R), float(learner.C) * loss))


REGRESSION = (
    of_regressor(
        "LMS",
        "Σ r² ≤ (‖u‖²/η + L/c)/(2 − c − η·R²), L = Σ r*²",
        "LMS",
        lambda learner: isinstance(learner, LMS) and not learner.normalized,
        of_lms,
        "Σ r²",
        squared_errors,
    ),
    of_regressor(
        "NLMS",
        "Σ r² ≤ R²·(‖u‖²/η + L/c)/(2 − c − η), L = Σ r*²/‖x‖²",
        "LMS(normalized=True)",
        lambda learner: isinstance(learner, LMS) and learner.normalized,
        of_nlms,
        "Σ r²",
        squared_errors,
    ),
    of_regressor(
        "PA regression",
        "Σ ℓ² ≤ ‖u‖²·R²",
        "PassiveAggressiveRegressor (PA)",
        variant("PA"),
        of_pa,
        "Σ ℓ²",
        squared_losses,
    ),
    of_regressor(
        "PA regression with noise",
        "Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)²",
        "PassiveAggressiveRegressor (PA)",
        variant("PA"),
        of_noisy_pa,
        "Σ ℓ²",
        squared_losses,
    ),
    of_regressor(
        "PA-I regression",
        "Σ min(ℓ²/R², C·ℓ) ≤ ‖u‖² + 2C·L1",
        "PassiveAggressiveRegressor (PA-I)",
        variant("PA-I"),
        lambda m: pa_i_regression(m.u_norm, m.R, float(m.learner.C), m.total(m.losses())),
        "Σ min(ℓ²/R², C·ℓ)",
        limited_losses,
    ),
    of_regressor(
        "PA-II regression",
        "Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²)",
        "PassiveAggressiveRegressor (PA-II)",
        variant("PA-II"),
        lambda m: pa_ii_regression(
            m.u_norm, m.R, float(m.learner.C), math.sqrt(m.total(m.losses() ** 2))
        ),
        "Σ ℓ²",
        squared_losses,
    ),
)
