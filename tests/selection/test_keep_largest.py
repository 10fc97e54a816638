"""A cut model predicts with the largest weights of the model it was cut from, and no others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from cases import about
from streams import CASES, case_id
from thresher import LMS, Perceptron, Snow, TruncatedPerceptron, Winnow
from thresher.errors import InvalidInput, NotLearned
from thresher.prepare import are_bent
from thresher.selection import keep_largest

CLASSIFIERS = [
    (entry, options)
    for entry, options in CASES
    if entry.task == "classify" and not are_bent(options.get("prepare"))
]


def rows(classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((80, 9)) * (rng.random((80, 9)) < 0.6)
    return X, np.argmax(X[:, :classes] + 0.3 * rng.random((80, classes)), axis=1)


def cut_rows(weights, k):
    out = np.zeros_like(weights)
    for row, into in zip(weights, out, strict=True):
        best = np.argsort(-np.abs(row), kind="stable")[:k]
        into[best] = row[best]
    return out


@pytest.mark.parametrize(("entry", "options"), CLASSIFIERS, ids=case_id)
def test_the_weights_are_the_largest_of_the_models(entry, options):
    for classes in (2, 4):
        X, y = rows(classes)
        model = entry.cls(**options).fit(X, y)
        for k in (1, 3, 9, 50):
            with about(f"{k} of {classes} classes"):
                check_cut(keep_largest(model, k), model, entry, options, X, k, classes)


def check_cut(cut, model, entry, options, X, k, classes):
    np.testing.assert_array_equal(cut.coef_, cut_rows(model.coef_, k))
    np.testing.assert_array_equal(cut.intercept_, model.intercept_)
    assert cut.classes_.tolist() == model.classes_.tolist()
    assert np.count_nonzero(cut.coef_, axis=1).max() <= k
    assert cut.examples_ == model.examples_
    assert entry.quadratic or cut.mistakes_ == model.mistakes_
    scores = X @ cut.coef_.T + cut.intercept_
    found = cut.decision_function(X)
    np.testing.assert_allclose(found, scores[:, 0] if classes == 2 else scores, atol=1e-9)
    if k >= 9:  # all of them (Bernoulli's model takes any value but 0 for 1)
        X = (X > 0).astype(float) if options.get("kind") == "bernoulli" else X
        found = cut.decision_function(X)
        np.testing.assert_allclose(found, model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("prepare", ["unit", "conjunctions(2)", "standard, fourier(20)"])
def test_weights_of_prepared_rows_are_not_those_of_features(prepare):
    model = Perceptron(prepare=prepare).fit(*rows(2))
    with pytest.raises(InvalidInput, match=r"thresher\.features"):
        keep_largest(model, 3)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), classes=st.sampled_from([2, 3]))
def test_it_is_saved_copied_and_goes_on_within_its_budget(seed, k, classes, tmp_path_factory):
    X, y = rows(classes, seed)
    y[:classes] = np.arange(classes)
    cut = keep_largest(Perceptron().fit(X, y), k)
    path = tmp_path_factory.mktemp("cut") / "model"
    cut.save(path)
    loaded = thresher.load(path)
    for model in (cut, loaded):
        model.partial_fit(X, y)
        assert np.count_nonzero(model.coef_, axis=1).max() <= k
    np.testing.assert_array_equal(loaded.coef_, cut.coef_)


def test_a_model_of_names_forgets_the_others(tmp_path):
    model = Perceptron()
    for i in range(300):
        model.learn_one({f"noise {i}": 0.1, f"sign {i % 2}": 1.0}, "odd" if i % 2 else "even")
    cut = keep_largest(model, 2)
    assert dict(cut.top_features()).keys() == {"sign 0", "sign 1"}
    assert dict(cut.top_features()) == dict(model.top_features(2))
    assert cut.predict_one({"sign 1": 1.0, "unheard of": 5.0}) == "odd"
    assert cut.explain_one({"sign 1": 1.0})["sign 1"] == dict(model.top_features(2))["sign 1"]
    model.save(tmp_path / "whole")
    cut.save(tmp_path / "cut")
    assert 3 * (tmp_path / "cut").stat().st_size < (tmp_path / "whole").stat().st_size
    again = thresher.load(tmp_path / "cut")
    assert again.top_features() == cut.top_features()
    again.learn_one({"noise 7": 10.0}, "odd")
    assert again.n_features_used_ <= 2


def test_a_table_keeps_its_columns():
    import pandas

    X, y = rows(2)
    table = pandas.DataFrame(X, columns=list("abcdefghi"))
    model = Perceptron().fit(table, y)
    cut = keep_largest(model, 3)
    assert cut.feature_names_in_.tolist() == list("abcdefghi")
    assert cut.predict(table).shape == (80,)
    assert cut.top_features() == model.top_features(3)


def test_files_are_read_as_the_model_reads_them(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text("label,text\n" + "1,good fine film\n0,bad dull film\n" * 20)
    model = Perceptron().fit_file(path, text="text")
    cut = keep_largest(model, 4)
    assert len(cut.top_features()) == 4 and "film" not in dict(cut.top_features())
    assert cut.predict_file(path) == model.predict_file(path)
    hashed = keep_largest(Perceptron().fit_file(path, text="text", hash_bits=10), 4)
    assert hashed.predict_file(path) == model.predict_file(path)


def test_the_model_itself_stays_as_it_was():
    X, y = rows(2)
    model = Perceptron().fit(X, y)
    before = model.coef_.copy()
    keep_largest(model, 1).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.parametrize("k", [0, -1, True, 2.0, "three"])
def test_a_budget_that_cannot_be(k):
    with pytest.raises(InvalidInput, match=r"k is .*; expected a whole number ≥ 1"):
        keep_largest(Perceptron().fit([[1.0], [0.0]], [0, 1]), k)


def test_models_that_cannot_be_cut():
    with pytest.raises(InvalidInput, match="has met 1 label"):
        keep_largest(Perceptron().fit([[1.0]], [1]), 1)
    with pytest.raises(NotLearned):
        keep_largest(Perceptron(), 1)
    snow = Snow(multi_label=True).fit([[1.0], [0.0]], [["a"], ["b"]])
    for model in (LMS().fit([[1.0], [2.0]], [1.0, 2.0]), snow, "perceptron", None):
        with pytest.raises(InvalidInput, match="is not a linear classifier of one label"):
            keep_largest(model, 1)


def test_winnow_shrinks_by_itself():
    """Of 200 features three matter. Weights of the others fall or stay far below the threshold, so
    the few largest decide as all do."""
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 200)) < 0.05).astype(float)
    y = X[:, :3].any(axis=1)
    model = Winnow(max_epochs=5).fit(X, y)
    assert model.n_features_used_ == 200  # no weight is 0: they start at 1
    cut = keep_largest(model, 3)
    assert set(np.flatnonzero(cut.coef_[0])) == {0, 1, 2}
    assert cut.score(X, y) == model.score(X, y) == 1.0
    assert isinstance(cut, TruncatedPerceptron)
