"""Plots with matplotlib (``pip install '.[plot]'``): each a Display with a ``plot``."""

from thresher.plots.boundary import DecisionBoundaryDisplay
from thresher.plots.calibration import CalibrationDisplay
from thresher.plots.confusion import ConfusionDisplay
from thresher.plots.curves import LearningCurvesDisplay
from thresher.plots.labels import LabelsDisplay
from thresher.plots.margins import MarginDisplay
from thresher.plots.mistakes import MistakesDisplay
from thresher.plots.objective import ObjectiveDisplay
from thresher.plots.over_time import WeightsOverTimeDisplay
from thresher.plots.progress import ProgressDisplay
from thresher.plots.proof import ProofDisplay
from thresher.plots.report import draw_report
from thresher.plots.roc import RocDisplay
from thresher.plots.version_space import VersionSpaceDisplay
from thresher.plots.weights import WeightsDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "DecisionBoundaryDisplay",
    "LabelsDisplay",
    "LearningCurvesDisplay",
    "MarginDisplay",
    "MistakesDisplay",
    "ObjectiveDisplay",
    "ProgressDisplay",
    "ProofDisplay",
    "RocDisplay",
    "VersionSpaceDisplay",
    "WeightsDisplay",
    "WeightsOverTimeDisplay",
    "draw_report",
]
