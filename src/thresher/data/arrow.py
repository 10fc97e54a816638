"""Parquet and Arrow files, as the text that the native parsers read: CSV, or JSON lines if nested.

So a table means the same in every format. pyarrow reads and writes in native code.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from thresher.data.sources import Source
from thresher.errors import InvalidInput

ROWS = 8192  # at a time: memory does not grow with the file


def as_text(source: Source, format: str) -> tuple[str, Iterator[bytes], tuple[str, ...]]:
    """The format of the text, the text in blocks, and the columns whose numbers are names."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InvalidInput(
            f"{source.name}: reading {format} files needs pyarrow: pip install 'thresher[arrow]'"
        ) from None
    if not source.seekable or source.compression:
        raise InvalidInput(
            f"{source.name}: a {format} file is read from its end, so it can be neither a pipe nor "
            "compressed as a whole; give the file itself."
        )
    try:
        if format == "parquet":
            file = pq.ParquetFile(source.name)
            schema, batches = file.schema_arrow, file.iter_batches(batch_size=ROWS)
        else:
            opened = pa.ipc.open_file(source.name)
            schema = opened.schema
            batches = (
                part
                for i in range(opened.num_record_batches)
                for part in pa.Table.from_batches([opened.get_batch(i)]).to_batches(ROWS)
            )
    except (pa.ArrowInvalid, OSError) as error:
        raise InvalidInput(f"{source.name}: not a readable {format} file ({error}).") from error
    if any(pa.types.is_nested(column.type) for column in schema):
        return "jsonl", _json_blocks(batches), ()
    target = pa.schema([pa.field(c.name, _csv_type(pa, c.type)) for c in schema])
    names = tuple(c.name for c in target if pa.types.is_large_string(c.type))
    return "csv", _csv_blocks(batches, target), names


def _csv_type(pa: Any, kind: Any) -> Any:
    """As what a column is written: numbers exactly, all else as text."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return pa.int8()
    if pa.types.is_integer(kind):
        return kind
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.float64()
    return pa.large_string()


def _csv_blocks(batches: Iterator[Any], target: Any) -> Iterator[bytes]:
    import pyarrow as pa
    from pyarrow import csv

    header = True
    for batch in batches:
        out = io.BytesIO()
        table = pa.Table.from_batches([batch]).cast(target)
        csv.write_csv(table, out, csv.WriteOptions(include_header=header))
        header = False
        yield out.getvalue()
    if header:  # no rows at all
        yield (",".join(json.dumps(name) for name in target.names) + "\n").encode()


def _json_blocks(batches: Iterator[Any]) -> Iterator[bytes]:
    for batch in batches:
        rows = batch.to_pylist()
        yield "".join(json.dumps(row, default=str) + "\n" for row in rows).encode()
