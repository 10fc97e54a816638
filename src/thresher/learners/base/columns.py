"""The columns of arrays: their number and names, kept the same way by all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.examples import compare_names


class KnownColumns:
    """Something that learns from arrays and tables, whose first rows fix the columns.

    As scikit-learn requires, ``n_features_in_`` and ``feature_names_in_`` exist once they are
    known.
    """

    _width: int | None = None
    _column_names: npt.NDArray[Any] | None = None  # None: they have none

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the arrays that were learned."""
        if self._width is None:
            raise AttributeError(f"this {type(self).__name__} has not learned from an array")
        return self._width

    @property
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """The names of the columns, if they have names."""
        if self._column_names is None:
            raise AttributeError(f"this {type(self).__name__} has not learned from named columns")
        return self._column_names

    def _settle_columns(self, columns: int, names: Sequence[str] | None) -> None:
        check_names(names)
        self._width = columns
        self._column_names = None if names is None else np.array(names, dtype=object)

    def _check_columns(self, columns: int, names: list[str] | None) -> None:
        """Rows must have the known columns."""
        compare_names(type(self).__name__, self._column_names, names)
        if columns != self._width:
            raise InvalidInput(
                f"X has {columns} features, but {type(self).__name__} is expecting {self._width} "
                "features as input."
            )


def check_names(names: Sequence[str] | None) -> None:
    if names is not None and len(set(names)) != len(names):
        raise InvalidInput("column names repeat; expected each name once.")
