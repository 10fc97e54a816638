"""Held-out error after one pass over real data, compared with scikit-learn's same algorithm.

The last hypothesis of a perceptron depends on the last few examples: from one order to another its
error moves by a point and more. So each figure is the mean over a few random orders, the same ones
for both libraries. Averages hardly move: two orders of them are enough.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

from shared_sets import SETS, HeldOut
from thresher import PassiveAggressive, Perceptron

pytestmark = [pytest.mark.slow, pytest.mark.nosanitize]

ORDERS = {"perceptron": 5, "averaged perceptron": 2, "averaged PA-I": 2}
# The last hypothesis on this one is unsettled: its error has a standard deviation near 2 points
# from order to order, so the mean over 5 would be decided by chance. So it is on mnist, where 20
# orders take too long for a test.
UNSETTLED = {("a9a", "perceptron"): 20}
WORSE_BY_AT_MOST = 0.3  # points

LEARNERS = ("perceptron", "averaged perceptron", "averaged PA-I")
CASES = [
    (s, learner) for s in SETS for learner in LEARNERS if (s, learner) != ("mnist", "perceptron")
]

# Points, one pass by scikit-learn in one random order.
FIGURES = {
    "averaged perceptron": {"a9a": 15.1, "imdb": 12.7, "news20": 20.7, "mnist": 8.3},
    "averaged PA-I": {"a9a": 15.0, "imdb": 11.8, "news20": 17.5, "mnist": 8.5},
}
# What another order may add. news20 has another random fifth held out in each order as well: its
# 3,187 posts measure an error near 20 % with a standard deviation of 0.7 points.
TOLERANCE = {"a9a": 0.3, "imdb": 0.3, "news20": 0.7, "mnist": 0.3}


# What scikit-learn does by itself: one machine for each class, and, on sparse rows, an intercept
# that learns at a hundredth of the rate, which is a constant feature of value 0.1.
AS_SKLEARN = {
    "a9a": {},
    "imdb": {"intercept_scaling": 0.1},
    "news20": {"intercept_scaling": 0.1, "multiclass": "one-vs-rest"},
    "mnist": {"multiclass": "one-vs-rest"},
}


def ours(learner: str, **options: Any) -> Any:
    if learner == "averaged PA-I":
        return PassiveAggressive(C=1.0, variant="PA-I", average=True, **options)
    return Perceptron(average=learner == "averaged perceptron", **options)


def sklearns(learner: str, **options: Any) -> Any:
    options = {"shuffle": False, "penalty": None} | options
    if learner == "perceptron":
        return SklearnPerceptron(**options)
    if learner == "averaged perceptron":
        steps = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0}
    else:
        steps = {"loss": "hinge", "learning_rate": "pa1", "eta0": 1.0}
    return SGDClassifier(average=True, **steps, **options)


def error(model: Any, data: HeldOut) -> float:
    """Held-out error in points after one pass."""
    X, y = data.train
    model.partial_fit(X, y, classes=np.unique(y))
    X_test, y_test = data.test
    return 100 * float(np.mean(model.predict(X_test) != y_test))


def mean_errors(
    name: str, folder: Path, orders: int, *makers: Callable[[], Any]
) -> tuple[float, ...]:
    errors = []
    for seed in range(orders):
        data = SETS[name](folder, seed)
        errors.append([error(make(), data) for make in makers])
    return tuple(np.mean(errors, axis=0))


@pytest.mark.parametrize(("name", "learner"), CASES)
def test_no_worse_than_sklearn_and_than_the_known_figures(
    name: str, learner: str, shared_data: Path
) -> None:
    here, there = mean_errors(
        name,
        shared_data,
        UNSETTLED.get((name, learner), ORDERS[learner]),
        lambda: ours(learner, **AS_SKLEARN[name]),
        lambda: sklearns(learner),
    )
    print(f"{name}, {learner}: {here:.2f} %, scikit-learn {there:.2f} %")
    assert here <= there + WORSE_BY_AT_MOST
    if learner in FIGURES:
        assert here <= FIGURES[learner][name] + TOLERANCE[name]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", ["a9a", "imdb"])
def test_same_weights_as_sklearn_without_an_intercept(
    name: str, learner: str, shared_data: Path
) -> None:
    """Two classes, no intercept: both run the same algorithm, so both end with the same weights."""
    X, y = SETS[name](shared_data, 0).train
    here = ours(learner, fit_intercept=False).partial_fit(X, y).coef_
    there = sklearns(learner, fit_intercept=False).partial_fit(X, y, np.unique(y)).coef_
    np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9 * np.abs(there).max())
