"""Learning from files for learners that are not models of the core and number names themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from thresher._core import Examples, Lexicon, Progress, named_cells
from thresher.data.reading import Needs, ReadingOptions
from thresher.errors import InvalidInput, ThresherError
from thresher.learners.base.answers import BatchAnswers
from thresher.learners.base.from_files import ReadsFiles

if TYPE_CHECKING:
    from thresher.data.reader import Batch

NamedCells = list[tuple[str, float]]
"""The features of an example: names, each once, and their values."""


class RunNumbers:
    """The numbers of names and labels in one run over files. A copy of a learner begins its own."""

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self.lexicon = Lexicon() if lexicon is None else lexicon
        self.codes: dict[Any, int] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> RunNumbers:
        return RunNumbers()

    def __reduce__(self) -> tuple[type[RunNumbers], tuple[()]]:
        return RunNumbers, ()


class ByName(ReadsFiles):
    """A learner of examples by name, one after the other, in Python.

    It implements `thresher.learners.contract.Learning` by two methods: `predict_cells` and
    `learn_cells`.
    """

    task: ClassVar[str] = "classify"
    counts_names: ClassVar[bool] = False
    gives_scores: ClassVar[bool] = False
    gives_probabilities: ClassVar[bool] = False
    calibrate: ClassVar[bool] = False
    epochs_: int = 0
    _run: RunNumbers | None = None

    # -- what each learner defines

    def begin(self) -> None:
        """Begin to learn, with no example yet."""
        raise NotImplementedError

    def predict_cells(self, cells: NamedCells) -> Any:
        """The label of an example; None before anything was learned."""
        raise NotImplementedError

    def learn_cells(self, cells: NamedCells, label: Any, weight: float) -> None:
        """Learn from one example: all of it, or (it is refused) nothing."""
        raise NotImplementedError

    def cells_of(self, x: Any) -> NamedCells:
        """The features of an example by name, read as those of the files that it learned."""
        how = {} if self.reading_ is None else self.reading_.as_kept()
        return named_cells(x, how, self.needs().once)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from thresher.learners.html import learner_without_weights_html

        return learner_without_weights_html(self)

    # -- what a run requires (`thresher.learners.contract.Learning`)

    def needs(self) -> Needs:
        """What a parser must know about this learner."""
        return Needs()

    def begin_reading(self, how: ReadingOptions, lexicon: Lexicon | None = None) -> None:
        """Begin to learn examples that are read this way."""
        for name, usual in (("hash_bits", 0), ("min_count", 1), ("max_features", 0)):
            if getattr(how, name) != usual:
                raise InvalidInput(
                    f"{name} is {getattr(how, name)}, but {type(self).__name__} has no weights: it "
                    f"keeps the names of what it keeps. Leave {name} out."
                )
        self.begin()
        self.reading_ = how.only_kept()
        self._run = RunNumbers(lexicon)

    def keep_audit(self, audit: str | None) -> None:
        """There is no live audit of such a learner."""
        if audit is not None:
            raise InvalidInput(
                f"audit={audit!r} is for learners with weights; {type(self).__name__} has none. "
                "Use model.audit(X, y)."
            )

    def _running(self) -> RunNumbers:
        if self._run is None:  # a run is resumed
            self._run = RunNumbers()
        return self._run

    def label_codes(self, batch: Batch) -> tuple[list[int], list[int]]:
        """The codes of a batch's labels, in order of appearance."""
        from thresher.data.reader import label_of

        codes = self._running().codes
        labels = map(label_of, batch.core.label_texts)
        return [codes.setdefault(label, len(codes)) for label in labels], []

    def resolver(self, batch: Batch) -> Callable[[int, int], Examples]:
        """Labels get their codes now; the names of some rows their numbers on request."""
        lexicon, (codes, starts) = self._running().lexicon, self.label_codes(batch)
        return lambda begin, end: lexicon.resolve(batch.core, codes, True, begin, end, starts)

    def learn_examples(
        self, examples: Examples, begin: int, end: int, progress: Progress, order: Any = None
    ) -> None:
        """Predict each of these, then learn it."""
        self._learn_examples(examples, range(begin, end), progress, order, [])

    def tell_and_learn(
        self, examples: Examples, size: int, progress: Progress, told: list[Any]
    ) -> None:
        """The same for the first `size`; what was predicted for those that were learned is told."""
        self._learn_examples(examples, range(size), progress, None, told)

    def _learn_examples(
        self, examples: Examples, which: range, progress: Progress, order: Any, told: list[Any]
    ) -> None:
        run = self._running()
        labels = list(run.codes)
        starts, index, values, codes, weights = examples.arrays()
        for i in which:
            row = i if order is None else int(order[i])
            held = progress.hold_out_every
            held = held and (progress.position + 1) % held == 0
            if codes[row] < 0:
                progress.unlabelled += 1
            else:
                here = slice(starts[row], starts[row + 1])
                names = run.lexicon.names(index[here])
                cells = list(zip(names, values[here].tolist(), strict=True))
                label, weight = labels[codes[row]], float(weights[row])
                try:
                    answer = self.predict_cells(cells)
                    if weight and not held:
                        self.learn_cells(cells, label, weight)
                except ThresherError as error:
                    error.where.example = row
                    raise
                told.append(answer)
                wrong = float(answer != label)
                (progress.held_out if held else progress.learned).add(weight, wrong)
            if progress.hold_out_every:
                progress.position += 1

    def learned_only(self, rows: int) -> None:
        """Names are kept with the examples that are kept, and only then."""

    def settle(self) -> None:
        """A run has ended, and with it the numbers of its names."""
        self._run = None

    # -- predicting

    def answers(self, batch: Batch) -> BatchAnswers:
        """The predictions for a batch from `thresher.read`."""
        return BatchAnswers(
            [self.predict_cells(list(features.items())) for features in batch.features()]
        )
