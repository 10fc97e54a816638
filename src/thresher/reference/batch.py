"""The batch perceptron: all the mistakes of an epoch are corrected at once, at its end."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Self

from . import rules
from .geometry import Additive
from .multiclass import Label, decide, lone_sign, strongest
from .vectors import Vector, Weights, add, dot, sqnorm

__all__ = ["BatchPerceptron"]


class BatchPerceptron:
    """Gradient descent on J(w) = (1/N)·Σ max(0, −y·w·x), the perceptron's hinge loss:

        δ = −(1/N)·Σ_{y·s ≤ 0} y·x;   w −= η·δ;   until ‖δ‖ < ε

    learning_rate    η: a number, "1/t", "1/sqrt(t)" or a function of t, the steps so far
    epsilon          ε
    fixed_increment  η = 1 and no 1/N
    fit_intercept    learn a bias

    Two classes share one vector. With more, each has its own: a mistake adds to that of its class
    what it subtracts from the strongest rival's, and ‖δ‖ is over all of them.

    >>> learner = BatchPerceptron(fixed_increment=True)
    >>> stream = [
    ...     ({"a": 1.0, "b": 1.0}, "+"),
    ...     ({"a": 0.5, "b": 3.0}, "+"),
    ...     ({"a": 2.0, "b": 2.0}, "-"),
    ... ]
    >>> learner.fit(stream, max_epochs=100).converged
    True
    >>> [learner.predict(x) for x, _ in stream]
    ['+', '+', '-']
    """

    def __init__(
        self,
        *,
        learning_rate: rules.Rate = 1.0,
        epsilon: float = 1e-6,
        fixed_increment: bool = False,
        fit_intercept: bool = True,
    ) -> None:
        self.learning_rate = 1.0 if fixed_increment else learning_rate
        self.epsilon = epsilon
        self.fixed_increment = fixed_increment
        self.geometry = Additive(float(fit_intercept))

    def fit(self, stream: Iterable[tuple[Any, ...]], max_epochs: int | None = 1000) -> Self:
        """Learn from all of (x, y) or (x, y, weight), from scratch. Weight 0 is left out."""
        examples = self._receive(stream)
        self.mistakes = self.examples = self.epochs = 0
        self.converged = False
        while not (self.converged or self.epochs == max_epochs):
            delta = {label: Weights() for label in self.w}
            for x, y, weight in examples:
                corrections = self._corrections(x, y)
                self.mistakes += bool(corrections)
                for label, sign in corrections.items():
                    add(delta[label], -sign * weight, x)
            if not self.fixed_increment:
                delta = {label: d.divided(len(examples)) for label, d in delta.items()}
            eta = rules.rate(self.learning_rate, self.epochs + 1)
            for label, d in delta.items():
                add(self.w[label], -eta, d)
            length = math.sqrt(sum(sqnorm(d) for d in delta.values()))
            self.examples += len(examples)
            self.epochs += 1
            self.converged = length < self.epsilon
        self.updates = self.mistakes  # each one moves the weights
        return self

    def _receive(self, stream: Iterable[tuple[Any, ...]]) -> list[tuple[Vector, Label, float]]:
        """The examples with their bias; the labels, in order of appearance, and their vectors."""
        self.geometry.names.clear()
        examples: list[tuple[Vector, Label, float]] = []
        for x, y, *rest in stream:
            weight = rest[0] if rest else 1
            if not weight >= 0.0:
                raise ValueError(f"a weight is 0 or more, not {weight}")
            if weight > 0.0:
                examples.append((self.geometry.example(x), y, weight))
                self.geometry.see(examples[-1][0])
        self.labels = list(dict.fromkeys(y for _, y, _ in examples))
        if not self.labels:
            raise ValueError("there is nothing to learn from")
        owners = self.labels if len(self.labels) > 2 else [None]  # two classes share a vector
        self.w = {label: Weights() for label in owners}
        return examples

    def _corrections(self, x: Vector, y: Label) -> dict[Label, int]:
        """Which vectors are to move along x, and which way; none if y is predicted."""
        scores = {label: dot(w, x) for label, w in self.w.items()}
        if len(self.labels) <= 2:
            sign = lone_sign(y) if len(self.labels) == 1 else 1 if y == max(self.labels) else -1
            return {None: sign} if sign * scores[None] <= 0.0 else {}
        rival = strongest(scores, but=y)
        return {y: +1, rival: -1} if scores[y] - scores[rival] <= 0.0 else {}

    def score(self, x: Mapping[str, float]) -> float | dict[Label, float]:
        """The score; for many classes one for each label."""
        example = self.geometry.example(x)
        scores = {label: dot(w, example) for label, w in self.w.items()}
        return scores if len(self.labels) > 2 else scores[None]

    def predict(self, x: Mapping[str, float]) -> Label:
        """The label."""
        return decide(self.score(x), self.labels)

    def weights(self) -> Vector | dict[Label, Vector]:
        """The weights; for many classes one vector for each label."""
        shown = {label: self.geometry.weights([w], 0.0) for label, w in self.w.items()}
        return shown if len(self.labels) > 2 else shown[None]
