"""The learners of boolean concepts agree with their twins in plain Python, example by example."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from thresher import (
    Consistent,
    Elimination,
    Halving,
    StandardOptimal,
    WeightedMajority,
    concepts,
    reference,
)
from thresher.errors import NotRealizable
from thresher.reference.boolean import NotRealizable as Contradiction

CLASSES = [
    concepts.conjunctions(3), concepts.disjunctions(3), concepts.conjunctions(4, monotone=True),
    concepts.disjunctions(4, k=2), concepts.m_of_n(4), concepts.m_of_n(4, 2), concepts.parities(4),
    concepts.decision_lists(4), concepts.truth_tables([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]),
]  # fmt: skip


@st.composite
def streams(draw: st.DrawFn, n: int) -> list[tuple[tuple[int, ...], bool]]:
    """Random labels: contradictions abound."""
    x = st.tuples(*[st.integers(0, 1)] * n)
    return draw(st.lists(st.tuples(x, st.booleans()), min_size=1, max_size=25))


def compare(fast: Any, slow: Any, stream: list[tuple[tuple[int, ...], bool]]) -> None:
    first = True
    for x, y in stream:
        if not first:
            assert fast.predict_one(x) == slow.predict(x)
        try:
            slow.learn(x, y)
        except Contradiction:
            before = None if first else (fast.hypothesis_, fast.version_space_size_)
            with pytest.raises(NotRealizable) as caught:
                fast.learn_one(x, y)
            assert caught.value.example == x and caught.value.label is y
            assert first or (fast.hypothesis_, fast.version_space_size_) == before
        else:
            fast.learn_one(x, y)
            first = False
        if not first:
            assert (fast.examples_, fast.mistakes_) == (slow.examples, slow.mistakes)


@given(st.sampled_from(CLASSES), st.data())
def test_version_spaces(C: concepts.ConceptClass, data: Any) -> None:
    stream = data.draw(streams(C.n))
    fast, slow = Halving(C), reference.Halving(list(C.version_space()))
    compare(fast, slow, stream)
    if slow.examples:
        assert fast.version_space_size_ == len(slow.left)
        assert [str(f) for f in fast._space] == [str(f) for f in slow.left]
    fast = Consistent(C, random_state=data.draw(st.integers(0, 9)))
    seed = int(np.random.default_rng(fast.random_state).integers(2**63))
    slow = reference.Consistent(
        list(C.version_space()),
        lambda step, left: int(np.random.default_rng([seed, step]).integers(left)),
    )
    compare(fast, slow, stream)


@settings(max_examples=max(10, settings.default.max_examples // 4))
@given(st.sampled_from([C for C in CLASSES if C.size <= 16]), st.data())
def test_standard_optimal(C: concepts.ConceptClass, data: Any) -> None:
    inputs = list(itertools.product((0, 1), repeat=C.n))
    slow = reference.StandardOptimal(list(C.version_space()), inputs)
    compare(StandardOptimal(C), slow, data.draw(streams(C.n)))


@given(st.sampled_from(CLASSES), st.data(), st.sampled_from([0.5, 0.25, 0.9, 0.3]))
def test_weighted_majority(C: concepts.ConceptClass, data: Any, beta: float) -> None:
    slow = reference.WeightedMajority(list(C.version_space()), beta)
    fast = WeightedMajority(C, beta=beta)
    compare(fast, slow, data.draw(streams(C.n)))
    assert fast.best_mistakes_ == min(
        round(float(np.log(float(w)) / np.log(beta))) for w in slow.weights
    )
    assert fast.version_space_size_ == slow.weights.count(1)


@given(st.data(), st.sampled_from(["conjunction", "disjunction"]), st.booleans())
def test_elimination(data: Any, concept: str, monotone: bool) -> None:
    n = data.draw(st.integers(1, 5))
    stream = data.draw(streams(n))
    fast, slow = Elimination(concept, monotone), reference.Elimination(n, concept, monotone)
    compare(fast, slow, stream)
    if slow.examples:
        literals = {(abs(v) - 1, int(v > 0)) for v in fast.literals_}
        assert literals == slow.literals


@given(st.data(), st.sampled_from(["conjunction", "disjunction"]), st.booleans())
def test_elimination_over_arrays(data: Any, concept: str, monotone: bool) -> None:
    """Rows together, dense and sparse, cut anywhere: the same as one by one."""
    n = data.draw(st.integers(1, 5))
    C = getattr(concepts, concept + "s")(n, monotone=monotone)
    f = C.concept(data.draw(st.integers(0, C.size - 1)))
    X = np.array([x for x, _ in data.draw(streams(n))])
    y = np.array([f(x) for x in X])
    slow = reference.Elimination(n, concept, monotone)
    for x, v in zip(X.tolist(), y.tolist(), strict=True):
        slow.learn(x, v)
    cut = data.draw(st.integers(0, len(X)))
    parts = Elimination(concept, monotone)
    for part in (slice(0, cut), slice(cut, None)):
        if len(X[part]):
            parts.partial_fit(sparse.csr_array(X[part]), y[part])
    for fast in (Elimination(concept, monotone).fit(X, y), parts):
        assert (fast.examples_, fast.mistakes_) == (slow.examples, slow.mistakes)
        assert {(abs(v) - 1, int(v > 0)) for v in fast.literals_} == slow.literals
        assert fast.predict(sparse.csc_array(X)).tolist() == y.tolist()
