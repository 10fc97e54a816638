"""Sparse matrices by columns are learned as the same by rows."""

import numpy as np
import pytest
import scipy.sparse

from streams import case_id
from thresher import PassiveAggressive, _core

COLUMN_KINDS = {
    "float32": lambda X: X.astype(np.float32),
    "float64": lambda X: X,
    "int32": lambda X: (X * 16).astype(np.int32),
    "bool": lambda X: X.astype(bool),
}


@pytest.mark.parametrize("make", COLUMN_KINDS.values(), ids=COLUMN_KINDS)
def test_columns_are_learned_as_rows(make):
    """More than 2²¹ values, which are moved in several blocks of rows."""
    rng = np.random.default_rng(0)
    cells = rng.random((90_000, 30)) * (rng.random((90_000, 30)) < 0.9)
    X = make(scipy.sparse.csc_matrix(cells))
    y = rng.integers(2, size=X.shape[0])
    here, there = (
        PassiveAggressive().partial_fit(X, y),
        PassiveAggressive().partial_fit(X.tocsr(), y),
    )
    assert np.array_equal(here.coef_, there.coef_)


def columns(starts, index, values=None, rows=3, kind=np.int32):
    return _core.by_rows(
        np.array(starts, np.int64),
        np.array(index, kind),
        None if values is None else np.array(values, np.float32),
        rows,
    )


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_rows_of_columns_in_any_order(kind):
    starts, index, values = columns([0, 3, 3, 6], [2, 0, 2, 0, 0, 1], [1, 2, 3, 4, 5, 6], kind=kind)
    assert starts.tolist() == [0, 3, 4, 6]
    assert index.tolist() == [0, 2, 2, 2, 0, 0]
    assert values.tolist() == [2, 4, 5, 6, 1, 3]  # what repeats stays
    assert columns([0, 0], [], [])[0].tolist() == [0, 0, 0, 0]
    assert columns([0], [], rows=0)[1].tolist() == []
    assert columns([0, 1, 2], [1, 1])[2] is None


@pytest.mark.parametrize(
    "bad",
    [
        ([0, 1], [3]),
        ([0, 1], [-1]),
        ([0, 2], [0]),
        ([0, 2, 1], [0, 1]),
        ([1, 1], [0]),
        ([-1, 1], [0]),
        ([0, 1], [0], [1, 2]),
        ([], []),
    ],
    ids=case_id,
)
def test_columns_that_do_not_fit_together(bad):
    assert columns(*bad) is None
