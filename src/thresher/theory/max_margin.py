"""The shortest w with w·z ≥ 1 for all rows z, or rows that show that there is none.

The dual active-set method of Goldfarb & Idnani (1983) for min ½‖w‖². It holds a set S of rows and
the shortest w with w·z = 1 on S, which is w = Σ α_i·z_i with all α_i > 0. The row that is violated
most enters; rows whose α would fall below 0 leave. ‖w‖ grows with each step, so it ends. If the
entering row z is a combination Σ r_i·z_i of S with all r_i ≤ 0, then z + Σ (−r_i)·z_i = 0 is a
certificate that no w exists.

Large problems start from a set found by moving many rows at once (`likely_support`), which is
nearly right when the data is separable. Rows are priced by a product of Z with w; `factors.py`
has the other costs of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.theory.factors import Factors, NormalFactors, row
from thresher.theory.optional import scipy_part
from thresher.theory.signed import Floats

EPSILON = float(np.finfo(float).eps)
DEPENDENT = 1e-11  # a row whose distance from the span of S is this share of its length lies in it
NOTHING = 1e-14  # a combination this short, relative to the longest row, is rounding
PATIENCE = 200  # steps without a longer w, after which rounding causes cycles
CANDIDATES = 400  # violated rows that are tried before all rows are priced again
LARGE = 250  # rows and columns from which a good start is worth its cost
WIDE = 1_000  # columns of a sparse matrix that are not made dense
MOST_AT_ONCE = 4_000  # rows of a start: their products take 128 MB


@dataclass(frozen=True)
class Solved:
    """The shortest w, and α > 0 of the rows in `support`: w = Σ α·z.

    Or nearly, if the margin is too small for floats: the caller checks that w separates.
    """

    w: Floats
    support: list[int]
    alpha: Floats


@dataclass(frozen=True)
class Conflict:
    """Rows whose combination with these weights ≥ 0 is zero, as far as floats can tell."""

    rows: list[int]
    weights: Floats


def shortest_separator(
    Z: Any, proved: Callable[[Conflict], bool] = lambda conflict: True
) -> Solved | Conflict:
    """Solve for the rows of Z, a dense or CSR array without zero rows.

    When floats find a conflict, `proved` decides whether it is one. If not, the search continues,
    unless the conflict is so close that floats cannot go further.
    """
    norms = row_norms(Z)
    scale = float(norms.max())
    Z, norms = Z / scale, norms / scale
    sparse = not isinstance(Z, np.ndarray)
    factors = NormalFactors(Z) if sparse and Z.shape[1] > WIDE else Factors(Z)
    active, w, alpha = begin(factors, Z)
    candidates = np.empty(0, dtype=np.intp)
    longest, idle = 0.0, 0
    while True:
        length = float(np.linalg.norm(w))
        idle = 0 if length > longest * (1.0 + 1e-13) else idle + 1
        longest = max(longest, length)
        j, candidates = most_violated(Z, norms, w, candidates, active)
        if j is None or idle > PATIENCE or longest > 1.0 / NOTHING:
            return Solved(w / scale, active, alpha / scale**2)
        z = row(Z, j)
        while True:
            c, rest = factors.split(z)
            length = float(np.linalg.norm(rest))
            r = factors.combination(c) if active else np.empty(0)
            falling = np.flatnonzero(r > 1e-13 * np.abs(r).max(initial=0.0))
            ratios = alpha[falling] / r[falling]
            leaving = int(falling[np.argmin(ratios)]) if len(falling) else -1
            partial = float(ratios.min()) if len(falling) else np.inf
            inside = length <= DEPENDENT * norms[j] or len(active) == Z.shape[1]
            if inside and leaving < 0:
                conflict = conflicting(active, j, r)
                size = float(np.linalg.norm(Z[conflict.rows].T @ conflict.weights))
                if proved(conflict) or size <= NOTHING or len(active) == Z.shape[1]:
                    return conflict
                inside = False
            full = np.inf if inside else (1.0 - float(z @ w)) / length**2
            if full <= partial:
                factors.insert(j, c, rest, length)
                active.append(j)
                w, alpha = factors.shortest()
                break
            if not inside:
                w = w + partial * rest
            alpha = np.maximum(alpha - partial * r, 0.0)
            factors.delete(leaving)
            del active[leaving]
            alpha = np.delete(alpha, leaving)


def begin(factors: Factors | NormalFactors, Z: Any) -> tuple[list[int], Floats, Floats]:
    """S, w and α to start from: those of a likely support if it is valid, else none and 0."""
    active = likely_support(Z) if min(Z.shape) >= LARGE else []
    try:
        if active:
            factors.start(active)
            w, alpha = factors.shortest()
            near = np.abs(np.asarray(Z[active] @ w) - 1.0).max() <= 1e-6
            if (alpha > 0.0).all() and near:
                return active, w, alpha
    except np.linalg.LinAlgError:
        pass  # the rows are dependent
    factors.start([])
    return [], np.zeros(Z.shape[1]), np.empty(0)


def likely_support(Z: Any, rounds: int = 15) -> list[int]:
    """Rows that, with w·z = 1 on all of them, have α > 0; ideally the support itself.

    Block principal pivoting (Júdice & Pires 1994) on the dual, without its guard against cycles:
    rows with α ≤ 0 leave and violated rows enter, all at once. Empty if it leads nowhere.
    """
    most = min(int(0.95 * min(Z.shape)), MOST_AT_ONCE)
    start = np.asarray(Z @ np.asarray(Z.mean(axis=0)).ravel())
    active = np.argsort(start)[: most // 2]
    for turn in range(2 * rounds):
        found = dual(Z, active)
        if found is None:
            return []
        active, w, alpha = found
        short = 1.0 - np.asarray(Z @ w)
        short[active] = 0.0
        violated = np.flatnonzero(short > 1e-9) if turn < rounds else np.empty(0, dtype=int)
        stays = active[alpha > 0.0]
        if len(violated) == 0 and len(stays) == len(active):
            return [int(i) for i in active]
        room = most - len(stays)
        if len(violated) > room:
            violated = violated[np.argsort(-short[violated])[:room]]
        active = np.concatenate([stays, violated])
    return []


def dual(Z: Any, rows: Any) -> tuple[Any, Floats, Floats] | None:
    """Rows that are independent, and w and α for Z_S·w = 1 on them, by the normal equations."""
    linalg = scipy_part("linalg")
    part = Z[rows]
    gram = part @ part.T
    gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
    try:
        factor = linalg.cho_factor(gram, lower=True)
    except np.linalg.LinAlgError:  # some rows repeat, or combine to others: leave those out
        tiny = 1e-10 * gram.diagonal().max()
        _, order, rank, _ = scipy_part("linalg.lapack").dpstrf(gram, tol=tiny, lower=1)
        keep = np.sort(order[:rank] - 1)
        rows, part = rows[keep], part[keep]
        try:
            factor = linalg.cho_factor(gram[np.ix_(keep, keep)], lower=True)
        except np.linalg.LinAlgError:
            return None
    alpha = linalg.cho_solve(factor, np.ones(len(rows)))
    return (rows, np.asarray(part.T @ alpha), alpha) if np.isfinite(alpha).all() else None


def most_violated(
    Z: Any, norms: Floats, w: Floats, candidates: Any, active: list[int]
) -> tuple[int | None, Any]:
    """The row farthest on the wrong side of w·z = 1, first among candidates, then among all."""
    rounding = 32.0 * EPSILON * (1.0 + norms.max() * float(np.linalg.norm(w)))
    for fresh in (False, True):
        rows = np.arange(len(norms)) if fresh else candidates
        if len(rows) == 0:
            continue
        short = 1.0 - np.asarray((Z if fresh else Z[rows]) @ w)
        short[np.isin(rows, active)] = 0.0
        violated = np.flatnonzero(short > rounding)
        if len(violated):
            distance = short[violated] / norms[rows[violated]]
            if fresh and len(violated) > CANDIDATES:
                candidates = rows[violated[np.argpartition(-distance, CANDIDATES)[:CANDIDATES]]]
            elif fresh:
                candidates = rows[violated]
            return int(rows[violated[np.argmax(distance)]]), candidates
    return None, candidates


def conflicting(active: list[int], j: int, r: Floats) -> Conflict:
    """z_j − Σ r_i·z_i = 0, r ≤ 0, without the rows that take no part."""
    weights = np.append(np.maximum(-r, 0.0), 1.0)
    part = weights > 1e-12 * weights.max()
    rows = np.append(active, j).astype(int)[part]
    return Conflict(rows.tolist(), weights[part] / weights[part].sum())


def row_norms(Z: Any) -> Floats:
    if isinstance(Z, np.ndarray):
        return np.asarray(np.linalg.norm(Z, axis=1))
    return np.asarray(np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1), dtype=float).ravel()))
