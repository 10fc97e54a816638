"""Regressors clip their predictions to the range of the targets learned so far, and nothing else."""

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from streams import real_streams
from thresher import LMS, PassiveAggressiveRegressor, Race, RecursiveLeastSquares
from thresher.learners.table import LINEAR

REGRESSORS = [entry for entry in LINEAR if entry.task == "regress"]
CASES = [(entry, options) for entry in REGRESSORS for options in entry.variants]


@pytest.mark.parametrize("entry", REGRESSORS, ids=lambda entry: entry.name)
@settings(max_examples=20)
@given(data=st.data())
def test_a_clipped_prediction_is_the_raw_one_within_the_range_so_far(entry, data):
    """Learning is not touched: clipping changes what is said, not what is learned."""
    options = data.draw(st.sampled_from(entry.variants))
    stream = data.draw(real_streams(entry))
    clipped = entry.cls(**options | {"clip_predictions": True})
    raw = entry.cls(**options | {"clip_predictions": False})
    seen: list[float] = []
    for x, y, weight in stream.examples():
        said, meant = clipped.predict_one(x), raw.predict_one(x)
        assert said == (min(max(meant, min(seen)), max(seen)) if seen else meant)
        if seen and min(seen) <= y <= max(seen):
            assert abs(y - said) <= abs(y - meant)
        for model in clipped, raw:
            model.learn_one(x, y, weight)
        seen += [y] if weight else []
    if seen:
        assert (clipped.coef_ == raw.coef_).all() and clipped.intercept_ == raw.intercept_


@pytest.mark.parametrize("cls", [LMS, PassiveAggressiveRegressor, RecursiveLeastSquares])
def test_the_progressive_loss_is_that_of_clipped_predictions(cls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1.0, 100.0, 1e-3]
    y = rng.normal(size=60)
    race = Race([cls(), cls(clip_predictions=False)], keep_all=True).fit(X, y)
    found = {row.name: row.error for row in race.standings_}
    for model, name in zip((cls(), cls(clip_predictions=False)), race.learners_, strict=True):
        errors = []
        for row, target in zip(X, y, strict=True):
            before = float(model.predict(row[None])[0]) if errors else 0.0
            errors.append((target - before) ** 2)
            model.partial_fit(row[None], [target])
        assert found[name] == pytest.approx(np.mean(errors), rel=1e-9)


@pytest.mark.parametrize("cls", [LMS, PassiveAggressiveRegressor, RecursiveLeastSquares])
def test_the_range_is_saved_and_can_be_ignored_at_any_time(cls, tmp_path):
    X, y = np.array([[1.0], [2.0], [3.0]]), [10.0, 20.0, 30.0]
    model = cls().fit(X, y)
    model.save(tmp_path / "model")
    again = thresher.load(tmp_path / "model")
    far = np.array([[1e6], [-1e6]])
    assert again.predict(far).tolist() == model.predict(far).tolist() == [30.0, 10.0]
    again.partial_fit([[0.5]], [40.0])
    assert again.predict(far).max() == 40.0
    raw = again.set_params(clip_predictions=False).predict(far)
    np.testing.assert_allclose(raw, far @ again.coef_ + again.intercept_)
    assert again.set_params(clip_predictions=True).predict(far).max() == 40.0


@pytest.mark.parametrize("cls", [LMS, PassiveAggressiveRegressor, RecursiveLeastSquares])
def test_a_model_from_before_there_was_a_range_does_not_clip(cls):
    """Its targets may have been anything, and those that follow are not all of them."""
    model = cls().fit(np.array([[1.0], [2.0], [3.0]]), [10.0, 20.0, 30.0])
    state = model._model.state()
    for name in "targets.low", "targets.high":
        del state["reals"][name]
    model._begin_from(state)
    model.learn_one({"x0": 1.0}, 10.0) if model._width is None else model.partial_fit([[1.0]], [10.0])
    far = np.array([[1e6]])
    np.testing.assert_allclose(model.predict(far), far @ model.coef_ + model.intercept_)


def table(path, target):
    """The numbers of a table, rows with a gap left out, and its target."""
    with gzip.open(path, "rt") as lines:
        head, *rows = csv.reader(lines)
    columns = [i for i, name in enumerate(head) if name not in (target, "ocean_proximity")]
    rows = [row for row in rows if all(row[i] for i in columns)]
    X = np.array([[float(row[i]) for i in columns] for row in rows])
    return X, np.array([float(row[head.index(target)]) for row in rows])


@pytest.mark.parametrize(
    ("file", "target", "model", "raw", "clipped"),
    [
        ("casp.csv.gz", "RMSD", RecursiveLeastSquares(), 23.6, 5.2),
        (
            "california-housing.csv.gz",
            "median_house_value",
            LMS(prepare="standard"),
            1e5,
            8e4,
        ),
    ],
)
def test_a_few_wild_answers_no_longer_decide(shared_data, file, target, model, raw, clipped):
    X, y = table(shared_data / file, target)
    entered = {"raw": model._fresh().set_params(clip_predictions=False), "clipped": model}
    race = Race(entered, keep_all=True).fit(X, y)
    rmse = {row.name: row.error**0.5 for row in race.standings_}
    print(rmse)
    assert rmse["raw"] >= raw and rmse["clipped"] <= clipped
