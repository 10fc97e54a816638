"""The distribution of the weights of a model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.plots.style import BLUE, FAINT, ORANGE, Display, dress, short, thousands


class WeightsDisplay(Display):
    """A histogram of the weights that are not zero, with counts on a logarithmic axis."""

    def __init__(self, weights: npt.ArrayLike, title: str = "Weights") -> None:
        self.weights = np.asarray(weights, np.float64).ravel()
        self.title = title

    @classmethod
    def from_estimator(cls, model: Any, label: Any = None) -> Self:
        """For a trained model: all its classes, or one `label`."""
        weights = np.atleast_2d(model.coef_)
        if label is None:
            return cls(weights)
        classes = model.classes_.tolist()
        row = classes.index(label) if len(weights) > 1 else 0
        sign = -1.0 if len(weights) == 1 and classes.index(label) == 0 else 1.0
        return cls(sign * weights[row], f"Weights of {short(label)}")

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        from matplotlib.ticker import FuncFormatter, NullLocator

        shown = self.weights[self.weights != 0]
        dress(ax, self.title, "weight", "features", grid="y")
        if not len(shown):
            ax.text(0.5, 0.5, "all weights are 0", ha="center", transform=ax.transAxes, color=FAINT)
            ax.set(xticks=[], yticks=[])
            return
        edges = bin_edges(shown, 40)
        counts, _ = np.histogram(shown, edges)
        middle = (edges[:-1] + edges[1:]) / 2
        look = {"edgecolor": "white", "linewidth": 0.6, "color": np.where(middle < 0, ORANGE, BLUE)}
        ax.bar(edges[:-1], counts, np.diff(edges), align="edge", **look | style)
        ax.set_yscale("log")
        ax.set_ylim(0.7, counts.max() * 2.5)
        ax.yaxis.set_major_formatter(FuncFormatter(thousands()))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.axvline(0, color=FAINT, linewidth=0.8)
        ax.text(0.98, 0.96, f"{len(shown):,} of {len(self.weights):,} are not zero", va="top",
                ha="right", transform=ax.transAxes, color=FAINT)  # fmt: skip


def bin_edges(weights: npt.NDArray[np.float64], bins: int) -> npt.NDArray[np.float64]:
    """Equal bins over the range; if weights have both signs, one edge is 0."""
    low, high = float(weights.min()), float(weights.max())
    if low == high:
        return np.array([low - 0.5, low + 0.5]) if low else np.array([-0.5, 0.5])
    if low >= 0 or high <= 0:
        return np.linspace(low, high, bins + 1)
    width = (high - low) / (bins - 1)
    edges = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges
