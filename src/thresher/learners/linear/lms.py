"""Least mean squares, and its largest stable learning rate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.learners.base.examples import read_rows
from thresher.learners.base.groups import (
    Averaging,
    ClippedPredictions,
    Intercept,
    Mean,
    Passes,
    Preparation,
)
from thresher.learners.base.learner import Engine
from thresher.learners.base.regressor import OnlineRegressor
from thresher.learners.linear.perceptron import Rate
from thresher.options import but, choice, finite, flag, real
from thresher.sparse import is_sparse


class LMS(Averaging, Passes, Intercept, ClippedPredictions, Preparation, OnlineRegressor):
    """Least mean squares (Widrow & Hoff 1960): w += η·r·x, r = y − w·x.

    Weights that run away raise `DivergenceError`; the last good ones are kept.

    Examples
    --------
    >>> from thresher import LMS
    >>> model = LMS(normalized=True)
    >>> model.learn_one({"x": 3.0}, 7.0)
    >>> round(model.predict_one({"x": 3.0}), 12)
    7.0
    """

    engine = Engine("additive", "lms")

    learning_rate: Rate = real(
        default="auto",
        words=("auto", "1/t", "1/sqrt(t)"),
        function=True,
        above=0.0,
        doc='η: a number, "1/t", "1/sqrt(t)", a function of t (examples so far), or "auto": '
        "1/(2·λ_max + trace) of E[x xᵀ], both estimated as examples come, which is stable in the "
        "mean square for Gaussian inputs, and never more than 1/‖x‖².",
    )
    normalized: bool = flag(
        default=False,
        doc='divide the step by ‖x‖² (NLMS); η is then between 0 and 2, "auto" is 1, and η = 1 '
        "hits each target exactly.",
    )
    step: str = choice(
        "gradient", "scale-free",
        kw_only=True,
        default="gradient",
        doc='"gradient" is the step above; "scale-free" (normalised adaptive gradients, Ross, '
        "Mineiro & Langford 2013) gives each weight its own, so that the units of the columns and "
        'of the target do not matter: then η is a number, and "auto" is 0.5.',
    )  # fmt: skip
    average: Mean = but(
        default=False,
        doc="predict with the mean of all hypotheses, which removes most of the noise that a "
        'constant η leaves; or with a mean that forgets: "tail", or a number such as 0.999.',
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        rate, step = options["learning_rate"], options.pop("step")
        automatic = isinstance(rate, str) and rate == "auto"
        if step == "scale-free":
            return self._scale_free(options, 0.5 if automatic else rate)
        return options | {
            "learning_rate": 1.0 if automatic else rate,
            "estimate_curvature": automatic and not options["normalized"],
        }

    def _scale_free(self, options: dict[str, Any], rate: Any) -> dict[str, Any]:
        if options.pop("normalized"):
            raise InvalidInput(
                "step='scale-free' and normalized=True contradict each other: the first makes "
                "steps that do not depend on the length of an example; drop one of both."
            )
        if not isinstance(rate, float):
            raise InvalidInput(
                f"learning_rate is {rate!r}, and step='scale-free' decays by itself; expected a "
                "number or 'auto'."
            )
        own = {"geometry": "scale-free", "rule": "squared", "lands": True}
        return options | own | {"learning_rate": rate}


@dataclass(frozen=True)
class LMSStability:
    """Eigenvalues of the mean of x·xᵀ and what they imply for LMS on such data."""

    lambda_min: float
    """The smallest eigenvalue: the slowest direction."""
    lambda_max: float
    """The largest eigenvalue."""
    eta_max: float
    """2/λ_max: below this the mean of the weights over many runs converges. A single run may still
    diverge: see `eta_mean_square`."""
    rate: float
    """λ_min/λ_max: near 0 learning is slow in some direction, whatever the learning rate."""
    eigenvalues: tuple[float, ...] = field(default=(), repr=False)
    """All of them, from the smallest; in each direction the error shrinks independently."""

    @property
    def trace(self) -> float:
        """The sum of the eigenvalues, which is the mean of ‖x‖²."""
        return float(sum(self.eigenvalues))

    @property
    def eta_mean_square(self) -> float:
        """2/(2·λ_max + trace): below this the mean square of the error stays bounded, too, for
        independent Gaussian inputs (Feuer & Weinstein 1985). This is what a single run needs. With
        many features of equal variance it is far below `eta_max`.
        """
        total = 2.0 * self.lambda_max + self.trace
        return 2.0 / total if total > 0.0 else float("inf")

    @property
    def condition(self) -> float:
        """λ_max/λ_min: how many times slower the slowest direction is."""
        return self.lambda_max / self.lambda_min if self.lambda_min > 0.0 else float("inf")

    def time_constants(self, learning_rate: float) -> tuple[float, ...]:
        """Examples after which the mean error in each direction is down to 1/e of what it was.

        In the direction of λ each example multiplies it by 1 − η·λ. A direction without variance
        is never learned, and one with η·λ ≥ 2 never settles: both have infinity.

        Examples
        --------
        >>> import numpy as np
        >>> facts = lms_stability(np.array([[2.0, 0.0], [0.0, 1.0]]), fit_intercept=False)
        >>> [round(t, 2) for t in facts.time_constants(0.1)]
        [19.5, 4.48]
        """
        eta = finite("learning_rate", learning_rate, above=0.0)
        shrink = (abs(1.0 - eta * value) for value in self.eigenvalues)
        return tuple(
            float("inf") if s >= 1.0 else 0.0 if s == 0.0 else -1.0 / math.log(s) for s in shrink
        )


def lms_stability(X: Any, fit_intercept: bool = True) -> LMSStability:
    """The largest stable learning rate of LMS on X, and how fast it can be.

    All eigenvalues are computed, at O(columns³): for up to a few thousand columns.

    >>> import numpy as np
    >>> lms_stability(np.array([[2.0, 0.0], [0.0, 1.0]]), fit_intercept=False)
    LMSStability(lambda_min=0.5, lambda_max=2.0, eta_max=1.0, rate=0.25)
    """
    read_rows(X)
    dense = X.toarray() if is_sparse(X) else read_rows(X).core
    values = np.asarray(dense, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InvalidInput("X contains NaN or inf; expected finite numbers.")
    if fit_intercept:
        values = np.hstack([values, np.ones((len(values), 1))])
    eigenvalues = np.linalg.eigvalsh(values.T @ values / len(values))
    largest = float(eigenvalues[-1])
    smallest = max(0.0, float(eigenvalues[0]))
    every = tuple(np.maximum(eigenvalues, 0.0).tolist())
    if largest <= 0.0:
        return LMSStability(0.0, 0.0, float("inf"), 1.0, every)
    return LMSStability(smallest, largest, 2.0 / largest, smallest / largest, every)
