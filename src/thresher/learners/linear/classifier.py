"""The base of the linear classifiers: an online classifier and its groups of options."""

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
    Thresholds,
)


class PlainLinearClassifier(
    Passes, Intercept, InterceptScaling, ManyClasses, Calibration, Preparation, OnlineClassifier
):
    """The options of every linear classifier: without averaging, without weights of classes."""


class LinearClassifier(
    Averaging, PlainLinearClassifier, ClassWeights, Thresholds, OnlineClassifier
):
    """The options of most. Subclasses add a rule and a geometry."""
