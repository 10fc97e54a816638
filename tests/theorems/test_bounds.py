"""Mistake bounds, each on streams for which its assumptions hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import PassiveAggressive, Perceptron, Winnow

ROOM = 1.0 + 1e-12  # a bound may be met exactly


def with_bias(X):
    return np.hstack([X, np.ones((len(X), 1))])


@st.composite
def separable(draw, classes=2):
    """Points, labels, and prototypes (with the bias last) that separate them by a margin > 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n, rows = draw(st.integers(1, 12)), draw(st.integers(10, 200))
    X = rng.normal(size=(rows, n)) * draw(st.sampled_from([0.1, 1.0, 30.0]))
    U = rng.normal(size=(classes, n + 1))
    scores = with_bias(X) @ U.T
    y = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > draw(st.sampled_from([0.0, 0.05, 0.5]))
    return X[clear], y[clear], U


@given(made=separable())
def test_novikoff(made):
    """‖x‖ ≤ R and y·(u·x) ≥ γ with ‖u‖ = 1: at most R²/γ² mistakes, however long the stream."""
    X, y, U = made
    if len(X) == 0:
        return
    x, u = with_bias(X), U[1] - U[0]
    gamma = (np.where(y == 1, 1, -1) * (x @ u)).min() / np.linalg.norm(u)
    R = np.linalg.norm(x, axis=1).max()
    for options in ({}, {"learning_rate": 0.3}, {"average": False}):
        model = Perceptron(max_epochs=20, **options).fit(X, y)
        assert model.mistakes_ <= (R / gamma) ** 2 * ROOM


@pytest.mark.parametrize("classes", [3, 6])
@given(data=st.data())
def test_novikoff_for_many_classes(classes, data):
    """The same theorem on the joint vectors Φ(x,y) − Φ(x,r): their norm is √2·‖x‖, and the
    prototypes in one vector are the separator. The split at the third class costs nothing: until
    then ±w is what two prototypes would have been."""
    X, y, U = data.draw(separable(classes))
    if len(X) == 0 or len(set(y.tolist())) < 3:
        return
    scores = with_bias(X) @ U.T
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    met = np.unique(y)
    gamma = (own - scores[:, met].max(axis=1)).min() / np.linalg.norm(U[met])
    R = math.sqrt(2.0) * np.linalg.norm(with_bias(X), axis=1).max()
    model = Perceptron(max_epochs=20).fit(X, y)
    assert model.mistakes_ <= (R / gamma) ** 2 * ROOM


@given(made=separable(), flips=st.integers(0, 8), gamma=st.sampled_from([0.02, 0.3, 1.0, 5.0]))
def test_noise_costs_its_hinge_deviations(made, flips, gamma):
    """Any unit u and γ > 0: mistakes ≤ ((R + D)/γ)² with D² = Σ max(0, γ − y·(u·x))²
    (Freund and Schapire 1999)."""
    X, y, U = made
    if len(X) == 0:
        return
    y = y.copy()
    y[:flips] = 1 - y[:flips]
    x, u = with_bias(X), (U[1] - U[0]) / np.linalg.norm(U[1] - U[0])
    deviations = np.maximum(0.0, gamma - np.where(y == 1, 1, -1) * (x @ u))
    R, D = np.linalg.norm(x, axis=1).max(), np.linalg.norm(deviations)
    assert Perceptron().fit(X, y).mistakes_ <= ((R + D) / gamma) ** 2 * ROOM


@given(made=separable())
def test_passive_aggressive_losses(made):
    """Σ ℓ² ≤ ‖u‖²·R² for a u without loss, that is y·(u·x) ≥ 1 (Crammer et al. 2006)."""
    X, y, U = made
    if len(X) == 0:
        return
    signs, x, u = np.where(y == 1, 1, -1), with_bias(X), U[1] - U[0]
    u = u / (signs * (x @ u)).min()
    R = np.linalg.norm(x, axis=1).max()
    model, total = PassiveAggressive(variant="PA", average=False), 1.0
    model.partial_fit(X[:1], signs[:1])
    for t in range(1, len(X)):
        score = model.decision_function(X[t : t + 1])[0]
        total += max(0.0, 1.0 - signs[t] * score) ** 2
        model.partial_fit(X[t : t + 1], signs[t : t + 1])
    assert total <= (u @ u) * R**2 * ROOM


# ------------------------------------------------------------------ Winnow


@st.composite
def disjunctions(draw):
    """Rows of bits, and how many of the first columns make up the disjunction."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n = draw(st.sampled_from([2, 8, 64, 300]))
    k = draw(st.integers(1, min(n, 5)))
    density = draw(st.sampled_from([0.5 / n, 2.0 / n, 0.1, 0.5]))
    X = (rng.random((draw(st.integers(20, 400)), n)) < density).astype(float)
    return X, k


def promotions_and_demotions(model, X, y):
    """Learn row by row and tell the kinds of mistakes apart."""
    counts = {0: 0, 1: 0}
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    counts[y[0]] += model.mistakes_
    for t in range(1, len(X)):
        before = model.mistakes_
        model.partial_fit(X[t : t + 1], y[t : t + 1])
        counts[y[t]] += model.mistakes_ - before
    return counts[1], counts[0]


@pytest.mark.parametrize("rounds", [1, 3])
@given(made=disjunctions())
def test_winnow_learns_a_disjunction(rounds, made):
    """α = 2, θ = n: promotions u ≤ k(1 + log2 n), demotions v ≤ 2(u + 1), mistakes ≤ 3u + 2."""
    X, k = made
    n = X.shape[1]
    X = np.vstack([X] * rounds)
    y = X[:, :k].any(axis=1).astype(int)
    model = Winnow()
    u, v = promotions_and_demotions(model, X, y)
    assert u <= k * (1.0 + math.log2(n))
    assert v <= 2 * (u + 1)
    assert u + v == model.mistakes_ <= 3 * k * (1.0 + math.log2(n)) + 2


@given(made=disjunctions(), changes=st.integers(0, 4))
def test_winnow_with_a_floor_follows_a_target_that_changes(made, changes):
    """Whatever the labels, demotions are paid by promotions: v ≤ 2(u + 1) for Winnow, and
    v ≤ 4u + 2 for Winnow-R, whose weights stay above ½."""
    X, k = made
    X = np.vstack([X] * (changes + 1))
    y = X[:, :k].any(axis=1).astype(int)
    for change in range(changes):
        y[change * len(X) // (changes + 1) :: 2] ^= 1
    for options, factor, more in (({}, 2, 2), ({"floor": 0.5}, 4, 2)):
        model = Winnow(**options)
        u, v = promotions_and_demotions(model, X, y)
        assert v <= factor * u + more
        if options:
            assert model.coef_.min() >= 0.5


@given(made=disjunctions())
def test_elimination_learns_a_disjunction(made):
    """Each demotion takes at least θ = n from the sum of the weights, which starts at n, and each
    promotion adds less than n: v ≤ u + 1. A relevant literal is never on in a negative example."""
    X, k = made
    n = X.shape[1]
    y = X[:, :k].any(axis=1).astype(int)
    model = Winnow(demotion="eliminate")
    u, v = promotions_and_demotions(model, X, y)
    assert u <= k * (1.0 + math.log2(n))
    assert v <= u + 1
    assert (model.coef_[0, :k] >= 1.0).all()
