"""What a linear learner minimises: J(w), the mean loss of its examples, and descents on it.

    0/1          1 if m ≤ 0 else 0          how many are wrong; flat, so no gradient leads anywhere
    perceptron   max(0, −m)                 hinge(0): 0 as soon as nothing is wrong
    hinge        max(0, γ − m)/γ            above 0/1 everywhere: 0 once all margins are γ
    squared      (1 − m)²                   that of LMS: (y − w·x)², since y² = 1

where m = y·(w·x) is the margin of an example. All but 0/1 are convex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.options import finite, one_of, whole
from thresher.theory.signed import Floats, signed_examples

LOSSES = ("0/1", "perceptron", "hinge", "squared")
ROUNDING = 1e-12  # a slope that is this share of the largest is 0 but for rounding
STEPS = ("batch", "line search", "online")

Rate: TypeAlias = float | Callable[[int], float]


class Objective:
    """J(w) on rows X with two labels y; w has the weight of the bias last, if there is one.

    >>> J = Objective([[1.0, 1.0], [0.5, 3.0], [2.0, 2.0]], [1, 1, 0], "perceptron")
    >>> J.value([1.0, 0.0, -1.5])  # x1 ≥ 1.5: all three are wrong
    0.6666666666666666
    >>> J.gradient([1.0, 0.0, -1.5]).tolist()  # −(1/N)·Σ y·x of the mistakes, the bias last
    [0.16666666666666666, -0.6666666666666666, -0.3333333333333333]
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        loss: str = "hinge",
        *,
        gamma: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self.loss = one_of("loss", loss, LOSSES)
        self.gamma = finite("gamma", gamma, above=0.0)
        self.fit_intercept = fit_intercept
        self._signed = signed_examples(X, y, fit_intercept)
        if len(self._signed) == 0:
            raise InvalidInput("X has no rows; expected at least one, since J is a mean.")

    @cached_property
    def rows(self) -> Any:
        """y·x of each example, the bias last: their scores are margins."""
        return self._signed.signed_rows()

    @property
    def weights(self) -> int:
        """How many weights w has."""
        return self._signed.columns

    def __len__(self) -> int:
        return len(self._signed)

    def _checked(self, w: npt.ArrayLike) -> Floats:
        vector = np.asarray(w, dtype=np.float64)
        if vector.shape != (self.weights,) or not np.isfinite(vector).all():
            bias = ", that of the bias last" if self.fit_intercept else ""
            raise InvalidInput(f"w is {w!r}; expected {self.weights} finite weights{bias}.")
        return vector

    def margins(self, w: npt.ArrayLike) -> Floats:
        """y·(w·x) of each example."""
        return np.asarray(self.rows @ self._checked(w))

    def value(self, w: npt.ArrayLike) -> float:
        """J(w)."""
        return float(self.values(self._checked(w)[None])[0])

    def values(self, W: Floats) -> Floats:
        """J of each row of W."""
        return np.asarray(self._losses(np.asarray(self.rows @ W.T)).mean(axis=0))

    def _losses(self, m: Floats) -> Floats:
        if self.loss == "0/1":
            return (m <= 0).astype(float)
        if self.loss == "perceptron":
            return np.maximum(0.0, -m)
        if self.loss == "hinge":
            return np.maximum(0.0, self.gamma - m) / self.gamma
        return (1.0 - m) ** 2

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """∇J(w); at a kink the subgradient that counts an example there as one that loses.

        So with "perceptron" a zero score is a mistake, and a step of η down the gradient is a
        step of the batch perceptron.
        """
        m = self.margins(w)
        return np.asarray(self.rows.T @ self._slopes(m)) / len(m)

    def gradient_of(self, i: int, w: npt.ArrayLike) -> Floats:
        """∇ of the loss of example i."""
        row = self.rows[[i]]
        return np.asarray(row.T @ self._slopes(np.asarray(row @ self._checked(w))))

    def _slopes(self, m: Floats) -> Floats:
        """dℓ/dm of each example."""
        if self.loss == "0/1":
            raise InvalidInput(
                "the 0/1 loss has no gradient to follow: J is flat wherever it is smooth; expected "
                'loss="perceptron", "hinge" or "squared".'
            )
        if self.loss == "perceptron":
            return np.where(m <= 0, -1.0, 0.0)
        if self.loss == "hinge":
            return np.where(m <= self.gamma, -1.0 / self.gamma, 0.0)
        return -2.0 * (1.0 - m)

    def best_step(self, w: npt.ArrayLike, direction: npt.ArrayLike) -> float:
        """The η ≥ 0 that minimises J(w + η·direction), by an exact line search.

        Along a line J is a parabola (squared), or made of straight pieces that meet where an
        example reaches its kink, with slopes that only grow. Where a whole interval is lowest, η is
        its middle, or 1 beyond its start if it has no end. 0 if J does not fall.
        """
        m, d = self.margins(w), self.margins(direction)
        if self.loss == "squared":
            length = float(d @ d)
            return max(0.0, float((1.0 - m) @ d) / length) if length else 0.0
        if self.loss == "0/1":
            self._slopes(m)  # raises
        return flat_middle(m, d, 0.0 if self.loss == "perceptron" else self.gamma)


class SquaredError(Objective):
    """J(w) = (1/N)·Σ (y − w·x)² of rows X with targets y: what LMS and least squares minimise.

    >>> J = SquaredError([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> J.value([2.0, 1.0]), descend(J, "line search", steps=200).path[-1].round(6).tolist()
    (0.0, [2.0, 1.0])
    """

    def __init__(self, X: Any, y: npt.ArrayLike, *, fit_intercept: bool = True) -> None:
        self.loss, self.gamma, self.fit_intercept = "squared", 1.0, fit_intercept
        rows = np.atleast_2d(np.asarray(X, np.float64))
        self.targets = np.asarray(y, np.float64)
        if not len(self.targets) or rows.shape[0] != len(self.targets):
            raise InvalidInput(
                f"X has {rows.shape[0]:,} rows and y {len(self.targets):,} targets; expected as "
                "many, at least one."
            )
        if not (np.isfinite(rows).all() and np.isfinite(self.targets).all()):
            raise InvalidInput("X or y contains NaN or inf; expected finite numbers.")
        self.rows = np.column_stack([rows, np.ones(len(rows))]) if fit_intercept else rows

    @property
    def weights(self) -> int:
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        return len(self.targets)

    def residuals(self, w: npt.ArrayLike) -> Floats:
        """y − w·x of each example."""
        return np.asarray(self.targets - self.rows @ self._checked(w))

    def values(self, W: Floats) -> Floats:
        return np.asarray(((self.targets[:, None] - self.rows @ W.T) ** 2).mean(axis=0))

    def gradient(self, w: npt.ArrayLike) -> Floats:
        return np.asarray(-2.0 * self.rows.T @ self.residuals(w)) / len(self)

    def gradient_of(self, i: int, w: npt.ArrayLike) -> Floats:
        return np.asarray(-2.0 * self.residuals(w)[i] * self.rows[i])

    def best_step(self, w: npt.ArrayLike, direction: npt.ArrayLike) -> float:
        along = np.asarray(self.rows @ self._checked(direction))
        length = float(along @ along)
        return max(0.0, float(self.residuals(w) @ along) / length) if length else 0.0


def flat_middle(m: Floats, d: Floats, kink: float) -> float:
    """The η ≥ 0 where Σ max(0, kink − m − η·d) is least.

    >>> flat_middle(np.array([-1.0, 3.0]), np.array([1.0, -1.0]), 0.0)  # flat from 1 to 3
    2.0
    """
    d = np.where(np.abs(d) <= ROUNDING * np.abs(d).max(), 0.0, d)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = np.where(d != 0, (kink - m) / d, np.inf)
    # An example that gains (d > 0) loses until `at`, one that falls behind (d < 0) from there on:
    # its slope −d counts for η < at, or for η ≥ at.
    slope = -float(d[(d > 0) & (at > 0)].sum()) - float(d[(d < 0) & (at <= 0)].sum())
    turns = np.flatnonzero((d != 0) & (at > 0))
    turns = turns[np.argsort(at[turns], kind="stable")]
    falls = -ROUNDING * float(np.abs(d).sum())
    if slope >= falls:
        return 0.0
    for k, i in enumerate(turns):
        slope += abs(float(d[i]))
        if slope >= falls:
            here = float(at[i])
            if slope > -falls:
                return here
            return here + 1.0 if k + 1 == len(turns) else (here + float(at[turns[k + 1]])) / 2.0
    return float(at[turns[-1]])


@dataclass(frozen=True)
class Descent:
    """The path of a descent: w before the first step and after each."""

    name: str
    path: Floats
    values: Floats
    """J along it."""


def descend(
    objective: Objective,
    how: str = "batch",
    *,
    steps: int = 100,
    learning_rate: Rate = 1.0,
    start: npt.ArrayLike | None = None,
) -> Descent:
    """Descend on J from `start` (default 0), and return the path.

    how="batch"        w −= η·∇J(w): with "perceptron", the batch perceptron
    how="online"       w −= η·∇ℓ of one example after the other, in their order: with "perceptron"
                       the perceptron, with "squared" LMS of twice the rate
    how="line search"  w −= η·∇J(w) with the η that minimises J along the line; with a start at 0,
                       where J of "perceptron" is 0 as every score is, the first step is one of η

    `learning_rate` is η, a number or a function of the step, 1 at the first. A path ends where the
    gradient is 0, or a line search finds nothing lower. That need not be the minimum: where J
    has kinks, steepest descent can stop at one (Wolfe 1975).

    Examples
    --------
    >>> J = Objective([[1.0, 1.0], [0.5, 3.0], [2.0, 2.0]], [1, 1, 0], "perceptron")
    >>> [round(float(descend(J, how).values[-1]), 6) for how in STEPS]
    [0.0, 0.0, 0.0]
    """
    one_of("how", how, STEPS)
    w = objective._checked(np.zeros(objective.weights) if start is None else start)
    no_scores = not w.any() and objective.loss == "perceptron"
    path = [w]
    for t in range(1, whole("steps", steps, 0) + 1):
        eta = float(learning_rate(t) if callable(learning_rate) else learning_rate)
        if how == "online":
            g = objective.gradient_of((t - 1) % len(objective), w)
        else:
            g = objective.gradient(w)
            if how == "line search" and not (t == 1 and no_scores):
                eta = objective.best_step(w, -g)
            if not g.any() or eta == 0.0:
                break
        w = w - eta * g
        path.append(w)
    return Descent(how, np.stack(path), objective.values(np.stack(path)))
