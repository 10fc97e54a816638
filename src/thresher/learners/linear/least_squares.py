"""Exact least squares, one example at a time."""

from __future__ import annotations

from thresher.learners.base.groups import ClippedPredictions, Intercept, PairsOfColumns
from thresher.learners.base.learner import Engine
from thresher.learners.base.online import OrderFree
from thresher.learners.base.regressor import OnlineRegressor
from thresher.options import but, flag, real


class RecursiveLeastSquares(
    Intercept, ClippedPredictions, PairsOfColumns, OrderFree, OnlineRegressor
):
    """Recursive least squares: after every example, the weights that a batch solution would have.

    It minimises ½·Σ λ^(n−t)·(y_t − w·x_t − b)² + ½·λ^n·l2·‖w‖² over the n examples so far. A step
    costs the square of the number of features, and so does memory: up to 10,000 features. Order
    does not matter (unless λ < 1), and a second pass would count everything twice, so there is
    one. A feature that is determined by others, so that its weight is not unique, has weight 0;
    later features are preferred.

    Examples
    --------
    >>> from thresher import RecursiveLeastSquares
    >>> model = RecursiveLeastSquares()
    >>> for x, y in [(1.0, 3.0), (2.0, 5.0), (3.0, 7.0)]:
    ...     model.learn_one({"x": x}, y)
    >>> round(model.predict_one({"x": 2.5}), 9)
    6.0
    """

    engine = Engine("least-squares")

    l2: float = real(
        default=0.0, least=0.0, doc="the ridge penalty; the intercept is not penalised."
    )
    standardized: bool = flag(
        default=False,
        kw_only=True,
        doc="the penalty is that of the weights of standardised columns, l2·σ_i²·w_i² with the "
        "variance σ_i² of each column so far, whatever its units; it is not forgotten. Solving for "
        "the weights then costs the cube of the number of features.",
    )
    forgetting: float = real(
        default=1.0,
        above=0.0,
        most=1.0,
        doc="λ: with each example all before it count λ times as much, and so does the penalty. "
        "About the last 1/(1 − λ) matter.",
    )
    fit_intercept: bool = but(default=True, doc="learn a constant as well.")
