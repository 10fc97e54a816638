"""The base of most linear classifiers: an online classifier with all groups of options."""

from __future__ import annotations

from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.groups import (
    Averaging,
    Calibration,
    ClassWeights,
    Intercept,
    InterceptScaling,
    ManyClasses,
    Passes,
    Preparation,
)


class LinearClassifier(
    Averaging,
    Passes,
    Intercept,
    InterceptScaling,
    ManyClasses,
    Calibration,
    Preparation,
    ClassWeights,
    OnlineClassifier,
):
    """Subclasses add a rule and a geometry."""
