"""What a file is taken for, by its first lines: headers, deep records, long cells."""

import pytest

import thresher
from thresher.data.formats import recognise
from thresher.data.reading import Needs, ReadingOptions
from thresher.errors import InvalidInput


def columns(text, **options):
    shape = recognise("a.csv", text, True, ReadingOptions(need_labels=False, **options))
    return shape.options["columns"], shape.skip > 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b",a,b,label\n0,1,2,x\n1,3,4,y\n", "column 1 has no name in the header"),  # of pandas
        (b"a,b,\n1,2,\n3,4,\n", "column 3 has no name"),
        (b"a,b,a\n1,2,3\n", "the column name 'a' stands twice"),
        (b"a,a,label\nu,v,w\n", "the column name 'a' stands twice"),
        (b"a,a,b\nu,v,\nu,w,7\n", "the column name 'a' stands twice"),
        (b"label,1,1\nx,2,3\n", "the column name '1' stands twice"),
    ],
)
def test_a_header_that_is_not_right_is_still_a_header(text, problem):
    """Not a row of data, whose first cell would be a class."""
    with pytest.raises(InvalidInput, match=f"a.csv: {problem}"):
        columns(text)
    with pytest.raises(InvalidInput, match=problem):
        columns(text, header=True)
    found, header = columns(text, header=False)
    assert not header and found == [str(i + 1) for i in range(len(found))]


def test_the_label_asked_for_tells_a_header():
    with pytest.raises(InvalidInput, match="'a' stands twice"):
        columns(b"mood,a,a\ngood,x,y\n", label="mood")


@pytest.mark.parametrize(
    "text",
    [
        b"p,x,s,x,p\ne,x,s,y,e\np,x,b,x,p\n",  # mushrooms
        b"republican,n,y,n,y\ndemocrat,n,y,y,y\n",  # votes; y is the name of a label, too
        b"spam,hello,hello\nham,you,there\n",
        b"spam,,hello\nham,you,\n",
        b"y,n,y\n",
        b"1,,3\n2,,4\n",
        b",,\n,,\n",
    ],
)
def test_rows_with_a_value_twice_or_none_are_no_header(text):
    assert columns(text)[1] is False


def test_cells_longer_than_the_module_csv_takes():
    """Of the first row, the header's or another's."""
    long = b"word " * 40_000
    assert columns(b'"%s",1\n"b",3\n' % long) == (["1", "2"], False)
    assert columns(b'label,text\n1,"%s"\n0,b\n' % long) == (["label", "text"], True)
    assert columns(b'"%s",b\n1,2\n' % (b"x" * 200_000)) == (["x" * 200_000, "b"], True)


def nested(depth, open=b'{"a":', close=b"}"):
    return open * depth + b"1" + close * depth


@pytest.mark.parametrize("depth", [99, 101, 900, 1100, 100_000])
@pytest.mark.parametrize("pair", [(b'{"a":', b"}"), (b'{"":', b"}"), (b'{"a":[', b"]}")])
def test_records_nested_deep(tmp_path, depth, pair):
    """Up to 100 deep they are examples; beyond, bad lines like any other."""
    path = tmp_path / "a.jsonl"
    deep = b'{"label": 1, "x": %s}\n' % nested(depth, *pair)
    good = b'{"label": 0, "x": {"a": {"b": 2}}}\n'
    for lines in ([deep, good, good], [good, deep, good]):
        path.write_bytes(b"".join(lines))
        with thresher.read(path, on_bad_line="skip") as reader:
            labels = [label for batch in reader for label in batch.labels]
        fits = depth == 99 and pair[0].endswith(b":")
        assert labels == [1 if line is deep else 0 for line in lines if line is good or fits]
        assert reader.bad.count == (not fits)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (b"1,2,x,\n", "3 names, and each of the lines below it 4 fields.* end with a delimiter"),
        (b"1,2,x,y,z\n", "3 names, and each of the lines below it 5 fields; expected"),
        (b"1,2\n", "3 names, and each of the lines below it 2 fields; expected"),
    ],
)
def test_lines_that_are_not_as_wide_as_the_header(row, problem):
    with pytest.raises(InvalidInput, match=problem):
        columns(b"a,b,label\n" + row * 20)


def test_a_header_that_was_not_found():
    with pytest.raises(InvalidInput, match=r"no column 'c'. There are 1, 2..*add --header"):
        columns(b"1,x\n2,y\n", date=("c",))


def test_columns_in_one_option():
    with pytest.raises(InvalidInput, match="an option of its own: --date a --date b"):
        columns(b"a,b,label\n1,2,x\n", date=("a,b",))


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (b"1,5;x\n2;y\n;z\n", True),
        (b"1,5;x\n2,5;1.5\n", False),  # which of the two is the decimal mark?
        (b"1,5;x\n2,5,7;y\n", False),
        (b"1;x\n2;1,5\n", False),  # 1,5 is the label, and may be a set
        (b"999;x\n1,234;y\n12,345;z\n", False),  # thousands, perhaps
        (b"1,234;x\n1234,567;y\n", True),
        (b"0,123;x\n", True),
    ],
)
def test_decimal_commas(rows, found):
    reading = ReadingOptions()
    for delimiter in (b";", b"\t"):
        text = b"a;label\n" + rows
        shape = recognise("a.csv", text.replace(b";", delimiter), True, reading)
        assert shape.options["decimal_comma"] is found


def test_a_model_knows_that_commas_were_decimal(tmp_path):
    table, later = tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text("a;label\n" + "1,5;x\n2,5;y\n" * 5)
    later.write_text("a;label\n" + "1;x\n" * 300 + "1,5;y\n")
    model = thresher.PassiveAggressive().fit_file(table)
    assert model.feature_names() == ["a"]
    model.save(tmp_path / "a.model")
    for knows in (model, thresher.load(tmp_path / "a.model")):
        with thresher.read(later, model=knows) as batches:
            assert {name for batch in batches for name in batch.core.names} == {b"a"}


def test_decimal_commas_of_targets():
    reading = ReadingOptions(needs=Needs(targets=True))
    shape = recognise("a.csv", b"a;label\n1;1,5\n", True, reading)
    assert shape.options["decimal_comma"]
    shape = recognise("a.csv", b'a,label\n"1,5",1\n', True, reading)  # may be 1500 less or more
    assert not shape.options.get("decimal_comma")
