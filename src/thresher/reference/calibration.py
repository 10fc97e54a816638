"""Probabilities, learned online from the scores a learner gave before each update.

P(+|x) = 1/(1 + exp(−(a·s/σ + b))), as Platt (1999) fits it after learning; here a and b follow the
stream by an online Newton step on the log loss, with a slow forgetting ρ. σ, a running root mean
square of the scores, makes the steps independent of the scale of the weights.
"""

import math
from typing import Any

RHO = 0.9995
WINDOW = 1000  # the running mean of s² looks back about this far


def logistic(v: float) -> float:
    """1/(1 + e^(−v)), without overflow.

    >>> logistic(0.0), logistic(-1000.0)
    (0.5, 0.0)
    """
    return 1.0 / (1.0 + math.exp(-v)) if v >= 0 else math.exp(v) / (1.0 + math.exp(v))


class Scale:
    """σ: the root of a running mean of squared scores; 1 while that is 0."""

    def __init__(self) -> None:
        self.t = 0
        self.m2 = 0.0

    def learn(self, square: float) -> None:
        self.t += 1
        self.m2 += (square - self.m2) / min(self.t, WINDOW)

    @property
    def sigma(self) -> float:
        return math.sqrt(self.m2) or 1.0


class Sigmoid:
    """Two classes: slope a and offset b.

    >>> sigmoid = Sigmoid()
    >>> for _ in range(200):
    ...     sigmoid.learn(2.0, +1, 1.0)
    ...     sigmoid.learn(-2.0, -1, 1.0)
    >>> sigmoid.probability(2.0) > 0.95
    True
    """

    def __init__(self) -> None:
        self.a, self.b = 1.0, 0.0
        self.scale = Scale()
        self.aa, self.ab, self.bb = 1.0, 0.0, 1.0  # H, symmetric

    def probability(self, s: float) -> float:
        """P(+|x) at score s."""
        return logistic(self.a * (s / self.scale.sigma) + self.b)

    def learn(self, s: float, y: int, weight: float) -> None:
        self.scale.learn(s * s)
        z = s / self.scale.sigma
        p = self.probability(s)
        g = weight * (p - (y > 0))
        h = weight * p * (1.0 - p)
        self.aa = RHO * self.aa + (1.0 - RHO) + h * z * z
        self.ab = RHO * self.ab + h * z
        self.bb = RHO * self.bb + (1.0 - RHO) + h
        det = self.aa * self.bb - self.ab * self.ab
        self.a = max(0.0, self.a - (self.bb * g * z - self.ab * g) / det)
        self.b -= (self.aa * g - self.ab * g * z) / det


class Softmax:
    """Many classes: one slope a, P(k|x) ∝ exp(a·s_k/σ).

    >>> softmax = Softmax()
    >>> softmax.probabilities({"a": 0.0, "b": 0.0})
    {'a': 0.5, 'b': 0.5}
    """

    def __init__(self) -> None:
        self.a = 1.0
        self.scale = Scale()
        self.H = 1.0

    def probabilities(self, scores: dict[Any, float]) -> dict[Any, float]:
        """P(k|x) for each class k."""
        top = max(scores.values())
        e = {k: math.exp(self.a * ((s - top) / self.scale.sigma)) for k, s in scores.items()}
        total = sum(e.values())
        return {k: value / total for k, value in e.items()}

    def learn(self, scores: dict[Any, float], y: Any, weight: float) -> None:
        self.scale.learn(sum(s * s for s in scores.values()) / len(scores))
        z = {k: s / self.scale.sigma for k, s in scores.items()}
        p = self.probabilities(scores)
        mean = sum(p[k] * z[k] for k in z)
        g = mean - z[y]
        h = sum(p[k] * z[k] * z[k] for k in z) - mean * mean
        self.H = RHO * self.H + (1.0 - RHO) + weight * h
        self.a = max(0.0, self.a - weight * g / self.H)
