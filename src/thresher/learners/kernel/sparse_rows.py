"""Sparse rows, checked and in order, and the growing set of support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.examples import Rows, contiguous


@dataclass(frozen=True)
class Sparse:
    """Row i has values[starts[i]:starts[i+1]] in the columns index[starts[i]:starts[i+1]]."""

    starts: npt.NDArray[np.int64]
    index: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]
    columns: int

    @property
    def size(self) -> int:
        return len(self.starts) - 1

    @property
    def core(self) -> tuple[Any, ...]:
        """As the core takes it."""
        return self.starts, self.index, self.values, self.columns

    def slice(self, begin: int, end: int) -> Sparse:
        first, last = self.starts[begin], self.starts[end]
        starts = self.starts[begin : end + 1] - first
        return Sparse(starts, self.index[first:last], self.values[first:last], self.columns)

    def take(self, order: npt.NDArray[np.intp]) -> Sparse:
        """Some rows, in the given order."""
        lengths = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        cells = np.repeat(self.starts[:-1][order] - starts[:-1], lengths) + np.arange(starts[-1])
        return Sparse(starts, self.index[cells], self.values[cells], self.columns)

    def row(self, i: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        cells = slice(self.starts[i], self.starts[i + 1])
        return self.index[cells], self.values[cells]

    def dense(self, columns: int) -> npt.NDArray[np.float64]:
        out = np.zeros((self.size, columns))
        out[np.repeat(np.arange(self.size), np.diff(self.starts)), self.index] = self.values
        return out


def units(first: int, last: int, columns: int) -> Sparse:
    """Rows with a 1 in column first, first + 1, …, last − 1: select columns of a Gram matrix."""
    index = np.arange(first, last, dtype=np.int32)
    return Sparse(np.arange(last - first + 1), index, np.ones(last - first), columns)


def one_row(index: list[int], values: list[float], columns: int) -> Sparse:
    """A row from its cells, in any order."""
    starts = np.array([0, len(index)])
    columns_ = np.array(index, dtype=np.int32)
    return in_order(starts, columns_, np.array(values, dtype=np.float64), columns)


def sparse_of(rows: Rows, ids: list[int] | None = None) -> Sparse:
    """Rows as read from an array or a table: finite, columns rising, no zeros.

    With `ids`, column j is known as ids[j].
    """
    if isinstance(rows.core, tuple):
        starts, index, values, columns = rows.core
        _check_places(starts, index, columns)
        values = np.ones(len(index)) if values is None else values.astype(np.float64)
        _check_finite(values, lambda k: (int(np.searchsorted(starts, k, "right")) - 1, index[k]))
        return in_order(starts, index.astype(np.int32, copy=False), values, columns)
    dense = rows.core
    row, index = np.nonzero(dense)
    values = dense[row, index].astype(np.float64)
    _check_finite(values, lambda k: (int(row[k]), index[k]), rows.names)
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows.size))])
    if ids is None:
        return Sparse(starts, index.astype(np.int32), values, rows.columns)
    renamed = np.asarray(ids, dtype=np.int32)[index]
    return in_order(starts, renamed, values, max(ids) + 1)


def in_order(starts: Any, index: Any, values: Any, columns: int) -> Sparse:
    """Rows with their columns in order; cells of one column are added up, zeros left out."""
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((index, row))
    row, index, values = row[order], index[order], values[order]
    first = np.ones(len(row), dtype=bool)
    first[1:] = (np.diff(row) != 0) | (np.diff(index) != 0)
    if not first.all():
        values = np.add.reduceat(values, np.flatnonzero(first))
        row, index = row[first], index[first]
    kept = values != 0
    row, index, values = row[kept], index[kept], values[kept]
    counts = np.bincount(row, minlength=len(starts) - 1)
    return Sparse(
        np.concatenate([[0], np.cumsum(counts)]), contiguous(index, np.int32), values, columns
    )


def _check_places(starts: Any, index: Any, columns: int) -> None:
    if starts[0] != 0 or (np.diff(starts) < 0).any() or starts[-1] != len(index):
        raise InvalidInput("the row pointers of the sparse matrix do not fit its arrays.")
    if len(index) and not (index.min() >= 0 and index.max() < columns):
        wrong = int(index.max() if index.max() >= columns else index.min())
        raise InvalidInput(f"column number {wrong} does not exist in this matrix.")


def _check_finite(values: Any, where: Any, names: list[str] | None = None) -> None:
    if np.isfinite(values).all():
        return
    k = int(np.argmin(np.isfinite(values)))
    i, j = where(k)
    called = f"column {j}" if names is None else f"column {j} ({names[j]!r})"
    found = "NaN" if np.isnan(values[k]) else "infinity"
    raise InvalidInput(
        f"Input X contains {found}: row {i}, {called} is {values[k]}; expected a finite number. "
        "Fill or drop such rows first."
    )


class Growing:
    """An array that grows at its end and loses rows anywhere; `now` is the part in use."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self._room = values
        self._used = len(values)

    @property
    def now(self) -> npt.NDArray[Any]:
        return self._room[: self._used]

    def append(self, values: Any) -> None:
        end = self._used + len(values)
        if end > len(self._room):
            room = np.zeros((max(16, 2 * end), *self._room.shape[1:]), self._room.dtype)
            room[: self._used] = self.now
            self._room = room
        self._room[self._used : end] = values
        self._used = end

    def delete(self, begin: int, end: int) -> None:
        gone = end - begin
        self._room[begin : self._used - gone] = self._room[end : self._used].copy()
        self._used -= gone
        if len(self._room) > 64 and len(self._room) > 4 * self._used:
            self._room = self.now.copy()


class SupportVectors:
    """Support vectors in order of arrival."""

    def __init__(self, rows: Sparse | None = None) -> None:
        none = np.zeros(0)
        self._starts = Growing(np.zeros(1, np.int64) if rows is None else rows.starts.copy())
        self._index = Growing(none.astype(np.int32) if rows is None else rows.index.copy())
        self._values = Growing(none if rows is None else rows.values.copy())
        self.columns = 0 if rows is None else rows.columns

    @property
    def size(self) -> int:
        return len(self._starts.now) - 1

    @property
    def rows(self) -> Sparse:
        return Sparse(self._starts.now, self._index.now, self._values.now, self.columns)

    def append(
        self, index: npt.NDArray[np.int32], values: npt.NDArray[np.float64], columns: int
    ) -> None:
        self._index.append(index)
        self._values.append(values)
        self._starts.append([len(self._index.now)])
        self.columns = max(self.columns, columns)

    def delete(self, i: int) -> None:
        begin, end = (int(v) for v in self._starts.now[i : i + 2])
        self._index.delete(begin, end)
        self._values.delete(begin, end)
        self._starts.delete(i, i + 1)
        self._starts.now[i:] -= end - begin

    def used_columns(self) -> npt.NDArray[np.int32]:
        return np.unique(self._index.now)

    def renumber(self, place: npt.NDArray[np.int32], columns: int) -> None:
        """Column j becomes place[j]; the order of the columns stays."""
        self._index.now[:] = place[self._index.now]
        self.columns = columns
