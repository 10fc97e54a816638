"""Linear discriminant analysis: means, and one covariance for all classes."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from .calibration import logistic
from .fit import Epochs
from .multiclass import Label, decide
from .rules import softmax
from .triangle import Triangle, length, rounding
from .vectors import BIAS, Vector, Weights, dot

__all__ = ["LDA"]


class LDA(Epochs):
    """P(k|x) ∝ π_k·exp(−½(x − μ_k)ᵀΣ⁻¹(x − μ_k)): normal classes with one covariance Σ.

    The scatter within the classes is kept as a triangle: an example of a class that has the weight
    W already adds the row √(W/(W+1))·(x − μ_k) to it, and then moves the mean (Welford 1962).

    shrinkage  a: (1 − a)·Σ + a·t·I instead of Σ, t the mean of its diagonal
    fit_prior  π_k from the examples seen, or else all equal
    names      features that exist from the start, in this order

    >>> learner = LDA()
    >>> for a, y in [(1.0, "low"), (2.0, "low"), (5.0, "high"), (6.0, "high")]:
    ...     learner.learn({"a": a}, y)
    >>> learner.weights()
    {'a': -16.0, '(bias)': 56.0}
    """

    def __init__(
        self, *, shrinkage: float = 0.0, fit_prior: bool = True, names: Iterable[str] = ()
    ) -> None:
        self.shrinkage = shrinkage
        self.fit_prior = fit_prior
        self.triangle = Triangle()
        self.triangle.grow(names)
        self.labels: list[Label] = []  # in order of appearance
        self.means: dict[Label, Weights] = {}
        self.masses: dict[Label, float] = {}
        self.examples = 0
        self.solution: Vector | dict[Label, Vector] | None = None

    def learn(self, x: Mapping[str, float], y: Label, weight: float = 1.0) -> None:
        """Learn one example; one of weight 0 is skipped."""
        if not weight >= 0.0:
            raise ValueError(f"a weight is 0 or more, not {weight}")
        if weight == 0.0:
            return
        self.triangle.grow(x)
        if y not in self.labels:
            self.labels.append(y)
            self.means[y], self.masses[y] = Weights(), 0.0
        before, mass, mean = self.masses[y], self.masses[y] + weight, self.means[y]
        row = dict.fromkeys(self.triangle.names, 0.0) | dict(x)
        for name in row:
            row[name] -= mean[name]
            mean[name] += weight / mass * row[name]
        root = math.sqrt(before / mass * weight)
        self.triangle.add({name: root * value for name, value in row.items()})
        self.masses[y] = mass
        self.examples += 1
        self.solution = None

    @property
    def updates(self) -> int:
        """Every example counts."""
        return self.examples

    def log_prior(self, label: Label) -> float:
        """log π_k."""
        if not self.fit_prior:
            return -math.log(len(self.labels))
        return math.log(self.masses[label]) - math.log(self.total())

    def usable(self) -> Triangle:
        """The triangle to solve with: shrunk, and without columns determined by later ones."""
        names = self.triangle.names
        if not self.shrinkage:
            means = self.means.values()
            largest = {name: max(abs(mean[name]) for mean in means) for name in names}
            return self.triangle.settled({n: rounding(self.total(), largest[n]) for n in names})
        shrunk, norm = self.triangle.copy(), 0.0
        for row in shrunk.rows:
            for cell in row:
                norm = length(norm, cell)
        shrunk.scale(math.sqrt(1.0 - self.shrinkage))
        for name in names:
            shrunk.add({name: math.sqrt(self.shrinkage / len(names)) * norm})
        return shrunk.settled({})

    def total(self) -> float:
        """The weight of all classes."""
        return math.fsum(self.masses.values())

    def weights(self) -> Vector | dict[Label, Vector]:
        """The linear function that predicts: score = weights·x + weights[BIAS]."""
        if self.solution is None:
            self.solution = self.solved()
        return self.solution

    def solved(self) -> Vector | dict[Label, Vector]:
        """For two classes the difference of their functions; a single class has none."""
        names = self.triangle.names
        if len(self.labels) < 2:
            return dict.fromkeys((*names, BIAS), 0.0)
        triangle = self.usable()

        def function(direction: Vector, middle: Vector, constant: float) -> Vector:
            u = triangle.solve_transposed([direction[name] for name in names])
            solved = zip(names, triangle.solve(u), strict=True)
            w = {name: self.total() * value for name, value in solved}
            return w | {BIAS: constant - dot(middle, w)}

        if len(self.labels) == 2:
            negative, positive = sorted(self.labels)
            plus, minus = self.means[positive], self.means[negative]
            apart = {name: plus[name] - minus[name] for name in names}
            middle = {name: 0.5 * plus[name] + 0.5 * minus[name] for name in names}
            return function(apart, middle, self.log_prior(positive) - self.log_prior(negative))
        return {
            label: function(mean, mean.scaled(0.5), self.log_prior(label))
            for label, mean in sorted(self.means.items())
        }

    def score(self, x: Mapping[str, float]) -> float | dict[Label, float]:
        """The log-odds; for many classes s_k of each; 0 for a single one. A name never seen has no
        effect."""
        known = {k: v for k, v in x.items() if k in self.triangle.names} | {BIAS: 1.0}
        w: Any = self.weights()
        if len(self.labels) < 3:
            return dot(w, known)
        return {label: dot(w[label], known) for label in self.labels}

    def predict(self, x: Mapping[str, float]) -> Label:
        """The label."""
        if not self.labels:
            raise ValueError("nothing learned yet")
        return self.labels[0] if len(self.labels) == 1 else decide(self.score(x), self.labels)

    def predict_proba(self, x: Mapping[str, float]) -> dict[Label, float]:
        """The probability of each label."""
        score, labels = self.score(x), sorted(self.labels)
        if isinstance(score, dict):
            p = softmax(score)
            return {label: p[label] for label in labels}
        if len(labels) < 2:
            return dict.fromkeys(labels, 1.0)
        return {labels[0]: 1.0 - logistic(score), labels[1]: logistic(score)}

    def hypothesis(self) -> Any:
        """The moments."""
        return self.means, self.triangle.rows
