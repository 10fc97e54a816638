"""Bags of names: what each line means, and that the native parser agrees with the plain one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsing import differential, native, plain_bag
from parsing.plain import Bad, Row

PIECES = b"spam ham a b 12 7 long-name-of-a-feature \xff \xe2\x82 \0".split()
PIECES += [b" "] * 4 + [b"\t"] * 3 + [b"\n"] * 3 + [b"  ", b"\r\n", b"\r", b"\f", "é€😀".encode()]
PIECES += [b"fifteen-letters ", b"sixteen-letters- ", b"spam\t" + b"w a b c d e f g " * 6 + b"h\n"]
PIECES += [b"a,b\t", b"a, b\t", b"a,a\t", b",", b"\n\ta b\n"]
PIECES += [b"spam\ta b\n", b"1\t", b"-0.5\t", b"1e999\t"]


@pytest.mark.parametrize(
    ("line", "label", "features"),
    [
        (b"spam\tcheap pills", b"spam", {b"cheap": 1, b"pills": 1}),
        (b"not spam\ta", b"not spam", {b"a": 1}),
        (b" spam \ta", b" spam ", {b"a": 1}),
        (b"y\ta a b a", b"y", {b"a": 3, b"b": 1}),
        (b"y\t  a   b  ", b"y", {b"a": 1, b"b": 1}),
        (b"y\t", b"y", {}),
        (b"y\ta:2 |b", b"y", {b"a:2": 1, b"|b": 1}),
        (b"y\t12 7 012\r\n", b"y", {b"12": 1, b"7": 1, b"012": 1}),
        ("ö\té".encode(), "ö".encode(), {"é".encode(): 1}),
    ],
)
def test_what_a_line_means(line, label, features):
    assert native.parse(line, format="bag") == [Row(label, features=features)]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"spam cheap pills", 16, "found no tab; expected LABEL<TAB>name name …"),
        (b"\tcheap", 0, "found no label before the tab; expected LABEL<TAB>name name …"),
        (b"y\ta\tb", 3, "found a second tab"),
        (b"y\ta\xffb", 3, "found bytes that are no UTF-8 (0xff)"),
        (b"y\ta\0b", 3, "found a NUL byte"),
    ],
)
def test_bad_lines(line, column, problem):
    (bad,) = native.dump(line, format="bag")
    assert (bad["bad"], bad["column"]) == (0, column)
    assert problem in bad["problem"]


def test_a_bad_line_leaves_nothing_and_blank_lines_are_skipped():
    rows = native.parse(b"y\ta\n\nn\tb\tc\n \nn\tb\n", format="bag")
    assert rows == [
        Row(b"y", features={b"a": 1}, line=0),
        Bad(2, 3),
        Row(b"n", features={b"b": 1}, line=4),
    ]


def test_without_labels_a_line_may_be_names_alone():
    rows = native.parse(b"a b\n\tc\ny\td\n", format="bag", need_labels=False)
    assert rows == [
        Row(None, features={b"a": 1, b"b": 1}, line=0),
        Row(None, features={b"c": 1}, line=1),
        Row(b"y", features={b"d": 1}, line=2),
    ]


def test_neighbours_make_ngrams():
    (row,) = native.parse(b"y\ta b c", format="bag", ngrams=3)
    assert list(row.features) == [b"a", b"b", b"c", b"a b", b"a b c", b"b c"]


def test_characters_of_words_between_blanks():
    (row,) = native.parse("y\tÄb a".encode(), format="bag", char_ngrams="2-3")
    expected = ["Äb", "~ Ä", "~ Äb", "~Äb", "~Äb ", "~b ", "a", "~ a", "~ a ", "~a "]
    assert list(row.features) == [name.encode() for name in expected]
    (row,) = native.parse("y\t日本".encode(), format="bag", char_ngrams="1-1")
    assert list(row.features) == [name.encode() for name in ("日本", "~日", "~本")]


def test_what_the_count_of_a_word_is_worth():
    for weighting, worth in (("count", 3.0), ("binary", 1.0), ("log", 1.0 + math.log(3))):
        (row,) = native.parse(b"y\ta b a a", format="bag", weighting=weighting)
        assert row.features == {b"a": worth, b"b": 1.0}


@given(
    text=differential.texts(PIECES),
    chunk=st.integers(1, 60),
    need_labels=st.booleans(),
    **differential.WORDS,
    **differential.LABELS,
)
def test_native_equals_plain(text, chunk, kind, **options):
    differential.check(plain_bag, "bag", text, chunk, **kind, **options)


def test_long_lines_of_many_names():
    text = differential.long_text("n{}".format, "y\t", "\t")
    differential.check(plain_bag, "bag", text, 100_000)
    differential.check(plain_bag, "bag", text, ngrams=2)


@pytest.mark.parametrize("file", differential.corpus("bag"), ids=lambda file: file.name)
def test_kept_texts(file):
    for need_labels in (True, False):
        differential.check(plain_bag, "bag", file.read_bytes(), 7, need_labels=need_labels)
