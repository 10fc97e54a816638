"""Parquet and Arrow files: a column for each feature, empty where an example lacks it."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import Any, BinaryIO

from thresher.extras import missing

try:
    import pyarrow as pa
except ImportError:
    raise missing("a Parquet or Arrow file", "pyarrow") from None

from thresher.data.columns import TableCells
from thresher.data.example import Example
from thresher.data.write import WriteOptions, Writer, label_texts
from thresher.errors import InvalidInput

CELLS_IN_MEMORY = 1_000_000


class TableWriter(Writer):
    """Collects rows, passes them on in batches of about a million cells."""

    def __init__(self, file: BinaryIO, options: WriteOptions) -> None:
        super().__init__(options)
        assert options.columns is not None
        columns = options.columns
        self._cells = TableCells(columns, options.label, options.weight)
        self._weights = columns.weights
        label = pa.list_(pa.string()) if options.label_sets else pa.string()
        fields = [(options.label, label)]
        if columns.weights:
            fields.append((options.weight, pa.float64()))
        self._before = len(fields)  # columns that are not features
        for name in columns.names:
            _check_text(name)
            fields.append((name, pa.string() if name in columns.text else pa.float64()))
        self._schema = pa.schema(fields)
        self._batch_rows = max(1, min(1 << 16, CELLS_IN_MEMORY // len(fields)))
        self._sink = self._open(file)
        self._rows: list[dict[int, Any]] = []

    @abstractmethod
    def _open(self, file: BinaryIO) -> Any:
        """Something with `write_batch` and `close`."""

    def _put(self, example: Example, label: str) -> None:
        row: dict[int, Any] = {
            self._before + place: cell for place, cell in self._cells.of(example).items()
        }
        if isinstance(example.label, frozenset):
            row[0] = label_texts(example.label)
        elif label:
            row[0] = label
        if self._weights:
            row[1] = float(example.weight)
        for cell in (label, *row.values()):
            if isinstance(cell, str):
                _check_text(cell)
        self._rows.append(row)
        if len(self._rows) >= self._batch_rows:
            self._write_rows()

    def _write_rows(self) -> None:
        columns: list[list[Any]] = [[None] * len(self._rows) for _ in self._schema]
        for i, row in enumerate(self._rows):
            for place, cell in row.items():
                columns[place][i] = cell
        self._rows.clear()
        arrays = [
            pa.array(cells, field.type) for cells, field in zip(columns, self._schema, strict=True)
        ]
        self._sink.write_batch(pa.record_batch(arrays, schema=self._schema))

    def finish(self) -> None:
        if self._rows:
            self._write_rows()
        self._sink.close()

    def abandon(self) -> None:
        with suppress(OSError, ValueError, pa.ArrowException):  # a first error is on its way
            self._sink.close()


class ParquetWriter(TableWriter):
    def _open(self, file: BinaryIO) -> Any:
        from pyarrow import parquet

        return parquet.ParquetWriter(file, self._schema)


class ArrowWriter(TableWriter):
    """The IPC file format, which is also Feather version 2."""

    def _open(self, file: BinaryIO) -> Any:
        return pa.ipc.new_file(file, self._schema)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"found {error.object[error.start]!r}, which stands for a byte that is no UTF-8; "
            "Parquet and Arrow cannot hold it: use vw"
        ) from None
