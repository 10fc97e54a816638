"""How far predicted numbers are from the true ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.evaluate.arguments import numbers, weights_of

Floats = npt.NDArray[np.float64]


class RegressionMetrics:
    """Errors of a regressor, batch by batch, in constant memory.

    >>> metrics = RegressionMetrics()
    >>> metrics.add([1.0, 2.0, 3.0], [1.0, 2.5, 2.0])
    >>> metrics.add([6.0], [6.0])
    >>> round(metrics.mse, 4), round(metrics.r2, 4)
    (0.3125, 0.9107)
    """

    def __init__(self) -> None:
        self.examples = 0
        self.weight = 0.0
        self.unlabelled = 0
        """Examples without a true value: None or NaN."""
        self.squares = 0.0
        """The sum of the squared errors."""
        self._sizes = 0.0
        # Of the truth, relative to its first value, so that a constant has no spread at all.
        self._first: float | None = None
        self._mean = 0.0
        self._spread = 0.0

    def add(
        self, truth: Any, predicted: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        """Count more examples: true numbers, predicted numbers, and how much each one counts."""
        y = numbers(truth, "truth")
        s = numbers(predicted, "predicted")
        if y.ndim != 1 or s.shape != y.shape:
            raise InvalidInput(
                f"truth has shape {y.shape}, predicted {s.shape}; expected two rows of one length."
            )
        w = weights_of(weights, len(y))
        known = ~np.isnan(y)
        y, s, w = y[known], s[known], w[known]
        if not (np.isfinite(y).all() and np.isfinite(s).all()):
            raise InvalidInput("truth or predicted holds NaN or inf; expected finite numbers.")
        self.unlabelled += len(known) - len(y)
        self.examples += len(y)
        with np.errstate(over="ignore"):  # of a model that diverged: the error is inf
            self.squares += float((w * (y - s) ** 2).sum())
            self._sizes += float((w * np.abs(y - s)).sum())
        self._widen(y[w > 0], w[w > 0])

    def _widen(self, y: Floats, w: Floats) -> None:
        """Mean and spread of two sets together from those of each (Chan, Golub & LeVeque 1979)."""
        if not len(y):
            return
        if self._first is None:
            self._first = float(y[0])
        y = y - self._first
        weight = float(w.sum())
        mean = float((w * y).sum()) / weight
        spread = float((w * (y - mean) ** 2).sum())
        total = self.weight + weight
        apart = mean - self._mean
        self._spread += spread + apart * apart * self.weight * weight / total
        self._mean += apart * weight / total
        self.weight = total

    @property
    def mse(self) -> float | None:
        """The mean squared error; None where no example counts."""
        return self.squares / self.weight if self.weight else None

    @property
    def rmse(self) -> float | None:
        """Its root, in the unit of what is predicted."""
        return None if self.mse is None else math.sqrt(self.mse)

    @property
    def mae(self) -> float | None:
        """The mean absolute error."""
        return self._sizes / self.weight if self.weight else None

    @property
    def r2(self) -> float | None:
        """The share of the variance that is explained; None where the truth does not vary."""
        return 1.0 - self.squares / self._spread if self._spread else None

    @property
    def baseline_mse(self) -> float | None:
        """The mean squared error of the best constant, the mean of the truth."""
        return self._spread / self.weight if self.weight else None

    def summary(self) -> dict[str, Any]:
        """Every figure under its name, ready for JSON; None where it is not defined."""
        figures = {
            name: getattr(self, name) for name in ("mse", "rmse", "mae", "r2", "baseline_mse")
        }
        return {
            "task": "regress",
            "examples": self.examples,
            "weight": self.weight,
            "unlabelled": self.unlabelled,
            **{k: v if v is not None and math.isfinite(v) else None for k, v in figures.items()},
        }
