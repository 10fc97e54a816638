"""Vowpal Wabbit's text: what each line means, and that the native parser agrees with the plain one,
and both with Vowpal Wabbit itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsing import differential, native, plain_vw
from parsing.plain import Bad, Row

PIECES = (
    b"1 -1 0 2.5 spam 'tag tag| ' shared 1,2 1,1 ,a 1:2:0.5 a b city 12 7 007 a^b=c \xff \0".split()
)
PIECES += b"123456789 1234567890123456789 long-name-of-a-feature".split()
PIECES += b": :1 :0.5 :-2 :1e-3 :0 :1e999 :1e308 :1e200 :nan :inf :nan(x) :infinite :x".split()
PIECES += b":2:3 :.5 :1. :12345678.12345678 :0x1 | | | |n |other:2 ||".split()
PIECES += [b" "] * 9 + [b"\n"] * 4 + [b" |", b" |", b"\t", b"\r\n", b"\r", b"\f"]
PIECES += [b"|n ", b"|n:0 ", b"|big:1e200 "]
PIECES += [b"fifteen-letters ", b"sixteen-letters- ", b"1 | " + b"w a b c d e f g " * 6 + b"h\n"]
PIECES += [b"1 |n a b:2 12:0.5\n", b"1 | 3:1 5:0.25 12 7:3\n", b"1 2 'x|n a\n"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # label, importance, tag
        (b"1 |f a", Row(b"1", features={b"f^a": 1})),
        (b"-1 0.5 |f a", Row(b"-1", 0.5, features={b"f^a": 1})),
        (b"1 2 'x |f a", Row(b"1", 2.0, b"x", {b"f^a": 1})),
        (b"1 2 x|f a", Row(b"1", 2.0, b"x", {b"f^a": 1})),
        (b"1 'x |f a", Row(b"1", 1.0, b"x", {b"f^a": 1})),
        (b"1 ''x' |f a", Row(b"1", 1.0, b"'x'", {b"f^a": 1})),
        (b"1 ' |f a", Row(b"1", features={b"f^a": 1})),
        (b"1 0 0 |f a", Row(b"1", 0.0, features={b"f^a": 1})),
        (b"spam |f a", Row(b"spam", features={b"f^a": 1})),
        (b"- |f a", Row(b"-", features={b"f^a": 1})),
        # no label: a line to predict
        (b"|f a", Row(None, features={b"f^a": 1})),
        (b"  |f a", Row(None, features={b"f^a": 1})),
        (b"1|f a", Row(None, tag=b"1", features={b"f^a": 1})),
        (b"'x |f a", Row(None, tag=b"x", features={b"f^a": 1})),
        # namespaces
        (b"1 | a b", Row(b"1", features={b"a": 1, b"b": 1})),
        (b"1 |f a |g a", Row(b"1", features={b"f^a": 1, b"g^a": 1})),
        (b"1 |f a |g b |f a c", Row(b"1", features={b"f^a": 2, b"g^b": 1, b"f^c": 1})),
        (b"1 |f:2 a b:3 |f c", Row(b"1", features={b"f^a": 2, b"f^b": 6, b"f^c": 1})),
        (b"1 |f:0 a", Row(b"1")),
        (b"1 |f |g | ||h a|", Row(b"1", features={b"h^a": 1})),
        (b"1 |f a|g b", Row(b"1", features={b"f^a": 1, b"g^b": 1})),
        (b"1 |", Row(b"1")),
        (b"|", Row(None)),
        (b"1 |f  a\t\tb \t\r\n", Row(b"1", features={b"f^a": 1, b"f^b": 1})),
        # features
        (b"1 | a 1b fifteen-letters sixteen-letters- a  b c\r\n", Row(b"1", features={
            b"a": 2, b"1b": 1, b"fifteen-letters": 1, b"sixteen-letters-": 1, b"b": 1, b"c": 1})),
        (b"1 | a a:2 b:0", Row(b"1", features={b"a": 3})),
        (b"1 | a:1e-3 b:-2.5 c:+4 d:.5", Row(b"1", features={
            b"a": 1e-3, b"b": -2.5, b"c": 4, b"d": 0.5})),
        (b"1 | 3:0.5 12 7:2|", Row(b"1", features={b"3": 0.5, b"12": 1, b"7": 2})),
        (b"1 | 7 007 7:2 007:3", Row(b"1", features={b"7": 3, b"007": 4})),
        (b"1 |f :3 a :4 |g :5", Row(b"1", features={b"f^0": 3, b"f^a": 1, b"f^1": 4, b"g^0": 5})),
        (b"1 | city:paris", Row(b"1", features={b"city=paris": 1})),
        (b"1 |f:2 url:http://x", Row(b"1", features={b"f^url=http://x": 1})),
        (b"1 | x:infinite y:nano", Row(b"1", features={b"x=infinite": 1, b"y=nano": 1})),
        (b"1 | \xff\0\f", Row(b"1", features={b"\xff\0\f": 1})),
    ],
)  # fmt: skip
def test_what_a_line_means(line, expected):
    assert native.parse(line, format="vw") == [expected]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"1 a b", 5, "found no bar"),
        (b"1\t|f a", 1, "found a tab before the first bar"),
        (b"1 -2 |f a", 2, "found '-2' as the importance; expected a finite number that is not neg"),
        (b"1 x |f a", 2, "(a tag begins with a quote or touches the bar)"),
        (b"1 1e999 |f a", 2, "as the importance"),
        (b"1 2 0.5 |f a", 4, "an initial prediction is not supported"),
        (b"1 2 0 3 |f a", 6, "found '3' before the bar; expected at most label"),
        (b"1 2 0 3 4 5 6|f a", 6, "found '3' before the bar; expected at most label"),
        (b"1:0.5:0.3 |f a", 0, "labels with costs or probabilities"),
        (b"shared |f a", 0, "examples of several lines are not supported"),
        (b"1,2 |f a", 1, "found several labels '1,2'"),
        (b"1 |:3 a", 3, "found ':' after a bar; expected a namespace"),
        (b"1 |f: a", 5, "found '' as the scale of a namespace"),
        (b"1 |f:x a", 5, "found 'x' as the scale of a namespace"),
        (b"1 |f:2:3 a", 5, "found '2:3' as the scale of a namespace"),
        (b"1 |f a: b", 7, "found '' as a value; expected a finite number"),
        (b"1 |f a:1:2", 7, "found '1:2' as a value"),
        (b"1 |f a:1.5abc", 7, "found '1.5abc' as a value"),
        (b"1 |f a:nan", 7, "found 'nan' as a value"),
        (b"1 |f a:-inf", 7, "found '-inf' as a value"),
        (b"1 |f a:1e999", 7, "found '1e999' as a value"),
        (b"1 |f a:0x10", 7, "found '0x10' as a value"),
        (b"1 |f:1e200 a:1e200", 13, "found a value that is too large once scaled"),
        (b"1 |f a:1e308 a:1e308", 20, "found values of feature 'f^a' that are too large together"),
        (b"1 |f a:x|g b", 8, "found a bar that touches a value in letters"),
        (b"1 |f a\rb", 6, "found a carriage return within a line"),
        (b"1 |f a:x\ry", 8, "found a carriage return within a line"),
    ],
)
def test_bad_lines(line, column, problem):
    (bad,) = native.dump(line, format="vw")
    assert (bad["bad"], bad["column"]) == (0, column)
    assert problem in bad["problem"]


def test_a_line_may_lack_a_label_even_where_a_regressor_learns():
    rows = native.parse(b"|f a\nspam |f a\n0.5 |f a\n", format="vw", targets=True)
    features = {b"f^a": 1.0}
    assert rows == [
        Row(None, features=features, line=0),
        Bad(1, 0),
        Row(0.5, features=features, line=2),
    ]


def test_ngrams_stay_in_their_namespace():
    (row,) = native.parse(b"1 |f a b c:2 |g d | 1 2", format="vw", ngrams=2)
    assert row.features == {
        b"f^a": 1, b"f^b": 1, b"f^c": 2, b"f^a b": 1, b"f^b c": 1,
        b"g^d": 1, b"1": 1, b"2": 1, b"1 2": 1,
    }  # fmt: skip


def test_only_names_without_a_value_are_words():
    line = b"1 |f a a b:2 b:2 c |g:3 a a |f d:e"
    (row,) = native.parse(line, format="vw", weighting="binary", char_ngrams="3-3")
    assert row.features == {
        b"f^a": 1, b"f^~ a ": 1, b"f^b": 4, b"f^c": 1, b"f^~ c ": 1, b"g^a": 6, b"f^d=e": 1,
    }  # fmt: skip
    (row,) = native.parse(b"1 | 7 7 8:2", format="vw", weighting="binary")
    assert row.features == {b"7": 1, b"8": 2}
    # A word and a value of one name: the word is weighed, then both add up.
    (row,) = native.parse(b"1 | a:5 a a", format="vw", weighting="binary")
    assert row.features == {b"a": 6}


def test_bytes_that_are_no_text_count_as_characters():
    (row,) = native.parse(b"1 | a\xe2\x82b\xc3\xa4", format="vw", char_ngrams="2-2")
    runs = [b" a", b"a\xe2", b"\xe2\x82", b"\x82b", b"b\xc3\xa4", b"\xc3\xa4 "]
    assert list(row.features) == [b"a\xe2\x82b\xc3\xa4", *[b"~" + run for run in runs]]


def test_crossed_namespaces():
    (row,) = native.parse(b"1 |f a:2 b |g c:3", format="vw", cross=["f", "g"])
    assert row.features == {b"f^a": 2, b"f^b": 1, b"g^c": 3, b"f^a*g^c": 6, b"f^b*g^c": 3}


@given(value=differential.numbers())
def test_values_are_read_exactly(value):
    for head in (b"1 | 7:", b"1 |f x:"):
        differential.check(plain_vw, "vw", head + value)
        differential.check(plain_vw, "vw", head + value + b" 8:1\n")


@given(
    text=differential.texts(PIECES),
    chunk=st.integers(1, 60),
    need_labels=st.booleans(),
    **differential.WORDS,
    **differential.LABELS,
)
def test_native_equals_plain(text, chunk, kind, **options):
    differential.check(plain_vw, "vw", text, chunk, **kind, **options)


@pytest.mark.parametrize("head", ["1 | ", "1 |n ", "1 |a-long-namespace ", "1 |n:2 "])
@pytest.mark.parametrize("feature", ["{0}", "{0}:0.25", "n{0}:3", "a-longer-name-{0}:-1e-3"])
def test_long_lines_of_many_names(head, feature):
    text = differential.long_text(feature.format, head, " 1:-")
    differential.check(plain_vw, "vw", text, 100_000)


@pytest.mark.parametrize("file", differential.corpus("vw"), ids=lambda file: file.name)
def test_kept_texts(file):
    for ngrams in (1, 2):
        differential.check(plain_vw, "vw", file.read_bytes(), 7, ngrams=ngrams)


# -- Vowpal Wabbit itself as the judge


def as_vowpal_wabbit_sees(name: str) -> str | int:
    """To it, 07 and 7 are one feature."""
    return int(name) if name.isdecimal() else name


@st.composite
def good_lines(draw: st.DrawFn) -> str:
    """A line that both read alike: no feature twice, nothing that would only be warned of."""
    blanks = st.sampled_from([" ", " ", " ", "  ", "\t", " \t"])
    names = st.text("abcxyz019_.-", min_size=1, max_size=9)
    values = st.sampled_from(
        ["", "", ":1", ":0", ":2.5", ":-0.125", ":1e-3", ":+4", ":.5", ":5.", ":red", ":rouge:vif"]
    )
    line = draw(st.sampled_from(["", " ", "1 ", "-1  ", "0.5 2 ", "1 0 ", "1 2 0 ", "1 0.25 0 "]))
    line += draw(st.sampled_from(["", "", "'x ", "'x", "x"]))
    for group in draw(st.lists(st.sampled_from(["", "f", "g", "long"]), min_size=1, unique=True)):
        scale = draw(st.sampled_from(["", "", ":2", ":0.5", ":-3", ":0"])) if group else ""
        line += "|" + group + scale
        if draw(st.booleans()):
            line += draw(blanks) + ":3" + draw(blanks) + ":4"  # without names: the same as 0 and 1
        for name in draw(st.lists(names, max_size=6, unique_by=as_vowpal_wabbit_sees)):
            if name.strip("01"):  # not 0 or 1 once more
                line += draw(blanks) + name + draw(values)
        line += draw(blanks)
    return line


@pytest.fixture(scope="module")
def vowpal_wabbit():
    """Its label, weight, tag and sorted values of a line."""
    module = pytest.importorskip("vowpalwabbit")

    def read(line: str) -> tuple[float, float, str, list[float]]:
        example = workspace.example(line)
        values = sorted(value for _, value in example.iter_features())
        assert len(values) == example.get_feature_number()
        label = example.get_simplelabel_label()
        found = label, example.get_simplelabel_weight(), example.get_tag(), values
        workspace.finish_example(example)
        return found

    with module.Workspace("--noconstant --quiet") as workspace:
        yield read


NO_LABEL = pytest.approx(3.4028235e38)  # what it keeps instead of one


@given(lines=st.lists(good_lines(), min_size=1, max_size=20))
def test_the_same_examples_as_vowpal_wabbit(vowpal_wabbit, lines):
    rows = differential.good(native.parse("\n".join(lines).encode(), format="vw"))
    assert len(rows) == len(lines)
    for line, row in zip(lines, rows, strict=True):
        label, weight, tag, values = vowpal_wabbit(line)
        assert label == (NO_LABEL if row.label is None else float(row.label)), line
        assert (weight, tag) == (row.weight, row.tag.decode()), line
        assert values == pytest.approx(sorted(row.features.values()), rel=1e-6), line
