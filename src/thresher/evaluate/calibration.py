"""Whether predicted probabilities agree with observed frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Bin:
    """The examples whose probability lies in (low, high]; the first bin also holds 0."""

    low: float
    high: float
    examples: int
    weight: float
    predicted: float | None
    """The mean probability; None in an empty bin."""
    observed: float | None
    """The share that happened."""


class CalibrationBins:
    """Probabilities in bins of equal width, and what happened."""

    def __init__(self, bins: int = 10) -> None:
        self._edges = np.linspace(0.0, 1.0, bins + 1)
        self._examples = np.zeros(bins, np.int64)
        # Sums in each bin: weight, weight · probability, weight of what happened.
        self._sums = np.zeros((3, bins))

    def add(self, p: Floats, happened: npt.NDArray[np.bool_], weights: Floats) -> None:
        place = np.searchsorted(self._edges[1:-1], p)
        bins = len(self._examples)
        self._examples += np.bincount(place, minlength=bins)
        for row, mass in enumerate((weights, weights * p, weights * happened)):
            self._sums[row] += np.bincount(place, mass, minlength=bins)

    def table(self) -> list[Bin]:
        return [
            Bin(
                float(self._edges[i]),
                float(self._edges[i + 1]),
                int(self._examples[i]),
                float(weight),
                float(predicted / weight) if weight else None,
                float(observed / weight) if weight else None,
            )
            for i, (weight, predicted, observed) in enumerate(self._sums.T)
        ]

    def error(self) -> float | None:
        """The expected calibration error: the mean of |predicted − observed| over the examples."""
        weight, predicted, observed = self._sums
        total = float(weight.sum())
        return float(np.abs(predicted - observed).sum()) / total if total else None
