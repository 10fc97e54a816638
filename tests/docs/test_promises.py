"""What the README promises of every learner, tried on every learner and every option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import thresher
from thresher.learners.table import LINEAR

ROWS, COLUMNS = 120, 6

LEARNERS = [
    pytest.param(
        lambda entry=entry, options=options: entry.cls(**options), id=f"{entry.name}{options}"
    )
    for entry in LINEAR
    if entry.online
    for options in entry.variants
]


def stream(model: Any, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that Winnow takes too; many zeros, some noise."""
    rng = np.random.default_rng(classes)
    X = rng.random((ROWS, COLUMNS)) * (rng.random((ROWS, COLUMNS)) < 0.5)
    if model._estimator_type == "regressor":
        return X, X @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS)
    return X, np.argmax(X[:, :classes] + rng.random((ROWS, classes)), axis=1)


def same(a: Any, b: Any) -> bool:
    counted = all(
        getattr(a, name) == getattr(b, name)
        for name in ("examples_", "updates_", "mistakes_")
        if hasattr(a, name)
    )
    weights = np.array_equal(a.coef_, b.coef_) and np.array_equal(a.intercept_, b.intercept_)
    return counted and weights


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", LEARNERS)
def test_batch_is_stream(make: Any, classes: int) -> None:
    X, y = stream(make(), classes)
    whole, chunks, rows = make().fit(X, y), make(), make()
    for start, end in ((0, 1), (1, 8), (8, 50), (50, ROWS)):
        chunks.partial_fit(X[start:end], y[start:end])
    for x, label in zip(X, y, strict=True):
        rows.partial_fit(x[None], [label])
    assert same(whole, chunks)
    assert same(whole, rows)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", LEARNERS)
def test_resumed_is_uninterrupted(make: Any, classes: int, tmp_path: Any) -> None:
    X, y = stream(make(), classes)
    make().partial_fit(X[:40], y[:40]).save(tmp_path / "model")
    assert same(make().fit(X, y), thresher.load(tmp_path / "model").partial_fit(X[40:], y[40:]))


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", LEARNERS)
def test_dense_is_sparse_is_dict(make: Any, classes: int) -> None:
    X, y = stream(make(), classes)
    dense, sparse = make().fit(X, y), make().fit(scipy.sparse.csr_array(X), y)
    dicts = make().partial_fit(X[:1], y[:1])  # the first row says how many columns there are
    for x, label in zip(X[1:], y[1:], strict=True):
        dicts.learn_one({j: value for j, value in enumerate(x) if value}, label)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(dicts.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
