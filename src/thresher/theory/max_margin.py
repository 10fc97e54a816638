"""The shortest w with w·z ≥ 1 for all rows z, or rows that show that there is none.

The dual active-set method of Goldfarb & Idnani (1983) for min ½‖w‖². It holds a set S of rows and
the shortest w with w·z = 1 on S, which is w = Σ α_i·z_i with all α_i > 0. The row that is violated
most enters; rows whose α would fall below 0 leave. ‖w‖ grows with each step, so it ends. Should the
entering row z be a combination Σ r_i·z_i of S with all r_i ≤ 0, then z + Σ (−r_i)·z_i = 0 is a
certificate that no w exists.

Z_S stays factored as QR, updated as rows come and go, so that the accuracy is that of the condition
of Z_S and not of its square. A step costs O(columns·|S|), and pricing a product of Z with w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.theory.optional import scipy_linalg
from thresher.theory.signed import Floats

EPSILON = float(np.finfo(float).eps)
DEPENDENT = 1e-11  # a row whose distance from the span of S is this share of its length lies in it
NOTHING = 1e-14  # a combination this short, measured by the longest row, is rounding
CANDIDATES = 400  # violated rows that are looked at before all rows are priced again


@dataclass(frozen=True)
class Solved:
    """The shortest w, and α > 0 of the rows in `support`: w = Σ α·z."""

    w: Floats
    support: list[int]
    alpha: Floats


@dataclass(frozen=True)
class Conflict:
    """Rows whose combination with these weights ≥ 0 is zero, as far as floats can tell."""

    rows: list[int]
    weights: Floats


class Factors:
    """Z_S = (Q·R)ᵀ, Q with orthonormal columns."""

    def __init__(self, columns: int) -> None:
        self.size = 0
        self._q = np.empty((columns, min(columns, 16)), order="F")
        self._r = np.zeros((self._q.shape[1],) * 2)

    @property
    def Q(self) -> Floats:
        return self._q[:, : self.size]

    @property
    def R(self) -> Floats:
        return self._r[: self.size, : self.size]

    def split(self, z: Floats) -> tuple[Floats, Floats]:
        """z = Q·c + rest, orthogonalised twice so that rest is right to the last digits."""
        c = self.Q.T @ z
        rest = z - self.Q @ c
        more = self.Q.T @ rest
        return c + more, rest - self.Q @ more

    def insert(self, c: Floats, rest: Floats, length: float) -> None:
        k = self.size
        if k == self._q.shape[1]:
            room = min(self._q.shape[0], 2 * k)
            q, r = np.empty((self._q.shape[0], room), order="F"), np.zeros((room, room))
            q[:, :k], r[:k, :k] = self._q, self._r
            self._q, self._r = q, r
        self._q[:, k] = rest / length
        self._r[:k, k] = c
        self._r[k, : k + 1] = 0.0
        self._r[k, k] = length
        self.size = k + 1

    def delete(self, place: int) -> None:
        k = self.size
        q, r = scipy_linalg().qr_delete(self.Q, self.R, place, which="col", check_finite=False)
        self.size = k - 1
        self.Q[:], self.R[:] = q[:, : k - 1], r[: k - 1]

    def combination(self, c: Floats) -> Floats:
        """r with Z_Sᵀ·r = Q·c."""
        return np.asarray(scipy_linalg().solve_triangular(self.R, c, check_finite=False))

    def shortest(self) -> tuple[Floats, Floats]:
        """The shortest w with Z_S·w = 1, and its α."""
        ones = np.ones(self.size)
        y = scipy_linalg().solve_triangular(self.R, ones, trans="T", check_finite=False)
        return self.Q @ y, self.combination(y)


def shortest_separator(
    Z: Any, proved: Callable[[Conflict], bool] = lambda conflict: True
) -> Solved | Conflict:
    """Solve for the rows of Z, a dense or CSR array without zero rows.

    When floats find a conflict, `proved` is asked whether it is one. If not, the search goes on,
    unless the conflict is so close that floats cannot tell what lies beyond.
    """
    norms = row_norms(Z)
    scale = float(norms.max())
    Z, norms = Z / scale, norms / scale
    w = np.zeros(Z.shape[1])
    factors, alpha = Factors(Z.shape[1]), np.empty(0)
    active: list[int] = []
    candidates = np.empty(0, dtype=np.intp)
    while True:
        j, candidates = most_violated(Z, norms, w, candidates, active)
        if j is None:
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
                factors.insert(c, rest, length)
                active.append(j)
                w, alpha = factors.shortest()
                break
            if not inside:
                w = w + partial * rest
            alpha = np.maximum(alpha - partial * r, 0.0)
            factors.delete(leaving)
            del active[leaving]
            alpha = np.delete(alpha, leaving)


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


def row(Z: Any, j: int) -> Floats:
    if isinstance(Z, np.ndarray):
        return np.asarray(Z[j])
    dense = np.zeros(Z.shape[1])
    part = slice(Z.indptr[j], Z.indptr[j + 1])
    dense[Z.indices[part]] = Z.data[part]
    return dense


def row_norms(Z: Any) -> Floats:
    if isinstance(Z, np.ndarray):
        return np.asarray(np.linalg.norm(Z, axis=1))
    return np.asarray(np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1), dtype=float).ravel()))
