"""How many mistakes the shifting perceptron makes on a target that moves."""

from __future__ import annotations

import math

from thresher.options import finite
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.perceptron import BOUNDED, quotient


def shifting(
    R: float, gamma: float, lambda_: float, *, shift: float = 0.0, TD: float = 0.0
) -> Bound:
    """mistakes ≤ λ·(G/2 + √(G²/4 + TD/γ))², G = R·(1 + shift)/γ, for λ ≥ 1.

    The target is a unit vector u_t for each example, which moves by `shift` = Σ ‖u_t − u_{t−1}‖ in
    all; TD = Σ max(0, γ − y·(u_t·x)). With λ = 1 and a target that stands still it is the
    perceptron's bound, and with TD = 0 Novikoff's. It is smallest for λ = 1: what forgetting gains
    when a target turns late is not in it.

    Proof idea: let v = w/Π(1 − λ_j), to which mistake k adds c_k·y·x. Then ‖v‖² ≤ R²·Σ c², and
    u·v grows by at least c_k·(γ − ξ_k) − ‖u_k − u_{k−1}‖·‖v‖, so that
    γ·Σ c_k ≤ Σ c_k·ξ_k + (1 + shift)·R·√Σ c_k². For λ ≥ 1 the c_k do not fall; divide by the last
    one, and let A = Σ c_k/c_m. As squares of numbers up to 1 are smaller, A ≤ TD/γ + G·√A. And
    A ≥ m/λ, since A_m = 1 + A_{m−1}·m/(λ + m − 1).

    >>> shifting(R=1.0, gamma=0.1, lambda_=1.0).value
    100.0
    """
    R, gamma = finite("R", R, above=0.0), finite("gamma", gamma, above=0.0)
    lambda_ = finite("lambda_", lambda_, least=1.0)
    shift, TD = finite("shift", shift, least=0.0), finite("TD", TD, least=0.0)
    half = quotient(R * (1.0 + shift), gamma) / 2.0
    return Bound(
        "shifting perceptron",
        "mistakes ≤ λ·(G/2 + √(G²/4 + TD/γ))², G = R·(1 + shift)/γ",
        lambda_ * (half + math.sqrt(half * half + quotient(TD, gamma))) ** 2,
        {"R": R, "gamma": gamma, "lambda_": lambda_, "shift": shift, "TD": TD},
        (
            Assumption("w starts at 0; on the k-th mistake w = (1 − λ_k)·w + λ_k·y·x"),
            BOUNDED,
            Assumption("TD = Σ max(0, γ − y·(u_t·x)), shift = Σ ‖u_t − u_{t−1}‖, ‖u_t‖ = 1"),
        ),
    )
