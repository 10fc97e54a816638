"""Mistake bounds of the learners of boolean concepts: never passed, and reached."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import Consistent, Elimination, Halving, WeightedMajority, concepts
from thresher.concepts import ConceptClass
from thresher.theory.protocols import (
    MembershipQueries,
    Pupil,
    RandomExamples,
    Teaching,
    conjunction,
)

CLASSES = st.one_of(
    st.builds(concepts.conjunctions, st.integers(1, 5), monotone=st.booleans()),
    st.builds(concepts.disjunctions, st.integers(1, 5), monotone=st.booleans()),
    st.builds(concepts.conjunctions, st.integers(3, 8), k=st.integers(1, 3)),
    st.builds(concepts.m_of_n, st.integers(2, 6), st.sampled_from([None, 1, 2])),
    st.builds(concepts.parities, st.integers(1, 8)),
    st.builds(concepts.decision_lists, st.integers(1, 8)),
)


def rows(n: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=1, max_size=40)


@st.composite
def realizable(draw: st.DrawFn) -> tuple[ConceptClass, np.ndarray, np.ndarray]:
    C = draw(CLASSES)
    f = C.concept(draw(st.integers(0, C.size - 1)))
    X = np.array(draw(rows(C.n)))
    return C, X, np.array([f(x) for x in X])


@given(realizable(), st.integers(0, 99))
def test_halving_and_con_stay_within_their_bounds(stream: Any, seed: int) -> None:
    C, X, y = stream
    halving = Halving(C).fit(X, y)
    assert halving.bound_ == math.log2(C.size)
    assert halving.mistakes_ <= halving.bound_
    # Each mistake halves what is left, so this is what the mistakes can be at most by now.
    assert halving.mistakes_ <= math.log2(C.size / halving.version_space_size_)
    con = Consistent(C, random_state=seed).fit(X, y)
    assert con.mistakes_ <= con.bound_ == C.size - 1
    assert con.mistakes_ <= C.size - con.version_space_size_
    assert con.version_space_size_ == halving.version_space_size_
    assert (con.predict(X) == y).all() and (halving.predict(X) == y).all()


@given(st.data(), st.sampled_from(["conjunction", "disjunction"]), st.booleans())
def test_elimination_stays_within_its_bound(data: Any, concept: str, monotone: bool) -> None:
    n = data.draw(st.integers(1, 12))
    C = getattr(concepts, concept + "s")(n, monotone=monotone)
    f = C.concept(data.draw(st.integers(0, C.size - 1)))
    X = np.array(data.draw(rows(n)))
    y = np.array([f(x) for x in X])
    model = Elimination(concept, monotone=monotone).fit(X, y)
    assert model.bound_ == (n if monotone else n + 1)
    assert model.mistakes_ <= model.bound_
    assert (model.predict(X) == y).all()
    assert set(f.literals) <= set(model.literals_)  # what the target needs is never deleted


@given(st.data(), st.floats(0.05, 0.95))
def test_weighted_majority_stays_within_its_bound_whatever_the_labels(
    data: Any, beta: float
) -> None:
    C = data.draw(CLASSES)
    X = np.array(data.draw(rows(C.n)))
    y = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    model = WeightedMajority(C, beta=beta).fit(X, y)
    m = min(sum(f(x) != v for x, v in zip(X, y, strict=True)) for f in C)
    bound = (m * math.log(1 / beta) + math.log(C.size)) / math.log(2 / (1 + beta))
    assert model.best_mistakes_ == m
    assert model.bound_ == pytest.approx(bound)
    assert model.mistakes_ <= bound + 1e-9


@given(st.data(), st.sampled_from(["conjunction", "disjunction"]))
def test_names_without_end_stay_within_their_bound(data: Any, concept: str) -> None:
    pool = [f"name{i}" for i in range(9)]
    hidden = set(data.draw(st.sets(st.sampled_from(pool), max_size=4)))
    model = Elimination(concept)
    for on in data.draw(st.lists(st.sets(st.sampled_from(pool)), min_size=1, max_size=30)):
        model.learn_one(on, hidden <= on if concept == "conjunction" else bool(hidden & on))
        assert model.mistakes_ <= model.bound_


# ------------------------------------------------------------ streams that reach the bounds


def worst_for_elimination(n: int, monotone: bool) -> Iterator[list[int]]:
    """All positive: one literal is deleted by each, the rest wait (the hidden concept is true)."""
    if not monotone:
        yield [1] * n  # deletes the n negations at once
    for i in range(n):
        yield [0] * (i + 1) + [1] * (n - i - 1)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("monotone", [True, False])
def test_elimination_reaches_its_bound(n: int, monotone: bool) -> None:
    X = np.array(list(worst_for_elimination(n, monotone)))
    model = Elimination(monotone=monotone, positive=1).fit(X, np.ones(len(X), int))
    assert model.mistakes_ == model.bound_ == len(X)
    assert model.hypothesis_ == "true"
    model = Elimination("disjunction", monotone=monotone, positive=1)
    model.fit(1 - X, np.zeros(len(X), int))
    assert model.mistakes_ == model.bound_ == len(X)
    assert model.hypothesis_ == "false"


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_halving_reaches_its_bound_on_parities(n: int) -> None:
    """An unseen unit vector splits what is left in two equal halves: it is always wrong."""
    model = Halving(concepts.parities(n))
    for x in np.eye(n, dtype=int):
        says = model.predict_one(x)
        model.learn_one(x, not says)  # before the first example it says None; a tie says False
    assert model.mistakes_ == n == model.bound_
    assert model.version_space_size_ == 1


@pytest.mark.parametrize("levels", [1, 3, 6])
def test_halving_reaches_its_bound_on_a_chain(levels: int) -> None:
    """Thresholds on a chain, asked as in binary search, against whatever it says."""
    size = 2**levels
    chain = [[int(r >= t) for r in range(size)] for t in range(size)]
    model, low, high = Halving(concepts.truth_tables(chain)), 0, size
    while high - low > 1:  # the threshold is in low … high − 1
        middle = (low + high) // 2 - 1  # r ≥ t for half of the t left
        x = [middle >> i & 1 for i in range(levels)]
        answer = model.predict_one(x) in (None, False)
        model.learn_one(x, answer)
        low, high = (low, middle + 1) if answer else (middle + 1, high)
    assert model.mistakes_ == levels == model.bound_


def test_con_reaches_its_bound_with_the_worst_choices() -> None:
    """|C| singletons: each wrong example rules out only the concept that was chosen."""
    singletons = concepts.truth_tables(np.eye(8, dtype=int))
    worst = 0
    for seed in range(200):
        model = Consistent(singletons, random_state=seed)
        left = set(range(8))
        while len(left) > 1:
            r = min(left)
            x = [r >> i & 1 for i in range(3)]
            model.learn_one(x, False)  # a mistake only if the concept chosen was this one
            left.remove(r)
        worst = max(worst, model.mistakes_)
        assert model.mistakes_ <= model.bound_ == 7
    assert worst >= 4


def test_con_is_wrong_each_time_against_an_adversary_that_knows_its_choice() -> None:
    model = Consistent(concepts.truth_tables(np.eye(8, dtype=int)), random_state=0)
    model.learn_one([0, 0, 0], False)
    begin = model.mistakes_
    while model.version_space_size_ > 1:
        chosen = next(r for r in range(8) if model.predict_one([r >> i & 1 for i in range(3)]))
        model.learn_one([chosen >> i & 1 for i in range(3)], False)
    assert model.mistakes_ - begin == 6  # with the first concept: |C| − 1 in all


# ------------------------------------------------------------ protocols

NOTES = conjunction([2, 3, 4, 5, 100], n=100)


def test_protocols_of_the_notes() -> None:
    asked, taught = MembershipQueries(NOTES).run(), Teaching(NOTES).run()
    assert (asked.count, taught.count) == (100, 6)
    assert asked.exact and taught.exact
    assert str(asked.concept) == str(taught.concept) == "x2 ∧ x3 ∧ x4 ∧ x5 ∧ x100"


@given(st.integers(1, 20), st.data())
def test_asking_takes_n_questions_and_teaching_k_and_one_examples(n: int, data: Any) -> None:
    hidden = conjunction(data.draw(st.sets(st.integers(1, n))), n)
    asked = MembershipQueries(hidden).run()
    assert (asked.count, asked.concept, asked.exact) == (n, hidden, True)
    by_answers = MembershipQueries(lambda x: hidden(x), n).run()
    assert (by_answers.concept, by_answers.exact) == (hidden, None)
    taught = Teaching(hidden).run()
    assert (taught.count, taught.concept) == (len(hidden.literals) + 1, hidden)


@given(st.integers(1, 8), st.data())
def test_a_teacher_leaves_one_concept_and_needs_every_example(n: int, data: Any) -> None:
    hidden = conjunction(data.draw(st.sets(st.integers(1, n))), n)
    lesson = list(Teaching(hidden).examples())
    for skipped in range(-1, len(lesson)):
        space, pupil = concepts.conjunctions(n, monotone=True).version_space(), Pupil(n)
        for i, (x, y) in enumerate(lesson):
            if i != skipped:
                space.keep(x, y)
                pupil.learn(x, y)
        if skipped == -1:
            assert space.size == 1 and space.concept(0) == hidden and pupil.certain
        elif skipped > 0:
            assert space.size == 2 and not pupil.certain
        else:  # the positive example is of no use only if the conjunction has all variables
            full = len(hidden.literals) == n
            assert (space.size == 1) == pupil.certain == full


def test_nature_teaches_with_few_mistakes() -> None:
    outcome = RandomExamples(NOTES, density=0.9, random_state=1).run(5000, survive=500)
    assert outcome.mistakes == outcome.learner.mistakes_ <= 100
    assert outcome.count < 5000 and outcome.exact
    again = RandomExamples(NOTES, density=0.9, random_state=1).run(5000, survive=500)
    assert again.count == outcome.count
    halving = Halving(concepts.conjunctions(12, k=2))
    target = concepts.conjunctions(12, k=2).sample(5)
    outcome = RandomExamples(target, halving, random_state=2).run(200)
    assert outcome.exact and outcome.mistakes <= halving.bound_
