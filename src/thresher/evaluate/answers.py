"""A learner's predictions for a batch of examples, all from one pass over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.evaluate.metrics import Metrics
from thresher.evaluate.ranking import KEEP
from thresher.evaluate.regression import RegressionMetrics
from thresher.evaluate.sets import SetMetrics
from thresher.learners.base.classifier import Classifier
from thresher.learners.base.labels import column

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """Labels or numbers; for a classifier also scores and, if it is calibrated, probabilities.

    Their columns are the learner's ``classes_``; for two classes a score is that of the second.
    """

    predicted: list[Any]
    scores: Floats | None = None
    probabilities: Floats | None = None


def ask(learner: Any, batch: Any) -> Answers:
    """The predictions of a learner for a batch from `thresher.read`."""
    if learns_sets(learner):
        return Answers(learner.predict_batch(batch))
    raw = learner._scores_of(batch)
    if not isinstance(learner, Classifier):
        return Answers(raw[:, 0].tolist())
    model, values = learner._learned(), learner._labels.values
    predicted = [values[code] for code in model.decisions(raw).tolist()]
    if len(model.order()) < 2:  # it has seen one label and predicts nothing else
        return Answers(predicted)
    if len(learner._labels.sorted) == 2:
        scores = raw[:, 0]
    else:
        scores = learner._columns(raw, absent=-np.inf, split=lambda s: (-s / 2, s / 2))
    if not (learner.gives_probabilities or learner.calibrate):
        return Answers(predicted, scores)
    p = model.probabilities(raw)
    return Answers(
        predicted, scores, learner._columns(p, absent=0.0, split=lambda p: (1 - p, p))
    )  # fmt: skip


def metrics_for(
    learner: Any, *, bins: int = 10, keep: int = KEEP
) -> Metrics | SetMetrics | RegressionMetrics:
    """Metrics of the kind that a learner needs, nothing counted yet."""
    if learns_sets(learner):
        return SetMetrics(learner.classes_.tolist())
    if not isinstance(learner, Classifier):
        return RegressionMetrics()
    return Metrics(learner.classes_.tolist(), bins=bins, keep=keep)


def learns_sets(learner: Any) -> bool:
    """Whether an example of it has a set of labels."""
    return bool(getattr(learner, "multi_label", False))


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


def evaluate_batches(
    learner: Any, batches: Any, metrics: Metrics | SetMetrics | RegressionMetrics
) -> None:
    """Count all predictions of a learner for batches from `thresher.read`."""
    for batch in batches:
        answers = ask(learner, batch)
        if isinstance(metrics, (RegressionMetrics, SetMetrics)):
            metrics.add(batch.labels, answers.predicted, batch.weights)
        else:
            metrics.add(
                batch.labels, answers.predicted, answers.scores, answers.probabilities,
                batch.weights,
            )  # fmt: skip
