"""The decision boundary of a linear model, and the path to it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.base.examples import read_rows
from thresher.learners.base.labels import column
from thresher.options import finite
from thresher.plots.plane import feature_names, own_margin, path_of, plane_of
from thresher.plots.style import (
    BLUE,
    FAINT,
    INK,
    MARKERS,
    ORANGE,
    SERIES,
    Display,
    dress,
    legend,
    short,
)
from thresher.prepare import are_bent
from thresher.sparse import is_sparse
from thresher.theory.replay import Replay

Floats = npt.NDArray[np.float64]

MOST_POINTS = 600  # drawn; more would hide each other
MOST_LEGIBLE = 300  # points up to which each of them is an object of an svg file
STRETCHED = 6  # times as wide as high, and equal scales would show nothing


class DecisionBoundaryDisplay(Display):
    """Rows of two features as points, and the line on which a linear model's score is 0.

    With more features the plane is chosen: the first axis along w, so that it shows the distance
    from the boundary; the second along the largest principal direction of the rows that is
    orthogonal to w. Boundary and margin are vertical lines there, and exact.

    The arrow is w, at its own scale; the line to its tip is the path of the tip while the model
    learned. If one feature extends more than six times as far as the other, the axes have
    different scales, right angles cannot be seen, and w is left out. Three or more classes of
    rows of two features are drawn as regions.
    """

    def __init__(
        self,
        points: npt.ArrayLike,
        labels: npt.ArrayLike,
        wrong: npt.ArrayLike,
        w: npt.ArrayLike | None = None,
        b: float = 0.0,
        *,
        margin: float | None = None,
        path: npt.ArrayLike | None = None,
        classes: Sequence[Any] = (),
        axes: tuple[str, str] = ("x₁", "x₂"),
        regions: Callable[[Floats], Any] | None = None,
        rows: int | None = None,
        errors: int | None = None,
    ) -> None:
        """In the coordinates of the plane; the boundary is where w·p + b = 0.

        `margin` is the distance from it to the edges of the band, `path` has a w for each time,
        `regions` returns the scores of points, a column per class; `rows` and `errors` count the
        rows that the points stand for.
        """
        self.points = np.asarray(points, np.float64)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not len(self.points):
            raise InvalidInput(
                f"points have shape {self.points.shape}; expected (rows, 2), with one row at least."
            )
        count = len(self.points)
        self.labels = _one_each("labels", labels, count)
        self.wrong = _one_each("wrong", wrong, count).astype(bool)
        self.w = None if w is None else np.asarray(w, np.float64)
        self.b = float(b)
        self.margin = margin
        self.path = None if path is None else np.asarray(path, np.float64)
        self.classes = list(classes) or np.unique(self.labels).tolist()
        self.axes = axes
        self.regions = regions
        self.rows = count if rows is None else rows
        self.errors = int(self.wrong.sum()) if errors is None else errors
        if len(self.classes) > len(MARKERS):
            raise InvalidInput(
                f"there are {len(self.classes)} classes; expected at most {len(MARKERS)}, since "
                "more colours cannot be told apart."
            )

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        margin: float | None = None,
        path: bool | None = None,
        passes: int | None = None,
    ) -> Self:
        """For a trained linear classifier on rows X with labels y.

        `margin` is half the width of the band, a distance; 0 omits it. By default it is the
        one the learner aims at (where |w·x + b| is 1 for Passive-Aggressive, γ for a thick
        separator); if it aims at none, the distance to the nearest row, if all rows are on
        the right side; else there is no band.

        For the path of w a fresh copy of the model learns X and y in `passes` passes (by
        default as many as its ``fit`` made). It is drawn if it ends at the weights of the model;
        with ``path=True`` it is an error if it does not, ``path=False`` omits it.

        Examples
        --------
        >>> from thresher import Perceptron
        >>> X, y = [[3, 4], [-3, -4]], ["yes", "no"]
        >>> model = Perceptron(fit_intercept=False, average=False).fit(X, y)
        >>> display = DecisionBoundaryDisplay.from_estimator(model, X, y)
        >>> display.w, display.margin
        (array([3., 4.]), 5.0)
        """
        if not hasattr(model, "coef_") or not hasattr(model, "classes_"):
            raise InvalidInput(
                f"{type(model).__name__} has no coef_ and classes_; expected a trained linear "
                "classifier."
            )
        rows = read_rows(X)
        truth = column(y, rows.size, type(model).__name__)
        wrong = np.asarray(model.predict(X)) != truth
        chosen = _spread(rows.size)
        table = X.tocsr() if is_sparse(X) else rows.core
        told: dict[str, Any] = {
            "labels": truth[chosen], "wrong": wrong[chosen], "rows": rows.size,
            "errors": int(wrong.sum()), "classes": np.asarray(model.classes_).tolist(),
        }  # fmt: skip
        bent = are_bent(getattr(model, "prepare", None))
        if len(told["classes"]) > 2 or bent:
            _check_two(rows.columns, told["classes"])
            points = table[chosen]
            points = points.toarray() if is_sparse(points) else points
            names = feature_names(model, 2)
            regions = model.decision_function
            if len(told["classes"]) == 2:

                def regions(X: Any) -> Floats:  # a score for each class
                    score = model.decision_function(X)
                    return np.column_stack([-score, score])

            return cls(points, regions=regions, axes=names, **told)
        w, b = np.asarray(model.coef_, np.float64)[0], float(np.ravel(model.intercept_)[0])
        plane = plane_of(model, table[chosen], w, b)
        if margin is None:
            margin = own_margin(model, X, wrong, float(np.linalg.norm(w)))
        trail = None
        if path or (path is None and hasattr(model, "partial_fit")):
            trail = path_of(Replay(model, X, truth, passes), w, plane, required=bool(path))
        return cls(
            plane.of(table[chosen]), w=plane.along(w), b=b if rows.columns <= 2 else 0.0,
            margin=finite("margin", margin, least=0.0) if margin is not None else None, path=trail,
            axes=plane.names, **told,
        )  # fmt: skip

    # -- drawing

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        right = 1 - self.errors / self.rows
        rows = f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        dress(ax, f"Decision boundary: {right:.1%} of {rows} right", *self.axes)
        low, high = self._limits()
        if self.regions is not None:
            self._draw_regions(ax, low, high)
        colors = SERIES if self.regions is not None else (ORANGE, BLUE)
        size = 30 if len(self.points) <= MOST_LEGIBLE else 13
        markers = MARKERS if len(self.classes) > 2 else ("D", "o")
        for label, color, marker in zip(self.classes, colors, markers, strict=False):
            mine = self.labels == label
            look = {
                "color": color, "marker": marker, "s": size * (0.8 if marker == "D" else 1),
                "alpha": 0.8,
                "edgecolors": "white", "linewidths": 0.5, "label": short(label), "zorder": 3,
                "rasterized": len(mine) > MOST_LEGIBLE,
            }  # fmt: skip
            ax.scatter(*self.points[mine].T, **look | style)
        if self.wrong.any():
            ax.scatter(*self.points[self.wrong].T, s=3 * size, facecolors="none", edgecolors=INK,
                       linewidths=size / 25, zorder=4, label="predicted wrong",
                       rasterized=len(self.wrong) > MOST_LEGIBLE)  # fmt: skip
        if self.w is not None and np.linalg.norm(self.w) > 0:
            self._draw_line(ax, self.w, low, high)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        if self._equal():
            ax.set_aspect("equal", adjustable="box")
        if not self.axes[1]:  # one feature: all points are at height 0
            ax.set_yticks([])
        legend(ax, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, framealpha=0)

    def _upright(self) -> bool:
        """Whether right angles are visible at any scale of the axes."""
        return self.w is not None and self.w[0] != 0 and self.w[1] == 0

    def _middle(self) -> Floats:
        middle: Floats = (self.points.min(axis=0) + self.points.max(axis=0)) / 2
        return middle

    def _foot(self, w: Floats) -> Floats:
        """The point of the boundary nearest to the middle of the points: w is drawn from here."""
        middle = self._middle()
        if self._upright():  # the same, without an error of rounding
            return np.array([-self.b / w[0], middle[1]])
        foot: Floats = middle - (w @ middle + self.b) / (w @ w) * w
        return foot

    def _span(self) -> Floats:
        """The extent of the points in each direction; if it is 0, that of the other."""
        reach: Floats = np.ptp(self.points, axis=0)
        largest = float(np.abs(self.points).max())
        if reach.max() <= 1e-9 * largest:  # all points are one
            return np.full(2, largest or 1.0)
        return np.where(reach <= 1e-9 * reach.max(), reach.max(), reach)

    def _equal(self) -> bool:
        """Whether both axes have one scale, so that w looks orthogonal to the boundary."""
        span = self._span()
        return bool(max(span) < STRETCHED * min(span)) and not self._upright()

    def _shows_w(self) -> bool:
        seen = self._equal() or (self._upright() and self.axes[1] != "")
        return seen and self.w is not None and bool(np.linalg.norm(self.w) > 0)

    def _limits(self) -> tuple[Floats, Floats]:
        """The corners of a rectangle around points and boundary."""
        low, high, span = self.points.min(axis=0), self.points.max(axis=0), self._span()
        if self.w is not None and self._shows_w():
            foot = self._foot(self.w)
            if np.all(np.abs(foot - self._middle()) < 1.5 * span):  # else it is out of sight
                low, high = np.minimum(low, foot), np.maximum(high, foot)
        low, high = low - 0.07 * span, high + 0.07 * span
        if self._equal():  # the shape of most figures
            width, height = high - low
            missing = np.maximum(0.0, [1.3 * height - width, width / 1.9 - height])
            low, high = low - missing / 2, high + missing / 2
        return low, high

    def _draw_line(self, ax: Any, w: Floats, low: Floats, high: Floats) -> None:
        foot, length = self._foot(w), float(np.linalg.norm(w))
        along, across = w / length, np.array([-w[1], w[0]]) / length
        ax.axline(foot, foot + across, color=INK, linewidth=1.8, zorder=2, gid="boundary")
        if self.margin:
            far = 3 * float(np.linalg.norm(high - low) + np.linalg.norm(foot - low))
            edges = [foot + side * self.margin * along for side in (-1, 1)]
            corners = [edges[0] - far * across, edges[0] + far * across,
                       edges[1] + far * across, edges[1] - far * across]  # fmt: skip
            ax.fill(*np.transpose(corners), color=FAINT, alpha=0.13, linewidth=0, zorder=1,
                    label=f"margin {self.margin:.3g}", gid="band")  # fmt: skip
            for edge in edges:
                ax.axline(edge, edge + across, color=FAINT, linewidth=1, linestyle=(0, (4, 3)),
                          zorder=1.5, gid="edge")  # fmt: skip
        if self._shows_w():
            self._draw_w(ax, w, foot, 0.33 * (high - low))

    def _draw_w(self, ax: Any, w: Floats, foot: Floats, size: Floats) -> None:
        """The arrow and the path of its tip, both within `size`."""
        from matplotlib.patheffects import withStroke

        path = np.empty((0, 2)) if self.path is None else self.path
        reach = np.abs(np.vstack([path, w])).max(axis=0)
        scale = float(np.min(size[reach > 0] / reach[reach > 0]))
        if len(path) > 1:
            moved = np.r_[True, np.any(path[1:] != path[:-1], axis=1)]
            ax.plot(
                *(foot + scale * path[moved]).T, color=FAINT, linewidth=1.1, zorder=7, gid="path",
                marker="o" if moved.sum() < 60 else "", markersize=2.5, label="path of w",
            )  # fmt: skip
        tip = foot + scale * w
        ax.annotate("", tip, foot, zorder=6, gid="w", arrowprops={
            "arrowstyle": "-|>,head_width=0.28,head_length=0.5", "color": INK, "linewidth": 2,
            "shrinkA": 0, "shrinkB": 0,
            "path_effects": [withStroke(linewidth=4, foreground="white")],
        })  # fmt: skip
        ax.annotate("w", tip, 9 * w / float(np.linalg.norm(w)), textcoords="offset points",
                    ha="center", va="center", color=INK, weight="bold", zorder=6,
                    path_effects=[withStroke(linewidth=3, foreground="white")])  # fmt: skip

    def _draw_regions(self, ax: Any, low: Floats, high: Floats) -> None:
        from matplotlib.colors import ListedColormap, to_rgb

        assert self.regions is not None
        count = len(self.classes)
        across, up = (np.linspace(*ends, 200) for ends in zip(low, high, strict=True))
        grid = np.stack(np.meshgrid(across, up), axis=-1)
        with warnings.catch_warnings():  # points of a plane have no column names
            warnings.simplefilter("ignore", UserWarning)
            scores = np.asarray(self.regions(grid.reshape(-1, 2))).reshape(*grid.shape[:2], count)
        tints = [tuple(1 - 0.16 * (1 - np.array(to_rgb(color)))) for color in SERIES[:count]]
        ax.imshow(
            scores.argmax(axis=-1), cmap=ListedColormap(tints), vmin=-0.5, vmax=count - 0.5,
            origin="lower", extent=(low[0], high[0], low[1], high[1]), aspect="auto", zorder=0,
        )  # fmt: skip
        for number in range(count):  # its edge is where it leads by 0
            others = np.delete(scores, number, axis=-1).max(axis=-1)
            lead = scores[..., number] - others
            if lead.min() < 0 < lead.max() and np.isfinite(lead).all():
                ax.contour(across, up, lead, [0.0], colors=[INK], linewidths=1.2, zorder=1)


def _one_each(name: str, values: npt.ArrayLike, count: int) -> npt.NDArray[Any]:
    found = np.asarray(values)
    if found.shape != (count,):
        raise InvalidInput(f"{name} have shape {found.shape}; expected {(count,)}: one a point.")
    return found


def _spread(rows: int) -> npt.NDArray[np.int64]:
    """Which rows are drawn: all, or an evenly spaced selection."""
    return np.linspace(0, rows - 1, min(rows, MOST_POINTS)).round().astype(np.int64)


def _check_two(columns: int, classes: list[Any]) -> None:
    if columns != 2:
        raise InvalidInput(
            f"X has {columns} features and there are {len(classes)} classes; expected 2 features "
            "for the regions of several classes, or 2 classes for a projection along w. Train on "
            "two features, or on one class against the rest."
        )
