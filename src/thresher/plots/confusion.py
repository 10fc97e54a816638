"""Which labels are confused with which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.evaluate import Metrics, metrics_of
from thresher.plots.style import BLUE, INK, Display, dress, short

MOST_WRITTEN = 12  # labels up to which the numbers are written into the cells
MOST_NAMED = 40


class ConfusionDisplay(Display):
    """A confusion matrix: a row per true label, dark where most of its examples are."""

    def __init__(self, matrix: npt.ArrayLike, labels: Sequence[Any]) -> None:
        self.matrix = np.asarray(matrix, np.float64)
        self.labels = list(labels)

    @classmethod
    def from_metrics(cls, metrics: Metrics) -> Self:
        return cls(metrics.confusion, metrics.labels)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """For the predictions of a trained classifier on the rows of X, whose labels are y."""
        return cls.from_metrics(metrics_of(model, X, y, sample_weight))

    @classmethod
    def from_predictions(
        cls, truth: Any, predicted: Any, weights: npt.ArrayLike | None = None
    ) -> Self:
        metrics = Metrics()
        metrics.add(truth, predicted, weights=weights)
        return cls.from_metrics(metrics)

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        total = self.matrix.sum(axis=1, keepdims=True)
        share = np.divide(self.matrix, total, out=np.zeros_like(self.matrix), where=total > 0)
        shades = LinearSegmentedColormap.from_list("thresher", ["#ffffff", "#9dbbe3", BLUE])
        ax.imshow(share, **{"cmap": shades, "vmin": 0, "vmax": 1, "aspect": "auto"} | style)
        dress(ax, "Confusion", "predicted", "truth", grid="")
        k = len(self.labels)
        places = range(k) if k <= MOST_NAMED else ()
        names = [short(label, 12) for label in self.labels[: len(places)]]
        crowded = sum(len(name) for name in names) > 45
        ax.set_xticks(places, names, rotation=45 if crowded else 0,
                      ha="right" if crowded else "center", rotation_mode="anchor")  # fmt: skip
        ax.set_yticks(places, names)
        if k > MOST_WRITTEN:
            return
        with_share = k <= 5
        for (i, j), value in np.ndenumerate(self.matrix):
            text = f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"
            if with_share and total[i, 0]:
                text += f"\n{share[i, j]:.1%}"
            ax.text(j, i, text, ha="center", va="center", fontsize=9 if k <= 8 else 7,
                    color="white" if share[i, j] > 0.55 else INK)  # fmt: skip
        ax.set_xticks(np.arange(k + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(k + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="white", linewidth=2)
        ax.tick_params(which="minor", length=0)
