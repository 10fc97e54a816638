"""The largest margin and certificates, against enumeration in fractions and linear programs."""

import math
import sys
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.optimize import linprog

from shared_sets import svmlight
from thresher.errors import InvalidInput
from thresher.theory import Certificate, Inseparable, Separable, max_margin, separability, verify


def signed(X, y, fit_intercept=True):
    x = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else np.asarray(X, dtype=float)
    return x * np.where(np.asarray(y) == max(y), 1.0, -1.0)[:, None]


def solve_exactly(A, b):
    """Gauss with fractions; None if A is singular."""
    M = [[*row, c] for row, c in zip(A, b, strict=True)]
    n = len(M)
    for i in range(n):
        p = next((r for r in range(i, n) if M[r][i] != 0), None)
        if p is None:
            return None
        M[i], M[p] = M[p], M[i]
        M[i] = [v / M[i][i] for v in M[i]]
        for r in range(n):
            if r != i and M[r][i] != 0:
                M[r] = [a - M[r][i] * c for a, c in zip(M[r], M[i], strict=True)]
    return [row[-1] for row in M]


def largest_margin_squared(Z):
    """By trying every set of rows as the support, in fractions; None if there is no separator.

    The shortest w with w·z ≥ 1 is Σ α·z over independent rows with w·z = 1 and α > 0."""
    rows = [[Fraction(v) for v in z] for z in Z.tolist()]
    dot = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows]
    for size in range(1, min(len(rows), len(rows[0])) + 1):
        for S in combinations(range(len(rows)), size):
            alpha = solve_exactly([[dot[i][j] for j in S] for i in S], [Fraction(1)] * size)
            if alpha is None or min(alpha) < 0:
                continue
            if all(
                sum(a * dot[i][j] for a, j in zip(alpha, S, strict=True)) >= 1
                for i in range(len(rows))
            ):
                return 1 / sum(alpha)
    return None


@st.composite
def small_problems(draw):
    n, d = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    values = draw(
        st.sampled_from(
            [
                st.integers(-2, 2).map(float),
                st.floats(-9, 9, width=16),
                st.floats(-1, 1).map(lambda v: round(v, 3)),
            ]
        )
    )
    X = draw(hnp.arrays(float, (n, d), elements=values))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    return X, np.array(y), draw(st.booleans())


@given(problem=small_problems(), kind=st.sampled_from([np.asarray, sparse.csr_array]))
def test_against_every_support_in_fractions(problem, kind):
    X, y, fit_intercept = problem
    found = separability(kind(X), y, fit_intercept)
    Z = signed(X, y, fit_intercept)
    truth = largest_margin_squared(Z)
    if truth is None:
        assert isinstance(found, Inseparable)
        assert found.certificate.exact
        assert verify(found.certificate, X, y)
        return
    assert isinstance(found, Separable)
    margin = math.sqrt(truth)
    assert found.margin == pytest.approx(margin, rel=1e-7)
    assert found.gap <= 1e-8 * margin
    w = np.append(found.weights, found.intercept) if fit_intercept else found.weights
    assert np.linalg.norm(w) == pytest.approx(1.0, abs=1e-12)
    assert (Z @ w).min() == pytest.approx(margin, rel=1e-7)
    # The rows of the support alone have the same largest margin.
    support = list(found.support)
    assert (Z @ w)[support] == pytest.approx(margin, rel=1e-7)
    assert math.sqrt(largest_margin_squared(Z[support])) == pytest.approx(margin, rel=1e-7)


def program_says(Z):
    """HiGHS: is there a w with w·z ≥ 1?"""
    free = [(None, None)] * Z.shape[1]
    return linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=free).status == 0


@pytest.mark.parametrize("seed", range(6))
def test_against_linear_programs(seed):
    rng = np.random.default_rng(seed)
    n, d = 120, int(rng.integers(30, 70))
    X = rng.integers(-4, 5, size=(n, d)).astype(float)
    y = rng.choice([-1, 1], n)  # separable or not with about even chances
    found = separability(X, y)
    assert found.separable == program_says(signed(X, y))
    if not found.separable:
        assert verify(found.certificate, X, y)


@pytest.mark.parametrize("separable", [True, False])
def test_large_starts_and_wide_sparse_rows_change_nothing(separable, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 60)) * (rng.random((150, 60)) < 0.3)
    y = np.sign(X @ rng.normal(size=60)) if separable else rng.choice([-1, 1], 150)
    plain = separability(X, y)
    monkeypatch.setattr(max_margin, "LARGE", 10)
    starts = separability(X, y)
    monkeypatch.setattr(max_margin, "WIDE", 10)
    wide = separability(sparse.csr_array(X), y)
    monkeypatch.setattr(max_margin, "LARGE", 10**9)
    slow = separability(sparse.csr_array(X), y)
    for other in (starts, wide, slow):
        assert other.separable == plain.separable == separable
        if separable:
            assert other.margin == pytest.approx(plain.margin, rel=1e-10)
            assert other.support == plain.support
            assert other.gap <= 1e-9 * plain.margin
        else:
            assert verify(other.certificate, X, y)


@pytest.mark.parametrize("size", [1e-5, 1e-7, 1e-9])
def test_margins_that_are_tiny(size):
    """A margin of known size: two points of opposite labels that are 2·size apart."""
    X = np.array([[3.0, size], [3.0, -size]])
    found = separability(X, [1, 0], fit_intercept=False)
    assert found.margin == pytest.approx(size, rel=1e-6)
    assert np.abs(found.weights).round(6).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("seed", range(8))
def test_features_of_very_different_size(seed):
    """Columns from 1e-6 to 1e6: separability does not depend on the scale, and is still decided."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 30))
    y = rng.integers(0, 2, 90) if seed % 2 else (X @ rng.normal(size=30) > 0).astype(int)
    sizes = 2.0 ** rng.integers(-20, 21, size=30)
    alike, unlike = separability(X, y, False), separability(X * sizes, y, False)
    assert unlike.separable == alike.separable
    if unlike.separable:
        scores = np.where(y == 1, 1, -1) * (X * sizes @ unlike.weights)
        assert scores.min() == pytest.approx(unlike.margin, abs=1e-9 * unlike.margin + 1e-15)
    else:
        assert verify(unlike.certificate, X * sizes, y)


@given(seed=st.integers(0, 2**32 - 1))
def test_margins_next_to_nothing_are_decided_all_the_same(seed):
    """Features from 1e-6 to 1e6, with margins that may be too small for floats: it ends, and what
    it says is proved."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(30, 260)), int(rng.integers(5, 35))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 6, size=d)
    y = (X @ rng.normal(size=d) > 0).astype(int)
    y[0] = 1 - y[0]
    found = separability(X, y)
    if found.separable:
        w = [*(Fraction(v) for v in found.weights.tolist()), Fraction(found.intercept)]
        rows = signed(X, y)[np.argsort(signed(X, y) @ np.array(w, dtype=float))[:5]]
        for z in rows.tolist():
            assert sum(Fraction(a) * b for a, b in zip(z, w, strict=True)) > 0
    else:
        assert verify(found.certificate, X, y)


def test_what_floats_cannot_tell_is_bounded_not_claimed():
    X = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]])
    found = separability(X, [0, 1])
    assert not found.certificate.exact
    assert 0.0 < found.margin_at_most < 1e-13
    verdict = verify(found.certificate, X, [0, 1])
    assert not verdict
    assert verdict.margin_at_most <= found.margin_at_most
    assert found.separable is None
    assert str(found).startswith("undecided")


# ------------------------------------------------------------------ special data


def test_equal_rows_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    y = (X[:, 0] > 0).astype(int)
    once, thrice = separability(X, y), separability(np.vstack([X] * 3), np.tile(y, 3))
    assert thrice.margin == pytest.approx(once.margin, rel=1e-12)
    assert {i % 20 for i in thrice.support} == set(once.support)


def test_equal_points_with_opposite_labels_are_a_certificate():
    found = separability([[5.0, 2.0], [1.0, 2.0], [1.0, 2.0]], ["a", "a", "b"])
    assert sorted(found.certificate.rows) == [1, 2]
    assert found.certificate.coefficients == (Fraction(1, 2), Fraction(1, 2))


def test_a_zero_row_without_intercept_is_a_certificate():
    X, y = [[1.0], [0.0], [-1.0]], [1, 1, 0]
    found = separability(X, y, fit_intercept=False)
    assert found.certificate.rows == (1,)
    assert verify(found.certificate, X, y)
    assert separability([[1.0], [0.0], [-1.0]], [1, 1, 0]).separable


def test_one_label_is_separable_and_says_so():
    found = separability([[3.0], [-4.0]], ["spam", "spam"])
    assert found.margin == pytest.approx(1.0)  # x0 alone separates
    assert "only one label" in str(found)
    assert not separability([[3.0], [-4.0]], ["spam", "spam"], fit_intercept=False).separable


def test_points_of_the_lecture():
    """(1,1)+, (0.5,3)+, (2,2)−."""
    assert separability([[1, 1], [0.5, 3], [2, 2]], [1, 1, -1]).separable


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.empty((0, 2)), [], "0 sample"),
        ([[1.0, np.nan], [0.0, 1.0]], [0, 1], "nan in row 0, column 1"),
        (sparse.csr_array([[1.0, 0.0], [0.0, np.inf]]), [0, 1], "inf in row 1, column 1"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], "3 labels"),
        ([[1.0], [2.0]], [0, 1, 1], "2 rows"),
        ([["a"], ["b"]], [0, 1], "numbers"),
        ([[1.0, 1.0], [1e308, 1.0]], [0, 1], "row 1 whose squares are too large"),
        (sparse.csr_array([[1e200, 0.0], [0.0, 1.0]]), [0, 1], "row 0 whose squares are too large"),
    ],
)
def test_bad_input_is_named(X, y, words):
    with pytest.raises(InvalidInput, match=words):
        separability(X, y)


def test_without_scipy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.linalg", None)
    with pytest.raises(ImportError, match=r"pip install 'thresher\[theory\]'"):
        separability([[0.0], [1.0]], [0, 1])


# ------------------------------------------------------------------ certificates


XOR = ([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])


def test_a_certificate_that_proves_nothing_is_not_believed():
    good = separability(*XOR).certificate
    assert verify(good, *XOR)
    for rows, weights, words in (
        ((0, 1, 2), (1, 1, 2), "not exactly zero"),
        ((0, 1, 2, 3), (1, 1, 1, 1 + 1e-15), "not exactly zero"),
        ((0, 1, 2, 3), (-1, -1, -1, -1), "≥ 0"),
        ((0, 1, 2, 3), (0, 0, 0, 0), "not all 0"),
        ((0, 1, 2, 3), (1.0, 1.0, 1.0, math.nan), "finite"),
        ((0, 0, 1, 2), (1, 1, 1, 1), "distinct"),
        ((0, 1, 2, 9), (1, 1, 1, 1), "no row 9"),
        ((0, 1), (1,), "as many"),
        ((), (), "at least 1"),
    ):
        verdict = verify(Certificate(rows, weights), *XOR)
        assert not verdict
        assert words in verdict.reason
    with pytest.raises(InvalidInput, match="expected a Certificate"):
        verify(separability(*XOR), *XOR)
    # The same rows prove nothing about other labels.
    assert not verify(good, XOR[0], [0, 1, 1, 1])


@given(seed=st.integers(0, 10**6))
def test_any_weights_bound_the_margin(seed):
    """‖Σ λ·y·x‖ is at least the largest margin, for any λ."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    y = (X @ rng.normal(size=3) > 0).astype(int)
    if len(set(y)) < 2:
        return
    rows = tuple(int(i) for i in rng.choice(12, size=5, replace=False))
    verdict = verify(Certificate(rows, tuple(rng.random(5).tolist())), X, y)
    assert not verdict
    assert separability(X, y).margin <= verdict.margin_at_most


# ------------------------------------------------------------------ real data


def test_heart_scale_has_a_certificate(shared_data):
    X, y = svmlight(shared_data / "heart_scale.svm.gz", 13)
    found = separability(X, y)
    assert found.certificate.exact
    assert verify(found.certificate, X, y)
    assert verify(found.certificate, X.toarray(), y)


def test_mushrooms_are_separable(shared_data):
    X, y = svmlight(shared_data / "mushrooms.svm.gz", 112)
    found = separability(X, y)
    assert found.margin == pytest.approx(0.25693862731162, abs=1e-12)
    assert found.gap < 1e-12
    scores = X @ found.weights + found.intercept
    assert (np.where(y == max(y), 1, -1) * scores).min() == pytest.approx(found.margin, abs=1e-12)


def test_some_rows_of_a9a_prove_that_it_is_not_separable(shared_data):
    X, y = svmlight(shared_data / "a9a.train.svm.gz", 123)
    found = separability(X, y)
    assert len(found.certificate.rows) <= 125
    assert verify(found.certificate, X, y)
    rows = list(found.certificate.rows)
    assert not program_says(signed(X[rows].toarray(), y[rows]))
