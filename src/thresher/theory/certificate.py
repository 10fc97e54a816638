"""Certificates that no linear separator exists, and their verification.

By Gordan's theorem (1873) exactly one of these exists: a w with w·z_i > 0 for all signed examples
z_i = y_i·x_i, or weights λ ≥ 0, Σ λ_i = 1, with Σ λ_i·z_i = 0. Not both: w·Σ λ_i·z_i would be > 0.
And for any λ, exact or not, no unit w has a margin above ‖Σ λ_i·z_i‖.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.theory import exact
from thresher.theory.signed import Floats, signed_examples

MOST_EXACT_PRODUCTS = 3_000_000


@dataclass(frozen=True)
class Certificate:
    """λ ≥ 0 for some rows of X: their signed examples combine to zero, or nearly so.

    >>> from thresher.theory import separability, verify
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]  # XOR
    >>> certificate = separability(X, y).certificate
    >>> sorted(certificate.rows), set(certificate.coefficients)
    ([0, 1, 2, 3], {Fraction(1, 4)})
    >>> bool(verify(certificate, X, y))
    True
    """

    rows: tuple[int, ...]
    """Numbers of rows of X, from 0."""
    weights: tuple[int, ...] | tuple[float, ...]
    """λ up to a common factor: whole numbers if the combination is exactly zero."""
    fit_intercept: bool = True

    @property
    def exact(self) -> bool:
        """From integers, for a combination that is exactly zero. `verify` checks it."""
        return all(isinstance(w, int) for w in self.weights)

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """λ, which sum to 1."""
        numbers = [Fraction(w) for w in self.weights]
        total = sum(numbers, Fraction(0))
        return tuple(n / total for n in numbers)


@dataclass(frozen=True)
class Verdict:
    """What a certificate proves. True as a condition only if it proves that no separator exists."""

    proves: bool
    """The combination is exactly zero."""
    margin_at_most: float
    """No unit vector has a larger margin than this."""
    reason: str

    def __bool__(self) -> bool:
        return self.proves


def verify(certificate: Certificate, X: Any, y: Any) -> Verdict:
    """Check a certificate against the data, wherever it comes from.

    Every float is a fraction, so Σ λ_i·y_i·x_i is computed without rounding, unless that takes more
    than a few million products; then it is bounded from above.
    """
    if not isinstance(certificate, Certificate):
        raise InvalidInput(
            f"expected a Certificate, found {type(certificate).__name__}; "
            "separability(X, y) returns one inside Inseparable."
        )
    rows, weights = certificate.rows, certificate.weights
    examples = signed_examples(X, y, certificate.fit_intercept)
    if not rows or len(rows) != len(weights) or len(set(rows)) != len(rows):
        return Verdict(False, math.inf, "rows must be distinct, and as many as weights, at least 1")
    if not all(0 <= i < len(examples) for i in rows):
        return Verdict(False, math.inf, f"X has no row {max(rows)}")
    if not all(0 <= w < math.inf for w in weights) or not any(weights):
        return Verdict(False, math.inf, "weights must be finite and ≥ 0, and not all 0")
    z = examples.signed_rows()[list(rows)]
    products = z.nnz if examples.sparse else z.size
    if products > MOST_EXACT_PRODUCTS:
        norm = rounded_norm(z, np.array([float(c) for c in certificate.coefficients]))
        return Verdict(False, norm, "too large for exact arithmetic; the margin is bounded instead")
    total = combination(z, weights)
    if not any(total.values()):
        return Verdict(True, 0.0, "the combination is exactly zero")
    share = sum((Fraction(w) for w in weights), Fraction(0))
    squared = sum((v * v for v in total.values()), Fraction(0)) / share**2
    norm = math.nextafter(math.sqrt(math.nextafter(float(squared), math.inf)), math.inf)
    return Verdict(False, norm, "the combination is not exactly zero")


def combination(z: Any, weights: Sequence[int | float]) -> dict[int, Fraction]:
    """Σ λ_i·z_i as fractions, by column."""
    total: dict[int, Fraction] = {}
    for i, weight in enumerate(weights):
        factor = Fraction(weight)
        for j, value in entries(z, i):
            total[j] = total.get(j, Fraction(0)) + factor * Fraction(value)
    return total


def entries(z: Any, i: int) -> list[tuple[int, float]]:
    if isinstance(z, np.ndarray):
        at = np.flatnonzero(z[i])
        return list(zip(at.tolist(), z[i, at].tolist(), strict=True))
    part = slice(z.indptr[i], z.indptr[i + 1])
    return list(zip(z.indices[part].tolist(), z.data[part].tolist(), strict=True))


def rounded_norm(z: Any, coefficients: Floats) -> float:
    """A number that ‖Σ λ_i·z_i‖ does not exceed, by the usual bound on the rounding of sums."""
    eps = float(np.finfo(float).eps)
    total = np.asarray(z.T @ coefficients)
    size = np.asarray(abs(z).T @ coefficients)
    return float(np.linalg.norm(np.abs(total) + (len(coefficients) + 4) * eps * size) * (1 + 1e-12))


def exact_certificate(
    z: Any, rows: Sequence[int], weights: Floats, fit_intercept: bool
) -> Certificate | None:
    """Integers λ ≥ 0 with Σ λ_i·z_i = 0 for rows z that combine to zero up to rounding.

    None if the rows have no such combination, or are too many. `z` holds only these rows.
    """
    keep = np.arange(len(rows))
    for _ in range(3):
        if len(keep) > exact.MOST_ROWS:
            return None
        part = z[keep]
        dense = part if isinstance(part, np.ndarray) else part.toarray()
        dense = dense[:, (dense != 0).any(axis=0)]
        whole, factors = exact.whole_rows(dense)
        found = exact.null_vector(whole.T) if exact.affordable(whole) else None
        if found is None:
            return None
        if sum(c > 0 for c in found) < sum(c < 0 for c in found):
            found = [-c for c in found]
        wrong = [i for i, c in enumerate(found) if c < 0]
        if not wrong:
            scaled = [c * f for c, f in zip(found, factors, strict=True)]
            numbers = exact.whole_numbers(scaled)
            used = [i for i, c in enumerate(numbers) if c]
            return Certificate(
                tuple(int(rows[keep[i]]) for i in used),
                tuple(numbers[i] for i in used),
                fit_intercept,
            )
        # Rounding admitted a row that takes no part: drop the one of smallest weight.
        keep = np.delete(keep, int(np.argmin(weights[keep])))
    return None
