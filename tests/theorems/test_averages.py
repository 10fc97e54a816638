"""Means of hypotheses: which they are, and what follows from that."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import LMS, PassiveAggressive, Perceptron, Snow, Winnow
from thresher.errors import InvalidInput


def a_stream(n, seed=0, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns)).round(2)
    turned = np.where(np.arange(n) < n // 2, 1, -1)  # half-way the truth turns round
    return X, np.where(turned * X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")


def hypotheses(X, y, **options):
    """The weights after each example."""
    model = PassiveAggressive(average=False, **options)
    out = []
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=["no", "yes"])
        out.append(np.append(model.coef_[0], model.intercept_))
    return np.array(out)


def mean_of(model):
    return np.append(model.coef_[0], model.intercept_)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 9, 31, 64, 100])
def test_the_tail_is_the_mean_of_the_last_half_to_three_quarters(n):
    X, y = a_stream(n)
    path = hypotheses(X, y)
    power = 2 ** int(np.log2(n))
    first = power // 2
    assert n == 1 or n / 2 <= n - first < 3 * n / 4 + 1
    model = PassiveAggressive(average="tail").partial_fit(X, y, classes=["no", "yes"])
    np.testing.assert_allclose(mean_of(model), path[first:].mean(axis=0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("beta", [0.5, 0.9, 0.999])
def test_a_fading_mean_counts_each_hypothesis_by_its_age(beta):
    """Also where the numbers that it keeps have been divided many times."""
    X, y = a_stream(2000)
    path = hypotheses(X, y)
    weights = beta ** np.arange(len(X) - 1, -1, -1.0)
    model = PassiveAggressive(average=beta).partial_fit(X, y, classes=["no", "yes"])
    expected = weights @ path / weights.sum()
    np.testing.assert_allclose(mean_of(model), expected, rtol=1e-9, atol=1e-12)


@given(st.integers(1, 60), st.integers(0, 99), st.sampled_from([True, "tail", 0.8]))
def test_jensen(n, seed, average):
    """On any example a convex loss of the mean is at most the mean of the losses."""
    X, y = a_stream(n, seed)
    model = PassiveAggressive(average=average).partial_fit(X, y, classes=["no", "yes"])
    first = 2 ** int(np.log2(n)) // 2 if average == "tail" else 0
    path = hypotheses(X, y)[first:]
    beta = average if isinstance(average, float) else 1.0
    weights = beta ** np.arange(len(path) - 1, -1, -1.0)
    other, truth = a_stream(20, seed + 1)
    signs = np.where(truth == "yes", 1.0, -1.0)
    rows = np.hstack([other, np.ones((20, 1))])
    hinge = np.maximum(0.0, 1.0 - signs * model.decision_function(other))
    each = np.maximum(0.0, 1.0 - signs[:, None] * (rows @ path.T))
    assert np.all(hinge <= each @ weights / weights.sum() + 1e-9)


def test_means_that_forget_follow_a_target_that_turned_round():
    X, y = a_stream(4000)
    later, truth = X[3000:], y[3000:]
    errors = {
        average: 1 - PassiveAggressive(average=average).fit(X[:3000], y[:3000]).score(later, truth)
        for average in (True, "tail", 0.99)
    }
    assert errors["tail"] < errors[True] and errors[0.99] < errors[True]


def test_a_mean_cannot_change_its_kind_once_learning_has_begun():
    X, y = a_stream(20)
    model = PassiveAggressive(average=0.9).fit(X, y)
    assert model.set_params(average=0.99).average == 0.99
    for other in (True, "tail"):
        with pytest.raises(InvalidInput, match=r"average cannot change from 0\.99"):
            model.set_params(average=other)
    last = PassiveAggressive(average=False).fit(X, y)
    np.testing.assert_array_equal(model.set_params(average=False).coef_, last.coef_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Perceptron(average=1.0), r"average is 1\.0; expected True or False, 'tail', or a number"),
        (LMS(average="late"), "average is 'late'; expected True or False"),
        (Winnow(average="tail", negations=True), "average='tail' and negations=True"),
        (Snow(average="tail"), "average is 'tail', .*; expected True or False, or a number"),
    ],
)
def test_means_that_are_refused(model, message):
    with pytest.raises(InvalidInput, match=message):
        model.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
