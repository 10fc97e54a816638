"""Whether predicted probabilities agree with observed frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.evaluate import Bin, Metrics, metrics_of
from thresher.plots.style import BLUE, FAINT, Display, dress, shares, short


class CalibrationDisplay(Display):
    """Predicted probability against observed frequency; the bars show where the examples are."""

    def __init__(
        self, bins: Sequence[Bin], error: float | None = None, of: str = "the predicted label"
    ) -> None:
        self.bins = list(bins)
        self.error = error
        self.of = of

    @classmethod
    def from_metrics(cls, metrics: Metrics) -> Self:
        of = repr(metrics.columns[1]) if len(metrics.columns) == 2 else "the predicted label"
        return cls(metrics.calibration, metrics.calibration_error, short(of, 30))

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        bins: int = 10,
    ) -> Self:
        """For a trained classifier with probabilities, on the rows of X, whose labels are y.

        For more than two classes it is the probability of the predicted one.
        """
        if not hasattr(model, "predict_proba"):
            raise InvalidInput(
                f"{type(model).__name__} gives no probabilities; expected a classifier with "
                "predict_proba: learners have it with calibrate=True."
            )
        return cls.from_metrics(metrics_of(model, X, y, sample_weight, bins=bins))

    @classmethod
    def from_predictions(
        cls,
        truth: Any,
        probabilities: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        bins: int = 10,
    ) -> Self:
        """`truth` says which examples are positive, `probabilities` how likely each was."""
        metrics = Metrics([False, True], bins=bins)
        positive = [bool(value) for value in truth]
        metrics.add(positive, positive, probabilities=probabilities, weights=weights)
        return cls(metrics.calibration, metrics.calibration_error, "positive")

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        dress(
            ax,
            "Calibration",
            f"predicted probability of {self.of}; bars: share of the examples",
            "observed frequency; dashed: ideal",
        )
        ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 4)))
        most = max((row.weight for row in self.bins), default=0.0) or 1.0
        for row in self.bins:  # where the examples are: bars along the bottom
            ax.bar(row.low, 0.12 * row.weight / most, row.high - row.low, align="edge",
                   color="#d9e3f2", edgecolor="white", linewidth=1, zorder=1)  # fmt: skip
        x = [row.predicted for row in self.bins if row.predicted is not None]
        y = [row.observed for row in self.bins if row.predicted is not None]
        ax.plot(x, y, **{"color": BLUE, "linewidth": 2, "marker": "o", "markersize": 6, "zorder": 3,
                         "clip_on": False} | style)  # fmt: skip
        if self.error is not None:
            ax.set_title(f"mean distance {self.error:.4f}", loc="right", color=BLUE, fontsize=11)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
        shares(ax.xaxis)
        shares(ax.yaxis)
