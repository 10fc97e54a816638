"""How good a classifier's predictions are, counted batch by batch in constant memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.data.coded import CodedLabels
from thresher.errors import InvalidInput
from thresher.evaluate.arguments import probabilities_of, scores_of, weights_of
from thresher.evaluate.calibration import Bin, CalibrationBins
from thresher.evaluate.ranking import KEEP, Auc, Curve, Ranking
from thresher.learners.base.labels import Labels

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

NO_ANSWER = -1  # the code of None, which a learner predicts before it has learned anything
# A probability of 0 for what happened would have infinite loss: it costs 36 (as in scikit-learn).
SMALLEST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1; None where the denominator is 0."""

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class LabelScores(Scores):
    """Those of one label, with the weight of its examples and of its predictions."""

    label: Any
    support: float
    predicted: float


class Metrics:
    """Error, confusion, F1, AUC, log-loss and calibration of a classifier.

    `labels` says what the columns of scores and probabilities mean; for two labels a score or a
    probability is that of the second. Labels that are not among them may appear, but not in the
    columns. AUC is exact while the scores fit in `keep` numbers, then it comes from fine bins, with
    a bound on its error. Probabilities are compared with what happened in `bins` bins.

    >>> metrics = Metrics(["ham", "spam"])
    >>> metrics.add(["ham", "spam", "spam"], ["ham", "spam", "ham"], scores=[-2.0, 1.5, -0.5])
    >>> metrics.add(["ham"], ["ham"], scores=[-0.1])
    >>> metrics.error, metrics.auc.value
    (0.25, 0.75)
    >>> metrics.confusion
    array([[2., 0.],
           [1., 1.]])
    """

    def __init__(self, labels: Iterable[Any] = (), *, bins: int = 10, keep: int = KEEP) -> None:
        self._labels = Labels(labels)
        self.columns: list[Any] = list(self._labels.values)
        """What the columns of scores and probabilities mean."""
        self.examples = 0
        self.weight = 0.0
        self.unlabelled = 0
        """Examples without a true label (None): they count nowhere else."""
        self._pairs: dict[tuple[int, int], float] = {}  # (truth, predicted): weight
        ranked = 1 if len(self.columns) == 2 else len(self.columns)
        self._rankings = [Ranking(keep // ranked) for _ in range(ranked)]
        self._calibration = CalibrationBins(bins)
        self._log_loss = 0.0
        self._brier = 0.0
        self._given: tuple[bool, bool] | None = None  # scores, probabilities

    # -- counting

    def add(
        self,
        truth: Any,
        predicted: Any,
        scores: Any = None,
        probabilities: Any = None,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        """Count more examples: their labels, what was predicted, and how much each one counts."""
        truth, predicted = _listed(truth), _listed(predicted)
        rows = len(truth)
        if len(predicted) != rows:
            raise InvalidInput(f"truth has {rows} labels, predicted {len(predicted)}.")
        w = weights_of(weights, rows)
        s = None if scores is None else scores_of(scores, rows, self._known())
        p = None if probabilities is None else probabilities_of(probabilities, rows, self._known())
        self._check_same_kind(s is not None, p is not None)
        labels = self._labels.copy()
        t, guess = _codes(labels, truth), _codes(labels, predicted)
        self._labels = labels
        labelled = t != NO_ANSWER
        if not labelled.all():
            self.unlabelled += int((~labelled).sum())
            t, guess, w = t[labelled], guess[labelled], w[labelled]
            s = None if s is None else s[labelled]
            p = None if p is None else p[labelled]
        self._count(t, guess, w)
        if s is None:
            s = p if p is None or len(self.columns) != 2 else p[:, 1:]
        if s is not None:
            self._rank(t, s, w)
        if p is not None:
            self._judge(t, guess, p, w)

    def _known(self) -> int:
        if not self.columns:
            raise InvalidInput(
                "scores or probabilities are given, but not which labels their columns mean; "
                "expected Metrics(labels)."
            )
        return len(self.columns)

    def _check_same_kind(self, scores: bool, probabilities: bool) -> None:
        if self._given not in (None, (scores, probabilities)):
            raise InvalidInput(
                "scores and probabilities must be given for all batches or for none of them."
            )
        self._given = (scores, probabilities)

    def _count(self, truth: Codes, predicted: Codes, w: Floats) -> None:
        self.examples += len(truth)
        self.weight += float(w.sum())
        width = len(self._labels.values) + 1
        pairs, weights = _sums(truth * width + (predicted + 1), w, width * width)
        for pair, weight in zip(pairs.tolist(), weights.tolist(), strict=True):
            key = (pair // width, pair % width - 1)
            self._pairs[key] = self._pairs.get(key, 0.0) + weight

    def _rank(self, truth: Codes, scores: Floats, w: Floats) -> None:
        for column, ranking in enumerate(self._rankings):
            code = 1 if len(self.columns) == 2 else column
            ranking.add(scores[:, column], truth == code, w)

    def _judge(self, truth: Codes, predicted: Codes, p: Floats, w: Floats) -> None:
        rows = np.flatnonzero(truth < len(self.columns))  # labels that the model knows
        of_truth = np.zeros(len(p))
        of_truth[rows] = p[rows, truth[rows]]
        self._log_loss -= float((w * np.log(np.maximum(of_truth, SMALLEST))).sum())
        off = p.copy()
        off[rows, truth[rows]] -= 1.0
        squares = (off * off).sum(axis=1) + (truth >= len(self.columns))
        self._brier += float((w * squares).sum())
        if len(self.columns) == 2:
            self._calibration.add(p[:, 1], truth == 1, w)
        else:
            said = np.flatnonzero((predicted >= 0) & (predicted < len(self.columns)))
            of_predicted = p[said, predicted[said]]
            self._calibration.add(of_predicted, truth[said] == predicted[said], w[said])

    # -- results

    @property
    def labels(self) -> list[Any]:
        """All labels: those given, and those that occurred as truth or as prediction, sorted."""
        return self._labels.sorted

    @property
    def confusion(self) -> Floats:
        """The weight of examples: a row per true label, a column per predicted one, as `labels`."""
        place = self._labels.ranks
        matrix = np.zeros((len(place), len(place)))
        for (truth, predicted), weight in self._pairs.items():
            if predicted != NO_ANSWER:
                matrix[place[truth], place[predicted]] = weight
        return matrix

    def most_confused(self, k: int) -> list[tuple[Any, Any, float]]:
        """The k heaviest mistakes: true label, predicted label, weight."""
        values = self._labels.values
        wrong = [
            (values[truth], values[guess], weight)
            for (truth, guess), weight in self._pairs.items()
            if truth != guess != NO_ANSWER and weight
        ]
        wrong.sort(key=lambda pair: pair[:2])
        return sorted(wrong, key=lambda pair: -pair[2])[:k]

    def _totals(self) -> tuple[Floats, Floats, Floats]:
        """For each code: the weight that is right, that is true, that is predicted."""
        right, true, said = np.zeros((3, len(self._labels.values)))
        for (truth, predicted), weight in self._pairs.items():
            true[truth] += weight
            if predicted != NO_ANSWER:
                said[predicted] += weight
            if predicted == truth:
                right[truth] += weight
        return right, true, said

    @property
    def wrong(self) -> float:
        """The weight of the examples whose label was not predicted."""
        return sum((w for (truth, guess), w in self._pairs.items() if truth != guess), 0.0)

    @property
    def error(self) -> float | None:
        """The share of examples whose label was not predicted; None where no example counts."""
        return share(self.wrong, self.weight)

    @property
    def accuracy(self) -> float | None:
        """The share of examples whose label was predicted."""
        return share(self.weight - self.wrong, self.weight)

    @property
    def balanced_error(self) -> float | None:
        """The mean error of the labels that occurred: each counts alike, however rare it is."""
        return _mean(1.0 - s.recall for s in self.by_label if s.recall is not None)

    @property
    def baseline_error(self) -> float | None:
        """The error of always predicting the most frequent label."""
        _, true, _ = self._totals()
        return share(self.weight - float(true.max(initial=0.0)), self.weight)

    @property
    def by_label(self) -> list[LabelScores]:
        """Precision, recall and F1 of each of `labels`."""
        right, true, said = self._totals()
        return [
            LabelScores(
                precision=share(right[code], said[code]),
                recall=share(right[code], true[code]),
                f1=share(2 * right[code], true[code] + said[code]),
                label=label,
                support=float(true[code]),
                predicted=float(said[code]),
            )
            for label, code in ((label, self._labels.codes[label]) for label in self.labels)
        ]

    @property
    def macro(self) -> Scores:
        """The means over the labels for which each figure is defined."""
        return macro_of(self.by_label)

    @property
    def micro(self) -> Scores:
        """Over all predictions together: the accuracy, if every example got a prediction."""
        right, true, said = (float(total.sum()) for total in self._totals())
        return Scores(share(right, said), share(right, true), share(2 * right, true + said))

    @property
    def auc_by_label(self) -> dict[Any, Auc | None]:
        """The area under the ROC curve of each label against the rest (with two: the second)."""
        if self._given in (None, (False, False)) or len(self.columns) < 2:
            return {}
        labels = self.columns[1:] if len(self.columns) == 2 else self.columns
        return {label: ranking.auc() for label, ranking in zip(labels, self._rankings, strict=True)}

    @property
    def auc(self) -> Auc | None:
        """The area under the ROC curve; for more than two labels the mean of those defined."""
        areas = [area for area in self.auc_by_label.values() if area is not None]
        if not areas:
            return None
        return Auc(
            sum(a.value for a in areas) / len(areas),
            all(a.exact for a in areas),
            sum(a.within for a in areas) / len(areas),
        )

    def roc(self, label: Any = None) -> Curve | None:
        """The ROC curve of a label against the rest; with two labels that of the second."""
        if self._given in (None, (False, False)) or len(self.columns) < 2:
            return None
        if len(self.columns) == 2:
            return self._rankings[0].curve()
        return self._rankings[self.columns.index(label)].curve()

    def _of_probabilities(self, total: float) -> float | None:
        return share(total, self.weight) if self._given and self._given[1] else None

    @property
    def log_loss(self) -> float | None:
        """The mean of −ln(probability of the true label); None without probabilities."""
        return self._of_probabilities(self._log_loss)

    @property
    def brier(self) -> float | None:
        """The mean squared distance from probabilities to truth.

        Summed over all labels; for two labels that of one of them.
        """
        return self._of_probabilities(self._brier / (2 if len(self.labels) <= 2 else 1))

    @property
    def calibration(self) -> list[Bin]:
        """Predicted probability and observed frequency, in bins of equal width.

        For two labels: the probability of the second; else that of the predicted one.
        """
        return self._calibration.table() if self.log_loss is not None else []

    @property
    def calibration_error(self) -> float | None:
        """The expected calibration error: the mean distance of the two in the bins."""
        return self._calibration.error() if self.log_loss is not None else None

    def summary(self) -> dict[str, Any]:
        """Every figure under its name, ready for JSON; None where it is not defined."""
        auc = self.auc
        return {
            "task": "classify",
            "examples": self.examples,
            "weight": self.weight,
            "unlabelled": self.unlabelled,
            "error": self.error,
            "accuracy": self.accuracy,
            "balanced_error": self.balanced_error,
            "baseline_error": self.baseline_error,
            "labels": self.labels,
            "confusion": self.confusion.tolist(),
            "by_label": [dataclasses.asdict(scores) for scores in self.by_label],
            "macro": dataclasses.asdict(self.macro),
            "micro": dataclasses.asdict(self.micro),
            "auc": None if auc is None else dataclasses.asdict(auc),
            "auc_by_label": [
                {"label": label, "auc": None if area is None else area.value}
                for label, area in self.auc_by_label.items()
            ],
            "log_loss": self.log_loss,
            "brier": self.brier,
            "calibration": [dataclasses.asdict(row) for row in self.calibration],
            "calibration_error": self.calibration_error,
        }


def _listed(labels: Any) -> Any:
    """A row of labels: numbers as an array, everything else as a list."""
    if isinstance(labels, CodedLabels):
        return labels
    if isinstance(labels, np.ndarray):
        if labels.ndim != 1:
            raise InvalidInput(f"labels have shape {labels.shape}; expected one a row.")
        return labels if labels.dtype.kind in "biuf" else labels.tolist()
    return list(labels)


def _codes(labels: Labels, values: Any) -> Codes:
    """The code of each label; new ones get one."""
    if isinstance(values, np.ndarray):
        return labels.encode(values).astype(np.int64)
    different = values.occurring if isinstance(values, CodedLabels) else dict.fromkeys(values)
    known = {**labels.codes, None: NO_ANSWER}
    new = [value for value in different if value not in known]
    if new:
        labels.add(new)
        known = {**labels.codes, None: NO_ANSWER}
    if not isinstance(values, CodedLabels):
        return np.fromiter((known[value] for value in values), np.int64)
    codes = np.array([known.get(value, NO_ANSWER) for value in values.values], np.int64)
    return np.asarray(codes[values.codes])


def _sums(codes: Codes, w: Floats, most: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Codes below `most` that occur, in order, and the weight of each."""
    if most > len(codes):
        found, place = np.unique(codes, return_inverse=True)
        return found, np.bincount(place, w)
    found = np.flatnonzero(np.bincount(codes, minlength=most))
    return found, np.bincount(codes, w, minlength=most)[found]


def macro_of(scores: list[LabelScores]) -> Scores:
    """The means over the labels for which each figure is defined."""
    return Scores(
        _mean(s.precision for s in scores),
        _mean(s.recall for s in scores),
        _mean(s.f1 for s in scores),
    )


def share(part: float, whole: float) -> float | None:
    return float(part) / float(whole) if whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None
