"""The best γ for a comparator, exactly.

With t = 1/γ, the noisy bounds are functions of the hinge losses max(0, 1 − t·m) of the margins m:

    hinge      a·t² + 2b·Σ max(0, 1 − t·m)          squared sum   a·t² + b·Σ max(0, 1 − t·m)²
    squared    a·t + √Σ max(0, 1 − t·m)²

Each is convex in t (a norm of convex functions that are ≥ 0 is convex) and smooth between the
breakpoints 1/m, m > 0. So with the margins sorted and their sums and sums of squares accumulated,
the minimum of each piece is known in closed form, and the least of them is the minimum. No grid,
no tolerance: O(n log n) for n margins.

t = 0, that is γ → ∞, is allowed: the bounds hold for every γ > 0, hence in the limit.
"""

from __future__ import annotations

import numpy as np

from thresher.theory.signed import Floats


def hinge(margins: Floats, a: float, b: float = 1.0) -> float:
    """The t ≥ 0 at which a·t² + 2b·Σ max(0, 1 − t·m) is least.

    >>> hinge(np.array([1.0, 2.0]), a=4.0)  # no hinge loss from t = 1 on, but t² costs more
    0.5
    """
    k, s, _, low, high = pieces(margins)
    t = np.clip(b * s / a, low, high)
    with np.errstate(over="ignore", invalid="ignore"):
        return best(t, a * t**2 + 2.0 * b * (k - s * t))


def squared_sum(margins: Floats, a: float, b: float = 1.0) -> float:
    """The t ≥ 0 at which a·t² + b·Σ max(0, 1 − t·m)² is least."""
    k, s, q, low, high = pieces(margins)
    t = np.clip(b * s / (a + b * q), low, high)
    with np.errstate(over="ignore", invalid="ignore"):
        return best(t, a * t**2 + b * (q * t**2 - 2.0 * s * t + k))


def squared(margins: Floats, a: float) -> float:
    """The t ≥ 0 at which a·t + √Σ max(0, 1 − t·m)² is least.

    In a piece the root is √(q·t² − 2s·t + k). The slope vanishes at z = s/q − t with
    z²·q·(q − a²) = a²·(k − s²/q); if q ≤ a² the sum rises everywhere.
    """
    k, s, q, low, high = pieces(margins)
    falls = q > a * a
    safe = np.where(falls, q, 1.0)
    rest = np.maximum(k - s * s / safe, 0.0)
    z = a * np.sqrt(np.where(falls, rest / (safe * np.where(falls, q - a * a, 1.0)), 0.0))
    t = np.clip(np.where(falls, s / safe - z, 0.0), low, high)
    with np.errstate(over="ignore", invalid="ignore"):
        return best(t, a * t + np.sqrt(np.maximum(q * t**2 - 2.0 * s * t + k, 0.0)))


def pieces(margins: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """For each piece: how many margins have a loss, their sum, their sum of squares, and the range
    of t. In the piece of the k smallest margins, t lies between 1/m of the next and of the last."""
    m = np.sort(margins)
    first = int(np.searchsorted(m, 0.0, side="right"))  # margins ≤ 0 have a loss at every t
    k = np.arange(first, len(m) + 1, dtype=float)
    s = np.concatenate([[0.0], np.cumsum(m)])[first:]
    q = np.concatenate([[0.0], np.cumsum(m * m)])[first:]
    with np.errstate(over="ignore"):  # 1/m of a subnormal margin
        ends = 1.0 / m[first:]
    low = np.concatenate([ends, [0.0]])
    high = np.concatenate([[np.inf], ends])
    return k, s, q, low, high


def best(t: Floats, value: Floats) -> float:
    return float(t[int(np.argmin(np.where(np.isfinite(value), value, np.inf)))])
