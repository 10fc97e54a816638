"""A changing set of rows of Z, factored so that systems with them are solved quickly."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.theory.optional import scipy_part
from thresher.theory.signed import Floats


class FactorTriangle:
    """R with Z_S·Z_Sᵀ = RᵀR, upper triangular; one row and column for each row in S."""

    def __init__(self) -> None:
        self.size = 0
        self._r = np.zeros((16, 16))

    @property
    def R(self) -> Floats:
        return self._r[: self.size, : self.size]

    def put(self, R: Floats) -> None:
        self.size = len(R)
        self._r = R.copy()

    def grow(self, c: Floats, length: float) -> None:
        k = self.size
        if k == len(self._r):
            larger = np.zeros((2 * k + 16,) * 2)
            larger[:k, :k] = self._r
            self._r = larger
        self._r[:k, k] = c
        self._r[k, : k + 1] = 0.0
        self._r[k, k] = length
        self.size = k + 1

    def combination(self, c: Floats) -> Floats:
        """R⁻¹·c."""
        return self._solve(c, "N")

    def transposed(self, c: Floats) -> Floats:
        """R⁻ᵀ·c."""
        return self._solve(c, "T")

    def _solve(self, c: Floats, trans: str) -> Floats:
        if self.size == 0:
            return np.empty(0)
        solve = scipy_part("linalg").solve_triangular
        return np.asarray(solve(self.R, c, trans=trans, check_finite=False))


class Factors(FactorTriangle):
    """Z_Sᵀ = Q·R with orthonormal columns in Q, for any Z; a step costs O(columns·|S|).

    The accuracy depends on the condition number of Z_S, not on its square.
    """

    def __init__(self, Z: Any) -> None:
        super().__init__()
        self.Z = Z
        self._q = np.empty((Z.shape[1], min(Z.shape[1], 16)), order="F")

    @property
    def Q(self) -> Floats:
        return self._q[:, : self.size]

    def start(self, rows: list[int]) -> None:
        if not rows:
            self.size = 0
            return
        part = self.Z[rows]
        dense = part if isinstance(part, np.ndarray) else part.toarray()
        q, r = np.linalg.qr(dense.T)
        self._q = np.asfortranarray(q)
        self.put(r)

    def split(self, z: Floats) -> tuple[Floats, Floats]:
        """z = Q·c + rest, orthogonalised twice so that rest is right to the last digits."""
        c = self.Q.T @ z
        rest = z - self.Q @ c
        more = self.Q.T @ rest
        return c + more, rest - self.Q @ more

    def insert(self, j: int, c: Floats, rest: Floats, length: float) -> None:
        k = self.size
        if k == self._q.shape[1]:
            q = np.empty((len(self._q), min(len(self._q), 2 * k)), order="F")
            q[:, :k] = self._q
            self._q = q
        self._q[:, k] = rest / length
        self.grow(c, length)

    def delete(self, place: int) -> None:
        k = self.size
        delete = scipy_part("linalg").qr_delete
        q, r = delete(self.Q, self.R, place, which="col", check_finite=False)
        self.size = k - 1
        self.Q[:], self.R[:] = q[:, : k - 1], r[: k - 1]

    def shortest(self) -> tuple[Floats, Floats]:
        """The shortest w with Z_S·w = 1, and α: w = Z_Sᵀ·α."""
        y = self.transposed(np.ones(self.size))
        return self.Q @ y, self.combination(y)


class NormalFactors(FactorTriangle):
    """R alone, for sparse Z with many columns; a step costs O(|S|² + nonzeros of Z_S).

    Every solution is corrected by its own residual, computed with the rows themselves (corrected
    seminormal equations, Björck 1987), which recovers most of the digits that Z_S·Z_Sᵀ loses.
    """

    def __init__(self, Z: Any) -> None:
        super().__init__()
        self.Z = Z
        self.start([])

    def start(self, rows: list[int]) -> None:
        self.rows = list(rows)
        self.part = self.Z[self.rows]
        gram = (self.part @ self.part.T).toarray()
        self.put(np.asarray(scipy_part("linalg").cholesky(gram)) if rows else gram)

    def split(self, z: Floats) -> tuple[Floats, Floats]:
        c, rest = np.zeros(self.size), z
        for _ in range(3):
            more = self.transposed(self.part @ rest)
            c, rest = c + more, rest - self.part.T @ self.combination(more)
        return c, np.asarray(rest)

    def insert(self, j: int, c: Floats, rest: Floats, length: float) -> None:
        self.grow(c, length)
        self.rows.append(j)
        self.part = self.Z[self.rows]

    def delete(self, place: int) -> None:
        k = self.size
        delete = scipy_part("linalg").qr_delete
        _, r = delete(np.eye(k), self.R, place, which="col", check_finite=False)
        self.size = k - 1
        self.R[:] = r[: k - 1]
        del self.rows[place]
        self.part = self.Z[self.rows]

    def shortest(self) -> tuple[Floats, Floats]:
        alpha, short = np.zeros(self.size), np.ones(self.size)
        for _ in range(3):
            alpha = alpha + self.combination(self.transposed(short))
            w = np.asarray(self.part.T @ alpha)
            short = 1.0 - self.part @ w
        return w, alpha


def row(Z: Any, j: int) -> Floats:
    if isinstance(Z, np.ndarray):
        return np.asarray(Z[j])
    dense = np.zeros(Z.shape[1])
    part = slice(Z.indptr[j], Z.indptr[j + 1])
    dense[Z.indices[part]] = Z.data[part]
    return dense
