"""The core takes nothing on trust: lengths, indices, values, sizes."""

from __future__ import annotations

import numpy as np
import pytest

from thresher._core import Tally, VersionSpace

PARITIES = {"kind": "parities", "n": 3}
LISTED = {"kind": "listed", "size": 70}


@pytest.mark.parametrize("make", [VersionSpace, Tally])
@pytest.mark.parametrize(
    "shape",
    [
        {"kind": "parities", "n": 0}, {"kind": "parities", "n": 33}, {"kind": "parities", "n": 64},
        {"kind": "signs", "n": 21}, {"kind": "subsets", "n": 40},
        {"kind": "subsets", "n": 5, "least": 3, "most": 2},
        {"kind": "subsets", "n": 5, "least": 1, "most": 6},
        {"kind": "subsets", "n": 32, "least": 1, "most": 2},
        {"kind": "choices", "n": 5, "k": 0}, {"kind": "choices", "n": 5, "k": 6},
        {"kind": "choices", "n": 100, "k": 50}, {"kind": "choices", "n": 2**63, "k": 2},
        {"kind": "choices", "n": 40, "k": 20, "negated": True},
        {"kind": "choices", "n": 2**24, "k": 1},
        {"kind": "listed", "size": 0}, {"kind": "listed", "size": 2**40}, {"kind": "other"},
    ],
    ids=str,
)  # fmt: skip
def test_shapes_that_cannot_be(make, shape) -> None:
    with pytest.raises(ValueError):
        make(shape)


@pytest.mark.parametrize("make", [VersionSpace, Tally])
def test_examples_and_columns_are_checked(make) -> None:
    space, ask = make(PARITIES), "vote" if make is VersionSpace else "votes"
    for x in ([0, 1], [0, 1, 1, 0], [0, 2, 1], []):
        with pytest.raises(ValueError):
            getattr(space, ask)(np.array(x, dtype=np.uint8))
    with pytest.raises(ValueError):
        getattr(space, ask)(np.zeros(1, dtype=np.uint64))
    listed = make(LISTED)
    with pytest.raises(ValueError):
        getattr(listed, ask)(np.zeros(3, dtype=np.uint8))
    for words in (1, 3):
        with pytest.raises(ValueError):
            getattr(listed, ask)(np.zeros(words, dtype=np.uint64))


def test_bits_from_outside_are_checked() -> None:
    space = VersionSpace(LISTED)
    for words in ([0, 0], [1], [1, 1, 1], [0, 1 << 6]):  # none; too few; too many; no such concept
        with pytest.raises(ValueError):
            space.set_alive(np.array(words, dtype=np.uint64))
    assert space.size == 70
    space.set_alive(np.array([5, 1 << 5], dtype=np.uint64))
    assert space.size == 3
    assert [space.select(rank) for rank in range(3)] == [0, 2, 69]
    with pytest.raises(IndexError):
        space.select(3)
    with pytest.raises(ValueError):
        Tally(LISTED).set_mistakes(np.zeros(71, dtype=np.uint32))


def test_bits_beyond_the_last_concept_are_nobodys() -> None:
    space = VersionSpace(LISTED)
    ones = np.full(2, 2**64 - 1, dtype=np.uint64)
    assert space.vote(ones) == 70
    assert space.keep(ones, False) == 0
    assert space.keep(np.zeros(2, dtype=np.uint64), False) == space.size == 70
    tally = Tally(LISTED)
    assert tally.votes(ones).tolist() == [0, 70]
    assert tally.learn(ones, False)
    assert tally.votes(ones).tolist() == [0, 0, 0, 70]
