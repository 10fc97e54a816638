"""The geometry of a linear threshold unit: distances, margins, and the decision boundary.

The hyperplane is w·x + b = 0 in the space of the features themselves, without x0: for plotting.
Margins of theorems, in which x0 = 1 counts, are in `thresher.theory.bounds.Margins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.sparse import is_sparse
from thresher.theory.signed import Floats, signed_examples


def signed_distances(X: Any, weights: npt.ArrayLike, intercept: float = 0.0) -> Floats:
    """(w·x + b)/‖w‖: how far each x is from the hyperplane, positive on the positive side.

    >>> signed_distances([[3.0, 0.0], [0.0, 0.0]], weights=[2.0, 0.0], intercept=-2.0).tolist()
    [2.0, -1.0]
    """
    w = direction(weights)
    rows = X if is_sparse(X) else np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(w):
        raise InvalidInput(f"X has shape {rows.shape}, but there are {len(w)} weights.")
    length = float(np.linalg.norm(np.asarray(weights, dtype=np.float64)))
    return np.asarray(rows @ w + float(intercept) / length)


def direction(weights: npt.ArrayLike) -> Floats:
    """w/‖w‖."""
    w = np.asarray(weights, dtype=np.float64).ravel()
    length = float(np.linalg.norm(w))
    if not np.isfinite(length) or length == 0.0:
        raise InvalidInput("the weights are zero, NaN or infinite; expected a hyperplane.")
    return np.asarray(w / length)


@dataclass(frozen=True)
class MarginDistribution:
    """The margins of all examples, each divided by the length of its x: from −1 to 1.

    >>> found = margin_distribution(
    ...     [[3.0, 4.0], [0.0, -2.0]], [1, 0], [0.0, 1.0], fit_intercept=False
    ... )
    >>> found.margins.tolist(), found.smallest, found.at_most(0.9)
    ([0.8, 1.0], 0.8, 0.5)
    """

    margins: Floats
    """y·(w·x)/(‖w‖·‖x‖) in the order of X, with x0 = 1 and its weight b where there is a bias."""

    @property
    def smallest(self) -> float:
        return float(self.margins.min())

    @property
    def wrong(self) -> float:
        """The share of margins ≤ 0."""
        return self.at_most(0.0)

    def at_most(self, gamma: float) -> float:
        """The share of examples with a margin ≤ γ: the distribution function."""
        return float((self.margins <= gamma).mean())

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.margins, share))


def margin_distribution(
    X: Any,
    y: Any,
    weights: npt.ArrayLike,
    intercept: float = 0.0,
    fit_intercept: bool = True,
    *,
    classes: Any = None,
) -> MarginDistribution:
    """Normalised margins. The margin of an x of length 0 is 0."""
    w = np.asarray(weights, dtype=np.float64).ravel()
    u = direction(np.append(w, float(intercept)) if fit_intercept else w)
    examples = signed_examples(X, y, fit_intercept, classes=classes)
    if len(u) != examples.columns:
        raise InvalidInput(f"there are {len(w)} weights; expected one for each column of X.")
    norms = np.sqrt(examples.squared_norms())
    scores = examples.y * np.asarray(examples.rows @ u)
    return MarginDistribution(np.divide(scores, norms, out=np.zeros_like(scores), where=norms > 0))


Point = tuple[float, float]


def boundary_segment(
    weights: npt.ArrayLike,
    intercept: float,
    box: tuple[float, float, float, float],
    *,
    score: float = 0.0,
) -> tuple[Point, Point] | None:
    """The part of the line w1·x1 + w2·x2 + b = score in the box (x1 from, to, x2 from, to).

    None if the line misses the box. `score` ±γ·‖w‖ gives the edges of a margin band.

    >>> boundary_segment([1.0, 1.0], -1.0, box=(0.0, 2.0, 0.0, 2.0))
    ((0.0, 1.0), (1.0, 0.0))
    """
    w = np.asarray(weights, dtype=np.float64).ravel()
    left, right, low, high = (float(v) for v in box)
    if len(w) != 2 or not w.any() or not np.isfinite(w).all():
        raise InvalidInput("a line has two finite weights, not both 0; project first: plane(...).")
    if not (left < right and low < high):
        raise InvalidInput(f"the box {box} is empty; expected (x1 from, to, x2 from, to).")
    # Start at the point nearest to the centre of the box and clip the line by Liang and Barsky.
    centre = np.array([(left + right) / 2, (low + high) / 2])
    start = centre - (w @ centre + float(intercept) - score) / (w @ w) * w
    along = np.array([w[1], -w[0]]) / np.linalg.norm(w)
    first, last = -np.inf, np.inf
    for x, d, smallest, largest in zip(start, along, (left, low), (right, high), strict=True):
        if d == 0.0:
            if not smallest <= x <= largest:
                return None
            continue
        ends = sorted(((smallest - x) / d, (largest - x) / d))
        first, last = max(first, ends[0]), min(last, ends[1])
    if first > last:
        return None
    ends_of_line = (start + first * along, start + last * along)
    a, b = sorted((float(p[0]), float(p[1])) for p in ends_of_line)
    return a, b


@dataclass(frozen=True)
class Plane:
    """Two orthonormal axes: the first along w, so that the hyperplane is a vertical line."""

    axes: Floats
    """Two rows; points are X @ axes.T."""
    boundary: float
    """The first coordinate of the hyperplane: −b/‖w‖."""

    def points(self, X: Any) -> Floats:
        return np.asarray((X if is_sparse(X) else np.asarray(X, dtype=float)) @ self.axes.T)


def plane(X: Any, weights: npt.ArrayLike, intercept: float = 0.0, second: Any = None) -> Plane:
    """A plane for plotting many dimensions: along w, and orthogonal to it where X varies most.

    The second axis is the first principal component of X orthogonal to w; or `second`, made
    orthogonal to w, such as a later or earlier w.

    >>> X = [[1.0, 0.0, 5.0], [-1.0, 0.0, -5.0], [0.0, 1.0, 0.0]]
    >>> found = plane(X, weights=[2.0, 0.0, 0.0], intercept=1.0)
    >>> abs(found.axes).round(2).tolist(), found.boundary
    ([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], -0.5)
    """
    u = direction(weights)
    rows = X if is_sparse(X) else np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(u):
        raise InvalidInput(f"X has shape {rows.shape}, but there are {len(u)} weights.")
    if second is None and len(u) > 1:
        across = widest_across(rows, u)
    else:
        across = np.zeros(1) if second is None else np.asarray(second, dtype=float).ravel()
    across = across - (across @ u) * u
    length = float(np.linalg.norm(across))
    if length <= 1e-12:
        # Nothing varies orthogonally to w: any direction will do.
        across = np.eye(len(u))[int(np.argmin(np.abs(u)))] if len(u) > 1 else np.zeros(1)
        across = across - (across @ u) * u
        length = float(np.linalg.norm(across)) or 1.0
    offset = float(intercept) / float(np.linalg.norm(np.asarray(weights, dtype=float)))
    return Plane(np.stack([u, across / length]), -offset)


def widest_across(X: Any, e: Floats) -> Floats:
    """The unit vector orthogonal to e along which the rows of X vary most.

    It is the first principal direction of Z = X_c − (X_c·e)·eᵀ, where X_c is X without its mean;
    found from ZᵀZ or, with many features, which may be sparse, from ZZᵀ, so that Z is never
    computed explicitly.
    """
    rows, n = X.shape
    along = np.asarray(X @ e)
    along = along - along.mean()
    if n <= rows:
        mean = np.asarray(X.mean(axis=0)).ravel()
        spread = _dense(X.T @ X) - rows * np.outer(mean, mean)
        across = np.eye(n) - np.outer(e, e)
        values, vectors = np.linalg.eigh(across @ spread @ across)
        direction = vectors[:, -1]
    else:
        gram = _dense(X @ X.T)
        gram = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
        values, vectors = np.linalg.eigh(gram - np.outer(along, along))
        u = vectors[:, -1]
        direction = np.asarray(X.T @ (u - u.mean()))
    if values[-1] <= 1e-12 * max(1.0, float(along @ along)):
        direction = np.eye(n)[np.argmin(np.abs(e))]  # the rows lie on a line: any other will do
    direction = direction - (direction @ e) * e
    direction /= np.linalg.norm(direction)
    sign = np.sign(direction[np.argmax(np.abs(direction))])
    return np.asarray(sign * direction, np.float64)


def _dense(product: Any) -> Floats:
    return np.asarray(product.todense() if is_sparse(product) else product, np.float64)
