"""All plots of one evaluation, on one page."""

from __future__ import annotations

import os

from thresher.errors import InvalidInput
from thresher.evaluate import Metrics
from thresher.plots.calibration import CalibrationDisplay
from thresher.plots.confusion import ConfusionDisplay
from thresher.plots.labels import LabelsDisplay
from thresher.plots.roc import RocDisplay
from thresher.plots.style import Display, write_page


def draw_report(metrics: Metrics, path: str | os.PathLike[str], title: str = "") -> None:
    """Confusion, F1, ROC and calibration, as far as they are known; png, svg or pdf by suffix."""
    if metrics.error is None:
        raise InvalidInput("there is nothing to draw: no labelled example was evaluated.")
    displays: list[Display] = [ConfusionDisplay.from_metrics(metrics)]
    displays.append(LabelsDisplay.from_metrics(metrics))
    roc = RocDisplay.from_metrics(metrics)
    if roc.curves:
        displays.append(roc)
    if metrics.calibration:
        displays.append(CalibrationDisplay.from_metrics(metrics))
    figures = f"error {metrics.error:.4f} on {metrics.examples:,} examples"
    write_page(path, f"{title}: {figures}" if title else figures, displays)
