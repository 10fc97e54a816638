"""A stream measured by a comparator: the margins and norms that the bounds are computed from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.theory.signed import Floats, SignedExamples, signed_examples


@dataclass(frozen=True)
class Margins:
    """The margins m = y·(u·x) of all examples for a unit vector u, and how long the x are.

    Any u gives valid bounds; a good separator gives small ones. Only eight bytes per example are
    kept, so a stream is measured batch by batch: `a + b` joins the results of two batches.

    >>> X, y = [[3.0, 4.0], [-3.0, -4.0]], [1, -1]
    >>> margins = Margins.of(X, y, weights=[1.0, 0.0], fit_intercept=False)
    >>> margins.gamma, margins.R
    (3.0, 5.0)
    >>> margins.D2(4.0), margins.TD(4.0)  # two slacks of 1
    (1.4142135623730951, 2.0)
    """

    values: Floats
    """y·(u·x), in the order of the stream."""
    R: float
    """The largest ‖x‖, the constant feature included."""
    r: float = 0.0
    """The smallest ‖x‖."""
    R_inf: float = math.nan
    """The largest |x_i|."""
    u_l1: float = math.nan
    """Σ|u_i|; with R_inf it gives the scale of Winnow's bounds."""
    u_entropy: float = 0.0
    """−Σ p·ln p, p = |u_i|/Σ|u_i|; 0 where u is not known, which Balanced Winnow's bound allows."""

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        weights: npt.ArrayLike,
        intercept: float = 0.0,
        fit_intercept: bool = True,
        *,
        classes: Any = None,
        intercept_scaling: float = 1.0,
    ) -> Self:
        """Measure X and y with the comparator (weights, intercept), scaled to length 1.

        With `fit_intercept` the comparator's last weight is that of the constant feature:
        intercept / intercept_scaling. `classes` names the two labels where a batch may lack one.
        """
        u = np.asarray(weights, dtype=np.float64).ravel()
        if fit_intercept:
            u = np.append(u, float(intercept) / intercept_scaling)
        elif intercept:
            raise InvalidInput("intercept is not 0, but fit_intercept is False; drop one of both.")
        examples = signed_examples(
            X, y, fit_intercept, classes=classes, intercept_scaling=intercept_scaling
        )
        if len(u) != examples.columns:
            bias = 1 if fit_intercept else 0
            raise InvalidInput(
                f"the comparator has {len(u) - bias} weights, X has {examples.columns - bias} "
                "columns; expected as many."
            )
        return cls.of_examples(examples, u)

    @classmethod
    def of_examples(cls, examples: SignedExamples, u: Floats) -> Self:
        """Measure examples with a vector as long as they are, the constant feature included."""
        u = unit(u)
        norms = np.sqrt(examples.squared_norms())
        data = examples.rows.data if examples.sparse else examples.rows
        return cls(
            values=examples.y * np.asarray(examples.rows @ u),
            R=float(norms.max()),
            r=float(norms.min()),
            R_inf=float(np.abs(data).max(initial=0.0)),
            u_l1=float(np.abs(u).sum()),
            u_entropy=entropy(u),
        )

    def __add__(self, other: Margins) -> Margins:
        return joined([self, other])

    @property
    def gamma(self) -> float:
        """The smallest margin: u separates the stream if it is > 0."""
        return float(self.values.min())

    def slacks(self, gamma: float) -> Floats:
        """ξ = max(0, γ − m) of each example."""
        return np.maximum(0.0, gamma - self.values)

    def D2(self, gamma: float) -> float:
        """√Σ ξ²."""
        return float(np.linalg.norm(self.slacks(gamma)))

    def TD(self, gamma: float) -> float:
        """Σ ξ."""
        return float(self.slacks(gamma).sum())


def joined(parts: list[Margins]) -> Margins:
    """The margins of a stream from those of its batches, all measured with the same comparator.

    >>> a, b = Margins(np.array([1.0]), R=1.0), Margins(np.array([-1.0]), R=2.0)
    >>> joined([a, b]).values.tolist(), joined([a, b]).R
    ([1.0, -1.0], 2.0)
    """
    if not parts:
        raise InvalidInput("there are no margins to join; expected at least one batch.")
    return replace(
        parts[0],
        values=np.concatenate([part.values for part in parts]),
        R=max(part.R for part in parts),
        r=min(part.r for part in parts),
        R_inf=max(part.R_inf for part in parts),
    )


def entropy(u: Floats) -> float:
    """−Σ p·ln p, p = |u_i|/Σ|u_i|.

    >>> round(entropy(np.array([1.0, -1.0, 0.0])), 6)
    0.693147
    """
    p = np.abs(u) / np.abs(u).sum()
    p = p[p > 0.0]
    return max(0.0, -float(p @ np.log(p)))


def unit(u: Floats) -> Floats:
    """u/‖u‖."""
    largest = float(np.abs(u).max(initial=0.0))
    if not math.isfinite(largest) or largest == 0.0:
        raise InvalidInput(
            "the comparator is zero, NaN or infinite; expected weights that point somewhere."
        )
    u = u / largest  # before squaring: no overflow
    return np.asarray(u / np.linalg.norm(u))
