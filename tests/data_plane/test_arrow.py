"""Parquet and Arrow files: every type of column, and damaged ones."""

import datetime
import decimal
import random

import pytest

import thresher
from thresher.errors import InvalidInput

pa = pytest.importorskip("pyarrow")
from pyarrow import ipc, parquet  # noqa: E402

TIME = datetime.datetime(2020, 1, 2, 3)
# What becomes of two values, or what is said of them.
COLUMNS = {
    "int": (pa.array([1, 2]), [{"x": 1.0}, {"x": 2.0}]),
    "uint64": (pa.array([2**64 - 1, None], pa.uint64()), [{"x": 2.0**64}, {}]),
    "half": (pa.array([1.5, 2.5], pa.float16()), [{"x": 1.5}, {"x": 2.5}]),
    "decimal": (pa.array([decimal.Decimal("1.5"), None]), [{"x": 1.5}, {}]),
    "bool": (pa.array([True, None]), [{"x": 1.0}, {}]),
    "null": (pa.nulls(2), [{}, {}]),
    "date": (pa.array([TIME.date(), None]), [{"x=2020-01-02": 1.0}, {}]),
    "time": (pa.array([TIME.time(), None]), [{"x=03:00:00.000000": 1.0}, {}]),
    "dictionary": (pa.array(["a", "b"]).dictionary_encode(), [{"x=a": 1.0}, {"x=b": 1.0}]),
    "numbers in a dictionary": (pa.array([3, 4]).dictionary_encode(), [{"x": 3.0}, {"x": 4.0}]),
    "text": (pa.array(['a"\n,b', "c"]), [{'x=a"\n,b': 1.0}, {"x=c": 1.0}]),
    "binary text": (pa.array([b"a", b"b"]), [{"x=a": 1.0}, {"x=b": 1.0}]),
    "nested binary text": (pa.array([[b"a"], [b"b"]]), [{"x=a": 1.0}, {"x=b": 1.0}]),
    "list": (pa.array([[1], [2, 3]]), [{"x.0": 1.0}, {"x.0": 2.0, "x.1": 3.0}]),
    "struct": (pa.array([{"a": TIME}, {"a": None}]), [{"x.a=2020-01-02 03:00:00": 1.0}, {}]),
    "binary": (pa.array([b"\xff", b"a"]), "column 'x' holds binary values"),
    "large binary": (pa.array([b"\xff", None], pa.large_binary()), "column 'x' holds large_binary"),
    "fixed binary": (pa.array([b"\xff", b"a"], pa.binary(1)), "column 'x' holds fixed_size_binary"),
    "binary dictionary": (
        pa.array([b"\xff", b"a"]).dictionary_encode(), "column 'x' holds dictionary<values=binary",
    ),
    "nested binary": (pa.array([[b"\xff"], [b"a"]]), "a nested column holds binary values"),
    "interval": (
        pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()), "column 'x' holds month_day_nano",
    ),
}  # fmt: skip


def write(table, path):
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_types_of_columns(tmp_path, kind, suffix):
    column, expected = COLUMNS[kind]
    path = tmp_path / f"a{suffix}"
    try:
        write(pa.table({"label": [0, 1], "x": column}), path)
    except pa.ArrowNotImplementedError:
        pytest.skip(f"{suffix} does not hold {kind}")
    if isinstance(expected, list):
        assert [row for batch in thresher.read(path) for row in batch.features()] == expected
        return
    with pytest.raises(InvalidInput, match=r"convert the column, or leave it out") as raised:
        list(thresher.read(path))
    assert str(raised.value).startswith(f"{path}: {expected}")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_damaged_files(tmp_path, suffix):
    """Bytes changed anywhere: examples or an error that names the file, never the end of all."""
    rng = random.Random(1)
    table = pa.table({
        "label": [i % 2 for i in range(900)],
        "x": [rng.random() for _ in range(900)],
        "text": ["abc"[: rng.randrange(4)] * rng.randrange(9) for _ in range(900)],
    })  # fmt: skip
    path = write(table, tmp_path / f"a{suffix}")
    whole, refused = path.read_bytes(), 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 1, 5])):
            damaged[rng.randrange(8, len(damaged) - 8)] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            for batch in thresher.read(path, on_bad_line="skip"):
                batch.features()
        except InvalidInput as error:
            assert str(error).startswith(f"{path}")
            refused += 1
    assert refused > 20
