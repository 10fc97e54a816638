"""Fewest mistakes, fewest changed labels, smallest conjunctions: against trying everything."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from thresher.errors import InvalidInput, NotRealizable
from thresher.theory import (
    fewest_mistakes,
    repair,
    separability,
    smallest_conjunction,
    verify,
)
from thresher.theory.covering import fewest_columns, greedy

few = settings(max_examples=max(10, settings.default.max_examples // 2))


def can_be_right(z: np.ndarray) -> bool:
    """Is there a w with w·z ≥ 1 for all rows? Small whole numbers: a linear programme can tell."""
    free = [(None, None)] * z.shape[1]
    return len(z) == 0 or linprog(np.zeros(z.shape[1]), -z, -np.ones(len(z)), bounds=free).success


def tried(X: np.ndarray, y: np.ndarray, fit_intercept: bool) -> int:
    rows = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X
    z = rows * y[:, None]
    for count in range(len(X) + 1):
        for out in itertools.combinations(range(len(X)), count):
            if can_be_right(np.delete(z, out, axis=0)):
                return count
    raise AssertionError


@st.composite
def labelled(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    width = draw(st.integers(1, 3))
    row = st.lists(st.integers(-2, 2), min_size=width, max_size=width)
    X = draw(st.lists(row, min_size=1, max_size=8))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X)))
    return np.array(X, float), np.array(y)


@given(labelled(), st.booleans())
@few
def test_fewest_mistakes(data: Any, fit_intercept: bool) -> None:
    X, y = data
    found = fewest_mistakes(X, y, fit_intercept)
    assert found.optimal and found.status == "optimal"
    assert found.mistakes == tried(X, y, fit_intercept)
    margins = y * (X @ found.weights + found.intercept)
    assert set(found.rows) >= set(np.flatnonzero(margins < -1e-9))
    assert not set(found.rows) & set(np.flatnonzero(margins > 1e-9))
    for certificate in found.certificates:
        assert verify(certificate, X, y)
        assert set(certificate.rows) & set(found.rows)


@given(labelled())
@few
def test_a_repair_is_separable_and_no_smaller_one_is(data: Any) -> None:
    X, y = data
    names = np.where(y > 0, "yes", "no")
    if len(set(names)) < 2:
        return
    found = repair(X, names)
    assert found.optimal
    assert separability(X, found.labels == "yes").separable
    assert np.flatnonzero(found.labels != names).tolist() == list(found.rows)
    assert ((X @ found.weights + found.intercept > 0) == (found.labels == "yes")).all()
    for count in range(len(found.rows)):
        for some in itertools.combinations(range(len(X)), count):
            other = y.copy()
            other[list(some)] *= -1
            rows = np.hstack([X, np.ones((len(X), 1))]) * other[:, None]
            assert not can_be_right(rows)


def test_sparse_rows_and_other_labels() -> None:
    X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], ["b", "a", "a", "b"]
    dense, thin = fewest_mistakes(X, y), fewest_mistakes(sparse.csr_array(X), y)
    assert dense.mistakes == thin.mistakes == 1
    assert repair(sparse.csr_array(X), y).labels.tolist().count("a") in (1, 3)


def test_planted_mistakes_are_found() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    side = X @ [1.0, -2.0, 0.5]
    X, y = X[abs(side) > 0.3], np.sign(side)[abs(side) > 0.3]
    y[[5, 40, 77]] *= -1
    found = fewest_mistakes(X, y)
    assert found.optimal and found.rows == (5, 40, 77)
    assert str(found) == "3 mistakes, and no hyperplane makes fewer"


def test_out_of_time_it_says_how_far_it_may_be() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.choice([-1, 1], 300)
    found = fewest_mistakes(X, y, time_limit=0.05)
    assert found.status == "time limit" and not found.optimal
    assert 0 < found.at_least < found.mistakes < 150
    assert "time limit" in str(found) and str(found.at_least) in str(found)
    assert (y * (X @ found.weights + found.intercept) <= 0).sum() == found.mistakes
    with pytest.raises(InvalidInput, match="time_limit is 0"):
        fewest_mistakes(X, y, time_limit=0)


def test_what_cannot_be_repaired() -> None:
    with pytest.raises(InvalidInput, match="row 1 is all 0"):
        repair([[1.0], [0.0]], [0, 1], fit_intercept=False)
    with pytest.raises(InvalidInput, match="y has only the label 1"):
        repair([[1.0], [-1.0]], [1, 1], fit_intercept=False)
    assert fewest_mistakes([[0.0], [0.0]], [0, 1], fit_intercept=False).mistakes == 2


# ------------------------------------------------------------------ conjunctions


def true_of(literals: tuple[int, ...], x: np.ndarray) -> bool:
    return all(bool(x[abs(v) - 1]) == (v > 0) for v in literals)


def smallest_by_trying(X: np.ndarray, y: np.ndarray, monotone: bool) -> int | None:
    n = X.shape[1]
    literals = [v for j in range(1, n + 1) for v in ((j,) if monotone else (j, -j))]
    for count in range(len(literals) + 1):
        for some in itertools.combinations(literals, count):
            if all(true_of(some, x) == (label > 0) for x, label in zip(X, y, strict=True)):
                return count
    return None


@st.composite
def bits(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 4))
    X = draw(st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=1, max_size=8))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X)))
    if draw(st.booleans()):  # labels that some conjunction gives
        target = draw(st.lists(st.sampled_from([v for j in range(1, n + 1) for v in (j, -j)]),
                               max_size=2))  # fmt: skip
        y = [1 if true_of(tuple(target), x) else -1 for x in np.array(X)]
    return np.array(X), np.array(y)


@given(bits(), st.booleans())
def test_smallest_conjunction(data: Any, monotone: bool) -> None:
    X, y = data
    expected = smallest_by_trying(X, y, monotone)
    if expected is None:
        with pytest.raises(NotRealizable, match="no conjunction agrees with all rows"):
            smallest_conjunction(X, y, monotone=monotone)
        with pytest.raises(NotRealizable, match="no disjunction agrees with all rows"):
            smallest_conjunction(1 - X, -y, concept="disjunction", monotone=monotone)
        return
    found = smallest_conjunction(X, y, monotone=monotone)
    assert found.optimal and len(found.literals) == expected <= found.greedy <= found.elimination
    assert [found.concept(x) for x in X] == (y > 0).tolist()
    mirrored = smallest_conjunction(1 - X, -y, concept="disjunction", monotone=monotone)
    assert len(mirrored.literals) == expected
    assert [mirrored.concept(x) for x in 1 - X] == (y < 0).tolist()


def test_conjunctions_refuse_other_values() -> None:
    with pytest.raises(InvalidInput, match=r"X has 0\.5 in row 0, column 1; expected 0 or 1"):
        smallest_conjunction([[1, 0.5]], [1])


@given(st.integers(0, 2**20), st.integers(1, 7), st.integers(1, 7))
def test_covers(seed: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((rows, columns)) < 0.4
    table[np.arange(rows), rng.integers(columns, size=rows)] = True
    found = fewest_columns(table, 10.0)
    least = next(
        count
        for count in range(columns + 1)
        if any(table[:, list(some)].any(axis=1).all()
               for some in itertools.combinations(range(columns), count))
    )  # fmt: skip
    assert len(found.columns) == found.at_least == least <= len(greedy(table))
    assert table[:, list(found.columns)].any(axis=1).all()
