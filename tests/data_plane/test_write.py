"""What is written reads back the same, in every format; what cannot be held is refused."""

import bz2
import errno
import gzip
import itertools
import json
import lzma
import math
import os
import re
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thresher.data.columns import TableColumns, collect_columns
from thresher.data.example import Example
from thresher.data.kinds import KINDS
from thresher.data.reader import Reader, label_of
from thresher.data.reading import ReadingOptions
from thresher.data.write import WRITERS, format_of, number_text, open_writer
from thresher.errors import InvalidInput

BINARY = ("parquet", "arrow")
TABLES = [name for name, kind in WRITERS.items() if kind.needs_columns]


def write(path, examples, format=None, **options):
    if WRITERS[format or format_of(path)].needs_columns and "columns" not in options:
        names = [options.get("label", "label"), options.get("weight", "weight")]
        options["columns"] = collect_columns(examples, *names)
    with open_writer(path, format, **options) as out:
        for each in examples:
            out.write(each)
    return out


def read(path, format="auto", label="label", weight=None):
    how = ReadingOptions(format, True, label, weight, need_labels=False)
    with Reader([path], how, threads=1) as reader:
        return [each for batch in reader for each in batch.examples()]


def read_table(path, weight):
    """Parquet or Arrow as pyarrow gives it: numbers are values, texts are part of the name."""
    import pyarrow.feather
    import pyarrow.parquet

    with open(path, "rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    load = pyarrow.parquet.read_table if is_parquet else pyarrow.feather.read_table
    examples = []
    for row in load(path).to_pylist():
        label = row.pop("label")
        importance = row.pop(weight) if weight else 1.0
        features = {
            f"{name}={cell}" if isinstance(cell, str) else name: 1.0
            if isinstance(cell, str)
            else cell
            for name, cell in row.items()
            if cell is not None
        }
        examples.append(Example(label, importance, "", features))
    return examples


def meaning(each, tags=False):
    """An example as readers understand it: labels are numbers where they are, zeros are absent."""
    label = each.label
    if isinstance(label, str):
        label = label_of(label.encode("utf-8", "surrogateescape")) if label else None
    features = {name: value for name, value in each.features.items() if value != 0}
    return label, each.weight, each.tag if tags else "", features


# -- what examples may hold, from the tame to the wild

values = st.one_of(
    st.just(1.0),
    st.integers(-(10**18), 10**18).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
)
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
# Beginnings that have a meaning in some format, and texts that look like something else.
# fmt: off
tricky = st.sampled_from([
    "color=red", "color=blue", "color", "zip=12345", "zip=1e999", "a=NA", "a=", "=", "=x", "ns^b",
    "ns^", "^b", "^", "ns^color=red", "a.b", "a.0", "12", "007", "a=b=c", 'say="hi"', "a,b",
    "a=nan(1)", "a=+Infinity", "a= padded ", "a=two\nlines", "a=1_000", "a=\ufeffx", "a=\u0663",
])
# fmt: on
names = st.one_of(tricky, words, st.tuples(st.sampled_from(["color", "ns"]), words).map("=".join))
weights = st.one_of(st.just(1.0), st.floats(0, 1e300))
any_label = st.one_of(st.none(), st.sampled_from(["1", "-1", "spam", "0.5"]), words)
any_example = st.builds(
    Example, any_label, weights, words, st.dictionaries(names, values, max_size=8)
)


def refused_or_kept(tmp_path_factory, each, format, **options):
    """Written with others around it: refused with a reason, or read back the same."""
    around = [Example("a", features={"1": 1.0}), Example("b", features={"2": 1.0})]
    path = tmp_path_factory.mktemp("written") / "file"
    examples = [around[0], each, around[1]]
    weighted = any(e.weight != 1 for e in examples)
    try:
        write(path, examples, format, **options)
    except InvalidInput as error:
        assert re.search("cannot hold|hold|found|called", str(error))
        assert not path.exists()
        return False
    weight = "weight" if weighted and format != "vw" else None
    back = read_table(path, weight) if format in BINARY else read(path, format, weight=weight)
    tags = format == "vw"
    assert [meaning(e, tags) for e in back] == [meaning(e, tags) for e in examples]
    return True


@pytest.mark.parametrize("format", WRITERS)
@given(any_example)
def test_anything_is_refused_or_reads_back_the_same(tmp_path_factory, format, each):
    refused_or_kept(tmp_path_factory, each, format)


# -- what each format must hold

tame_word = st.text("abcxyzäß_-.", min_size=1, max_size=6)
tame_name = st.one_of(
    tame_word,
    st.integers(0, 2**63 - 1).map(str),
    st.tuples(st.sampled_from(["color", "size"]), tame_word).map("=".join),
    st.tuples(st.sampled_from(["user", "ad"]), tame_word).map("^".join),
)
tame_label = st.sampled_from(["1", "-1", "spam", "ham", "2.5", 1, 0, 0.5])
BY_FORMAT = {
    "svmlight": ({"name": st.integers(0, 2**63 - 1).map(str)}, {"weight": st.just(1.0)}),
    "bag": ({"value": st.integers(1, 5).map(float)}, {"weight": st.just(1.0)}),
}


def tame_examples(format):
    cells, parts = BY_FORMAT.get(format, ({}, {}))
    features = st.dictionaries(
        cells.get("name", tame_name), cells.get("value", values), min_size=1, max_size=8
    )
    weight = parts.get("weight", weights)
    return st.lists(st.builds(Example, tame_label, weight, st.just(""), features), max_size=6)


@pytest.mark.parametrize("format", WRITERS)
@given(st.data())
def test_tame_examples_read_back_the_same(tmp_path_factory, format, data):
    examples = data.draw(tame_examples(format))
    path = tmp_path_factory.mktemp("written") / "file"
    write(path, examples, format)
    weighted = format not in ("svmlight", "vw") and any(e.weight != 1 for e in examples)
    weight = "weight" if weighted else None
    back = read_table(path, weight) if format in BINARY else read(path, format, weight=weight)
    assert list(map(meaning, back)) == list(map(meaning, examples))


@pytest.mark.parametrize("format", WRITERS)
def test_what_files_look_like(tmp_path, format):
    features = {"1": 1.0, "3": 1.0}
    if format not in ("svmlight", "bag"):
        features |= {"user^age": 30.5, "color=red": 1.0}
    examples = [Example("spam", features=features), Example(-1, features={"2": 1.0})]
    if format not in ("svmlight", "bag"):
        examples.append(Example("ham", 0.25, "t1", {"color=red": 1.0, "size=XL": 1.0, "9": -2.0}))
    path = tmp_path / "file"
    write(path, examples, format)
    if format in BINARY:
        import pyarrow.feather
        import pyarrow.parquet

        load = pyarrow.parquet.read_table if format == "parquet" else pyarrow.feather.read_table
        table = load(path)
        assert table.column_names == [
            "label",
            "weight",
            "1",
            "3",
            "user^age",
            "color",
            "2",
            "size",
            "9",
        ]
        assert table["color"].to_pylist() == ["red", None, "red"]
        assert table["label"].to_pylist() == ["spam", "-1", "ham"]
        assert table["9"].to_pylist() == [None, None, -2.0]
        return
    csv = (
        "label,weight,1,3,user^age,color,2,size,9\nspam,1,1,1,30.5,red,,,\n-1,1,,,,,1,,\n"
        "ham,0.25,,,,red,,XL,-2\n"
    )
    expected = {
        "svmlight": "spam 1:1 3:1\n-1 2:1\n",
        "bag": "spam\t1 3\n-1\t2\n",
        "vw": (
            "spam | 1 3 color=red |user age:30.5\n-1 | 2\nham 0.25 't1| color=red size=XL 9:-2\n"
        ),
        "csv": csv,
        "tsv": csv.replace(",", "\t"),
        "jsonl": (
            '{"label": "spam", "1": 1, "3": 1, "user^age": 30.5, "color": "red"}\n'
            '{"label": -1, "2": 1}\n'
            '{"label": "ham", "weight": 0.25, "9": -2, "color": "red", "size": "XL"}\n'
        ),
    }
    assert path.read_text() == expected[format]


def test_vowpal_wabbit_reads_it(tmp_path):
    """What we write for it has as many examples and features there as here."""
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    examples = [
        *KINDS["text"].stream(1, length=10).take(50),
        *KINDS["linear"].stream(1).take(50),
        Example("1", 2.0, "tag", {"a": 1.0, "user^age": 30.0, "user^color=red": 1.0, "^": 2.0}),
        Example(None, features={"a": 1.0}),
        Example("-1"),
    ]
    for each in examples:
        each.label = {"spam": "1", "ham": "-1"}.get(each.label, each.label)
    write(tmp_path / "a.vw", examples)
    workspace = vowpalwabbit.Workspace(quiet=True, noconstant=True)
    lines = (tmp_path / "a.vw").read_text().splitlines()
    for each, line in zip(examples, lines, strict=True):
        parsed = workspace.parse(line)
        absent = sum(value == 0 for value in each.features.values())
        assert parsed.get_feature_number() == len(each.features) - absent, line
        assert parsed.get_tag() == each.tag
        if each.label:
            assert parsed.get_simplelabel_label() == float(each.label)
            assert parsed.get_simplelabel_weight() == each.weight
        workspace.finish_example(parsed)
    workspace.finish()


def test_several_of_a_group(tmp_path):
    """An array in JSON Lines, columns of their own in tables."""
    examples = [Example("a", features={"color=red": 1.0, "color=blue": 1.0}), Example("b")]
    write(tmp_path / "a.jsonl", examples)
    first = (tmp_path / "a.jsonl").read_text().splitlines()[0]
    assert json.loads(first) == {"label": "a", "color": ["red", "blue"]}
    write(tmp_path / "a.csv", examples)
    assert (tmp_path / "a.csv").read_text() == "label,color=red,color=blue\na,1,1\nb,,\n"


def test_svmlight_ids_ascend(tmp_path):
    """Other programs demand it."""
    write(tmp_path / "a.svm", [Example("1", features={"10": 1.0, "9": 2.0})])
    assert (tmp_path / "a.svm").read_text() == "1 9:2 10:1\n"


def test_vocabulary_numbers_names_in_order(tmp_path):
    examples = [
        Example("1", features={"winner": 1.0, "7": 1.0}),
        Example("-1", features={"hello": 2.0, "winner": 0.5}),
    ]
    write(tmp_path / "a.svm", examples, vocabulary=tmp_path / "names")
    assert (tmp_path / "a.svm").read_text() == "1 1:1 2:1\n-1 1:0.5 3:2\n"
    assert (tmp_path / "names").read_text() == "winner\n7\nhello\n"


@pytest.mark.parametrize("format", ["vw", "bag"])
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0^"), min_size=1), unique=True
    )
)
def test_escaped_names_can_be_undone(tmp_path_factory, format, names):
    path = tmp_path_factory.mktemp("written") / "file"
    write(path, [Example("a", features=dict.fromkeys(names, 1.0))], format, escape=True)
    assert [unquote(name) for name in read(path, format)[0].features] == names


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e16)
@example(-0.0)
def test_numbers_are_short_and_exact(value):
    text = number_text(value)
    assert float(text) == value
    assert len(text) <= len(repr(value))
    assert not text.endswith(".0")


# -- what is refused


@pytest.mark.parametrize(
    ("format", "each", "says"),
    [
        ("svmlight", Example("1", features={"a": 1.0}), "'a'; svmlight holds whole numbers"),
        ("svmlight", Example("1", features={"007": 1.0}), "'007'; svmlight holds whole numbers"),
        ("svmlight", Example("1", features={str(2**63): 1.0}), "svmlight holds whole numbers"),
        ("svmlight", Example("a b"), "' ' in the label 'a b'; svmlight cannot hold it"),
        ("svmlight", Example("\ufeff1"), "take its first character for a byte order mark"),
        ("bag", Example("\ufeff1"), "take its first character for a byte order mark"),
        ("svmlight", Example("1", 2.0), "weight 2.0; svmlight holds no weights: use vw"),
        ("svmlight", Example(None), "neither label nor features"),
        ("vw", Example("1", features={"a b": 1.0}), "' ' in the feature 'a b'; vw cannot hold it"),
        ("vw", Example("1", features={"a|": 1.0}), r"'|' in the feature 'a|'; vw cannot hold it"),
        ("vw", Example("1", features={"a:b": 1.0}), "':' in the feature 'a:b'; vw cannot hold it"),
        ("vw", Example("1", features={"a\tb": 1.0}), r"in the feature 'a\tb'; vw cannot hold it"),
        ("vw", Example("1", features={"n s^a": 1.0}), "' ' in the namespace 'n s'; vw cannot"),
        ("vw", Example("1", features={"": 1.0}), "an empty feature; vw cannot hold it"),
        ("vw", Example("1,2"), "the label '1,2'; vw cannot hold ',' there"),
        ("vw", Example("'1"), "vw cannot hold"),
        ("vw", Example(None, 2.0), "weight 2.0 without a label"),
        ("bag", Example("1", features={"a b": 1.0}), "' ' in the feature 'a b'; bag cannot"),
        ("bag", Example("1", features={"a": 0.5}), "a=0.5; bag holds the value 1, or how often"),
        ("bag", Example("1", 2.0), "bag holds no weights"),
        ("bag", Example("a\tb"), "in the label 'a\\\\tb'; bag cannot hold it"),
        ("bag", Example("1", features={"a\0": 1.0}), "NUL character; bag cannot hold it"),
        ("bag", Example("1", features={"\udcff": 1.0}), "a byte that is no UTF-8; bag cannot"),
        ("csv", Example("NA"), "the label 'NA'; csv cannot hold"),
        ("csv", Example(" a"), "the label ' a'; csv cannot hold"),
        ("csv", Example("1", features={"label": 1.0}), "a feature is called 'label'"),
        ("csv", Example("1", features={"x" * 2**20 + "\n": 1.0}), "more than 1 MiB"),
        ("tsv", Example("1", features={"\udcff": 1.0}), "a byte that is no UTF-8; tsv cannot"),
        ("jsonl", Example("1", features={"label": 1.0}), "a feature is called 'label'"),
        ("jsonl", Example("1", features={"\udcff": 1.0}), "a byte that is no UTF-8; jsonl cannot"),
        ("parquet", Example("1", features={"\udcff": 1.0}), "a byte that is no UTF-8"),
        ("arrow", Example("1", features={"label": 1.0}), "a feature is called 'label'"),
        *[
            (format, Example("1", features={"1": value}), "expected a finite number")
            for format in WRITERS
            for value in (math.nan, math.inf)
        ],
        *[
            (format, Example("1", weight), "expected a finite number, 0 or larger")
            for format in WRITERS
            for weight in (math.nan, -1.0)
        ],
    ],
)  # fmt: skip
def test_what_a_format_cannot_hold(tmp_path, format, each, says):
    path = tmp_path / "file"
    with pytest.raises(InvalidInput) as caught:
        write(path, [each], format)
    assert says.replace("\\\\", "\\") in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_the_refused_example_is_named(tmp_path):
    path = tmp_path / "file.vw"
    with pytest.raises(InvalidInput, match=r"file\.vw: example 3: found ' ' in"):
        write(path, [Example("1"), Example("1"), Example("1", features={"a b": 1.0})])


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("file", {}, "does not tell a format; expected one of .svm"),
        ("file.txt", {}, "does not tell a format"),
        ("file.csv", {"columns": None}, "csv needs the names of all columns before the first row"),
        ("file.vw", {"columns": ["a"]}, "columns is for csv, tsv, parquet, arrow; found the"),
        ("file.vw", {"vocabulary": "v"}, "vocabulary is for svmlight; found the format vw"),
        ("file.svm", {"escape": True}, "escape is for vw, bag; found the format svmlight"),
        ("file.csv", {"columns": ["a", "a="]}, "the column 'a' twice"),
        ("file.csv", {"columns": [" a"]}, "csv cannot hold an empty name or blanks around it"),
        ("file.jsonl", {"label": "y", "weight": "y"}, "'y' as the name of both label and weight"),
        ("file.parquet.gz", {"columns": ["a"]}, "parquet is compressed inside"),
    ],
)  # fmt: skip
def test_wrong_use(tmp_path, name, options, says):
    with (
        pytest.raises(InvalidInput, match=re.escape(says)),
        open_writer(tmp_path / name, **options),
    ):
        pass
    assert os.listdir(tmp_path) == []


def test_vocabulary_in_the_file_itself(tmp_path):
    path = tmp_path / "a.svm"
    with (
        pytest.raises(InvalidInput, match="the vocabulary needs a file of its own"),
        open_writer(path, vocabulary=path),
    ):
        pass


def test_unknown_format(tmp_path):
    with pytest.raises(InvalidInput, match="'xml'; expected one of svmlight, vw"):
        open_writer(tmp_path / "a", "xml").__enter__()


# -- given columns


def test_given_columns(tmp_path):
    path = tmp_path / "a.csv"
    examples = [Example("1", 2.0, features={"age": 3.0, "color=red": 1.0})]
    write(path, examples, columns=["color=", "age", "size", "weight"])
    assert path.read_text() == "label,weight,color,age,size\n1,2,red,3,\n"


@pytest.mark.parametrize(
    ("each", "says"),
    [
        (Example("1", features={"b": 1.0}), "'b' without a column for it; add b to the columns"),
        (Example("1", features={"b=c": 1.0}), "add b= (a column of text) or b=c to the columns"),
        (Example("1", features={"color": 1.0}), "'color' without a column for it"),
        (Example("1", features={"color=1": 1.0}), "'color=1' without a column for it"),
        (Example("1", 2.0), "the weight 2.0 without a column for it; add weight to the columns"),
        (
            Example("1", features={"color=a": 1.0, "color=b": 1.0}),
            "color=a and color=b in one example",
        ),
    ],
)
@pytest.mark.parametrize("format", TABLES)
def test_given_columns_that_do_not_fit(tmp_path, format, each, says):
    with pytest.raises(InvalidInput, match=re.escape(says)):
        write(tmp_path / "a", [each], format, columns=TableColumns.given(["a", "color="]))


# -- files


def test_compression(tmp_path):
    examples = [Example("1", features={"1": float(i)}) for i in range(1000)]
    write(tmp_path / "a.svm", examples)
    text = (tmp_path / "a.svm").read_bytes()
    for suffix, opened in ((".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)):
        path = tmp_path / f"a.svm{suffix}"
        write(path, examples)
        with opened(path) as file:
            assert file.read() == text
        assert len(path.read_bytes()) < len(text) / 2
    write(tmp_path / "a.svm.zst", examples)
    assert (tmp_path / "a.svm.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert list(map(meaning, read(tmp_path / "a.svm.zst"))) == list(map(meaning, examples))


def test_the_same_bytes_each_time(tmp_path):
    for name in ("a.svm.gz", "b.svm.gz"):
        write(tmp_path / name, [Example("1")])
    assert (tmp_path / "a.svm.gz").read_bytes() == (tmp_path / "b.svm.gz").read_bytes()


@contextmanager
def without_package(monkeypatch, *names):
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)
    for module in [m for m in sys.modules if m == "thresher.data.write_arrow"]:
        monkeypatch.delitem(sys.modules, module)
    yield


def test_missing_zstd(tmp_path, monkeypatch):
    missing = without_package(monkeypatch, "zstandard", "compression.zstd", "compression")
    with missing, pytest.raises(ImportError, match=r"pip install 'thresher\[zstd\]'"):
        write(tmp_path / "a.svm.zst", [Example("1")])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("format", BINARY)
def test_missing_pyarrow(tmp_path, monkeypatch, format):
    missing = without_package(monkeypatch, "pyarrow")
    with missing, pytest.raises(ImportError, match=r"pip install 'thresher\[arrow\]'"):
        write(tmp_path / "a", [Example("1")], format)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("name", ["a.svm", "a.svm.gz", "a.svm.zst", "a.parquet"])
def test_nothing_is_left_after_an_error(tmp_path, name, error):
    options = {"columns": ["1"]} if name == "a.parquet" else {}
    with pytest.raises(error), open_writer(tmp_path / name, **options) as out:
        for _ in range(100_000):
            out.write(Example("1", features={"1": 1.0}))
        raise error
    assert os.listdir(tmp_path) == []


def test_what_was_there_stays_after_an_error(tmp_path):
    (tmp_path / "a.svm").write_text("before")
    with pytest.raises(InvalidInput):
        write(tmp_path / "a.svm", [Example("1", features={"a": 1.0})])
    assert (tmp_path / "a.svm").read_text() == "before"
    assert os.listdir(tmp_path) == ["a.svm"]


def test_permissions_and_links_stay(tmp_path):
    (tmp_path / "real.svm").write_text("before")
    (tmp_path / "real.svm").chmod(0o640)
    (tmp_path / "link.svm").symlink_to("real.svm")
    write(tmp_path / "link.svm", [Example("1")])
    assert (tmp_path / "link.svm").is_symlink()
    assert (tmp_path / "real.svm").read_text() == "1\n"
    assert stat.S_IMODE((tmp_path / "real.svm").stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write(tmp_path / "a.svm", [Example("1")])
    assert (tmp_path / "a.svm").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("name", ["a.svm", "a.svm.gz", "a.svm.bz2", "a.svm.xz", "a.svm.zst"])
def test_full_disk(tmp_path, name):
    """A limit on the size of files stands for the end of the disk."""
    code = f"""
import resource, sys, random
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from thresher.data.example import Example
from thresher.data.write import open_writer
try:
    with open_writer({str(tmp_path / name)!r}) as out:
        for i in range(200_000):
            out.write(Example("1", features={{"1": random.random()}}))
except OSError as error:
    print(error.errno, error.filename, error.strerror)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        run.stdout == f"{errno.EFBIG} {tmp_path / name} File too large; the file was not written\n"
    )
    assert run.stderr == ""
    assert os.listdir(tmp_path) == []


def test_dev_full():
    with pytest.raises(OSError, match=r"No space left on device.*'/dev/full'"):
        write("/dev/full", [Example("1")], "svmlight")


def test_a_named_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_text()))
    reader.start()
    write(path, [Example("1")], "svmlight")
    reader.join()
    assert got == ["1\n"]
    assert path.is_fifo()


def test_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "none" / "a.svm", [])
    assert caught.value.filename == str(tmp_path / "none" / "a.svm")


def test_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError, match="expected a file to write"):
        write(tmp_path, [], "svmlight")


def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    user = os.geteuid()
    if user == 0:  # who may write everywhere
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError) as caught:
            write(tmp_path / "a.svm", [])
    finally:
        os.seteuid(user)
        tmp_path.chmod(0o700)
    assert caught.value.filename == str(tmp_path / "a.svm")


# -- blocks


@pytest.mark.parametrize(
    ("kind", "format"),
    [pair for pair in itertools.product(KINDS, WRITERS) if pair != ("linear", "bag")],
)
def test_blocks_make_the_same_file(tmp_path, kind, format):
    stream = KINDS[kind].stream(1)
    options = {}
    if WRITERS[format].needs_columns:
        options["columns"] = TableColumns(tuple(stream.names))
    if format == "svmlight" and kind == "text":
        options["vocabulary"] = tmp_path / "names"
    examples = 2100 if format not in TABLES else 30
    with open_writer(tmp_path / "blocks", format, **options) as out:
        for block in stream.blocks(examples):
            out.write_block(block)
    assert out.examples == examples
    write(tmp_path / "singly", stream.take(examples), format, **options)
    assert (tmp_path / "blocks").read_bytes() == (tmp_path / "singly").read_bytes()


def test_memory_is_flat(tmp_path):
    """A file of 60 MB is made in a process that may have little more than it starts with."""
    code = f"""
import resource
from thresher.data.kinds import KINDS
from thresher.data.write import open_writer
stream = KINDS["disjunction"].stream(active=70)
def write(n):
    with open_writer({str(tmp_path / "a.svm")!r}) as out:
        for block in stream.blocks(n):
            out.write_block(block)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(write(4096), write(100_000))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    few, many = map(int, run.stdout.split())
    assert many - few < 8000  # KB
