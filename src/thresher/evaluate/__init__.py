"""Metrics of classifiers and regressors over a stream, and progressive validation."""

from thresher.evaluate.answers import evaluate_batches, metrics_for, metrics_of
from thresher.evaluate.calibration import Bin
from thresher.evaluate.metrics import LabelScores, Metrics, Scores
from thresher.evaluate.progressive import Report, progressive
from thresher.evaluate.ranking import Auc, Curve
from thresher.evaluate.regression import RegressionMetrics
from thresher.evaluate.sets import SetMetrics

__all__ = [
    "Auc",
    "Bin",
    "Curve",
    "LabelScores",
    "Metrics",
    "RegressionMetrics",
    "Report",
    "Scores",
    "SetMetrics",
    "evaluate_batches",
    "metrics_for",
    "metrics_of",
    "progressive",
]
