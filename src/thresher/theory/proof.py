"""The proofs of Novikoff's and of Winnow's theorem, followed on a run: every inequality in numbers.

A mistake bound is a chain of inequalities. On given data some of them are nearly equalities and
others give most of it away; which, explains why a run stays so far below its bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.linear.perceptron import Perceptron
from thresher.learners.linear.winnow import Winnow
from thresher.theory.audit.additive import perceptron_lacks
from thresher.theory.audit.comparators import decide, given_vector
from thresher.theory.audit.monotone import find_disjunction, literal_scores
from thresher.theory.bounds import novikoff, winnow
from thresher.theory.bounds.margins import unit
from thresher.theory.bounds.perceptron import reach
from thresher.theory.replay import Replay
from thresher.theory.separation import Separable
from thresher.theory.signed import Floats, signed_examples

Ints = npt.NDArray[np.int64]
Lines = list[tuple[str, Floats]]
"""Names and values, one for each update; each line stays at or below the next."""


@dataclass(frozen=True, eq=False)
class NovikoffProof:
    """k·γ ≤ w·u ≤ ‖w‖ ≤ R·√k after each update k, with η taken out of w.

    The squares of the three ratios of neighbours multiply to k·γ²/R², that is to mistakes/bound. So
    each says which part of the bound its inequality gives away.

    >>> from thresher import Perceptron
    >>> X, y = [[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]], [1, 1, 0, 0]
    >>> proof = novikoff_proof(Perceptron(fit_intercept=False).fit(X, y), X, y)
    >>> print(proof)
    1 update, Novikoff's bound 1.11, ratio 0.9
      k·γ ≤ w·u    2.121 of 2.121   keeps 100 % of the bound
      w·u ≤ ‖w‖    2.121 of 2.236   keeps 90 % of the bound, cos θ = 0.949
      ‖w‖ ≤ R·√k   2.236 of 2.236   keeps 100 % of the bound
    loosest: w·u ≤ ‖w‖
    """

    at: Ints
    """The number of the example, from 1, at which each update came."""
    along: Floats
    """w·u after each update."""
    norm: Floats
    """‖w‖ after each update."""
    gamma: float
    """The least y·(u·x) of all examples, ‖u‖ = 1."""
    R: float
    """The largest ‖x‖; with a margin m of the learner √(R² + 2m/η)."""
    comparator: str

    NAMES = ("k·γ ≤ w·u", "w·u ≤ ‖w‖", "‖w‖ ≤ R·√k")

    @property
    def k(self) -> Ints:
        return np.arange(1, len(self.at) + 1)

    @property
    def lower(self) -> Floats:
        """k·γ: each update adds y·(u·x) ≥ γ to w·u."""
        return np.asarray(self.k * self.gamma, dtype=np.float64)

    @property
    def upper(self) -> Floats:
        """R·√k: each update adds ‖x‖² + 2·y·(w·x) ≤ R² to ‖w‖²."""
        return self.R * np.sqrt(self.k)

    @property
    def cosine(self) -> Floats:
        """Of the angle between w and u."""
        return self.along / self.norm

    @property
    def slacks(self) -> Floats:
        """Right side less left side of the three inequalities: a row an update."""
        sides = np.column_stack([self.lower, self.along, self.norm, self.upper])
        return np.asarray(np.diff(sides, axis=1))

    @property
    def kept(self) -> tuple[float, float, float]:
        """(left/right)² of each inequality in the end; their product is mistakes/bound."""
        if not len(self.at):
            return (1.0, 1.0, 1.0)
        sides = [self.lower[-1], self.along[-1], self.norm[-1], self.upper[-1]]
        a, b, c = ((sides[i] / sides[i + 1]) ** 2 for i in range(3))
        return float(a), float(b), float(c)

    @property
    def loosest(self) -> str:
        """The inequality that gives most of the bound away."""
        return self.NAMES[int(np.argmin(self.kept))]

    @property
    def bound(self) -> float:
        return novikoff(self.R, self.gamma).value

    def lines(self) -> Lines:
        return [("k·γ", self.lower), ("w·u", self.along), ("‖w‖", self.norm), ("R·√k", self.upper)]

    def __str__(self) -> str:
        count = len(self.at)
        updates = "1 update" if count == 1 else f"{count:,} updates"
        head = f"{updates}, Novikoff's bound {self.bound:,.3g}, ratio {count / self.bound:.3g}"
        if not count:
            return head
        ends = [values[-1] for _, values in self.lines()]
        lines = [
            f"  {name.ljust(11)}  {ends[i]:.4g} of {ends[i + 1]:.4g}   keeps {self.kept[i]:.0%} of "
            f"the bound{f', cos θ = {self.cosine[-1]:.3g}' if i == 1 else ''}".replace("%", " %")
            for i, name in enumerate(self.NAMES)
        ]
        return "\n".join([head, *lines, f"loosest: {self.loosest}"])


def novikoff_proof(model: Any, X: Any, y: Any, comparator: Any = None) -> NovikoffProof:
    """Follow Novikoff's proof on the run of a perceptron over X and y.

    A fresh copy of the model learns the rows again, for as many passes as its ``fit`` made.

    Parameters
    ----------
    model : a `Perceptron` of two classes with steps of a constant length.
    X, y : the examples.
    comparator : u, weights (with that of the constant feature last) or a trained linear model; by
        default the separator of largest margin. It must separate X.
    """
    if not isinstance(model, Perceptron):
        raise InvalidInput(
            f"model is {model!r}; expected a Perceptron, which the theorem is about."
        )
    bias, scaling = bool(model.fit_intercept), float(model.intercept_scaling)
    examples = signed_examples(X, y, bias, intercept_scaling=scaling)
    if (lack := perceptron_lacks(model, len(examples.labels))) is not None:
        raise InvalidInput(f"the theorem asks for this: {lack.text}; found {lack.found}.")
    origin = "given by the caller"
    if comparator is None:
        found = decide(examples, bias)
        if not isinstance(found, Separable):
            raise InvalidInput(
                f"the proof needs u with y·(u·x) > 0 for every example, but the data is {found}."
            )
        u, origin = found.weights, "the separator of largest margin"
    else:
        u = given_vector(comparator, examples.columns, bias, scaling)
    u = unit(u)
    z = examples.signed_rows()
    gains = np.asarray(z @ u)
    if not gains.min() > 0.0:
        row = int(np.argmin(gains))
        raise InvalidInput(
            f"comparator: y·(u·x) is {gains[row]:.6g} for row {row}; expected > 0 for every row."
        )
    run = Replay(model, X, y)
    at, along, norm = [], [], []
    w, sum_along, updates = np.zeros(examples.columns), 0.0, 0
    for t, i in enumerate(run.order(), 1):
        run.learn(i)
        if run.learner.updates_ == updates:
            continue
        updates = run.learner.updates_
        w += z[i] if isinstance(z, np.ndarray) else z[[i]].toarray()[0]
        sum_along += float(gains[i])
        at.append(t)
        along.append(sum_along)
        norm.append(float(np.linalg.norm(w)))
    R = math.sqrt(float(examples.squared_norms().max()))
    rate = float(cast(float, model.learning_rate))  # `perceptron_lacks` has seen to that
    return NovikoffProof(
        np.array(at, np.int64),
        np.array(along),
        np.array(norm),
        float(gains.min()),
        reach(R, float(model.margin), rate),
        origin,
    )


# ------------------------------------------------------------------ Winnow


@dataclass(frozen=True, eq=False)
class WinnowProof:
    """The lemmas of Winnow's bound after each mistake: u promotions, v demotions, weights w.

    1. 0 < Σ w ≤ d + (α − 1)·θ·u − (1 − 1/α)·θ·v
    2. every w_i ≤ α·θ
    3. u·θ* − v·(θ* − γ) ≤ Σ w*_i·log_α w_i ≤ Σ w*_i·(1 + log_α θ), the right side by lemma 2

    >>> from thresher import Winnow
    >>> X, y = [[0, 1, 1], [1, 0, 0], [1, 0, 1], [0, 0, 1]], [0, 1, 1, 0]
    >>> proof = winnow_proof(Winnow(max_epochs=3).fit(X, y), X, y)
    >>> proof.promotions.tolist(), proof.total.tolist()
    ([1, 2], [4.0, 6.0])
    """

    at: Ints
    """The number of the example, from 1, at which each mistake came."""
    promotions: Ints
    """u so far."""
    demotions: Ints
    """v so far."""
    total: Floats
    """Σ w after each mistake."""
    largest: Floats
    """The largest weight."""
    potential: Floats
    """Σ w*_i·log_α w_i."""
    d: int
    alpha: float
    theta: float
    l1: float
    """Σ w*_i."""
    target_threshold: float
    """θ*: positive examples have w*·x ≥ θ*."""
    gamma: float
    """Negative ones have w*·x ≤ θ* − γ."""
    comparator: str

    NAMES = (
        "lemma 1, Σ w ≤ d + (α − 1)·θ·u − (1 − 1/α)·θ·v",
        "lemma 1, Σ w > 0",
        "lemma 2, w_i ≤ α·θ",
        "lemma 3, what the target's weights must have gained",
        "lemma 3, what they can gain",
    )

    @property
    def most_total(self) -> Floats:
        """What lemma 1 allows the sum of the weights."""
        up, down = (self.alpha - 1.0) * self.theta, (1.0 - 1.0 / self.alpha) * self.theta
        return self.d + up * self.promotions - down * self.demotions

    @property
    def needed(self) -> Floats:
        """u·θ* − v·(θ* − γ)."""
        low = self.target_threshold - self.gamma
        return self.promotions * self.target_threshold - self.demotions * low

    @property
    def most_potential(self) -> float:
        """Σ w*_i·(1 + log_α θ)."""
        return self.l1 * (1.0 + math.log(self.theta) / math.log(self.alpha))

    @property
    def slacks(self) -> Floats:
        """Of the five inequalities, as in `NAMES`: a row a mistake."""
        return np.column_stack([
            self.most_total - self.total,
            self.total,
            self.alpha * self.theta - self.largest,
            self.potential - self.needed,
            self.most_potential - self.potential,
        ])  # fmt: skip

    @property
    def shares(self) -> tuple[float, ...]:
        """The slack of each in the end, as part of its larger side: near 1 it gives much away."""
        if not len(self.at):
            return (0.0,) * len(self.NAMES)
        most, gained = float(self.most_total[-1]), abs(float(self.potential[-1]))
        sides = (most, most, self.alpha * self.theta, gained or 1.0, self.most_potential)
        return tuple(float(s / side) for s, side in zip(self.slacks[-1], sides, strict=True))

    @property
    def loosest(self) -> str:
        """The inequality that gives most away."""
        return self.NAMES[int(np.argmax(self.shares))]

    @property
    def bound(self) -> float:
        return winnow(
            self.l1, self.gamma, self.d, target_threshold=self.target_threshold,
            theta=self.theta, alpha=self.alpha,
        ).value  # fmt: skip

    def lines(self) -> Lines:
        return [
            ("u·θ* − v·(θ* − γ)", self.needed),
            ("Σ w*·log w", self.potential),
            ("Σ w*·(1 + log θ)", np.full(len(self.at), self.most_potential)),
        ]

    def __str__(self) -> str:
        if not len(self.at):
            return f"no mistakes, Winnow's bound {self.bound:,.4g}"
        u, v = self.promotions[-1], self.demotions[-1]
        head = f"{u} promotions and {v} demotions, Winnow's bound {self.bound:,.4g}"
        wide = max(map(len, self.NAMES))
        lines = [
            f"  {name.ljust(wide)}  slack {slack:,.4g}, {share:.0%}".replace("%", " %")
            for name, slack, share in zip(self.NAMES, self.slacks[-1], self.shares, strict=True)
        ]
        return "\n".join([head, *lines, f"loosest: {self.loosest}"])


def winnow_proof(model: Any, X: Any, y: Any, comparator: Any = None) -> WinnowProof:
    """Follow the lemmas of Winnow's bound on the run of a `Winnow` over X and y, x in {0, 1}.

    A fresh copy of the model learns the rows again. `comparator` are weights w* ≥ 0 for which
    positive examples score higher than negative ones; by default a disjunction that fits, which
    must exist then.
    """
    if not isinstance(model, Winnow):
        raise InvalidInput(f"model is {model!r}; expected a Winnow, which the theorem is about.")
    plain = model.margin == 0.0 and model.floor is None and model.demotion == "divide"
    if not plain or model.negations:
        raise InvalidInput(
            f"found {model!r}; expected Winnow without margin, floor and elimination, as the "
            "theorem has it, and without negations: give the literals as columns instead."
        )
    examples = signed_examples(X, y, fit_intercept=False)
    d = examples.columns
    if comparator is None:
        fits = find_disjunction(examples, negations=False)
        if not fits.exists:
            raise InvalidInput(
                f"no disjunction gives every label: {fits.problem}. Expected a comparator, w* ≥ 0."
            )
        w_star, origin = np.zeros(d), f"a disjunction of {len(fits.variables)} that fits"
        w_star[list(fits.variables)] = 1.0
    else:
        w_star, origin = np.asarray(comparator, dtype=float).ravel(), "given by the caller"
        if w_star.shape != (d,) or not (w_star >= 0.0).all() or not w_star.any():
            raise InvalidInput(f"comparator: expected {d} weights ≥ 0, not all of them 0.")
    scores = literal_scores(examples, w_star, negations=False)
    if not scores.boolean:
        raise InvalidInput("X has values other than 0 and 1; lemma 2 is about these.")
    if not (scores.gamma > 0.0 and len(scores.positive)):
        raise InvalidInput(
            f"comparator: a negative example scores {scores.negative.max(initial=0.0):.6g}, a "
            f"positive one {scores.target_threshold:.6g}; expected less, and a positive one."
        )
    run = Replay(model, X, y)
    run.learner.set_params(average=False)
    rows: list[tuple[float, ...]] = []
    mistakes, counts = 0, [0, 0]
    used = w_star > 0.0
    for t, i in enumerate(run.order(), 1):
        run.learn(i)
        if run.learner.mistakes_ == mistakes:
            continue
        mistakes = run.learner.mistakes_
        counts[int(examples.y[i] < 0)] += 1
        w = run.learner.coef_[0]
        grown = float(w_star[used] @ np.log(w[used])) / math.log(model.alpha)
        rows.append((t, *counts, float(w.sum()), float(w.max()), grown))
    at, u, v, total, largest, potential = np.array(rows).reshape(-1, 6).T
    return WinnowProof(
        at.astype(np.int64), u.astype(np.int64), v.astype(np.int64), total, largest, potential,
        d, float(model.alpha), float(d if model.theta is None else model.theta),
        float(w_star.sum()), scores.target_threshold, scores.gamma, origin,
    )  # fmt: skip
