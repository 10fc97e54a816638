"""Tables of Python with texts, categories and dates: the features that a file of them would have.

A number is the feature `column`, true and false are 1 and 0, a text or a category is the feature
`column=text`, a date makes `column` (years since 2000), `column.month=5`, `column.weekday=Fri` and,
if it has a time, `column.hour=13`. What is missing (None, NaN, NaT) is left out.
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt

if TYPE_CHECKING:
    from thresher.data.sniffing import Wanting

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
YEAR = 365.2425  # days


class NamedColumns:
    """Cells by name, collected column by column, as the rows of a sparse matrix."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._ids: dict[str, int] = {}
        self._parts: list[tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]] = []
        self.wanting: list[Wanting] = []
        """Columns of texts that are something else: running text, dates, names of rows."""

    def add(self, name: str, column: npt.NDArray[Any], *, categories: bool = False) -> None:
        """A column of a table; the numbers of `categories` are names."""
        if not categories and column.dtype.kind == "O":
            column = as_dates(column)
            self._look_at(name, column)
        if column.dtype.kind == "M" and not categories:
            for part, values in date_parts(name, column):
                self._put(part, values)
        elif column.dtype.kind in "biuf" and not categories:
            self._put(name, column.astype(np.float64))
        else:
            self._put_objects(name, column, categories)

    def _look_at(self, name: str, column: npt.NDArray[Any]) -> None:
        from thresher.data.sniffing import MOST, look_at

        texts = [cell for cell in column[:MOST].tolist() if not is_missing(cell)]
        if all(isinstance(cell, str) for cell in texts) and (found := look_at(name, texts)):
            self.wanting.append(found)

    def _put(self, name: str, values: npt.NDArray[np.float64]) -> None:
        here = np.flatnonzero(~np.isnan(values) & (values != 0.0))
        self._cells(here, np.full(len(here), self._id(name)), values[here])

    def _put_objects(self, name: str, column: npt.NDArray[Any], categories: bool) -> None:
        rows: list[int] = []
        ids: list[int] = []
        values: list[float] = []
        for row, cell in enumerate(column.tolist()):
            if is_missing(cell):
                continue
            if isinstance(cell, str) or categories:
                feature, value = f"{name}={cell}", 1.0
            elif isinstance(cell, numbers.Real):
                feature, value = name, float(cell)
            else:
                raise InvalidInput(
                    f"column {name!r} holds {cell!r} of type {type(cell).__name__} in row {row}; "
                    "expected numbers, booleans, texts or dates."
                )
            if value:
                rows.append(row)
                ids.append(self._id(feature))
                values.append(value)
        self._cells(np.asarray(rows, np.int64), np.asarray(ids, np.int64), np.asarray(values))

    def _id(self, name: str) -> int:
        return self._ids.setdefault(name, len(self._ids))

    def _cells(self, rows: Any, ids: Any, values: Any) -> None:
        self._parts.append((rows, ids, values))

    def rows(self) -> tuple[tuple[Any, Any, Any, int], list[str]]:
        """The rows as the core takes them, cells in the order of the columns; and the names."""
        rows, ids, values = (
            np.concatenate(part) for part in zip(*self._parts, strict=True)
        )  # fmt: skip
        order = np.argsort(rows, kind="stable")
        starts = np.zeros(self._rows + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=self._rows), out=starts[1:])
        names = list(self._ids)
        core = (starts, ids[order].astype(np.int32), values[order].astype(np.float64), len(names))
        return core, names


def is_missing(cell: Any) -> bool:
    return (
        cell is None
        or (isinstance(cell, float) and math.isnan(cell))
        or type(cell).__name__ in ("NAType", "NaTType")
    )


def as_dates(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Of objects that are dates, an array of these, as they are written: a time zone changes
    nothing. Any other column stays as it is."""
    first = next((cell for cell in column.flat if not is_missing(cell)), None)
    if not isinstance(first, datetime.date):
        return column
    cells = [cell for cell in column.tolist() if not is_missing(cell)]
    if not all(isinstance(cell, datetime.date) for cell in cells):
        return column
    timed = any(isinstance(cell, datetime.datetime) for cell in cells)
    out = np.full(len(column), "NaT", "datetime64[s]" if timed else "datetime64[D]")
    for row, cell in enumerate(column.tolist()):
        if not is_missing(cell):
            out[row] = cell.isoformat()[:19]
    return out


def date_parts(
    name: str, column: npt.NDArray[Any]
) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    """What a column of dates is as features; what is no date is NaN in all of them."""
    timed = np.datetime_data(column.dtype)[0] not in ("Y", "M", "W", "D")
    known = ~np.isnat(column)
    seconds = column.astype("datetime64[s]")
    days = seconds.astype("datetime64[D]").astype(np.int64)
    months = seconds.astype("datetime64[M]").astype(np.int64) % 12 + 1
    hours = (seconds - seconds.astype("datetime64[D]")).astype(np.int64) // 3600
    since = (seconds - np.datetime64("2000-01-01")).astype(np.int64) / 86400 / YEAR
    yield name, np.where(known, since, np.nan)
    weekdays = (days + 3) % 7  # 1970-01-01 was a Thursday
    for part, values, texts in (
        ("month", months, {m: str(m) for m in range(1, 13)}),
        ("weekday", weekdays, dict(enumerate(WEEKDAYS))),
        ("hour", hours, {h: str(h) for h in range(24 if timed else 0)}),
    ):
        for value in np.unique(values[known]).tolist() if texts else ():
            yield f"{name}.{part}={texts[value]}", np.where(known & (values == value), 1.0, 0.0)
