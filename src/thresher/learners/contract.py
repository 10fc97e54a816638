"""What a run requires of anything that learns, by public names.

`Learning` is all that a run over files, `thresher.training.Training`, knows. Models of the core
implement it in `base/from_files.py`, kernel and boolean learners in `base/by_name.py`, and a race
for all its runners in `thresher.race.field`. What the commands use besides is `Trainable`: whatever
learns from files and is one learner. A race knows `Racing`: models of the core, which may share the
numbers of names. `SequencePerceptron` implements none of these: an example of a file is a line, and
no format says which lines are a sequence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from thresher._core import Examples, Lexicon, Progress
    from thresher.data.reader import Batch
    from thresher.data.reading import Needs, ReadingOptions
    from thresher.learners.base.answers import BatchAnswers
    from thresher.learners.base.classifier import OnlineClassifier
    from thresher.learners.base.examples import Rows
    from thresher.learners.base.learner import Floats
    from thresher.learners.base.regressor import OnlineRegressor
    from thresher.learners.boolean.learner import BooleanLearner
    from thresher.learners.kernel.learner import KernelLearner
    from thresher.theory.live import LiveAudit

    def trainable(
        one: OnlineClassifier | OnlineRegressor | KernelLearner | BooleanLearner,
    ) -> Trainable:
        """They implement it: the type checker says so."""
        return one

    def racing(one: OnlineClassifier | OnlineRegressor) -> Racing:
        return one


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
    def reacts(self) -> bool:
        """Whether something can be done between any two examples: on drift."""

    @property
    def waits(self) -> bool:
        """Whether an example may be learned long after it was predicted."""

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


class Trainable(Learning, Protocol):
    """A learner as the commands train it, save it, and ask it."""

    reading_: ReadingOptions | None
    """How its examples are read."""
    provenance_: Mapping[str, Any]
    """The run that made it, and how far that got."""

    def fresh(self) -> Self:
        """The same options, nothing learned."""

    def check_options(self) -> None:
        """Refuse options that are out of range, or that contradict each other."""

    def keep_audit(self, audit: str | None) -> None:
        """Keep the quantities of the theorems from here on, if ``audit="live"``."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file."""

    def tell_and_learn(
        self, examples: Examples, size: int, progress: Progress, told: list[Any]
    ) -> None:
        """`learn_examples` for the first `size`, all of which have one label: what was predicted
        for those that were learned is told, also if one is refused. None: nothing was known yet."""

    def predict_batch(self, batch: Batch) -> list[Any]:
        """The prediction for each example of a batch."""

    def answers(self, batch: Batch) -> BatchAnswers:
        """The same with scores and probabilities, where there are any."""

    def unknown_rows(self, batch: Batch) -> int:
        """Of how many examples of a batch it knows no feature, as far as it can tell."""

    @property
    def reads_names(self) -> bool:
        """Whether it has learned from named features, so that it can continue with files."""

    @property
    def known_features(self) -> int:
        """How many features it knows."""

    @property
    def names_bytes(self) -> int:
        """The memory of their names."""

    @property
    def live_audit(self) -> LiveAudit | None:
        """The quantities that `keep_audit` began to keep."""


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
