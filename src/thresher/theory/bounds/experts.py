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


def experts_squares(
    squares: float, members: int, examples: int, span: float, eta: float, share: float
) -> Bound:
    """Σ (ŷ−y)² ≤ S + 4/3·B²·(ln N/η + 1) + T·B²·ln(1/(1−α))/η, for η ≤ 1/2.

    S is the sum of squares of any member, B a power of two that is at least the span of the
    targets, over all examples but the first.

    Proof idea: e^(−η·(p−y)²/B²) is concave in p where |p−y| ≤ B and η ≤ 1/2, so the loss of the
    mean is at most −B²/η·ln Σ w·e^(−η·loss/B²), and these telescope. The weights start over at
    different powers of two, whose squares sum to at most 4/3·B².

    >>> round(
    ...     experts_squares(100.0, members=8, examples=0, span=1.0, eta=0.5, share=0.001).value, 2
    ... )
    106.88
    """
    squares, span = finite("squares", squares, least=0.0), finite("span", span, least=0.0)
    members, examples = whole("members", members, 1), whole("examples", examples, 0)
    eta, share = finite("eta", eta, above=0.0), finite("share", share, above=0.0, below=1.0)
    restarts = 4.0 / 3.0 * (math.log(members) / eta + 1.0)
    return Bound(
        "experts, squares",
        "Σ (ŷ−y)² ≤ S + 4/3·B²·(ln N/η + 1) − T·B²·ln(1−α)/η",
        squares + span**2 * (restarts - examples * math.log1p(-share) / eta),
        {"S": squares, "N": members, "T": examples, "B": span, "eta": eta, "share": share},
        (
            Assumption("every example has the weight 1"),
            Assumption("η ≤ 1/2", eta <= 0.5, f"η = {eta:g}"),
        ),
    )
