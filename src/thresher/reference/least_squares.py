"""Least squares that are exact after every example (Plackett 1950)."""

import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from .fit import Epochs
from .regression import TargetRange
from .triangle import Triangle, rounding
from .vectors import BIAS, Vector, Weights, dot

__all__ = ["RecursiveLeastSquares"]

TARGET = "(target)"


class RecursiveLeastSquares(Epochs):
    """min over w, b of ½·Σ λ^(n−t)·(y_t − w·x_t − b)² + ½·λ^n·l2·‖w‖², after every example.

    l2             the ridge penalty; not of the intercept
    standardized   the penalty is l2·σ_i²·w_i², σ_i² the variance of the column so far
    forgetting     λ
    fit_intercept  learn b; its column is eliminated first, by the means of all others (Welford)
    clip_predictions  to the range of the targets learned so far
    names          features that exist from the start, in this order

    >>> learner = RecursiveLeastSquares()
    >>> learner.learn({"a": 1.0}, 3.0)
    >>> learner.learn({"a": 3.0}, 7.0)
    >>> learner.predict({"a": 2.0}), learner.predict({"a": 10.0})
    (5.0, 7.0)
    """

    def __init__(
        self,
        *,
        l2: float = 0.0,
        forgetting: float = 1.0,
        fit_intercept: bool = True,
        standardized: bool = False,
        clip_predictions: bool = True,
        names: Iterable[str] = (),
    ) -> None:
        self.forgetting = forgetting
        self.fit_intercept = fit_intercept
        self.l2, self.standardized = l2, standardized
        self.prior = 0.0 if standardized else math.sqrt(l2)
        self.triangle = Triangle()
        self.triangle.grow([TARGET])
        self.triangle.grow(names, self.prior)
        self.means = Weights()
        self.mass = 0.0
        self.examples = 0
        self.targets = TargetRange(clip_predictions)
        self.solution: Vector | None = None

    def learn(self, x: Mapping[str, float], y: float, weight: float = 1.0) -> None:
        """Learn one example; its squared error counts `weight` times."""
        if not weight >= 0.0:
            raise ValueError(f"a weight is 0 or more, not {weight}")
        if weight == 0.0:
            return
        self.triangle.grow(x, self.prior)
        if self.forgetting < 1.0:
            self.triangle.scale(math.sqrt(self.forgetting))
            self.prior *= math.sqrt(self.forgetting)
            self.mass *= self.forgetting
        row = dict.fromkeys(self.triangle.names, 0.0) | dict(x) | {TARGET: y}
        root, mass = math.sqrt(weight), self.mass + weight
        if self.fit_intercept:
            root = math.sqrt(self.mass / mass * weight)
            for name in row:
                row[name] -= self.means[name]
                self.means[name] += weight / mass * row[name]
                if abs(self.means[name]) < sys.float_info.min:  # forgotten: what is left is noise
                    self.means[name] = 0.0
        self.mass = mass
        self.triangle.add({name: root * value for name, value in row.items()})
        self.examples += 1
        self.targets.include(y)
        self.solution = None

    @property
    def updates(self) -> int:
        """Every example counts."""
        return self.examples

    def weights(self) -> Vector:
        """The least-squares solution; a feature determined by later ones has weight 0."""
        if self.solution is None:
            self.solution = self.solved()
        return self.solution

    def solved(self) -> Vector:
        """The rows are equations L·w = z whose first column is z: an unknown fixed at −1."""
        noise = {name: rounding(self.mass, mean) for name, mean in self.means.items()}
        settled = self.penalised().settled(noise)
        settled.rows[0] = [1.0]
        w = settled.solve([-1.0] + [0.0] * (len(settled.names) - 1))
        found = dict(zip(settled.names, w, strict=True))
        del found[TARGET]
        if self.fit_intercept:
            found[BIAS] = self.means[TARGET] - dot(self.means, found)
        return found

    def penalised(self) -> Triangle:
        """A row √l2·σ_i for each feature, if the penalty is that of standardised columns."""
        if not self.standardized or not self.l2 or not self.mass:
            return self.triangle
        after, root = self.triangle.copy(), math.sqrt(self.l2 / self.mass)
        for name, size in zip(self.triangle.names, self.triangle.sizes, strict=True):
            if name != TARGET:
                after.add({name: root * size})
        return after

    def predict(self, x: Mapping[str, float]) -> float:
        """The predicted number. A name never seen has no effect."""
        w = self.weights()
        raw = dot(w, {k: v for k, v in x.items() if k in w}) + w.get(BIAS, 0.0)
        return self.targets.clipped(raw)

    score = predict

    def hypothesis(self) -> Any:
        """The moments."""
        return self.triangle.rows
