"""Learners of boolean concepts: what they share. Examples are 0 or 1 in each variable."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher.concepts.concept import bits_of
from thresher.data.reader import label_of
from thresher.data.reading import Needs
from thresher.errors import InvalidInput, NotRealizable, Where
from thresher.lazy import np, npt
from thresher.learners.base.audited import Audited
from thresher.learners.base.by_name import ByName, NamedCells
from thresher.learners.base.columns import KnownColumns, check_names
from thresher.learners.base.examples import read_rows
from thresher.learners.base.labels import Labelling, column, plain_label
from thresher.learners.base.one_by_one import PredictThenLearn
from thresher.learners.base.protocol import Packed, Routed
from thresher.learners.boolean.bits import BitRows, TwoLabels, bits_by_name, named, names_on
from thresher.options import Declared, special

if TYPE_CHECKING:
    from thresher.ltu import ThresholdUnit


class Positive(Declared):
    positive: Any = special(
        kw_only=True,
        default=None,
        check=lambda label: label,
        parse=lambda text: label_of(text.encode()),
        doc="the label that means true; by default the larger of the two.",
    )


class BooleanLearner(Labelling, KnownColumns, Audited, ByName, PredictThenLearn, Routed, Packed):
    """Predict, get the label, and keep what agrees. Subclasses define what is kept."""

    # Options that define what is learned: they cannot change after learning has begun.
    settled: ClassVar[tuple[str, ...]] = ("positive",)
    learned: ClassVar[tuple[str, ...]] = (
        "_labels", "_counts", "_width", "_column_names", "epochs_", "reading_", "provenance_",
    )  # fmt: skip
    metadata: ClassVar = {"partial_fit": ("classes",), "score": ("sample_weight",)}

    positive: Any
    _labels: TwoLabels
    _counts: Mapping[str, int] = MappingProxyType({})  # empty: nothing was learned

    # -- what each learner defines

    def _start(self, n: int | None) -> None:
        """Check the options and start over n variables, or any number of named ones."""
        raise NotImplementedError

    def _says(self, x: Any) -> bool:
        """The prediction for x."""
        raise NotImplementedError

    def _told(self, x: Any, value: bool) -> bool | None:
        """Learn the value of x: whether anything changed, None if nothing can agree with it."""
        raise NotImplementedError

    def _contradiction(self, value: bool) -> str:
        """What contradicts it, in words."""
        raise NotImplementedError

    @property
    def hypothesis_(self) -> str:
        """The current hypothesis, as text."""
        raise NotImplementedError

    @property
    def threshold_unit_(self) -> ThresholdUnit | None:
        """The hypothesis as a threshold unit; None if it is not one: see `no_unit_because_`."""
        raise NotImplementedError

    @property
    def bound_(self) -> float:
        """The most mistakes there can be on examples that some concept of the class agrees with."""
        raise NotImplementedError

    # -- learning

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from scratch: one pass over the rows, in order. If it fails, nothing is learned.

        X holds 0 and 1 (or booleans): a NumPy array, a scipy sparse matrix, or a table; y holds the
        labels, at most two different ones.
        """
        rows = BitRows(read_rows(X))
        values = column(y, rows.size, type(self).__name__)
        fresh = self._begun()
        truths = fresh._begin(rows, values, ())
        fresh._learn_rows(rows, truths, values)
        fresh._check_all(rows, truths, values)
        self._take(fresh)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Iterable[Any] | None = None) -> Self:
        """Continue learning: one pass over these rows. `classes` may announce both labels.

        If a row contradicts the class, the rows before it have been learned.
        """
        rows = BitRows(read_rows(X))
        values = column(y, rows.size, type(self).__name__)
        started = self._started()
        known, before = set(started._labels.truth), started._counts["examples"]
        truths = started._begin(rows, values, classes or ())
        try:
            started._learn_rows(rows, truths, values)
        except NotRealizable as error:
            if error.where.row:
                error.advise("The rows before it have been learned.")
            raise
        finally:
            learned = started._counts["examples"] - before
            if learned:
                known.update(plain_label(v) for v in values[:learned].tolist())
                started._labels.drop_all_but(known)
                self._take(started)
        return self

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn from one example: n bits, or the names of the variables that are 1."""
        self._learn_alone(x, y, lambda started: started._one(x))

    def learn_cells(self, cells: NamedCells, label: Any, weight: float) -> None:
        """The same for an example whose features have names and values."""
        if weight not in (0.0, 1.0):
            raise InvalidInput(
                f"found the weight {weight:g}",
                expected="1: what is learned from an example is learned once and for all",
            )
        if weight:
            on = names_on(cells)
            self._learn_alone(sorted(on), label, lambda started: started._by_names(on))

    def _learn_alone(self, x: Any, y: Any, read: Callable[[Self], Any]) -> None:
        started = self._started()
        labels = started._labels.copy()
        labels.add([y])
        started._labels = labels
        example = read(started)
        value = labels.truth[plain_label(y)]
        if started._step(example, value) is None:
            raise started._not_realizable(x, y, value)
        self._take(started)

    def _begin(self, rows: BitRows, values: npt.NDArray[Any], classes: Iterable[Any]) -> list[bool]:
        """Fix the columns and the labels; returns what each row's label means."""
        labels = self._labels.copy()
        given = values.tolist()
        labels.add(given, classes)
        if self._width is not None:
            self._check_columns(rows.columns, rows.names)
        else:
            check_names(rows.names)
            self._start(rows.columns)
            self._settle_columns(rows.columns, rows.names)
        self._labels = labels
        return [labels.truth[plain_label(value)] for value in given]

    def _learn_rows(self, rows: BitRows, truths: list[bool], values: npt.NDArray[Any]) -> None:
        for i, value in enumerate(truths):
            bits = rows.row(i)
            if self._step(bits, value) is None:
                raise self._not_realizable(bits, values[i], value, row=i)

    def _check_all(self, rows: BitRows, truths: list[bool], values: npt.NDArray[Any]) -> None:
        """For a learner that forgets examples: does what it knows now agree with all of them?"""

    def _step(self, bits: Any, value: bool) -> bool | None:
        """Predict, learn, count; an example that nothing agrees with is not counted."""
        said = self._says(bits)
        changed = self._told(bits, value)
        if changed is not None:
            self._count(1, int(said != value), int(changed))
        return changed

    def _count(self, examples: int, mistakes: int, updates: int) -> None:
        more = {"examples": examples, "mistakes": mistakes, "updates": updates}
        self._counts = {name: self._counts[name] + n for name, n in more.items()}

    def _not_realizable(
        self, example: Any, label: Any, value: bool, row: int | None = None
    ) -> NotRealizable:
        label = plain_label(label)
        shown = (
            np.array2string(example, threshold=40)
            if isinstance(example, np.ndarray)
            else (repr(example))
        )
        why = f"{self._contradiction(value)}: no concept of the class agrees with all examples"
        error = NotRealizable(
            f"{shown} is labelled {label!r}, but {why}.",
            advice="Nothing of this example was learned. Check its label, take a larger class, or "
            "use WeightedMajority, which allows for wrong labels.",
            where=Where(row=row),
        )
        error.example, error.label, error.why = example, label, why
        return error

    # -- state

    def _begun(self) -> Self:
        """The same options, ready to learn."""
        fresh = self.fresh()
        fresh._labels = TwoLabels(self.positive)
        fresh._counts = {"examples": 0, "mistakes": 0, "updates": 0}
        return fresh

    def join(self, other: Self, base: Self | None = None) -> None:
        """Know also what another has learned, of the same class and with the same options, that
        started from `base`, or from nothing."""
        labels = self._labels.copy()
        labels.add(other._labels.truth, other._labels.announced)
        for label, meaning in (*self._labels.truth.items(), *other._labels.truth.items()):
            if labels.truth[label] != meaning:
                raise InvalidInput(f"the label {label!r} does not mean the same in both models.")
        self._join(other, base)
        self._labels = labels
        before = dict.fromkeys(self._counts, 0) if base is None else base._counts
        self._counts = {n: self._counts[n] + other._counts[n] - before[n] for n in self._counts}

    def _join(self, other: Self, base: Self | None) -> None:
        raise NotImplementedError

    def begin_over(self, n: int) -> None:
        """Begin to learn concepts of n variables, with no example yet."""
        begun = self._begun()
        begun._start(n)
        begun._settle_columns(n, None)
        self._take(begun)

    def _started(self) -> Self:
        """A learner to continue with: its columns and labels become this one's only by `_take`."""
        if not self._counts:
            return self._begun()
        started = object.__new__(type(self))
        started.__dict__.update(self.__dict__)
        return started

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a copy learns independently

    def set_params(self, **params: Any) -> Self:
        if self._counts:
            for name in set(params) & set(self.settled):
                if params[name] is not getattr(self, name) and params[name] != getattr(self, name):
                    raise InvalidInput(
                        f"{name} cannot change once learning has begun; start with a fresh learner."
                    )
        return super().set_params(**params)

    def _learned(self) -> Self:
        if not self._counts:
            raise self._not_learned()
        return self

    def _has_learned(self) -> bool:
        return bool(self._counts)

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """What was learned, as arrays and as JSON values."""
        facts: dict[str, Any] = {
            "counts": dict(self._counts),
            "labels": [[label, meaning] for label, meaning in self._labels.truth.items()],
            "announced": self._labels.announced,
            "columns": self._width,
        }
        if self._column_names is not None:
            facts["names"] = self._column_names.tolist()
        return {}, facts

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        """The reverse; nothing is trusted."""
        counts = facts["counts"]
        if counts.keys() != {"examples", "mistakes", "updates"} or not all(
            type(c) is int and 0 <= c <= counts["examples"] for c in counts.values()
        ):
            raise InvalidInput("the counts are not counts.")
        fresh = self._begun()
        self._counts, self._labels = dict(counts), fresh._labels
        self._labels.truth = {label: bool(meaning) for label, meaning in facts["labels"]}
        self._labels.add([], facts["announced"])
        n = facts["columns"]
        if n is not None and (type(n) is not int or n < 1):
            raise InvalidInput(f"{n!r} columns.")
        self._start(n)
        names = facts.get("names")
        if names is not None and (len(names) != n or not all(type(v) is str for v in names)):
            raise InvalidInput("the names do not fit the columns.")
        if n is not None:
            self._settle_columns(n, names)

    # -- columns

    def _one(self, x: Any) -> Any:
        """One example as bits; the first one fixes how many there are."""
        if named(x):
            return self._by_names(names_on(self.cells_of(x)))
        self._begin_columns(x)
        return bits_of(x, self.n_features_in_)

    def _by_names(self, on: set[str]) -> Any:
        """The same for an example in which these variables are 1."""
        self._begin_columns(on)
        return bits_by_name(on, self.n_features_in_, self._variable_names())

    def _begin_columns(self, x: Any) -> None:
        if self._width is None:
            n = self._variables_of(x)
            self._start(n)
            self._settle_columns(n, None)

    def _variables_of(self, x: Any) -> int:
        """How many variables there are, when the first example is x."""
        raise NotImplementedError

    def _variable_names(self) -> list[str] | None:
        names = self._column_names
        return None if names is None else [str(name) for name in names]

    # -- prediction

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row."""
        self._learned()
        rows = BitRows(read_rows(X))
        self._check_columns(rows.columns, rows.names)
        said = [self._says(rows.row(i)) for i in range(rows.size)]
        return self._labelled(said)

    def _labelled(self, said: Iterable[Any]) -> npt.NDArray[Any]:
        pair = np.array([self._labels.label(False), self._labels.label(True)])
        return pair[np.fromiter(said, dtype=np.intp)]

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None before anything was learned."""
        if not self._counts:
            return None
        return self._labels.label(self._says(self._one(x)))

    def predict_cells(self, cells: NamedCells) -> Any:
        """The same for an example whose features have names and values."""
        if not self._counts or not self.examples_:
            return None
        return self._labels.label(self._says(self._by_names(names_on(cells))))

    def needs(self) -> Needs:
        """What a parser must know about this learner: a name is there or not."""
        return Needs(once=True)

    def begin(self) -> None:
        """Begin to learn from named examples, with none yet."""
        self.check_options()
        self._take(self._begun())

    # -- what was learned

    def learned_labels(self) -> list[Any]:
        """The labels of examples that were learned, sorted."""
        return sorted(self._labels.truth)

    def in_words(self) -> str:
        """What was learned, in one line."""
        return self.hypothesis_

    @property
    def reads_names(self) -> bool:
        """Whether it has learned: every variable has a name."""
        return self._has_learned()

    @property
    def known_features(self) -> int:
        """How many variables there are."""
        return self._width or 0

    @property
    def names_bytes(self) -> int:
        """The memory of their names, where they have names."""
        return sum(len(name.encode()) for name in self._variable_names() or ())

    @property
    def examples_(self) -> int:
        """Examples learned from."""
        return self._learned()._counts["examples"]

    @property
    def mistakes_(self) -> int:
        """Examples that were predicted wrong before they were learned."""
        return self._learned()._counts["mistakes"]

    @property
    def updates_(self) -> int:
        """Examples that changed something."""
        return self._learned()._counts["updates"]

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        return np.array(self._learned()._labels.sorted)

    @property
    def no_unit_because_(self) -> str:
        """Why there is no threshold unit; empty if there is one."""
        return "" if self.threshold_unit_ is not None else self._why_no_unit()

    def _why_no_unit(self) -> str:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical, tags.classifier_tags.multi_class = True, False
        return tags
