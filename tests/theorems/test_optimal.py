"""The optimal mistake bound of small classes, the algorithm that reaches it, and teaching."""

from __future__ import annotations

import copy
import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import Halving, StandardOptimal, concepts
from thresher.concepts import littlestone_dimension, optimal, teaching_dimension
from thresher.errors import InvalidInput
from thresher.reference import boolean as ref

TABLES = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width),
                           min_size=1, max_size=10)
)  # fmt: skip


def all_functions(points: int) -> np.ndarray:
    return np.array(list(itertools.product((0, 1), repeat=points)))


def thresholds(points: int) -> np.ndarray:
    """x ≥ c for all c: 0…0, 0…01, …, 1…1."""
    return np.triu(np.ones((points + 1, points), dtype=int))


def by_definition(table: list[list[int]]) -> int:
    """`thresher.reference` says what the dimension is, in six lines."""
    inputs = tuple((i,) for i in range(len(table[0])))
    functions = tuple((lambda x, row=tuple(row): row[x[0]] == 1) for row in table)
    return ref.littlestone_dimension(functions, inputs)


def fewest_that_teach(table: list[list[int]]) -> int:
    """By trying all sets of inputs."""
    rows = {tuple(row) for row in table}
    width = len(table[0])

    def for_one(row: tuple[int, ...]) -> int:
        for size in range(width + 1):
            for chosen in itertools.combinations(range(width), size):
                same = [other for other in rows if all(other[i] == row[i] for i in chosen)]
                if same == [row]:
                    return size
        raise AssertionError

    return max(for_one(row) for row in rows)


@given(TABLES)
def test_against_the_definitions(table: list[list[int]]) -> None:
    assert littlestone_dimension(table) == by_definition(table)
    assert teaching_dimension(table) == fewest_that_teach(table)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_known_dimensions(n: int) -> None:
    singletons = np.eye(n, dtype=int)
    assert littlestone_dimension(singletons) == min(1, n - 1)
    assert littlestone_dimension(all_functions(n)) == n
    # Binary search is the best one can do: each mistake at most halves the thresholds left.
    assert littlestone_dimension(thresholds(n)) == math.floor(math.log2(n + 1))
    assert littlestone_dimension(concepts.disjunctions(n, monotone=True)) == n
    assert littlestone_dimension(concepts.conjunctions(n, monotone=True)) == n
    assert littlestone_dimension(concepts.parities(n)) == n
    assert teaching_dimension(all_functions(n)) == n
    assert teaching_dimension(concepts.parities(n)) == n
    assert teaching_dimension(singletons) == min(1, n - 1)
    assert teaching_dimension([*singletons.tolist(), [0] * n]) == n  # the empty set
    # k + 1 examples for k of n variables; all n of them need no positive one.
    assert teaching_dimension(concepts.conjunctions(n, monotone=True)) == n


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_elimination_is_optimal_for_conjunctions(n: int) -> None:
    """Its n + 1 mistakes (monotone: n) can be forced on every learner."""
    assert littlestone_dimension(concepts.conjunctions(n)) == n + 1
    assert littlestone_dimension(concepts.disjunctions(n)) == n + 1


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal, "MOST_WORK", 50)
    for ask in (littlestone_dimension, teaching_dimension):
        with pytest.raises(InvalidInput, match="not decided after looking at 50 splits"):
            ask(np.random.default_rng(0).integers(0, 2, (60, 30)))


@given(TABLES)
def test_bounds_on_the_dimension(table: list[list[int]]) -> None:
    """log2 of the class from above; equal columns and their complements add nothing."""
    found = littlestone_dimension(table)
    assert 0 <= found <= math.log2(len({tuple(row) for row in table}))
    wider = [[*row, *(1 - v for v in row)] for row in table]
    assert littlestone_dimension(wider) == found
    assert littlestone_dimension([*table, table[0]]) == found


def worst_case(model: Any, inputs: list[tuple[int, ...]]) -> int:
    """The most mistakes that any adversary can make it make, from where it is: all are tried."""

    @cache
    def from_here(state: frozenset[str]) -> int:
        learner, most = models[state], 0
        before = 0 if learner is fresh else learner.mistakes_
        for x, y in itertools.product(inputs, (False, True)):
            after = copy.deepcopy(learner)
            try:
                after.learn_one(x, y)
            except InvalidInput:
                continue
            left = frozenset(str(f) for f in after._space)
            erred = after.mistakes_ - before
            if left == state:
                assert not erred  # all concepts said so
                continue
            models[left] = after
            most = max(most, erred + from_here(left))
        return most

    fresh = model
    start = frozenset(str(f) for f in model.concepts.version_space())
    models = {start: fresh}
    return from_here(start)


CLASSES = [
    concepts.disjunctions(2, monotone=True),
    concepts.conjunctions(2),
    concepts.m_of_n(2),
    concepts.decision_lists(2),
    concepts.truth_tables(np.eye(4, dtype=int)),
    concepts.truth_tables(thresholds(4)),
    concepts.truth_tables([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1]]),
]


@pytest.mark.parametrize("C", CLASSES, ids=str)
def test_the_worst_case_of_soa_is_the_dimension(C: Any) -> None:
    inputs = list(itertools.product((0, 1), repeat=C.n))
    bound = littlestone_dimension(C)
    assert worst_case(StandardOptimal(C), inputs) == bound
    # Nobody promises less, Halving no more than log2 |C|.
    assert bound <= worst_case(Halving(C), inputs) <= math.log2(C.size)


def test_halving_is_not_optimal() -> None:
    """Few concepts that are hard to tell apart against many that are easy: the majority errs.

    Where the first input is 1, all four functions of two inputs; where it is 0, five singletons.
    """
    hard = [[1, *row, 0, 0, 0, 0, 0] for row in all_functions(2).tolist()]
    easy = [[0, 0, 0, *row] for row in np.eye(5, dtype=int).tolist()]
    C = concepts.truth_tables(hard + easy)
    inputs = list(itertools.product((0, 1), repeat=3))
    assert littlestone_dimension(C) == worst_case(StandardOptimal(C), inputs) == 2
    assert worst_case(Halving(C), inputs) == 3


def test_classes_that_are_too_large_are_refused_with_their_size() -> None:
    with pytest.raises(InvalidInput, match="59049 concepts on 1024 inputs; expected at most 1024"):
        littlestone_dimension(concepts.conjunctions(10))
    with pytest.raises(InvalidInput, match="202 concepts on 2\\^n inputs"):
        teaching_dimension(concepts.decision_lists(100))
    with pytest.raises(InvalidInput, match="3000 concepts on 2 inputs"):
        littlestone_dimension(np.zeros((3000, 2), dtype=int))
    with pytest.raises(InvalidInput, match="1024 concepts"):
        StandardOptimal(concepts.conjunctions(10)).fit([[0] * 10], [1])
    for table in ([[0, 2]], [0, 1], np.zeros((0, 2))):
        with pytest.raises(InvalidInput, match="expected a row of 0 and 1 for each concept"):
            littlestone_dimension(table)
