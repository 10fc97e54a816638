"""Sets of labels: what each format holds, and which are bad and where."""

import pytest

from parsing import native
from parsing.plain import Bad, Row

FORMATS = {
    "svmlight": {},
    "vw": {},
    "bag": {},
    "csv": {"columns": ["y", "a"], "label": "y"},
    "jsonl": {"label": "y"},
}


def parse(format, text, **options):
    return native.parse(text.encode(), format=format, sets=True, **FORMATS[format], **options)


def label(format, text, **options):
    (row,) = parse(format, text, **options)
    assert isinstance(row, Row), row
    return row.label


@pytest.mark.parametrize(
    ("format", "text", "expected"),
    [
        ("svmlight", "1,3 5:1", b"1,3"),
        ("svmlight", "+1 5:1", b"+1"),
        ("svmlight", "5:1", b""),
        ("svmlight", "  5:1 # none", b""),
        ("vw", "1,3 | a", b"1,3"),
        ("vw", "b,a 2 't| x", b"b,a"),
        ("bag", "A,B\tx y", b"A,B"),
        ("bag", "A, B\tx y", b"A, B"),
        ("bag", "\tx y", b""),
        ("bag", "  \tx y", b"  "),
        ("csv", '"a,b",1', b"a,b"),
        ("csv", "a,1", b"a"),
        ("csv", ",1", b""),
        ("csv", '"",1', b""),
        ("jsonl", '{"y": ["a", "b"], "x": 1}', b"a,b"),
        ("jsonl", '{"y": [1, 2.5, true]}', b"1,2.5,true"),
        ("jsonl", '{"y": "a"}', b"a"),
        ("jsonl", '{"y": "a, b"}', b"a, b"),
        ("jsonl", '{"y": []}', b""),
    ],
)
def test_sets(format, text, expected):
    assert label(format, text) == expected
    assert label(format, text, need_labels=False) == expected


@pytest.mark.parametrize(
    ("format", "text"),
    [("vw", "| x"), ("bag", "x y"), ("csv", "NA,1"), ("csv", "null,1"), ("jsonl", '{"x": 1}'),
     ("jsonl", '{"y": null}'), ("jsonl", '{"y": ""}')],
)  # fmt: skip
def test_a_missing_label_is_not_the_empty_set(format, text):
    assert label(format, text, need_labels=False) is None
    if format != "vw":  # there such a line is one to predict
        assert isinstance(parse(format, text)[0], Bad)


@pytest.mark.parametrize(
    ("format", "text", "column", "problem"),
    [
        ("svmlight", "1,,3 5:1", 2, "found an empty label in the set '1,,3'"),
        ("svmlight", ", 5:1", 0, "found an empty label"),
        ("svmlight", "1,3, 5:1", 4, "found an empty label"),
        ("svmlight", "1,3,1 5:1", 4, "found '1' twice in the set '1,3,1'; expected each label"),
        ("vw", "a,b,a | x", 4, "found 'a' twice"),
        ("vw", "a,b:2 | x", 0, "labels with costs"),
        ("bag", "a, a\tx", 3, "found 'a' twice"),
        ("bag", "a, ,b\tx", 2, "found an empty label"),
        ("csv", '"a,a",1', 0, "found 'a' twice"),
        ("jsonl", '{"y": ["a", "a"]}', 6, "found 'a' twice"),
        ("jsonl", '{"y": ["a", ""]}', 12, "found '' in a set of labels"),
        ("jsonl", '{"y": ["a", null]}', 12, "found '' in a set of labels"),
        ("jsonl", '{"y": ["a", "b,c"]}', 12, "and have no comma"),
        ("jsonl", '{"y": [["a"]]}', 7, "found an array as the label"),
        ("jsonl", '{"y": ["a", ]}', 12, "expected a JSON value"),
        ("jsonl", '{"y": ["a" "b"]}', 11, "expected ',' or ']'"),
        ("jsonl", '{"y": ["a"], "y": []}', 18, "found a second label"),
        ("jsonl", '{"y": {"a": 1}}', 6, "found an object as the label"),
    ],
)
def test_bad_sets(format, text, column, problem):
    options = {"sets": True, **FORMATS[format]}
    (line,) = native.dump(text.encode(), format=format, **options)
    assert line.get("column") == column, line
    assert problem in line["problem"]


@pytest.mark.parametrize(
    ("format", "text"), [("svmlight", "1,3 5:1"), ("vw", "1,3 | a"), ("jsonl", '{"y": ["a"]}')]
)
def test_who_learns_one_label_takes_no_set(format, text):
    (row,) = native.parse(text.encode(), format=format, **FORMATS[format])
    assert isinstance(row, Bad)


@pytest.mark.parametrize(
    ("format", "text", "expected"), [("bag", "a,b\tx", b"a,b"), ("csv", '"a,b",1', b"a,b")]
)
def test_for_who_learns_one_label_a_comma_is_a_character(format, text, expected):
    (row,) = native.parse(text.encode(), format=format, **FORMATS[format])
    assert row.label == expected
