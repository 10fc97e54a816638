"""Distances, margins and boundaries, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from thresher import lms_stability
from thresher.errors import InvalidInput
from thresher.theory import boundary_segment, margin_distribution, plane, signed_distances
from thresher.theory.bounds import Margins


@given(seed=st.integers(0, 2**32 - 1))
def test_a_step_by_the_distance_lands_on_the_hyperplane(seed):
    rng = np.random.default_rng(seed)
    X, w, b = rng.normal(size=(5, 3)), rng.normal(size=3), float(rng.normal())
    distances = signed_distances(X, w, b)
    assert distances == pytest.approx(signed_distances(sparse.csr_array(X), w, b))
    feet = X - distances[:, None] * w / np.linalg.norm(w)
    assert feet @ w + b == pytest.approx(0.0, abs=1e-9)


def test_margins_of_unit_rows_are_those_of_the_theorems():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = (X[:, 0] > 0.1).astype(int)
    w = rng.normal(size=4)
    found = margin_distribution(X, y, w, fit_intercept=False)
    assert found.margins == pytest.approx(Margins.of(X, y, w, fit_intercept=False).values)
    assert found.wrong == np.mean((X @ w >= 0) != y)
    assert found.smallest == found.quantile(0.0) >= -1.0
    scaled = margin_distribution(7.0 * X, y, 3.0 * w, fit_intercept=False)
    assert scaled.margins == pytest.approx(found.margins)


@given(seed=st.integers(0, 2**32 - 1), score=st.sampled_from([0.0, 0.7]))
def test_the_segment_is_the_line_inside_the_box(seed, score):
    """Against points along the line."""
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=2), float(rng.normal())
    if seed % 5 == 0:
        w[seed % 2] = 0.0
    box = (-1.0, 2.0, -0.5, 1.5)
    start = (score - b) * w / (w @ w)
    points = start + np.linspace(-50, 50, 20_001)[:, None] * np.array([w[1], -w[0]]) / np.hypot(*w)
    inside = points[
        (points[:, 0] >= box[0])
        & (points[:, 0] <= box[1])
        & (points[:, 1] >= box[2])
        & (points[:, 1] <= box[3])
    ]
    segment = boundary_segment(w, b, box, score=score)
    if segment is None:
        assert len(inside) == 0
        return
    ends = np.array(segment)
    assert ends @ w + b == pytest.approx(score, abs=1e-9)
    assert (ends[:, 0] >= -1 - 1e-9).all() and (ends[:, 0] <= 2 + 1e-9).all()
    length = np.linalg.norm(ends[1] - ends[0])
    assert length == pytest.approx(max(len(inside) - 1, 0) * 0.005, abs=0.011)


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(2, 12))
def test_a_plane_shows_the_scores_and_the_widest_spread(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, d)) * np.arange(1, d + 1)
    w, b = rng.normal(size=d), float(rng.normal())
    found = plane(X, w, b)
    assert found.axes @ found.axes.T == pytest.approx(np.eye(2), abs=1e-9)
    points = found.points(X)
    assert points[:, 0] - found.boundary == pytest.approx(signed_distances(X, w, b))
    across = X - np.outer(X @ found.axes[0], found.axes[0])
    widest = np.linalg.svd(across - across.mean(axis=0), compute_uv=False)[0]
    assert np.linalg.norm(points[:, 1] - points[:, 1].mean()) >= 0.9 * widest
    again = plane(X, w, b, second=rng.normal(size=d))
    assert again.axes @ again.axes.T == pytest.approx(np.eye(2), abs=1e-9)


def test_a_plane_where_nothing_varies_across():
    found = plane([[1.0, 0.0], [2.0, 0.0]], [1.0, 0.0])
    assert np.abs(found.axes).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_time_constants_of_lms_are_those_of_its_mean():
    """The mean weight error, iterated, falls to 1/e in each direction after the given steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) * [1.0, 2.0, 0.3]
    facts = lms_stability(X, fit_intercept=False)
    assert facts.trace == pytest.approx((X**2).sum(axis=1).mean())
    assert facts.condition == pytest.approx(1.0 / facts.rate)
    assert facts.eigenvalues[0] == facts.lambda_min
    C = X.T @ X / len(X)
    vectors = np.linalg.eigh(C).eigenvectors
    eta = 0.05
    for i, constant in enumerate(facts.time_constants(eta)):
        error = vectors[:, i].copy()
        for _ in range(round(constant)):
            error = error - eta * C @ error
        assert np.linalg.norm(error) == pytest.approx(np.exp(-1), rel=0.15)
    assert np.isinf(facts.time_constants(1.1 * facts.eta_max)[-1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: signed_distances([[1.0]], [0.0]), "expected a hyperplane"),
        (lambda: signed_distances([[1.0]], [1.0, 2.0]), "2 weights"),
        (lambda: boundary_segment([1.0], 0.0, (0, 1, 0, 1)), "two finite weights"),
        (lambda: boundary_segment([1.0, 1.0], 0.0, (1, 0, 0, 1)), "is empty"),
        (lambda: plane([[1.0]], [1.0, 2.0]), "2 weights"),
        (lambda: margin_distribution([[1.0]], [1], [1.0, 2.0]), "2 weights"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
