"""J(w): its values, its gradients, and the ways down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar

from thresher import LMS, BatchPerceptron, Perceptron
from thresher.errors import InvalidInput
from thresher.theory import Objective, descend

SMOOTH = ("perceptron", "hinge", "squared")
POINTS = [[1.0, 1.0], [0.5, 3.0], [2.0, 2.0]]  # 003's three examples
SIDES = [1, 1, 0]


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, width = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    whole = draw(st.booleans())
    X = rng.integers(-2, 3, (rows, width)) if whole else rng.normal(size=(rows, width))
    return X.astype(float), rng.choice([-1, 1], rows), rng.normal(size=width + 1)


def loss_of(name: str, m: float, gamma: float) -> float:
    return {
        "0/1": float(m <= 0),
        "perceptron": max(0.0, -m),
        "hinge": max(0.0, gamma - m) / gamma,
        "squared": (1 - m) ** 2,
    }[name]


@given(problems(), st.sampled_from([0.5, 1.0, 3.0]))
def test_values_are_mean_losses(problem: Any, gamma: float) -> None:
    X, y, w = problem
    for loss in ("0/1", *SMOOTH):
        J = Objective(X, y, loss, gamma=gamma)
        m = [label * (sum(a * b for a, b in zip(x, w, strict=False)) + w[-1])
             for x, label in zip(X.tolist(), y.tolist(), strict=True)]  # fmt: skip
        assert J.value(w) == pytest.approx(np.mean([loss_of(loss, v, gamma) for v in m]))
        assert Objective(sparse.csr_array(X), y, loss, gamma=gamma).value(w) == pytest.approx(
            J.value(w)
        )
    # hinge(γ) lies above 0/1 everywhere: the mistakes are at most what is minimised.
    assert Objective(X, y, "0/1").value(w) <= Objective(X, y, "hinge", gamma=gamma).value(w) + 1e-12


@given(problems(), st.sampled_from(SMOOTH))
def test_gradients_are_slopes(problem: Any, loss: str) -> None:
    X, y, w = problem
    J = Objective(X, y, loss, gamma=0.7)
    kinks = np.abs(J.margins(w) - (0.0 if loss == "perceptron" else 0.7))
    if loss != "squared" and kinks.min() < 1e-3:
        return  # there the slope is no single number
    h = 1e-6
    for j, slope in enumerate(J.gradient(w)):
        step = np.eye(len(w))[j] * h
        assert (J.value(w + step) - J.value(w - step)) / (2 * h) == pytest.approx(slope, abs=1e-5)


@given(problems())
def test_a_subgradient_supports_the_surface(problem: Any) -> None:
    """J(v) ≥ J(w) + g·(v − w), also at kinks: w = 0 is one."""
    X, y, v = problem
    for loss in SMOOTH:
        J = Objective(X, y, loss)
        for w in (np.zeros_like(v), v[::-1].copy()):
            assert J.value(v) >= J.value(w) + J.gradient(w) @ (v - w) - 1e-9


@given(problems(), st.sampled_from([0.5, 1.0]))
def test_the_batch_perceptron_goes_down_the_gradient(problem: Any, eta: float) -> None:
    X, y, _ = problem
    rows = 1 << (len(y).bit_length() - 1)  # means of 2^k quarters: nothing is rounded
    X, y = np.round(4 * X[:rows]) / 4, y[:rows]
    way = descend(Objective(X, y, "perceptron"), "batch", steps=4, learning_rate=eta)
    for steps, w in enumerate(way.path[1:], start=1):
        model = BatchPerceptron(learning_rate=eta, max_epochs=steps, epsilon=1e-300).fit(X, y)
        if len(set(y.tolist())) == 2:
            assert [*model.coef_[0], *model.intercept_] == w.tolist()


def test_online_descents_are_the_online_learners() -> None:
    X, y = np.array(POINTS), np.array([1, 1, -1])
    perceptron = Perceptron(average=False, max_epochs=4).fit(X, y)
    way = descend(Objective(X, y, "perceptron"), "online", steps=12)
    assert way.path[-1].tolist() == [*perceptron.coef_[0], *perceptron.intercept_]
    lms = LMS(learning_rate=0.05, max_epochs=4).fit(X, y.astype(float))
    way = descend(Objective(X, y, "squared"), "online", steps=12, learning_rate=0.025)
    np.testing.assert_allclose(way.path[-1], [*np.ravel(lms.coef_), *np.ravel(lms.intercept_)])


@given(problems(), st.sampled_from(SMOOTH))
def test_a_line_search_finds_the_lowest_point_of_its_line(problem: Any, loss: str) -> None:
    X, y, w = problem
    J = Objective(X, y, loss)
    d = -J.gradient(w)
    eta = J.best_step(w, d)
    assert eta >= 0.0
    found = J.value(w + eta * d)
    tried = [J.value(w + t * d) for t in np.linspace(0, 2 * eta + 1, 60)]
    assert found <= min(tried) + 1e-9
    if d.any():
        bounds = (0, 4 * eta + 4)
        other = minimize_scalar(lambda t: J.value(w + t * d), bounds=bounds, method="bounded")
        assert found <= other.fun + 1e-9


@given(problems(), st.sampled_from(SMOOTH))
def test_line_searches_never_go_up(problem: Any, loss: str) -> None:
    X, y, w = problem
    way = descend(Objective(X, y, loss), "line search", steps=20, start=w)
    assert (np.diff(way.values) <= 1e-9).all()


@pytest.mark.parametrize("how", ["batch", "online", "line search"])
def test_all_ways_separate_what_can_be_separated(how: str) -> None:
    J = Objective(POINTS, SIDES, "perceptron")
    way = descend(J, how, steps=200, learning_rate=lambda t: 1 / t)
    assert way.values[-1] == 0.0 and (J.margins(way.path[-1]) > 0).all()
    assert (way.path[0] == 0).all() and len(way.path) == len(way.values)


def test_what_is_refused() -> None:
    J = Objective(POINTS, SIDES, "0/1")
    for ask in (J.gradient, lambda w: J.best_step(w, w)):
        with pytest.raises(InvalidInput, match="0/1 loss has no gradient"):
            ask([1.0, 0.0, 0.0])
    with pytest.raises(InvalidInput, match="expected 3 finite weights, that of the bias last"):
        J.value([1.0, 0.0])
    with pytest.raises(InvalidInput, match="loss is 'log'"):
        Objective(POINTS, SIDES, "log")
    with pytest.raises(InvalidInput, match="how is 'newton'"):
        descend(J, "newton")
