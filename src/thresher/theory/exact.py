"""Linear algebra in integers of any size: no rounding, so its results are proofs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

PRIME = 2**31 - 1  # products of two remainders fit into 64 bits
MOST_ROWS = 600
MOST_WORK = 200_000_000  # rows³·bits, where the numbers do not fit into 64 bits


def whole_rows(rows: Any) -> tuple[Any, list[Fraction]]:
    """Each row of floats times a factor that makes it whole, and small: the rows, and the factors.

    >>> rows, factors = whole_rows(np.array([[0.5, 0.25], [3.0, 0.0]]))
    >>> rows.tolist(), factors
    ([[2, 1], [1, 0]], [Fraction(4, 1), Fraction(1, 3)])
    """
    whole = np.zeros(rows.shape, dtype=object)
    factors = []
    for i, row in enumerate(rows):
        at = np.flatnonzero(row)
        ratios = [float(v).as_integer_ratio() for v in row[at]]
        factor = max((q for _, q in ratios), default=1)  # all are powers of two
        for j, (p, q) in zip(at.tolist(), ratios, strict=True):
            whole[i, j] = p * (factor // q)
        common = math.gcd(*whole[i]) or 1
        whole[i] //= common
        factors.append(Fraction(factor, common))
    return whole, factors


def affordable(rows: Any) -> bool:
    """Whether `null_vector` takes a few seconds at most."""
    k = len(rows)
    if k > MOST_ROWS:
        return False
    bits = max((abs(v).bit_length() for v in rows.flat), default=0)
    return fits(2**bits, k) or k**3 * bits <= MOST_WORK


def fits(largest: int, n: int) -> bool:
    """Whether sums of n products with a remainder stay within 64 bits."""
    return largest * PRIME * n < 2**62


def null_vector(columns: Any) -> list[int] | None:
    """Whole numbers c, not all zero, with Σ c_j·column_j = 0, if they are unique up to a factor.

    `columns` is an array of Python ints. Solved by p-adic lifting (Dixon 1982): the inverse of a
    square part modulo a prime p gives the solution digit by digit in base p; when there are as many
    digits as Cramer's rule and Hadamard's bound ask for, the fractions are read off.

    >>> null_vector(np.array([[1, 2, 1], [0, 1, 1]], dtype=object))
    [1, -1, 1]
    """
    rows, pivots = rank_profile(columns)
    k = columns.shape[1]
    if len(pivots) != k - 1:
        return None  # no combination at all, or more than one
    free = next(j for j in range(k) if j not in set(pivots))
    solution, denominator = solve(columns[np.ix_(rows, pivots)], -columns[rows, free])
    found = [0] * k
    found[free] = denominator
    for j, numerator in zip(pivots, solution, strict=True):
        found[j] = numerator
    return whole_numbers([Fraction(c) for c in found])


def solve(B: Any, c: Any) -> tuple[list[int], int]:
    """Whole x and d > 0 with B·x = d·c, for a square B that is invertible modulo PRIME."""
    n = len(B)
    if n == 0:
        return [], 1
    inverse = inverse_modulo(B)
    small = fits(max(abs(v) for v in B.flat), n)
    B = B.astype(np.int64) if small else B
    # Numerators and the denominator are determinants: at most the product of the rows' lengths.
    bits = sum(
        math.isqrt(int(sum(v * v for v in [*row, e]))).bit_length()
        for row, e in zip(B.tolist(), c.tolist(), strict=True)
    )
    digits = 2 * (bits + 1) // (PRIME.bit_length() - 1) + 2
    rest, x, power = c.copy(), np.zeros(n, dtype=object), 1
    for _ in range(digits):
        digit = (inverse * np.array(rest % PRIME, dtype=np.int64) % PRIME).sum(axis=1) % PRIME
        x += digit.astype(object) * power
        power *= PRIME
        rest = (rest - (B @ (digit if small else digit.astype(object))).astype(object)) // PRIME
    return common_fractions(x.tolist(), power)


def common_fractions(residues: list[int], modulus: int) -> tuple[list[int], int]:
    """Small numerators and a common denominator d, numerator ≡ residue·d for each residue."""
    most = math.isqrt(modulus // 2)
    denominator = 1
    numerators: list[int] = []
    for residue in residues:
        value = residue * denominator % modulus
        value -= modulus if value > modulus // 2 else 0
        if abs(value) > most:
            value, factor = fraction(value % modulus, modulus, most)
            denominator *= factor
            numerators = [v * factor for v in numerators]
        numerators.append(value)
    return numerators, denominator


def fraction(residue: int, modulus: int, most: int) -> tuple[int, int]:
    """p and q > 0 with p ≡ residue·q and |p| ≤ most, by Euclid's algorithm stopped half-way."""
    a, b = modulus, residue
    s, t = 0, 1
    while b > most:
        q = a // b
        a, b = b, a - q * b
        s, t = t, s - q * t
    return (b, t) if t > 0 else (-b, -t)


def whole_numbers(values: Sequence[Fraction]) -> list[int]:
    """The same ratios in the smallest whole numbers."""
    denominator = math.lcm(*(v.denominator for v in values))
    numbers = [v.numerator * (denominator // v.denominator) for v in values]
    common = math.gcd(*numbers) or 1
    return [n // common for n in numbers]


def rank_profile(A: Any) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest square part that is invertible modulo PRIME.

    What is independent modulo PRIME is independent. The reverse can fail, if the prime divides a
    determinant; then a proof may be missed, but a false one is never found.
    """
    M = np.array(A % PRIME, dtype=np.int64)
    order = np.arange(len(M))
    pivots: list[int] = []
    for col in range(M.shape[1]):
        at = len(pivots)
        below = np.flatnonzero(M[at:, col])
        if len(below) == 0:
            continue
        swap = at + int(below[0])
        M[[at, swap]], order[[at, swap]] = M[[swap, at]], order[[swap, at]]
        M[at] = M[at] * pow(int(M[at, col]), -1, PRIME) % PRIME
        some = at + 1 + np.flatnonzero(M[at + 1 :, col])
        M[some] = (M[some] - M[some, col, None] * M[at]) % PRIME
        pivots.append(col)
        if len(pivots) == len(M):
            break
    return order[: len(pivots)].tolist(), pivots


def inverse_modulo(B: Any) -> Any:
    """B⁻¹ modulo PRIME, by Gauss and Jordan."""
    n = len(B)
    M = np.hstack([np.array(B % PRIME, dtype=np.int64), np.eye(n, dtype=np.int64)])
    for col in range(n):
        swap = col + int(np.flatnonzero(M[col:, col])[0])
        M[[col, swap]] = M[[swap, col]]
        M[col] = M[col] * pow(int(M[col, col]), -1, PRIME) % PRIME
        some = np.flatnonzero(M[:, col])
        some = some[some != col]
        M[some] = (M[some] - M[some, col, None] * M[col]) % PRIME
    return M[:, n:]
