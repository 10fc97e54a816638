"""Mistake bounds of perceptrons on shards of the data, all of which start each pass from a mix.

w is what the shards start a pass from, Δ_i the move of shard i, k_i its mistakes. In both theorems
w starts at 0, ‖x‖ ≤ R, ‖u‖ = 1, y·(u·x) ≥ γ > 0 for every example of every shard, and w += η·y·x
exactly when y·(w·x) ≤ 0. Neither is the bound of one run over all the data: mistakes of shards that
do not see each other's updates add up.
"""

from __future__ import annotations

from thresher.options import finite, whole
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.perceptron import BOUNDED, STARTS, quotient

SEPARATED = Assumption("y·(u·x) ≥ γ > 0 for every example of every shard, ‖u‖ = 1")


def mixed_by_mean(R: float, gamma: float, shards: int) -> Bound:
    """McDonald, Hall & Mann (2010): mistakes of all shards and passes ≤ S·R²/γ², where each pass
    starts from the mean of the S weight vectors in which the last one ended.

    Proof idea: let α = η·R²/γ. A mistake changes ‖w − αu‖² by at most η²R² − 2αηγ = −η²R², since
    y·(w·x) ≤ 0; so shard i ends its pass at ‖w_i − αu‖² ≤ ‖w − αu‖² − k_i·η²R². The square is
    convex: the mean of the w_i is no farther from αu than the mean of these bounds. Sum over the
    passes, from ‖0 − αu‖² = α² = η²R⁴/γ²: (1/S)·Σ k_i·η²R² ≤ η²R⁴/γ².

    >>> mixed_by_mean(R=1.0, gamma=0.5, shards=3).value
    12.0
    """
    R, gamma = finite("R", R, above=0.0), finite("gamma", gamma, above=0.0)
    shards = whole("shards", shards, least=1)
    return Bound(
        "mixing by mean",
        "mistakes of all shards ≤ S·R²/γ²",
        shards * quotient(R, gamma) ** 2,
        {"R": R, "gamma": gamma, "S": float(shards)},
        (STARTS, BOUNDED, SEPARATED),
    )


def mixed_by_occurrence(R: float, gamma: float, spread: float) -> Bound:
    """Mistakes of all shards and passes ≤ (R²/γ²)·Σ_j n_j·u_j², where each pass starts from
    w_j + (1/n_j)·Σ_i Δ_ij, and n_j is the number of shards whose data contain feature j.

    `spread` is Σ_j n_j·u_j², the constant feature with n_j = S: between 1, if no two shards share
    a feature that u needs, and S, if all share all.

    Proof idea: φ_j(v) = (v − α·u_j)² is convex, and only n_j shards can move w_j, so by Jensen
    n_j·(φ_j(mixed) − φ_j(start)) ≤ Σ_i (φ_j(end of shard i) − φ_j(start)). Summed over j the right
    side is Σ_i (‖w_i − αu‖² − ‖w − αu‖²) ≤ −Σ_i k_i·η²R² with α = η·R²/γ, as above. Sum over the
    passes; the left side telescopes to at least −Σ_j n_j·(α·u_j)², because n_j stays the same.

    >>> mixed_by_occurrence(R=1.0, gamma=0.5, spread=1.5).value
    6.0
    """
    R, gamma = finite("R", R, above=0.0), finite("gamma", gamma, above=0.0)
    spread = finite("spread", spread, least=0.0)
    return Bound(
        "mixing by occurrence",
        "mistakes of all shards ≤ (R²/γ²)·Σ_j n_j·u_j²",
        spread * quotient(R, gamma) ** 2,
        {"R": R, "gamma": gamma, "spread": spread},
        (STARTS, BOUNDED, SEPARATED,
         Assumption("n_j is the number of shards that contain feature j, in every pass")),
    )  # fmt: skip
