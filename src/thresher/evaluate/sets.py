"""How good predicted sets of labels are, counted batch by batch in constant memory."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.evaluate.arguments import weights_of
from thresher.evaluate.metrics import LabelScores, Scores, macro_of, share
from thresher.learners.base.labels import Labels

Sets = Sequence[Iterable[Any] | None]


class SetMetrics:
    """Whole sets that are wrong, labels that are wrong, and F1 of a learner of sets of labels.

    `labels` are those that the learner knows; others may appear.

    >>> metrics = SetMetrics(["news", "sport"])
    >>> metrics.add([{"news"}, {"news", "sport"}, set()], [{"news"}, {"sport"}, set()])
    >>> round(metrics.error, 4), round(metrics.hamming_loss, 4), metrics.micro.f1
    (0.3333, 0.1667, 0.8)
    """

    def __init__(self, labels: Iterable[Any] = ()) -> None:
        self._labels = Labels(labels)
        self.examples = 0
        self.weight = 0.0
        self.unlabelled = 0
        """Examples without a true set (None): they count nowhere else."""
        self.wrong = 0.0
        """The weight of the examples whose set was not predicted exactly."""
        self._apart = 0.0  # the weight of labels that are in only one of the two sets
        self._right: Counter[Any] = Counter()
        self._true: Counter[Any] = Counter()
        self._said: Counter[Any] = Counter()

    def add(self, truth: Sets, predicted: Sets, weights: npt.ArrayLike | None = None) -> None:
        """Count more examples: their sets, what was predicted, and how much each one counts."""
        if len(predicted) != len(truth):
            raise InvalidInput(f"truth has {len(truth)} sets, predicted {len(predicted)}.")
        w = weights_of(weights, len(truth)).tolist()
        labels = self._labels.copy()
        pairs = []
        for given, answer, weight in zip(truth, predicted, w, strict=True):
            if given is not None:
                said = set() if answer is None else set(answer)
                pairs.append((set(given), said, weight))
                labels.add(pairs[-1][0])
                labels.add(said)
        self._labels = labels
        self.unlabelled += len(truth) - len(pairs)
        for true, said, weight in pairs:
            self.examples += 1
            self.weight += weight
            self.wrong += weight * (true != said)
            self._apart += weight * len(true ^ said)
            for counts, some in (
                (self._right, true & said),
                (self._true, true),
                (self._said, said),
            ):
                for label in some:
                    counts[label] += weight

    @property
    def labels(self) -> list[Any]:
        """All labels: those given, and those that occurred as truth or as prediction, sorted."""
        return self._labels.sorted

    @property
    def error(self) -> float | None:
        """The share of examples whose set is not exactly right; None where none counts."""
        return share(self.wrong, self.weight)

    @property
    def accuracy(self) -> float | None:
        """The share of examples whose set is exactly right: the subset accuracy."""
        return share(self.weight - self.wrong, self.weight)

    @property
    def hamming_loss(self) -> float | None:
        """The share of wrong decisions over all pairs of example and label."""
        return share(self._apart, self.weight * len(self._labels.values))

    @property
    def labels_per_example(self) -> float | None:
        """The mean number of labels of an example."""
        return share(sum(self._true.values()), self.weight)

    @property
    def by_label(self) -> list[LabelScores]:
        """Precision, recall and F1 of each of `labels`."""
        return [
            LabelScores(
                precision=share(self._right[label], self._said[label]),
                recall=share(self._right[label], self._true[label]),
                f1=share(2 * self._right[label], self._true[label] + self._said[label]),
                label=label,
                support=float(self._true[label]),
                predicted=float(self._said[label]),
            )
            for label in self.labels
        ]

    @property
    def macro(self) -> Scores:
        """The means over the labels for which each figure is defined."""
        return macro_of(self.by_label)

    @property
    def micro(self) -> Scores:
        """Over the labels of all examples together."""
        right, true, said = (sum(c.values()) for c in (self._right, self._true, self._said))
        return Scores(share(right, said), share(right, true), share(2 * right, true + said))

    def summary(self) -> dict[str, Any]:
        """Every figure under its name, ready for JSON; None where it is not defined."""
        return {
            "task": "label sets",
            "examples": self.examples,
            "weight": self.weight,
            "unlabelled": self.unlabelled,
            "error": self.error,
            "accuracy": self.accuracy,
            "hamming_loss": self.hamming_loss,
            "labels_per_example": self.labels_per_example,
            "labels": self.labels,
            "by_label": [dataclasses.asdict(scores) for scores in self.by_label],
            "macro": dataclasses.asdict(self.macro),
            "micro": dataclasses.asdict(self.micro),
        }
