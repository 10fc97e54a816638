"""A learner's predictions counted in metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.evaluate.blocks import InBlocks
from thresher.evaluate.metrics import Metrics
from thresher.evaluate.ranking import KEEP
from thresher.evaluate.regression import RegressionMetrics
from thresher.evaluate.sets import SetMetrics
from thresher.learners.base.labels import column

Floats = npt.NDArray[np.float64]


def metrics_for(
    learner: Any, *, bins: int = 10, keep: int = KEEP
) -> Metrics | SetMetrics | RegressionMetrics:
    """Metrics of the kind that a learner needs, nothing counted yet."""
    if learns_sets(learner):
        return SetMetrics(learner.classes_.tolist())
    if learner.task == "regress":
        return RegressionMetrics()
    return Metrics(learner.classes_.tolist(), bins=bins, keep=keep)


def learns_sets(learner: Any) -> bool:
    """Whether an example of it has a set of labels."""
    return bool(learner.multi_label)


def metrics_of(
    model: Any, X: Any, y: Any, weights: npt.ArrayLike | None = None, *, bins: int = 10
) -> Metrics:
    """The metrics of a trained classifier on rows of X whose labels are y.

    Scores and probabilities are counted as far as `model` has ``decision_function`` and
    ``predict_proba``; it may be of any library.

    >>> from thresher import Perceptron
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "yes", "yes"]
    >>> metrics_of(Perceptron(average=False, max_epochs=None).fit(X, y), X, y).confusion
    array([[1., 0.],
           [0., 2.]])
    """
    predicted = model.predict(X)
    metrics = Metrics(np.asarray(model.classes_).tolist(), bins=bins)
    scores = probabilities = None
    if len(metrics.columns) > 1:  # with one label it predicts nothing else
        if hasattr(model, "decision_function"):
            scores = model.decision_function(X)
        if hasattr(model, "predict_proba"):
            probabilities = model.predict_proba(X)
    truth = column(y, len(predicted), type(model).__name__)
    metrics.add(truth, predicted, scores, probabilities, weights)
    return metrics


def evaluate_batches(learner: Any, batches: Any, metrics: Any) -> None:
    """Count all predictions of a learner for batches from `thresher.read`, in metrics of the kind
    that it needs."""
    several = learns_sets(learner) or learner.task == "regress"
    blocks = InBlocks(metrics)
    for batch in batches:
        if not len(batch):  # comments, or lines that were left out
            continue
        weights = batch.core.weights
        weights = None if weights is None else weights[: len(batch)]
        if several:
            blocks.add(batch.labels, learner.predict_batch(batch), weights)
            continue
        answers = learner.answers(batch)
        scores, probabilities = answers.scores, answers.probabilities
        if len(learner.learned_labels()) < 2:  # with one label it predicts nothing else
            scores = probabilities = None
        blocks.add(batch.coded_labels, answers.predicted, scores, probabilities, weights)
    blocks.finish()
