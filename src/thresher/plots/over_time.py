"""How each weight changed while a model learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.linear.winnow import Winnow
from thresher.plots.mistakes import LONG
from thresher.plots.style import BLUE, FAINT, INK, Display, count_axis, dress, legend
from thresher.prepare import are_bent
from thresher.theory.replay import Replay, moments

Floats = npt.NDArray[np.float64]

START = 0.7  # where a logarithmic axis shows the weights before the first example
MOST_LINES = 60  # of features in the background
MARKED = 5  # features that are coloured if the relevant ones are not given


class WeightsOverTimeDisplay(Display):
    """The weights of a model after each example: the relevant ones in blue, the others in grey.

    If all weights are positive, as Winnow's are, their axis is logarithmic: all promotions are
    steps of one height. The dashed line is θ: a single feature whose weight has reached it makes
    an example positive.
    """

    def __init__(
        self,
        examples: npt.ArrayLike,
        weights: npt.ArrayLike,
        relevant: Iterable[int] = (),
        *,
        theta: float | None = None,
        features: Sequence[int] | None = None,
        total: int | None = None,
        name: str = "relevant",
    ) -> None:
        """`weights` has a row for each of `examples` and a column for each feature.

        If these are only some of `total` features, `features` says which; `relevant` are numbers
        of features, from 0.
        """
        self.examples = np.asarray(examples, np.int64)
        self.weights = np.asarray(weights, np.float64)
        if self.weights.ndim != 2 or self.weights.shape[0] != len(self.examples):
            raise InvalidInput(
                f"weights have shape {self.weights.shape}; expected {len(self.examples)} rows, one "
                "for each of examples."
            )
        if not self.weights.size:
            raise InvalidInput("there are no weights to draw.")
        columns = self.weights.shape[1]
        self.features = list(range(columns)) if features is None else [int(j) for j in features]
        self.relevant = sorted({int(j) for j in relevant})
        self.theta = theta
        self.total = columns if total is None else total
        self.name = name
        if len(self.features) != columns or set(self.relevant) - set(self.features):
            raise InvalidInput(
                f"features are {self.features[:5]} …, relevant {self.relevant[:5]} …; expected a "
                f"number for each of {columns} columns, the relevant ones among them."
            )

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        relevant: Iterable[int] | None = None,
        *,
        passes: int | None = None,
    ) -> Self:
        """Replay the run of a two-class learner over rows X with labels y, from a fresh copy.

        `relevant` are the columns to be coloured, by default those with the largest weights at the
        end. Of the other columns some are drawn, the largest first.

        Examples
        --------
        >>> from thresher import Winnow
        >>> X, y = [[0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]], [-1, +1, +1]
        >>> WeightsOverTimeDisplay.from_estimator(Winnow(theta=2.0), X, y, [0, 1]).weights
        array([[1. , 1. , 1. , 1. ],
               [1. , 1. , 0.5, 0.5],
               [2. , 1. , 1. , 0.5],
               [2. , 2. , 1. , 1. ]])
        """
        run = Replay(model, X, y, passes)
        if are_bent(getattr(model, "prepare", None)):
            raise InvalidInput(
                f"prepare={model.prepare!r} makes features as they come, so there is no list of "
                "weights to follow; expected a learner without it, on rows that thresher.features "
                "has prepared."
            )
        if len(np.unique(run.y)) > 2:
            raise InvalidInput(
                f"y has {len(np.unique(run.y))} labels; expected two, of which one vector of "
                "weights tells. Compare one class with the rest."
            )
        chosen = None if relevant is None else sorted({int(j) for j in relevant})
        for j in chosen or ():
            if not 0 <= j < run.columns:
                raise InvalidInput(f"relevant names column {j}; expected 0 to {run.columns - 1}.")
        for _ in run.at([run.total]):
            largest = np.argsort(-np.abs(run.learner.coef_[0]), kind="stable").tolist()
        marked = largest[:MARKED] if chosen is None else chosen
        among = set(marked)
        features = [*marked, *[j for j in largest if j not in among][:MOST_LINES]]
        run = Replay(model, X, y, passes)  # again, now that the columns are known
        times = [0, *moments(run.total)]
        weights = np.stack([run.learner.coef_[0][features] for _ in run.at(times)])
        theta = -float(run.learner.intercept_[0]) if isinstance(model, Winnow) else None
        name = "relevant" if chosen is not None else "largest in the end"
        return cls(times, weights, marked, theta=theta, features=features, total=run.columns,
                   name=name)  # fmt: skip

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        from matplotlib.collections import LineCollection

        dress(ax, "Weights over time", "examples", "weight")
        log = bool((self.weights >= 0).all() and (self.weights > 0).any())
        shown = np.where(self.weights > 0, self.weights, np.nan) if log else self.weights
        blue = np.isin(self.features, self.relevant)
        last, long = int(self.examples[-1]), int(self.examples[-1]) > LONG
        at = np.maximum(self.examples, START) if long else self.examples
        for mask, color, width, alpha, name in (
            (~blue, "#9a9a9a", 0.8, 0.6, f"other ({self.total - blue.sum():,})"),
            (blue, BLUE, 1.8, 0.9, f"{self.name} ({blue.sum()})"),
        ):
            lines = [_corners(at, column) for column in shown[:, mask].T]
            look: dict[str, Any] = {
                "colors": color, "linewidths": width, "alpha": alpha, "label": name,
                "capstyle": "round", "zorder": 3 if color == BLUE else 2,
            }  # fmt: skip
            if lines:
                ax.add_collection(LineCollection(lines, **look | (style if color == BLUE else {})))
        if self.theta is not None:
            ax.axhline(self.theta, color=INK, linewidth=1.3, linestyle=(0, (5, 4)),
                       label=f"θ = {self.theta:g}")  # fmt: skip
        ax.autoscale_view()
        count_axis(ax.xaxis, log=long)
        ax.set_xlim(at[0], max(last, at[0] + 1))
        if log:
            ax.set_yscale("log", base=2)
            _powers(ax)
        else:
            ax.axhline(0, color=FAINT, linewidth=0.8, zorder=1)
        legend(ax, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, framealpha=0)


def _corners(x: npt.NDArray[Any], y: Floats) -> Floats:
    """The points of a line at which its height changes: one step for each change."""
    gone = np.isnan(y)
    same = (y[1:] == y[:-1]) | (gone[1:] & gone[:-1])
    at = np.flatnonzero(~same) + 1
    xs = np.r_[x[0], np.repeat(x[at], 2), x[-1]]
    ys = np.r_[np.repeat(y[np.r_[0, at]], 2)]
    return np.column_stack([xs, ys])


def _powers(ax: Any) -> None:
    """Powers of two in readable form: 1/8, 1, 8, 64."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    def name(value: float, _: int) -> str:
        return f"{value:,.0f}" if value >= 1 else f"1/{1 / value:,.0f}"

    ax.yaxis.set_major_locator(LogLocator(2, numticks=9))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(name))
