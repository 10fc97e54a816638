"""A trained kernel perceptron: its columns, its labels, its predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.answers import BatchAnswers
from thresher.learners.base.audited import Audited
from thresher.learners.base.by_name import ByName, NamedCells
from thresher.learners.base.columns import KnownColumns, check_names
from thresher.learners.base.examples import Rows, dense_rows, read_rows
from thresher.learners.base.labels import Labelling, Labels, column
from thresher.learners.base.protocol import Packed, Routed
from thresher.learners.kernel.machine import KernelMachine
from thresher.learners.kernel.named_rows import NameColumns, is_numbers
from thresher.learners.kernel.sparse_rows import Sparse, in_order, sparse_of

if TYPE_CHECKING:
    from thresher.data.reader import Batch
    from thresher.learners.kernel.machine import Floats

SPARE_NAMES = 64

KernelOption = str | Callable[[Any, Any], Any]


class KernelModel(Labelling, KnownColumns, Audited, ByName, Routed, Packed):
    """What does not learn: rows and labels in, scores and labels out."""

    gives_scores = True

    kernel: KernelOption
    prediction: str
    max_hypotheses: int | None = None
    _machine: KernelMachine | None = None
    _labels: Labels
    _names: NameColumns

    # -- labels

    def _codes(
        self, y: Any, rows: int, weights: Floats | None, classes: Iterable[Any] | None
    ) -> npt.NDArray[np.int32]:
        values = column(y, rows, type(self).__name__)
        codes, self._labels = self._labels.with_codes(values, weights, classes)
        return codes

    def _drop_unmet(self) -> None:
        """Take back the labels added last, from which nothing was learned."""
        met = max(self._learned().order, default=-1) + 1
        if met < len(self._labels.values):
            self._labels = Labels(self._labels.values[:met], self._labels.announced)

    def _met(self) -> list[Any]:
        """The labels learned, in the order of the engine's columns."""
        return [self._labels.values[code] for code in self._learned().order]

    # -- columns

    def _admit(self, rows: Rows) -> Sparse:
        """Rows to learn from: the first ones fix the columns."""
        if self._width is not None:
            return self._known_columns(rows)
        check_names(rows.names)
        if self._names.ids:  # a model of named examples continues with a table
            ids, new = self._numbers(rows)
            self._names.keep(new)
            return sparse_of(rows, ids)
        x = sparse_of(rows)
        self._names = NameColumns(rows.columns, rows.names)
        self._settle_columns(rows.columns, rows.names)
        return x

    def _numbers(self, rows: Rows) -> tuple[list[int], list[str]]:
        if rows.names is None:
            raise InvalidInput(
                "this model was trained on named features; expected dicts, or a table (pandas, "
                "polars, Arrow) whose columns have names."
            )
        return self._names.numbers(rows.names)

    def _known_columns(self, rows: Rows) -> Sparse:
        self._check_columns(rows.columns, rows.names)
        return sparse_of(rows)

    def _question(self, X: Any) -> tuple[KernelMachine, Sparse]:
        machine, rows = self._learned(), read_rows(X)
        if self._width is not None:
            return machine, self._known_columns(rows)
        return machine, sparse_of(rows, self._numbers(rows)[0])

    def _question_one(self, x: Any) -> Sparse:
        if is_numbers(x):
            if self._width is None:
                self._numbers(dense_rows([x]))
            return self._known_columns(dense_rows([x]))
        if self.kernel == "precomputed":
            raise InvalidInput("kernel='precomputed' takes an array: K against each example.")
        return self._names.row(self.cells_of(x))[0]

    def _drop_names(self) -> None:
        """With a budget, names that no hypothesis has any more are also forgotten."""
        machine, names = self._learned(), self._names
        if machine.budget is None:
            return
        kept = machine.support, machine.past.support
        used = np.union1d(*(support.used_columns() for support in kept))
        if len(names.ids) > 2 * (names.columns + len(used)) + SPARE_NAMES:
            place = names.drop_unused(used)
            for support in kept:
                support.renumber(place, len(names.ids))

    # -- prediction

    def _by_label(self) -> list[int]:
        met = self._met()
        return sorted(range(len(met)), key=met.__getitem__)

    def _scores(self, machine: KernelMachine, rows: Sparse) -> Floats:
        """A column for each label seen, in the order of the labels."""
        order = self._by_label()
        if not order:  # only examples of weight 0 so far
            raise self._not_learned()
        scores = machine.scores(rows, self.prediction, order, self.max_hypotheses)
        return np.asarray(scores[:, order])

    def decision_function(self, X: Any) -> Floats:
        """Scores: one per row for two classes, positive for ``classes_[1]``; else one per class.

        For the voted prediction, shares of all votes: from −1 to 1 for two classes.
        """
        return self._by_class(self._scores(*self._question(X)))

    def _by_class(self, scores: Floats) -> Floats:
        """A column for each of ``classes_``; for two, the score of the second."""
        met, known = sorted(self._met()), self._labels.sorted
        if len(known) <= 2:
            return np.asarray(scores[:, -1] if met[-1:] == known[-1:] else -scores[:, -1])
        out = np.full((len(scores), len(known)), -np.inf)
        out[:, [known.index(label) for label in met]] = scores
        return out

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row."""
        scores = self._scores(*self._question(X))
        return np.array(sorted(self._met()))[_best(scores)]

    def answers(self, batch: Batch) -> BatchAnswers:
        """The predictions for a batch from `thresher.read`, with their scores."""
        machine = self._learned()
        if self._width is not None and self._column_names is None:
            raise InvalidInput(
                "this model was trained on arrays without names; expected arrays, not files."
            )
        names = [name.decode("utf-8", "surrogateescape") for name in batch.core.names]
        ids, new = self._names.numbers(names)
        starts, index, values = batch.core.cells()
        index = np.array(ids, np.int32)[index[: starts[len(batch)]]]
        rows = in_order(
            starts[: len(batch) + 1], index, values[: len(index)], len(self._names.ids) + len(new)
        )
        scores, labels = self._scores(machine, rows), sorted(self._met())
        predicted = [labels[place] for place in _best(scores).tolist()]
        return BatchAnswers(predicted, self._by_class(scores))

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None before anything was learned."""
        if self._machine is None or not self._machine.order:
            return None
        return self._label_of(self._question_one(x))

    def predict_cells(self, cells: NamedCells) -> Any:
        """The same for an example whose features have names and values."""
        if self._machine is None or not self._machine.order:
            return None
        return self._label_of(self._names.row(cells)[0])

    def _label_of(self, row: Sparse) -> Any:
        return sorted(self._met())[int(_best(self._scores(self._learned(), row))[0])]

    def score_one(self, x: Any) -> float | dict[Any, float]:
        """The score of one example: a number for two classes, one for each label for more."""
        scores, met = self._scores(self._learned(), self._question_one(x))[0], sorted(self._met())
        if len(met) <= 2:
            return float(scores[-1])
        return dict(zip(met, scores.tolist(), strict=True))

    def kernel_values(self, X: Any) -> Floats:
        """K of each row against each support vector, the constant of the bias included."""
        machine, rows = self._question(X)
        return np.asarray(machine.kernels(rows))

    # -- what was learned

    def _learned(self) -> KernelMachine:
        if self._machine is None:
            raise self._not_learned()
        return self._machine

    def _has_learned(self) -> bool:
        return self._machine is not None

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        self._learned()
        return np.array(self._labels.sorted)

    def learned_labels(self) -> list[Any]:
        """The labels of examples that were learned, sorted."""
        return sorted(self._met())

    def in_words(self) -> str:
        """What was learned, in one line."""
        return f"{self.n_support_:,} support vectors"

    @property
    def reads_names(self) -> bool:
        """Whether it has learned from named features, and from no array."""
        return self._machine is not None and self._width is None

    @property
    def known_features(self) -> int:
        """The names that support vectors have, or had."""
        return len(self._names.ids)

    @property
    def names_bytes(self) -> int:
        """The memory of these names."""
        return sum(len(name.encode("utf-8", "surrogateescape")) for name in self._names.ids)

    @property
    def examples_(self) -> int:
        """Examples learned from, each pass over them counted."""
        return self._learned().counts["examples"]

    @property
    def mistakes_(self) -> int:
        """Examples whose class the last hypothesis got wrong before it learned from them."""
        return self._learned().counts["mistakes"]

    @property
    def updates_(self) -> int:
        """Examples that became support vectors."""
        return self._learned().counts["updates"]

    @property
    def n_support_(self) -> int:
        """Support vectors kept: as many as updates, or the budget."""
        return self._learned().support.size

    @property
    def support_coef_(self) -> Floats:
        """What each support vector adds to each class: (support vectors, labels seen, sorted)."""
        return np.asarray(self._learned().a[:, self._by_label()])

    @property
    def survived_(self) -> Floats:
        """How many examples each hypothesis that is kept survived, oldest first: its votes.

        There are as many as support vectors: without a budget, one made by each of them.
        """
        return self._learned().c.copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _best(scores: Floats) -> npt.NDArray[np.intp]:
    """Columns are in the order of the labels: with two, 0 means the larger; with more, a tie goes
    to the smallest."""
    if scores.shape[1] == 2:
        return np.asarray(scores[:, 1] >= 0.0, dtype=np.intp)
    return np.asarray(np.argmax(scores, axis=1))
