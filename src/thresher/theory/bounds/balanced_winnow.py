"""Mistake bound of Balanced Winnow: any real x, any comparator, with or without noise.

w⁺ and w⁻ start at 1 in each of d places; a mistake, y·(w⁺ − w⁻)·x ≤ 0, makes them w±_i·e^{±η·y·x_i}
with η = ln α. Let |x_i| ≤ X, the constant feature included, and Σ|u_i| = 1.

From above: e^t is convex, so e^{±η·y·x_i} ≤ cosh(ηX) ± (y·x_i/X)·sinh(ηX). Hence a mistake makes
the sum W of all 2d weights at most

    cosh(ηX)·W + (sinh(ηX)/X)·y·(w⁺ − w⁻)·x ≤ cosh(ηX)·W.

From below: after M mistakes w±_i = e^{±η·v_i}, where v is the sum of their y·x. ln is concave, so

    ln W ≥ Σ |u_i|·ln(e^{η·sgn(u_i)·v_i}/|u_i|) = η·u·v + H,    H = −Σ |u_i|·ln |u_i| ≥ 0,

and u·v ≥ M·γ − Σ ξ with ξ = max(0, γ − y·(u·x)). Together, if η·γ > ln cosh(ηX),

    M ≤ (ln(2d) − H + η·Σ ξ) / (η·γ − ln cosh(ηX)).

With α = e^η, tanh(ηX) = γ/X it is least: about 2·ln(2d)·(X/γ)². A small enough α always applies,
since ln cosh(ηX) ≤ (ηX)²/2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thresher.options import finite, whole
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.margins import Margins
from thresher.theory.bounds.perceptron import refuse_empty

STARTS = Assumption("w⁺ and w⁻ start at 1; θ = 0; w±_i *= α^{±y·x_i} exactly on a mistake")


def balanced_winnow(
    gamma: float,
    d: int,
    *,
    X: float = 1.0,
    alpha: float = 1.5,
    slack: float = 0.0,
    entropy: float = 0.0,
) -> Bound:
    """mistakes ≤ (ln 2d − H + η·Σ ξ)/(η·γ − ln cosh(η·X)), η = ln α, as derived above.

    Parameters
    ----------
    gamma : γ; examples have y·(u·x) ≥ γ − ξ for some u with Σ|u_i| = 1.
    d : the number of features, the constant one included.
    X : the largest |x_i|, the constant feature included.
    alpha : the learner's α.
    slack : Σ ξ.
    entropy : H of u; 0 is always allowed.

    Examples
    --------
    >>> round(balanced_winnow(gamma=0.2, d=300, alpha=1.2).value, 1)  # most of five coins of 300
    320.9
    """
    gamma, d = finite("gamma", gamma, above=0.0), whole("d", d, 1)
    X, alpha = finite("X", X, above=0.0), finite("alpha", alpha, above=1.0)
    slack, entropy = finite("slack", slack, least=0.0), finite("entropy", entropy, least=0.0)
    eta = math.log(alpha)
    gain = eta * gamma - log_cosh(eta * X)
    value = (math.log(2 * d) - entropy + eta * slack) / gain if gain > 0.0 else math.inf
    advice = "" if gain > 0.0 else "; a smaller α would do"
    return Bound(
        "Balanced Winnow",
        "mistakes ≤ (ln 2d − H + η·Σ ξ)/(η·γ − ln cosh(η·X)), η = ln α",
        max(0.0, value),
        {"gamma": gamma, "d": float(d), "X": X, "alpha": alpha, "slack": slack, "H": entropy},
        (
            STARTS,
            Assumption("|x_i| ≤ X for every example, the constant feature included"),
            Assumption("Σ ξ = Σ max(0, γ − y·(u·x)) over the stream, Σ|u_i| = 1"),
            Assumption("η·γ > ln cosh(η·X)", gain > 0.0, f"the difference is {gain:.4g}{advice}"),
        ),
    )


def balanced_winnow_on(margins: Margins, d: int, *, alpha: float = 1.5, passes: int = 1) -> Bound:
    """`balanced_winnow` at the γ where it is least, exactly.

    Between two margins Σ ξ is linear in γ, so the bound is a quotient of linear functions there,
    which is least at an end: at one of the margins.

    >>> m = Margins.of([[1.0, 1.0], [-1.0, 0.0]], [1, -1], [1.0, 0.0], fit_intercept=False)
    >>> bound = balanced_winnow_on(m, d=2)
    >>> bound.quantities["gamma"], bound.applies
    (1.0, True)
    """
    refuse_empty(margins)
    passes = whole("passes", passes, 1)
    m = np.sort(margins.values) / margins.u_l1
    eta = math.log(finite("alpha", alpha, above=1.0))
    gain = eta * m - log_cosh(eta * margins.R_inf)
    below = np.concatenate([[0.0], np.cumsum(m)[:-1]])
    slack = passes * np.maximum(0.0, np.arange(len(m)) * m - below)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = math.log(2 * d) - margins.u_entropy
        values = np.where(gain > 0.0, (start + eta * slack) / gain, math.inf)
    best = int(np.argmin(values)) if np.isfinite(values).any() else len(m) - 1
    gamma = float(m[best])
    found = f"{int((m < gamma).sum())} of {len(m)} margins y·(u·x)/Σ|u_i| are below γ = {gamma:.4g}"
    if gamma <= 0.0:
        bound = balanced_winnow(1.0, d, X=margins.R_inf, alpha=alpha)
        starts, bounded, of_u, _ = bound.assumptions
        of_u = Assumption("some y·(u·x) > 0", False, "no margin is > 0")
        return replace(bound, value=math.inf, assumptions=(starts, bounded, of_u))
    bound = balanced_winnow(
        gamma, d, X=margins.R_inf, alpha=alpha, slack=float(slack[best]), entropy=margins.u_entropy
    )
    starts, bounded, of_u, small = bound.assumptions
    bounded = Assumption(bounded.text, True, f"X = {margins.R_inf:.6g}")
    return replace(bound, assumptions=(starts, bounded, Assumption(of_u.text, True, found), small))


def log_cosh(t: float) -> float:
    """ln cosh t, also where cosh t is beyond what a float holds."""
    t = abs(t)
    return t + math.log1p(math.exp(-2.0 * t)) - math.log(2.0)
