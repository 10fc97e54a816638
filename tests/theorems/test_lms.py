"""The stability of LMS: below 2/λ_max its mean converges, above it the run is stopped in time."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from thresher import LMS, lms_stability
from thresher.errors import DivergenceError


def inputs(seed, rows=400, scales=(3.0, 1.0, 0.3)):
    return np.random.default_rng(seed).normal(size=(rows, len(scales))) * scales


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 2**32 - 1))
def test_eigenvalues(fit_intercept, form, seed):
    X = inputs(seed, rows=30)
    x = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X
    values = np.linalg.eigvalsh(x.T @ x / len(x))
    found = lms_stability(form(X), fit_intercept=fit_intercept)
    assert found.lambda_min == pytest.approx(values[0], rel=1e-9, abs=1e-12)
    assert found.lambda_max == pytest.approx(values[-1], rel=1e-9)
    assert found.eta_max == pytest.approx(2.0 / values[-1], rel=1e-9)
    assert found.rate == pytest.approx(values[0] / values[-1], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.9, 1.0, 1.5])
def test_the_mean_follows_its_recursion(share):
    """Rows drawn at random: E[w′ − w*] = (I − ηR)·E[w − w*], R = E[x xᵀ]. The mean over every
    sequence of five draws among three rows is that expectation, exactly; and the recursion shrinks
    in every direction if and only if η < 2/λ_max."""
    X = np.array([[1.0, 0.5], [-0.5, 2.0], [0.25, -1.0]])
    target = np.array([1.5, -2.0])
    R = X.T @ X / len(X)
    limit = lms_stability(X, fit_intercept=False)
    eta = share * limit.eta_max
    radius = np.abs(np.linalg.eigvalsh(np.eye(2) - eta * R)).max()
    assert radius == pytest.approx(1.0) if share == 1.0 else (radius < 1.0) == (share < 1.0)
    ends = []
    for draws in itertools.product(range(3), repeat=5):
        rows = X[list(draws)]
        ends.append(LMS(learning_rate=eta, fit_intercept=False).fit(rows, rows @ target).coef_)
    expected = target - np.linalg.matrix_power(np.eye(2) - eta * R, 5) @ target
    np.testing.assert_allclose(np.mean(ends, axis=0), expected, rtol=1e-12)


@pytest.mark.parametrize(("share", "converges"), [(0.05, True), (0.95, True), (1.05, False)])
def test_converges_below_the_limit_and_stops_above_it(share, converges):
    """One input that never changes is its own mean: w − w* shrinks by 1 − η‖x‖² at each step."""
    X = np.array([[3.0, -1.0, 2.0]])
    limit = lms_stability(X, fit_intercept=False)
    assert limit.eta_max == pytest.approx(2.0 / 14.0)
    model = LMS(learning_rate=share * limit.eta_max, fit_intercept=False, max_epochs=1000)
    if converges:
        assert model.fit(X, [7.0]).predict(X)[0] == pytest.approx(7.0, abs=1e-9)
    else:
        with pytest.raises(DivergenceError, match="lms_stability"):
            model.fit(X, [7.0])
        assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("seed", range(5))
def test_divergence_keeps_the_last_good_weights(seed):
    X = inputs(seed)
    y = X @ [2.0, -1.0, 3.0] + 1.0
    wild = LMS(learning_rate=2.0 * lms_stability(X).eta_max, max_epochs=100)
    with pytest.raises(DivergenceError, match="weights before this example are kept"):
        wild.fit(X, y)
    assert np.isfinite(wild.coef_).all() and np.isfinite(wild.intercept_)
    t = wild.examples_ % len(X)
    before = wild.coef_.copy()
    with pytest.raises(DivergenceError):
        wild.partial_fit(X[t : t + 1], y[t : t + 1])
    np.testing.assert_array_equal(wild.coef_, before)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_rate_found_on_the_fly_is_stable_and_learns(seed, size):
    """Without noise LMS reaches the target exactly, whatever the units of the inputs."""
    X = inputs(seed, scales=(3.0, 1.0, 1.0)) * size
    target = np.array([2.0, -1.0, 3.0]) / size
    model = LMS(fit_intercept=False, max_epochs=30).fit(X, X @ target)
    np.testing.assert_allclose(model.coef_, target, rtol=1e-6)


def test_the_average_takes_out_the_noise_that_a_constant_rate_leaves():
    rng = np.random.default_rng(5)
    X = inputs(6, rows=20_000, scales=(1.0, 1.0, 1.0))
    target = np.array([2.0, -1.0, 3.0])
    y = X @ target + rng.normal(size=len(X))
    last = LMS(learning_rate=0.05).fit(X, y)
    mean = LMS(learning_rate=0.05, average=True, burn_in=1000).fit(X, y)
    assert np.abs(mean.coef_ - target).max() < 0.03 < np.abs(last.coef_ - target).max()


def test_below_the_limit_of_the_mean_a_single_run_may_diverge():
    """40 features of equal variance: at a third of eta_max a run diverges, below eta_mean_square
    none of these does."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(3000, 40))
    y = X @ rng.normal(size=40)
    facts = lms_stability(X, fit_intercept=False)
    assert facts.eta_mean_square == pytest.approx(2.0 / (2.0 * facts.lambda_max + facts.trace))
    with pytest.raises(DivergenceError, match="eta_mean_square"):
        LMS(learning_rate=0.34 * facts.eta_max, fit_intercept=False).fit(X, y)
    rate = 0.9 * facts.eta_mean_square
    model = LMS(learning_rate=rate, fit_intercept=False, max_epochs=5).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)


@pytest.mark.parametrize(
    ("rate", "same"),
    [("1/t", lambda t: 1.0 / t), ("1/sqrt(t)", lambda t: t**-0.5), (0.25, lambda t: 0.25)],
)
@pytest.mark.parametrize("normalized", [True, False])
def test_a_rate_is_a_number_a_word_or_a_function_of_t(rate, same, normalized):
    X = inputs(8, rows=60, scales=(0.5, 0.5, 0.3))
    y = X @ [2.0, -1.0, 3.0]
    by_word = LMS(learning_rate=rate, normalized=normalized).fit(X, y)
    by_function = LMS(learning_rate=same, normalized=normalized).fit(X, y)
    np.testing.assert_allclose(by_word.coef_, by_function.coef_, rtol=1e-12)


def test_a_decreasing_rate_takes_out_the_noise_by_itself():
    rng = np.random.default_rng(9)
    X = inputs(10, rows=20_000, scales=(1.0, 1.0, 1.0))
    target = np.array([2.0, -1.0, 3.0])
    y = X @ target + rng.normal(size=len(X))
    last = LMS(learning_rate=0.05).fit(X, y)
    falling = LMS(learning_rate=lambda t: 1.0 / (20.0 + t)).fit(X, y)
    assert np.abs(falling.coef_ - target).max() < 0.03 < np.abs(last.coef_ - target).max()
