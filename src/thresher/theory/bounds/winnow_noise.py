"""Winnow on any data in [0,1]^d, with or without noise: a proof by relative entropy.

D = Σ (c·w*_i·ln(c·w*_i/w_i) − c·w*_i + w_i) is never negative, for any c > 0. In each promotion
Σ w_i grows by less than (α − 1)·θ while −Σ c·w*_i·ln w_i falls by c·ln α·(w*·x); in each demotion
Σ w_i falls by at least (1 − 1/α)·θ, and the other sum grows by that much. So with κ = c·θ*·ln α and
slacks ξ = max(0, θ* − w*·x) of positive and max(0, w*·x − θ* + γ) of negative examples,

    a promotion takes   κ − (α − 1)·θ − (κ/θ*)·ξ          from D,
    a demotion          (1 − 1/α)·θ − κ·(1 − δ) − (κ/θ*)·ξ,    δ = γ/θ*.

κ = θ·(α² − 1)/(α·(2 − δ)) makes both gains, apart from ξ, equal to
g = θ·(α − 1)·(1 − α·(1 − δ))/(α·(2 − δ)). Hence

    mistakes ≤ (D₀ + (κ/θ*)·Σ ξ)/g,    D₀ = d + Σ c·w*_i·(ln(c·w*_i) − 1),

if α·(1 − δ) < 1. Unlike lemma 2 of the other proof, nothing here needs x to be 0 or 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.options import finite
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.winnow import BOOLEAN, STARTS, small_step, step_for, winnow
from thresher.theory.signed import Floats, signed_examples

UNIT = Assumption("x is in [0,1]^d")
TRIES = 40  # thresholds on each side among which `winnow_entropy_on` chooses


def winnow_entropy(
    w_star: npt.ArrayLike,
    gamma: float,
    *,
    target_threshold: float = 1.0,
    slack: float = 0.0,
    theta: float | None = None,
    alpha: float | None = None,
) -> Bound:
    """mistakes ≤ (D₀ + (κ/θ*)·Σ ξ)/g, as derived above; `slack` is Σ ξ.

    >>> w_star = [1.0] * 5 + [0.0] * 1019
    >>> round(winnow_entropy(w_star, gamma=1.0, alpha=2.0).value, 1)
    147.1
    """
    w = np.asarray(w_star, dtype=np.float64).ravel()
    if len(w) == 0 or not np.isfinite(w).all() or (w < 0).any():
        raise InvalidInput("w_star must have at least one weight, all finite and ≥ 0.")
    gamma = finite("gamma", gamma, above=0.0)
    target = finite("target_threshold", target_threshold, above=0.0)
    slack = finite("slack", slack, least=0.0)
    d = len(w)
    delta = min(gamma / target, 1.0)
    alpha = finite("alpha", step_for(delta) if alpha is None else alpha, above=1.0)
    theta = finite("theta", d if theta is None else theta, above=0.0)
    parts = entropy_parts(Summary.of(w), target, delta, theta, alpha)
    value = math.inf
    if parts:
        value = (parts["D0"] + parts["kappa"] / target * slack) / parts["gain"]
    return Bound(
        "Winnow with noise",
        "mistakes ≤ (D₀ + (κ/θ*)·Σ ξ)/g",
        value,
        {
            "gamma": gamma,
            "target_threshold": target,
            "delta": delta,
            "slack": slack,
            "d": float(d),
            "alpha": alpha,
            "theta": theta,
            **parts,
        },
        (
            STARTS,
            UNIT,
            Assumption("w* ≥ 0; Σ ξ = Σ max(0, θ* − w*·x) + Σ max(0, w*·x − θ* + γ)"),
            small_step(alpha, delta),
        ),
    )


@dataclass(frozen=True)
class Summary:
    """Everything that D₀ needs of w*."""

    d: int
    l1: float
    entropy: float
    """Σ w*_i·ln w*_i."""

    @classmethod
    def of(cls, w: Floats) -> Self:
        some = w[w > 0]
        return cls(len(w), float(some.sum()), float(some @ np.log(some)))


def entropy_parts(
    w: Summary, target: float, delta: float, theta: float, alpha: float
) -> dict[str, float]:
    """D₀, κ and g; nothing if α is too large."""
    small = 1.0 - alpha * (1.0 - delta)
    if small <= 0.0:
        return {}
    kappa = theta * (alpha**2 - 1.0) / (alpha * (2.0 - delta))
    c = kappa / (target * math.log(alpha))
    return {
        "D0": w.d + c * (w.entropy + (math.log(c) - 1.0) * w.l1),
        "kappa": kappa,
        "gain": theta * (alpha - 1.0) * small / (alpha * (2.0 - delta)),
    }


@dataclass(frozen=True)
class MonotoneMargins:
    """The scores w*·x of positive and of negative examples, for weights w* ≥ 0.

    >>> X, y = [[1, 0, 1], [0, 0, 1]], [1, 0]
    >>> scores = MonotoneMargins.of(X, y, weights=[1.0, 1.0, 0.0])
    >>> scores.target_threshold, scores.gamma, scores.boolean
    (1.0, 1.0, True)
    """

    weights: Floats
    positive: Floats
    """w*·x of the positive examples."""
    negative: Floats
    """w*·x of the negative ones."""
    boolean: bool
    """All x are 0 or 1."""
    unit: bool
    """All x are in [0, 1]."""

    @classmethod
    def of(cls, X: Any, y: Any, weights: npt.ArrayLike, *, classes: Any = None) -> Self:
        """Measure X and y. Weights below 0 are taken as 0: any w* ≥ 0 gives a valid bound."""
        w = np.maximum(0.0, np.asarray(weights, dtype=np.float64).ravel())
        examples = signed_examples(X, y, fit_intercept=False, classes=classes)
        if len(w) != examples.columns or not np.isfinite(w).all():
            raise InvalidInput(
                f"the comparator has {len(w)} weights, X has {examples.columns} columns; expected "
                "as many, all finite."
            )
        values = examples.rows.data if examples.sparse else examples.rows
        scores = np.asarray(examples.rows @ w)
        return cls(
            weights=w,
            positive=scores[examples.y > 0],
            negative=scores[examples.y < 0],
            boolean=bool(((values == 0) | (values == 1)).all()),
            unit=bool(((values >= 0) & (values <= 1)).all()),
        )

    def __add__(self, other: MonotoneMargins) -> MonotoneMargins:
        return replace(
            self,
            positive=np.concatenate([self.positive, other.positive]),
            negative=np.concatenate([self.negative, other.negative]),
            boolean=self.boolean and other.boolean,
            unit=self.unit and other.unit,
        )

    @property
    def target_threshold(self) -> float:
        """θ*: the smallest score of a positive example; without one, above all negative scores."""
        if len(self.positive):
            return float(self.positive.min())
        return 2.0 * float(self.negative.max()) or 1.0

    @property
    def gamma(self) -> float:
        """θ* minus the largest score of a negative example: w* separates if it is > 0."""
        return self.target_threshold - float(self.negative.max(initial=0.0))

    def short(self, high: float) -> float:
        """Σ ξ of the positive examples for θ* = high."""
        return float(np.maximum(0.0, high - self.positive).sum())

    def over(self, low: float) -> float:
        """Σ ξ of the negative examples for θ* − γ = low."""
        return float(np.maximum(0.0, self.negative - low).sum())


def winnow_on(
    scores: MonotoneMargins, *, theta: float | None = None, alpha: float | None = None
) -> Bound:
    """`winnow` with S, δ and d as found; it does not apply if w* does not separate the stream.

    >>> X, y = [[1, 0, 1], [0, 0, 1]], [1, 0]
    >>> winnow_on(MonotoneMargins.of(X, y, weights=[1.0, 1.0, 0.0]), alpha=2.0).applies
    True
    """
    gamma, target = scores.gamma, scores.target_threshold
    separates = gamma > 0.0
    bound = winnow(
        float(scores.weights.sum()),
        gamma if separates else 1.0,
        len(scores.weights),
        target_threshold=target if separates else 1.0,
        theta=theta,
        alpha=alpha,
    )
    starts, _, _, *others = bound.assumptions
    return replace(
        bound,
        value=bound.value if separates else math.inf,
        assumptions=(
            starts,
            Assumption(
                BOOLEAN.text, scores.boolean, "so in X" if scores.boolean else "not so in X"
            ),
            Assumption(
                "w* ≥ 0; positive: w*·x ≥ θ*; negative: w*·x ≤ θ* − γ, γ > 0",
                separates,
                f"θ* = {target:.6g}, γ = {gamma:.6g}",
            ),
            *(others if separates else ()),
        ),
    )


def best_pair(
    w: Summary,
    highs: list[float],
    lows: list[float],
    slack: Floats,
    theta: float,
    alpha: float | None,
) -> tuple[float, float] | None:
    """The θ* and θ* − γ for which the bound of `winnow_entropy` is least; where it never applies,
    some pair, which says why; None if there is no pair at all."""
    high, low = np.meshgrid(highs, lows, indexing="ij")
    possible = low < high
    if not possible.any():
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = 1.0 - low / high
        step = 1.0 + delta / 2.0 if alpha is None else np.full_like(delta, alpha)
        small = 1.0 - step * (1.0 - delta)
        kappa = theta * (step**2 - 1.0) / (step * (2.0 - delta))
        c = kappa / (high * np.log(step))
        start = w.d + c * (w.entropy + (np.log(c) - 1.0) * w.l1)
        gain = theta * (step - 1.0) * small / (step * (2.0 - delta))
        value = (start + kappa / high * slack) / gain
    value = np.where(possible & (small > 0.0) & np.isfinite(value), value, math.inf)
    best = int(np.argmin(value)) if np.isfinite(value).any() else int(np.argmax(possible))
    return float(high.ravel()[best]), float(low.ravel()[best])


def winnow_entropy_on(
    scores: MonotoneMargins,
    *,
    passes: int = 1,
    theta: float | None = None,
    alpha: float | None = None,
) -> Bound:
    """`winnow_entropy` with good θ* and γ for the stream.

    Every θ* and γ give a valid bound. These are the best of a few hundred pairs: quantiles of
    the scores of either label, and what separates exactly if w* does.
    """
    share = np.linspace(0.0, 1.0, TRIES)
    upper = np.quantile(scores.positive, share) if len(scores.positive) else np.array([])
    lower = np.quantile(scores.negative, share) if len(scores.negative) else np.array([])
    highs = {v: scores.short(v) for v in {scores.target_threshold, *upper.tolist()} if v > 0.0}
    lows = {v: scores.over(v) for v in {0.0, *lower.tolist()}}
    w, learner_theta = Summary.of(scores.weights), float(theta or len(scores.weights))
    slack = passes * np.add.outer(list(highs.values()), list(lows.values()))
    chosen_pair = best_pair(w, list(highs), list(lows), slack, learner_theta, alpha)
    if chosen_pair is None:
        chosen = winnow_entropy(scores.weights, 1.0, theta=theta, alpha=alpha)
        chosen = replace(chosen, value=math.inf)
        of_target = Assumption("w*·x > 0 for some positive example", False, "no score is > 0")
    else:
        high, low = chosen_pair
        total = passes * (highs[high] + lows[low])
        chosen = winnow_entropy(
            scores.weights,
            high - low,
            target_threshold=high,
            slack=total,
            theta=theta,
            alpha=alpha,
        )
        separates = "separates" if total == 0.0 else "does not separate"
        of_target = Assumption(chosen.assumptions[2].text, True, f"w* {separates} the stream")
    starts, unit, _, small = chosen.assumptions
    unit = Assumption(unit.text, scores.unit, "so in X" if scores.unit else "not so in X")
    return replace(chosen, assumptions=(starts, unit, of_target, small))
