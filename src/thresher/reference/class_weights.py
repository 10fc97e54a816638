"""Classes that count more or less than others, in a stream."""

from collections.abc import Mapping
from typing import Any

from .fit import Around

__all__ = ["ClassWeighted"]


class ClassWeighted(Around):
    """A learner whose examples are weighted by their classes, in addition to their own weights.

    A dict gives the weights of classes, 1 for those it does not name. "balanced" is n/(K·n_k):
    n is the weight of the examples so far, n_k that of those of the same class k, K the number of
    classes, the current example included. For the last example of an array this is
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
        self.given: list[float] = []  # the total weight of each example
        self.detects_cycles &= class_weight != "balanced"

    def weight_of(self, y: Any, weight: float) -> float:
        """The weight of an example of class y, whose own weight is `weight`."""
        if isinstance(self.class_weight, Mapping):
            return self.class_weight.get(y, 1.0)
        classes = len(self.seen.keys() | {y})
        return (self.all + weight) / (classes * (self.seen.get(y, 0.0) + weight))

    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        if weight == 0.0:
            return
        counts = weight * self.weight_of(y, weight)
        self.learner.learn(x, y, counts)  # may refuse: then nothing is kept
        self.given.append(counts)
        self.seen[y] = self.seen.get(y, 0.0) + weight
        self.all += weight
