"""Logistic regression by FTRL-Proximal (McMahan 2011; McMahan et al. 2013)."""

import math
from typing import Any

from . import rules
from .average import Mean, Trajectory
from .calibration import logistic
from .geometry import Additive, Hypothesis
from .multiclass import Classifier, Label, ManyClasses, Move
from .scale_free import ScaleFree
from .vectors import BIAS, Vector, Weights

__all__ = ["LogisticRegression"]


class AdaGrad(Additive):
    """Each weight has its own rate, w −= α·g/(β + √Σg²); a hypothesis is w and Σg² (Duchi, Hazan &
    Singer 2011).

    >>> geometry = AdaGrad(bias=0.0, alpha=1.0, beta=1.0)
    >>> h = geometry.start()
    >>> _ = geometry.move(h, 1.5, {"a": 2.0})
    >>> h
    [{'a': 0.75}, {'a': 9.0}]
    """

    def __init__(self, bias: float = 1.0, *, alpha: float = 0.5, beta: float = 1.0) -> None:
        super().__init__(bias, split=0.5)
        self.alpha, self.beta = alpha, beta

    def start(self) -> Hypothesis:
        return [Weights(0.0), Weights(0.0)]

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        w, past = h
        for name, value in x.items():
            g = -amount * value
            past[name] = past[name] + g * g
            w[name] -= self.alpha * g / (self.beta + math.sqrt(past[name]))
        return 0

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        plus, minus = super().split(trajectory)
        for part in plus, minus:
            part.now[1] = trajectory.now[1].scaled(1.0)
        return plus, minus


class Ftrl(Additive):
    """Each weight follows the leader of its gradients, regularised towards earlier weights.

        w′ = argmin Σ g·w + ½·Σ σ_s·(w − w_s)² + l1·|w| + ½·l2·w²,   σ_1 + … + σ_t = r = 1/η_t

    A hypothesis is w, z = Σ (g − σ·w), and what r is computed from: Σg² of the weight (AdaGrad), or
    the 1/η(t) of its last step. The bias is not penalised.

    >>> geometry = Ftrl(bias=0.0, alpha=1.0, beta=1.0, l1=0.5)
    >>> h = geometry.start()
    >>> _ = geometry.move(h, 1.5, {"a": 1.0, "b": 0.25}, gain=0.0)
    >>> h[0]  # −g − l1 over 1 + √g²; and what is below l1 is 0
    {'a': 0.4, 'b': 0.0}
    """

    def __init__(
        self,
        bias: float = 1.0,
        *,
        adagrad: bool = True,
        alpha: float = 0.5,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
    ) -> None:
        super().__init__(bias, split=0.5)
        self.adagrad, self.alpha, self.beta = adagrad, alpha, beta
        self.l1, self.l2 = l1, l2

    def start(self) -> Hypothesis:
        return [Weights(0.0), Weights(0.0), Weights(0.0)]

    def stiffness(self, past: float) -> float:
        """r = 1/η of a weight."""
        return (self.beta + math.sqrt(past)) / self.alpha if self.adagrad else past

    def penalties(self, name: str) -> tuple[float, float]:
        """l1 and l2 of a weight."""
        return (0.0, 0.0) if name == BIAS else (self.l1, self.l2)

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        w, z, past = h
        for name, value in x.items():
            l1, l2 = self.penalties(name)
            g, before = -amount * value, self.stiffness(past[name])
            past[name] = past[name] + g * g if self.adagrad else gain
            r = self.stiffness(past[name])
            z[name] += g - (r - before) * w[name]
            leads = abs(z[name]) > l1
            w[name] = -(z[name] - math.copysign(l1, z[name])) / (r + l2) if leads else 0.0
        return 0

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        """±w/2, which are the same probability by softmax, and the z that belongs to them."""
        plus, minus = super().split(trajectory)
        for part in plus, minus:
            part.now[2] = trajectory.now[2].scaled(1.0)
            for name, w in part.now[0].items():
                l1, l2 = self.penalties(name)
                if w != 0.0:
                    r = self.stiffness(part.now[2][name])
                    part.now[1][name] = -w * (r + l2) - math.copysign(l1, w)
        return plus, minus


class LogisticRegression(Classifier):
    """P(+|x) = 1/(1 + exp(−s)); every example moves the weights down the gradient of its log loss.

    step           "adagrad": η = learning_rate/(beta + √Σg²) for each weight; or the same η for
                   all: "constant", "1/sqrt(t)", "1/t" times learning_rate; or "scale-free":
                   see scale_free.py (without l1 and l2). Without penalties all but the last are
                   gradient descent, w −= η·g
    l1, l2         penalties on the whole stream: min Σ log loss + l1·‖w‖₁ + ½·l2·‖w‖²
    average, burn_in, fit_intercept, intercept_scaling are those of the Perceptron. Many classes
    are learned by softmax.

    >>> learner = LogisticRegression(fit_intercept=False)
    >>> learner.learn({"a": 1.0}, 1)
    >>> learner.learn({"b": 1.0}, 0)
    >>> {label: round(p, 3) for label, p in learner.predict_proba({"b": 1.0}).items()}
    {0: 0.542, 1: 0.458}
    """

    def __init__(
        self,
        *,
        step: str = "adagrad",
        learning_rate: float = 0.5,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        average: Mean = False,
        burn_in: int = 0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
    ) -> None:
        bias = intercept_scaling if fit_intercept else 0.0
        adagrad = step == "adagrad"
        geometry: Additive = Additive(bias, split=0.5)
        if step == "scale-free":
            geometry = ScaleFree(bias)
        elif adagrad and not (l1 or l2):
            geometry = AdaGrad(bias, alpha=learning_rate, beta=beta)
        elif l1 or l2:
            geometry = Ftrl(bias, adagrad=adagrad, alpha=learning_rate, beta=beta, l1=l1, l2=l2)
        super().__init__(geometry, average=average, burn_in=burn_in)
        self.schedule, self.learning_rate = step, learning_rate
        self.descends = type(geometry) is Additive

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return self.factor(t) * rules.log_loss_slope(margin, weight=weight)

    def gain(self, tau: float, sqnorm: float, t: int, weight: float) -> float:
        if self.schedule == "scale-free":
            return self.learning_rate
        return 0.0 if self.schedule == "adagrad" else 1.0 / self.rate(t)

    def factor(self, t: int) -> float:
        """What the slope is multiplied by: the rate, where the geometry does not have it."""
        return self.rate(t) if self.descends else 1.0

    def rate(self, t: int) -> float:
        """η(t)."""
        divisors = {"constant": 1.0, "1/sqrt(t)": math.sqrt(t), "1/t": float(t)}
        return self.learning_rate / divisors[self.schedule]

    def moves(
        self,
        scores: dict[Label, float],
        y: Label,
        sqnorms: dict[Label, float],
        t: int,
        weight: float,
    ) -> dict[Label, Move]:
        p = rules.softmax(scores)
        gain, factor = self.gain(0.0, 0.0, t, weight), self.factor(t) * weight
        return {r: (factor * ((1.0 if r == y else 0.0) - p[r]), gain) for r in scores}

    def predict_proba(self, x: Any) -> dict[Label, float]:
        """The probability of each label: that of the model itself."""
        example, labels = self.geometry.example(x), sorted(self.labels)
        score = self.shown.score(example, self.average)
        if isinstance(self.shown, ManyClasses) and isinstance(score, dict):
            p = rules.softmax(score)
            return {label: p[label] for label in labels}
        if len(labels) < 2 or isinstance(score, dict):
            return dict.fromkeys(labels, 1.0)
        return {labels[0]: 1.0 - logistic(score), labels[1]: logistic(score)}
