"""Parquet and Arrow files, as the text that the native parsers read: CSV, or JSON lines if nested.

So a table means the same in every format. pyarrow reads and writes in native code.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from thresher.data.sources import Source
from thresher.errors import InvalidInput, Where
from thresher.extras import install

ROWS = 8192  # at a time: memory does not grow with the file


def as_text(source: Source, format: str) -> tuple[str, Iterator[bytes], tuple[str, ...]]:
    """The format of the text, the text in blocks, and the columns whose numbers are names."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InvalidInput(
            f"reading {format} files needs pyarrow: {install('arrow')}", where=Where(source.name)
        ) from None
    if not source.seekable or source.compression:
        raise InvalidInput(
            f"a {format} file is read from its end, so it can be neither a pipe nor "
            "compressed as a whole; give the file itself.",
            where=Where(source.name),
        )
    try:
        if format == "parquet":
            file = pq.ParquetFile(source.path)
            schema, batches = file.schema_arrow, file.iter_batches(batch_size=ROWS)
        else:
            opened = pa.ipc.open_file(source.path)
            schema = opened.schema
            batches = (
                part
                for i in range(opened.num_record_batches)
                for part in _validated(opened.get_batch(i))
            )
        target = pa.schema([pa.field(c.name, _csv_type(pa, c.type)) for c in schema])
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(
            f"not a readable {format} file ({error}).", where=Where(source.name)
        ) from error
    batches = _readable(source.name, format, batches)
    if any(pa.types.is_nested(column.type) for column in schema):
        return "jsonl", _json_blocks(source.name, batches), ()
    names = tuple(c.name for c in target if pa.types.is_large_string(c.type))
    return "csv", _csv_blocks(source.name, batches, target), names


def _readable(name: str, format: str, batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    try:
        yield from batches
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(
            f"damaged {format} data ({error}); fetch the file again.", where=Where(name)
        ) from error


def _validated(batch: Any) -> Iterator[Any]:
    """An Arrow file is mapped memory: unless it is checked, a damaged one ends the process."""
    import pyarrow as pa

    batch.validate(full=True)
    yield from pa.Table.from_batches([batch]).to_batches(ROWS)


def _csv_type(pa: Any, kind: Any) -> Any:
    """How a column is written: numbers exactly, everything else as text."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return pa.int8()
    if pa.types.is_integer(kind):
        return kind
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.float64()
    return pa.large_string()


def _csv_blocks(name: str, batches: Iterator[Any], target: Any) -> Iterator[bytes]:
    import pyarrow as pa
    from pyarrow import csv

    header = True
    for batch in batches:
        out = io.BytesIO()
        columns = [_cast(name, *pair) for pair in zip(batch.columns, target, strict=True)]
        table = pa.Table.from_arrays(columns, schema=target)
        csv.write_csv(table, out, csv.WriteOptions(include_header=header))
        header = False
        yield out.getvalue()
    if header:  # no rows at all
        yield (",".join(json.dumps(name) for name in target.names) + "\n").encode()


def _cast(name: str, column: Any, field: Any) -> Any:
    import pyarrow as pa

    try:
        return column.cast(field.type)
    except pa.ArrowException as error:
        raise _no_text(name, f"column {field.name!r}", column.type, error) from error


def _no_text(name: str, where: str, kind: Any, error: Exception) -> InvalidInput:
    return InvalidInput(
        f"{where} holds {kind} values that cannot be read as numbers or text ({error}); "
        "convert the column, or leave it out.",
        where=Where(name),
    )


def _json_blocks(name: str, batches: Iterator[Any]) -> Iterator[bytes]:
    def plain(value: Any) -> str:
        if not isinstance(value, bytes):
            return str(value)  # a time, a decimal number
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise _no_text(name, "a nested column", "binary", error) from None

    for batch in batches:
        yield "".join(json.dumps(row, default=plain) + "\n" for row in batch.to_pylist()).encode()
