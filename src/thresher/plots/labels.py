"""Precision and recall, label by label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt

from thresher.evaluate import LabelScores, Metrics, metrics_of
from thresher.plots.style import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    Display,
    dress,
    legend,
    shares,
    short,
)

MOST = 25


class LabelsDisplay(Display):
    """Two dots per label, precision and recall; the labels with the lowest F1 are on top."""

    def __init__(self, scores: Sequence[LabelScores]) -> None:
        self.scores = sorted(scores, key=lambda s: (s.f1 is None, s.f1))

    @classmethod
    def from_metrics(cls, metrics: Metrics) -> Self:
        return cls(metrics.by_label)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """For the predictions of a trained classifier on the rows of X, whose labels are y."""
        return cls.from_metrics(metrics_of(model, X, y, sample_weight))

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        shown = self.scores[:MOST]
        left = len(self.scores) - len(shown)
        dress(ax, "Precision and recall" + (f", the {MOST} lowest F1" if left else ""),
              "share", "", grid="x")  # fmt: skip
        for y, scores in enumerate(shown):
            ends = [v for v in (scores.precision, scores.recall) if v is not None]
            if len(ends) == 2:
                ax.plot(ends, [y, y], color="#cfcfcf", linewidth=3, zorder=2)
            for value, color, marker in (
                (scores.precision, BLUE, "o"), (scores.recall, ORANGE, "D"),
            ):  # fmt: skip
                if value is not None:
                    look = {"color": color, "markersize": 8 if marker == "o" else 6, "zorder": 3,
                            "clip_on": False}  # fmt: skip
                    ax.plot([value], [y], marker, **look | style)
            f1 = "–" if scores.f1 is None else f"{scores.f1:.3f}"
            ax.text(1.04, y, f1, color=INK, va="center", transform=ax.get_yaxis_transform())
        ax.text(1.04, 1.01, "F1", color=FAINT, transform=ax.transAxes)
        ax.set_yticks(range(len(shown)), [short(s.label, 14) for s in shown])
        ax.set(xlim=(-0.01, 1.01), ylim=(len(shown) - 0.5, -0.5))
        shares(ax.xaxis)
        ax.plot([], [], "o", color=BLUE, markersize=8, label="precision")
        ax.plot([], [], "D", color=ORANGE, markersize=6, label="recall")
        legend(ax, loc="lower left")
