"""From the arrays and tables of Python to the rows that the core reads."""

from __future__ import annotations

import copy
import datetime
import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from thresher._core import by_rows as rows_of_columns
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.tables import NamedColumns
from thresher.sparse import is_sparse

if TYPE_CHECKING:
    from thresher.data.sniffing import Wanting

MOST_COLUMNS = 2**31 - 2


def contiguous(values: Any, dtype: Any = None) -> npt.NDArray[Any]:
    """An array as the core takes it: contiguous rows, aligned."""
    return np.require(values, dtype, ["C", "A"])


@dataclass
class Rows:
    """``core``: a dense array, or (row starts, column numbers, values or None, columns)."""

    core: Any
    size: int
    columns: int
    names: list[str] | None = None
    by_name: bool = False
    """Of a table with texts or dates: its features are not its columns, and more may come."""
    table: tuple[str, ...] = ()
    """The columns of that table."""
    wanting: tuple[Wanting, ...] = ()
    """Those of them that are probably not meant as they are read."""

    def known_only(self, known: list[bool]) -> Rows:
        """Of rows by name, without the cells of all other features."""
        starts, index, values, _ = self.core
        keep = np.asarray(known)[index] if len(index) else np.zeros(0, bool)
        new = np.concatenate([[0], np.cumsum(keep)])[starts]
        names = [name for name, here in zip(self.names or (), known, strict=True) if here]
        number = np.cumsum(known) - 1
        core = (new.astype(np.int64), number[index[keep]].astype(np.int32), values[keep],
                len(names))  # fmt: skip
        return Rows(core, self.size, len(names), names, by_name=True)

    def renumbered(self, ids: list[int]) -> Rows:
        """The same rows with column j known to the model as feature ids[j]."""
        if ids == list(range(self.columns)):
            return self
        if isinstance(self.core, tuple):
            starts, index, values, _ = self.core
            index = np.asarray(ids, dtype=np.int32)[index]
            core = (starts, index, values, max(ids, default=-1) + 1)
            return Rows(core, self.size, self.columns)
        dense = self.core
        starts = np.arange(self.size + 1, dtype=np.int64) * self.columns
        index = np.tile(np.asarray(ids, dtype=np.int32), self.size)
        return Rows((starts, index, dense.ravel(), max(ids) + 1), self.size, self.columns)


def read_rows(X: Any, *, clip: bool = False, by_name: bool = False) -> Rows:
    """Check the shape and type of X; its values are checked where they are used.

    With `by_name` a table may hold texts, categories and dates.
    """
    if is_sparse(X):
        rows = sparse_rows(X, clip)
    elif is_table(X):
        rows = table_rows(X, by_name)
    else:
        rows = dense_rows(X)
    if rows.size == 0:
        raise InvalidInput(
            f"Found array with 0 sample(s) (shape=(0, {rows.columns})) while a minimum of 1 is "
            "required."
        )
    if rows.columns == 0 and not rows.by_name:
        raise InvalidInput(
            f"Found array with 0 feature(s) (shape=({rows.size}, 0)) while a minimum of 1 is "
            "required."
        )
    if rows.columns > MOST_COLUMNS:
        raise InvalidInput(
            f"X has {rows.columns} columns; expected at most {MOST_COLUMNS}. For a larger feature "
            "space use names: learn_one with dicts keeps only the features it meets."
        )
    return clipped(rows) if clip else rows


def clipped(rows: Rows) -> Rows:
    """Values below 0 become 0, those above 1 become 1."""
    core = rows.core
    if isinstance(core, tuple):
        starts, index, values, columns = core
        core = (starts, index, None if values is None else clip_finite(values), columns)
    else:
        core = clip_finite(core)
    return replace(rows, core=core)


def clip_finite(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """NaN and infinity are left for the core to refuse."""
    return np.where(np.isfinite(values), np.clip(values, 0, 1), values)


RESHAPE = (
    "Reshape your data using X.reshape(-1, 1) if it has a single feature or X.reshape(1, -1) if it "
    "contains a single sample."
)
DICTS = "Examples as dicts go one by one to learn_one."
TEXTS = (
    "Texts need features: make_pipeline(CountVectorizer(), ...) of scikit-learn makes them of "
    "words; or give the words of each text to learn_one: learn_one(text.split(), label)."
)
ENCODE = (
    " Encode strings first, or give examples as dicts to learn_one, where a string becomes the "
    "feature 'name=value'."
)


def as_floats(values: npt.NDArray[Any], what: str, advice: str = "") -> npt.NDArray[Any]:
    """float32 and float64 stay as they are; every other number becomes float64."""
    if values.dtype.kind == "c":
        raise InvalidInput(f"Complex data not supported: {what} holds complex numbers.")
    if values.dtype.kind in "USVmM":
        raise InvalidInput(f"{what} holds {values.dtype} values; expected numbers.{advice}")
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype == object:
        text = next((v for v in values.flat if isinstance(v, (str, bytes))), None)
        if text is not None:
            raise InvalidInput(f"{what} holds the string {text!r}; expected numbers.{advice}")
    try:
        return values.astype(np.float64)
    except ValueError as error:
        raise InvalidInput(f"{what} holds values that are not numbers ({error}).") from None


def refuse_none(x: Any) -> None:
    if x is None:
        raise InvalidInput(
            "an example is a dict of named features, or a list or set of names; found None."
        )


def doubt_texts(x: Any) -> None:
    """Numbers that were left as texts, as the module csv gives them: each would be a name."""
    if not isinstance(x, dict):
        return
    texts = {key: value for key, value in x.items() if isinstance(value, str)}
    numbers = {key: value for key, value in texts.items() if _is_decimal(value)}
    if numbers:
        key, value = next(iter(numbers.items()))
        warnings.warn(
            f"the value of {key!r} is the text {value!r}: it is learned as the name {key}={value}, "
            "not as a number. If it is a number, give float(value).",
            stacklevel=4,
        )


def _is_decimal(text: str) -> bool:
    """Such as 12.5 and 1e-3; not 01234, which may be a name."""
    if text.strip().isdigit():
        return False
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


# What turns a lazy or remote table into one in memory.
BRINGING = ("collect", "compute", "to_table", "execute", "toPandas")


def unread(values: Any) -> str:
    """Names an object in which NumPy sees no values, and says how to get them."""
    kind = type(values)
    package = kind.__module__.partition(".")[0]
    told = kind.__qualname__ if package == "builtins" else f"{package}.{kind.__qualname__}"
    ways = [name for name in BRINGING if callable(getattr(kind, name, None))]
    return f"{told}, which holds no values yet: call its {ways[0]}() first" if ways else told


def dense_rows(X: Any) -> Rows:
    if np.ma.is_masked(X):
        raise InvalidInput("X has masked values; expected numbers. Fill or drop them first.")
    try:
        values = np.asarray(X)
    except ValueError as error:
        raise InvalidInput(f"X is not a table of numbers: {error}") from None
    if values.ndim == 0 and values.dtype == object and not isinstance(X, dict):
        raise InvalidInput(
            f"X is of the type {unread(X)}; expected a 2D array, a sparse matrix or a table."
        )
    if values.ndim != 2:
        first = next(iter(values.flat), None)
        advice = DICTS if isinstance(first, dict) else TEXTS if isinstance(first, str) else RESHAPE
        raise InvalidInput(f"Expected 2D array, got {values.ndim}D array instead. {advice}")
    values = contiguous(as_floats(values, "X", ENCODE))
    return Rows(values, *values.shape)


def sparse_rows(X: Any, clip: bool) -> Rows:
    if X.ndim != 2:
        raise InvalidInput(f"Expected 2D array, got {X.ndim}D sparse array instead.")
    if X.format == "csc" and not clip and (rows := by_rows(X)):
        return rows
    # The core checks the arrays of a CSR matrix; scipy trusts those that it converts or sums.
    csr = X if X.format == "csr" and not clip else checked(X).tocsr(copy=clip)
    if clip:
        csr.sum_duplicates()  # the sum of repeated entries is clipped, not each
    rows, columns = csr.shape
    if len(csr.indptr) != rows + 1 or len(csr.indices) != len(csr.data):
        raise InvalidInput("the arrays of the sparse matrix do not fit its shape or each other.")
    return Rows((*parts(csr), columns), rows, columns)


def parts(X: Any) -> tuple[Any, Any, Any]:
    """The arrays of a CSR or CSC matrix as the core takes them; no values if all are 1."""
    index = X.indices
    if index.dtype not in (np.int32, np.int64):
        index = index.astype(np.int64)
    data = X.data
    if data.dtype == bool and data.all():
        values = None  # all features have the value 1: a faster path
    else:
        values = contiguous(as_floats(data, "X", ENCODE))
    return contiguous(X.indptr, dtype=np.int64), contiguous(index), values


def by_rows(X: Any) -> Rows | None:
    """A CSC matrix; None if its arrays do not fit together, which scipy's own check describes."""
    rows, columns = X.shape
    if len(X.indptr) != columns + 1 or columns > MOST_COLUMNS:
        return None
    core: Any = rows_of_columns(*parts(X), rows)
    return Rows((*core, columns), rows, columns) if core else None


def checked(X: Any) -> Any:
    """The same sparse matrix, whose indices have been checked."""
    try:
        if not hasattr(X, "check_format"):
            return X.copy()
        same = copy.copy(X)  # of the same arrays: the check may put others in their place
        same.check_format(full_check=True)
    except ValueError as error:
        raise InvalidInput(
            f"the arrays of the sparse matrix do not fit together: {error}."
        ) from None
    return same


def is_table(X: Any) -> bool:
    return hasattr(X, "__dataframe__") or hasattr(X, "__arrow_c_stream__")


def table_rows(X: Any, by_name: bool) -> Rows:
    """pandas, polars, pyarrow, or anything else with the Arrow stream interface."""
    if not hasattr(X, "columns"):
        try:
            import pyarrow

            X = pyarrow.table(X)
        except (ImportError, ValueError):  # a single column, which has a stream as well
            return dense_rows(X)
    names, columns = table_columns(X)
    for name, column in zip(names, columns, strict=True):
        if column.ndim != 1:
            raise InvalidInput(f"column {name!r} holds several values in each row; expected one.")
    rows = len(columns[0]) if columns else int(X.shape[0])
    categories = categorical_columns(X)
    if by_name and (categories or any(map(holds_texts, columns))):
        if not all(isinstance(name, str) for name in names):
            raise InvalidInput(
                "a table with texts needs names of its columns that are texts, since a text "
                "becomes the feature 'column=text'."
            )
        cells = NamedColumns(rows)
        for j, (name, column) in enumerate(zip(names, columns, strict=True)):
            cells.add(name, column, categories=j in categories)
        core, features = cells.rows()
        return Rows(core, rows, len(features), features, True, tuple(names), tuple(cells.wanting))
    single = bool(columns) and all(c.dtype == np.float32 for c in columns)
    values = np.empty((rows, len(columns)), np.float32 if single else np.float64)
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        values[:, j] = as_floats(column, f"column {name!r}", ENCODE)
    texts = all(isinstance(name, str) for name in names)
    mixed = any(isinstance(name, str) for name in names) and not texts
    if mixed:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {sorted({type(name).__name__ for name in names})} as feature name / column "
            "name types. If you want feature names to be stored and validated, you must convert "
            "them all to strings, by using X.columns = X.columns.astype(str) for example."
        )
    return Rows(values, rows, len(columns), names if texts else None)


def table_columns(X: Any) -> tuple[list[Any], list[npt.NDArray[Any]]]:
    if hasattr(X, "iloc"):  # pandas: by position, since names may repeat
        return list(X.columns), [X.iloc[:, j].to_numpy() for j in range(X.shape[1])]
    if hasattr(X, "column_names"):  # pyarrow
        return list(X.column_names), [np.asarray(c.to_numpy()) for c in X.columns]
    return list(X.columns), [X[name].to_numpy() for name in X.columns]  # polars


def categorical_columns(X: Any) -> set[int]:
    """Columns whose type says that their values are names."""
    if hasattr(X, "iloc"):  # pandas
        return {j for j, kind in enumerate(X.dtypes) if kind.name == "category"}
    return set()  # those of polars and Arrow hold texts


def holds_texts(column: npt.NDArray[Any]) -> bool:
    """Whether there is a text or a date among its values."""
    if column.dtype.kind != "O":
        return column.dtype.kind in "UTM"
    return any(isinstance(cell, str | datetime.date) for cell in column.flat)


def compare_names(owner: str, fitted: Any, given: list[str] | None) -> None:
    """Whether the columns of a table are those of ``fit``, by name."""
    if fitted is None and given is None:
        return
    if fitted is None:
        warnings.warn(
            f"X has feature names, but {owner} was fitted without feature names", stacklevel=5
        )
    elif given is None:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names",
            stacklevel=5,
        )
    elif given != list(fitted):
        raise InvalidInput(_difference(list(fitted), given))


def _difference(fitted: list[str], given: list[str]) -> str:
    """scikit-learn's message for columns that are not those of ``fit``."""
    unseen = sorted(set(given) - set(fitted))
    missing = sorted(set(fitted) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (
        ("unseen at fit time", unseen),
        ("seen at fit time, yet now missing", missing),
    ):
        if names:
            listed = "".join(f"- {n}\n" for n in names[:5]) + ("- ...\n" if len(names) > 5 else "")
            message += f"Feature names {title}:\n{listed}"
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message
