"""Least mean squares (Widrow and Hoff 1960), and for which learning rates it is stable."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from . import rules
from .average import Mean
from .regression import DivergenceError, Regressor
from .scale_free import ScaleFree
from .vectors import Vector, Weights, add, dot, sqnorm, with_bias

__all__ = ["LMS", "LMSStability", "lms_stability"]


class AutoRate:
    """η from an estimate of R = E[x xᵀ]:  η = 1/(2·λ_max + trace R).

    LMS with Gaussian inputs is then stable in the mean square (Feuer and Weinstein 1985). The
    estimate of λ_max is candid incremental PCA (Weng, Zhang and Hwang 2003) without its shrinking:
    z accumulates the x in its direction, and ‖z‖/t tends to λ_max.

    >>> auto = AutoRate().including({"a": 2.0})
    >>> auto.rate(4.0, weight=1.0)  # λ_max = trace = 4
    0.08333333333333333
    """

    def __init__(self) -> None:
        self.t = 0
        self.sum_of_squares = 0.0
        self.z = Weights()

    def including(self, x: Vector) -> "AutoRate":
        """The estimate with one more example."""
        after = AutoRate()
        after.t = self.t + 1
        after.sum_of_squares = self.sum_of_squares + sqnorm(x)
        after.z = self.z.scaled(1.0)
        length = math.sqrt(sqnorm(self.z))
        along = dot(self.z, x) / length if length else math.sqrt(sqnorm(x))
        add(after.z, along, x)
        return after

    def rate(self, sqnorm_x: float, weight: float) -> float:
        """η for an x of this ‖x‖², the last one included: no step overshoots, η·weight·‖x‖² ≤ 1."""
        lambda_max = math.sqrt(sqnorm(self.z)) / self.t
        eta = 1.0 / (2.0 * lambda_max + self.sum_of_squares / self.t)
        return min(eta, 1.0 / (sqnorm_x * weight))


class LMS(Regressor):
    """w += η·r·x with r = y − w·x: a gradient step on the squared error of each example.

    learning_rate  "auto", or η: a number, "1/t", "1/sqrt(t)" or a function of t
    normalized     NLMS: divide the step by ‖x‖²; with η = 1 ("auto") the target is hit exactly
    step           "gradient", or "scale-free": see scale_free.py; η ("auto": 0.5) is then in units
                   of the largest |y| so far, so that predictions scale with the targets
    average        predict with the mean of the hypotheses, not with the last
    burn_in        how many of the first examples to leave out of the average
    fit_intercept  learn a bias
    clip_predictions  to the range of the targets learned so far; steps are those of w·x itself

    >>> learner = LMS(learning_rate=0.25, fit_intercept=False)
    >>> learner.learn({"a": 2.0}, 4.0)
    >>> learner.weights()
    {'a': 2.0}
    """

    def __init__(
        self,
        *,
        learning_rate: rules.Rate = "auto",
        normalized: bool = False,
        step: str = "gradient",
        average: Mean = False,
        burn_in: int = 0,
        fit_intercept: bool = True,
        clip_predictions: bool = True,
    ) -> None:
        super().__init__(
            average=average,
            burn_in=burn_in,
            fit_intercept=fit_intercept,
            clip_predictions=clip_predictions,
            scale_free=step == "scale-free",
        )
        self.learning_rate = learning_rate
        self.normalized = normalized
        self.auto = AutoRate()

    def learn(self, x: Mapping[str, float], y: float, weight: float = 1) -> None:
        """Learn one example. A failure leaves no trace in the estimate of η either."""
        before = self.auto
        try:
            super().learn(x, y, weight)
        except DivergenceError:
            self.auto = before
            raise

    def gain(self, largest: float) -> float:
        return largest * (
            0.5 if self.learning_rate == "auto" else rules.rate(self.learning_rate, 1)
        )

    def step(self, residual: float, x: Vector, t: int, weight: float) -> float:
        if isinstance(self.geometry, ScaleFree):
            return rules.lms(residual, eta=1.0, weight=weight) if sqnorm(x) else 0.0
        if self.learning_rate == "auto":
            self.auto = self.auto.including(x)
        if sqnorm(x) == 0.0:
            return 0.0
        if self.normalized:
            eta = 1.0 if self.learning_rate == "auto" else rules.rate(self.learning_rate, t)
            return rules.nlms(residual, sqnorm(x), eta=eta, weight=weight)
        if self.learning_rate == "auto":
            eta = self.auto.rate(sqnorm(x), weight)
        else:
            eta = rules.rate(self.learning_rate, t)
        return rules.lms(residual, eta=eta, weight=weight)


class LMSStability(NamedTuple):
    """The extreme eigenvalues of E[x xᵀ], and what follows from them."""

    lambda_min: float
    lambda_max: float
    eta_max: float  # the mean of the weights converges for 0 < η < 2/λ_max
    rate: float  # λ_min/λ_max: near 1 all directions are learned equally fast, near 0 one lags


def lms_stability(X: Iterable[Mapping[str, float]], fit_intercept: bool = True) -> LMSStability:
    """How large a constant learning rate of LMS may be on these inputs.

    >>> lms_stability([{"a": 2.0}, {"b": 1.0}], fit_intercept=False)
    LMSStability(lambda_min=0.5, lambda_max=2.0, eta_max=1.0, rate=0.25)
    """
    rows = [with_bias(x) if fit_intercept else dict(x) for x in X]
    names = list({name: None for x in rows for name in x})
    R = [
        [sum(x.get(a, 0.0) * x.get(b, 0.0) for x in rows) / len(rows) for b in names] for a in names
    ]
    values = eigenvalues(R)
    low, high = max(0.0, min(values)), max(values)
    if high == 0.0:  # every input is zero: nothing can diverge, nothing is learned
        return LMSStability(0.0, 0.0, math.inf, 0.0)
    return LMSStability(low, high, 2.0 / high, low / high)


def eigenvalues(A: list[list[float]]) -> list[float]:
    """Of a symmetric matrix, by Jacobi's rotations (1846): rotate away the largest entry off the
    diagonal, until all are negligible.

    >>> [round(value, 12) for value in eigenvalues([[2.0, 1.0], [1.0, 2.0]])]
    [1.0, 3.0]
    """
    A = [row[:] for row in A]
    n = len(A)
    tiny = 1e-15 * max(abs(a) for row in A for a in row)
    for _ in range(50 * n * n):
        p, q = max(
            ((i, j) for i in range(n) for j in range(i + 1, n)),
            key=lambda ij: abs(A[ij[0]][ij[1]]),
            default=(0, 0),
        )
        if p == q or abs(A[p][q]) <= tiny:
            break
        half = 0.5 * (A[q][q] - A[p][p]) / A[p][q]
        t = math.copysign(1.0, half) / (abs(half) + math.hypot(half, 1.0))  # tan of the angle
        c = 1.0 / math.hypot(t, 1.0)
        s = t * c
        for row in A:
            row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
        A[p], A[q] = (
            [c * a - s * b for a, b in zip(A[p], A[q], strict=True)],
            [s * a + c * b for a, b in zip(A[p], A[q], strict=True)],
        )
    return sorted(A[i][i] for i in range(n))
