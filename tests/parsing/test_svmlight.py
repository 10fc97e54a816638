"""svmlight text: what each line means, and that the native parser agrees with the plain one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from parsing import differential, native, plain_svmlight
from parsing.plain import Bad, Row

PIECES = (
    b"1 -1 +1 spam 1,2 3,1,3 ,4 0 007 3 12 1234567 4194305 123456789 9223372036854775807".split()
)
PIECES += b"9223372036854775808 99999999999999999999 qid: qid:3 qid:-3 # 1e308 \xff \0".split()
PIECES += b": : :1 :1 :0.5 :-2 :1e-3 :0 :-0 :1e999 :1e-999 :nan :inf :0x1p3 :1. :.5 :+1".split()
PIECES += b":12345678.12345678 :123456789 :1e308".split()
PIECES += [b" "] * 9 + [b"\n"] * 4 + [b"\t", b"\r\n", b"\r", b"\v"]
PIECES += [b"1 3:1 5:0.25 1000:2\n", b" # no:thing"]


@pytest.mark.parametrize(
    ("line", "label", "features"),
    [
        (b"1 3:1 5:0.25", b"1", {b"3": 1, b"5": 0.25}),
        (b"spam 3:1", b"spam", {b"3": 1}),
        (b"-1", b"-1", {}),
        (b"1 3:1#no feature 4:1", b"1", {b"3": 1}),
        (b"  1\t3:1  5:2 \r\n", b"1", {b"3": 1, b"5": 2}),
        (b"1 qid:7 3:1", b"1", {b"3": 1}),
        (b"1 5:1 3:2 5:4", b"1", {b"5": 5, b"3": 2}),
        (b"1 0:1 007:1 9223372036854775807:1", b"1", {b"0": 1, b"7": 1, b"%d" % (2**63 - 1): 1}),
        (b"1 3:0 4:-0 5:1e-999 6:1", b"1", {b"6": 1}),
        (
            b"1 3:1e-3 4:-2.5E+2 5:+4 6:.5 7:5.",
            b"1",
            dict(zip([b"3", b"4", b"5", b"6", b"7"], [1e-3, -250.0, 4.0, 0.5, 5.0], strict=True)),
        ),
        (b"1 3:0.1234567890123456789", b"1", {b"3": 0.1234567890123456789}),
    ],
)
def test_what_a_line_means(line, label, features):
    assert native.parse(line, format="svmlight") == [Row(label, features=features)]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"3:1 4:1", 0, "found '3:1'; expected a label before the features"),
        (b"1,2 3:1", 1, "found several labels '1,2'"),
        (b"1 a:1", 2, "found 'a:1'; expected id:value"),
        (b"1 3", 2, "found '3'; expected id:value"),
        (b"1 -3:1", 2, "expected id:value with a whole number from 0 to 2^63 − 1 as id"),
        (b"1 9223372036854775808:1", 2, "as id"),
        (b"1 3:", 4, "found '' as a value; expected a finite number"),
        (b"1 3:nan", 4, "found 'nan' as a value"),
        (b"1 3:1e999", 4, "found '1e999' as a value"),
        (b"1 3:0x10", 4, "found '0x10' as a value"),
        (b"1 3:1:2", 4, "found '1:2' as a value"),
        (b"1 qid:x", 2, "found 'qid:x'"),
        (b"1 3:1e308 3:1e308", 17, "found values of feature '3' that are too large together"),
    ],
)
def test_bad_lines(line, column, problem):
    (bad,) = native.dump(line, format="svmlight")
    assert (bad["bad"], bad["column"]) == (0, column)
    assert problem in bad["problem"]


def test_a_bad_line_leaves_nothing_behind():
    # Feature 8 of the bad line has been counted when the check of the whole row fails.
    text = b"1 7:1 7:1 8:0.5\n1 8:0.5 7:0.5 8:0.25\n"
    rows = native.parse(text, format="svmlight", unit=True)
    assert rows == [Bad(0, 15), Row(b"1", features={b"8": 0.75, b"7": 0.5}, line=1)]


def test_queries_and_targets():
    rows = native.dump(b"1 3:1\n2 qid:4 3:1\n", format="svmlight", targets=True)
    assert [row["query"] for row in rows] == [0, 4]
    assert [float.fromhex(row["label"]) for row in rows] == [1, 2]
    assert native.parse(b"spam 3:1", format="svmlight", targets=True) == [Bad(0, 0)]


@given(value=differential.numbers())
def test_values_are_read_exactly(value):
    differential.check(plain_svmlight, "svmlight", b"1 7:" + value)
    differential.check(plain_svmlight, "svmlight", b"1 7:" + value + b" 8:1\n")


@given(
    text=differential.texts(PIECES),
    chunk=st.integers(1, 60),
    need_labels=st.booleans(),
    **differential.LABELS,
)
def test_native_equals_plain(text, chunk, kind, **options):
    differential.check(plain_svmlight, "svmlight", text, chunk, **kind, **options)


def test_long_lines_of_many_ids():
    text = differential.long_text("{}:0.5".format, "1 ", " 1:x")
    differential.check(plain_svmlight, "svmlight", text, 100_000)


@pytest.mark.parametrize("file", differential.corpus("svmlight"), ids=lambda file: file.name)
def test_kept_texts(file):
    for need_labels in (True, False):
        differential.check(
            plain_svmlight, "svmlight", file.read_bytes(), 7, need_labels=need_labels
        )


def test_the_same_numbers_as_scikit_learn(tmp_path):
    random = np.random.default_rng(0)
    lines = []
    for _ in range(200):
        ids = np.sort(random.choice(500, random.integers(0, 30), replace=False)) + 1
        pairs = [f"{i}:{random.normal() * 10.0 ** random.integers(-20, 20)!r}" for i in ids]
        lines.append(f"{random.integers(-1, 2)} {' '.join(pairs)}\n")
    file = tmp_path / "data.svm"
    file.write_text("".join(lines).replace("np.float64(", "").replace(")", ""))
    X, y = load_svmlight_file(str(file), n_features=501, zero_based=True)
    rows = differential.good(native.parse(file.read_bytes(), format="svmlight"))
    assert [float(row.label) for row in rows] == y.tolist()
    for i, row in enumerate(rows):
        values = X[i]
        names = [b"%d" % j for j in values.indices]
        assert row.features == dict(zip(names, values.data.tolist(), strict=True))
