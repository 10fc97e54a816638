"""The mistake bound of the p-norm perceptron.

v starts at 0 and moves by v += η·y·x when y·(w·x) ≤ m, with w = ∇½‖v‖_p² and p ≥ 2. The second
derivative of ½‖v‖_p² along x is at most

    (p − 1)·‖v‖_p^(2−p)·Σ|v_i|^(p−2)·x_i²  ≤  (p − 1)·‖x‖_p²

by Hölder with exponents p/(p−2) and p/2, for the other term of it is ≤ 0. So an update makes ‖v‖_p²
larger by at most 2η·y·(w·x) + (p − 1)·η²·‖x‖_p² ≤ η²·((p − 1)·X² + 2m/η).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thresher.options import finite
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.perceptron import quotient
from thresher.theory.signed import Floats, SignedExamples


def pnorm(
    p: float, X_p: float, u_q: float, gamma: float, *, margin: float = 0.0,
    learning_rate: float = 1.0,
) -> Bound:  # fmt: skip
    """Grove, Littlestone & Schuurmans (1997): mistakes ≤ (p − 1)·X_p²·‖u‖_q²/γ², 1/p + 1/q = 1.

    If y·(u·x) ≥ γ > 0 and ‖x‖_p ≤ X_p for every example. p = 2 is Novikoff's bound. With a
    learner's `margin` m and `learning_rate` η: updates ≤ ((p − 1)·X_p² + 2m/η)·‖u‖_q²/γ².

    Proof idea: k updates bring u·v to at least k·η·γ, and by Hölder u·v ≤ ‖u‖_q·‖v‖_p. Each adds at
    most η²·((p − 1)·X_p² + 2m/η) to ‖v‖_p² (see the head of this file).

    >>> pnorm(2.0, X_p=1.0, u_q=1.0, gamma=0.1).value == 100.0
    True
    >>> round(pnorm(13.8, X_p=1.7, u_q=3.0, gamma=1.0).value)  # 3 of 1000 features of ±1
    333
    """
    p = finite("p", p, least=2.0)
    X_p, u_q = finite("X_p", X_p, above=0.0), finite("u_q", u_q, above=0.0)
    gamma, margin = finite("gamma", gamma, above=0.0), finite("margin", margin, least=0.0)
    eta = finite("learning_rate", learning_rate, above=0.0)
    reach = math.hypot(math.sqrt(p - 1.0) * X_p, math.sqrt(2.0 * margin / eta))
    return Bound(
        "p-norm perceptron",
        "mistakes ≤ (p − 1)·X_p²·‖u‖_q²/γ²"
        if margin == 0.0
        else "updates ≤ ((p − 1)·X_p² + 2·margin/η)·‖u‖_q²/γ²",
        quotient(reach * u_q, gamma) ** 2,
        {"p": p, "X_p": X_p, "u_q": u_q, "gamma": gamma},
        (
            Assumption("v starts at 0; v += η·y·x exactly when y·(w·x) ≤ margin, w = ∇½‖v‖_p²"),
            Assumption("‖x‖_p ≤ X_p for every example, the constant feature included"),
            Assumption("y·(u·x) ≥ γ > 0 for every example"),
        ),
    )


def pnorm_on(
    examples: SignedExamples, u: Floats, p: float, *, margin: float = 0.0,
    learning_rate: float = 1.0,
) -> Bound:  # fmt: skip
    """The same with X_p, ‖u‖_q and γ as found; it does not apply if u separates nothing."""
    u = u / np.abs(u).max()
    margins = examples.y * np.asarray(examples.rows @ u)
    X_p, u_q = largest_norm(examples, p), norm(u, p / (p - 1.0))
    gamma = float(margins.min())
    # What rounding alone may have made positive is none.
    doubtful = float(np.finfo(float).eps) * 64.0 * largest_norm(examples, 2.0) * norm(u, 2.0)
    separates = gamma > doubtful
    bound = pnorm(
        p, X_p, u_q, gamma if separates else 1.0, margin=margin, learning_rate=learning_rate
    )
    starts, bounded, of_u = bound.assumptions
    return replace(
        bound,
        value=bound.value if separates else math.inf,
        quantities={**bound.quantities, "gamma": gamma},
        assumptions=(
            starts,
            replace(bounded, found=f"X_p = {X_p:.6g}"),
            Assumption(of_u.text, separates, f"smallest margin {gamma:.6g}, ‖u‖_q = {u_q:.6g}"),
        ),
    )


def norm(u: Floats, q: float) -> float:
    """‖u‖_q, measured by its largest value, so that no power overflows."""
    largest = float(np.abs(u).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    total = float((np.abs(u / largest) ** q).sum())
    return largest * math.pow(total, 1.0 / q)


def largest_norm(examples: SignedExamples, p: float) -> float:
    """The largest ‖x‖_p."""
    data = examples.rows.data if examples.sparse else examples.rows
    largest = float(np.abs(data).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    powers = abs(examples.rows / largest)
    powers = powers.power(p) if examples.sparse else powers**p
    return largest * math.pow(float(np.max(powers.sum(axis=1))), 1.0 / p)
