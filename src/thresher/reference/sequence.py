"""The structured perceptron (Collins 2002), the slow way: every sequence of tags is tried."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from .vectors import Vector, Weights

__all__ = ["SequencePerceptron"]

Tag = Any
START = "(start)"


def features(x: Sequence[Mapping[str, float]], tags: Sequence[Tag]) -> Vector:
    """Φ(x, y): each position's features with its tag, and each pair of neighbouring tags.

    >>> features([{"a": 2.0}, {"b": 1.0}], ["N", "V"])
    {('a', 'N'): 2.0, ('(start)', 'N', 'pair'): 1.0, ('b', 'V'): 1.0, ('N', 'V', 'pair'): 1.0}
    """
    phi: dict[Any, float] = {}
    before: Tag = START
    for position, tag in zip(x, tags, strict=True):
        for name, value in position.items():
            phi[name, tag] = phi.get((name, tag), 0.0) + value
        phi[before, tag, "pair"] = phi.get((before, tag, "pair"), 0.0) + 1.0
        before = tag
    return phi


class SequencePerceptron:
    """Predict the highest-scoring sequence of tags; on a mistake w += Φ(x, y) − Φ(x, ŷ).

    >>> learner = SequencePerceptron(average=False)
    >>> learner.learn([{"a": 1.0}, {"b": 1.0}], ["N", "V"])
    >>> learner.predict([{"b": 1.0}, {"b": 1.0}])
    ['V', 'V']
    """

    def __init__(self, *, average: bool = True) -> None:
        self.average = average
        self.tags: list[Tag] = []  # in order of appearance
        self.w, self.total = Weights(), Weights()
        self.sequences = self.mistakes = self.token_mistakes = 0

    def weights(self, averaged: bool) -> Weights:
        if averaged and self.sequences:
            return self.total.divided(float(self.sequences))
        return self.w

    def best(self, x: Sequence[Mapping[str, float]], w: Weights) -> list[Tag]:
        """On a tie the one whose tags appeared first, from the last position backwards."""

        def key(places: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
            phi = features(x, [self.tags[i] for i in places])
            score = 0.0
            for name, value in phi.items():
                score += w[name] * value
            return score, tuple(-i for i in reversed(places))

        return [self.tags[i] for i in max(product(range(len(self.tags)), repeat=len(x)), key=key)]

    def learn(self, x: Sequence[Mapping[str, float]], tags: Sequence[Tag]) -> None:
        for tag in tags:
            if tag not in self.tags:
                self.tags.append(tag)
        predicted = self.best(x, self.w)
        wrong = sum(a != b for a, b in zip(predicted, tags, strict=True))
        if wrong:
            for phi, sign in ((features(x, tags), 1.0), (features(x, predicted), -1.0)):
                for name, value in phi.items():
                    self.w[name] += sign * value
        self.sequences += 1
        self.mistakes += wrong > 0
        self.token_mistakes += wrong
        for name in self.w:
            self.total[name] += self.w[name]

    def predict(self, x: Sequence[Mapping[str, float]]) -> list[Tag]:
        return self.best(x, self.weights(self.average))
