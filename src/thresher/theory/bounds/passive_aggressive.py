"""Loss and mistake bounds of Passive-Aggressive (Crammer et al. 2006, theorems 2 to 5).

ℓ = max(0, 1 − y·(w·x)) is the learner's loss before each step, ℓ* that of a comparator u of any
length. Every theorem follows from one sum (their lemma 1): as w += τ·y·x starts at 0,

    Σ τ·(2ℓ − τ·‖x‖² − 2ℓ*) ≤ ‖u‖²,

because ‖w − u‖² starts at ‖u‖², ends at 0 or more, and each step takes at least that much from it.
A mistake, y·(w·x) ≤ 0, has ℓ ≥ 1, so mistakes ≤ Σ ℓ².
"""

from __future__ import annotations

import math

from thresher.options import finite, whole
from thresher.theory.bounds import minimise
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.margins import Margins
from thresher.theory.bounds.perceptron import BOUNDED, quotient, refuse_empty

STARTS = Assumption("w starts at 0; w += τ·y·x with the τ of this variant after every example")


def pa(u_norm: float, R: float) -> Bound:
    """PA, theorem 2: Σ ℓ² ≤ ‖u‖²·R² if u has no loss, y·(u·x) ≥ 1 for every example.

    Proof idea: τ = ℓ/‖x‖² and ℓ* = 0 make the sum Σ ℓ²/‖x‖², and 1/‖x‖² ≥ 1/R².

    >>> pa(u_norm=10.0, R=1.0).value
    100.0
    """
    u_norm, R = finite("u_norm", u_norm, above=0.0), finite("R", R, above=0.0)
    return Bound(
        "PA",
        "mistakes ≤ Σ ℓ² ≤ ‖u‖²·R²",
        (u_norm * R) ** 2,
        {"u_norm": u_norm, "R": R},
        (STARTS, BOUNDED, Assumption("y·(u·x) ≥ 1 for every example")),
    )


def pa_noisy(u_norm: float, R: float, r: float, L2: float) -> Bound:
    """PA, theorem 3, for norms between r and R: Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)², L2 = √Σ ℓ*².

    (The paper has ‖x‖ = 1.) Proof idea: with a = ℓ/‖x‖ and b = ℓ*/‖x‖ the sum is
    A² − 2·Σ a·b ≤ ‖u‖², A² = Σ a², B² = Σ b². By Cauchy and Schwarz A² − 2AB ≤ ‖u‖², so
    A ≤ B + √(B² + ‖u‖²) ≤ ‖u‖ + 2B; and Σ ℓ² ≤ R²·A², B ≤ L2/r.

    >>> pa_noisy(u_norm=1.0, R=1.0, r=1.0, L2=0.5).value
    4.0
    """
    u_norm, L2 = finite("u_norm", u_norm, least=0.0), finite("L2", L2, least=0.0)
    R, r = finite("R", R, above=0.0), finite("r", r, above=0.0)
    return Bound(
        "PA with noise",
        "mistakes ≤ Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)²",
        (R * (u_norm + 2.0 * L2 / r)) ** 2,
        {"u_norm": u_norm, "R": R, "r": r, "L2": L2},
        (STARTS, Assumption("r ≤ ‖x‖ ≤ R"), Assumption("L2² = Σ max(0, 1 − y·(u·x))²")),
    )


def pa_i(u_norm: float, R: float, C: float, L1: float) -> Bound:
    """PA-I, theorem 4: mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·L1), L1 = Σ ℓ*.

    Proof idea: τ·‖x‖² ≤ ℓ and τ ≤ C give Σ τ·ℓ ≤ ‖u‖² + 2C·L1; on a mistake ℓ ≥ 1 and
    τ ≥ min(1/R², C).

    >>> pa_i(u_norm=1.0, R=1.0, C=1.0, L1=2.0).value
    5.0
    """
    u_norm, L1 = finite("u_norm", u_norm, least=0.0), finite("L1", L1, least=0.0)
    R, C = finite("R", R, above=0.0), finite("C", C, above=0.0)
    return Bound(
        "PA-I",
        "mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·L1)",
        max(R * R, 1.0 / C) * (u_norm**2 + 2.0 * C * L1),
        {"u_norm": u_norm, "R": R, "C": C, "L1": L1},
        (STARTS, BOUNDED, Assumption("L1 = Σ max(0, 1 − y·(u·x))")),
    )


def pa_ii(u_norm: float, R: float, C: float, L2: float) -> Bound:
    """PA-II, theorem 5: Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²), L2 = √Σ ℓ*².

    Proof idea: with τ = ℓ/(‖x‖² + 1/(2C)), 2τℓ* ≤ τ²/(2C) + 2C·ℓ*² turns the sum into
    Σ ℓ²/(‖x‖² + 1/(2C)) ≤ ‖u‖² + 2C·Σ ℓ*².

    >>> pa_ii(u_norm=1.0, R=1.0, C=0.5, L2=2.0).value
    10.0
    """
    u_norm, L2 = finite("u_norm", u_norm, least=0.0), finite("L2", L2, least=0.0)
    R, C = finite("R", R, above=0.0), finite("C", C, above=0.0)
    return Bound(
        "PA-II",
        "mistakes ≤ Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²)",
        (R * R + 0.5 / C) * (u_norm**2 + 2.0 * C * L2**2),
        {"u_norm": u_norm, "R": R, "C": C, "L2": L2},
        (STARTS, BOUNDED, Assumption("L2² = Σ max(0, 1 − y·(u·x))²")),
    )


# ------------------------------------------------------------------ from a comparator and a stream


def pa_on(margins: Margins) -> Bound:
    """Theorem 2 with the shortest multiple of the comparator that has no loss: ‖u‖ = 1/γ.

    >>> import numpy as np
    >>> pa_on(Margins(np.array([0.5, 0.25]), R=1.0)).value
    16.0
    """
    refuse_empty(margins)
    gamma = margins.gamma
    separates = gamma > 0.0
    u_norm = quotient(1.0, gamma) if separates else math.inf
    bound = pa(u_norm if math.isfinite(u_norm) else 1.0, margins.R)
    return found(
        bound,
        margins,
        f"smallest margin of u/‖u‖ {gamma:.6g}",
        holds=separates,
        value=(u_norm * margins.R) ** 2,
        u_norm=u_norm,
    )


def pa_noisy_on(margins: Margins, *, passes: int = 1) -> Bound:
    """Theorem 3 with the multiple of the comparator for which it is smallest."""
    refuse_empty(margins)
    passes = whole("passes", passes, 1)
    if margins.r == 0.0:
        return Bound(
            "PA with noise",
            "mistakes ≤ Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)²",
            math.inf,
            {"R": margins.R, "r": 0.0},
            (STARTS, Assumption("0 < r ≤ ‖x‖ ≤ R", False, "an example is zero, or r is unknown")),
        )
    s = minimise.squared(margins.values, margins.r / (2.0 * math.sqrt(passes)))
    L2 = math.sqrt(passes) * float(losses_norm(margins, s))
    return found(pa_noisy(s, margins.R, margins.r, L2), margins, losses_found(margins, s))


def pa_i_on(margins: Margins, C: float, *, passes: int = 1) -> Bound:
    """Theorem 4 with the multiple of the comparator for which it is smallest.

    >>> import numpy as np
    >>> bound = pa_i_on(Margins(np.array([1.0] * 50 + [-0.5]), R=1.0), C=1.0)
    >>> bound.value, bound.quantities["u_norm"]
    (4.0, 1.0)
    """
    refuse_empty(margins)
    passes = whole("passes", passes, 1)
    C = finite("C", C, above=0.0)
    s = minimise.hinge(margins.values, 1.0, C * passes)
    L1 = passes * math.fsum((1.0 - s * margins.values).clip(0.0))
    return found(pa_i(s, margins.R, C, L1), margins, losses_found(margins, s))


def pa_ii_on(margins: Margins, C: float, *, passes: int = 1) -> Bound:
    """Theorem 5 with the multiple of the comparator for which it is smallest."""
    refuse_empty(margins)
    passes = whole("passes", passes, 1)
    C = finite("C", C, above=0.0)
    s = minimise.squared_sum(margins.values, 1.0, 2.0 * C * passes)
    L2 = math.sqrt(passes) * losses_norm(margins, s)
    return found(pa_ii(s, margins.R, C, L2), margins, losses_found(margins, s))


def losses_norm(margins: Margins, s: float) -> float:
    losses = (1.0 - s * margins.values).clip(0.0)
    return math.sqrt(float(losses @ losses))


def losses_found(margins: Margins, s: float) -> str:
    return f"{int((s * margins.values < 1.0).sum())} of {len(margins.values)} have a loss"


def found(
    bound: Bound,
    margins: Margins,
    of_u: str,
    *,
    holds: bool = True,
    value: float | None = None,
    u_norm: float | None = None,
) -> Bound:
    """The same bound with measured quantities instead of a caller's claims."""
    starts, bounded, loss = bound.assumptions
    quantities = dict(bound.quantities)
    if u_norm is not None:
        quantities["u_norm"] = u_norm
    return Bound(
        bound.theorem,
        bound.statement,
        bound.value if value is None else value,
        quantities,
        (
            starts,
            Assumption(bounded.text, True, f"R = {margins.R:.6g}"),
            Assumption(loss.text, holds, of_u),
        ),
    )
