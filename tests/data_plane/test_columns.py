"""What columns of a table may be: ignored, missing, dates, booleans; crossed; kept; encoded."""

import datetime
import json

import numpy as np
import pytest

import thresher
from thresher import PassiveAggressive, Perceptron
from thresher.errors import InvalidInput

TABLE = """id,age,color,vip,day,label
a1,30,red,true,2024-05-17 13:30:00,yes
a2,,blue,false,2000-01-01,no
a3,50,NA,True,2023-12-31T00:05,yes
a4,x,red,FALSE,,no
"""


def features(path, **options):
    with thresher.read(path, **options) as reader:
        return [features for batch in reader for features in batch.features()]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_columns_are_ignored_and_booleans_are_numbers(table):
    found = features(table, ignore="id", categorical="day")
    assert found[0] == {
        "age": 30.0, "color=red": 1.0, "vip": 1.0, "day=2024-05-17 13:30:00": 1.0,
    }  # fmt: skip
    assert found[1] == {"color=blue": 1.0, "day=2000-01-01": 1.0}
    assert not any(name.startswith("id") for row in found for name in row)
    with pytest.raises(InvalidInput, match=r"no column 'idd'. Did you mean 'id'"):
        features(table, ignore="idd")
    # A model that ignores a column predicts for a table that does not have it.
    model = Perceptron().fit_file(table, ignore=["id", "day"])
    (table.parent / "new.csv").write_text("age,color,vip\n30,red,true\n")
    assert model.predict_file(table.parent / "new.csv") == ["yes"]


def test_missing_values(table):
    assert "age" not in features(table, ignore=["id", "day"])[1]
    found = features(table, ignore=["id", "day"], missing="indicator")
    assert found[1] == {"age=missing": 1.0, "color=blue": 1.0}
    assert found[2]["color=missing"] == 1.0
    model = Perceptron().fit_file(table, ignore=["id", "day"], missing="mean")
    assert dict(model.reading_.means) == {"age": 40.0, "vip": 0.5}
    assert features(table, model=model)[1] == {"age": 40.0, "color=blue": 1.0}
    # Later, and from dicts, the same numbers stand for what is missing.
    missing = model.explain_one({"age": None, "color": "blue", "vip": False})
    assert missing == model.explain_one({"age": float("nan"), "color": "blue", "vip": False})
    assert missing == model.explain_one({"age": 40.0, "color": "blue", "vip": False})
    with pytest.raises(InvalidInput, match="missing='mean' needs a table in a file"):
        (table.parent / "data.svm").write_text("1 1:1\n")
        Perceptron().fit_file(table.parent / "data.svm", missing="mean")


def test_missing_values_of_dicts_are_those_of_tables():
    a, b = Perceptron(), Perceptron()
    for x in ({"a": 1.0, "b": float("nan")}, {"a": np.float64("nan"), "b": 2.0}):
        a.learn_one(x, int(x["b"] == 2.0))
        b.learn_one({k: v for k, v in x.items() if v == v}, int(x["b"] == 2.0))
    assert a.feature_names_out_.tolist() == ["a", "b"]
    assert np.array_equal(a.coef_, b.coef_)
    assert a.predict_one({"a": float("nan")}) == a.predict_one({})


def test_dates(table, tmp_path):
    found = features(table, ignore=["id", "age", "color", "vip"], date="day", missing="indicator")
    since = datetime.datetime(2024, 5, 17, 13, 30) - datetime.datetime(2000, 1, 1)
    assert found[0] == {
        "day": pytest.approx(since / datetime.timedelta(days=365.2425)),
        "day.month=5": 1.0, "day.weekday=Fri": 1.0, "day.hour=13": 1.0,
    }  # fmt: skip
    assert found[1] == {"day.month=1": 1.0, "day.weekday=Sat": 1.0}  # and day is 0
    assert found[3] == {"day=missing": 1.0}
    start = datetime.date(2000, 1, 1)
    rows = [start + datetime.timedelta(days=int(d)) for d in np.linspace(-150_000, 2_000_000, 400)]
    path = tmp_path / "days.csv"
    path.write_text("day,y\n" + "".join(f"{day.isoformat()},1\n" for day in rows))
    for day, made in zip(rows, features(path, date="day", label="y"), strict=True):
        names = {f"day.month={day.month}", f"day.weekday={day:%a}"}
        assert made.keys() - {"day"} == names
        assert made.get("day", 0.0) == pytest.approx((day - start).days / 365.2425)
    # In dicts a date may be one of Python.
    model = Perceptron().fit_file(table, date="day", ignore="id")
    x = {"age": 30, "color": "red", "vip": True}
    assert model.explain_one(x | {"day": datetime.datetime(2024, 5, 17, 13, 30)}) == (
        model.explain_one(x | {"day": "2024-05-17 13:30:00"})
    )
    for wrong in ("2024-13-01", "2024-02-30", "17.5.2024", "2024-05-17 25:00"):
        path.write_text(f"day,y\n{wrong},1\n")
        with pytest.raises(InvalidInput, match="expected a date such as 2024-05-17"):
            features(path, date="day", label="y")


def test_crosses_of_three(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,n,y\nx,u,2,1\n")
    found = features(path, cross=["a,b,n", ("a", "b")], label="y")
    assert found == [
        {"a=x": 1, "b=u": 1, "n": 2, "a=x*b=u*n": 2, "a=x*b=u": 1},
    ]  # fmt: skip
    path = tmp_path / "a.vw"
    path.write_text("1 |s p q r\n")
    assert set(features(path, cross=["s,s,s", "s,s"])[0]) == {
        "s^p", "s^q", "s^r", "s^p*s^q*s^r", "s^p*s^q", "s^p*s^r", "s^q*s^r",
    }  # fmt: skip
    with pytest.raises(InvalidInput, match="two columns or more"):
        features(path, cross=["s"])


def test_namespaces_and_keys_are_ignored_and_kept(tmp_path):
    vw, jsonl = tmp_path / "a.vw", tmp_path / "a.jsonl"
    vw.write_text("1 'first|a x |id k:3 |b y\n-1 |id z\n")
    assert features(vw, ignore="id") == [{"a^x": 1.0, "b^y": 1.0}, {}]
    lines = [
        {"y": 1, "id": 'q"1', "x": {"a": 2, "b": [1, {"c": "d"}]}},
        {"y": 0, "id": 7, "x": {"a": None}},
    ]
    jsonl.write_text("\n".join(map(json.dumps, lines)))
    assert features(jsonl, label="y", ignore=["id", "x.b"]) == [{"x.a": 2.0}, {}]
    for path, keep, expected in (
        (vw, ["tag"], [["first"], [""]]),
        (jsonl, ["id", "x.a"], [['q"1', "2"], ["7", ""]]),
    ):
        with thresher.read(path, keep=keep, label="y") as reader:
            assert [row for batch in reader for row in batch.kept(len(keep))] == expected


def test_a_document_a_line(tmp_path):
    train, new = tmp_path / "train.txt", tmp_path / "new.txt"
    train.write_text("spam\tWin a PRIZE now\nham\tsee you\tat home\n\nspam\tprize inside\n")
    model = PassiveAggressive().fit_file(train, format="text")
    assert model.reading_.text == ("text",)
    new.write_text("a prize\n\nAt home?\n")
    assert len(features(new, model=model, format="text", labels="optional")) == 3
    assert model.predict_file(new, format="text")[::2] == ["spam", "ham"]
    assert model.predict_one({"text": "At home?"}) == "ham"
    # A model of a table with a column of text takes plain lines as well.
    table = tmp_path / "train.tsv"
    table.write_text("label\tmessage\nspam\tWin a PRIZE now\nham\tsee you at home\n")
    model = PassiveAggressive().fit_file(table, text="message")
    assert model.predict_file(new, format="text")[::2] == ["spam", "ham"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "gb18030"])
def test_encodings(tmp_path, encoding):
    text = "label,name\nja,Müller é\nnein,Żółć 東京\n"
    text = (
        text if encoding in ("utf-16", "utf-8-sig", "gb18030") else text.replace("Żółć 東京", "à")
    )
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    plain.write_text(text, "utf-8")
    other.write_bytes(text.encode(encoding))
    assert features(other, encoding=encoding) == features(plain)


def test_encodings_that_do_not_fit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("label,a\n1,é\n".encode("latin-1"))
    with pytest.raises(InvalidInput, match="not in shift_jis near byte"):
        features(path, encoding="shift_jis")
    with pytest.raises(InvalidInput, match="there is no encoding 'klingon'"):
        features(path, encoding="klingon")
    path.write_bytes("label,a\n1,é\n".encode("utf-16"))
    with pytest.raises(InvalidInput, match="--encoding utf-16"):
        features(path)


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_header_needs_its_encoding_as_lines_do(tmp_path, kind):
    """Else the column has another name as soon as the file is written in UTF-8."""
    path = tmp_path / f"a.{kind}"
    text = "y,Größe,x\n1,2,3\n0,1,2\n".replace(",", "," if kind == "csv" else "\t")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"name Gr\\xf6\\xdfe is no UTF-8.*--encoding latin-1"):
        features(path, label="y")
    assert "Größe" in features(path, label="y", encoding="latin-1")[0]


def test_older_models_read_as_they_did(tmp_path):
    from thresher.data.reading import ReadingOptions, from_kept

    kept = ReadingOptions(text=("t",)).as_kept()
    for name in ("rules", "means", "missing", "ignore", "date"):
        del kept[name]
    old = from_kept(kept)
    assert old is not None and old.rules == 1 and old.text == ("t",)
    path = tmp_path / "a.csv"
    path.write_text("b,t,label\ntrue,ÄX – y,1\n")
    assert features(path, text="t", rules=1) == [{"b=true": 1, "t=Äx": 1, "t=–": 1, "t=y": 1}]
    assert features(path, text="t") == [{"b": 1, "t=äx": 1, "t=y": 1}]
