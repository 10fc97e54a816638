"""What the kernel perceptrons share: rows and labels in, labels out, files; not their options."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher.errors import InvalidInput
from thresher.learners.base import finite, flag, one_of, sample_weights, whole
from thresher.learners.examples import Rows, compare_names, dense_rows, read_rows
from thresher.learners.kernel_machine import COUNTS, Machine
from thresher.learners.kernels import Kernel, check_gram, settled
from thresher.learners.labels import Labels, column, plain_label
from thresher.learners.named_rows import Names, is_numbers
from thresher.learners.online import MULTICLASS, generator_from
from thresher.learners.protocol import Packed, not_learned
from thresher.learners.sparse_rows import Sparse, Support, sparse_of, units

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from thresher.learners.kernel_machine import Floats
else:
    from thresher.lazy import np

PREDICTIONS = ("last", "averaged", "voted")
LEARNED = (
    "_machine", "_labels", "_names", "epochs_", "converged_", "n_features_in_",
    "feature_names_in_",
)  # fmt: skip
# What may change once something is learned: it only says how to predict, or how fit goes.
CHANGEABLE = {"prediction", "max_hypotheses", "max_epochs", "shuffle", "random_state"}
SPARE_NAMES = 64

KernelOption = str | Callable[[Any, Any], Any]


class KernelLearner(Packed):
    """What the two learners share: all but their options."""

    version: ClassVar[int] = 1
    without_files = (
        "keeps examples in place of weights, and learns from arrays and single examples and not "
        "from files"
    )

    kernel: KernelOption
    gamma: float | None
    coef0: float | None
    degree: int | None
    prediction: str | None
    burn_in: int
    max_epochs: int | None
    shuffle: bool
    random_state: Any
    fit_intercept: bool
    multiclass: str

    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    epochs_: int
    converged_: bool
    _machine: Machine
    _labels: Labels
    _names: Names

    # -- options

    def _budget(self) -> tuple[int | None, str]:
        return None, "oldest"

    def _voters(self) -> int | None:
        return None

    def _prediction(self) -> str:
        return one_of("prediction", self.prediction, PREDICTIONS)

    def _settled(self) -> Machine:
        """Check the options: an engine that has learned nothing."""
        flag("shuffle", self.shuffle)
        if self.max_epochs is not None:
            whole("max_epochs", self.max_epochs, 1)
        budget, forget = self._budget()
        self._prediction()
        self._voters()
        generator = generator_from(self.random_state)
        return Machine(
            self._settled_kernel(),
            one_vs_rest=one_of("multiclass", self.multiclass, MULTICLASS) == "one-vs-rest",
            budget=budget,
            forget=forget,
            burn_in=whole("burn_in", self.burn_in, 0),
            seed=int(generator.integers(2**32)) if forget == "random" else 0,
        )

    def _settled_kernel(self) -> Kernel:
        given = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        return settled(self.kernel, given, flag("fit_intercept", self.fit_intercept))

    def set_params(self, **params: Any) -> Self:
        before = self.get_params()
        if "_machine" in self.__dict__:
            for name in set(params) - CHANGEABLE:
                if name in before and params[name] is not before[name]:
                    raise InvalidInput(
                        f"{name} cannot change once learning has begun; start anew with a fresh "
                        "learner."
                    )
        super().set_params(**params)
        if "_machine" in self.__dict__:
            try:
                self._settled()
            except InvalidInput:
                super().set_params(**before)
                raise
        return self

    # -- learning

    def fit(self, X: Any, y: Any = None, **options: Any) -> Self:
        """Learn anew from an array: `max_epochs` passes, or fewer if one changes nothing.

        X is a NumPy array, a scipy sparse matrix, or a table; with ``kernel="precomputed"`` the
        Gram matrix. `sample_weight` may give each row an importance.
        """
        unknown = set(options) - {"sample_weight"}
        if unknown:
            raise TypeError(f"fit() got an unexpected keyword argument {min(unknown)!r}")
        fresh = self._fresh()
        rows = read_rows(X)
        weights = sample_weights(options.get("sample_weight"), rows.size)
        codes = fresh._codes(y, rows.size, weights, None)
        x = fresh._admit(rows)
        kept = x
        if self.kernel == "precomputed":
            check_gram(x.dense(rows.columns))
            kept = units(0, rows.size, rows.columns)
        fresh._epochs(x, kept, codes, weights)
        fresh._drop_unmet()
        self._take(fresh)
        return self

    def _epochs(self, x: Sparse, kept: Sparse, codes: Any, weights: Any) -> None:
        generator = generator_from(self.random_state) if self.shuffle else None
        self.epochs_, self.converged_ = 0, False
        while not self.converged_ and self.epochs_ != self.max_epochs:
            before = self._machine.counts["updates"]
            if generator is None:
                self._machine.learn(x, kept, codes, weights)
            else:
                order = generator.permutation(x.size)
                mixed = None if weights is None else weights[order]
                self._machine.learn(x.take(order), kept.take(order), codes[order], mixed)
            self.epochs_ += 1
            self.converged_ = self._machine.counts["updates"] == before

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Iterable[Any] | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Go on learning: one pass over these rows, in their order.

        `classes` may announce labels that have not come yet; it changes the columns of what is
        predicted, never what is learned.
        """
        self._refuse_gram("partial_fit")
        rows = read_rows(X)
        weights = sample_weights(sample_weight, rows.size)
        started = self._started()
        codes = started._codes(y, rows.size, weights, classes)
        x = started._admit(rows)
        self._go_on(started, x, codes, weights)
        return self

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Learn from one example: a dict of named features, a list or set of names, or an array.

        Values may be numbers, booleans, or strings: ``{"color": "red"}`` is the feature
        ``color=red``. A NumPy array, or a list of floats, has a value for each column.
        """
        self._refuse_gram("learn_one")
        weight = finite("sample_weight", sample_weight, least=0.0)
        if is_numbers(x):
            self.partial_fit([x], [plain_label(y)], sample_weight=[weight])
            return
        started = self._started()
        row, new = started._names.row(x)
        labels = started._labels.copy()
        labels.add([y])
        if weight == 0.0:
            return
        started._labels = labels
        support = started._machine.counts["updates"]
        self._go_on(started, row, [labels.codes[plain_label(y)]], [weight])
        if started._machine.counts["updates"] > support:
            started._names.keep(new)
            started._drop_names()

    def _go_on(self, started: Self, x: Sparse, codes: Any, weights: Any) -> None:
        """One pass over more rows. Those before one that the kernel refuses stay learned."""
        before = started._machine.counts["examples"]
        try:
            started._machine.learn(x, x, codes, weights)
        except InvalidInput as error:
            if started._machine.counts["examples"] > before:
                error.args = (f"{error} The rows before it have been learned.",)
            raise
        finally:
            started._drop_unmet()
            if started is not self and started._machine.counts["examples"] > before:
                self._take(started)
        if started is not self:
            self._take(started)

    def _refuse_gram(self, method: str) -> None:
        if self.kernel == "precomputed":
            raise InvalidInput(
                f"kernel='precomputed' has no {method}: a row of a Gram matrix does not say which "
                "column is its own. Use fit with the whole matrix, or another kernel."
            )

    def _fresh(self) -> Self:
        fresh = type(self)(**self.get_params(deep=False))
        fresh._machine = fresh._settled()
        fresh._labels, fresh._names = Labels(), Names()
        fresh.epochs_, fresh.converged_ = 0, False
        return fresh

    def _started(self) -> Self:
        return self if "_machine" in self.__dict__ else self._fresh()

    def _take(self, other: Self) -> None:
        """Forget what was learned, and know what `other` has learned."""
        for name in LEARNED:
            self.__dict__.pop(name, None)
            if name in other.__dict__:
                self.__dict__[name] = other.__dict__[name]

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a copy learns for itself

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        options = self.get_params(deep=False)  # a kernel is a function, or somebody's object
        for name, value in self.__dict__.items():
            twin.__dict__[name] = value if name in options else copy.deepcopy(value, memo)
        return twin

    # -- labels

    def _codes(
        self, y: Any, rows: int, weights: Floats | None, classes: Iterable[Any] | None
    ) -> npt.NDArray[np.int32]:
        labels = self._labels.copy()
        if classes is not None:
            labels.announce(classes)
        values = column(y, rows, type(self).__name__)
        codes = np.zeros(rows, np.int32)
        counted = slice(None) if weights is None else weights > 0  # weight 0: it never came
        codes[counted] = labels.encode(values[counted])
        self._labels = labels
        return codes

    def _drop_unmet(self) -> None:
        """Labels that came last and were not learned from have not come."""
        met = max(self._machine.order, default=-1) + 1
        if met < len(self._labels.values):
            self._labels = Labels(self._labels.values[:met], self._labels.announced)

    def _met(self) -> list[Any]:
        """The labels learned, in the order of the engine's columns."""
        return [self._labels.values[code] for code in self._learned().order]

    # -- columns

    def _admit(self, rows: Rows) -> Sparse:
        """Rows to learn from: the first ones settle what the columns are."""
        if "n_features_in_" in self.__dict__:
            return self._known_columns(rows)
        names = rows.names
        if names is not None and len(set(names)) != len(names):
            raise InvalidInput("column names repeat; expected each name once.")
        if self._names.ids:  # a model of named examples goes on with a table
            ids, new = self._numbers(rows)
            self._names.keep(new)
            return sparse_of(rows, ids)
        x = sparse_of(rows)
        self._names = Names(rows.columns, names)
        self.n_features_in_ = rows.columns
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        return x

    def _numbers(self, rows: Rows) -> tuple[list[int], list[str]]:
        if rows.names is None:
            raise InvalidInput(
                "this model was trained on named features; expected dicts, or a table (pandas, "
                "polars, Arrow) whose columns have names."
            )
        return self._names.numbers(rows.names)

    def _known_columns(self, rows: Rows) -> Sparse:
        compare_names(type(self).__name__, self.__dict__.get("feature_names_in_"), rows.names)
        if rows.columns != self.n_features_in_:
            raise InvalidInput(
                f"X has {rows.columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return sparse_of(rows)

    def _question(self, X: Any) -> tuple[Machine, Sparse]:
        machine, rows = self._learned(), read_rows(X)
        if "n_features_in_" in self.__dict__:
            return machine, self._known_columns(rows)
        return machine, sparse_of(rows, self._numbers(rows)[0])

    def _question_one(self, x: Any) -> Sparse:
        if is_numbers(x):
            if "n_features_in_" not in self.__dict__:
                self._numbers(dense_rows([x]))
            return self._known_columns(dense_rows([x]))
        if self.kernel == "precomputed":
            raise InvalidInput("kernel='precomputed' takes an array: K against each example.")
        return self._names.row(x)[0]

    def _drop_names(self) -> None:
        """With a budget, names that only forgotten examples had are forgotten, too."""
        machine, names = self._machine, self._names
        if machine.budget is None:
            return
        used = machine.support.used_columns()
        if len(names.ids) > 2 * (names.columns + len(used)) + SPARE_NAMES:
            place = names.drop_unused(used)
            machine.support.renumber(place, len(names.ids))

    # -- prediction

    def _by_label(self) -> list[int]:
        met = self._met()
        return sorted(range(len(met)), key=met.__getitem__)

    def _scores(self, machine: Machine, rows: Sparse) -> Floats:
        """A column for each label met, in the order of the labels."""
        order = self._by_label()
        scores = machine.scores(rows, self._prediction(), order, self._voters())
        return np.asarray(scores[:, order])

    def decision_function(self, X: Any) -> Floats:
        """Scores: one a row for two classes, positive for ``classes_[1]``; one a class for more.

        For the voted prediction, parts of all votes: from −1 to 1 for two classes.
        """
        machine, rows = self._question(X)
        scores, met = self._scores(machine, rows), sorted(self._met())
        known = self._labels.sorted
        if len(known) <= 2:
            return np.asarray(scores[:, -1] if met[-1:] == known[-1:] else -scores[:, -1])
        out = np.full((rows.size, len(known)), -np.inf)
        out[:, [known.index(label) for label in met]] = scores
        return out

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row."""
        machine, rows = self._question(X)
        return np.array(sorted(self._met()))[_best(self._scores(machine, rows))]

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None before anything was learned."""
        if "_machine" not in self.__dict__:
            return None
        scores = self._scores(self._machine, self._question_one(x))
        return sorted(self._met())[int(_best(scores)[0])]

    def score_one(self, x: Any) -> float | dict[Any, float]:
        """The score of one example: a number for two classes, one for each label for more."""
        scores, met = self._scores(self._learned(), self._question_one(x))[0], sorted(self._met())
        if len(met) <= 2:
            return float(scores[-1])
        return dict(zip(met, scores.tolist(), strict=True))

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of rows whose label is predicted right."""
        predicted = self.predict(X)
        right = predicted == column(y, len(predicted), type(self).__name__)
        return float(np.average(right, weights=sample_weights(sample_weight, len(predicted))))

    def kernel_values(self, X: Any) -> Floats:
        """K of each row against each support vector, the constant of the bias included."""
        machine, rows = self._question(X)
        return np.asarray(machine.kernels(rows))

    # -- what was learned

    def _learned(self) -> Machine:
        try:
            return self._machine
        except AttributeError:
            raise not_learned(
                f"This {type(self).__name__} instance is not fitted yet: it has seen no example. "
                "Call fit, partial_fit or learn_one first."
            ) from None

    def _has_learned(self) -> bool:
        return "_machine" in self.__dict__

    def __sklearn_is_fitted__(self) -> bool:
        return self._has_learned()

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        self._learned()
        return np.array(self._labels.sorted)

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
        """What each support vector adds to each class: (support vectors, labels met, sorted)."""
        return np.asarray(self._learned().a[:, self._by_label()])

    @property
    def survived_(self) -> Floats:
        """How many examples the hypothesis that each support vector made survived: its votes."""
        return self._learned().c.copy()

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        machine = self._machine
        rows = machine.support.rows
        arrays = {
            "starts": rows.starts.astype(np.uint64), "index": rows.index.astype(np.uint64),
            "values": rows.values, "a": machine.a.ravel(), "c": machine.c,
            "square": machine.square,
        }  # fmt: skip
        facts = {
            "counts": machine.counts, "clock": machine.clock.hex(), "seed": machine.seed,
            "order": machine.order, "width": rows.columns, "names": list(self._names.ids),
            "columns": self.__dict__.get("n_features_in_"), "epochs": self.epochs_,
            "converged": self.converged_, "columns_named": "feature_names_in_" in self.__dict__,
            "labels": list(self._labels.values), "announced": list(self._labels.announced),
        }  # fmt: skip
        return arrays, facts

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        """The reverse; nothing is taken on trust."""
        fresh = self._fresh()
        machine = fresh._machine
        machine.support = Support(_read_support(arrays, facts["width"]))
        size, classes = machine.support.size, len(facts["order"])
        labels = Labels(facts["labels"], facts["announced"])
        if sorted(facts["order"]) != list(range(len(labels.values))):
            raise InvalidInput("the labels do not fit the classes.")
        a, c = arrays["a"], arrays["c"]
        if len(a) != size * classes or len(c) != size or len(arrays["square"]) != size:
            raise InvalidInput("the coefficients do not fit the support vectors.")
        clock = float.fromhex(facts["clock"])
        reals = np.concatenate([a, c, arrays["square"], [clock]])
        if not np.isfinite(reals).all() or (c < 0).any() or clock < 0:
            raise InvalidInput("a coefficient is not a finite number, or a count is below 0.")
        if machine.budget is not None and size > machine.budget:
            raise InvalidInput("there are more support vectors than the budget allows.")
        numbers = [*facts["counts"].values(), facts["seed"], facts["epochs"]]
        if facts["counts"].keys() != set(COUNTS) or not all(_is_count(v) for v in numbers):
            raise InvalidInput("the counts are not counts.")
        machine.counts, machine.clock = dict(facts["counts"]), clock
        machine.seed, machine.order = facts["seed"], list(facts["order"])
        machine.restore(a.reshape(size, classes), c, arrays["square"])
        fresh._labels = labels
        fresh._read_columns(facts)
        fresh.epochs_, fresh.converged_ = facts["epochs"], bool(facts["converged"])
        self._take(fresh)

    def _read_columns(self, facts: dict[str, Any]) -> None:
        names, columns = facts["names"], facts["columns"]
        if len(set(names)) != len(names) or not all(type(name) is str for name in names):
            raise InvalidInput("the names are not names.")
        if columns is not None and not (_is_count(columns) and 1 <= columns <= len(names)):
            raise InvalidInput(f"{columns!r} columns.")
        if facts["width"] > len(names):
            raise InvalidInput("there are more columns than names.")
        self._names = Names(columns or 0, names)
        if columns is not None:
            self.n_features_in_ = columns
            if facts["columns_named"]:
                self.feature_names_in_ = np.array(names[:columns], dtype=object)

    _estimator_type = "classifier"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True, pairwise=self.kernel == "precomputed"),
            classifier_tags=ClassifierTags(),
        )


def _best(scores: Floats) -> npt.NDArray[np.intp]:
    """Columns are in the order of the labels: of two, 0 is for the larger; of more, a tie for the
    smallest."""
    if scores.shape[1] == 2:
        return np.asarray(scores[:, 1] >= 0.0, dtype=np.intp)
    return np.asarray(np.argmax(scores, axis=1))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _read_support(arrays: dict[str, npt.NDArray[Any]], width: Any) -> Sparse:
    starts, index = arrays["starts"], arrays["index"]
    if not _is_count(width) or width >= 2**31 or (len(index) and index.max() >= width):
        raise InvalidInput("the support vectors do not fit the columns.")
    rows = Sparse(
        starts.astype(np.int64), index.astype(np.int32), arrays["values"].astype(float), width
    )
    if len(starts) == 0 or len(rows.values) != len(index) or not np.isfinite(rows.values).all():
        raise InvalidInput("the support vectors are not rows of numbers.")
    settled("linear", {}, False)(rows, rows.slice(0, 0))  # the core looks at every place
    return rows
