"""The concepts of a class that fit all examples so far, as packed bits in the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from thresher._core import VersionSpace as CoreVersionSpace
from thresher.concepts.classes import ConceptClass, how_many, input_of
from thresher.concepts.concept import Concept
from thresher.errors import InvalidInput

MOST = 2**32  # half a gigabyte of bits, and as much for the values on an example


def check_class(concepts: Any) -> None:
    if not isinstance(concepts, ConceptClass):
        raise InvalidInput(
            f"concepts is {concepts!r}; expected a class of concepts, such as "
            "thresher.concepts.conjunctions(10)."
        )


def refuse_too_many(concepts: ConceptClass, most: int, each: str) -> None:
    """Raise an error before anything is allocated."""
    if concepts._places() > most:
        raise InvalidInput(
            f"a version space of {how_many(concepts.size)} {concepts.title}, {each} each; expected "
            f"at most {most} concepts. Take a class with fewer variables than {concepts.n}, or of "
            "exactly k literals (concepts.conjunctions(n, k=3)); for all conjunctions or "
            "disjunctions use Elimination, which keeps literals in place of concepts."
        )


def core_of(make: Callable[[dict[str, Any]], Any], concepts: ConceptClass) -> Any:
    """The core's part; it has its own limits, on tables for counting."""
    try:
        return make(concepts._shape())
    except ValueError as error:
        raise InvalidInput(f"{concepts!r}: {error}; expected fewer.") from None


class VersionSpace:
    """The concepts of a class that fit all examples so far: one bit for each.

    >>> from thresher import concepts
    >>> space = concepts.parities(10).version_space()
    >>> space.size
    1024
    >>> space.votes([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])  # how many say 0, how many 1
    (512, 512)
    """

    def __init__(self, concepts: ConceptClass) -> None:
        check_class(concepts)
        refuse_too_many(concepts, MOST, "a bit")
        self.concepts = concepts
        self._core = core_of(CoreVersionSpace, concepts)

    @property
    def size(self) -> int:
        """How many concepts are left."""
        return int(self._core.size)

    def votes(self, x: Any) -> tuple[int, int]:
        """How many of the concepts left are 0 on x, and how many 1."""
        one = self._core.vote(input_of(self.concepts, x))
        return self.size - one, one

    def keep(self, x: Any, value: bool) -> int:
        """Keep the concepts that have this value on x, and return how many there are.

        If there are none the result is 0 and the version space stays as it is.
        """
        return int(self._core.keep(input_of(self.concepts, x), bool(value)))

    def concept(self, rank: int) -> Concept:
        """The concept that has `rank` others left before it."""
        if not 0 <= rank < self.size:
            raise InvalidInput(f"concept {rank} of those left; expected 0 to {self.size - 1}.")
        return self.concepts._at(self._core.select(rank))

    def __iter__(self) -> Iterator[Concept]:
        return (self.concept(rank) for rank in range(self.size))

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<version space: {self.size} of {self.concepts}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"concepts": self.concepts, "alive": self._core.alive()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["concepts"])  # type: ignore[misc]
        self._core.set_alive(state["alive"])
