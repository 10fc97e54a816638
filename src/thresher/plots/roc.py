"""True positives against false positives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.evaluate import Auc, Curve, Metrics, metrics_of
from thresher.plots.style import (
    BLUE,
    FAINT,
    SERIES,
    Display,
    dress,
    legend,
    shares,
    short,
)

MOST_POINTS = 2000


class RocDisplay(Display):
    """ROC curves with their areas, one for two labels, else each label against the rest."""

    def __init__(self, curves: Mapping[Any, tuple[Curve, Auc]]) -> None:
        self.curves = dict(curves)

    @classmethod
    def from_metrics(cls, metrics: Metrics) -> Self:
        found = ((label, metrics.roc(label), auc) for label, auc in metrics.auc_by_label.items())
        return cls({label: (c, auc) for label, c, auc in found if c is not None and auc})

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """For the scores of a trained classifier on the rows of X, whose labels are y."""
        return cls.from_metrics(metrics_of(model, X, y, sample_weight))

    @classmethod
    def from_predictions(
        cls, truth: npt.ArrayLike, scores: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> Self:
        """`truth` says which examples are positive."""
        positive = np.asarray(truth).astype(bool)
        metrics = Metrics([False, True])
        metrics.add(positive, positive, scores=scores, weights=weights)
        return cls.from_metrics(metrics)

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        dress(ax, "ROC: each label against the rest" if len(self.curves) > 1 else "ROC",
              "false positives", "true positives")  # fmt: skip
        ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 4)))
        ax.text(0.63, 0.58, "chance", color=FAINT, fontsize=9)
        worst_first = sorted(self.curves.items(), key=lambda item: item[1][1].value)
        for place, (label, (curve, auc)) in enumerate(worst_first):
            named = place < len(SERIES)
            x, y = _thinned(curve)
            look = {
                "linewidth": 2.2 if named else 0.8, "solid_capstyle": "round",
                "color": SERIES[place] if named else "#c4c4c4", "zorder": 3 if named else 2,
                "label": f"{short(label)}  {_area(auc)}" if named else "_",
            }  # fmt: skip
            ax.plot(x, y, **look | style)
        if len(self.curves) == 1:
            ((label, (_, auc)),) = self.curves.items()
            ax.text(0.97, 0.06, f"{short(label)}: AUC {_area(auc)}", color=BLUE, weight="bold",
                    ha="right", fontsize=12)  # fmt: skip
        elif self.curves:
            more = len(self.curves) - len(SERIES)
            title = "lowest AUC" + (f" ({more} more in grey)" if more > 0 else " first")
            box = legend(ax, loc="lower right", title=title, title_fontsize=9, alignment="left")
            box.get_title().set_color(FAINT)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
        shares(ax.xaxis)
        shares(ax.yaxis)


def _area(auc: Auc) -> str:
    return f"{auc.value:.4f}" + ("" if auc.exact else f" ± {auc.within:.0e}")


def _thinned(curve: Curve) -> tuple[Any, Any]:
    """Points evenly spaced along the curve: a plot cannot show more."""
    x, y = curve.false_positives, curve.true_positives
    if len(x) <= MOST_POINTS:
        return x, y
    length = x + y
    chosen = np.unique(np.searchsorted(length, np.linspace(0, length[-1], MOST_POINTS)))
    chosen = np.append(chosen[chosen < len(x)], len(x) - 1)
    return x[chosen], y[chosen]
