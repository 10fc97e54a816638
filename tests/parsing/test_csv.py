"""CSV: what each field means, and that the native parser agrees with the plain one."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsing import differential, native, plain_csv
from parsing.plain import Bad, Row

COLUMNS = ["y", "w", "a", "3", "t", "z"]
MIB = 1 << 20

PIECES = b"1 -1 0 3.5 +2 .5 5. 1e5 1e999 -1e999 inf -Infinity NAN nan(1) 0x10 1_0 1e 1e308".split()
PIECES += b"NA N/A NaN nan null NULL None ? none word Don't o'clock ''x' a=b 12345678.5 007".split()
PIECES += [b"\xff", b"\xe2\x82", b"\0", b"\x7f", "é€😀".encode(), b";", b"\xed\xa0\x80"]
PIECES += [b'"', b'"'] * 4 + [b'""', b'"a"', b'"1"', b'"x\ny"', b'"a ""b"""', b'" 3"', b'"NA"']
PIECES += [b'"a,b",', b'"a, b",', b'"a,,b",', b'"1,1",', b'"",']
PIECES += [b","] * 25 + [b"\n"] * 5 + [b"\r\n", b"\r", b" ", b"  ", b"\t", b"\f"]
PIECES += [b"b,1,2,3,some words,5\n", b'a,0.5,"x, y",,"Hello, World",z\n', b"y,1,"]


def one(field: bytes, **options: object) -> dict[bytes, float] | Bad:
    """The features of a record that has this field in its column a, or where it is bad."""
    (row,) = native.parse(b"y," + field, format="csv", columns=["y", "a"], label="y", **options)
    return row.features if isinstance(row, Row) else row


@pytest.mark.parametrize("written", ["{}", " {}", "{}\t ", '"{}"', ' "{}" '])
@pytest.mark.parametrize(
    ("field", "features"),
    [
        ("3", {b"a": 3}),
        ("-2.5e-3", {b"a": -2.5e-3}),
        ("+.5", {b"a": 0.5}),
        ("5.", {b"a": 5}),
        ("0.1234567890123456789", {b"a": 0.1234567890123456789}),
        ("9007199254740993", {b"a": 9007199254740993.0}),
        ("1e-400", {}),
        ("0", {}),
        ("-0", {}),
        ("red", {b"a=red": 1}),
        ("dark red", {b"a=dark red": 1}),
        ("é€😀", {"a=é€😀".encode(): 1}),
        ("0x10", {b"a=0x10": 1}),
        ("1_000", {b"a=1_000": 1}),
        ("1e", {b"a=1e": 1}),
        ("+-1", {b"a=+-1": 1}),
        ("12 34", {b"a=12 34": 1}),
        ("none", {b"a=none": 1}),
        ("infinite", {b"a=infinite": 1}),
        ("inf", Bad(0, 2)),
        ("-Infinity", Bad(0, 2)),
        ("1e999", Bad(0, 2)),
        ("NAN", Bad(0, 2)),
        ("-nan", Bad(0, 2)),
        *[
            (missing, {})
            for missing in ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]
        ],
    ],
)
def test_what_a_field_means(field, features, written):
    got = one(written.format(field).encode())
    if isinstance(features, Bad):
        features = Bad(0, 2 + written.startswith(" "))
    assert got == features


@pytest.mark.parametrize(
    ("field", "features"),
    [
        (b'"x, y"', {b"a=x, y": 1}),
        (b'"say ""yes"""', {b'a=say "yes"': 1}),
        (b'""""', {b'a="': 1}),
        (b'"two\nlines"', {b"a=two\nlines": 1}),
        (b'"two\r\nlines"\r\n', {b"a=two\r\nlines": 1}),
        (b'" red "', {b"a= red ": 1}),
        (b'" 3"', {b"a= 3": 1}),
        (b'5" pipe', {b'a=5" pipe': 1}),
        (b'x "y"', {b'a=x "y"': 1}),
    ],
)
def test_quotes(field, features):
    assert one(field) == features


def test_names_of_digits_are_the_features_of_other_formats():
    (row,) = native.parse(b"y,2,7\n", format="csv", columns=["y", "12", "012"], label="y")
    assert row.features == {b"12": 2, b"012": 7}


def test_categorical_columns_hold_names():
    assert one(b"12345", categorical=["a"]) == {b"a=12345": 1}
    assert one(b"007", categorical=["a"]) == {b"a=007": 1}
    assert one(b"1e999", categorical=["a"]) == {b"a=1e999": 1}
    assert one(b"inf", categorical=["a"]) == {b"a=inf": 1}
    assert one(b"NA", categorical=["a"]) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("don't panic: it's 42 o'clock", ["don't", "panic", "it's", "42", "o'clock"]),
        ("'tis the dogs' 'x' '' o''o", ["tis", "the", "dogs", "x", "o", "o"]),
        ("snake_case e-mail a.b", ["snake_case", "e", "mail", "a", "b"]),
        ("ÄRGER über日本 a–b", ["ärger", "über日本", "a", "b"]),
        ("1.5", ["1", "5"]),
        ("... !?", []),
        ("NA", []),
    ],
)
def test_the_words_of_a_text(text, words):
    features: dict[bytes, float] = {}
    for word in words:
        name = b"a=" + word.encode()
        features[name] = features.get(name, 0) + 1
    assert one(f'"{text}"'.encode(), text=["a"]) == features


def test_neighbouring_words_make_ngrams():
    assert list(one(b"B a b", text=["a"], ngrams=2)) == [b"a=b", b"a=a", b"a=b a", b"a=a b"]


def test_tabs_and_other_delimiters():
    expected = [Row(b"y", features={b"a=x, y": 1, b"b": 2})]
    options = {"columns": ["y", "a", "b"], "label": "y"}
    assert native.parse(b"y\tx, y\t2\n", format="tsv", **options) == expected
    assert native.parse(b"y\tx, y\t2\n", format="csv", delimiter="\t", **options) == expected
    assert native.parse(b"y; x, y;2\n", format="csv", delimiter=";", **options) == expected
    assert native.parse(b'y "x, y" 2\n', format="csv", delimiter=" ", **options) == expected
    # A tab is no blank where it stands between fields.
    assert native.parse(b"\t\t\n", format="tsv", **options) == [Bad(0, 0)]


def test_labels_and_weights():
    rows = native.parse(
        b' "the, one" ,2,3\nb,0,3\n" c ",1e-3,3\n',
        format="csv",
        columns=["y", "w", "a"],
        label="y",
        weight="w",
    )
    assert rows == [
        Row(b"the, one", 2.0, features={b"a": 3}),
        Row(b"b", 0.0, features={b"a": 3}, line=1),
        Row(b"c", 1e-3, features={b"a": 3}, line=2),
    ]


def test_decimal_commas():
    given = {"format": "csv", "columns": ["y", "w", "a", "t", "z"], "delimiter": ";"}
    given |= {"label": "y", "weight": "w", "text": ["t"], "categorical": ["z"], "targets": True}
    text = b'1,5;0,25;"-2,5e1";1,5;1,5\n2.5;1;1,234,5;;\n'
    (bad,) = (row for row in native.parse(text, **given) if isinstance(row, Bad))
    assert bad == Bad(0, 0)  # without the option it is a text
    assert native.parse(text, decimal_comma=True, **given) == [
        Row(1.5, 0.25, features={b"a": -25, b"t=1": 1, b"t=5": 1, b"z=1,5": 1}),
        Row(2.5, features={b"a=1,234,5": 1}, line=1),
    ]


def test_without_labels_they_may_be_missing():
    options = {"format": "csv", "columns": ["y", "w", "a"], "need_labels": False}
    rows = native.parse(b",,3\nb,2,3\n", label="y", weight="w", **options)
    assert rows == [Row(None, 1.0, features={b"a": 3}), Row(b"b", 2.0, features={b"a": 3}, line=1)]
    assert native.parse(b"b,2,3", **options) == [Row(None, features={b"y=b": 1, b"w": 2, b"a": 3})]


def test_a_regressor_learns_numbers():
    options = {"format": "csv", "columns": ["y", "a"], "label": "y", "targets": True}
    assert native.parse(b'"0.1",1\n', **options) == [Row(0.1, features={b"a": 1})]
    assert native.parse(b'"x""y",1\n', **options) == [Bad(0, 0)]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"y,1,2", 5, "found 3 fields; expected 4, one for each column"),
        (b"y", 1, "found 1 field; expected 4"),
        (b'y,1,2,3,"4,5",6', 8, "found 6 fields; expected 4"),
        (b"y,1,inf,3", 4, "found 'inf' in the column 'a'; expected a finite number"),
        (b"y,1, 1e999,3", 5, "found '1e999' in the column 'a'; expected a finite number"),
        (b",1,2,3", 0, "found nothing as the label; expected one"),
        (b'"" ,1,2,3', 0, "found nothing as the label; expected one"),
        (b"NA,1,2,3", 0, "found 'NA', which says missing, as the label; expected one"),
        (b"y,,2,3", 2, "found nothing as the weight; expected one"),
        (b"y,-1,2,3", 2, "found '-1' as the weight; expected a finite number, 0 or larger"),
        (b"y,inf,2,3", 2, "found 'inf' as the weight"),
        (b"y,one,2,3", 2, "found 'one' as the weight"),
        (b'y,1,"2"3,4', 7, "found '3' behind a closing quote; expected ',' or the end of the line"),
        (b'y,1, "2,3', 5, "found a quote that does not close; expected another before ','"),
        (b"y,1,\xff,3", 4, "found bytes that are no UTF-8 (0xff); expected UTF-8 text"),
        (b"y,1,\xed\xa0\x80,3", 4, "found bytes that are no UTF-8 (0xed)"),
        (b"y,1,\xc3", 4, "found bytes that are no UTF-8 (0xc3)"),
        (b"y,1,a\0b,3", 5, "found a NUL byte; expected text"),
    ],
)
def test_bad_records(line, column, problem):
    columns = ["y", "w", "a", "b"]
    for ending in (b"", b"\n", b"\r\n"):
        (bad,) = native.dump(line + ending, format="csv", columns=columns, label="y", weight="w")
        assert (bad["bad"], bad["column"]) == (0, column)
        assert problem in bad["problem"]


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("é" * 20, "'" + "é" * 20 + "'"),
        ("x" + "é" * 20, "'x" + "é" * 19 + "…'"),
        ("a\x1b[31m\x7f\x9b", r"'a\x1b[31m\x7f\xc2\x9b'"),
    ],
)
def test_what_was_found_is_shown_safely(field, shown):
    text = f"y,{field}\n".encode()
    (bad,) = native.dump(text, format="csv", columns=["y", "w"], label="y", weight="w")
    assert bad["problem"].startswith(f"found {shown} as the weight")


def test_lines_are_counted_through_quotes_and_blank_lines():
    text = b'y,"1\n2\n3"\n\n \t\nn,inf\n"y\n",4\n'
    assert native.parse(text, format="csv", columns=["y", "a"], label="y") == [
        Row(b"y", features={b"a=1\n2\n3": 1}, line=0),
        Bad(5, 2),
        Row(b"y", features={b"a": 4}, line=6),
    ]


@pytest.mark.parametrize("stray", [b'y,"open', b'y," open ""', b'y,"x"y', b'"y,1'])
def test_a_stray_quote_spoils_its_own_line_alone(stray):
    lines = [b"y,1", stray, b"y,2", b'y,"two\nlines"', b"y,3"]
    rows = native.parse(b"\n".join(lines), format="csv", columns=["y", "a"], label="y")
    assert [row.line for row in rows] == [0, 1, 2, 3, 5]
    assert [isinstance(row, Bad) for row in rows] == [False, True, False, False, False]


@pytest.mark.parametrize("chunk", [0, 1000, MIB, 3 * MIB])
def test_a_quoted_field_takes_at_most_a_mebibyte(chunk):
    options = {"format": "csv", "columns": ["y", "a"], "label": "y", "chunk": chunk}
    longest = b"\n" * (MIB - 1)
    (row,) = native.parse(b'y,"' + longest + b'"\n', **options)
    assert list(row.features) == [b"a=" + longest]
    # One byte more, and the first line is bad alone; so is the last, which begins with a quote.
    bad, last = native.parse(b'y,"' + longest + b'\n"\n', **options)
    assert (bad, last) == (Bad(0, 2), Bad(MIB, 0))


def test_a_file_of_stray_quotes_has_no_record_of_many_lines():
    lines = 20_000
    text = b'y,"x\n' * lines + b"y,1\n"
    rows = native.parse(text, format="csv", columns=["y", "a"], label="y", chunk=1000)
    assert rows[:-1] == [Bad(line, 2) for line in range(lines)]
    assert rows[-1] == Row(b"y", features={b"a": 1}, line=lines)


def test_long_lines():
    columns = ["y", *[f"c{i}" for i in range(100)]]
    text = b"y" + b',"x,y"' * 300_000 + b"\ny" + b",1" * 100 + b"\n"
    bad, row = native.dump(text, format="csv", columns=columns, label="y")
    assert "found 300001 fields; expected 101" in bad["problem"]
    assert len(row["features"]) == 100


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"label": "x"}, "found no column 'x'; expected it among 'y', 'a'"),
        ({"weight": "x"}, "found no column 'x'"),
        ({"text": ["x"]}, "found no column 'x'"),
        ({"categorical": ["x"]}, "found no column 'x'"),
        ({"label": "y", "weight": "y"}, "found two uses of the column 'y'; expected it once"),
        ({"label": "y", "text": ["y"]}, "found two uses of the column 'y'"),
        ({"label": "a", "columns": ["a", "a"]}, "found 2 columns 'a'; expected one"),
        ({"columns": []}, "found no columns"),
        *[
            ({"delimiter": d}, "as the delimiter")
            for d in ['"', "\n", "a", "Z", "5", ".", "-", "é"]
        ],
    ],
)
def test_options_that_cannot_be_meant(options, problem):
    with pytest.raises(AssertionError, match=problem):
        native.parse(b"y,1\n", **{"format": "csv", "columns": ["y", "a"], **options})


characters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
fields = st.text(characters, max_size=6).map(lambda field: field.strip(" \t\r\f\v\n"))


@given(
    st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(fields, min_size=n, max_size=n))),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_what_others_write_is_read(records, quoting):
    """Fields that Python's csv module wrote come back as they were."""
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting).writerows([["y", *record] for record in records])
    columns = ["y", *[f"c{i}" for i in range(len(records[0]) if records else 1)]]
    rows = native.parse(
        out.getvalue().encode(), format="csv", columns=columns, label="y", categorical=columns[1:]
    )
    for row, record in zip(rows, records, strict=True):
        said = [field.encode() for field in record]
        assert row.features == {
            b"c%d=%b" % (i, s): 1 for i, s in enumerate(said) if s not in plain_csv.MISSING
        }


@given(
    text=differential.texts(PIECES),
    chunk=st.integers(1, 60),
    delimiter=st.sampled_from([",", ",", ",", ";", " "]),
    weight=st.sampled_from(["", "w"]),
    texts=st.sampled_from([[], ["t"]]),
    categorical=st.sampled_from([[], ["z"], ["z", "a"]]),
    width=st.sampled_from([2, 3, 6, 6]),
    need_labels=st.booleans(),
    **differential.WORDS,
    **differential.LABELS,
)
def test_native_equals_plain(text, chunk, kind, weight, texts, categorical, width, **options):
    columns = COLUMNS[:width]
    differential.check(
        plain_csv,
        "csv",
        text,
        chunk,
        columns=columns,
        label="y",
        weight=weight,
        text=[c for c in texts if c in columns],
        categorical=[c for c in categorical if c in columns],
        **kind,
        **options,
    )


@given(differential.numbers(), st.booleans())
def test_numbers_are_read_to_the_last_bit(written, quoted):
    text = b'y,"%b"\n' % written if quoted else b"y,%b\n" % written
    differential.check(plain_csv, "csv", text, columns=["y", "a"], label="y")


@pytest.mark.parametrize("file", differential.corpus("csv"), ids=lambda file: file.name)
def test_kept_texts(file):
    for need_labels in (True, False):
        options = {"columns": COLUMNS, "label": "y", "weight": "w", "text": ["t"]}
        differential.check(
            plain_csv, "csv", file.read_bytes(), 7, need_labels=need_labels, **options
        )
