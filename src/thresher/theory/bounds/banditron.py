"""How many wrong labels the Banditron plays, in the mean over its own coin."""

from __future__ import annotations

import math

from thresher.options import finite, whole
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.perceptron import BOUNDED, quotient


def banditron(R: float, margin: float, k: int, T: int, gamma: float, *, TD: float = 0.0) -> Bound:
    """Kakade, Shalev-Shwartz & Tewari (2008), with all constants: E[mistakes] in T rounds.

    A mistake is a label played, of k, that is wrong; `gamma` is how often any label is played. The
    comparator is a vector u_r for each label, Σ‖u_r‖² = 1. Separable: u_y·x − u_r·x ≥ `margin` for
    every example and every other label r. Else TD = Σ max(0, margin − (u_y·x − u_r·x)) over the
    stream, r the strongest other label. With A = R/margin, L = TD/margin, β = γ(1 − 1/k),
    b = β/(1 − β), a = k/γ + 1 − b:

        E[mistakes] ≤ β·T + (1 − γ)·m,   m = L + ½(A²a + √(A⁴a² + 4A²(aL + bT)))

    Proof idea: let M count the examples whose best scored label is wrong. The mean of a step is the
    perceptron's, so in the mean it brings W·U, U of that margin, to E[M]·margin − TD or more, and
    its part along W is not positive. The mean of its square is at most R²(k/γ + 1) where the best
    scored label is wrong, R²b where it is right. So E[M] − L ≤ A·√(a·E[M] + bT), by Cauchy and
    Schwarz, and m solves that. Right ones are played wrong with probability β, wrong ones with
    1 − γ/k.

    >>> round(banditron(R=1.0, margin=0.5, k=4, T=10_000, gamma=0.1).value)
    913
    """
    R, margin = finite("R", R, above=0.0), finite("margin", margin, above=0.0)
    k, T = whole("k", k, 2), whole("T", T, 0)
    gamma, TD = finite("gamma", gamma, above=0.0, most=1.0), finite("TD", TD, least=0.0)
    beta = gamma * (1.0 - 1.0 / k)
    b = beta / (1.0 - beta)
    a = k / gamma + 1.0 - b
    A2, L = quotient(R, margin) ** 2, quotient(TD, margin)
    m = L + (A2 * a + math.sqrt((A2 * a) ** 2 + 4.0 * A2 * (a * L + b * T))) / 2.0
    return Bound(
        "Banditron",
        "E[mistakes] ≤ β·T + (1 − γ)·(L + ½(A²a + √(A⁴a² + 4A²(aL + bT))))",
        beta * T + (1.0 - gamma) * m,
        {"R": R, "margin": margin, "k": float(k), "T": float(T), "gamma": gamma, "TD": TD},
        (
            Assumption("W starts at 0; the steps are the Banditron's, of examples of weight 1"),
            BOUNDED,
            Assumption("TD = Σ max(0, margin − (u_y·x − u_r·x)) over the stream, Σ‖u_r‖² = 1"),
            Assumption("the labels to play, and the stream, are given in advance"),
        ),
    )
