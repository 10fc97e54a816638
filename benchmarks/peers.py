"""The same algorithm in Thresher and in another library, and a check that results agree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from river import linear_model
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

from thresher import LogisticRegression, PassiveAggressive, Perceptron

# scikit-learn keeps float32 weights for float32 data, we keep float64: where steps are fractions
# the two drift apart, and examples close to the boundary may end up on the other side of it.
SAME_PREDICTIONS = 0.999
# With float64 on both sides only the order of summation differs.
SAME_WEIGHTS = 1e-9


class Unequal(Exception):
    """Two learners that should be the same are not: their times are not comparable."""


@dataclass(frozen=True)
class Pair:
    """One algorithm twice. No intercept: on CSR scikit-learn learns it a hundred times slower."""

    name: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    exact: bool  # every step is a whole multiple of x, so that float32 has no rounding either


PAIRS = (
    Pair(
        "Perceptron",
        "sklearn Perceptron",
        lambda: Perceptron(average=False, fit_intercept=False),
        lambda: SklearnPerceptron(eta0=1.0, fit_intercept=False, shuffle=False),
        exact=True,
    ),
    Pair(
        "PassiveAggressive",
        "sklearn PassiveAggressive",
        lambda: PassiveAggressive(C=1.0, variant="PA-I", average=False, fit_intercept=False),
        # It replaced PassiveAggressiveClassifier in scikit-learn 1.8.
        lambda: SGDClassifier(
            loss="hinge",
            penalty=None,
            learning_rate="pa1",
            eta0=1.0,
            fit_intercept=False,
            shuffle=False,
        ),
        exact=False,
    ),
    Pair(
        "averaged Perceptron",
        "sklearn SGD(average=True)",
        lambda: Perceptron(average=True, fit_intercept=False),
        lambda: SGDClassifier(
            loss="perceptron",
            penalty=None,
            learning_rate="constant",
            eta0=1.0,
            average=True,
            fit_intercept=False,
            shuffle=False,
        ),
        exact=False,
    ),
)

LOGISTIC = Pair(
    "LogisticRegression(step='constant')",
    "sklearn SGD(log_loss, constant)",
    lambda: LogisticRegression(step="constant", learning_rate=0.1, fit_intercept=False),
    lambda: SGDClassifier(
        loss="log_loss",
        penalty=None,
        learning_rate="constant",
        eta0=0.1,
        fit_intercept=False,
        shuffle=False,
    ),
    exact=False,
)


def difference(w: Any, v: Any) -> float:
    """The largest difference of two weight vectors, relative to the largest weight."""
    return float(np.abs(w - v).max() / np.abs(v).max())


def check_pair(pair: Pair, X: Any, y: Any) -> str:
    """Weights in float64, then predictions in X's own type; what was found, in words."""
    classes = np.unique(y)
    wide = X.astype(np.float64)
    ours = pair.ours().partial_fit(wide, y, classes=classes)
    theirs = pair.theirs().partial_fit(wide, y, classes=classes)
    far = difference(ours.coef_, theirs.coef_)
    if far > (0.0 if pair.exact else SAME_WEIGHTS):
        raise Unequal(f"{pair.name}: weights differ from those of {pair.peer} by {far:.1e}.")
    ours = pair.ours().partial_fit(X, y, classes=classes)
    theirs = pair.theirs().partial_fit(X, y, classes=classes)
    # Signs, not labels: a score of exactly 0 is positive for us, negative for scikit-learn.
    same = np.mean(np.sign(ours.decision_function(X)) == np.sign(theirs.decision_function(X)))
    if same < (1.0 if pair.exact else SAME_PREDICTIONS):
        raise Unequal(f"{pair.name}: only {same:.4%} of predictions are those of {pair.peer}.")
    weights = "weights equal" if far == 0 else f"weights to {far:.0e}"
    return f"{weights}, predictions {same:.2%}"


def check_weights(name: str, ours: Any, theirs: Any, within: float = 0.0) -> str:
    """Weights of two models that should have learned the same."""
    far = difference(ours.coef_, theirs.coef_)
    if far > within:
        raise Unequal(f"{name}: weights differ by {far:.1e}.")
    return "weights equal" if far == 0 else f"weights to {far:.0e}"


def check_river(examples: list[tuple[dict[str, float], bool]]) -> str:
    """River's perceptron and ours along one stream: each prediction, then the weights."""
    ours, theirs = Perceptron(average=False), linear_model.Perceptron()
    seen: set[bool] = set()
    compared = 0
    for step, (x, y) in enumerate(examples, 1):
        # Until both labels were seen we predict the one there is, River predicts False; and a score
        # of exactly 0 is positive for us, negative for River.
        if len(seen) == 2 and ours.score_one(x) != 0:
            compared += 1
            if ours.predict_one(x) != theirs.predict_one(x):
                raise Unequal(f"example {step}: prediction differs from River's.")
        ours.learn_one(x, y)
        theirs.learn_one(x, y)
        seen.add(y)
    there = {name: w for name, w in theirs.weights.items() if w != 0}
    here = dict(ours.top_features(k=len(there) + 1))
    if here != there or ours.intercept_[0] != theirs.intercept:
        raise Unequal("after the stream the weights differ from River's.")
    return f"weights equal, {compared:,} predictions equal"
