"""How several learners improve on the same stream."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Self

from thresher.errors import InvalidInput
from thresher.evaluate import Report
from thresher.learners.base.learner import Learner
from thresher.plots.progress import ProgressDisplay
from thresher.plots.replay import Point, kind_of, points_of
from thresher.plots.style import MARKERS, SERIES, Display, count_axis, dress, legend, short
from thresher.race import name_of

EARLY = 8  # examples whose errors a long run does not show: they are all guesses


class LearningCurvesDisplay(Display):
    """The progressive error of several learners: over all examples so far, and thin, lately.

    Each example is predicted before it is learned. "Lately" is since the previous point; the
    distance between points doubles each time.
    """

    def __init__(self, curves: Mapping[str, Iterable[Point]], kind: str = "error") -> None:
        """For each learner points: examples, error so far, error since the previous point, …"""
        self.curves = {str(name): list(points) for name, points in curves.items()}
        self.kind = kind
        if not self.curves:
            raise InvalidInput("there are no curves to draw; expected one learner at least.")
        for name, points in self.curves.items():
            if not points:
                raise InvalidInput(f"the curve of {name} has no points.")

    @classmethod
    def from_estimators(cls, models: Iterable[Any] | Mapping[str, Any], X: Any, y: Any) -> Self:
        """Let fresh copies of online learners (a list, or a dict from names) take one pass over X.

        Examples
        --------
        >>> from thresher import PassiveAggressive, Perceptron
        >>> X, y = [[0, 1], [1, 0]] * 8, [0, 1] * 8
        >>> display = LearningCurvesDisplay.from_estimators(
        ...     [Perceptron(), PassiveAggressive()], X, y
        ... )
        >>> [points[-1][:2] for points in display.curves.values()]
        [(16, 0.125), (16, 0.125)]
        """
        if not isinstance(models, Mapping):
            named: dict[str, Any] = {}
            for model in models:
                name = name_of(model) if isinstance(model, Learner) else repr(model)
                if name in named:
                    raise InvalidInput(f"{name} comes twice; expected each learner once.")
                named[name] = model
            models = named
        curves = {name: points_of(model, X, y) for name, model in models.items()}
        kinds = {kind_of(model) for model in models.values()}
        if len(kinds) > 1:
            raise InvalidInput("expected learners of one kind: all predict labels, or all numbers.")
        return cls(curves, *kinds)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any) -> Self:
        """One learner; see `from_estimators`."""
        return cls.from_estimators([model], X, y)

    @classmethod
    def from_reports(cls, reports: Mapping[str, Iterable[Report]]) -> Self:
        """From what `thresher.evaluate.progressive` yields for each learner."""
        each = {name: ProgressDisplay.from_reports(some) for name, some in reports.items()}
        kinds = {display.kind for display in each.values()} or {"error"}
        if len(kinds) > 1:
            raise InvalidInput("expected reports of one kind: all of labels, or all of numbers.")
        return cls({name: display.points for name, display in each.items()}, *kinds)

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        dress(ax, f"Progressive {self.kind}", "examples", f"{self.kind} so far; dashed: lately")
        last = max(points[-1][0] for points in self.curves.values())
        first = EARLY if last > 100 * EARLY else 1
        top = 0.0
        for place, (name, points) in enumerate(self.curves.items()):
            color = SERIES[place] if place < len(SERIES) else "#9a9a9a"
            x, so_far, lately = ([point[i] for point in points] for i in range(3))
            top = max(top, *(point[1] for point in points if point[0] >= first))
            look = {
                "color": color, "linewidth": 2.2, "marker": MARKERS[place % len(MARKERS)],
                "markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.8,
                "label": f"{short(name, 44)}  {so_far[-1]:.4g}", "zorder": 3,
            }  # fmt: skip
            (line,) = ax.plot(x, so_far, **look | style)
            ax.plot(x, [math.nan if v is None else v for v in lately], color=line.get_color(),
                    linewidth=1, linestyle=(0, (3, 2)))  # fmt: skip
        count_axis(ax.xaxis, log=True)
        ax.set(xlim=(first, max(last, 2)), ylim=(0, 1.1 * top or 1.0))
        columns = 2 if max(len(name) for name in self.curves) <= 24 else 1
        legend(ax, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=columns, framealpha=0)
