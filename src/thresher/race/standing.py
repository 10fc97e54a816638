"""Confidence intervals of errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher._core import Score

SHOWN = 1.959964  # the normal quantile of 95 %, two-sided
SURE = 3.290527  # of 99.9 %


def wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """The interval of a probability observed as the share p of n cases (Wilson 1927)."""
    if n <= 0:
        return 0.0, 1.0
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def interval(score: Score, z: float, regress: bool) -> tuple[float, float]:
    """The interval of the mean loss. Weights reduce the effective sample size (Kish 1965)."""
    if score.weight <= 0:
        return 0.0, math.inf if regress else 1.0
    mean = score.loss / score.weight
    n = score.weight**2 / score.weight_squares
    if not regress:
        return wilson(min(1.0, mean), n, z)
    if n <= 1:
        return 0.0, math.inf
    variance = max(0.0, score.loss_squares / score.weight - mean * mean) / (n - 1)
    half = z * math.sqrt(variance)
    return max(0.0, mean - half), mean + half
