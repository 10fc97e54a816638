"""Threshold functions, against known counts and known functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import ltu
from thresher.errors import InvalidInput
from thresher.theory import (
    conjunction_features,
    is_threshold_function,
    threshold_degree,
    verify,
)


def inputs(n):
    return [[(r >> i) & 1 for i in range(n)] for r in range(2**n)]


def tables(n):
    return ([(code >> r) & 1 for r in range(2**n)] for code in range(2**2**n))


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 104)])
def test_as_many_threshold_functions_as_there_are(n, count):
    """4, 14, 104, 1882, … (Muroga 1971; OEIS A000609). Each answer has its proof."""
    found = 0
    for table in tables(n):
        answer = is_threshold_function(table)
        if answer:
            found += 1
            assert answer.unit.truth_table().tolist() == [bool(v) for v in table]
            assert all(w.is_integer() for w in answer.unit.weights.tolist())
        else:
            assert verify(answer.certificate, inputs(n), table)
    assert found == count


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9))
def test_units_are_found_again(seed, n):
    rng = np.random.default_rng(seed)
    weights = rng.integers(-6, 7, n) if seed % 2 else rng.normal(size=n)
    table = ltu.ThresholdUnit(weights, float(rng.integers(-4, 5))).truth_table()
    answer = is_threshold_function(table)
    assert np.array_equal(answer.unit.truth_table(), table)
    assert (answer.unit.weights == np.rint(answer.unit.weights)).all()


def test_functions_of_the_lecture():
    conjunction = is_threshold_function(ltu.conjunction([1, 2, 4], 4).truth_table())
    assert str(conjunction) == "x1 + x2 + x4 >= 3"
    two_of_three = is_threshold_function(ltu.at_least(2, [1, 3, 4], 4).truth_table())
    assert str(two_of_three) == "x1 + x3 + x4 >= 2"
    xor = is_threshold_function(lambda x: x[0] ^ x[1], n=2)
    assert not xor
    assert sorted(xor.certificate.rows) == [0, 1, 2, 3]
    pairs = is_threshold_function(lambda x: (x[0] and x[1]) or (x[2] and x[3]), n=4)
    assert not pairs
    assert pairs.certificate.exact


@pytest.mark.parametrize("value", [0, 1])
def test_constant_functions(value):
    answer = is_threshold_function([value] * 8)
    assert answer.unit.truth_table().tolist() == [bool(value)] * 8


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_parity_needs_all_variables_at_once(n):
    """Minsky and Papert (1969): parity has no threshold unit below degree n."""
    found = threshold_degree(lambda x: sum(x) % 2, n)
    assert found.degree == n
    features, _ = conjunction_features(inputs(n), n)
    assert [found.unit(x) for x in features] == [sum(x) % 2 == 1 for x in inputs(n)]


def test_conjunctions_make_them_linear():
    assert str(threshold_degree([0, 1, 1, 0])) == "x1 + x2 - 2·(x1∧x2) >= 1"
    pairs = threshold_degree(lambda x: (x[0] and x[1]) or (x[2] and x[3]), n=4)
    assert str(pairs) == "(x1∧x2) + (x3∧x4) >= 1"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: is_threshold_function([0, 1, 1]), "2\\^n values"),
        (lambda: is_threshold_function([1]), "n ≥ 1"),
        (lambda: is_threshold_function([0, 1, 2, 0]), "other than 0 and 1"),
        (lambda: is_threshold_function([0, 1], n=2), "expected 2\\^2"),
        (lambda: is_threshold_function(lambda x: True), "needs n"),
        (lambda: is_threshold_function(lambda x: True, n=0), "n is 0"),
        (lambda: is_threshold_function(lambda x: True, n=40), "2\\^40 rows"),
        (lambda: conjunction_features([[0.5]], 1), "0 and 1"),
        (lambda: conjunction_features(np.zeros((1, 1000)), 3), "conjunctions of up to 3"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
