"""Every class of concepts against its definition, written out: sizes, values, version spaces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import looped
from thresher import concepts
from thresher.concepts import ConceptClass
from thresher.errors import InvalidInput

Function = Callable[[tuple[int, ...]], bool]


def inputs(n: int) -> list[tuple[int, ...]]:
    """All of {0,1}^n, x1 changing fastest, as the rows of a truth table."""
    return [x[::-1] for x in itertools.product((0, 1), repeat=n)]


def true_of(x: tuple[int, ...], literals: tuple[int, ...]) -> int:
    return sum(x[abs(v) - 1] == (v > 0) for v in literals)


def literal_sets(n: int, monotone: bool, k: int | None = None) -> Iterator[tuple[int, ...]]:
    """All sets of literals in which no variable comes twice."""
    for signs in itertools.product((0, 1) if monotone else (0, 1, -1), repeat=n):
        chosen = tuple(s * (i + 1) for i, s in enumerate(signs) if s)
        if k is None or len(chosen) == k:
            yield chosen


def all_of(literals: tuple[int, ...]) -> Function:
    return lambda x: true_of(x, literals) == len(literals)


def any_of(literals: tuple[int, ...]) -> Function:
    return lambda x: true_of(x, literals) > 0


def at_least(m: int, literals: tuple[int, ...]) -> Function:
    return lambda x: true_of(x, literals) >= m


def odd(variables: tuple[int, ...]) -> Function:
    return lambda x: true_of(x, variables) % 2 == 1


def cases() -> Iterator[tuple[ConceptClass, list[Function]]]:
    for n in (1, 2, 3, 4):
        for monotone in (True, False):
            for k in (None, *range(1, n + 1)):
                sets = list(literal_sets(n, monotone, k))
                yield concepts.conjunctions(n, monotone=monotone, k=k), [all_of(s) for s in sets]
                yield concepts.disjunctions(n, monotone=monotone, k=k), [any_of(s) for s in sets]
                for m in (None, *range(1, k + 1)) if k else ():
                    yield (
                        concepts.m_of_n(n, m, k=k, monotone=monotone),
                        [at_least(t, s) for t in ([m] if m else range(1, k + 1)) for s in sets],
                    )
    for n in (1, 3, 7):  # one word, and more than one
        sets = list(literal_sets(n, True))
        yield concepts.conjunctions(n, monotone=True), [all_of(s) for s in sets]
        yield concepts.disjunctions(n, monotone=True), [any_of(s) for s in sets]
        yield concepts.parities(n), [odd(s) for s in sets]
        for m in (None, *range(1, n + 1)) if n < 7 else (None, 3):
            yield (
                concepts.m_of_n(n, m),
                [at_least(t, s) for t in ([m] if m else range(1, n + 1)) for s in sets
                 if len(s) >= t],
            )  # fmt: skip
        yield (
            concepts.decision_lists(n),
            [all_of((s * v,)) for v in range(1, n + 1) for s in (1, -1)]
            + [lambda x: False, lambda x: True],
        )


CASES = list(cases())
each_class = looped(("C", "functions"), CASES, ids=[repr(C) for C, _ in CASES])


def tables(functions: list[Function], n: int) -> list[tuple[bool, ...]]:
    return sorted(tuple(f(x) for x in inputs(n)) for f in functions)


@each_class
def test_a_class_is_what_its_definition_says(C: ConceptClass, functions: list[Function]) -> None:
    assert C.size == len(functions)
    if C.n <= 4:
        assert tables([lambda x, f=f: f(x) for f in C], C.n) == tables(functions, C.n)
        space = C.version_space()
        assert space.size == C.size
        assert tables([lambda x, f=f: f(x) for f in space], C.n) == tables(functions, C.n)


@each_class
def test_votes_and_what_survives(C: ConceptClass, functions: list[Function]) -> None:
    rng = np.random.default_rng(C.size)
    target = functions[rng.integers(len(functions))]
    space, left = C.version_space(), functions
    for x in rng.permutation(inputs(C.n)).tolist()[:24]:
        ones = sum(f(tuple(x)) for f in left)
        assert space.votes(x) == (len(left) - ones, ones)
        y = target(tuple(x))
        left = [f for f in left if f(tuple(x)) == y]
        assert space.keep(x, y) == space.size == len(left)
        if ones not in (0, len(left)) and len({f(tuple(x)) for f in left}) == 1:
            assert space.keep(x, not y) == 0  # no concept is left for it: nothing changes
            assert space.size == len(left)
    if C.n <= 4:
        assert tables([lambda x, f=f: f(x) for f in space], C.n) == tables(left, C.n)


@each_class
def test_text_and_threshold_units(C: ConceptClass, functions: list[Function]) -> None:
    if C.n > 4:
        return
    seen = {}
    for f in C:
        unit = f.threshold_unit()
        if unit is not None:
            assert f.why_no_unit == ""
            assert unit.truth_table().tolist() == f.truth_table().tolist()
        else:
            assert f.why_no_unit
        assert seen.setdefault(str(f), f) == f  # no two concepts read the same


@given(st.data())
def test_columns_longer_than_a_few_words(data: st.DataObject) -> None:
    """Where the bits of one variable lie across the words of another."""
    C = data.draw(
        st.sampled_from(
            [
                concepts.conjunctions(6), concepts.disjunctions(5), concepts.conjunctions(11, k=3),
                concepts.m_of_n(13, 2, k=4), concepts.m_of_n(9, k=3, monotone=False),
                concepts.parities(9), concepts.m_of_n(7), concepts.m_of_n(8, 3),
                concepts.disjunctions(36, k=2), concepts.conjunctions(150, k=1),
            ]
        )
    )  # fmt: skip
    x = data.draw(st.lists(st.integers(0, 1), min_size=C.n, max_size=C.n))
    space = C.version_space()
    values = [f(x) for f in space]
    assert space.votes(x) == (C.size - sum(values), sum(values))
    value = data.draw(st.sampled_from(sorted(set(values))))
    chosen = [str(f) for f, v in zip(space, values, strict=True) if v == value]
    space.keep(x, value)
    assert [str(f) for f in space] == chosen


@given(st.lists(st.integers(0, 255), min_size=1, max_size=130), st.data())
def test_lists_of_tables_and_of_predicates(numbers: list[int], data: st.DataObject) -> None:
    rows = [[v >> r & 1 for r in range(8)] for v in numbers]
    listed = concepts.truth_tables(rows)
    called = concepts.predicates([lambda x, v=v: v >> (x @ [1, 2, 4]) & 1 for v in numbers], n=3)
    assert (listed.n, listed.size) == (called.n, called.size) == (3, len(numbers))
    assert [f.truth_table().tolist() for f in listed] == [[v == 1 for v in row] for row in rows]
    spaces = [listed.version_space(), called.version_space()]
    left = numbers
    for r in data.draw(st.permutations(range(8))):
        x, y = inputs(3)[r], numbers[0] >> r & 1
        assert {space.votes(x)[1] for space in spaces} == {sum(v >> r & 1 for v in left)}
        left = [v for v in left if v >> r & 1 == y]
        assert {space.keep(x, y) for space in spaces} == {len(left)}
    assert set(left) == {numbers[0]}


def test_sizes_are_exact_without_counting() -> None:
    assert concepts.conjunctions(1000).size == 3**1000
    assert concepts.disjunctions(200, monotone=True).size == 2**200
    assert concepts.conjunctions(10**5, k=7).size == 2**7 * math.comb(10**5, 7)
    assert concepts.m_of_n(100).size == 100 * 2**99
    assert concepts.m_of_n(90, 40, k=60, monotone=False).size == math.comb(90, 60) * 2**60
    assert concepts.parities(500).size == 2**500
    assert concepts.decision_lists(10**9).size == 2 * 10**9 + 2


@pytest.mark.parametrize(
    "C",
    [
        concepts.conjunctions(60), concepts.disjunctions(300, monotone=True),
        concepts.conjunctions(500, k=9), concepts.m_of_n(80), concepts.m_of_n(70, 30),
        concepts.parities(64), concepts.m_of_n(100, k=50, monotone=False),
    ],
    ids=repr,
)  # fmt: skip
def test_concepts_of_classes_too_large_to_hold(C: ConceptClass) -> None:
    first, last = C.concept(0), C.concept(C.size - 1)
    assert str(first) != str(last)
    assert C.sample(3) == C.sample(3)
    assert isinstance(C.sample(4)([1] * C.n), bool)
    size = C.size if C.size < 10**40 else r"about 10\^\d+\.\d"
    with pytest.raises(InvalidInput, match=f"{size} .*expected at most 4294967296"):
        C.version_space()


def test_samples_are_spread_evenly() -> None:
    C = concepts.conjunctions(2)
    generator = np.random.default_rng(0)
    found = [str(C.sample(generator)) for _ in range(900)]
    counts = [found.count(str(f)) for f in C]
    assert sum(counts) == 900 and all(60 < count < 150 for count in counts)


def test_many_concepts_are_refused_with_the_size_and_what_to_do() -> None:
    with pytest.raises(InvalidInput, match=r"1099511627776 monotone conjunctions.*Elimination"):
        concepts.conjunctions(40, monotone=True).version_space()
    with pytest.raises(InvalidInput, match="exactly k literals"):
        concepts.parities(40).version_space()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: concepts.conjunctions(0), "n is 0; expected at least one variable"),
        (lambda: concepts.parities(-3), "n is -3"),
        (lambda: concepts.parities(10**12), "n is 1000000000000; expected at most 100000"),
        (lambda: concepts.conjunctions(10**12), "Elimination takes any number"),
        (lambda: concepts.conjunctions(10**12, k=10**12), "expected 1 to 100000"),
        (lambda: concepts.parities(2.0), "n is 2.0; expected a whole number"),
        (lambda: concepts.conjunctions(3, monotone=1), "monotone is 1; expected True or False"),
        (lambda: concepts.conjunctions(3, k=4), "k is 4; expected 1 to 3"),
        (lambda: concepts.conjunctions(3, k=0), "k is 0; expected 1 to 3"),
        (lambda: concepts.m_of_n(3, 4), "m is 4; expected 1 to 3"),
        (lambda: concepts.m_of_n(5, 3, k=2), "m is 3; expected 1 to 2"),
        (lambda: concepts.m_of_n(5, 3, monotone=False), "without k"),
        (lambda: concepts.truth_tables([]), "the class is empty"),
        (lambda: concepts.truth_tables([[0, 1, 1]]), r"shape \(1, 3\); expected \(concepts, 2"),
        (lambda: concepts.truth_tables([[0, 1], [0]]), "truth tables"),
        (lambda: concepts.truth_tables([[1]]), "n ≥ 1"),
        (lambda: concepts.truth_tables([[0, 1], [2, 0]]), "truth table 1, row 0 is 2"),
        (lambda: concepts.predicates([], 3), "the class is empty"),
        (lambda: concepts.predicates([3], 3), "predicate 0 is 3"),
        (lambda: concepts.predicates([max], 0), "n is 0"),
        (lambda: concepts.parities(3).concept(8), "concept 8; expected 0 to 7"),
        (lambda: concepts.parities(3).concept(1)([0, 1]), r"shape \(2,\); expected 3 values"),
        (lambda: concepts.parities(3).concept(1)([0, 2, 1]), "variable x2 is 2; expected 0 or 1"),
        (lambda: concepts.parities(30).concept(1).truth_table(), "2\\^30 rows"),
        (lambda: concepts.parities(2).version_space().votes([0, 0.5]), "x2 is 0.5"),
        (lambda: concepts.parities(2).version_space().votes([0, float("nan")]), "x2 is nan"),
        (lambda: concepts.parities(2).version_space().votes(["a", "b"]), "x1 is 'a'"),
        (lambda: concepts.parities(2).version_space().concept(4), "expected 0 to 3"),
        (lambda: concepts.VersionSpace("conjunctions"), "expected a class of concepts"),
        (lambda: concepts.conjunctions(2**24, k=1).version_space(), "too many variables"),
    ],
)  # fmt: skip
def test_refused(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        wrong()


def test_classes_are_values() -> None:
    assert concepts.conjunctions(5) == concepts.conjunctions(5) != concepts.disjunctions(5)
    assert concepts.conjunctions(5) != concepts.conjunctions(6)
    assert repr(concepts.m_of_n(9, 2, k=3)) == "choices(9, k=3, m=2, monotone=True, form='of')"
    assert str(concepts.conjunctions(15)) == "14348907 conjunctions of x1 … x15"
    assert concepts.truth_tables([[0, 1]]) != concepts.truth_tables([[1, 1]])
