"""The fewest mistakes that any learner of a class can promise, and the fewest examples that teach.

A version space is an integer here, whose bit i says whether concept i is left; an input is the
integer whose bits say which concepts are true of it.
"""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

from thresher.concepts.classes import ConceptClass, how_many
from thresher.concepts.concept import input_number, not_bits
from thresher.concepts.version_space import VersionSpace
from thresher.errors import InvalidInput
from thresher.lazy import np, npt

MOST_CONCEPTS = 1024
MOST_INPUTS = 1024
MOST_WORK = 1_000_000  # splits that are looked at for an answer: a few seconds

Concepts: TypeAlias = "ConceptClass | npt.ArrayLike"


class SmallClass:
    """The values of all concepts on each input, and answers found so far for parts of the class."""

    def __init__(self, inputs: list[int], everything: int, title: str) -> None:
        self.inputs = inputs
        self.everything = everything
        self.title = title
        # Equal and complementary columns split alike; one that tells no concepts apart, not at all.
        halves = {min(mask, everything & ~mask) for mask in inputs} - {0}
        size = everything.bit_count()
        self._splits = sorted(halves, key=lambda mask: abs(2 * mask.bit_count() - size))
        self._reached: dict[tuple[int, int], bool] = {}
        self._work = 0

    def dimension(self, left: int) -> int:
        """The Littlestone dimension of the concepts in `left`; −1 if there are none."""
        self._work = 0
        found = -1
        while self._at_least(left, found + 1):
            found += 1
        return found

    def _at_least(self, left: int, depth: int) -> bool:
        """Whether an adversary can make every learner of these concepts err `depth` times."""
        if left.bit_count() < 1 << depth:  # a tree of that depth has as many branches
            return False
        if depth == 0:
            return True
        known = self._reached.get((left, depth))
        if known is None:
            known = self._reached[left, depth] = any(
                self._at_least(left & ~mask, depth - 1) and self._at_least(left & mask, depth - 1)
                for mask in self._looked_at()
            )
        return known

    def _looked_at(self) -> Any:
        for mask in self._splits:
            self._spend()
            yield mask

    def _spend(self, work: int = 1) -> None:
        self._work += work
        if self._work > MOST_WORK:
            raise InvalidInput(
                f"{self.title}: not decided after looking at {MOST_WORK} splits of the class; "
                "expected a smaller one."
            )

    def teaching_dimension(self) -> int:
        """The most of `_teaching`, over all concepts."""
        self._work = 0
        return max(self._teaching(i) for i in bits(self.everything))

    def _teaching(self, i: int) -> int:
        """The fewest inputs whose values only concept i, or one equal to it, has."""
        bit = 1 << i
        apart = {mask if not mask & bit else self.everything & ~mask for mask in self.inputs}
        others = functools.reduce(int.__or__, apart, 0)
        size, missed = 0, set[tuple[int, int]]()
        while not self._told_apart(others, apart, size, missed):
            size += 1
        return size

    def _told_apart(
        self, others: int, apart: set[int], size: int, missed: set[tuple[int, int]]
    ) -> bool:
        """Whether `size` inputs rule out all `others`; `missed` remembers where they did not."""
        if others == 0 or (others, size) in missed:
            return others == 0
        useful = sorted({mask & others for mask in apart}, key=lambda mask: -mask.bit_count())
        if others.bit_count() <= sum(mask.bit_count() for mask in useful[:size]):
            hardest = min(bits(others), key=lambda o: sum(mask >> o & 1 for mask in useful))
            for mask in useful:
                if mask >> hardest & 1:
                    self._spend(16)  # it takes about so long
                    if self._told_apart(others & ~mask, apart, size - 1, missed):
                        return True
        missed.add((others, size))
        return False


def bits(mask: int) -> list[int]:
    """The places of the ones of a number.

    >>> bits(0b1010)
    [1, 3]
    """
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def small_class(concepts: Concepts) -> SmallClass:
    """A class of `thresher.concepts`, or a table with a row for each concept."""
    return of_class(concepts) if isinstance(concepts, ConceptClass) else of_table(concepts)


@functools.lru_cache(maxsize=8)
def of_class(concepts: ConceptClass) -> SmallClass:
    refuse_large(concepts.size, 2**concepts.n if concepts.n < 60 else None, str(concepts))
    inputs, everything = [], alive(VersionSpace(concepts))
    for r in range(2**concepts.n):
        space = VersionSpace(concepts)
        inputs.append(alive(space) if space.keep(input_number(r, concepts.n), True) else 0)
    return SmallClass(inputs, everything, str(concepts))


def of_table(table: npt.ArrayLike) -> SmallClass:
    values = np.asarray(table)
    if values.ndim != 2 or 0 in values.shape or not_bits(values).any():
        raise InvalidInput(
            f"the table of concepts has shape {values.shape}; expected a row of 0 and 1 for each "
            "concept, a column for each input, or a class of thresher.concepts."
        )
    size, columns = values.shape
    title = f"{size} concepts on {columns} inputs"
    refuse_large(size, columns, title)
    inputs = [int("".join(map(str, column[::-1])), 2) for column in values.astype(int).T]
    return SmallClass(inputs, (1 << size) - 1, title)


def refuse_large(size: int, inputs: int | None, title: str) -> None:
    if size > MOST_CONCEPTS or inputs is None or inputs > MOST_INPUTS:
        many = "2^n" if inputs is None else inputs
        raise InvalidInput(
            f"{title}: {how_many(size)} concepts on {many} inputs; expected at most "
            f"{MOST_CONCEPTS} concepts on at most {MOST_INPUTS} inputs, since every way to split "
            "the class is looked at."
        )


def alive(space: VersionSpace) -> int:
    """The concepts of a version space as a number."""
    return int.from_bytes(space._core.alive().astype("<u8").tobytes(), "little")


def littlestone_dimension(concepts: Concepts) -> int:
    """The optimal mistake bound of a class (Littlestone 1988).

    The depth of the deepest complete binary tree of inputs all of whose branches agree with some
    concept. Along such a tree an adversary tells any learner that it is wrong, once on each level;
    and `StandardOptimal` never makes more mistakes. So no learner promises less, and one
    promises as much. At most log2 |C|, since the branches belong to different concepts.

    `concepts` is a class of `thresher.concepts`, or a table of 0 and 1 with a row for each concept
    and a column for each input. Every way to split the class is looked at, so it must be small.

    Examples
    --------
    >>> from thresher import concepts
    >>> littlestone_dimension(concepts.disjunctions(4, monotone=True))
    4
    >>> littlestone_dimension([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])  # thresholds
    2
    """
    small = small_class(concepts)
    return small.dimension(small.everything)


def teaching_dimension(concepts: Concepts) -> int:
    """The least number of labelled examples that a teacher needs, for the hardest concept.

    For one concept: the fewest inputs whose values no other concept has. (Goldman & Kearns 1995.)
    Concepts that agree on all inputs count as one.

    Examples
    --------
    >>> from thresher import concepts
    >>> teaching_dimension(concepts.parities(3))
    3
    >>> teaching_dimension([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])  # the empty set is hard
    3
    """
    return small_class(concepts).teaching_dimension()
