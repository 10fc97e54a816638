"""Second moments of a stream of rows, kept as a triangle."""

import math
from collections.abc import Iterable, Mapping

EPSILON = 2.0**-52


def length(a: float, b: float) -> float:
    """√(a² + b²) where the squares may overflow.

    >>> length(3.0 * 2.0**600, 4.0 * 2.0**600) == 5.0 * 2.0**600
    True
    """
    large, small = max(abs(a), abs(b)), min(abs(a), abs(b))
    return large * math.sqrt(1.0 + (small / large) ** 2) if large else 0.0


class Triangle:
    """L with LᵀL = Σ x·xᵀ over all rows x so far, lower triangular.

    A new row is rotated into L by one rotation for each of its columns, from the last to the first
    (Givens; Golub and Van Loan, Matrix Computations, 6.5). Nothing is squared, so the accuracy is
    that of QR. The columns have names; new ones may be added at any time.

    >>> triangle = Triangle()
    >>> triangle.add({"a": 3.0, "b": 1.0})
    >>> triangle.add({"a": 4.0, "b": 1.0})
    >>> [[round(cell, 6) for cell in row] for row in triangle.rows]
    [[0.707107], [4.949747, 1.414214]]
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.rows: list[list[float]] = []
        self.sizes: list[float] = []  # the norms of the columns

    def grow(self, names: Iterable[str], prior: float = 0.0) -> None:
        """More columns, as if a row with only the value `prior` in each had been added before."""
        for name in names:
            if name not in self.names:
                self.rows.append([0.0] * len(self.names) + [prior])
                self.names.append(name)
                self.sizes.append(prior)

    def add(self, row: Mapping[str, float]) -> None:
        """Add a row."""
        self.grow(row)
        x = [row.get(name, 0.0) for name in self.names]
        self.sizes = [length(size, v) for size, v in zip(self.sizes, x, strict=True)]
        self.rotate_in(x)

    def rotate_in(self, x: list[float]) -> None:
        """Rotate x into the first rows. Written so that small angles cause small rounding errors:
        with s = sin and t = tan of half the angle, cos·a + sin·b = a + s·(b − t·a)."""
        for i in reversed(range(len(x))):
            if abs(x[i]) <= 64.0 * EPSILON * self.sizes[i]:
                continue  # the rounding of other rows
            row = self.rows[i]
            r = length(row[i], x[i])
            s, t = x[i] / r, x[i] / (r + row[i])
            for j in range(i):
                row[j], x[j] = row[j] + s * (x[j] - t * row[j]), x[j] - s * (row[j] + t * x[j])
            row[i] += t * x[i]

    def scale(self, factor: float) -> None:
        """Multiply all rows so far."""
        self.rows = [[factor * cell for cell in row] for row in self.rows]
        self.sizes = [factor * size for size in self.sizes]

    def copy(self) -> "Triangle":
        """An independent copy."""
        other = Triangle()
        other.names, other.sizes = self.names[:], self.sizes[:]
        other.rows = [row[:] for row in self.rows]
        return other

    def settled(self, noise: Mapping[str, float]) -> "Triangle":
        """The same, with empty rows for columns that are determined by those after them.

        Their diagonals are 0 up to rounding: 1e-12 of the column, or `noise`. What is left in
        such a row is rotated into the rows before it.
        """
        other = self.copy()
        for i in reversed(range(len(self.names))):
            *rest, diagonal = other.rows[i]
            if diagonal <= 1e-12 * self.sizes[i] + noise.get(self.names[i], 0.0):
                other.rows[i] = [0.0] * (i + 1)
                other.rotate_in(rest)
        return other

    def solve(self, u: list[float]) -> list[float]:
        """w with L·w = u; 0 where a row is empty."""
        w: list[float] = []
        for row, value in zip(self.rows, u, strict=True):
            for a, b in zip(row, w, strict=False):
                value -= a * b
            w.append(value / row[-1] if row[-1] else 0.0)
        return w

    def solve_transposed(self, b: list[float]) -> list[float]:
        """u with Lᵀ·u = b; 0 where a row is empty."""
        u = b[:]
        for i in reversed(range(len(u))):
            row = self.rows[i]
            u[i] = u[i] / row[i] if row[i] else 0.0
            for j in range(i):
                u[j] -= row[j] * u[i]
        return u


def rounding(mass: float, mean: float) -> float:
    """The total uncertainty of the values of a column whose mean was subtracted."""
    return 16.0 * EPSILON * math.sqrt(mass) * abs(mean)
