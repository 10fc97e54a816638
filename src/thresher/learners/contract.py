"""What a run over batches requires of anything that learns.

`thresher.training.Training` knows only this: linear learners implement it for themselves
(`from_files.py`), a race for all its runners (`thresher.race.field`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from thresher._core import Examples, Progress
    from thresher.data.reader import Batch
    from thresher.data.reading import Needs, ReadingOptions


class Learning(Protocol):
    """Something that learns examples batch by batch."""

    epochs_: int
    """Passes over the data that are done."""

    @property
    def task(self) -> str:
        """What is predicted: "classify" for labels, "regress" for numbers."""

    @property
    def examples_(self) -> int:
        """How many examples were learned."""

    @property
    def counts_names(self) -> bool:
        """Whether a name counts only once it has occurred often enough."""

    def needs(self) -> Needs:
        """What a parser must know."""

    def begin_reading(self, how: ReadingOptions) -> None:
        """Begin to learn examples that are read this way."""

    def resolver(self, batch: Batch) -> Callable[[int, int], Examples]:
        """Labels of a batch get codes at once; names of rows numbers, when these are requested."""

    def learn_examples(
        self, examples: Examples, begin: int, end: int, progress: Progress, order: Any = None
    ) -> None:
        """Predict each example, then learn it. Those before one that is refused stay learned."""

    def learned_only(self, rows: int) -> None:
        """Only the first `rows` of those resolved last were learned: forget the other names."""

    def settle(self) -> None:
        """A run was abandoned: forget what was read but not learned."""
