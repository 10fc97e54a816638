"""Pictures with matplotlib (``pip install 'thresher[plot]'``): each a Display with a ``plot``."""

from thresher.plots.calibration import CalibrationDisplay
from thresher.plots.confusion import ConfusionDisplay
from thresher.plots.labels import LabelsDisplay
from thresher.plots.progress import ProgressDisplay
from thresher.plots.report import draw_report
from thresher.plots.roc import RocDisplay
from thresher.plots.weights import WeightsDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "LabelsDisplay",
    "ProgressDisplay",
    "RocDisplay",
    "WeightsDisplay",
    "draw_report",
]
