"""Scale-free steps: the units of columns and targets do not matter."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from shared_sets import table
from thresher import LMS, LogisticRegression, Race
from thresher.errors import InvalidInput

LEARNERS = {
    "log loss": (LogisticRegression, {}),
    "log loss, averaged": (LogisticRegression, {"average": True, "learning_rate": 2.0}),
    "squared loss": (LMS, {}),
    "squared loss, no intercept": (LMS, {"fit_intercept": False, "average": True}),
}


def said(cls, options, X, y):
    """What is predicted before each example, and of all at the end."""
    model = cls(step="scale-free", **options)
    scores = model.predict if cls is LMS else model.decision_function
    before = []
    for row, target in zip(X, y, strict=True):
        before.append(float(np.ravel(scores(row[None]))[0]) if before else 0.0)
        kinds = {} if cls is LMS else {"classes": [0, 1]}
        model.partial_fit(row[None], [target], **kinds)
    return np.append(before, np.ravel(scores(X)))


def stream(seed, cls, rows=40, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * rng.lognormal(sigma=1.0, size=(rows, 1))
    X[rng.random(X.shape) < 0.3] = 0.0
    target = X @ rng.normal(size=columns) + 0.3 * rng.normal(size=rows)
    return X, (target if cls is LMS else (target > 0).astype(int))


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1), powers=st.lists(st.integers(-60, 60), min_size=4, max_size=4)
)
def test_powers_of_two_change_no_bit(name, seed, powers):
    cls, options = LEARNERS[name]
    X, y = stream(seed, cls)
    units = 2.0 ** np.array(powers)
    assert said(cls, options, X * units, y).tolist() == said(cls, options, X, y).tolist()


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32 - 1),
    units=st.lists(st.floats(1e-9, 1e9), min_size=4, max_size=4),
)
def test_any_units_change_predictions_by_rounding_only(name, seed, units):
    cls, options = LEARNERS[name]
    X, y = stream(seed, cls)
    np.testing.assert_allclose(
        said(cls, options, X * units, y), said(cls, options, X, y), rtol=1e-7, atol=1e-9
    )


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-60, 60))
def test_predictions_scale_with_the_targets(seed, power):
    X, y = stream(seed, LMS)
    unit = 2.0**power
    assert said(LMS, {}, X, y * unit).tolist() == (said(LMS, {}, X, y) * unit).tolist()


@pytest.mark.parametrize("cls", [LMS, LogisticRegression])
def test_a_single_feature_of_one_size_is_adagrad(cls):
    """N = t, and no scale grows: the step is η·g/√Σg², AdaGrad's with β = 0."""
    rng = np.random.default_rng(3)
    signs, y = rng.choice([-1.0, 1.0], 50), rng.normal(size=50)
    model = cls(step="scale-free", fit_intercept=False, learning_rate=0.3)
    w, squares, largest = 0.0, 0.0, 0.0
    for x, target in zip(5.0 * signs, y, strict=True):
        label = target if cls is LMS else int(target > 0)
        sign = 1.0 if target > 0 else -1.0
        largest = max(largest, abs(target)) if cls is LMS else 1.0
        g = (target - w * x) * x if cls is LMS else sign * x / (1.0 + math.exp(sign * w * x))
        squares += g * g
        delta = 0.3 * largest * g / math.sqrt(squares) / 5.0
        if cls is LMS and abs(delta * x) > abs(target - w * x):  # no step goes beyond the target
            delta = (target - w * x) / x
        w += delta
        kinds = {} if cls is LMS else {"classes": [0, 1]}
        model.partial_fit([[x]], [label], **kinds)
        assert np.ravel(model.coef_)[0] == pytest.approx(w, rel=1e-9)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), weight=st.sampled_from([0.5, 1.0, 100.0]))
def test_no_step_goes_beyond_its_target(seed, weight):
    X, y = stream(seed, LMS, columns=30)
    model = LMS(step="scale-free", learning_rate=5.0, clip_predictions=False)
    for i, (row, target) in enumerate(zip(X, y, strict=True)):
        before = target - model.predict(row[None])[0] if i else target
        model.partial_fit(row[None], [target], sample_weight=[weight])
        after = target - model.predict(row[None])[0]
        assert abs(after) <= abs(before) * (1 + 1e-9)
        assert after * before >= -1e-9 * before * before


def test_a_value_beyond_all_others_counts_as_the_largest_so_far():
    model = LogisticRegression(step="scale-free")
    for x, y in ((1.0, 1), (-2.0, 0), (1.5, 1)):
        model.learn_one({"a": x}, y)
    assert model.score_one({"a": 1e9}) == model.score_one({"a": 2.0}) > model.score_one({"a": 1.0})
    with pytest.raises(InvalidInput, match="expected a finite number"):
        model.score_one({"a": math.inf})


@pytest.mark.parametrize(
    ("cls", "options", "words"),
    [
        (LMS, {"normalized": True}, "contradict each other"),
        (LMS, {"learning_rate": "1/t"}, "expected a number or 'auto'"),
        (LogisticRegression, {"l1": 1.0}, "expected 0 for both"),
    ],
)
def test_options_that_contradict_it_are_refused(cls, options, words):
    with pytest.raises(InvalidInput, match=words):
        cls(step="scale-free", **options).fit([[1.0], [2.0]], [0, 1])


def test_given_weights_and_a_change_of_the_step_are_refused():
    model = LMS(step="scale-free")
    with pytest.raises(InvalidInput, match="coef_init is for learners that add"):
        model.fit([[1.0]], [1.0], coef_init=[1.0])
    model.fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
        model.set_params(step="gradient")
    with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
        model.set_params(step="gradient", learning_rate=0.1)  # which needs nothing but weights


def test_columns_of_any_scale_without_standardising(shared_data):
    """Where units differ by factors of 100, AdaGrad does worse on the columns as they are."""
    X, y = table(shared_data / "weather.csv.gz", "label")
    race = Race(
        {
            "scale-free": LogisticRegression(step="scale-free", learning_rate=1.5),
            "adagrad": LogisticRegression(),
        },
        keep_all=True,
    ).fit(X, y.astype(int))
    error = {row.name: row.error for row in race.standings_}
    assert error["scale-free"] < 0.25 < error["adagrad"]


def test_saved_and_continued(tmp_path):
    X, y = stream(7, LogisticRegression, rows=60)
    whole = LogisticRegression(step="scale-free").fit(X, y)
    half = LogisticRegression(step="scale-free").fit(X[:30], y[:30])
    half.save(tmp_path / "half")
    again = thresher.load(tmp_path / "half").partial_fit(X[30:], y[30:])
    assert again.decision_function(X).tolist() == whole.decision_function(X).tolist()
