"""Loss bounds of regressors: how much more than a comparator u, which may be chosen afterwards.

r = y − w·x is the learner's error before its step, r* = y − u·x that of u, a vector of any length.
Each proof follows ‖w − u‖², which starts at ‖u‖², as w starts at 0, and never falls below 0. A step
w += τ·x takes 2τ·(u − w)·x − τ²‖x‖² = 2τ·(r − r*) − τ²‖x‖² from it.
"""

from __future__ import annotations

import math
from dataclasses import replace

from thresher.options import finite
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.passive_aggressive import pa, pa_ii, pa_noisy
from thresher.theory.bounds.perceptron import BOUNDED

OF_RATE = "w starts at 0; w += η·r·x after every example, η a number"


def lms(u_norm: float, R: float, L: float, learning_rate: float) -> Bound:
    """LMS with a fixed η < 2/R²: Σ r² ≤ (‖u‖²/η + L/c)/(2 − c − η·R²), L = Σ r*², at the best c.

    Cesa-Bianchi, Long & Warmuth (1996) have such bounds. Proof idea: τ = η·r takes
    2η·r² − 2η·r·r* − η²·r²·‖x‖² from ‖w − u‖², and 2r·r* ≤ c·r² + r*²/c for every c > 0. So
    η·(2 − c − η·R²)·Σ r² ≤ ‖u‖² + (η/c)·L. The best c solves A·c² + 2L·c = L·(2 − η·R²),
    A = ‖u‖²/η; without noise, L = 0, it is 0.

    >>> lms(u_norm=1.0, R=1.0, L=0.0, learning_rate=0.5).value
    1.3333333333333333
    """
    u_norm, R = finite("u_norm", u_norm, least=0.0), finite("R", R, above=0.0)
    L, eta = finite("L", L, least=0.0), finite("learning_rate", learning_rate, above=0.0)
    room = 2.0 - eta * R * R
    return Bound(
        "LMS",
        "Σ r² ≤ (‖u‖²/η + L/c)/(2 − c − η·R²), L = Σ r*²",
        regret(u_norm**2 / eta, L, room),
        {"u_norm": u_norm, "R": R, "L": L, "eta": eta},
        (
            Assumption(OF_RATE),
            BOUNDED,
            Assumption("L = Σ (y − u·x)² over the stream"),
            Assumption("η·R² < 2", room > 0.0, f"η·R² = {eta * R * R:.6g}"),
        ),
    )


def nlms(u_norm: float, R: float, L: float, learning_rate: float) -> Bound:
    """NLMS, η < 2: Σ r² ≤ R²·(‖u‖²/η + L/c)/(2 − c − η), L = Σ r*²/‖x‖², at the best c.

    Proof idea: as for LMS, with r/‖x‖ in place of r; and r²/‖x‖² ≥ r²/R².

    >>> nlms(u_norm=1.0, R=2.0, L=0.0, learning_rate=1.0).value
    4.0
    """
    u_norm, R = finite("u_norm", u_norm, least=0.0), finite("R", R, above=0.0)
    L, eta = finite("L", L, least=0.0), finite("learning_rate", learning_rate, above=0.0)
    return Bound(
        "NLMS",
        "Σ r² ≤ R²·(‖u‖²/η + L/c)/(2 − c − η), L = Σ r*²/‖x‖²",
        R * R * regret(u_norm**2 / eta, L, 2.0 - eta),
        {"u_norm": u_norm, "R": R, "L": L, "eta": eta},
        (
            Assumption("w starts at 0; w += η·r·x/‖x‖² after every example, η a number"),
            BOUNDED,
            Assumption("L = Σ (y − u·x)²/‖x‖² over the stream; no example is zero"),
            Assumption("η < 2", eta < 2.0, f"η = {eta:.6g}"),
        ),
    )


def regret(A: float, L: float, room: float) -> float:
    """The least (A + L/c)/(room − c) over 0 < c < room."""
    if room <= 0.0:
        return math.inf
    if L == 0.0:
        return A / room
    # A·c² + 2L·c − L·room = 0, without cancellation
    c = L * room / (L + math.sqrt(L * L + A * L * room))
    return (A + L / c) / (room - c)


# ------------------------------------------------------------------ Passive-Aggressive

OF_PA = "w starts at 0; w += sign(r)·τ·x with the τ of this variant after every example"
OF_U = "ℓ* = max(0, |y − u·x| − ε)"


def pa_regression(u_norm: float, R: float) -> Bound:
    """PA (Crammer et al. 2006, section 5): Σ ℓ² ≤ ‖u‖²·R² if u has no loss.

    ℓ = max(0, |r| − ε). Proof idea: on an update sign(r)·(r − r*) ≥ |r| − |r*| ≥ ℓ − ℓ*, so a step
    takes at least τ·(2ℓ − τ·‖x‖² − 2ℓ*) from ‖w − u‖², as in classification; so theorems 2, 3 and
    5 of the paper hold here too, but for what they say of mistakes.

    >>> pa_regression(u_norm=10.0, R=1.0).value
    100.0
    """
    return renamed(pa(u_norm, R), "PA regression", "Σ ℓ² ≤ ‖u‖²·R²", f"Σ ℓ* = 0, {OF_U}")


def pa_regression_noisy(u_norm: float, R: float, r: float, L2: float) -> Bound:
    """PA with noise, norms between r and R: Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)², L2 = √Σ ℓ*².

    >>> pa_regression_noisy(u_norm=1.0, R=1.0, r=1.0, L2=0.5).value
    4.0
    """
    return renamed(
        pa_noisy(u_norm, R, r, L2),
        "PA regression with noise",
        "Σ ℓ² ≤ R²·(‖u‖ + 2·L2/r)²",
        f"L2² = Σ ℓ*², {OF_U}",
    )


def pa_i_regression(u_norm: float, R: float, C: float, L1: float) -> Bound:
    """PA-I: Σ min(ℓ²/R², C·ℓ) ≤ ‖u‖² + 2C·L1, L1 = Σ ℓ*.

    Proof idea: τ·‖x‖² ≤ ℓ and τ ≤ C give Σ τ·ℓ ≤ ‖u‖² + 2C·L1, and τ ≥ min(ℓ/R², C).

    >>> pa_i_regression(u_norm=1.0, R=1.0, C=1.0, L1=2.0).value
    5.0
    """
    u_norm, L1 = finite("u_norm", u_norm, least=0.0), finite("L1", L1, least=0.0)
    R, C = finite("R", R, above=0.0), finite("C", C, above=0.0)
    return Bound(
        "PA-I regression",
        "Σ min(ℓ²/R², C·ℓ) ≤ ‖u‖² + 2C·L1",
        u_norm**2 + 2.0 * C * L1,
        {"u_norm": u_norm, "R": R, "C": C, "L1": L1},
        (Assumption(OF_PA), BOUNDED, Assumption(f"L1 = Σ ℓ*, {OF_U}")),
    )


def pa_ii_regression(u_norm: float, R: float, C: float, L2: float) -> Bound:
    """PA-II: Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²), L2 = √Σ ℓ*².

    >>> pa_ii_regression(u_norm=1.0, R=1.0, C=0.5, L2=2.0).value
    10.0
    """
    return renamed(
        pa_ii(u_norm, R, C, L2),
        "PA-II regression",
        "Σ ℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·L2²)",
        f"L2² = Σ ℓ*², {OF_U}",
    )


def renamed(bound: Bound, theorem: str, statement: str, of_u: str) -> Bound:
    """A bound of classification as that of regression: the number is the same."""
    _, bounded, _ = bound.assumptions
    return replace(
        bound,
        theorem=theorem,
        statement=statement,
        assumptions=(Assumption(OF_PA), bounded, Assumption(of_u)),
    )
