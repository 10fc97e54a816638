"""Learning from files: how a learner's examples are read, and its side of a run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from thresher._core import Examples, Lexicon, Model, PreparedRows, Progress
from thresher.data.reading import Needs, ReadingOptions
from thresher.errors import InvalidInput
from thresher.lazy import np

if TYPE_CHECKING:
    from thresher.data.reader import Batch
    from thresher.learners.base.answers import BatchAnswers
    from thresher.learners.base.labels import Labels
    from thresher.learners.base.learner import Floats
    from thresher.learners.contract import Trainable
    from thresher.theory.live import LiveAudit


class ReadsFiles:
    """Something that learns from files and predicts their examples."""

    reading_: ReadingOptions | None = None
    """How the examples of this model are read."""
    provenance_: Mapping[str, Any] = MappingProxyType({})
    """The run over files that made it, and how far that got."""

    multi_label: bool = False
    reacts: ClassVar[bool] = False
    waits: ClassVar[bool] = False

    if TYPE_CHECKING:  # of the learner

        def fresh(self) -> Self: ...
        def _take(self, other: Self) -> None: ...

    @property
    def live_audit(self) -> LiveAudit | None:
        """The theorems' quantities, where they are kept while it learns."""
        return None

    def answers(self, batch: Batch) -> BatchAnswers:
        """The predictions for a batch from `thresher.read`."""
        raise NotImplementedError

    def unknown_rows(self, batch: Batch) -> int:
        """Of how many examples of a batch it knows no feature, as far as it can tell."""
        return 0

    def knows_some(self, batch: Batch) -> bool:
        """Whether it knows a feature of some example of a batch, as far as it can tell."""
        return self.unknown_rows(batch) < len(batch)

    def learned_labels(self) -> list[Any]:
        """The labels of examples that were learned, sorted; a regressor has none."""
        return []

    def feature_names(self) -> Iterable[str]:
        """The features by name, of learners that number them."""
        return ()

    def predict_batch(self, batch: Batch) -> list[Any]:
        """The label, the set of labels or the number predicted for each example of a batch."""
        return list(self.answers(batch).predicted)

    def fit_file(
        self,
        path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        passes: int = 1,
        **options: Any,
    ) -> Self:
        """Learn from files of any size, from scratch, one example at a time, in bounded memory.

        `path` is a file, a folder, a glob, or a list of these, in any format that `thresher.read`
        reads, and takes its options as well: ``label="price"``, ``text="review"``, ``ngrams=2``,
        ``cross=[("color", "size")]``, ``hash_bits=18``, ``on_bad_line="skip"``. `passes` is the
        number of passes, `shuffle_buffer` the size of blocks whose examples are shuffled,
        ``audit="live"`` keeps the quantities of the theorems, as in `fit`. With `delay` a label is
        learned when that many more examples have been predicted, or, with the column of their times
        (``delay="7d", time="when"``), before the first example that is at least so much later.
        ``on_drift`` ("report", "reset" or "forget") watches the error with `drift_detector`
        ("adwin", "ddm", "page-hinkley", or one of `thresher.drift`); what it finds is in
        ``provenance_["drift"]``. `on_report` is called with a `thresher.reporting.Report` after 1,
        2, 4, 8 … examples, or after every `report_every`, and at the end.
        """
        from thresher.learners.base.labels import warn_of_one_label
        from thresher.training import fit_files

        fresh = self.fresh()
        fit_files(cast("Trainable", fresh), path, passes=passes, **options)
        self._take(fresh)
        if not self.multi_label:
            warn_of_one_label(self.learned_labels())
        return self

    def predict_file(
        self, path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> list[Any]:
        """The prediction for each example of files."""
        from thresher.data import read
        from thresher.data.sniffing import in_python
        from thresher.learners.unknown import Unknown

        out: list[Any] = []
        unknown = Unknown(self)
        with read(path, model=self, labels="optional", **options) as reader:
            for batch in unknown.watched(reader):
                out += self.predict_batch(batch)
        for doubt in unknown.doubts(reader.columns, reader.formats, in_python):
            warnings.warn(doubt, UserWarning, stacklevel=2)
        return out


class FromFiles(ReadsFiles):
    """The part of a model of the core in a run over files."""

    reacts: ClassVar[bool] = True
    waits: ClassVar[bool] = True

    if TYPE_CHECKING:  # of the learner
        task: ClassVar[str]
        clip: bool
        epochs_: int
        converged_: bool
        _width: int | None

        def _settled(self) -> dict[str, Any]: ...
        def _new_model(self, lexicon: Lexicon | None = None) -> Model: ...
        def _begin(self, lexicon: Lexicon | None = None) -> Model: ...
        def _learned(self) -> Model: ...
        def _share_labels(self, model: Model, by_order: bool = False) -> None: ...
        def _drop_unmet(self) -> None: ...

    _model: Model | None = None
    _labels: Labels | None = None

    def _lexicon(self) -> Lexicon:
        how = self.reading_ or ReadingOptions()
        return Lexicon(how.hash_bits, how.min_count, how.max_features)

    # -- what a run requires (`thresher.learners.contract.Learning`)

    def needs(self) -> Needs:
        """What a parser must know about this learner."""
        settled = self._settled()
        unit = settled.get("domain") == "unit"
        return Needs(
            targets=self.task == "regress",
            sets=bool(self.multi_label),
            unit=unit,
            clip=unit and bool(self.clip),
            once=settled.get("once", False),
        )

    def begin_reading(self, how: ReadingOptions, lexicon: Lexicon | None = None) -> None:
        """Begin to learn examples that are read this way; in a race all share a lexicon."""
        self.reading_ = how.only_kept()
        self._begin(lexicon)
        self.epochs_, self.converged_ = 0, False

    @property
    def counts_names(self) -> bool:
        """Whether a name counts only once it has occurred often enough."""
        return self._learned().lexicon.counts

    def resolver(self, batch: Batch) -> Callable[[int, int], Examples]:
        """Labels get their codes now; the names of some rows their numbers on request."""
        codes, starts = self.label_codes(batch)
        model = self._learned()
        return lambda begin, end: model.resolve(batch.core, codes, True, begin, end, starts)

    def learn_examples(
        self, examples: Examples, begin: int, end: int, progress: Progress, order: Any = None
    ) -> None:
        """Predict each of these, then learn it."""
        self._learned().learn_examples(examples, begin, end, progress, order)

    def tell_and_learn(
        self, examples: Examples, size: int, progress: Progress, told: list[Any]
    ) -> None:
        """The same for the first `size`; what was predicted for those that were learned is told."""
        answers, before = np.empty(size), progress.learned.examples
        try:
            self._learned().learn_examples(examples, 0, size, progress, None, answers)
        finally:
            known = answers[: progress.learned.examples - before].tolist()
            if self._labels is None:
                told += known
            else:
                values = self._labels.values
                told += [values[int(code)] if code >= 0.0 else None for code in known]

    def learn_prepared(self, rows: PreparedRows, progress: Progress) -> None:
        """The same for rows that were prepared for several learners at once."""
        self._learned().learn_prepared(rows, progress)

    def learned_only(self, rows: int) -> None:
        """Only the first `rows` of those resolved last were learned: forget the other names."""
        self._learned().take_back_resolved(rows)

    def settle(self) -> None:
        """A run was abandoned: forget what was read but not learned."""
        if self._model is not None:
            self._model.forget_unlearned()
            self._drop_unmet()

    def start_over(self) -> None:
        """Forget all that was learned; names and labels keep their numbers, so that examples that
        were read already can still be learned."""
        model = self._learned()
        model.start_over()
        self._share_labels(model)

    def forget(self) -> None:
        """Follow a target that has moved: keep the weights, and forget what makes steps small.

        The average starts over with the current weights. Of what makes steps smaller half is
        forgotten: AdaGrad's sums of squared gradients, the precision that AROW and
        Confidence-Weighted have gained for each weight, the updates counted by the shifting
        perceptron, and the time t of a learning rate such as 1/t.
        """
        if not self.can_forget():
            raise InvalidInput(f"{self!r} has nothing to forget.")
        self._learned().forget()

    def can_forget(self) -> bool:
        """Whether `forget` changes anything."""
        rate = self._settled().get("learning_rate")
        return self._new_model().forget() or isinstance(rate, str) or callable(rate)

    def label_codes(self, batch: Batch) -> tuple[list[int], list[int]]:
        """The codes of a batch's labels, including new ones; an unsuitable one ends the batch.

        Where labels are sets, the second list says where the codes of each begin.
        """
        if self._labels is None:
            return [], []
        from thresher.data.reader import label_of

        labels = [label_of(text) for text in batch.core.label_texts]
        if any(label not in self._labels.codes for label in labels):
            for number, label in enumerate(labels):
                try:
                    self._labels.add([label])
                except InvalidInput as error:
                    batch.refuse_label(number, error)
                    break
            self._share_labels(self._learned())
        return [self._labels.codes.get(label, -1) for label in labels], []

    def _scores_of(self, batch: Batch, targets: bool = False, model: Model | None = None) -> Floats:
        """A row for each example of a batch from `thresher.read`, a column for each score.

        With `targets` (for networks) one for each label, however many there are.
        """
        model = model or self._learned()
        if self._width is not None and not model.named:
            raise InvalidInput(
                "this model was trained on arrays without names; expected arrays, not files."
            )
        codes = [-1] * len(batch.core.label_texts)
        try:
            scores: Floats = model.scores(model.resolve(batch.core, codes, False), targets)
        except InvalidInput as error:
            if error.where.example is not None:
                batch.locate(error, error.where.example)
            raise
        return scores[: len(batch)]

    def answers(self, batch: Batch) -> BatchAnswers:
        """The numbers predicted for a batch from `thresher.read`."""
        from thresher.learners.base.answers import BatchAnswers

        return BatchAnswers(self._scores_of(batch)[:, 0].tolist())

    def predict_batch(self, batch: Batch) -> list[Any]:
        """The label, or the number, predicted for each example of a batch."""
        model = self._learned()
        scores = self._scores_of(batch, model=model)
        if model.labels is None:
            return list(scores[:, 0].tolist())
        return [model.labels.values[code] for code in model.decisions(scores).tolist()]

    # -- what a report of a run says

    @property
    def reads_names(self) -> bool:
        """Whether it has learned from named features, and from no array."""
        return self._model is not None and self._width is None

    def unknown_rows(self, batch: Batch) -> int:
        """Of how many examples of a batch it knows no feature."""
        codes = [-1] * len(batch.core.label_texts)
        starts = self._learned().resolve(batch.core, codes, False).arrays()[0]
        return int(np.count_nonzero(starts[1:] == starts[:-1]))

    def feature_names(self) -> Iterable[str]:
        """The features as they are read, before they are prepared; a model of hashes has none."""
        return self._learned().names()

    @property
    def known_features(self) -> int:
        """How many features it knows."""
        return int(self._learned().features)

    @property
    def names_bytes(self) -> int:
        """The memory of the names of its features."""
        return int(self._learned().lexicon.memory)
