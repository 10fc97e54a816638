"""What the kernel perceptrons share: everything but their options."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher.errors import InvalidInput
from thresher.learners.base.by_name import NamedCells
from thresher.learners.base.examples import read_rows
from thresher.learners.base.labels import Labels, plain_label, warn_of_one_label
from thresher.learners.base.one_by_one import FromJson
from thresher.learners.base.online import generator_from
from thresher.learners.base.weights import fit_weights, sample_weights
from thresher.learners.kernel.file import packed, unpacked
from thresher.learners.kernel.functions import Kernel, check_gram, settled
from thresher.learners.kernel.machine import KernelMachine
from thresher.learners.kernel.model import KernelModel
from thresher.learners.kernel.named_rows import NameColumns, is_numbers
from thresher.learners.kernel.sparse_rows import Sparse, units
from thresher.options import finite, whole

if TYPE_CHECKING:
    import numpy.typing as npt

# What may change after learning has begun: it only affects predictions, or how fit runs.
CHANGEABLE = {"prediction", "max_hypotheses", "max_epochs", "shuffle", "random_state"}


class KernelLearner(KernelModel, FromJson):
    """A perceptron in the feature space of a kernel: it learns, predicts, and is saved."""

    version: ClassVar[int] = 1
    learned = (
        "_machine", "_labels", "_names", "epochs_", "converged_", "_width", "_column_names",
        "reading_", "provenance_",
    )  # fmt: skip

    gamma: float | None
    coef0: float | None
    degree: int | None
    burn_in: int
    max_epochs: int | None
    shuffle: bool
    random_state: Any
    fit_intercept: bool
    multiclass: str
    epochs_: int
    converged_: bool

    # -- options

    budget: int | None = None
    forget: str = "oldest"
    count_from: int = 1

    def _check(self) -> None:
        """Refuse options that contradict each other."""

    def check_options(self) -> None:
        """Refuse options that are out of range, or that contradict each other."""
        self._settled()

    def _settled(self) -> KernelMachine:
        """Check the options; returns an engine that has learned nothing."""
        self.checked()
        self._check()
        generator = generator_from(self.random_state)
        return KernelMachine(
            self._settled_kernel(),
            one_vs_rest=self.multiclass == "one-vs-rest",
            budget=self.budget,
            forget=self.forget,
            burn_in=int(self.burn_in),
            counts_maker=self.count_from == 1,
            seed=int(generator.integers(2**32)) if self.forget == "random" else 0,
        )

    def _settled_kernel(self) -> Kernel:
        given = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        return settled(self.kernel, given, bool(self.fit_intercept))

    def set_params(self, **params: Any) -> Self:
        before = self.get_params()
        if self._machine is not None:
            for name in set(params) - CHANGEABLE:
                if name in before and params[name] is not before[name]:
                    raise InvalidInput(
                        f"{name} cannot change once learning has begun; start with a fresh learner."
                    )
        super().set_params(**params)
        if self._machine is not None:
            try:
                self._settled()
            except InvalidInput:
                super().set_params(**before)
                raise
        return self

    # -- learning

    def fit(self, X: Any, y: Any = None, **options: Any) -> Self:
        """Learn from an array, from scratch: `max_epochs` passes, or fewer if one changes nothing.

        X is a NumPy array, a scipy sparse matrix, or a table; with ``kernel="precomputed"`` the
        Gram matrix. `sample_weight` may give each row an importance.
        """
        unknown = set(options) - {"sample_weight"}
        if unknown:
            raise TypeError(f"fit() got an unexpected keyword argument {min(unknown)!r}")
        fresh = self._begun()
        rows = read_rows(X)
        weights = fit_weights(options.get("sample_weight"), rows.size)
        codes = fresh._codes(y, rows.size, weights, None)
        x = fresh._admit(rows)
        kept = x
        if self.kernel == "precomputed":
            check_gram(x.dense(rows.columns))
            kept = units(0, rows.size, rows.columns)
        fresh._epochs(x, kept, codes, weights)
        fresh._drop_unmet()
        self._take(fresh)
        warn_of_one_label(self.learned_labels())
        return self

    def _epochs(self, x: Sparse, kept: Sparse, codes: Any, weights: Any) -> None:
        generator = generator_from(self.random_state) if self.shuffle else None
        self.epochs_, self.converged_ = 0, False
        while not self.converged_ and self.epochs_ != self.max_epochs:
            before = self._learned().counts["updates"]
            if generator is None:
                self._learned().learn(x, kept, codes, weights)
            else:
                order = generator.permutation(x.size)
                mixed = None if weights is None else weights[order]
                self._learned().learn(x.take(order), kept.take(order), codes[order], mixed)
            self.epochs_ += 1
            self.converged_ = self._learned().counts["updates"] == before

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Iterable[Any] | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Continue learning: one pass over these rows, in their order.

        `classes` may announce labels that have not been seen yet; it changes the columns of
        predictions, never what is learned.
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
        self.learn_cells(self.cells_of(x), y, weight)

    def learn_cells(self, cells: NamedCells, label: Any, weight: float) -> None:
        """The same for an example whose features have names and values."""
        started = self._started()
        row, new = started._names.row(cells)
        labels = started._labels.copy()
        labels.add([label])
        if weight == 0.0:
            return
        started._labels = labels
        support = started._learned().counts["updates"]
        self._go_on(started, row, [labels.codes[plain_label(label)]], [weight])
        if started._learned().counts["updates"] > support:
            started._names.keep(new)
            started._drop_names()

    def _go_on(self, started: Self, x: Sparse, codes: Any, weights: Any) -> None:
        """One pass over more rows. Those before one that the kernel refuses stay learned."""
        before = started._learned().counts["examples"]
        try:
            started._learned().learn(x, x, codes, weights)
        except InvalidInput as error:
            if started._learned().counts["examples"] > before:
                error.advise("The rows before it have been learned.")
            raise
        finally:
            started._drop_unmet()
            if started is not self and started._learned().counts["examples"] > before:
                self._take(started)
        if started is not self:
            self._take(started)

    def _refuse_gram(self, method: str) -> None:
        if self.kernel == "precomputed":
            raise InvalidInput(
                f"kernel='precomputed' has no {method}: a row of a Gram matrix does not say which "
                "column is its own. Use fit with the whole matrix, or another kernel."
            )

    # -- state

    def _begun(self) -> Self:
        """The same options, ready to learn."""
        fresh = self.fresh()
        fresh._machine = fresh._settled()
        fresh._labels, fresh._names = Labels(), NameColumns()
        fresh.epochs_, fresh.converged_ = 0, False
        return fresh

    def begin(self) -> None:
        """Begin to learn from named examples, with none yet."""
        self._refuse_gram("fit_file")
        self._take(self._begun())

    def _started(self) -> Self:
        return self if self._machine is not None else self._begun()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a copy learns independently

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        options = self.get_params(deep=False)  # a kernel is a function, or any callable
        for name, value in self.__dict__.items():
            twin.__dict__[name] = value if name in options else copy.deepcopy(value, memo)
        return twin

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        arrays, facts = packed(self._learned(), self._labels, self._names)
        facts |= {"epochs": self.epochs_, "converged": self.converged_}
        facts |= {"columns_named": self._column_names is not None}
        return arrays, facts

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        fresh = self._begun()
        fresh._labels, fresh._names = unpacked(fresh._learned(), arrays, facts)
        fresh.epochs_, fresh.converged_ = whole("epochs", facts["epochs"], 0), facts["converged"]
        if fresh._names.columns:
            columns = fresh._names.columns
            names = list(fresh._names.ids)[:columns] if facts["columns_named"] else None
            fresh._settle_columns(columns, names)
        self._take(fresh)
