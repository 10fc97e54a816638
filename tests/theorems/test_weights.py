"""Weights that are set, averaged, added up; and fits that go on."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from thresher import (
    LMS,
    MIRA,
    LabelEfficientPerceptron,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    add_weights,
    average_weights,
)
from thresher.errors import InvalidInput
from thresher.learners.table import LINEAR
from thresher.theory.bounds import novikoff

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15)
ADDING = [e for e in LINEAR if e.online and e.cls.engine.geometry == "additive"]
OTHERS = [e for e in LINEAR if e.online and e.linear and e.cls.engine.geometry != "additive"]


def stream(seed, classes=2, size=60, n=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=size)
    y[:classes] = rng.permutation(classes)
    return np.abs(np.clip(rng.normal(size=(size, n)), -1, 1)), y


def target_of(entry, X, y):
    return y if entry.task == "classify" else X @ np.arange(1.0, X.shape[1] + 1.0)


def fixed(entry):
    """LMS's own rate is a statistic of its run; clipped predictions are not linear."""
    if entry.task == "regress":
        rate = {"learning_rate": 0.1} if entry.name == "LMS" else {}
        return entry.cls(clip_predictions=False, **rate)
    return entry.cls()


# ------------------------------------------------------------------ set


@pytest.mark.parametrize("entry", ADDING, ids=lambda e: e.name)
@pytest.mark.parametrize("classes", [2, 4])
def test_what_was_set_is_there_and_learning_goes_on_from_it(entry, classes, tmp_path):
    X, y = stream(1, classes)
    y = target_of(entry, X, y)
    model = fixed(entry).fit(X, y)
    rng = np.random.default_rng(2)
    w, b = rng.normal(size=np.shape(model.coef_)), rng.normal(size=np.shape(model.intercept_))
    before = model.examples_
    assert model.set_weights(w, b) is model
    np.testing.assert_allclose(model.coef_, w, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-12)
    assert model.examples_ == before
    model.save(tmp_path / "model")
    loaded = thresher.load(tmp_path / "model").partial_fit(X, y)
    assert np.array_equal(loaded.coef_, model.partial_fit(X, y).coef_)
    if entry.name in ("Perceptron", "PassiveAggressive", "MIRA"):
        begun = entry.cls().fit(X, y, coef_init=w, intercept_init=b)
        np.testing.assert_allclose(model.coef_, begun.coef_, rtol=1e-9, atol=1e-12)


def test_labels_keep_their_rows_whatever_order_they_came_in():
    model = Perceptron(average=False).fit([[0.0]] * 3, ["c", "a", "b"])
    model.set_weights([[3.0], [1.0], [2.0]], [0.0, 0.5, 0.0])
    assert model.score_one({"x0": 1.0}) == {"a": 3.0, "b": 1.5, "c": 2.0}
    two = Perceptron(average=False).fit([[0.0]] * 2, ["b", "a"]).set_weights([2.0])
    assert two.predict([[1.0], [-1.0]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("entry", OTHERS, ids=lambda e: e.name)
def test_where_weights_are_not_all_it_says_what_else_there_is(entry):
    X, y = stream(3)
    model = entry.cls().fit(X, target_of(entry, X, y))
    kept = copy.copy(model)
    for attempt in (lambda: model.set_weights(model.coef_), lambda: add_weights([model, model])):
        with pytest.raises(InvalidInput, match=f"{entry.name} (also has|cannot be mixed)"):
            attempt()
    assert np.array_equal(kept.coef_, model.coef_)


def test_weights_that_cannot_be_set():
    X, y = stream(4)
    model = Perceptron(fit_intercept=False).fit(X, y)
    for coef, intercept, why in (
        ([1.0], None, r"coef has shape \(1,\); expected \(1, 4\)"),
        (np.ones((2, 4)), None, r"coef has shape \(2, 4\); expected \(1, 4\)"),
        ([1.0, 2.0, np.inf, 0.0], None, "coef holds a NaN or an infinity"),
        (np.ones(4), [1.0], "fit_intercept is False"),
        (["a", "b", "c", "d"], None, "coef holds"),
    ):
        with pytest.raises(InvalidInput, match=why):
            model.set_weights(coef, intercept)
    with pytest.raises(InvalidInput, match="live audit"):
        Perceptron().fit(X, y, audit="live").set_weights(np.ones(4))
    with pytest.raises(InvalidInput, match="has seen one label"):
        Perceptron().fit(X, np.ones(len(X), int)).set_weights(np.ones(4))
    with pytest.raises(InvalidInput, match="the statistics of prepare='standard'"):
        Perceptron(prepare="standard").fit(X, y).set_weights(np.ones(4))
    with pytest.raises(thresher.errors.NotLearned):
        Perceptron().set_weights(np.ones(4))
    with pytest.raises(InvalidInput, match="weights that were given"):
        Perceptron().fit(X, y).set_weights(np.ones(4)).audit(X, y)


# ------------------------------------------------------------------ the mean and the sum


@pytest.mark.parametrize("entry", ADDING, ids=lambda e: e.name)
@pytest.mark.parametrize("classes", [2, 3])
@few
@given(seed=seeds)
def test_scores_are_the_mean_or_the_sum_of_the_scores(entry, classes, seed):
    X, y = stream(seed, classes, size=30)
    parts = []
    for p in range(3):
        rows = np.random.default_rng([seed, p]).permutation(30)
        parts.append(fixed(entry).fit(X[rows], target_of(entry, X, y)[rows]))
    score = [getattr(m, "decision_function", m.predict)(X) for m in parts]
    for made, expected in (
        (average_weights(parts), np.mean(score, axis=0)),
        (average_weights(parts, [0.5, 0.2, 0.3]),
         0.5 * score[0] + 0.2 * score[1] + 0.3 * score[2]),
        (add_weights(parts), np.sum(score, axis=0)),
    ):  # fmt: skip
        found = getattr(made, "decision_function", made.predict)(X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        assert made.examples_ == sum(m.examples_ for m in parts)
        made.partial_fit(X, target_of(entry, X, y))  # it goes on


def test_of_one_learner_it_is_that_learner():
    X, y = stream(5, 3)
    for model in (Perceptron(), PassiveAggressive(average=False), LabelEfficientPerceptron()):
        model.fit(X, y)
        again = average_weights([model])
        assert np.array_equal(again.coef_, model.coef_)
        np.testing.assert_allclose(
            again.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_, rtol=1e-9, atol=1e-12
        )
        assert again.mistakes_ == model.mistakes_


def test_names_are_joined_in_their_order_and_labels_found(tmp_path):
    streams = ["a b | x", "b c | y"], ["c d | y", "a d | x"]
    parts = [Perceptron(average=False), Perceptron(average=False)]
    for part, lines in zip(parts, streams, strict=True):
        for line in lines:
            names, label = line.split(" | ")
            part.learn_one(names.split(), label)
    mean = average_weights(parts)
    assert mean.feature_names_out_.tolist() == ["a", "b", "c", "d"]
    for name in "abcd":
        scores = [part.score_one([name]) for part in parts]
        assert mean.score_one([name]) == pytest.approx(np.mean(scores))
    mean.save(tmp_path / "model")
    assert thresher.load(tmp_path / "model").score_one(["a"]) == mean.score_one(["a"])
    mean.learn_one(["e"], "x")
    assert mean.feature_names_out_.tolist()[-1] == "e"


def test_from_files_and_with_hashed_names(tmp_path):
    for part, lines in enumerate(("1 a:1 b:2\n0 c:1\n", "1 b:1\n0 d:1 a:1\n")):
        (tmp_path / f"{part}.vw").write_text(
            "".join(f"{line.split()[0]} | {' '.join(line.split()[1:])}\n"
                    for line in lines.splitlines())
        )  # fmt: skip
    for options in ({}, {"hash_bits": 6}):
        parts = [Perceptron().fit_file(tmp_path / f"{p}.vw", **options) for p in range(2)]
        mean = average_weights(parts)
        for name in "abcd":
            expected = np.mean([part.score_one({name: 1.0}) for part in parts])
            assert mean.score_one({name: 1.0}) == pytest.approx(expected)
        assert mean.predict_file(tmp_path / "0.vw") is not None


def test_learners_that_were_not_trained_alike_are_refused():
    X, y = stream(6)
    one = Perceptron().fit(X, y)
    for others, why in (
        ([], "no learners"),
        ([one, PassiveAggressive().fit(X, y)], "learner 1 is a PassiveAggressive"),
        ([one, Perceptron(margin=0.5).fit(X, y)], "learner 1 has margin=0.5, the first 0.0"),
        ([one, Perceptron().fit(X[:, :3], y)], "learner 1 has columns 3, the first 4"),
        ([LMS().fit(X, y)], "learning_rate='auto'"),
        ([3], "learner 0 is 3"),
    ):
        with pytest.raises(InvalidInput, match=why):
            average_weights(others)
    pandas = pytest.importorskip("pandas")
    tables = [pandas.DataFrame(X, columns=list(names)) for names in ("abcd", "abce")]
    with pytest.raises(InvalidInput, match=r"learner 1 has column names \['a', 'b', 'c', 'e'\]"):
        average_weights([Perceptron().fit(table, y) for table in tables])
    for shares in ([1.0], [0.5, 0.6], [-0.5, 1.5]):
        with pytest.raises(InvalidInput, match="expected"):
            average_weights([one, one], shares)
    with pytest.raises(thresher.errors.NotLearned):
        average_weights([Perceptron()])


@few
@given(seed=seeds, shards=st.integers(1, 4))
def test_iterative_parameter_mixing_keeps_its_theorem(seed, shards):
    """McDonald, Hall & Mann 2010: passes over shards that all start at the mean of the last pass,
    of separable data: the mistakes, each weighted by its share, are at most R²/γ²."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=5)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(80, 5))
    y = np.where(X @ u >= 0.0, 1, -1)
    X += 0.3 * y[:, None] * u
    y[:8], X[:8] = np.tile([1, -1], 4), np.abs(X[:8]) * np.sign(u) * np.tile([1, -1], 4)[:, None]
    R, gamma = np.linalg.norm(X, axis=1).max(), (y * (X @ u)).min()
    options = {"average": False, "fit_intercept": False, "warm_start": True}
    models = [Perceptron(**options) for _ in range(shards)]
    weighted = 0.0
    for _ in range(6):
        for i, model in enumerate(models):
            before = model.mistakes_ if model._model else 0
            model.fit(X[i::shards], y[i::shards])
            weighted += (model.mistakes_ - before) / shards
        mean = average_weights(models)
        for model in models:
            model.set_weights(mean.coef_, mean.intercept_)
    assert weighted <= novikoff(R, gamma).value


# ------------------------------------------------------------------ warm start


WARM = [e for e in LINEAR if "warm_start" in e.cls().get_params()]


@pytest.mark.parametrize("entry", WARM, ids=lambda e: e.name)
def test_a_warm_fit_goes_on_as_partial_fit_does(entry, tmp_path):
    X, y = stream(7, 3)
    y = target_of(entry, X, y)
    warm, stepwise = entry.cls(warm_start=True), entry.cls()
    for begin in (0, 20, 40):
        warm.fit(X[begin : begin + 20], y[begin : begin + 20])
        stepwise.partial_fit(X[begin : begin + 20], y[begin : begin + 20])
    assert np.array_equal(warm.coef_, stepwise.coef_)
    assert (warm.examples_, warm.updates_) == (stepwise.examples_, stepwise.updates_)
    assert warm.epochs_ == 1  # of the last fit
    warm.save(tmp_path / "model")
    loaded = thresher.load(tmp_path / "model")
    assert loaded.warm_start is True
    assert np.array_equal(loaded.fit(X, y).coef_, stepwise.partial_fit(X, y).coef_)
    cold = entry.cls().fit(X, y)
    assert np.array_equal(warm.set_params(warm_start=False).fit(X, y).coef_, cold.coef_)


def test_what_has_a_warm_start():
    without = {e.name for e in LINEAR if e.online and e.linear} - {e.name for e in WARM}
    assert without == {"NaiveBayes", "LDA", "RecursiveLeastSquares"}  # sums over all examples


def test_a_warm_fit_that_fails_leaves_all_as_it_was():
    X, y = stream(8)
    model = Perceptron(warm_start=True).fit(X, y)
    coef, examples = model.coef_, model.examples_
    with pytest.raises(InvalidInput):
        model.fit(np.vstack([X, np.full((1, 4), np.nan)]), np.append(y, 0))
    with pytest.raises(InvalidInput):
        model.fit(X[:, :2], y)
    assert np.array_equal(model.coef_, coef) and model.examples_ == examples


def test_given_weights_come_before_those_that_are_there():
    X, y = stream(9)
    model = Perceptron(warm_start=True).fit(X, y)
    begun = Perceptron().fit(X, y, coef_init=np.ones(4))
    assert np.array_equal(model.fit(X, y, coef_init=np.ones(4)).coef_, begun.coef_)


def test_a_proof_is_of_the_last_fit():
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    model = Perceptron(max_epochs=None, warm_start=True)
    with pytest.warns(thresher.errors.NotSeparableWarning):
        model.fit(xor, [0, 1, 1, 0])
    assert model.cycled_ and model.certificate_ is not None
    model.fit(xor, [0, 1, 1, 1])
    assert model.converged_ and not model.cycled_ and model.certificate_ is None
    assert model.predict(xor).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("cls", [LMS, PassiveAggressiveRegressor, MIRA])
def test_several_passes_of_a_warm_fit(cls):
    X, y = stream(10)
    y = y if cls is MIRA else y.astype(float)
    model = cls(warm_start=True, max_epochs=2).fit(X, y).fit(X, y)
    once = cls()
    for _ in range(4):
        once.partial_fit(X, y)
    assert np.array_equal(model.coef_, once.coef_)
