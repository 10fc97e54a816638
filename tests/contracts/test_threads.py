"""Several threads and one learner: what docs/safety.md promises.

That threads learn and predict together is also tested in test_promises.py, for every learner.
"""

import copy
import pickle

import numpy as np
import pytest

import thresher
from streams import case_id
from thresher.learners.table import LINEAR
from together import Meanwhile, run_together

rng = np.random.default_rng(0)
X = rng.random((60, 5))
CLASSIFIERS = [entry for entry in LINEAR if entry.task == "classify"]
ONLINE = [entry for entry in CLASSIFIERS if entry.online]
HAM = np.array(["ham", "spam"])[rng.integers(2, size=len(X))]
TAGS = np.array(["p", "q", "r", "s"])[rng.integers(4, size=len(X))]
ONE = {f"x{j}": float(v) for j, v in enumerate(X[0])}


def ask_all(model, known):
    """Every question: all labels that it speaks of belong together."""
    labels = set(model.predict(X[:4]).tolist()) | {model.predict_one(ONE)}
    assert labels <= known, labels
    scores = model.score_one(ONE)
    assert isinstance(scores, float) or set(scores) <= known
    assert np.isfinite(model.decision_function(X[:4])).any()
    assert set(model.classes_.tolist()) <= known
    still = copy.copy(model)
    assert len(still.intercept_) in (1, len(still.coef_))
    model.top_features()
    model.explain_one(ONE)
    if isinstance(model, thresher.NaiveBayes):
        assert np.isfinite(model.feature_log_prob_).all()
    if isinstance(model, thresher.LDA):
        assert len(model.means_) and np.isfinite(model.covariance_).all()
    if hasattr(model, "predict_proba"):
        assert np.isfinite(model.predict_proba(X[:4])).all()


# ------------------------------------------------------------------ options and whole models


@pytest.mark.parametrize("entry", ONLINE, ids=case_id)
def test_options_change_while_others_predict(entry):
    model = entry.cls().fit(X, TAGS)
    state = model._model.state()
    name = "max_epochs" if "max_epochs" in model.get_params() else "fit_prior"
    values = {"max_epochs": (1, 2, 3), "fit_prior": (False, True)}[name]

    def change():
        for i in range(60):
            model.set_params(**{name: values[i % len(values)]})

    def ask():
        for _ in range(40):
            ask_all(model, set("pqrs"))

    run_together(change, ask, ask)
    assert model._model.state() == state


def test_options_change_while_others_learn_and_no_example_is_lost():
    model = thresher.Perceptron()
    model.learn_one(ONE, "p")

    def change():
        for i in range(300):
            model.set_params(margin=i % 2)

    def learn():
        for i in range(300):
            model.learn_one(ONE, "pqrs"[i % 4])

    def predict_and_learn():
        for i in range(300):
            assert model.predict_learn_one({**ONE, f"name {i}": 1.0}, "pqrs"[i % 4]) in set("pqrs")

    run_together(change, learn, predict_and_learn)
    assert model.examples_ == 601


@pytest.mark.parametrize("entry", CLASSIFIERS, ids=case_id)
def test_a_learner_is_fitted_anew_while_others_predict(entry):
    """They hear from the model before or from the one after, never from half of each."""
    model = entry.cls().fit(X, HAM)

    def fit():
        for i in range(25):
            model.fit(X, (HAM, TAGS)[i % 2])

    def ask():
        for _ in range(60):
            labels = set(model.predict(X[:10]).tolist())
            assert labels <= {"ham", "spam"} or labels <= set("pqrs"), labels
            scores = model.score_one(ONE)
            assert isinstance(scores, float) or set(scores) == set("pqrs")
            assert model.predict_one(ONE) in {"ham", "spam", *"pqrs"}
            assert model.decision_function(X[:3]).shape in ((3,), (3, 4))

    run_together(fit, ask, ask)


def test_copies_of_a_model_that_meets_new_labels():
    model = thresher.Perceptron(calibrate=True)
    model.learn_one({"start": 1.0}, 0)

    def learn():
        for i in range(400):
            model.learn_one({f"name {i}": 1.0, "start": 1.0}, i % 100)

    def copies():
        for i in range(60):
            other = copy.copy(model) if i % 2 else pickle.loads(pickle.dumps(model))
            before = other.examples_
            assert other.predict_one({"start": 1.0}) in other.classes_
            other.learn_one({"start": 1.0}, 7)
            assert other.examples_ == before + 1
            ask_labels = other.predict_proba_one({"start": 1.0})
            assert set(ask_labels) <= set(other.classes_.tolist())

    run_together(learn, copies, copies)
    assert model.examples_ == 401


def test_a_model_is_saved_while_it_learns(tmp_path):
    model = thresher.PassiveAggressive()
    model.learn_one({"start": 1.0}, "class 0")

    def learn():
        for i in range(500):
            model.learn_one({f"name {i}": 1.0, "start": 1.0}, f"class {i % 60}")

    def save():
        for _ in range(15):
            model.save(tmp_path / "model")
            loaded = thresher.load(tmp_path / "model")
            assert loaded.predict_one({"start": 1.0}) in loaded.classes_

    run_together(learn, save)


@pytest.mark.parametrize("learner", [thresher.Perceptron, thresher.NaiveBayes, thresher.LDA])
def test_new_labels_come_by_rows_while_others_predict(learner):
    model = learner().fit(X, HAM)

    def learn():
        for i in range(30):
            labels = [f"label {i}"] * 2 + ["ham"]
            model.partial_fit(X[:3], labels)

    def ask():
        known = {"ham", "spam", *(f"label {i}" for i in range(30))}
        for _ in range(30):
            ask_all(model, known)

    run_together(learn, ask, ask)
    assert len(model.classes_) == 32


def test_rows_that_are_refused_while_others_learn_new_labels():
    """A label whose example is refused goes again; those of other threads stay."""
    model = thresher.Perceptron().fit(X, HAM)

    def refused():
        for i in range(60):
            with pytest.raises(thresher.errors.InvalidInput):
                model.learn_one({"x0": float("inf")}, f"bad {i}")

    def learn():
        for i in range(60):
            model.learn_one(ONE, f"good {i}")

    run_together(refused, learn, refused)
    assert set(model.classes_) == {"ham", "spam", *(f"good {i}" for i in range(60))}


# ------------------------------------------------------------------ files


def test_a_model_predicts_files_in_several_threads(tmp_path):
    lines = [f"{'+1' if i % 3 else '-1'} {i % 50}:1 {50 + i % 7}:{i % 5 + 1}" for i in range(3000)]
    (tmp_path / "data.svm").write_text("\n".join(lines) + "\n")
    model = thresher.Perceptron(prepare="fourier(16)").fit_file(tmp_path / "data.svm")
    expected = model.predict_file(tmp_path / "data.svm")

    def predict():
        for _ in range(2):
            assert model.predict_file(tmp_path / "data.svm") == expected

    run_together(predict, predict, predict)


def test_a_model_is_asked_while_it_learns_from_files(tmp_path):
    from thresher.data.reading import reading_options
    from thresher.training import Training

    lines = [f"{'p' if i % 3 else 'q'} | name{i} all:{i % 5}" for i in range(4000)]
    (tmp_path / "data.vw").write_text("\n".join(lines) + "\n")
    model = thresher.Perceptron(prepare="fourier(8)")
    how = reading_options(format="vw")
    model.begin_reading(how)
    with Training(model, [tmp_path / "data.vw"], reading=how) as training:
        model.learn_one({"all": 1.0}, "p")
        with Meanwhile(
            lambda: model.predict_one({"all": 1.0, "name7": 1.0, "never": 2.0})
        ) as asking:
            for _ in training:
                model.score_one({"all": 2.0})
    assert asking.times > 0
    assert model.examples_ == 4001


# ------------------------------------------------------------------ sequences


def test_sequences_are_learned_and_tagged_at_once():
    model = thresher.SequencePerceptron()
    model.learn_one([["a"], ["b"]], ["T0", "T1"])

    def learn(thread):
        for i in range(40):
            model.learn_one([["a"], [f"word {i}"]], [f"T{i % 7}", f"T{(i * thread) % 9}"])

    def tag():
        for _ in range(150):
            assert all(tag.startswith("T") for tag in model.predict_one([["a"], ["b"], ["c"]]))
            pickle.loads(pickle.dumps(model)).predict_one([["a"]])

    run_together(lambda: learn(1), lambda: learn(2), tag)
    assert model.examples_ == 81


def test_sequences_are_fitted_anew_while_others_tag():
    short = [[["a"], ["b"]]], [["p", "q"]]
    long = [[["a"], ["b"]], [["c"], ["a"]]], [["w", "x"], ["y", "z"]]
    model = thresher.SequencePerceptron().fit(*short)

    def fit():
        for i in range(60):
            model.fit(*(short, long)[i % 2])

    def tag():
        for _ in range(300):
            tags = set(model.predict_one([["a"], ["b"], ["c"], ["d"]]))
            assert tags <= set("pq") or tags <= set("wxyz"), tags

    run_together(fit, tag, tag)
