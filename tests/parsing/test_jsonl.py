"""JSON Lines: what each value means, and that the native parser agrees with the plain one."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsing import differential, native, plain_jsonl
from parsing.plain import Bad, Row

PIECES = [b"{", b"}", b"[", b"]", b":", b","] * 4 + [b'"'] * 4 + [b"\n"] * 5
PIECES += b'"a" "b" "t" "y" "w" "u" "a.b" "3" "" "x y" "Don\'t" "\xc3\xa9" "\\u00e9"'.split()
PIECES += (
    b'\\ud83d\\ude00 \\ud800 \\udc00 \\n \\u0000 \\u12 \\x \\ \\" \\\\ \xff \xe2\x82 \0'.split()
)
PIECES += b"0 -0 1 -1 2.5 1e5 1E-3 01 1. .5 +1 - 1e 1e999 1e308 123456789.125 0x1 1_0".split()
PIECES += b"true false null True NaN Infinity nul truex".split()
PIECES += [b" ", b"\t", b"\r", b"\r\n", b"\f", b'{"a":', b'["x","y",', b'{"y":"b","w":2,"a":1}\n']
PIECES += [
    b'"y":1,',
    b'"w":0.5,',
    b'"t":"Some words",',
    b'"u":{"a":3},',
    b'"b":[1,"x","y",{"c":2}],',
]
PIECES += [b'{"y":["a","b"],', b'{"y":[1,', b'{"y":[],', b'{"y":["a,b"],', b'{"y":"a,b",']
PIECES += [b'{"y":"a",', b'{"y":1,"w":2,', b'"a":"x"}\n', b'"u":[true,null,[2]]}\n']


def one(value: str | bytes, **options: object) -> dict[bytes, float] | Bad:
    """The features of a record with this value as a, or where it is bad in the value."""
    value = value.encode() if isinstance(value, str) else value
    (row,) = native.parse(b'{"y":1,"a":%b}' % value, format="jsonl", label="y", **options)
    return row.features if isinstance(row, Row) else Bad(row.line, row.column - 11)


@pytest.mark.parametrize(
    ("value", "features"),
    [
        ("3", {b"a": 3}),
        ("-2.5e-3", {b"a": -2.5e-3}),
        ("0.1234567890123456789", {b"a": 0.1234567890123456789}),
        ("1e-400", {}),
        ("0", {}),
        ("-0", {}),
        ("true", {b"a": 1}),
        ("false", {}),
        ("null", {}),
        ('"red"', {b"a=red": 1}),
        ('""', {b"a=": 1}),
        ('"3"', {b"a=3": 1}),
        ('"NA"', {b"a=NA": 1}),
        ("{}", {}),
        ("[]", {}),
        ('{"b":1,"c":{"d":2,"e":"x"}}', {b"a.b": 1, b"a.c.d": 2, b"a.c.e=x": 1}),
        ('["x","y","x"]', {b"a=x": 2, b"a=y": 1}),
        ("[1,true,null,-2]", {b"a.0": 1, b"a.1": 1, b"a.3": -2}),
        ('[{"b":1},[2,"x"],"y"]', {b"a.0.b": 1, b"a.1.0": 2, b"a.1=x": 1, b"a=y": 1}),
        ('1,"a":2', {b"a": 3}),
        ('{"b":1},"a.b":2', {b"a.b": 3}),
        ('1,"":2,"3":4', {b"a": 1, b"": 2, b"3": 4}),
        (' [ 1 , 2 ] , "b" : { } ', {b"a.0": 1, b"a.1": 2}),
    ],
)
def test_what_a_value_means(value, features):
    assert one(value) == features


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"\"\\\/\b\f\n\r\t", '"\\/\b\f\n\r\t'),
        (r"\u0041\u00e9\u20AC\uffff", "Aé€\uffff"),
        (r"\ud83d\ude00\uD83D\uDE00", "😀😀"),
        (r"\u0000", "\0"),
        ("é€😀\x7f", "é€😀\x7f"),
        ("long enough for more than eight bytes at a time", None),
        (r"seven..\"eight...\\", 'seven.."eight...\\'),
    ],
)
def test_strings(written, text):
    text = written if text is None else text
    assert one(f'"{written}"') == {b"a=" + text.encode(): 1}
    assert one(f'{{"{written}":2}}') == {b"a." + text.encode(): 2}


@pytest.mark.parametrize(
    ("value", "column", "problem"),
    [
        ("", 0, "found '}'; expected a JSON value: a string, a number, true, false"),
        ("NaN", 0, "found 'NaN'; expected a JSON value"),
        ("Infinity", 0, "found 'Infinity'; expected a JSON value"),
        ("True", 0, "found 'True'; expected a JSON value"),
        ("01", 0, "found '01'; expected a JSON value"),
        ("1.", 0, "found '1.'; expected a JSON value"),
        (".5", 0, "found '.5'; expected a JSON value"),
        ("+1", 0, "found '+1'; expected a JSON value"),
        ("1e", 0, "found '1e'; expected a JSON value"),
        ("-", 0, "found '-'; expected a JSON value"),
        ("1.e5", 0, "found '1.e5'; expected a JSON value"),
        ("0x10", 0, "found '0x10'; expected a JSON value"),
        ("1e999", 0, "found '1e999'; expected a finite number"),
        ("'x'", 0, "found ''x''; expected a JSON value"),
        ("1 2", 2, "found '2'; expected ',' or '}'"),
        ("1,", 2, "found '}'; expected a key in double quotes"),
        ("1,b:2", 2, "found 'b'; expected a key in double quotes"),
        ('1,"b" 2', 6, "found '2'; expected ':' behind a key"),
        ("[1,]", 3, "found ']'; expected a JSON value"),
        ("[1 2]", 3, "found '2'; expected ',' or ']'"),
        ("1 // comment", 2, "found '//'; expected ',' or '}'"),
        (r'"\x41"', 1, r"found '\x41"),
        (r'"\u12g4"', 1, r"found '\u12g4'; expected one of"),
        (r'"\u+123"', 1, r"found '\u+123'; expected one of"),
        (r'"ab\ud800"', 3, r"found '\ud800', half of a surrogate pair; expected both halves"),
        (r'"\ud800\u0041"', 1, "half of a surrogate pair"),
        (r'"\udc00\ud800"', 1, "half of a surrogate pair"),
        ('"a\tb"', 2, r"found a control character in a string; expected \t"),
        ('"abc', 0, "found a string that does not end; expected a closing quote"),
        (b'"\xff"', 1, "found bytes that are no UTF-8 (0xff); expected UTF-8 text"),
        (b'"\xf4\x90\x80\x80"', 1, "found bytes that are no UTF-8 (0xf4)"),
        (b'"\0"', 1, "found a NUL byte; expected text"),
        ('1e308,"a":1e308', 16, "found values of feature 'a' that are too large together"),
        ('1,"y":2', 6, "found a second label; expected one"),
        ("1} x", 3, "found 'x'; expected the end of the line behind the object"),
        ('1}{"y":2', 2, "found '{'; expected the end of the line behind the object"),
    ],
)
def test_bad_values(value, column, problem):
    value = value.encode() if isinstance(value, str) else value
    for ending in (b"", b"\n", b"\r\n"):
        line = b'{"y":1,"a":%b}' % value + ending
        (bad,) = native.dump(line, format="jsonl", label="y")
        assert (bad["bad"], bad["column"]) == (0, 11 + column)
        assert problem in bad["problem"]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        ("[1]", 0, "found '['; expected a JSON object, {…}, on each line"),
        ("1", 0, "found '1'; expected a JSON object"),
        ('{"y":1', 6, "found the end of the line; expected ',' or '}'"),
        ("{", 1, "found the end of the line; expected a key in double quotes"),
        ('{"a":1}', 7, "found no label; expected it under the key 'y'"),
        ('{"y":null}', 5, "found null as the label; expected a label"),
        ('{"y":""}', 5, 'found "" as the label; expected a label'),
        ('{"y":[1,2]}', 5, "found an array as the label; expected one string, number, true or"),
        ('{"y":{}}', 5, "found an object as the label"),
        ('{"y":1e999}', 5, "found '1e999'; expected a finite number"),
        ("\f", 0, "expected a JSON object"),
    ],
)
def test_bad_records(line, column, problem):
    (bad,) = native.dump(line.encode(), format="jsonl", label="y")
    assert (bad["bad"], bad["column"]) == (0, column)
    assert problem in bad["problem"]


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ('"spam"', b"spam"),
        ('" s\\u0070am "', b" spam "),
        ('"null"', b"null"),
        ("1.50", b"1.50"),
        ("-1", b"-1"),
        ("true", b"true"),
        ("false", b"false"),
    ],
)
def test_labels_are_what_is_written(value, label):
    line = f'{{"a":1,"meta":{{"y":{value}}}}}'.encode()
    expected = [Row(label, features={b"a": 1})]
    assert native.parse(line, format="jsonl", label="meta.y") == expected


def test_weights():
    options = {"format": "jsonl", "label": "y", "weight": "w"}
    assert native.parse(b'{"w":0.5,"y":1}', **options) == [Row(b"1", 0.5)]
    for value in (b"-1", b'"1"', b"null", b"true", b"1e999", b"[1]", b'1,"w":1'):
        (row,) = native.parse(b'{"y":1,"w":%b}' % value, **options)
        assert row == Bad(0, 17 if b"w" in value else 11)
    assert native.parse(b'{"y":1}', **options) == [Row(b"1")]  # none given: 1
    options["need_labels"] = False
    assert native.parse(b'{"a":1}\n{"w":null}', **options) == [
        Row(None, features={b"a": 1}),
        Row(None, line=1),
    ]


def test_words_and_bags():
    assert one('"Don\'t panic!"', text=["a"]) == {b"a=don't": 1, b"a=panic": 1}
    assert one('{"b":"Don\'t panic!"}', text=["a.b"]) == {b"a.b=don't": 1, b"a.b=panic": 1}
    assert one('"B C"', text=["b"]) == {b"a=B C": 1}
    # Strings next to one another in an array are neighbours; each text is one for itself.
    assert list(one('["x","y",1,"z"]', ngrams=2)) == [b"a=x", b"a=y", b"a=x y", b"a.2", b"a=z"]
    assert list(one('["x",["y"],"z"]', ngrams=2)) == [b"a=x", b"a.1=y", b"a=z"]
    assert list(one('["A b","c"]', ngrams=2, text=["a"])) == [b"a=a", b"a=b", b"a=a b", b"a=c"]


def test_categorical_keys_hold_names():
    assert one("12345", categorical=["a"]) == {b"a=12345": 1}
    assert one('{"b":1.0}', categorical=["a.b"]) == {b"a.b=1.0": 1}
    assert one("true", categorical=["a"]) == {b"a": 1}


def test_nesting_has_a_limit():
    for opening, closing in (("[", "]"), ('{"b":', "}")):
        deepest = 99  # inside of the record itself
        assert isinstance(one(opening * deepest + "1" + closing * deepest), dict)
        assert one(opening * 100 + "1" + closing * 100) == Bad(0, len(opening) * 99)
        assert one(opening * 100_000) == Bad(0, len(opening) * 99)


@pytest.mark.slow
def test_long_names_many_times_over_are_refused():
    """A long key before many numbers would make gigabytes of names out of a line."""
    key = b"k" * 1_000_000
    text = b'{"y":1,"%b":[%b1]}\n{"y":2,"a":1}' % (key, b"1," * 3000)
    bad, row = native.dump(text, format="jsonl", label="y")
    assert "found names of more than 1 GiB in all" in bad["problem"]
    assert row["features"] == [["a", "0x1p+0"]]


def test_a_bad_record_leaves_nothing_and_blank_lines_are_skipped():
    text = b'{"y":1,"a":1}\n\n \t\r\n{"y":2,"b":1,}\r\n{"b":2,"y":2}'
    assert native.parse(text, format="jsonl", label="y") == [
        Row(b"1", features={b"a": 1}),
        Bad(3, 13),
        Row(b"2", features={b"b": 2}, line=4),
    ]


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab.é", max_size=2), inner),
    max_leaves=12,
)


def features_of(value: object, path: str) -> list[tuple[str, float]]:
    """What a value means, from what Python's json module says that it is."""
    if isinstance(value, bool | int | float):
        return [(path, float(value))]
    if isinstance(value, str):
        return [(f"{path}={value}", 1.0)]
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += features_of(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            found += features_of(inner, path if isinstance(inner, str) else f"{path}.{i}")
    return found


@given(values, st.booleans(), st.sampled_from([None, (" , ", " : "), (",", ":")]))
def test_what_others_write_is_read(value, ensure_ascii, separators):
    """Python's json module wrote it; what it says is what we read."""
    written = json.dumps(value, ensure_ascii=ensure_ascii, separators=separators)
    expected: dict[bytes, float] = {}
    for name, number in features_of(value, "a"):
        if number != 0:
            expected[name.encode()] = expected.get(name.encode(), 0.0) + number
    if all(map(math.isfinite, expected.values())):
        assert one(written) == expected


def strict_json(line: bytes) -> bool:
    """Whether Python's json module takes the line for an object, and strict JSON allows it to."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    def finite(number: str) -> float:
        if not math.isfinite(float(number)):
            refuse(number)
        return float(number)

    try:
        text = line.decode()
        value = json.loads(text, parse_constant=refuse, parse_int=finite, parse_float=finite)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate cannot be
    except ValueError:
        return False
    return isinstance(value, dict) and "\0" not in text


@given(differential.texts(PIECES, 30).map(lambda text: text.replace(b"\n", b" ")))
def test_what_others_refuse_is_refused(text):
    rows = native.parse(b"{" + text, format="jsonl", need_labels=False)
    assert [isinstance(row, Row) for row in rows] == [strict_json(b"{" + text)]


@given(
    text=differential.texts(PIECES),
    chunk=st.integers(1, 60),
    label=st.sampled_from(["y", "y", "y", "u.a", "a"]),
    weight=st.sampled_from(["", "w"]),
    texts=st.sampled_from([[], ["t", "b"]]),
    categorical=st.sampled_from([[], ["a", "b.0"]]),
    need_labels=st.booleans(),
    **differential.WORDS,
    **differential.LABELS,
)
def test_native_equals_plain(text, chunk, kind, texts, **options):
    differential.check(plain_jsonl, "jsonl", text, chunk, text=texts, **kind, **options)


@given(values, st.integers(0, 200), st.sampled_from([b"", b'"', b",", b"\\", b"}", b"0", b"\xff"]))
def test_broken_json(value, at, piece):
    """Right but for one place, where a byte is missing or another stands."""
    line = b'{"y":1,"a":%b}' % json.dumps(value, ensure_ascii=False).encode()
    at %= len(line)
    line = line[:at] + piece + line[at + 1 :] + b'\n{"y":2,"a":1}'
    differential.check(plain_jsonl, "jsonl", line, label="y", ngrams=2)


@given(differential.numbers())
def test_numbers_are_read_to_the_last_bit(written):
    differential.check(plain_jsonl, "jsonl", b'{"y":1,"a":%b}' % written, label="y")


@pytest.mark.parametrize("file", differential.corpus("jsonl"), ids=lambda file: file.name)
def test_kept_texts(file):
    for need_labels in (True, False):
        options = {"label": "y", "weight": "w", "text": ["t"], "categorical": ["z"]}
        differential.check(
            plain_jsonl, "jsonl", file.read_bytes(), 7, need_labels=need_labels, **options
        )
