"""How much: each rule turns a few scalars into the size τ of a step.

    margin   y·s, the score in the direction of the right answer (s_y − s_rival for many classes)
    sqnorm   ‖x‖², the bias included (2‖x‖² for many classes)
    t        how many examples so far, this one included
    weight   the importance of this example

A rule never sees a vector. How the step is made, additively or multiplicatively, is up to a
geometry. A rule that divides by ‖x‖² returns τ = 0 for an example that is all zero.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

Rate = float | str | Callable[[int], float]


def rate(learning_rate: Rate, t: int) -> float:
    """η(t): a constant, "1/t", "1/sqrt(t)", or any function of t.

    >>> rate(0.5, 4), rate("1/t", 4), rate("1/sqrt(t)", 4), rate(lambda t: t / 2, 4)
    (0.5, 0.25, 0.5, 2.0)
    """
    if callable(learning_rate):
        return learning_rate(t)
    if learning_rate == "1/t":
        return 1.0 / t
    if learning_rate == "1/sqrt(t)":
        return 1.0 / math.sqrt(t)
    if isinstance(learning_rate, str):
        raise ValueError(f'learning_rate is a number, "1/t" or "1/sqrt(t)", not {learning_rate!r}')
    return learning_rate


def perceptron(margin: float, *, gamma: float = 0.0, eta: float = 1.0, weight: float = 1) -> float:
    """Perceptron (Rosenblatt 1958): on a mistake, move w towards y·x.

    With γ > 0 the separator is thick: a right prediction by less than γ is also corrected.

    >>> perceptron(0.0), perceptron(0.5), perceptron(0.5, gamma=1.0)
    (1.0, 0.0, 1.0)
    """
    return eta * weight if margin <= gamma else 0.0


def aggressive(margin: float, sqnorm: float, *, gamma: float, weight: float = 1.0) -> float:
    """Aggressive perceptron (the relaxation method: Agmon 1954, Motzkin and Schoenberg 1954).

    min ‖w′ − w‖²  s.t.  y·(w′·x) ≥ γ:  the example lands on the margin. A weight below 1 scales the
    step.

    >>> aggressive(-3.0, 2.0, gamma=1.0)
    2.0
    """
    if margin > gamma or sqnorm == 0.0:
        return 0.0
    return min(1.0, weight) * (gamma - margin) / sqnorm


def hinge(margin: float, m: float = 1.0) -> float:
    """ℓ = max(0, m − margin).

    >>> hinge(0.25), hinge(3.0)
    (0.75, 0.0)
    """
    return max(0.0, m - margin)


def epsilon_insensitive(residual: float, epsilon: float) -> float:
    """ℓ = max(0, |r| − ε).

    >>> epsilon_insensitive(-3.0, 0.5), epsilon_insensitive(0.25, 0.5)
    (2.5, 0.0)
    """
    return max(0.0, abs(residual) - epsilon)


def pa(loss: float, sqnorm: float, *, C: float = 1.0, weight: float = 1.0) -> float:
    """Passive-Aggressive (Crammer et al. 2006):  min ½‖w′ − w‖²  s.t.  ℓ(w′; x, y) = 0.

    It has no C: the loss becomes zero. A weight below 1 scales the step.

    >>> pa(1.0, 4.0)
    0.25
    """
    return min(1.0, weight) * loss / sqnorm if sqnorm else 0.0


def pa1(loss: float, sqnorm: float, *, C: float = 1.0, weight: float = 1.0) -> float:
    """PA-I (Crammer et al. 2006):  min ½‖w′ − w‖² + C·ξ  s.t.  ℓ(w′; x, y) ≤ ξ, ξ ≥ 0.

    >>> pa1(1.0, 4.0), pa1(1.0, 4.0, C=0.125)
    (0.25, 0.125)
    """
    return min(C * weight, loss / sqnorm) if sqnorm else 0.0


def pa2(loss: float, sqnorm: float, *, C: float = 1.0, weight: float = 1.0) -> float:
    """PA-II (Crammer et al. 2006):  min ½‖w′ − w‖² + C·ξ²  s.t.  ℓ(w′; x, y) ≤ ξ.

    >>> pa2(1.0, 3.5), pa2(1.0, 4.0, C=float("inf"))
    (0.25, 0.25)
    """
    return loss / (sqnorm + 1.0 / (2.0 * C * weight)) if sqnorm else 0.0


class PassiveAggressiveRule(Protocol):
    """What the three have in common: they take a loss, so they serve regression as well."""

    def __call__(self, loss: float, sqnorm: float, *, C: float, weight: float) -> float: ...


PASSIVE_AGGRESSIVE: dict[str, PassiveAggressiveRule] = {"PA": pa, "PA-I": pa1, "PA-II": pa2}


def arow(loss: float, sqnorm: float, *, r: float = 1.0, weight: float = 1.0) -> float:
    """AROW (Crammer et al. 2009): like PA-II, with ‖x‖² measured by the variances.

    >>> arow(1.0, 3.0)
    0.25
    """
    return loss / (sqnorm + r / weight)


def confidence_weighted(margin: float, sqnorm: float, *, phi: float, weight: float = 1.0) -> float:
    """Confidence-Weighted (Crammer et al. 2008): the probability of being right becomes Φ(φ).

    min KL(N(μ′, Σ′) ‖ N(μ, Σ))  s.t.  y·(μ′·x) ≥ φ·√(xᵀΣ′x). A weight below 1 scales the step.

    >>> round(confidence_weighted(0.0, 2.0, phi=1.0), 12), confidence_weighted(2.0, 2.0, phi=1.0)
    (0.5, 0.0)
    """
    M, V, square = margin, sqnorm, phi * phi
    if phi * math.sqrt(V) <= M:
        return 0.0
    psi, zeta = 1.0 + square / 2.0, 1.0 + square
    root = math.sqrt(M * M * square * square / 4.0 + V * square * zeta)
    if M > 0.0:  # the same, without a difference of two nearly equal numbers
        alpha = (square * V - M * M) / (V * (M * psi + root))
    else:
        alpha = (root - M * psi) / (V * zeta)
    return min(1.0, weight) * alpha


def confidence_gain(alpha: float, sqnorm: float, *, phi: float) -> float:
    """The increment of 1/Σ_i, for each x_i², in a step of α: α·φ/√u, u = xᵀΣx after the step.

    >>> round(confidence_gain(0.5, 2.0, phi=1.0), 12)
    0.5
    """
    if alpha == 0.0:
        return 0.0
    shift = alpha * sqnorm * phi
    root_u = 2.0 * sqnorm / (shift + math.sqrt(shift * shift + 4.0 * sqnorm))
    return alpha * phi / root_u


def log_loss_slope(margin: float, *, weight: float = 1.0) -> float:
    """Logistic regression: −∂ℓ/∂margin of the log loss ℓ = log(1 + exp(−margin)).

    >>> log_loss_slope(0.0), log_loss_slope(1000.0), log_loss_slope(-1000.0)
    (0.5, 0.0, 1.0)
    """
    return weight / (1.0 + math.exp(margin)) if margin < 709.0 else 0.0


def softmax(scores: Mapping[Any, float]) -> dict[Any, float]:
    """P(k|x) ∝ exp(s_k).

    >>> softmax({"a": 0.0, "b": 0.0})
    {'a': 0.5, 'b': 0.5}
    """
    top, total = max(scores.values()), 0.0
    powers = {k: math.exp(s - top) for k, s in scores.items()}
    for power in powers.values():  # not sum(), which compensates for rounding: see vectors.dot
        total += power
    return {k: power / total for k, power in powers.items()}


def winnow(margin: float, mistake: bool, *, gamma: float = 0.0, weight: float = 1.0) -> float:
    """Winnow (Littlestone 1988): the exponent e of the factor α^(e·x_i) of a promotion or demotion.

    A mistake is given separately from the margin, since at s = 0 Winnow predicts "positive": right
    for y = +1, wrong for y = −1, and y·s is 0 for both.

    >>> winnow(0.0, mistake=False), winnow(0.0, mistake=True), winnow(0.5, mistake=False, gamma=1.0)
    (0.0, 1.0, 1.0)
    """
    return weight if mistake or margin < gamma else 0.0


def lms(residual: float, *, eta: float, weight: float = 1.0) -> float:
    """Least mean squares (Widrow and Hoff 1960): a gradient step on ½(y − w·x)², along x.

    >>> lms(4.0, eta=0.25)
    1.0
    """
    return eta * weight * residual


def nlms(residual: float, sqnorm: float, *, eta: float = 1.0, weight: float = 1.0) -> float:
    """Normalised LMS (Nagumo and Noda 1967): with η = 1, w′·x = y.

    >>> nlms(4.0, 2.0)
    2.0
    """
    return eta * min(1.0, weight) * residual / sqnorm if sqnorm else 0.0
