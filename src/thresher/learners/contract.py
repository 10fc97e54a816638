"""What a run requires of anything that learns, by public names.

A run over files, `thresher.training.Training`, knows `Learning` and no more: linear learners
implement it (`base/from_files.py`), and a race for all its runners (`thresher.race.field`). A race
knows `Racing`, which only online learners implement: they learn one row at a time, and several of
them may share the numbers of names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from thresher._core import Examples, Lexicon, Progress
    from thresher.data.reader import Batch
    from thresher.data.reading import Needs, ReadingOptions
    from thresher.learners.base.examples import Rows
    from thresher.learners.base.learner import Floats


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


class Racing(Learning, Protocol):
    """A learner that learns the same examples as others do, at the same time."""

    converged_: bool

    def fresh(self) -> Self:
        """The same options, nothing learned."""

    def begin_reading(self, how: ReadingOptions, lexicon: Lexicon | None = None) -> None:
        """Begin to learn examples that are read this way; the lexicon may be shared."""

    def label_codes(self, batch: Batch) -> tuple[list[int], list[int]]:
        """The codes of the labels of a batch; where labels are sets, also where those of each
        begin. Equal streams give equal codes."""

    def begin_rows(
        self, rows: Rows, y: Any, weights: Floats | None
    ) -> Callable[[int, int, Progress], None]:
        """Begin with rows of an array; the function returned learns those from one number to
        before another, each of which it predicts first."""

    def predict_one(self, x: Any) -> Any:
        """The prediction for one example by name."""

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Learn from one example by name."""
