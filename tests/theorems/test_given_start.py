"""Runs that begin with given weights, in place of 0."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher import LMS, MIRA, PassiveAggressive, PassiveAggressiveRegressor, Perceptron, Winnow
from thresher.errors import InvalidInput

CLASSIFIERS = [Perceptron, PassiveAggressive, MIRA]


def data(seed, classes):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=60)
    y[:classes] = rng.permutation(classes)
    return rng.normal(size=(60, 4)), y, rng


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3, 5])
@given(seed=st.integers(0, 2**32 - 1))
def test_a_run_goes_on_from_the_weights_of_another(cls, classes, seed):
    """Unaveraged, all that a run depends on is its weights."""
    X, y, _ = data(seed, classes)
    begun = cls(average=False).fit(X[:30], y[:30])
    if len(begun.classes_) < classes:
        return
    on = copy.copy(begun).partial_fit(X[30:], y[30:])
    seen = np.isin(np.arange(classes), y[30:])
    if not seen.all():
        return
    again = cls(average=False).fit(
        X[30:], y[30:], coef_init=begun.coef_, intercept_init=begun.intercept_
    )
    np.testing.assert_allclose(again.coef_, on.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(again.intercept_, on.intercept_, rtol=1e-9, atol=1e-12)
    assert again.mistakes_ == on.mistakes_ - begun.mistakes_


@given(seed=st.integers(0, 2**32 - 1))
def test_random_weights_by_hand_and_their_average(seed):
    X, y, rng = data(seed, 2)
    w = rng.normal(size=4)
    model = Perceptron(average=False, fit_intercept=False).fit(X, y, coef_init=w)
    averaged = Perceptron(fit_intercept=False).fit(X, y, coef_init=w[None])
    total = np.zeros(4)
    for x, label in zip(X, y, strict=True):
        sign = 1.0 if label == 1 else -1.0
        if sign * (w @ x) <= 0.0:
            w = w + sign * x
        total += w
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(averaged.coef_[0], total / len(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cls", [LMS, PassiveAggressiveRegressor])
def test_regressors(cls):
    X, _, rng = data(1, 2)
    y, w = X @ [1.0, 2.0, 3.0, 4.0] + 5.0, rng.normal(size=4)
    exact = cls(max_epochs=1).fit(X, y, coef_init=[1.0, 2.0, 3.0, 4.0], intercept_init=5.0)
    np.testing.assert_allclose(exact.coef_, [1.0, 2.0, 3.0, 4.0], rtol=1e-9)
    assert exact.intercept_ == pytest.approx(5.0)
    start = cls(average=False).fit(X[:1], [X[0] @ w], coef_init=w)
    np.testing.assert_allclose(start.coef_, w, rtol=1e-9)


def test_labels_that_come_in_any_order_have_their_own_row():
    start = np.array([[3.0], [0.0], [-3.0]])
    X, y = [[0.0], [0.0], [0.0]], ["c", "a", "b"]
    model = Perceptron(average=False, intercept_scaling=0.5).fit(
        X, y, coef_init=start, intercept_init=[5.0, 1.0, 0.0]
    )
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.coef_.tolist() == start.tolist()
    one = Perceptron(average=False).fit([[1.0]], ["only"], coef_init=[2.0])
    assert one.coef_.tolist() == [[2.0]]
    for y, w in ((["b", "a"], 2.0), (["a", "b"], 2.0)):
        model = Perceptron(average=False).fit([[0.0], [0.0]], y, coef_init=[w], intercept_init=1e9)
        assert model.predict([[1.0]]).tolist() == ["b"]


def test_with_the_names_of_a_table():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([[1.0, 0.0], [0.0, 1.0]], columns=["left", "right"])
    model = Perceptron(average=False).fit(table, [0, 1], coef_init=[-5.0, 7.0])
    assert model.mistakes_ == 0
    assert dict(model.top_features()) == {"left": -5.0, "right": 7.0}
    assert model.predict_one({"left": 1.0}) == 0


def test_what_cannot_be_is_refused(tmp_path):
    X, y, _ = data(2, 2)
    for cls, options, why in (
        (Perceptron, {"coef_init": [1.0]}, r"coef_init has shape \(1,\); expected \(1, 4\)"),
        (Perceptron, {"coef_init": np.ones((2, 4))}, r"shape \(2, 4\); expected \(1, 4\)"),
        (Perceptron, {"coef_init": [np.nan] * 4}, "coef_init holds a NaN"),
        (Perceptron, {"intercept_init": [1.0, 2.0]}, r"intercept_init has shape \(2,\)"),
        (Perceptron, {"coef_init": np.ones(4), "audit": "live"}, "contradict each other"),
        (Winnow, {"coef_init": np.ones(4)}, "for learners that add to their weights"),
    ):
        with pytest.raises(InvalidInput, match=why):
            cls().fit(np.abs(np.clip(X, -1, 1)), y, **options)
    with pytest.raises(InvalidInput, match="fit_intercept is False"):
        Perceptron(fit_intercept=False).fit(X, y, intercept_init=[1.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'coef_start'"):
        Perceptron().fit(X, y, coef_start=np.ones(4))


def test_it_is_remembered_and_not_audited(tmp_path):
    X, y, _ = data(3, 2)
    model = Perceptron().fit(X, y, coef_init=np.ones(4))
    model.save(tmp_path / "model")
    for one in (model, pickle.loads(pickle.dumps(model)), thresher.load(tmp_path / "model")):
        with pytest.raises(InvalidInput, match="began with weights that were given"):
            one.audit(X, y)
    assert model.fit(X, y).audit(X, y).holds
