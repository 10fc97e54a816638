"""Tables of Python with texts, categories, booleans and dates: read as files of them are."""

import datetime
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import thresher
from thresher import KernelPerceptron, PassiveAggressive, PassiveAggressiveRegressor
from thresher.errors import InvalidInput

pandas = pytest.importorskip("pandas")


def frame(rows=60):
    rng = np.random.default_rng(0)
    return pandas.DataFrame({
        "n": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
        "color": rng.choice(["red", "blue", None], rows),
        "zip": pandas.Categorical(rng.choice([12345, 54321], rows)),
        "vip": rng.random(rows) < 0.5,
        "count": rng.integers(0, 3, rows),
    })  # fmt: skip


def test_a_table_is_read_as_its_file_and_as_dicts(tmp_path):
    X = frame()
    y = np.where(X["color"].eq("red") ^ X["vip"], "yes", "no")
    X.assign(label=y).to_csv(tmp_path / "a.csv", index=False)
    model = PassiveAggressive(average=False).fit(X, y)
    from_file = PassiveAggressive(average=False).fit_file(tmp_path / "a.csv", categorical="zip")
    by_dict = PassiveAggressive(average=False)
    for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
        row["zip"] = str(row["zip"])
        by_dict.learn_one(row, label)
    names = ["n", "color=red", "color=blue", "zip=12345", "zip=54321", "vip", "count"]
    assert set(model.feature_names_out_) == set(names)
    for other in (from_file, by_dict):
        weights = dict(zip(other.feature_names_out_, other.coef_[0], strict=True))
        own = dict(zip(model.feature_names_out_, model.coef_[0], strict=True))
        assert own == pytest.approx(weights)
    assert model.predict(X).tolist() == from_file.predict_file(tmp_path / "a.csv")
    half = PassiveAggressive(average=False)
    half.partial_fit(X[:20], y[:20], classes=["no", "yes"]).partial_fit(X[20:], y[20:])
    assert half.predict(X).tolist() == model.predict(X).tolist()
    # A text that is new says nothing; a table of numbers alone goes on by its names.
    new = X[:5].assign(color="green")
    assert model.predict(new).tolist() == model.predict(new.drop(columns="color").assign(
        color=None, other="x")).tolist()  # fmt: skip
    assert model.predict(X[["vip", "count"]].astype(float)).shape == (60,)


def test_other_libraries_and_regressors():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X = frame().drop(columns="zip")
    y = X["count"] * 2.0 + X["color"].eq("red")
    model = PassiveAggressiveRegressor(average=False).fit(X, y)
    for other in (polars.from_pandas(X), pyarrow.Table.from_pandas(X, preserve_index=False)):
        again = PassiveAggressiveRegressor(average=False).fit(other, y)
        np.testing.assert_allclose(again.predict(X), model.predict(X))


def test_dates(tmp_path):
    days = pandas.to_datetime(["2024-05-17 13:30", "1999-12-31 23:59:59", None, "2000-01-01"],
                              format="ISO8601")  # fmt: skip
    X = pandas.DataFrame({"day": days, "a": [1.0, 2.0, 3.0, 4.0]})
    model = PassiveAggressive().fit(X, [0, 1, 0, 1])
    with open(tmp_path / "a.csv", "w") as file:
        file.write("day,a,y\n")
        for day, a in zip(days, X["a"], strict=True):
            file.write(f"{'' if day is pandas.NaT else day.isoformat()},{a},1\n")
    with thresher.read(tmp_path / "a.csv", date="day", label="y") as reader:
        rows = [row for batch in reader for row in batch.features()]
    assert {n for row in rows for n in row} == set(model.feature_names_out_)
    scores = [model.score_one(row) for row in rows]
    np.testing.assert_allclose(model.decision_function(X), scores)


def test_what_is_refused():
    X, y = frame(), np.arange(60) % 2
    numbers = X[["vip", "count"]].astype(float)
    with pytest.raises(InvalidInput, match="trained on a table of numbers"):
        PassiveAggressive().fit(numbers, y).predict(X)
    with pytest.raises(InvalidInput, match=r"column 'b' holds .* of type list"):
        PassiveAggressive().fit(pandas.DataFrame({"a": ["x", "y"], "b": [[1], [2]]}), [0, 1])
    with pytest.raises(InvalidInput, match="holds the string"):
        KernelPerceptron().fit(X, y)


def test_a_renamed_column_is_said_where_texts_are_read_by_name():
    table = pandas.DataFrame({"city": ["Rome", "Oslo"] * 4, "age": [1.0, 2.0] * 4})
    model = thresher.Perceptron().fit(table, ["a", "b"] * 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(table)
        model.predict(pandas.DataFrame({"city": ["Bonn"], "age": [1.0]}))  # a new value is usual
    with pytest.warns(UserWarning, match="nothing about the column 'town'"):
        model.predict(table.rename(columns={"city": "town"}))
    with pytest.warns(
        UserWarning, match="learned from the column 'age', and X has no such"
    ) as told:
        model.predict(table[["city"]])
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="the column 'age' held texts .* or the reverse"):
        model.predict(table.assign(age="old"))


def test_what_a_table_probably_does_not_mean_is_said_once():
    rows = [
        {"id": f"k{i}", "body": f"a long text with a number {i}", "day": f"2024-01-{i % 28 + 1:02}"}
        for i in range(120)
    ]
    table, y = pandas.DataFrame(rows), np.arange(120) % 2
    with pytest.warns(UserWarning) as told:
        model = PassiveAggressive().fit(table, y)
    advice = [str(warning.message).rpartition(", ")[2] for warning in told]
    assert advice == ["drop it.", "or fit_file with text='body'.", "make it a column of dates."]
    assert {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings(action="error"):
        model.partial_fit(table, y)
        model.predict(table)


def test_a_race_reads_a_table_as_its_learners_do_and_says_once_what_is_doubtful():
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(
        {"id": [f"k{i}" for i in range(300)], "city": rng.choice(["Rome", "Oslo"], 300)}
    )
    table["x"] = rng.normal(size=300)
    y = np.where((table.x > 0) ^ (table.city == "Oslo"), "a", "b")
    learners = [PassiveAggressive(C=0.1), PassiveAggressive(prepare="standard"),
                thresher.AROW(prepare="standard")]  # fmt: skip
    for options in ({}, {"answer": "experts"}):
        with pytest.warns(UserWarning) as told:
            race = thresher.Race(learners, keep_all=True, **options).fit(table, y)
        assert [str(warning.message).rpartition(", ")[2] for warning in told] == ["drop it."]
        assert told[0].filename == __file__
        for learner, raced in zip(learners, race.learners_.values(), strict=True):
            with pytest.warns(UserWarning, match="drop it"):
                alone = clone(learner).fit(table, y)
            assert (alone.predict(table) == raced.predict(table)).all()
            assert np.array_equal(alone.coef_, raced.coef_)
        with pytest.warns(UserWarning, match="'x', and X has no such"):
            race.predict(table[["id", "city"]])


def test_a_race_says_that_there_is_one_label():
    with pytest.warns(UserWarning, match="all examples have the same label, 'a'") as told:
        thresher.Race([thresher.Perceptron(), thresher.AROW()]).fit(np.eye(3), ["a"] * 3)
    assert [warning.filename for warning in told] == [__file__]


def test_a_renamed_column_is_said_however_many_features_there_are():
    """Names that came since the last look are looked at then, and no others."""
    n = 70_000
    table = pandas.DataFrame({"user": [f"u{i % n}" for i in range(n)], "age": np.arange(n) / n})
    model = thresher.Perceptron().partial_fit(table, np.arange(n) % 2)
    assert model.n_features_used_ > 65_536
    for _ in range(2):
        with pytest.warns(UserWarning, match="learned from the column 'age', and X has no such"):
            model.predict(table[["user"]][:5])
    model.partial_fit(table[:50].assign(city="Rome"), np.arange(50) % 2)
    with pytest.warns(UserWarning, match="learned from the column 'city', and X has no such"):
        model.predict(table[:5])
    with pytest.warns(UserWarning, match="learned from the column 'city', and X has no such"):
        pickle.loads(pickle.dumps(model)).predict(table[:5])


@pytest.mark.parametrize(
    "days",
    [
        pandas.Series(pandas.to_datetime(["2024-05-17 13:30+02:00", None])),
        [datetime.datetime(2024, 5, 17, 13, 30), None],
        [datetime.datetime(2024, 5, 17, 13, 30, tzinfo=datetime.UTC), float("nan")],
    ],
)
def test_dates_that_are_objects(days):
    """As they are written: a time zone changes nothing."""
    model = PassiveAggressive().fit(pandas.DataFrame({"day": days}), [0, 1])
    expected = ["day", "day.month=5", "day.weekday=Fri", "day.hour=13"]
    assert model.feature_names_out_.tolist() == expected


def test_days_have_no_hour():
    polars = pytest.importorskip("polars")
    day = [datetime.date(2024, 5, 17)]
    for table in (pandas.DataFrame({"day": day}), polars.DataFrame({"day": day})):
        model = PassiveAggressive().fit(table, [0])
        assert model.feature_names_out_.tolist() == ["day", "day.month=5", "day.weekday=Fri"]


def test_a_column_of_several_values_is_refused():
    polars = pytest.importorskip("polars")
    with pytest.raises(InvalidInput, match="column 'a' holds several values in each row"):
        PassiveAggressive().fit(polars.DataFrame({"a": [{"x": 1}, {"x": 2}]}), [0, 1])
