"""Figures by which learners are compared while they learn: of each the smaller the better.

The core counts them with the predictions of a run, before each example is learned, in memory that
does not grow: ``progress.figures.on = True`` for the `Progress` of a run or of a racing learner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.errors import InvalidInput

if TYPE_CHECKING:
    from thresher._core import Figures, Progress

CRITERIA = ("error", "log-loss", "auc", "f1", "balanced")


def criterion(name: str, progress: Progress) -> float:
    """A figure of a run so far; NaN where it is not defined.

    "error" is the share of wrong labels, "log-loss" the mean of −ln(probability of the true label),
    "auc" 1 − the area under the ROC curve (two labels), "f1" 1 − the mean F1 of the labels, and
    "balanced" the mean error of the labels. Of examples that are held out, if any are.
    """
    figures = progress.figures
    if name not in CRITERIA:
        raise InvalidInput(f"metric is {name!r}; expected one of {', '.join(CRITERIA)}.")
    if not figures.weight:
        return float("nan")
    if name == "log-loss":
        return figures.log_loss / figures.weight
    if name == "error":
        return 1.0 - sum(figures.right) / figures.weight
    if name == "auc":
        return 1.0 - area(figures)[0]
    size = max(len(figures.truth), len(figures.said))
    right, truth, said = (_wide(of, size) for of in (figures.right, figures.truth, figures.said))
    if name == "balanced":
        return float(1.0 - (right[truth > 0] / truth[truth > 0]).mean())
    met = truth + said > 0
    return float(1.0 - (2.0 * right[met] / (truth + said)[met]).mean())


def log_loss_error(progress: Progress) -> float:
    """The standard error of the mean log-loss, for examples that are independent."""
    figures = progress.figures
    if not figures.weight:
        return float("nan")
    mean = figures.log_loss / figures.weight
    variance = max(0.0, figures.log_loss_squares / figures.weight - mean * mean)
    return float(np.sqrt(variance / figures.weight))


def area(figures: Figures) -> tuple[float, float]:
    """The area under the ROC curve of two labels, and how far it may be from the true one.

    Scores are counted in bins, 16 to a power of two; those of one bin count as tied.
    """
    mass = np.array(figures.mass).reshape(-1, 2)
    negative, positive = mass[:, 0], mass[:, 1]
    pairs = float(negative.sum() * positive.sum())
    if not pairs:
        return float("nan"), 0.0
    below = np.cumsum(negative) - negative
    tied = float((positive * negative).sum()) / 2
    return (float((positive * below).sum()) + tied) / pairs, tied / pairs


def _wide(values: list[float], size: int) -> np.ndarray:
    return np.pad(np.array(values, float), (0, size - len(values)))
