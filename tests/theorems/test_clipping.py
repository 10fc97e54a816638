"""Regressors clip what they predict to the range of the targets so far, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from shared_sets import table
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
    model.partial_fit([[1.0]], [10.0])
    far = np.array([[1e6]])
    np.testing.assert_allclose(model.predict(far), far @ model.coef_ + model.intercept_)


def test_a_few_wild_answers_no_longer_decide(shared_data):
    """By squared error, least squares lose a sixth to a few answers at the start."""
    X, y = table(shared_data / "california-housing.csv.gz", "median_house_value")
    race = Race(
        {
            "raw": RecursiveLeastSquares(clip_predictions=False),
            "clipped": RecursiveLeastSquares(),
            "ridge": RecursiveLeastSquares(l2=1.0, standardized=True),
            "standardised LMS": LMS(prepare="standard"),
        },
        keep_all=True,
    ).fit(X, y)
    rmse = {row.name: row.error**0.5 for row in race.standings_}
    assert rmse["standardised LMS"] < 52_000
    assert rmse["ridge"] < rmse["clipped"] < 69_000 and rmse["raw"] > 83_000
