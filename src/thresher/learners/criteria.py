"""Figures by which learners are compared while they learn: of each the smaller the better.

The core counts them with the predictions of a run, before each example is learned, in memory that
does not grow: ``progress.figures.on = True`` for the `Progress` of a run or of a racing learner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.learners.base.class_weights import class_weight_from, weights_of
from thresher.learners.base.labels import plain_label
from thresher.options import finite

if TYPE_CHECKING:
    import numpy as np

    from thresher._core import Figures, Progress

CRITERIA = ("error", "log-loss", "auc", "f1", "balanced")
"""Of labels. Besides, a dict of labels and the cost of a mistake on each."""
NUMBERS = ("error", "rmse", "mae")
"""Of numbers; the error is the mean of squares."""

Metric = str | Mapping[Any, float]


def checked_metric(metric: Any, task: str | None = None) -> Metric:
    """One that there is, for labels or numbers if the task is known."""
    names = {"classify": CRITERIA, "regress": NUMBERS}.get(task or "", (*CRITERIA, *NUMBERS[1:]))
    if isinstance(metric, Mapping) and metric and task != "regress":
        for label, cost in metric.items():
            plain_label(label)
            finite(f"metric[{label!r}]", cost, least=0.0)
        return metric
    if not isinstance(metric, str) or metric not in names:
        costs = (
            "" if task == "regress" else ", or a dict of labels and the cost of a mistake on each"
        )
        raise InvalidInput(f"metric is {metric!r}; expected one of {', '.join(names)}{costs}.")
    return metric


def metric_from(text: str) -> Metric:
    """As it is typed: a name, or costs: ``spam:5,ham:1``.

    >>> metric_from("auc"), metric_from("1:5,0:1")
    ('auc', {1: 5.0, 0: 1.0})
    """
    found: Any = class_weight_from(text, "metric")
    return checked_metric(found)


def of_numbers(metric: Metric, square: float, distance: float) -> float:
    """ "rmse" or "mae", by the mean square and the mean absolute error."""
    return distance if metric == "mae" else math.sqrt(square)


def is_counted(metric: Metric) -> bool:
    """Whether it needs more than the mean loss of each learner, by which all are judged."""
    return metric not in ("error", "rmse")


def criterion(metric: Metric, figures: Figures, codes: Mapping[Any, int] | None = None) -> float:
    """A figure of predicted labels; NaN where it is not defined.

    "error" is the share of wrong labels, "log-loss" the mean of −ln(probability of the true label),
    "auc" 1 − the area under the ROC curve (two labels), "f1" 1 − the mean F1 of the labels,
    "balanced" the mean error of the labels, costs the mean cost of a prediction, where `codes` are
    those of the labels. Of examples that are held out, if any are.
    """
    import numpy as np

    checked_metric(metric, "classify")
    if not figures.weight:
        return math.nan
    if metric == "log-loss":
        return figures.log_loss / figures.weight
    if metric == "error":
        return 1.0 - sum(figures.right) / figures.weight
    if metric == "auc":
        return 1.0 - area(figures)[0]
    size = max(len(figures.truth), len(figures.said))
    right, truth, said = (_wide(of, size) for of in (figures.right, figures.truth, figures.said))
    if isinstance(metric, Mapping):
        costs = np.ones(size)
        known = codes or {}
        priced = weights_of(metric, [*known], "metric")
        for code, cost in zip(known.values(), priced, strict=True):
            if code < size:
                costs[code] = cost
        return float((costs * (truth - right)).sum() / figures.weight)
    if metric == "balanced":
        return float(1.0 - (right[truth > 0] / truth[truth > 0]).mean())
    met = truth + said > 0
    return float(1.0 - (2.0 * right[met] / (truth + said)[met]).mean())


def log_loss_error(progress: Progress) -> float:
    """The standard error of the mean log-loss, for examples that are independent."""
    figures = progress.figures
    if not figures.weight:
        return math.nan
    mean = figures.log_loss / figures.weight
    variance = max(0.0, figures.log_loss_squares / figures.weight - mean * mean)
    return math.sqrt(variance / figures.weight)


def area(figures: Figures) -> tuple[float, float]:
    """The area under the ROC curve of two labels, and how far it may be from the true one.

    Scores are counted in bins, 16 to a power of two; those of one bin count as tied.
    """
    import numpy as np

    mass = np.array(figures.mass).reshape(-1, 2)
    negative, positive = mass[:, 0], mass[:, 1]
    pairs = float(negative.sum() * positive.sum())
    if not pairs:
        return math.nan, 0.0
    below = np.cumsum(negative) - negative
    tied = float((positive * negative).sum()) / 2
    return (float((positive * below).sum()) + tied) / pairs, tied / pairs


def _wide(values: list[float], size: int) -> np.ndarray:
    import numpy as np

    return np.pad(np.array(values, float), (0, size - len(values)))
