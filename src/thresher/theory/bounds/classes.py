"""Bounds that follow from the number of concepts, and what a mistake bound means for a sample."""

from __future__ import annotations

import math

from thresher.errors import InvalidInput
from thresher.options import finite, whole
from thresher.theory.bounds.bound import Assumption, Bound

REALIZABLE = Assumption("every label is that of one concept of the class")


def halving(size: int) -> Bound:
    """Halving makes at most log2 |C| mistakes.

    Proof idea: the majority of the version space is wrong on a mistake, so at least half of it
    is removed, and the target never is: 1 ≤ |C|/2^M.

    >>> round(halving(3**10).value, 2)  # all conjunctions of 10 variables: 10·log2 3
    15.85
    """
    size = class_size(size)
    return Bound(
        "Halving",
        "mistakes ≤ log2 |C|",
        math.log2(size),
        {"size": as_float(size)},
        (REALIZABLE,),
    )


def consistent(size: int) -> Bound:
    """CON, which predicts with any concept of the version space: at most |C| − 1 mistakes.

    Proof idea: the concept that was wrong is removed, and the target never is.

    >>> consistent(8).value
    7.0
    """
    size = class_size(size)
    return Bound(
        "CON", "mistakes ≤ |C| − 1", as_float(size - 1), {"size": as_float(size)}, (REALIZABLE,)
    )


def standard_optimal(dimension: int) -> Bound:
    """SOA makes at most as many mistakes as the Littlestone dimension of its class.

    Proof idea: if both labels of an example left concepts of the whole dimension d, a tree of depth
    d below each would make one of depth d + 1. It predicts the label of the larger one, so a
    mistake leaves a smaller dimension, and the target is always left: the dimension is ≥ 0.

    >>> standard_optimal(4).value
    4.0
    """
    dimension = whole("dimension", dimension, 0)
    return Bound(
        "SOA",
        "mistakes ≤ the Littlestone dimension",
        float(dimension),
        {"dimension": float(dimension)},
        (REALIZABLE,),
    )


def elimination(n: int, monotone: bool = False) -> Bound:
    """ELIM over conjunctions or disjunctions of n variables: n + 1 mistakes; monotone: n.

    Proof idea: the hypothesis holds all literals of the target, so it errs on one side only. The
    first mistake deletes one literal of each pair x_i, ¬x_i, that is n of 2n; each later one
    deletes at least one of the n that are left. Monotone: n literals, at least one per mistake.

    >>> elimination(20).value, elimination(20, monotone=True).value
    (21.0, 20.0)
    """
    n = whole("n", n, 0)
    kind = "monotone conjunction or disjunction" if monotone else "conjunction or disjunction"
    return Bound(
        "ELIM",
        "mistakes ≤ n" if monotone else "mistakes ≤ n + 1",
        float(n if monotone else n + 1),
        {"n": float(n)},
        (Assumption(f"every label is that of one {kind}"), Assumption("x is in {0,1}^n")),
    )


def weighted_majority(size: int, best: int = 0, beta: float = 0.5) -> Bound:
    """Littlestone & Warmuth (1994): M ≤ (log2 N + m·log2(1/β)) / log2(2/(1 + β)).

    N experts vote with weights that start at 1; those that are wrong on a mistake of the vote have
    theirs multiplied by β, 0 ≤ β < 1. m are the mistakes of the best expert on the stream; no label
    need be right. With β = 0 it is Halving, and m must be 0.

    Proof idea: on a mistake at least half of the total weight W is multiplied by β, so W falls by
    (1 + β)/2 at least. The best expert keeps β^m: β^m ≤ W ≤ N·((1 + β)/2)^M.

    >>> (
    ...     round(weighted_majority(1024, best=0).value, 3),
    ...     round(weighted_majority(2, best=5).value, 3),
    ... )
    (24.094, 14.457)
    """
    size = class_size(size)
    best = whole("best", best, 0)
    beta = finite("beta", beta, least=0.0)
    if beta >= 1.0 or (beta == 0.0 and best > 0):
        raise InvalidInput(
            f"beta is {beta!r} with {best} mistakes of the best expert; expected 0 < beta < 1, "
            "or 0 with no mistakes."
        )
    paid = best * math.log2(1.0 / beta) if best else 0.0
    return Bound(
        "Weighted Majority",
        "mistakes ≤ (log2 N + m·log2(1/β)) / log2(2/(1 + β))",
        (math.log2(size) + paid) / math.log2(2.0 / (1.0 + beta)),
        {"size": as_float(size), "best": float(best), "beta": beta},
        (Assumption("the best expert makes at most m mistakes on the stream"),),
    )


def survivor_examples(mistakes: int, s: int) -> Bound:
    """Within (M + 1)·s examples some hypothesis is right s times in a row.

    M bounds the mistakes of a learner that changes only on a mistake.

    Proof idea: a hypothesis that does not survive s examples uses up at most s, its mistake
    included. There are at most M of those, and the next one survives.

    >>> survivor_examples(mistakes=500, s=1000).value  # "about 500,000"
    501000.0
    """
    mistakes, s = whole("mistakes", mistakes, 0), whole("s", s, 1)
    return Bound(
        "mistake bound to survivor",
        "examples ≤ (M + 1)·s",
        as_float((mistakes + 1) * s),
        {"mistakes": float(mistakes), "s": float(s)},
        (
            Assumption("the learner makes at most M mistakes on any stream of this kind"),
            Assumption("the hypothesis changes only on a mistake"),
        ),
    )


def class_size(size: int) -> int:
    return whole("size", size, 1)


def as_float(number: int) -> float:
    """A count as a float; infinite if it has more than 308 digits."""
    try:
        return float(number)
    except OverflowError:
        return math.inf
