"""The worst order: as bad as the best of all orders where all are tried, and within the bound."""

import itertools

import numpy as np
import pytest

from thresher import LMS, PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.theory import worst_order


def points(seed, size):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(size, 2))
    y = (X @ [1.0, 0.5] > 0).astype(int)
    X += 0.1 * (2 * y - 1)[:, None] * [1.0, 0.5]
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_all_orders_of_a_few_rows(seed):
    X, y = points(seed, 6)
    most = max(
        Perceptron(average=False).fit(X[list(order)], y[list(order)]).mistakes_
        for order in itertools.permutations(range(6))
    )
    found = worst_order(Perceptron(), X, y)
    assert found.proved and found.mistakes == most
    order = found.order
    assert Perceptron(average=False).fit(X[order], y[order]).mistakes_ == most


@pytest.mark.parametrize("learner", [Perceptron(), PassiveAggressive(variant="PA")])
def test_a_search_finds_more_mistakes_and_no_more_than_the_bound(learner):
    X, y = points(7, 60)
    calls = []
    found = worst_order(learner, X, y, steps=300, progress=lambda *told: calls.append(told))
    assert found.mistakes >= max(found.given, found.worst_first, found.barely_wrong) > 0
    assert found.mistakes > found.given
    assert found.mistakes <= found.bound.value
    assert not found.proved and found.tried == len(calls) == calls[-1][1] == 303
    assert [most for _, _, most in calls] == sorted(most for _, _, most in calls)
    assert sorted(found.order.tolist()) == list(range(60))
    rerun = type(learner)(**learner.get_params() | {"average": False})
    assert rerun.fit(X[found.order], y[found.order]).mistakes_ == found.mistakes
    again = worst_order(learner, X, y, steps=300)
    assert again.order.tolist() == found.order.tolist()
    other = worst_order(learner, X, y, steps=300, random_state=1)
    assert other.order.tolist() != found.order.tolist()
    assert "at most" in str(found)


def test_winnow_and_bad_input():
    rng = np.random.default_rng(0)
    X = (rng.random((40, 12)) < 0.2).astype(float)
    y = X[:, :2].any(axis=1).astype(int)
    found = worst_order(Winnow(), X, y, steps=100)
    assert found.given <= found.mistakes <= found.bound.value
    with pytest.raises(InvalidInput, match="online classifier"):
        worst_order(LMS(), X, y)
    with pytest.raises(InvalidInput, match="expected two"):
        worst_order(Perceptron(), X, np.arange(40) % 3)
