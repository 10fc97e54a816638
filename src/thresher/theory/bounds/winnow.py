"""Mistake bounds of Winnow: u promotions, v demotions, u + v mistakes.

w starts at 1 in each of d places; positive is predicted when w·x ≥ θ; a promotion multiplies w_i by
α^{x_i}, a demotion divides by it. The target has weights w* ≥ 0: positive examples have
w*·x ≥ θ*, negative ones w*·x ≤ θ* − γ. Only the ratios count, δ = γ/θ* and S = Σ w*_i/θ*.

Lemma 1 (the sum of the weights). A promotion adds at most (α − 1)·w·x < (α − 1)·θ, a demotion takes
at least (1 − 1/α)·w·x ≥ (1 − 1/α)·θ, and the sum stays above 0. So v ≤ A + α·u, where
A = (α/(α − 1))·d/θ. It holds for x in [0,1]^d, as α^x is convex.

Lemma 2 (no weight is large). For x in {0,1}^d, w_i is promoted only while w_i ≤ w·x < θ. So
w_i ≤ α·θ at all times, if 1 ≤ α·θ.

Lemma 3 (the target's weights must grow). Σ w*_i·log_α w_i gains w*·x ≥ θ* with each promotion and
loses w*·x ≤ θ* − γ with each demotion. By lemma 2, u·θ* − v·(θ* − γ) ≤ Σ w*_i·(1 + log_α θ).

Put v of lemma 1 into lemma 3 and divide by θ*. If α·(1 − δ) < 1,

    u ≤ (S·(1 + log_α θ) + (1 − δ)·A) / (1 − α·(1 − δ)),      u + v ≤ A + (1 + α)·u.

α = 1 + δ/2 makes the denominator δ·(1 + δ)/2. (Lecture notes print β = 1 + γ/2 beside a target
w*·x ≥ θ with θ > 1. That is small enough if θ* < 2 + γ: then (1 + γ/2)·(1 − γ/θ*) < 1, and from
θ* = 2 + γ on it is not.)
"""

from __future__ import annotations

import math

from thresher.errors import InvalidInput
from thresher.options import finite, one_of, whole
from thresher.theory.bounds.bound import Assumption, Bound

STARTS = Assumption(
    "all weights start at 1; they change only on a mistake, without floor or margin"
)
BOOLEAN = Assumption("x is in {0,1}^d")


def winnow_disjunction(
    k: int,
    n: int,
    *,
    alpha: float = 2.0,
    theta: float | None = None,
    demotion: str = "divide",
) -> Bound:
    """Disjunctions of k of n variables: with α = 2, θ = n, u ≤ k·(1 + log2 n), v ≤ 2(u + 1).

    Hence at most 3u + 2 mistakes. For other α and θ ≥ 1: u ≤ k·(1 + log_α θ), v by lemma 1. With
    demotion="eliminate": v ≤ n/θ + (α − 1)·u, as a demotion takes all of w·x ≥ θ from the sum.
    With negations the variables are the 2n literals.

    Proof idea: a relevant weight is never demoted, for in a negative example no relevant variable
    is on. Each promotion multiplies one by α, and only while it is below θ: at most 1 + log_α θ
    times for each of k.

    >>> bound = winnow_disjunction(k=5, n=1024)
    >>> bound.value, bound.quantities["promotions"], bound.quantities["demotions"]
    (167.0, 55.0, 112.0)
    """
    n = whole("n", n, 1)
    k = whole("k", k, 0)
    if k > n:
        raise InvalidInput(f"k is {k}, n is {n}; expected k of the n variables, so k ≤ n.")
    alpha = finite("alpha", alpha, above=1.0)
    theta = finite("theta", n if theta is None else theta, least=1.0)
    u = k * (1.0 + math.log2(theta) / math.log2(alpha))
    if one_of("demotion", demotion, ("divide", "eliminate")) == "divide":
        v = alpha / (alpha - 1.0) * n / theta + alpha * u
    else:
        v = n / theta + (alpha - 1.0) * u
    plain = alpha == 2.0 and theta == n and demotion == "divide"
    return Bound(
        "Winnow, disjunctions",
        "mistakes ≤ 3u + 2, u = k·(1 + log2 n)"
        if plain
        else "mistakes ≤ u + v, u = k·(1 + log_α θ), v by the sum of the weights",
        u + v,
        {"k": k, "n": n, "alpha": alpha, "theta": theta, "promotions": u, "demotions": v},
        (STARTS, BOOLEAN, Assumption("every label is that of one disjunction of k variables")),
    )


def winnow(
    l1: float,
    gamma: float,
    d: int,
    *,
    target_threshold: float = 1.0,
    theta: float | None = None,
    alpha: float | None = None,
) -> Bound:
    """Any target with weights w* ≥ 0: lemmas 1 to 3 above, as a number.

    Parameters
    ----------
    l1 : Σ w*_i.
    gamma : γ; negative examples have w*·x ≤ θ* − γ.
    d : the number of weights.
    target_threshold : θ*; positive examples have w*·x ≥ θ*.
    theta, alpha : the learner's θ (default d) and α (default 1 + δ/2, δ = γ/θ*).

    Examples
    --------
    >>> winnow(l1=5.0, gamma=1.0, d=1024, alpha=2.0).value  # a disjunction of 5 variables
    167.0
    >>> print(winnow(l1=5.0, gamma=0.1, d=1024, alpha=2.0))
    Winnow does not apply: fails: α·(1 − γ/θ*) < 1 (1.8; a smaller α would do)
    """
    l1, gamma = finite("l1", l1, least=0.0), finite("gamma", gamma, above=0.0)
    d = whole("d", d, 1)
    target = finite("target_threshold", target_threshold, above=0.0)
    delta = min(gamma / target, 1.0)  # w*·x ≥ 0, so a larger γ adds nothing
    alpha = finite("alpha", step_for(delta) if alpha is None else alpha, above=1.0)
    theta = finite("theta", d if theta is None else theta, above=0.0)
    S = l1 / target
    A = alpha / (alpha - 1.0) * d / theta
    slope = 1.0 - alpha * (1.0 - delta)
    u = math.inf
    if slope > 0.0:
        u = max(0.0, S * (1.0 + math.log(theta) / math.log(alpha)) + (1.0 - delta) * A) / slope
    return Bound(
        "Winnow",
        "mistakes ≤ A + (1 + α)·u, u = (S·(1 + log_α θ) + (1 − δ)·A)/(1 − α·(1 − δ)), "
        "A = (α/(α − 1))·d/θ",
        A + (1.0 + alpha) * u,
        {
            "S": S,
            "delta": delta,
            "d": d,
            "alpha": alpha,
            "theta": theta,
            "promotions": u,
            "demotions": A + alpha * u,
        },
        (
            STARTS,
            BOOLEAN,
            Assumption("w* ≥ 0; positive: w*·x ≥ θ*; negative: w*·x ≤ θ* − γ"),
            small_step(alpha, delta),
            Assumption("α·θ ≥ 1", alpha * theta >= 1.0, f"{alpha * theta:.6g}"),
        ),
    )


def step_for(delta: float) -> float:
    """α = 1 + δ/2. Where that rounds to 1, the next number: too large for δ, so nothing applies.

    >>> step_for(0.5), step_for(1e-17) > 1.0
    (1.25, True)
    """
    return max(1.0 + delta / 2.0, math.nextafter(1.0, 2.0))


def small_step(alpha: float, delta: float) -> Assumption:
    product = alpha * (1.0 - delta)
    advice = "" if product < 1.0 else "; a smaller α would do"
    return Assumption("α·(1 − γ/θ*) < 1", product < 1.0, f"{product:.6g}{advice}")


# ------------------------------------------------------------------ a target that changes


def winnow_r_demotions(promotions: int) -> Bound:
    """Winnow-R (α = 2, θ = n, no weight below ½): v ≤ 4u + 2, whatever the labels are.

    Proof idea: a demotion takes min(w_i/2, w_i − ½) ≥ w_i/2 − ¼ from each active weight, so at
    least n/2 − n/4 from the sum. A promotion adds less than n; the sum starts at n and is never
    below n/2. (Lecture notes print v ≤ 4(u + 1), which follows.)

    >>> winnow_r_demotions(10).value
    42.0
    """
    u = whole("promotions", promotions, 0)
    return Bound(
        "Winnow-R, demotions",
        "demotions ≤ 4u + 2",
        4.0 * u + 2.0,
        {"promotions": float(u)},
        (Assumption("α = 2, θ = n, floor ½, all weights start at 1"), BOOLEAN),
    )


def winnow_r(cost: int, n: int) -> Bound:
    """Winnow-R against an adversary who changes the disjunction at cost c: O(c·log n) mistakes.

    A variable that enters the disjunction costs the adversary 1, at the start as later; leaving is
    free. u ≤ c·(1 + ⌈log2 n⌉), v ≤ 4u + 2, mistakes ≤ 5u + 2.

    Proof idea: a variable enters with a weight of at least ½. While it is in, it is never demoted,
    and doubled only while its weight is below n: at most 1 + ⌈log2 n⌉ times. Each promotion
    promotes a variable that is in. `thresher.theory.games.drift` has the proof in full.

    >>> winnow_r(cost=8, n=1024).value
    442.0
    """
    cost, n = whole("cost", cost, 0), whole("n", n, 1)
    u = float(cost * (1 + (n - 1).bit_length()))
    return Bound(
        "Winnow-R",
        "mistakes ≤ 5u + 2, u = c·(1 + ⌈log2 n⌉)",
        5.0 * u + 2.0,
        {"cost": cost, "n": n, "promotions": u, "demotions": 4.0 * u + 2.0},
        (
            Assumption("α = 2, θ = n, floor ½, all weights start at 1"),
            BOOLEAN,
            Assumption("every label is that of the disjunction of its moment; c variables entered"),
        ),
    )
