"""Weights that are given: to begin with in place of 0, or to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher._core import Model
from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.examples import as_floats
from thresher.learners.base.turns import turn_of

if TYPE_CHECKING:
    from thresher.learners.base.labels import Labels
    from thresher.learners.base.learner import FitOptions

    Floats = npt.NDArray[np.float64]

# Of learners that are more than their weights: what else they have learned.
BESIDES = {
    "diagonal": "a variance of each weight",
    "adagrad": "sums of gradients, from which the steps are computed",
    "ftrl": "sums of gradients, from which the weights are computed",
    "p-norm": "a vector v of which the weights are powers",
    "scale-free": "a scale and a sum of gradients of each feature",
    "shifting": "how many mistakes have faded by how much",
    "truncated": "which features are kept",
    "multiplicative": "weights that only factors change, and which cannot be negative",
    "balanced": "two weights for each feature, of which the difference is shown",
    "naive-bayes": "counts, from which the weights are computed",
    "lda": "second moments, from which the weights are computed",
    "least-squares": "second moments, from which the weights are computed",
    "committee": "members, each with weights of its own",
    "snow": "a network, in which only some features have weights",
}

# The numbers of an average that has counted nothing.
AVERAGE_STARTS = (
    ("reals", "clock", 0.0), ("reals", "next_clock", 0.0), ("reals", "growth", 1.0),
    ("counts", "counted", 0),
)  # fmt: skip


def meanings_of(core: Mapping[str, Any]) -> dict[str, Any]:
    """What the numbers of a model mean, of those whose names others use as well: with other options
    the core would take one for the other. `core` is options as the core reads them."""
    geometry = core["geometry"]
    # Weights times the scales of their columns; those of literals, half of which share a factor.
    found: dict[str, Any] = {"w": geometry if geometry in ("scale-free", "negations") else None}
    if geometry in ("adagrad", "ftrl"):
        found["past"] = "Σg²" if core["step"] == "adagrad" else "1/η"
    return found


class Starting:
    """A learner of weights that are added to can begin, or go on, with any."""

    if TYPE_CHECKING:  # of the learner
        options: ClassVar[Mapping[str, Any]]
        prepare: Any
        _labels: Labels | None

        def _settled(self) -> dict[str, Any]: ...
        def _learned(self) -> Model: ...
        def _begin_from(self, state: dict[str, Any]) -> Model: ...
        def _share_labels(self, model: Model, by_order: bool = False) -> None: ...
        def _settle_columns(self, columns: int, names: list[str] | None) -> None: ...
        def fresh(self) -> Self: ...
        def begin_reading(self, how: ReadingOptions) -> None: ...

        reading_: ReadingOptions | None

    _given_start: bool = False
    """Whether it had weights that were given: no theorem speaks of such a run."""

    @property
    def _bias(self) -> float:
        """The value of the constant feature; 0: there is none."""
        if not getattr(self, "fit_intercept", True):
            return 0.0
        return float(getattr(self, "intercept_scaling", 1.0))

    def _start_at(self, model: Model, options: FitOptions) -> Model:
        """The model, which has its columns and labels and has learned nothing, with the weights
        that ``fit`` was given, if any. All the labels count as met."""
        coef, intercept = options.get("coef_init"), options.get("intercept_init")
        if coef is None and intercept is None:
            return model
        if options.get("audit") is not None:
            raise InvalidInput(
                "audit='live' and coef_init contradict each other: the theorems are about runs "
                "that begin with 0."
            )
        self._refuse_more_than_weights("coef_init")
        labels = [] if self._labels is None else self._labels.ranks
        cells = self._cells(model, labels, ("coef_init", coef), ("intercept_init", intercept))
        state = model.state()
        meet_labels(state, labels)
        return self._begin_with(state, cells)

    def set_weights(self, coef: npt.ArrayLike, intercept: npt.ArrayLike | None = None) -> Self:
        """Replace the weights, in the shape of ``coef_`` and ``intercept_`` (None: 0).

        The learner predicts with these from now on, and goes on learning from them; an average
        begins anew. Counters stay. For learners that only add to their weights and have learned
        their labels and features; `fit` takes weights to begin with as `coef_init`.

        >>> from thresher import Perceptron
        >>> model = Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
        >>> model.set_weights([[1.0, -2.0]]).predict([[3.0, 1.0], [3.0, 2.0]]).tolist()
        ['spam', 'ham']
        """
        with turn_of(self):
            model = self._learned()
            self._refuse_more_than_weights("set_weights")
            if model.ledger() is not None:
                raise InvalidInput(
                    "this model keeps a live audit, which is of a run that began with 0; expected "
                    "a model without audit='live'."
                )
            labels = [] if self._labels is None else self._labels.ranks
            if len(labels) == 1:
                raise InvalidInput(
                    "this model has seen one label, and does not know yet on which side of the "
                    "weights it is; expected two labels or more."
                )
            met = [labels[code] for code in model.order()]
            cells = self._cells(model, met, ("coef", coef), ("intercept", intercept))
            self._begin_with(model.state(), cells)
        return self

    def with_weights(
        self,
        coef: npt.ArrayLike,
        intercept: npt.ArrayLike | None = None,
        *,
        labels: list[Any] | None = None,
        names: list[str] | None = None,
        by_column: bool = False,
    ) -> Self:
        """A fresh learner that has these weights and has learned no example.

        They have the shape of ``coef_`` and ``intercept_``, with a row for each of the sorted
        `labels`, or a single one for two labels and for numbers. Features are called by `names`;
        with `by_column` they are the columns of arrays, which may have these names.

        >>> from thresher import PassiveAggressive
        >>> model = PassiveAggressive().with_weights([[1.0, -2.0]], labels=[0, 1], names=["a", "b"])
        >>> model.predict_one({"a": 1.0}), model.predict_one({"b": 1.0})
        (1, 0)
        """
        fresh = self.fresh()
        fresh._refuse_more_than_weights("with_weights")
        fresh.begin_reading(ReadingOptions())
        model = fresh._learned()
        if fresh._labels is not None:
            fresh._labels.add(sorted(labels or ()))
            fresh._share_labels(model)
        features = np.shape(coef)[-1]
        if names is not None:
            model.ids(names)
        model.grow(features)
        if by_column:
            fresh.reading_ = None
            fresh._settle_columns(features, names)
        ranks = [] if fresh._labels is None else fresh._labels.ranks
        if fresh._labels is not None and len(ranks) < 2:
            raise InvalidInput(f"labels is {labels!r}; expected two or more.")
        cells = fresh._cells(model, ranks, ("coef", coef), ("intercept", intercept))
        state = model.state()
        meet_labels(state, ranks)
        fresh._begin_with(state, cells)
        return fresh

    def to_sklearn(self) -> Any:
        """An estimator of scikit-learn that predicts the same: see `thresher.export`."""
        from thresher.export.scikit_learn import to_sklearn

        return to_sklearn(self)

    def _refuse_more_than_weights(self, what: str) -> None:
        besides = BESIDES.get(self._settled()["geometry"])
        if self.prepare:
            besides = f"the statistics of prepare={self.prepare!r}"
        if besides is not None:
            raise InvalidInput(
                f"{what} is for learners that add to their weights, as Perceptron, "
                "PassiveAggressive, MIRA and LMS do, without prepare; "
                f"{type(self).__name__} also has {besides}."
            )

    def _cells(
        self, model: Model, ranks: list[int], coef: tuple[str, Any], intercept: tuple[str, Any]
    ) -> Floats:
        """Weights as the core keeps them: a row for the constant feature and one for each other, a
        column for each label as met.

        They are given with a row for each label in sorted order; of two labels, or for numbers,
        a single one.
        """
        rows = len(ranks) if len(ranks) > 2 else 1
        w = _shaped(*coef, (rows, model.features))
        b = _shaped(*intercept, (rows,))
        if b.any() and not self._bias:
            raise InvalidInput(
                f"{intercept[0]} is {intercept[1]!r} and fit_intercept is False; drop one of both."
            )
        cells = np.vstack([b / (self._bias or 1.0), w.T])
        return np.asarray(cells[:, ranks] if rows > 1 else cells)

    def _begin_with(self, state: dict[str, Any], cells: Floats) -> Model:
        """Continue from a state with other weights, whose average begins anew."""
        for r in range(state["counts"]["readings"]):
            put(state, f"reading{r}.geometry.w", cells)
            for past in ("average.past", "average.next"):
                if f"reading{r}.{past}.rows" in state["counts"]:
                    put(state, f"reading{r}.{past}", np.zeros_like(cells))
            for kind, name, start in AVERAGE_STARTS:
                if f"reading{r}.average.{name}" in state[kind]:
                    state[kind][f"reading{r}.average.{name}"] = start
        self._given_start = True
        return self._begin_from(state)


# ------------------------------------------------------------------ the state of a linear machine


def meet_labels(state: dict[str, Any], ranks: list[int]) -> None:
    """The state of a model that has learned nothing: these labels count as met, in this order."""
    counts = state["counts"]
    counts["readings"], counts["classes"] = 2 if len(ranks) == 1 else 1, len(ranks)
    counts |= {f"class{code}": code for code in range(len(ranks))}
    counts["positive"] = 0 if list(ranks) == [1, 0] else 1


def put(state: dict[str, Any], name: str, cells: Floats) -> None:
    """A matrix: a row for the constant feature and one for each other, a column for each label."""
    rows, columns = cells.shape
    state["counts"] |= {
        f"{name}.rows": rows, f"{name}.columns": columns, f"{name}.stride": columns
    }  # fmt: skip
    state["arrays"][f"{name}.cells"] = np.ascontiguousarray(cells, np.float64).tobytes()


def matrix_of(state: dict[str, Any], name: str) -> Floats:
    """What `put` wrote, or the core."""
    rows, columns, stride = (
        state["counts"][f"{name}.{size}"] for size in ("rows", "columns", "stride")
    )
    cells = np.frombuffer(state["arrays"][f"{name}.cells"]).reshape(rows, stride)
    return np.asarray(cells[:, :columns])


def _shaped(name: str, given: Any, shape: tuple[int, ...]) -> Floats:
    """Numbers of this shape; None: zeros. A single row need not be written as one of several."""
    if given is None:
        return np.zeros(shape)
    values = as_floats(np.asarray(given), name)
    if values.shape != shape and not (shape[0] == 1 and values.shape == shape[1:]):
        raise InvalidInput(f"{name} has shape {values.shape}; expected {shape}.")
    if not np.isfinite(values).all():
        raise InvalidInput(f"{name} holds a NaN or an infinity; expected finite numbers.")
    return values.reshape(shape).astype(np.float64)
