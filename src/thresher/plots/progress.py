"""The error while a model learned."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Self

from thresher.errors import InvalidInput
from thresher.evaluate import RegressionMetrics, Report
from thresher.plots.replay import Point, kind_of, points_of
from thresher.plots.style import BLUE, SERIES, Display, count_axis, dress, name_ends

KINDS = {"error": "error", "squared_error": "squared error"}
ORANGE, GREEN = SERIES[1], SERIES[2]


class ProgressDisplay(Display):
    """The progressive error: over all examples so far, lately, and on those held out."""

    def __init__(self, points: Iterable[Point], kind: str = "error") -> None:
        """Each point: examples, error so far, error since the previous point, error held out."""
        self.points = list(points)
        self.kind = kind

    @classmethod
    def from_log(cls, path: str | os.PathLike[str]) -> Self:
        """From what ``thresher train --log DIR`` writes: a log file, or the last one in a folder.

        If several runs were written to one file, the last one is drawn.
        """
        path = os.fspath(path)
        if os.path.isdir(path):
            logs = [name for name in os.listdir(path) if name.endswith(".jsonl")]
            if not logs:
                raise InvalidInput(
                    f"{path}: holds no log; expected what `thresher train --log` writes."
                )
            path = max(os.path.join(path, name) for name in logs)  # they begin with the time
        points: list[Point] = []
        kind = "error"
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    entry = json.loads(line)
                    kind = next((k for k in KINDS if k in entry), kind)
                    point = _point(entry, kind)
                except (AttributeError, TypeError, ValueError):
                    raise InvalidInput(
                        f"{path}, line {number}: found {line.strip()[:60]!r}; expected a JSON "
                        'object such as {"examples": 1024, "error": 0.12, "recent": 0.1}.'
                    ) from None
                if point and points and point[0] < points[-1][0]:
                    points = []  # another run begins
                if point:
                    points.append(point)
        if not points:
            raise InvalidInput(f"{path}: no line tells examples and error.")
        return cls(points, KINDS[kind])

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any) -> Self:
        """Let a fresh copy of an online learner take one pass over rows X with labels y."""
        return cls(points_of(model, X, y), kind_of(model))

    @classmethod
    def from_reports(cls, reports: Iterable[Report]) -> Self:
        """From what `thresher.evaluate.progressive` yields."""
        points: list[Point] = []
        kind = "error"
        for report in reports:
            points.append((report.examples, report.loss, report.recent, None))
            if isinstance(report.metrics, RegressionMetrics):
                kind = "squared error"
        if not points:
            raise InvalidInput("there are no reports to draw.")
        return cls(points, kind)

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        dress(ax, f"Progressive {self.kind}", "examples read", self.kind)
        ends: list[tuple[float, str, str]] = []
        for column, name, color, width in (
            (2, "lately", ORANGE, 1.2), (3, "held out", GREEN, 1.8), (1, "so far", BLUE, 2.4),
        ):  # fmt: skip
            line = [(p[0], p[column]) for p in self.points if p[column] is not None]
            if line:
                x, y = zip(*line, strict=True)
                dots = "o" if column == 2 or len(line) == 1 else ""
                look = {"color": color, "linewidth": width, "marker": dots, "markersize": 4}
                ax.plot(x, y, **look | (style if column == 1 else {}))
                ends.append((y[-1], f"{name} {y[-1]:.4g}", color))
        ax.set_ylim(bottom=0)
        name_ends(ax, self.points[-1][0], ends)
        count_axis(ax.xaxis, log=True)
        ax.margins(x=0.03)


def _point(entry: dict[str, Any], kind: str) -> Point | None:
    """The point of one line; nothing if it is another event."""
    examples, so_far, recent, held_out = (
        entry.get(key) for key in ("examples", kind, "recent", f"held_out_{kind}")
    )
    if examples is None or so_far is None:
        return None
    return (
        int(examples),
        float(so_far),
        None if recent is None else float(recent),
        None if held_out is None else float(held_out),
    )
