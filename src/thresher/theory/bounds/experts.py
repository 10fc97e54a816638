"""Bounds on the loss of experts by fixed share, in terms of the best of them."""

from __future__ import annotations

import math

from thresher.options import finite, whole
from thresher.theory.bounds.bound import Assumption, Bound


def experts(
    mistakes: float, members: int, examples: int, eta: float, share: float, changes: int = 0
) -> Bound:
    """Herbster & Warmuth (1998): M ≤ (η·m + ln N + k·ln(N/α) + T·ln(1/(1−α)))/ln(2/(1+e^−η)).

    M is the number of mistakes of the vote, m that of any member, or of any sequence of members
    that changes k times.

    Proof idea: at a mistake the members that are wrong have at least half of the weight, so the sum
    falls by a factor of at most (1 + e^−η)/2, and sharing changes no sum. A member keeps at least
    (1 − α)^T·e^(−η·m)/N, and where the sequence changes, the next one has α/N of it.

    >>> round(experts(mistakes=10, members=8, examples=1000, eta=0.5, share=0.001).value, 2)
    36.88
    """
    mistakes = finite("mistakes", mistakes, least=0.0)
    members, examples = whole("members", members, 1), whole("examples", examples, 0)
    eta, share = finite("eta", eta, above=0.0), finite("share", share, above=0.0, below=1.0)
    changes = whole("changes", changes, 0)
    paid = eta * mistakes + math.log(members) + changes * math.log(members / share)
    return Bound(
        "experts",
        "mistakes ≤ (η·m + ln N + k·ln(N/α) − T·ln(1−α))/ln(2/(1+e^−η))",
        (paid - examples * math.log1p(-share)) / math.log(2.0 / (1.0 + math.exp(-eta))),
        {"m": mistakes, "N": members, "T": examples, "eta": eta, "share": share, "k": changes},
        (Assumption("every example has the weight 1"),),
    )


def experts_squares(squares: float, allowed: float) -> Bound:
    """Σ (ŷ−y)² ≤ S + A, with A = Σ gaps + Σ ln N/η over the starts + Σ ln(1/(1−α))/η.

    S is the sum of squares of any member over all examples but the first, η the rate at the time,
    the gap of an example what the answer lost beyond −1/η·ln Σ w·e^(−η·loss). The run keeps A.

    Proof idea: between two starts the rate is the same, and what the weights account for telescopes
    as for labels; the gaps are added. A rate is left when its gaps exceed ln N/η, and at
    η ≤ 1/(2·B²), with B the span of the targets, there are none: e^(−η·(p−y)²) is concave in p.

    >>> experts_squares(100.0, allowed=7.0).value
    107.0
    """
    squares, allowed = finite("squares", squares, least=0.0), finite("allowed", allowed, least=0.0)
    return Bound(
        "experts, squares",
        "Σ (ŷ−y)² ≤ S + Σ gaps + Σ ln N/η − Σ ln(1−α)/η",
        squares + allowed,
        {"S": squares, "A": allowed},
        (),
    )
