"""What the transformers share: rows in, rows out, names, and scikit-learn's protocol."""

from __future__ import annotations

from typing import Any, Self

from thresher._core import Preparer
from thresher.errors import InvalidInput, ModelFileError
from thresher.features.table_output import TableOutput
from thresher.lazy import np, npt
from thresher.learners.base.columns import KnownColumns, check_names
from thresher.learners.base.examples import Rows, read_rows
from thresher.learners.base.protocol import not_learned
from thresher.options import Parameters
from thresher.prepare import steps_of
from thresher.sparse import is_sparse


class Transformer(KnownColumns, TableOutput, Parameters):
    """A transformer; subclasses say what they do to rows."""

    learned = ("_preparer", "_width", "_column_names")

    _preparer: Preparer | None = None

    def _new(self) -> Preparer:
        """The native steps, their options checked."""
        raise NotImplementedError

    def set_params(self, **params: Any) -> Self:
        """Change options. What was learned with the old ones is forgotten."""
        super().set_params(**params)
        if params:
            self._take(type(self)(**self.get_params()))
        return self

    # -- arrays and tables

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of X, from scratch; y is not used."""
        fresh = type(self)(**self.get_params(deep=False))
        fresh._learn(X)
        self._take(fresh)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Continue learning: these rows, in their order. Those before a bad one stay learned."""
        if self._width is None:
            return self.fit(X)
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit`, then `transform`."""
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> Any:
        """The transformed rows: a sparse matrix for a sparse one, else an array; or a table, see
        `set_output`."""
        return self._as_asked(self._transformed(X), X)

    def _transformed(self, X: Any) -> Any:
        if self._width is None:
            raise not_learned(
                f"This {type(self).__name__} instance is not fitted yet. Call fit or partial_fit "
                "with rows first; single examples by name go to transform_one."
            )
        rows = read_rows(X)
        self._check_columns(rows.columns, rows.names)
        starts, index, values = self._started().transform(rows.core)
        return self._table(X, rows.size, starts, index, values)

    def _table(self, X: Any, size: int, starts: Any, index: Any, values: Any) -> Any:
        shape = (size, self._started().outputs)
        if is_sparse(X):
            return sparse_like(X, (values, index, starts), shape)
        dense = np.zeros(shape)
        dense[np.repeat(np.arange(size), np.diff(starts)), index] = values
        return dense

    def _learn(self, X: Any) -> None:
        rows = read_rows(X)
        if self._width is not None:
            self._check_columns(rows.columns, rows.names)
        else:
            self._begin(rows)
        self._started().learn(rows.core)

    def _begin(self, rows: Rows) -> None:
        """The first rows fix the columns."""
        if self._preparer is not None:
            raise InvalidInput(
                "this transformer has learned from examples by name; expected more of these. "
                "fit starts over."
            )
        preparer = self._new()
        check_names(rows.names)
        if rows.names is not None:
            preparer.set_names(rows.names)
        preparer.grow(rows.columns)
        preparer.meet_all()
        self._preparer = preparer
        self._settle_columns(rows.columns, rows.names)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The names of the resulting columns."""
        if self._preparer is None:
            raise not_learned(f"This {type(self).__name__} instance is not fitted yet.")
        names = self._names_out()
        if input_features is None:
            return np.array(names, dtype=object)
        given = list(input_features)
        known = given if self._column_names is None else list(self._column_names)
        if len(given) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(given)}"
            )
        if given != known:
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(names if given == self._names_in() else self._renamed(given), dtype=object)

    def _names_in(self) -> list[str]:
        if self._column_names is not None:
            return list(self._column_names)
        return [f"x{j}" for j in range(self.n_features_in_)]

    def _names_out(self) -> list[str]:
        return self._started().names()

    def _renamed(self, names: list[str]) -> list[str]:
        """The resulting names, if the columns had these."""
        other = self._new()
        other.set_names([str(name) for name in names])
        other.meet_all()
        return other.names()

    # -- examples by name

    def learn_one(self, x: Any) -> None:
        """Learn from one example by name: a dict, or a list or set of names."""
        self._started().learn_one(x)

    def transform_one(self, x: Any) -> dict[str, float]:
        """One transformed example by name. Zeros are left out."""
        return self._started().transform_one(x)

    def _started(self) -> Preparer:
        if self._preparer is None:
            self._preparer = self._new()
        return self._preparer

    # -- copying

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._preparer is not None:
            state["_preparer"] = self._preparer.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state.get("_preparer") is not None:
            preparer = self._new()
            try:
                preparer.set_state(state["_preparer"])
            except KeyError as error:
                raise ModelFileError(f"{error} is missing from what was learned.") from None
            self._preparer = preparer

    def __sklearn_is_fitted__(self) -> bool:
        return self._preparer is not None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(sparse=True),
        )


class OneStep(Transformer):
    """A transformer that is one step of ``prepare``."""

    def _written(self) -> str:
        """The step as a learner's ``prepare`` has it."""
        raise NotImplementedError

    def _new(self) -> Preparer:
        return Preparer([step.for_core() for step in steps_of(self._written())])


def sparse_like(X: Any, arrays: Any, shape: tuple[int, int]) -> Any:
    """A sparse array for a sparse array, a matrix for a matrix."""
    from thresher.extras import package

    sparse = package("scipy.sparse")

    kind = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
    return kind(arrays, shape=shape)
