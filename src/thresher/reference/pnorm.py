"""The p-norm perceptron (Grove, Littlestone & Schuurmans 1997; Gentile 2003)."""

import math

from . import rules
from .geometry import Additive, Hypothesis
from .multiclass import Classifier
from .vectors import BIAS, Vector, Weights, dot

__all__ = ["PNormPerceptron"]


def automatic_p(n: int) -> float:
    """2·ln N, at least 2: N is n rounded up to a power of two.

    >>> automatic_p(1), round(automatic_p(1000), 3), automatic_p(1000) == automatic_p(1024)
    (2.0, 13.863, True)
    """
    return max(2.0, 2.0 * math.log(1 << max(n - 1, 0).bit_length()))


def link(v: Vector, p: float) -> Weights:
    """w = ∇½‖v‖_p²: w_i = sgn(v_i)·|v_i|^(p−1)/‖v‖_p^(p−2).

    Measured by a power of two near the largest |v_i|, so that no power overflows.

    >>> link({"a": 3.0, "b": -4.0}, 2.0)
    {'a': 3.0, 'b': -4.0}
    >>> w = link({"a": 1.0, "b": -2.0}, 3.0)
    >>> round(w["b"] / w["a"], 9)
    -4.0
    """
    w = Weights()
    largest = max((abs(value) for value in v.values()), default=0.0)
    if largest == 0.0:
        return w
    scale = 2.0 ** (math.frexp(largest)[1] - 1)
    total = 0.0
    for value in v.values():
        total += abs(value / scale) ** p
    for name, value in v.items():
        steep = math.copysign(abs(value / scale) ** (p - 1.0), value)
        w[name] = steep * total ** (-(p - 2.0) / p) * scale
    return w


class PNorm(Additive):
    """v starts at 0 and moves by v += amount·x. What counts is `link` of it."""

    def __init__(self, bias: float, p: float | str, n_features: int | None = None) -> None:
        super().__init__(bias, split=1.0)
        self.given_p = p
        self.see({f"x{i}": 0.0 for i in range(n_features or 0)})

    @property
    def p(self) -> float:
        """As given, or by the number of features met so far, the bias not counted."""
        if not isinstance(self.given_p, str):
            return self.given_p
        return automatic_p(len(self.names.keys() - {BIAS}))

    def score(self, h: Hypothesis, x: Vector) -> float:
        return dot(link(h[0], self.p), x)

    def weights(self, h: Hypothesis, theta: float) -> Vector:
        return super().weights([link(h[0], self.p)], theta)


class PNormPerceptron(Classifier):
    """On a mistake, v += η·y·x; predict with w = ∇½‖v‖_p².

    Separable, y·(u·x) ≥ γ, ‖x‖_p ≤ X, 1/p + 1/q = 1: at most (p − 1)·X²·‖u‖_q²/γ² mistakes.

    p           2 or more: 2 is the perceptron; "auto" is 2·ln n, n the features met so far,
                rounded up to a power of two
    n_features  the columns are x0 … x{n−1}, known from the start; None: names as they appear
    margin, learning_rate, fit_intercept, intercept_scaling, multiclass, calibrate are those of the
    Perceptron.

    >>> learner = PNormPerceptron(p=3.0, fit_intercept=False)
    >>> learner.learn({"a": 1.0, "b": 2.0}, +1)
    >>> learner.learn({"b": 1.0}, -1)
    >>> {name: round(w, 6) for name, w in learner.weights().items()}  # v = (1, 1)
    {'a': 0.793701, 'b': 0.793701}
    """

    def __init__(
        self,
        *,
        p: float | str = "auto",
        margin: float = 0.0,
        learning_rate: rules.Rate = 1.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
        n_features: int | None = None,
    ) -> None:
        bias = intercept_scaling if fit_intercept else 0.0
        super().__init__(PNorm(bias, p, n_features), calibrate=calibrate, multiclass=multiclass)
        self.margin, self.learning_rate = margin, learning_rate

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        eta = rules.rate(self.learning_rate, t)
        return rules.perceptron(margin, gamma=self.margin, eta=eta, weight=weight)
