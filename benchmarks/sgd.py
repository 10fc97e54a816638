"""What scikit-learn's SGD would have answered before each step of one pass.

`partial_fit` of single rows takes about a millisecond each, nearly all of it checks, and with
`average=True` it forgets its intercept between calls (scikit-learn 1.9). So the pass is made by
scikit-learn in one call, and its loop is followed here, in Numba, only to note the score of each
row before it is learned. The weights at the end must be scikit-learn's own: where they are not, the
answers are refused. Every sum is in its order, because large steps amplify rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDRegressor

Floats = npt.NDArray[np.float64]

HINGE, LOG, SQUARES, TUBE = range(4)
OPTIMAL, CONSTANT, INVERSE, PA1 = range(4)
LOSSES = {"hinge": HINGE, "perceptron": HINGE, "log_loss": LOG, "squared_error": SQUARES,
          "epsilon_insensitive": TUBE}  # fmt: skip
RATES = {"optimal": OPTIMAL, "constant": CONSTANT, "invscaling": INVERSE, "pa1": PA1}
STEEPEST = 1e12  # gradients are cut there
SAME = 1e-6  # weights, relative to the largest


class Different(Exception):
    """The loop here did not end with scikit-learn's weights."""


@njit(cache=True)
def follow(indptr, indices, data, columns, y, loss, threshold, rate, eta0, power, alpha, decay,
           average):  # fmt: skip
    """Scores before each row is learned; then weights and intercept, averaged if `average`.

    w = c·v; the sum of all w so far is a·v + u, so that a step costs no more than its row.
    """
    v, u = np.zeros(columns), np.zeros(columns)
    c, a, intercept, mean_intercept, t = 1.0, 0.0, 0.0, 0.0, 1.0
    scores = np.zeros(len(y))
    start = 1.0 / (np.sqrt(1.0 / np.sqrt(alpha)) * alpha) if alpha > 0.0 else 0.0
    for i in range(len(y)):
        vx, ux, squares = 0.0, 0.0, 0.0
        for k in range(indptr[i], indptr[i + 1]):
            vx += v[indices[k]] * data[k]
            ux += u[indices[k]] * data[k]
            squares += data[k] * data[k]
        p = c * vx + intercept
        scores[i] = p
        if average:
            scores[i] = (a * vx + ux) / (t - 1.0) + mean_intercept if t > 1.0 else 0.0
        label = y[i]
        if rate == PA1:
            if squares == 0.0:
                continue
            if loss == HINGE:
                update = label * min(eta0, max(0.0, threshold - p * label) / squares)
            else:
                update = min(eta0, max(0.0, abs(label - p) - threshold) / squares)
                if label < p:
                    update = -update
            eta = 0.0
        else:
            eta = eta0
            if rate == OPTIMAL:
                eta = 1.0 / (alpha * (start + t - 1.0))
            elif rate == INVERSE:
                eta = eta0 / t**power
            if loss == HINGE:
                slope = -label if p * label <= threshold else 0.0
            elif loss == LOG:
                happened, small = (1.0 if label > 0.0 else 0.0), np.exp(-p) if p > -37.0 else 0.0
                slope = ((1.0 - happened) - happened * small) / (1.0 + small)
                if p <= -37.0:
                    slope = np.exp(p) - happened
            else:
                slope = p - label
            update = -eta * min(max(slope, -STEEPEST), STEEPEST)
        c *= max(0.0, 1.0 - eta * alpha)
        if c < 1e-9:  # v becomes w itself
            u += a * v
            v *= c
            a, c = 0.0, 1.0
        for k in range(indptr[i], indptr[i + 1]):
            change = data[k] * (update / c)
            v[indices[k]] += change
            u[indices[k]] -= a * change
        intercept += update * decay
        a += c
        mean_intercept += (intercept - mean_intercept) / t
        t += 1.0
    if average:
        return scores, (a * v + u) / (t - 1.0), mean_intercept
    return scores, c * v, intercept


def progressive(model: Any, X: Any, y: npt.NDArray[Any]) -> Floats:
    """The scores of each row before `model`, which has learned them in one pass, learned it."""
    rows = csr_matrix(X)
    loss, rate = LOSSES[model.loss], RATES[model.learning_rate]
    threshold = {"hinge": 1.0, "perceptron": 0.0, "epsilon_insensitive": 0.1}.get(model.loss, 0.0)
    alpha = 0.0 if model.penalty is None else model.alpha
    decay = 1.0 if isinstance(X, np.ndarray) else 0.01  # of the intercept, on sparse rows

    def pass_for(targets: Floats, coef: Floats, intercept: float) -> Floats:
        scores, w, b = follow(
            rows.indptr, rows.indices, rows.data, rows.shape[1], targets, loss, threshold, rate,
            model.eta0, model.power_t, alpha, decay, bool(model.average),
        )  # fmt: skip
        far = max(np.abs(w - coef).max(), abs(b - intercept)) / max(np.abs(coef).max(), 1e-300)
        if not far <= SAME:
            raise Different(f"{model}: the weights differ from scikit-learn's by {far:.1e}")
        return np.asarray(scores)

    coefs, intercepts = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    if isinstance(model, SGDRegressor):
        return pass_for(y.astype(np.float64), coefs[0], intercepts[0])
    classes = model.classes_
    positive = classes[1:] if len(coefs) == 1 else classes
    columns = [
        pass_for(np.where(y == label, 1.0, -1.0), coef, intercept)
        for label, coef, intercept in zip(positive, coefs, intercepts, strict=True)
    ]
    return np.column_stack(columns)
