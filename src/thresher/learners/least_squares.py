"""Exact least squares, one example at a time."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base import finite
from thresher.learners.online import OrderFree
from thresher.learners.regressor import OnlineRegressor


class RecursiveLeastSquares(OrderFree, OnlineRegressor):
    """Recursive least squares: after every example, the weights that a batch solution would have.

    It minimises ½·Σ λ^(n−t)·(y_t − w·x_t − b)² + ½·λ^n·l2·‖w‖² over the n examples so far. A step
    costs the square of the number of features, and so does memory: up to 10,000 features. Order
    does not matter (but for λ < 1), and a second pass would count everything twice, so there is
    one. A feature that others determine, so that its weight is not unique, has weight 0; a weight
    for the features that came later is preferred.

    Parameters
    ----------
    l2 : the ridge penalty, 0 or more; the intercept is not penalised.
    forgetting : λ in (0, 1]: with each example all before it count λ times as much, the penalty
        too. About the last 1/(1 − λ) matter.
    fit_intercept : learn a constant as well.

    Examples
    --------
    >>> from thresher import RecursiveLeastSquares
    >>> model = RecursiveLeastSquares()
    >>> for x, y in [(1.0, 3.0), (2.0, 5.0), (3.0, 7.0)]:
    ...     model.learn_one({"x": x}, y)
    >>> round(model.predict_one({"x": 10.0}), 9)
    21.0
    """

    def __init__(
        self, l2: float = 0.0, forgetting: float = 1.0, fit_intercept: bool = True
    ) -> None:
        self.l2 = l2
        self.forgetting = forgetting
        self.fit_intercept = fit_intercept

    def _core_options(self) -> dict[str, Any]:
        forgetting = finite("forgetting", self.forgetting, above=0.0)
        if forgetting > 1.0:
            raise InvalidInput(
                f"forgetting is {self.forgetting!r}; expected a number > 0 and ≤ 1 (1: nothing is "
                "forgotten)."
            )
        return {
            "geometry": "least_squares",
            "regressor": True,
            "l2": finite("l2", self.l2, least=0.0),
            "forgetting": forgetting,
            "fit_intercept": bool(self.fit_intercept),
        }
