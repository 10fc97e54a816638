"""The truncated perceptron: what it keeps, what it equals, and the ball it stays in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import Perceptron, TruncatedPerceptron
from thresher.errors import InvalidInput, ModelFileError

OFS = {"l2": 0.04, "margin": 1.0, "learning_rate": 0.3}


@st.composite
def streams(draw, classes=2):
    """Rows full of ties (bits) or of none, labels with noise; the first rows bring every class."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n = draw(st.integers(1, 12))
    X = rng.normal(size=(draw(st.integers(3, 40)), n))
    if draw(st.booleans()):
        X = (X > 0.3).astype(float)
    y = np.argmax(X @ rng.normal(size=(n, classes)) + rng.normal(size=(len(X), classes)), axis=1)
    y[:classes] = np.arange(classes)[: len(y)]
    return X, y


def truncate(w, keep):
    """The keep largest in size; of equals the earlier."""
    kept = np.zeros_like(w)
    best = np.argsort(-np.abs(w), kind="stable")[:keep]
    kept[best] = w[best]
    return kept


@given(made=streams(), keep=st.integers(1, 6), options=st.sampled_from([{}, OFS]))
def test_two_classes_never_use_more_than_keep_features(made, keep, options):
    X, y = made
    model = TruncatedPerceptron(keep=keep, **options)
    for row, label in zip(X, y, strict=True):
        model.partial_fit(row[None, :], [label])
        assert model.n_features_used_ == np.count_nonzero(model.coef_) <= keep


@given(made=streams(), options=st.sampled_from([{}, OFS]))
def test_the_intercept_is_neither_dropped_nor_shrunk(made, options):
    """Each update moves it by η, and nothing else does."""
    X, y = made
    model = TruncatedPerceptron(keep=1, **options).fit(X[:2], y[:2])
    eta = options.get("learning_rate", 1.0)
    for row, label in zip(X[2:], y[2:], strict=True):
        intercept, updates = model.intercept_[0], model.updates_
        model.partial_fit(row[None, :], [label])
        moved = eta * (2 * label - 1) * (model.updates_ - updates)
        assert model.intercept_[0] == intercept + moved


@given(made=streams(classes=4), keep=st.integers(1, 4))
def test_each_of_many_classes_keeps_its_own(made, keep):
    X, y = made
    model = TruncatedPerceptron(keep=keep).fit(X, y)
    assert np.count_nonzero(model.coef_, axis=1).max() <= keep
    assert model.n_features_used_ <= keep * len(model.classes_)


@pytest.mark.parametrize("classes", [2, 4])
@given(data=st.data(), margin=st.sampled_from([0.0, 0.5]))
def test_with_room_for_all_it_is_the_perceptron(classes, data, margin):
    """Bit for bit, where keep is at least the number of features."""
    X, y = data.draw(streams(classes))
    plain = Perceptron(average=False, margin=margin, learning_rate=0.3)
    truncated = TruncatedPerceptron(keep=X.shape[1], margin=margin, learning_rate=0.3)
    for _ in range(3):
        plain.partial_fit(X, y)
        truncated.partial_fit(X, y)
    np.testing.assert_array_equal(truncated.coef_, plain.coef_)
    np.testing.assert_array_equal(truncated.intercept_, plain.intercept_)
    assert truncated.mistakes_ == plain.mistakes_ and truncated.updates_ == plain.updates_


@given(made=streams(), keep=st.integers(1, 5))
def test_a_step_is_the_papers(made, keep):
    """PET: the perceptron's step, then all but the largest are 0. Checked step by step, on rows
    without ties."""
    X, y = made
    X = X + np.random.default_rng(0).normal(scale=0.01, size=X.shape)
    model, w = TruncatedPerceptron(keep=keep, fit_intercept=False), np.zeros(X.shape[1])
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    w = truncate(-X[0], keep)
    for row, label in zip(X[1:], y[1:], strict=True):
        sign = 2 * label - 1
        if sign * (w @ row) <= 0:
            w = truncate(w + sign * row, keep)
        model.partial_fit(row[None, :], [label])
        np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12, atol=1e-12)


@given(made=streams(), keep=st.integers(1, 12))
def test_with_l2_it_shrinks_projects_and_then_cuts(made, keep):
    X, y = made
    X = X + np.random.default_rng(0).normal(scale=0.01, size=X.shape)
    model, w = TruncatedPerceptron(keep=keep, fit_intercept=False, **OFS), np.zeros(X.shape[1])
    l2, eta, radius = OFS["l2"], OFS["learning_rate"], 1 / np.sqrt(OFS["l2"])
    for row, label in zip(X, y, strict=True):
        sign = 2 * label - 1
        if sign * (w @ row) <= OFS["margin"]:
            w = (1 - l2 * eta) * w + eta * sign * row
            w = truncate(w * min(1.0, radius / np.linalg.norm(w)), keep)
        model.partial_fit(row[None, :], [label], classes=[0, 1])
        np.testing.assert_allclose(np.abs(model.coef_[0]), np.abs(w), rtol=1e-9, atol=1e-9)


@given(made=streams(), scale=st.sampled_from([1.0, 100.0, 1e200]))
def test_with_l2_the_weights_stay_in_the_ball(made, scale):
    """Also where the squares of the weights would overflow. The intercept is outside of it."""
    X, y = made
    model = TruncatedPerceptron(keep=4, **OFS)
    for row, label in zip(scale * X, y, strict=True):
        model.partial_fit(row[None, :], [label])
        assert np.linalg.norm(model.coef_[0]) <= (1 + 1e-12) / np.sqrt(OFS["l2"])


def test_one_feature_is_the_largest():
    model = TruncatedPerceptron(keep=1, fit_intercept=False)
    model.fit([[1.0, 3.0, 2.0], [0.0, 0.5, 4.0]], [0, 1])
    assert model.coef_.tolist() == [[0.0, 0.0, 4.0]]  # −3 + 0.5 is smaller


def test_of_equals_the_older_stays():
    model = TruncatedPerceptron(keep=2, fit_intercept=False)
    model.learn_one(["b", "a", "c"], 1)  # b and a are first in the example
    model.learn_one(["d"], 0)  # as large as they are, and newer
    assert model.top_features() == [("b", 1.0), ("a", 1.0)]
    model.learn_one(["b"], 0)  # b falls to 0 and leaves
    model.learn_one(["z", "b"], 1)  # z is first in the example; b comes anew and is too late
    assert model.top_features() == [("a", 1.0), ("z", 1.0)]


def test_a_stream_of_names_does_not_use_up_the_budget():
    """Every example brings new names; what is kept stays within the budget."""
    model = TruncatedPerceptron(keep=5)
    for i in range(500):
        model.learn_one({f"noise {i}": 0.5, f"sign {i % 2}": 1.0}, i % 2)
    assert model.n_features_used_ <= 5
    assert {name for name, _ in model.top_features(2)} == {"sign 0", "sign 1"}


def test_a_smaller_budget_needs_a_fresh_learner():
    model = TruncatedPerceptron(keep=3).fit([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0]], [0, 1])
    model.set_params(keep=10)
    with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
        model.set_params(keep=1)
    assert model.keep == 10


@pytest.mark.parametrize(
    "order", [[0.0], [0.0, 0.0], [0.0, 1.5], [0.0, 7.0], [0.0, -1.0], [0.0, 2.0], [0.0, 1.0, 2.0]]
)
def test_a_list_that_is_not_that_of_the_weights_is_refused(order):
    model = TruncatedPerceptron(keep=2, fit_intercept=False)
    model.fit([[2.0, 1.0, 0.5], [0.0, 0.0, 0.0]], [0, 1])
    state = model._model.state()
    assert np.frombuffer(state["arrays"]["reading0.geometry.kept0"]).tolist() == [0.0, 1.0]
    state["arrays"]["reading0.geometry.kept0"] = np.array(order).tobytes()
    state["counts"]["reading0.geometry.kept0.count"] = len(order)
    with pytest.raises(ModelFileError, match="list of those kept do not fit together"):
        model._begin_from(state)
