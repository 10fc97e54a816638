"""How far the rows are from the boundary, and on which side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.base.examples import read_rows
from thresher.learners.base.labels import column
from thresher.plots.style import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    SERIES,
    Display,
    count_axis,
    dress,
    legend,
    shares,
    short,
)
from thresher.plots.weights import bin_edges
from thresher.prepare import are_bent

Floats = npt.NDArray[np.float64]

BINS = 40


class MarginDisplay(Display):
    """The signed distances of rows from the boundary: positive on the right side, y·s/‖w‖.

    Bars count the rows of each class, the line is the cumulative share of all rows (axis on the
    right). What is left of 0 is predicted wrong.
    """

    ax_right_: Any

    def __init__(
        self, margins: npt.ArrayLike, labels: npt.ArrayLike, classes: Sequence[Any] = ()
    ) -> None:
        self.margins = np.asarray(margins, np.float64)
        self.labels = np.asarray(labels)
        self.classes = list(classes) or np.unique(self.labels).tolist()
        if self.margins.ndim != 1 or self.margins.shape != self.labels.shape:
            raise InvalidInput(
                f"margins have shape {self.margins.shape}, labels {self.labels.shape}; expected "
                "one of each for each row."
            )
        if not len(self.margins):
            raise InvalidInput("there are no rows to draw.")
        if not np.isfinite(self.margins).all():
            raise InvalidInput("margins contain NaN or infinity; expected numbers.")

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any) -> Self:
        """For a trained linear classifier on rows X with labels y.

        ‖w‖ is without the intercept: it is the distance in the space of the features. For several
        classes it is the distance to the nearest of the planes between the row's class and others.

        Examples
        --------
        >>> from thresher import Perceptron
        >>> X, y = [[3, 4], [-3, -4], [4, -3]], ["yes", "no", "yes"]
        >>> model = Perceptron(fit_intercept=False).fit(X[:2], y[:2])
        >>> MarginDisplay.from_estimator(model, X, y).margins
        array([5., 5., 0.])
        """
        if not hasattr(model, "coef_") or not hasattr(model, "classes_"):
            raise InvalidInput(
                f"{type(model).__name__} has no coef_ and classes_; expected a trained linear "
                "classifier."
            )
        truth = column(y, read_rows(X).size, type(model).__name__)
        classes = np.asarray(model.classes_)
        if len(classes) < 2:
            raise InvalidInput(
                f"the model has met one class, {classes.tolist()!r}; expected two, since a "
                "boundary lies between classes."
            )
        known = np.isin(truth, classes)
        if not known.all():
            raise InvalidInput(
                f"y holds {truth[~known][0]!r}, which the model has not met; expected one of "
                f"{classes.tolist()!r}."
            )
        return cls(_distances(model, X, np.searchsorted(classes, truth)), truth, classes.tolist())

    @property
    def wrong(self) -> float:
        """The share of rows that are not on the right side."""
        return float((self.margins < 0).mean())

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        dress(ax, "Margins", "distance from the boundary; wrong side left of 0", "rows", grid="y")
        edges = bin_edges(self.margins, BINS)
        base = np.zeros(len(edges) - 1)
        colors = SERIES if len(self.classes) != 2 else (ORANGE, BLUE)
        many = len(self.classes) > len(colors)
        groups = ["all"] if many else self.classes
        for label, color in zip(groups, colors, strict=False):
            mine = self.margins if many else self.margins[self.labels == label]
            counts, _ = np.histogram(mine, edges)
            look = {
                "bottom": base, "align": "edge", "color": color, "edgecolor": "white",
                "linewidth": 0.5, "label": short(label),
            }  # fmt: skip
            ax.bar(edges[:-1], counts, np.diff(edges), **look | style)
            base = base + counts
        ax.axvline(0, color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)))
        ax.set_ylim(0, max(1.0, base.max()) * 1.12)
        count_axis(ax.yaxis, log=False)
        self._draw_shares(ax, edges)
        ax.set_title(f"{self.wrong:.1%} wrong", loc="right", color=INK, fontsize=11)
        bars, names = ax.get_legend_handles_labels()
        legend(ax, handles=[*bars, *self.ax_right_.lines], labels=[*names, "share up to here"],
               loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=4, framealpha=0)  # fmt: skip

    def _draw_shares(self, ax: Any, edges: Floats) -> None:
        from matplotlib.patheffects import withStroke

        right = ax.twinx()
        at = np.unique(np.quantile(self.margins, np.linspace(0, 1, 300), method="higher"))
        at = np.r_[edges[0], at, edges[-1]]
        share = np.searchsorted(np.sort(self.margins), at, side="right") / len(self.margins)
        right.plot(at, share, color=INK, linewidth=1.8, drawstyle="steps-post",
                   path_effects=[withStroke(linewidth=4, foreground="white")])  # fmt: skip
        dress(right, "", "", "", grid="")
        right.set_ylim(0, 1.12)
        shares(right.yaxis)
        self.ax_right_ = right


def _distances(model: Any, X: Any, place: npt.NDArray[np.int64]) -> Floats:
    """The signed distance of each row, whose class is number `place`, on its side."""
    if are_bent(getattr(model, "prepare", None)):
        raise InvalidInput(
            f"prepare={model.prepare!r} bends the boundary, from which there are no distances; "
            "expected a learner without it, on rows that thresher.features has prepared."
        )
    scores = np.asarray(model.decision_function(X), np.float64)
    w = np.atleast_2d(np.asarray(model.coef_, np.float64))
    if scores.ndim == 1:
        length = float(np.linalg.norm(w[0]))
        if length == 0:
            raise InvalidInput("all weights are 0, so there is no boundary; train the model first.")
        return np.where(place == 1, 1.0, -1.0) * scores / length
    squares = (w * w).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2 * w @ w.T, 0.0))
    lead = scores[np.arange(len(scores)), place][:, None] - scores
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(lead == 0, 0.0, lead / apart[place])
    each[np.arange(len(scores)), place] = np.inf
    return np.asarray(np.min(each, axis=1))
