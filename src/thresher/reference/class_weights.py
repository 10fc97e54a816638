"""Classes that count more or less than others, in a stream."""

from collections.abc import Mapping
from typing import Any

from .fit import Around

__all__ = ["ClassWeighted"]


class ClassWeighted(Around):
    """A learner whose examples count by their classes, times what each counts itself.

    A dict says what the classes count; one that it does not name counts 1. "balanced" is n/(K·n_k):
    n is the weight of the examples so far, n_k that of those of the same class k, K the number of
    classes, the example at hand included. For the last example of an array this is
    scikit-learn's "balanced", which counts the whole array first.

    >>> from thresher.reference import Perceptron
    >>> learner = ClassWeighted(Perceptron(average=False), "balanced")
    >>> for y in "aaab":
    ...     learner.learn({}, y)
    >>> learner.given
    [1.0, 1.0, 1.0, 2.0]
    """

    def __init__(self, learner: Any, class_weight: str | Mapping[Any, float]) -> None:
        super().__init__(learner)
        self.class_weight = class_weight
        self.seen: dict[Any, float] = {}
        self.all = 0.0
        self.given: list[float] = []  # what each example counted
        self.detects_cycles &= class_weight != "balanced"

    def weight_of(self, y: Any, weight: float) -> float:
        """What an example of class y counts, which brings `weight` itself."""
        if isinstance(self.class_weight, Mapping):
            return self.class_weight.get(y, 1.0)
        classes = len(self.seen.keys() | {y})
        return (self.all + weight) / (classes * (self.seen.get(y, 0.0) + weight))

    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        if weight == 0.0:
            return
        counts = weight * self.weight_of(y, weight)
        self.learner.learn(x, y, counts)  # may refuse: then nothing of it stays
        self.given.append(counts)
        self.seen[y] = self.seen.get(y, 0.0) + weight
        self.all += weight
