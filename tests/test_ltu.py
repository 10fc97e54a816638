"""Threshold units against the boolean functions that they stand for, input by input."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import ltu
from thresher.errors import InvalidInput
from thresher.ltu import ThresholdUnit


@st.composite
def literals_of_n(draw: st.DrawFn) -> tuple[list[int], int]:
    n = draw(st.integers(1, 6))
    signs = draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n))
    return [s * (i + 1) for i, s in enumerate(signs) if s], n


def inputs(n: int) -> list[tuple[int, ...]]:
    """All of {0,1}^n with x1 changing fastest."""
    return [x[::-1] for x in itertools.product((0, 1), repeat=n)]


def true_literals(literals: list[int], x: tuple[int, ...]) -> int:
    return sum((x[abs(v) - 1] == 1) == (v > 0) for v in literals)


@given(literals_of_n(), st.integers(0, 7))
def test_constructors_mean_what_they_say(found: tuple[list[int], int], m: int) -> None:
    literals, n = found
    wanted = {
        ltu.conjunction(literals, n): [
            true_literals(literals, x) == len(literals) for x in inputs(n)
        ],
        ltu.disjunction(literals, n): [true_literals(literals, x) > 0 for x in inputs(n)],
    }
    assert ltu.at_least(m, literals, n).truth_table().tolist() == [
        true_literals(literals, x) >= m for x in inputs(n)
    ]
    for unit, table in wanted.items():
        assert unit.truth_table().tolist() == table
        assert [unit(x) for x in inputs(n)] == table


def test_a_variable_with_its_negation() -> None:
    assert not ltu.conjunction([1, -1], 2).truth_table().any()
    assert ltu.disjunction([1, -1], 2).truth_table().all()


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8), st.floats(-3, 3))
def test_table_and_single_inputs_agree(weights: list[float], threshold: float) -> None:
    unit = ThresholdUnit(weights, threshold)
    assert unit.truth_table().tolist() == [unit(x) for x in inputs(len(weights))]


def test_units_of_the_notes() -> None:
    unit = ltu.conjunction([1, 2, 4], 4)
    assert unit == ThresholdUnit([1, 1, 0, 1], 3)
    assert str(unit) == "x1 + x2 + x4 >= 3"
    assert str(ltu.at_least(2, [1, 3, 4], 4)) == "x1 + x3 + x4 >= 2"


@pytest.mark.parametrize(
    ("weights", "threshold", "text"),
    [
        ([0, 0], 0, "0 >= 0"),
        ([-1, 2.5], 0.5, "-x1 + 2.5·x2 >= 0.5"),
        ([3, 0, -2], -1, "3·x1 - 2·x3 >= -1"),
    ],
)
def test_text(weights: list[float], threshold: float, text: str) -> None:
    assert str(ThresholdUnit(weights, threshold)) == text


def test_units_are_values() -> None:
    unit = ThresholdUnit([1, 2], 1)
    assert unit == ThresholdUnit(np.array([1.0, 2.0]), 1.0)
    assert hash(unit) == hash(ThresholdUnit([1, 2], 1))
    assert unit != ThresholdUnit([1, 2], 2)
    with pytest.raises(ValueError):
        unit.weights[0] = 5


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: ThresholdUnit([], 0), "n ≥ 1"),
        (lambda: ThresholdUnit([[1.0]], 0), r"\(1, 1\)"),
        (lambda: ThresholdUnit([1, float("nan")], 0), "weight 2 is not finite"),
        (lambda: ThresholdUnit([1], float("inf")), "threshold is inf"),
        (lambda: ThresholdUnit([1, 1], 1)([1, 0, 1]), r"\(3,\); expected 2 values"),
        (lambda: ThresholdUnit(np.ones(25), 1).truth_table(), "2\\^25 rows"),
        (lambda: ltu.conjunction([1], 0), "n is 0"),
        (lambda: ltu.conjunction([1], 2.5), "n is 2.5"),
        (lambda: ltu.conjunction([0], 2), "literal 0"),
        (lambda: ltu.conjunction([3], 2), "1 to 2"),
        (lambda: ltu.conjunction([1, 1], 2), "more than once"),
        (lambda: ltu.at_least(-1, [1], 2), "m is -1"),
    ],
)
def test_refused(wrong, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        wrong()
