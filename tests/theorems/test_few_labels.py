"""Perceptrons that ask for few labels, or follow a target that moves."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import LabelEfficientPerceptron, Perceptron, ShiftingPerceptron
from thresher.errors import InvalidInput
from thresher.reference.few_labels import chance
from thresher.theory.bounds import label_efficient, novikoff, shifting


def separable(seed, n=20, size=400, gamma=0.3):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(size, n))
    y = np.where(X @ u >= 0.0, 1, -1)
    X += gamma * y[:, None] * u
    return X, y, np.linalg.norm(X, axis=1).max(), (y * (X @ u)).min()


def test_the_numbers_by_which_it_asks_are_spread_evenly():
    for seed in (0, 1, 2**63 - 1):
        drawn = np.array([chance(seed, t) for t in range(1, 4001)])
        assert drawn.min() >= 0.0 and drawn.max() < 1.0
        counts, _ = np.histogram(drawn, bins=20, range=(0.0, 1.0))
        assert np.abs(counts - 200).max() < 70  # five standard deviations
        assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.08
    assert chance(0, 1) != chance(1, 1)


@given(seed=st.integers(0, 2**32 - 1), b=st.sampled_from([0.1, 1.0, 30.0]))
def test_it_is_the_perceptron_on_the_examples_it_asks_about(seed, b):
    """Told by hand: |s| of the last weights, and the number of the example, decide."""
    X, y, _, _ = separable(seed, size=80)
    model = LabelEfficientPerceptron(b=b, seed=7, average=False, fit_intercept=False).fit(X, y)
    w, asked, mistakes, updates = np.zeros(X.shape[1]), 0, 0, 0
    for t, (x, sign) in enumerate(zip(X, y, strict=True), start=1):
        s = float(w @ x)
        mistakes += sign * s <= 0.0
        if chance(7, t) * (b + abs(s)) < b:
            asked += 1
            if sign * s <= 0.0:
                w, updates = w + sign * x, updates + 1
    assert (model.labels_asked_, model.mistakes_, model.updates_) == (asked, mistakes, updates)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9, atol=1e-12)


def test_with_b_without_end_it_is_the_perceptron():
    X, y, _, _ = separable(1)
    y = y + (X[:, 0] > 1.0)  # three classes
    model, perceptron = LabelEfficientPerceptron(b=1e300).fit(X, y), Perceptron().fit(X, y)
    assert model.labels_asked_ == len(X)
    assert np.array_equal(model.coef_, perceptron.coef_)


@pytest.mark.parametrize("classes", [2, 3])
def test_what_it_asks_does_not_depend_on_the_labels_of_the_future_or_on_the_cut(classes):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 5)), rng.integers(classes, size=200)
    options = {"b": 0.5, "calibrate": True}
    whole = LabelEfficientPerceptron(**options).fit(X, y)
    parts = LabelEfficientPerceptron(**options)
    for begin in range(0, 200, 7):
        parts.partial_fit(X[begin : begin + 7], y[begin : begin + 7])
        parts = pickle.loads(pickle.dumps(parts))
    assert parts.labels_asked_ == whole.labels_asked_ < 200
    assert np.array_equal(parts.coef_, whole.coef_)
    assert np.array_equal(parts.predict_proba(X), whole.predict_proba(X))
    other = LabelEfficientPerceptron(**options, seed=1).fit(X, y)
    assert not np.array_equal(other.coef_, whole.coef_)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_label_that_is_not_asked_for_changes_nothing(classes):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 5)), rng.integers(classes, size=150)
    y[:classes] = range(classes)
    truthful, lying = LabelEfficientPerceptron(b=0.3), LabelEfficientPerceptron(b=0.3)
    unasked = 0
    for x, label in zip(X, y, strict=True):
        before, twin = truthful.examples_ if truthful._model else 0, pickle.dumps(lying)
        truthful.partial_fit([x], [label])
        lying.partial_fit([x], [label])
        if before < classes:
            continue
        again = pickle.loads(twin)
        again.partial_fit([x], [(label + 1) % classes])
        if again.labels_asked_ == pickle.loads(twin).labels_asked_:
            unasked += 1
            assert np.array_equal(again.coef_, lying.coef_)
    assert unasked > 10


@pytest.mark.parametrize("b", [0.5, 5.0, 50.0])
@pytest.mark.parametrize("stream", range(3))
def test_its_mistakes_are_on_average_below_its_bound(b, stream):
    X, y, R, gamma = separable(stream, size=300)
    bound = label_efficient(R, gamma, b).value
    options = {"b": b, "average": False, "fit_intercept": False}
    runs = [LabelEfficientPerceptron(seed=seed, **options).fit(X, y) for seed in range(40)]
    assert np.mean([run.mistakes_ for run in runs]) <= bound
    assert max(run.updates_ for run in runs) <= novikoff(R, gamma).value
    assert np.mean([run.labels_asked_ for run in runs]) < len(X)


def test_the_bound_is_least_where_it_is_novikoffs():
    assert label_efficient(2.0, 0.5, b=2.0).value == pytest.approx(novikoff(2.0, 0.5).value)
    for b in (0.5, 1.9, 2.1, 9.0):
        assert label_efficient(2.0, 0.5, b).value > novikoff(2.0, 0.5).value


def test_few_labels_are_enough():
    X, y, _, _ = separable(5, size=4000, gamma=1.0)
    model = LabelEfficientPerceptron(b=3.0).fit(X, y)
    assert model.labels_asked_ < 0.4 * len(X)
    assert model.score(X, y) > 0.99


# ------------------------------------------------------------------ the shifting perceptron


@given(seed=st.integers(0, 2**32 - 1), lambda_=st.sampled_from([0.25, 1.0, 3.0, 50.0]))
def test_a_shifting_step_is_a_mixture_of_what_was_and_the_example(seed, lambda_):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 4)), rng.choice([-1, 1], size=120)
    model = ShiftingPerceptron(lambda_=lambda_, fit_intercept=False).fit(X, y)
    w, k = np.zeros(4), 0
    for x, sign in zip(X, y, strict=True):
        if sign * (w @ x) <= 0.0:
            k += 1
            step = lambda_ / (lambda_ + k)
            w = (1.0 - step) * w + step * sign * x
    assert model.mistakes_ == k
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
def test_with_lambda_1_nothing_fades(seed):
    """w·(k + 1) is the sum over the mistakes: the perceptron's weights."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(100, 6)), rng.choice([-1, 1], size=100)
    model = ShiftingPerceptron(lambda_=1.0).fit(X, y)
    perceptron = Perceptron(average=False).fit(X, y)
    assert model.mistakes_ == perceptron.mistakes_
    scaled = model.coef_ * (model.mistakes_ + 1)
    np.testing.assert_allclose(scaled, perceptron.coef_, rtol=1e-9, atol=1e-9)


def test_it_turns_faster_when_the_target_does():
    """A target that stood still for long turns round: the perceptron has long weights to undo. The
    price is paid before, in mistakes on a target that stands still."""
    before, after = {1.0: 0, 8.0: 0}, {1.0: 0, 8.0: 0}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(10_300, 10))
        y = np.sign(X @ rng.normal(size=10))
        y[10_000:] *= -1.0
        for lambda_ in before:
            model = ShiftingPerceptron(lambda_=lambda_).fit(X[:10_000], y[:10_000])
            before[lambda_] += model.mistakes_
            after[lambda_] -= model.mistakes_
            after[lambda_] += model.partial_fit(X[10_000:], y[10_000:]).mistakes_
    assert after[8.0] < 0.85 * after[1.0]
    assert before[1.0] < before[8.0]


def test_a_memory_that_fades_fast_stays_a_number():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(400, 5)), rng.integers(3, size=400)
    model = ShiftingPerceptron(lambda_=1e6).fit(X, y)
    assert np.isfinite(model.coef_).all() and np.abs(model.coef_).max() < 10.0
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)


def test_an_epoch_in_which_no_label_was_asked_does_not_end_fit():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    model = LabelEfficientPerceptron(b=0.1, average=False, max_epochs=None).fit(X, y)
    assert model.converged_ and model.score(X, y) == 1.0
    assert model.labels_asked_ < model.examples_


def test_a_label_may_be_asked_for_before_it_is_known():
    """`asks_one`, `learn_one` and `skip_one` learn what `learn_one` alone learns."""
    X, y, _, _ = separable(8, size=200)
    told, asking = LabelEfficientPerceptron(b=0.5), LabelEfficientPerceptron(b=0.5)
    for x, label in zip(X, y, strict=True):
        example = {f"x{i}": float(v) for i, v in enumerate(x)}
        told.learn_one(example, int(label))
        if asking.asks_one(example):
            with pytest.raises(InvalidInput, match="it asks for the label"):
                asking.skip_one(example)
            asking.learn_one(example, int(label))
        else:
            asking.skip_one(example)
    assert told.labels_asked_ == asking.labels_asked_ < 150
    assert told.examples_ == asking.examples_
    assert np.array_equal(told.coef_, asking.coef_)
    with pytest.raises(InvalidInput, match="without prepare"):
        LabelEfficientPerceptron(prepare="standard").asks_one({"a": 1.0})


@given(
    seed=st.integers(0, 2**32 - 1),
    lambda_=st.sampled_from([1.0, 2.0, 7.0]),
    turning=st.booleans(),
    noise=st.sampled_from([0.0, 0.1]),
)
def test_the_mistakes_of_the_shifting_perceptron_are_below_its_bound(seed, lambda_, turning, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    angles = np.linspace(0.0, 2.0, 150) if turning else np.zeros(150)
    u = np.zeros((150, 4))
    u[:, 0], u[:, 1] = np.cos(angles), np.sin(angles)
    clean = np.where((X * u).sum(axis=1) >= 0.0, 1, -1)
    y = np.where(rng.random(150) < noise, -clean, clean)
    gamma = rng.choice([0.05, 0.2, 0.5])
    TD = np.maximum(0.0, gamma - y * (X * u).sum(axis=1)).sum()
    shift = np.linalg.norm(np.diff(u, axis=0), axis=1).sum()
    bound = shifting(1.0, gamma, lambda_, shift=shift, TD=TD).value
    model = ShiftingPerceptron(lambda_=lambda_, fit_intercept=False).fit(X, y)
    assert model.mistakes_ <= bound


def test_the_bound_of_a_target_that_stands_still_is_novikoffs():
    assert shifting(2.0, 0.5, 1.0).value == pytest.approx(novikoff(2.0, 0.5).value)
    with pytest.raises(InvalidInput, match="lambda_"):
        shifting(2.0, 0.5, 0.5)
