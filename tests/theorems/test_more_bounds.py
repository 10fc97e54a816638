"""Bounds of Balanced Winnow, the batch perceptron, regressors and kernel learners: no generated
stream exceeds them, and some come near."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import (
    LMS,
    BalancedWinnow,
    BatchPerceptron,
    KernelPerceptron,
    PassiveAggressiveRegressor,
    Perceptron,
    Snow,
    VotedPerceptron,
)
from thresher.theory import bounds
from thresher.theory.bounds import Margins

seeds = st.integers(0, 2**32 - 1)


def stream(seed, size=120, noise=0.0):
    """Points on either side of a plane, some of them on the wrong one."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    u = rng.normal(size=n) * (rng.random(n) < 0.7)
    u[0] += 0.1
    X = rng.normal(size=(size, n)) * rng.choice([0.1, 1.0, 5.0])
    y = np.where(X @ u >= 0.0, 1, -1)
    X += 0.05 * y[:, None] * u / np.linalg.norm(u)
    y = np.where(rng.random(size) < noise, -y, y)
    y[:2] = 1, -1
    return X, y


# ------------------------------------------------------------------ Balanced Winnow


@given(
    seed=seeds, alpha=st.sampled_from([1.05, 1.3, 2.0]), noise=st.sampled_from([0.0, 0.1]),
    passes=st.integers(1, 3),
)  # fmt: skip
def test_balanced_winnow(seed, alpha, noise, passes):
    X, y = stream(seed, noise=noise)
    X /= np.abs(X).max()
    found = BalancedWinnow(alpha=alpha, max_epochs=passes).fit(X, y).audit(X, y)
    row = found["Balanced Winnow"]
    assert row.holds
    if noise == 0.0 and alpha == 1.05:
        assert row.applies or "smaller α" in row.reason
    for other in ("theta", "margin"):
        model = BalancedWinnow(alpha=alpha, **{other: 0.5}).fit(X, y)
        assert not model.audit(X, y)["Balanced Winnow"].applies


def test_balanced_winnow_comes_near_its_bound():
    """Coins, of which one decides, in the order that hurts most: a score of 0 or less each time."""
    d, alpha = 64, 1.3
    rng = np.random.default_rng(0)
    coins = rng.choice([-1.0, 1.0], size=(4000, d))
    model = BalancedWinnow(alpha=alpha, fit_intercept=False)
    for x in coins:
        y = 1 if x[0] > 0 else -1
        score = 0.0 if model._model is None else model.decision_function(x[None])[0]
        if y * score <= 0.0 or model._model is None:
            model.partial_fit(x[None], [y], classes=[-1, 1])
    bound = bounds.balanced_winnow(1.0, d, alpha=alpha).value
    assert 0.1 * bound <= model.mistakes_ <= bound


@given(seed=seeds, alpha=st.sampled_from([1.05, 1.3, 2.0]))
def test_the_best_gamma_of_balanced_winnow_by_brute_force(seed, alpha):
    X, y = stream(seed, noise=0.1)
    X /= np.abs(X).max()
    u = np.random.default_rng(seed).normal(size=X.shape[1])
    margins = Margins.of(X, y, u, fit_intercept=False)
    found = bounds.balanced_winnow_on(margins, X.shape[1], alpha=alpha)
    m, eta = y * (X @ u) / np.abs(u).sum(), math.log(alpha)
    p = np.abs(u) / np.abs(u).sum()
    start = math.log(2 * X.shape[1]) + float(p @ np.log(p))
    grid = np.concatenate([m[m > 0], np.linspace(1e-3, max(m.max(), 2e-3), 300)])
    gain = eta * grid - math.log(math.cosh(eta * np.abs(X).max()))
    slack = np.maximum(0.0, grid[:, None] - m).sum(axis=1)
    values = (start + eta * slack)[gain > 0] / gain[gain > 0]
    assert found.applies == bool(len(values))
    if found.applies:
        assert found.value == pytest.approx(values.min())


# ------------------------------------------------------------------ the batch perceptron


@given(seed=seeds, size=st.integers(2, 60), fixed=st.booleans())
def test_batch_perceptron(seed, size, fixed):
    X, y = stream(seed, size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = BatchPerceptron(fixed_increment=fixed, max_epochs=300).fit(X, y)
        row = learner.audit(X, y)["batch perceptron"]
    assert row.holds and row.figure == learner.mistakes_
    if learner.converged_:
        assert row.applies


# ------------------------------------------------------------------ regressors


def numbers(seed, noise):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    X = rng.normal(size=(80, n)) * rng.choice([0.2, 1.0])
    y = X @ rng.normal(size=n) + 0.5 + noise * rng.normal(size=80)
    return X, y


@given(
    seed=seeds, share=st.sampled_from([0.05, 0.5, 1.5, 1.95]), noise=st.sampled_from([0.0, 0.3]),
    passes=st.integers(1, 3), shuffle=st.booleans(),
)  # fmt: skip
def test_lms(seed, share, noise, passes, shuffle):
    X, y = numbers(seed, noise)
    R2 = (X**2).sum(axis=1).max() + 1.0
    options = {"max_epochs": passes, "shuffle": shuffle, "random_state": 3}
    row = LMS(learning_rate=share / R2, **options).fit(X, y).audit(X, y)["LMS"]
    assert row.applies and row.holds and row.figure is not None
    row = LMS(normalized=True, learning_rate=share, **options).fit(X, y).audit(X, y)["NLMS"]
    assert row.applies and row.holds


def test_lms_meets_its_bound():
    """One feature: w = 0 and a single target are all that the proof leaves."""
    for eta in (0.1, 1.0, 1.9):
        X, y = np.ones((400, 1)), np.full(400, 3.0)
        row = LMS(learning_rate=eta, fit_intercept=False).fit(X, y).audit(X, y)["LMS"]
        assert row.ratio == pytest.approx(1.0, rel=1e-6)
    row = LMS().fit(X, y).audit(X, y)["LMS"]
    assert not row.applies and "auto" in row.reason


@given(
    seed=seeds, variant=st.sampled_from(["PA", "PA-I", "PA-II"]), C=st.sampled_from([0.01, 1.0]),
    noise=st.sampled_from([0.0, 0.3]), epsilon=st.sampled_from([0.0, 0.2]),
)  # fmt: skip
def test_pa_regression(seed, variant, C, noise, epsilon):
    X, y = numbers(seed, noise)
    model = PassiveAggressiveRegressor(C=C, variant=variant, epsilon=epsilon, max_epochs=2)
    found = model.fit(X, y).audit(X, y)
    assert found.holds
    always = {"PA": "PA regression with noise", "PA-I": "PA-I regression"}
    row = found[always.get(variant, "PA-II regression")]
    assert row.applies and row.ratio is not None
    if variant == "PA" and epsilon and not noise:
        assert found["PA regression"].applies  # least squares have no loss


# ------------------------------------------------------------------ kernels


@given(
    seed=seeds, noise=st.sampled_from([0.0, 0.1]), passes=st.integers(1, 3),
    options=st.sampled_from([
        {"kernel": "linear"}, {"kernel": "rbf"}, {"kernel": "polynomial", "degree": 2},
        {"kernel": "sigmoid", "gamma": 0.1}, {"kernel": "linear", "fit_intercept": False},
    ]),
)  # fmt: skip
def test_kernel_perceptrons(seed, noise, passes, options):
    X, y = stream(seed, 60, noise)
    X /= np.abs(X).max()
    for learner in (KernelPerceptron, VotedPerceptron):
        model = learner(max_epochs=passes, **options).fit(X, y)
        found = model.audit(X, y)
        assert found.holds
        noisy = found["perceptron with noise, hinge"]
        if options["kernel"] != "sigmoid":
            assert noisy.applies and noisy.figure == model.mistakes_


def test_a_linear_kernel_has_the_perceptrons_bounds():
    X, y = stream(5)
    by_kernel = KernelPerceptron(kernel="linear").fit(X, y).audit(X, y)
    plain = Perceptron().fit(X, y).audit(X, y)
    assert pytest.approx(plain.R) == by_kernel.R
    assert by_kernel.counts.mistakes == plain.counts.mistakes
    # By a support vector machine, which comes close to the separator of largest margin.
    for theorem in ("Novikoff", "perceptron with noise, squared"):
        assert by_kernel[theorem].value >= plain[theorem].value * (1 - 1e-6)
        assert by_kernel[theorem].value <= plain[theorem].value * 1.2


def test_what_kernels_lack():
    X, y = stream(5)
    gram = X @ X.T
    assert KernelPerceptron(kernel="precomputed").fit(gram, y).audit(gram, y)["Novikoff"].holds
    wrong = 1.0 - 0.5 * np.eye(len(y))
    row = KernelPerceptron(kernel="precomputed").fit(wrong, y).audit(wrong, y)["Novikoff"]
    assert not row.applies and "eigenvalue" in row.reason
    model = KernelPerceptron(budget=5).fit(X, y)
    assert "budget" in model.audit(X, y)["Novikoff"].reason
    three = np.arange(len(y)) % 3
    assert "3 classes" in KernelPerceptron().fit(X, three).audit(X, three)["Novikoff"].reason
    own = KernelPerceptron().fit(X, y).audit(X, y, replay=False)
    assert own["Novikoff"].figure == own.counts.mistakes


def test_snow_says_why_it_has_none():
    X = (np.random.default_rng(0).random((50, 6)) < 0.5).astype(float)
    y = X[:, 0].astype(int)
    row = Snow().fit(X, y).audit(X, y)["Novikoff"]
    assert not row.applies and "links" in row.reason


# ------------------------------------------------------------------ the constant feature


def test_a_constant_feature_that_does_not_suit_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    score = X @ rng.normal(size=5) + 0.3
    X, y = X[abs(score) > 0.3], (score > 0)[abs(score) > 0.3].astype(int)
    small = X / 100
    found = Perceptron().fit(small, y).audit(small, y)
    (note,) = [note for note in found.notes if "intercept_scaling" in note]
    s = float(note.split("intercept_scaling=")[1].split()[0])
    better = Perceptron(intercept_scaling=s).fit(small, y).audit(small, y)
    assert better["Novikoff"].value < found["Novikoff"].value / 2
    assert not any("intercept_scaling" in note for note in better.notes)
    assert not Perceptron(fit_intercept=False).fit(small, y).audit(small, y).notes
