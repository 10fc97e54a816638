"""Balanced Winnow: what a score of 0 does, and counts beyond [−1, 1]."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import BalancedWinnow


@pytest.mark.parametrize("y", [-1, 1])
def test_a_score_of_zero_is_a_mistake_for_either_label(y):
    """f(x) = 1 but s ≤ 0 promotes, f(x) = 0 but s ≥ 0 demotes: by a factor of 2, from (1, 1)."""
    model = BalancedWinnow(alpha=2.0, fit_intercept=False)
    model.learn_one({"b": 1.0}, -y)  # from here on both labels are known
    model.learn_one({"a": 1.0}, y)  # of a nothing is known: s = 0
    assert model.score_one({"a": 1.0}) == y * (2.0 - 0.5)
    assert model.mistakes_ == model.updates_ == 2
    model.learn_one({"a": 1.0}, -y)  # back to (1, 1)
    assert model.score_one({"a": 1.0}) == 0.0


# Powers of two, so that dividing a row by its largest value is exact, and so is every score.
COUNTS = st.sampled_from([-256.0, -8.0, -1.0, -0.5, 0.0, 0.25, 1.0, 4.0, 64.0])


@given(
    rows=st.lists(st.lists(COUNTS, min_size=3, max_size=3), min_size=2, max_size=20),
    labels=st.lists(st.sampled_from([-1, 1]), min_size=20, max_size=20),
)
def test_on_counts_it_is_balanced_winnow_on_scaled_rows(rows, labels):
    X, y = np.array(rows), labels[: len(rows)]
    scaled = X / np.maximum(1.0, np.abs(X).max(axis=1, keepdims=True))
    model = BalancedWinnow(fit_intercept=False).fit(X, y)
    plain = BalancedWinnow(fit_intercept=False, scaled=False).fit(scaled, y)
    assert model.mistakes_ == plain.mistakes_
    assert np.array_equal(model.coef_, plain.coef_)
    assert model.clamped_ == 0


def test_it_survives_counts():
    """Words that come up to a hundred times, of which twenty decide: as text has them."""
    rng = np.random.default_rng(0)
    means = np.concatenate([np.full(20, 0.5), 40.0 / np.arange(1, 181)])
    X = rng.poisson(means, size=(6000, 200)).astype(float)
    y = np.where(X[:, :10].sum(axis=1) >= X[:, 10:20].sum(axis=1), 1, 0)
    train, test = slice(0, 4000), slice(4000, None)
    model = BalancedWinnow(average=True).fit(X[train], y[train])
    assert model.score(X[test], y[test]) > 0.8 and model.clamped_ == 0
    unscaled = BalancedWinnow(average=True, scaled=False).fit(X[train], y[train])
    assert unscaled.score(X[test], y[test]) < 0.65


@given(seed=st.integers(0, 2**32 - 1))
def test_the_audit_of_counts_is_of_the_rows_as_they_are_learned(seed):
    """Rows of ±1 and the same rows times 2^k: one run, one bound."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(200, 20))
    y = np.sign(X[:, :3].sum(axis=1))
    counts = X * 2.0 ** rng.integers(0, 8, size=(200, 1))
    model = BalancedWinnow(alpha=1.3, fit_intercept=False)
    rows = [model.fit(one, y).audit(one, y, comparator=np.eye(20)[:3].sum(axis=0)) for one in
            (X, counts)]  # fmt: skip
    plain, scaled = (found["Balanced Winnow"] for found in rows)
    assert plain.applies and scaled.applies and plain.holds and scaled.holds
    assert scaled.value == pytest.approx(plain.value) and scaled.figure == plain.figure
