"""The p-norm perceptron: what defines it, what it equals, and its mistakes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import Perceptron, PNormPerceptron
from thresher.theory.bounds import novikoff, pnorm


def gradient(v, p):
    """∇½‖v‖_p², as it is written."""
    norm = (np.abs(v) ** p).sum() ** (1 / p)
    return np.sign(v) * np.abs(v) ** (p - 1) / norm ** (p - 2) if norm else v * 0.0


@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), p=st.sampled_from([2.0, 2.5, 4.0, 9.0])
)
def test_its_weights_are_the_gradient_of_half_the_squared_norm(seed, n, p):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, n)), rng.choice([-1, 1], size=40)
    y[:2] = 1, -1
    model = PNormPerceptron(p=p, fit_intercept=False).fit(X, y)
    v, mistakes = np.zeros(n), 0
    for x, sign in zip(X, y, strict=True):
        if sign * (gradient(v, p) @ x) <= 0.0:
            v, mistakes = v + sign * x, mistakes + 1
    assert model.mistakes_ == mistakes
    w = gradient(v, p)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9, atol=1e-12 * np.abs(w).max())


@pytest.mark.parametrize("classes", [2, 4])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 20))
def test_with_p_2_it_is_the_perceptron_to_the_last_bit(classes, seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n)) * 10.0 ** rng.integers(-3, 4, size=(60, 1))
    y = rng.integers(classes, size=60)
    options = {"margin": 0.1, "learning_rate": 0.3}
    model = PNormPerceptron(p=2.0, **options).fit(X, y)
    perceptron = Perceptron(average=False, **options).fit(X, y)
    assert model.mistakes_ == perceptron.mistakes_
    assert np.array_equal(model.coef_, perceptron.coef_)
    assert np.array_equal(model.intercept_, perceptron.intercept_)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 200),
    k=st.integers(1, 5),
    p=st.sampled_from(["auto", 2.0, 3.0, 10.0, 40.0]),
    margin=st.sampled_from([0.0, 0.5]),
)
def test_no_stream_exceeds_its_bound(seed, n, k, p, margin):
    """A planted target of k features, and noise on the others alone."""
    rng = np.random.default_rng(seed)
    u = np.zeros(n)
    u[: min(k, n)] = rng.choice([-1.0, 1.0], size=min(k, n))
    X = rng.choice([-1.0, 1.0], size=(300, n))
    X[:, 0] *= 1.5  # so that no margin is 0
    y = np.sign(X @ u)
    model = PNormPerceptron(p=p, margin=margin, fit_intercept=False, max_epochs=2).fit(X, y)
    q = model.p_ / (model.p_ - 1)
    bound = pnorm(
        model.p_,
        X_p=np.linalg.norm(X, model.p_, axis=1).max(),
        u_q=np.linalg.norm(u, q),
        gamma=(y * (X @ u)).min(),
        margin=margin,
    )
    assert model.updates_ <= bound.value
    row = model.audit(X, y)["p-norm perceptron"]
    assert row.applies and row.holds


def test_the_bound_is_approached():
    """Each feature alone, all of which matter: as many mistakes as the bound allows."""
    n = 8
    X = np.vstack([np.eye(n), -np.eye(n)])
    y = np.concatenate([np.ones(n), -np.ones(n)])
    model = PNormPerceptron(p=2.0, fit_intercept=False, max_epochs=None).fit(X, y)
    bound = pnorm(2.0, X_p=1.0, u_q=math.sqrt(n), gamma=1.0).value
    assert model.mistakes_ == n and model.mistakes_ >= 0.99 * bound


def test_p_2_is_novikoff():
    assert pnorm(2.0, 3.0, 1.0, 0.25).value == pytest.approx(novikoff(3.0, 0.25).value)
    with_margin = pnorm(2.0, 3.0, 1.0, 0.25, margin=0.5, learning_rate=2.0)
    other = novikoff(3.0, 0.25, margin=0.5, learning_rate=2.0)
    assert with_margin.value == pytest.approx(other.value)


def test_where_few_features_matter_it_beats_the_perceptron():
    rng = np.random.default_rng(3)
    X = rng.choice([-1.0, 1.0], size=(3000, 1000))
    y = np.sign(X[:, 0] - X[:, 1] + X[:, 2])
    few = PNormPerceptron(fit_intercept=False).fit(X, y)
    perceptron = Perceptron(fit_intercept=False).fit(X, y)
    assert 3 * few.mistakes_ < perceptron.mistakes_
    assert set(np.argsort(-np.abs(few.coef_[0]))[:3]) == {0, 1, 2}


@pytest.mark.parametrize("p", ["auto", 3.0, 100.0])
@pytest.mark.parametrize("scale", [2.0**-480, 2.0**480])
def test_no_power_overflows_or_vanishes(p, scale):
    """w is of degree 1 in v: another unit of measure is all that a scale is."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(100, 30)), rng.integers(3, size=100)
    plain = PNormPerceptron(p=p, fit_intercept=False).fit(X, y)
    with np.errstate(all="raise"):
        scaled = PNormPerceptron(p=p, fit_intercept=False).fit(X * scale, y)
    assert scaled.mistakes_ == plain.mistakes_
    assert np.array_equal(scaled.coef_, plain.coef_ * scale)


def test_a_large_weight_that_shrinks_leaves_no_rounding_behind():
    """v goes to 1e6 and back to 1: ‖v‖_p^p falls to what is rounding in a running sum."""
    model = PNormPerceptron(p=6.0, fit_intercept=False)
    model.learn_one({"a": 1e6, "b": 1.0}, "yes")
    model.learn_one({"c": 1.0}, "no")
    model.learn_one({"a": 999_999.0}, "no")  # v = (1, 1, −1)
    assert model.score_one({"a": 1.0}) == pytest.approx(3.0 ** (-4 / 6), rel=1e-12)


def test_p_follows_the_number_of_names_by_doublings():
    model = PNormPerceptron()
    met = []
    for i in range(40):
        model.learn_one({f"name {i}": 1.0}, i % 2)
        met.append(model.p_)
    assert met[0] == met[1] == 2.0
    assert [met.index(p) + 1 for p in sorted(set(met))] == [1, 3, 5, 9, 17, 33]
    assert met[39] == pytest.approx(2 * math.log(64))
    assert PNormPerceptron().fit(np.eye(40), [0, 1] * 20).p_ == met[39]
    assert PNormPerceptron(p=5.0).fit(np.eye(40), [0, 1] * 20).p_ == 5.0
    names = [({f"name {i}": 1.0}, i % 2) for i in range(40)]
    resumed = PNormPerceptron()
    for x, y in names[:20]:
        resumed.learn_one(x, y)
    from pickle import dumps, loads

    resumed = loads(dumps(resumed))
    for x, y in names[20:]:
        resumed.learn_one(x, y)
    assert resumed.top_features(50) == model.top_features(50)


def test_the_audit_says_what_it_does_not_cover():
    X, y = np.eye(4), [0, 1, 2, 0]
    for model, target, why in (
        (PNormPerceptron(), y, "3 classes"),
        (PNormPerceptron(learning_rate="1/t"), [0, 1, 0, 1], "learning_rate='1/t'"),
    ):
        row = model.fit(X, target).audit(X, target)["p-norm perceptron"]
        assert not row.applies and why in row.reason
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    row = (
        PNormPerceptron(p=3.0).fit(xor, [0, 1, 1, 0]).audit(xor, [0, 1, 1, 0])["p-norm perceptron"]
    )
    assert not row.applies and "smallest margin" in row.reason
    novikoff_row = PNormPerceptron().fit(X, [0, 1, 0, 1]).audit(X, [0, 1, 0, 1])["Novikoff"]
    assert not novikoff_row.applies
