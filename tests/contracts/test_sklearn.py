"""scikit-learn takes our learners for its own, though nothing here imports it before it is used."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import check_class_weight_classifiers

import thresher
from deviations import name_of, passes_unless, sklearn_checks
from thresher import (
    LMS,
    MIRA,
    BalancedWinnow,
    ConfidenceWeighted,
    LogisticRegression,
    NaiveBayes,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Snow,
    TruncatedPerceptron,
    Winnow,
)
from thresher.errors import InvalidInput, NotLearned
from thresher.learners.table import LINEAR

SOURCES = Path(thresher.__file__).parent


@thresher.rule(jit=False)
def timid(margin, sqnorm, *, C=1.0):
    """Passive-Aggressive I, written by a user."""
    return min(C, max(0.0, 1.0 - margin) / sqnorm) if sqnorm else 0.0


# Winnow rightly refuses what lies outside [0, 1], and the checks of scikit-learn are full of it.
ESTIMATORS = [e.cls(clip=True) if e.cls in (Winnow, Snow) else e.cls() for e in LINEAR] + [
    Perceptron(calibrate=True),
    Perceptron(prepare="standard, polynomial(2)"),
    LMS(prepare="maxabs"),
    timid(),
]
NEGATIVE = "the check has counts below 0"
ONE_PASS = "one pass over fifty rows of noise that are not scaled: see test_class_weight"
DEVIATIONS = {
    ("NaiveBayes()", "check_decision_proba_consistency"): NEGATIVE,
    ("NaiveBayes()", "check_class_weight_classifiers"): NEGATIVE,
} | {
    (repr(model), "check_class_weight_classifiers"): ONE_PASS
    for model in (
        Perceptron(), Perceptron(calibrate=True), TruncatedPerceptron(), PNormPerceptron(),
        PassiveAggressive(),
        MIRA(), ConfidenceWeighted(), LogisticRegression(), BalancedWinnow(), timid(),
    )
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
@sklearn_checks(*ESTIMATORS, NaiveBayes("bernoulli"))
def test_check_estimator(estimator, check):
    why = DEVIATIONS.get((repr(estimator), name_of(check)))
    passes_unless(why, lambda: check(estimator))


@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
@pytest.mark.parametrize(
    "cls",
    [Perceptron, PassiveAggressive, MIRA, ConfidenceWeighted, LogisticRegression, BalancedWinnow],
)
def test_class_weight(cls):
    check_class_weight_classifiers(cls.__name__, cls(max_epochs=100, prepare="standard"))


def test_weights_that_are_all_zero():
    """For scikit-learn this is a check of those that name sample_weight; it holds for all."""
    for model in ESTIMATORS:
        with pytest.raises(InvalidInput, match="sample_weight is zero for all 2 rows"):
            clone(model).fit([[0.0], [1.0]], [0, 1], sample_weight=[0.0, 0.0])


@pytest.fixture(scope="module")
def blobs():
    generator = np.random.default_rng(0)
    y = generator.integers(0, 3, 240)
    centres = np.array([[0.2, 0.2, 0.8], [0.8, 0.2, 0.2], [0.2, 0.8, 0.5]])
    return np.clip(centres[y] + generator.normal(0, 0.1, (240, 3)), 0, 1), y


CLASSIFIERS = [e for e in ESTIMATORS if is_classifier(e)]
REGRESSORS = [e for e in ESTIMATORS if is_regressor(e)]


def test_each_is_a_classifier_or_a_regressor():
    assert len(CLASSIFIERS) + len(REGRESSORS) == len(ESTIMATORS)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_pipeline_grid_search_and_cross_validation(model, blobs):
    X, y = blobs
    pipeline = make_pipeline(MinMaxScaler(), clone(model))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.5
    step = pipeline.steps[-1][0]
    epochs = "max_epochs" in model.get_params()
    other = "alpha" if "alpha" in model.get_params() else "shrinkage"
    option, values = ("max_epochs", (1, 5)) if epochs else (other, (0.1, 1.0))
    search = GridSearchCV(pipeline, {f"{step}__{option}": values}, cv=3, error_score="raise")
    assert search.fit(X, y).best_score_ > 0.6
    assert search.predict(X).shape == y.shape
    assert search.best_estimator_[-1].get_params()[option] in values


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_regressors_in_a_pipeline(model):
    generator = np.random.default_rng(1)
    X = generator.normal(size=(300, 4))
    y = X @ [1.0, -2.0, 3.0, 0.5] + 1.0
    pipeline = make_pipeline(StandardScaler(), clone(model))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    search = GridSearchCV(clone(model), {"fit_intercept": [True, False]}, cv=3).fit(X, y)
    assert search.best_params_ == {"fit_intercept": True}


def test_meta_estimators(blobs):
    X, y = blobs
    assert OneVsRestClassifier(Perceptron(max_epochs=5)).fit(X, y).score(X, y) > 0.8
    assert BaggingClassifier(PassiveAggressive(), random_state=0).fit(X, y).score(X, y) > 0.8
    proba = cross_val_predict(PassiveAggressive(calibrate=True), X, y, method="predict_proba")
    assert proba.shape == (240, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_text_and_dict_pipelines():
    texts = ["cheap pills now", "lunch at noon", "cheap cheap offer", "see you at lunch"]
    labels = ["spam", "ham", "spam", "ham"]
    words = make_pipeline(CountVectorizer(), Perceptron(max_epochs=None)).fit(texts, labels)
    assert words.predict(["cheap lunch pills"]).tolist() == ["spam"]
    dicts = [{"word": text.split()[0], "length": len(text)} for text in texts]
    learner = Perceptron(average=False, max_epochs=None)
    named = make_pipeline(DictVectorizer(), learner).fit(dicts, labels)
    assert named.predict(dicts).tolist() == labels


@pytest.mark.parametrize("entry", LINEAR, ids=lambda e: e.name)
def test_clone_has_the_options_and_nothing_learned(entry):
    for options in entry.variants:
        model = entry.cls(**options)
        copy = clone(model)
        assert copy is not model
        assert copy.get_params() == model.get_params()
        model.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
        assert not hasattr(clone(model), "classes_")
        assert not hasattr(clone(model), "n_features_in_")


def test_parameters():
    model = Perceptron(margin=0.5)
    assert list(model.get_params()) == sorted(model.get_params())
    assert model.set_params(margin=2.0) is model
    assert model.margin == 2.0
    with pytest.raises(ValueError, match=r"Invalid parameter 'gamma'.*Valid parameters are"):
        model.set_params(gamma=1.0)
    assert repr(model) == "Perceptron(margin=2.0)"


def test_options_of_a_learner_that_has_learned():
    model = PassiveAggressive(average=False).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    before = model.coef_
    model.set_params(C=0.001)
    np.testing.assert_array_equal(model.coef_, before)
    model.partial_fit([[0.0, 1.0]], [1])
    assert 0 < abs(model.coef_ - before).max() < 0.01
    for wrong, words in (
        ({"C": -1.0}, "C is -1.0; expected a finite number > 0"),
        ({"variant": "PA-III"}, "expected one of 'PA', 'PA-I', 'PA-II'"),
        ({"average": True}, "average cannot change from False to True once learning has begun"),
    ):
        with pytest.raises(InvalidInput, match=words):
            model.set_params(**wrong)
        assert model.get_params() == PassiveAggressive(C=0.001, average=False).get_params()
    assert model.predict([[1.0, 0.0]]) == [1]


def test_sample_weight(blobs):
    X, y = blobs
    weights = np.where(y == 2, 0.0, 1.0)
    for learn in ("fit", "partial_fit"):
        weighted = getattr(Perceptron(), learn)(X, y, sample_weight=weights)
        without = getattr(Perceptron(), learn)(X[y < 2], y[y < 2])
        np.testing.assert_array_equal(weighted.coef_, without.coef_)
        assert weighted.classes_.tolist() == [0, 1]
    heavy = PassiveAggressive(C=0.25).fit(X, y, sample_weight=np.full(240, 4.0))
    np.testing.assert_array_equal(heavy.coef_, PassiveAggressive(C=1.0).fit(X, y).coef_)
    pipeline = make_pipeline(StandardScaler(), LMS())
    pipeline.fit(X, y, lms__sample_weight=np.ones(240))
    assert pipeline[-1].examples_ == 240
    right = Perceptron().fit(X, y)
    assert right.score(X, right.predict(X), sample_weight=weights) == 1.0


def test_fit_takes_nothing_but_sample_weight():
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        Perceptron().fit([[1.0]], [1], weights=[1.0])


@pytest.mark.parametrize("entry", LINEAR, ids=lambda e: e.name)
def test_fit_forgets_and_leaves_foreign_attributes(entry):
    model = entry.cls()
    model.note = "mine"
    table = pandas.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    model.fit(table, [0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    model.fit([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], [0, 1])
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3
    assert model.examples_ == (2 if entry.online else 2 * model.epochs_)
    assert model.note == "mine"


TABLES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_tables_by_column_name(make, blobs):
    X, y = blobs
    columns = dict(zip(("left", "middle", "right"), X.T, strict=True))
    model = Perceptron().fit(make(columns), y)
    np.testing.assert_array_equal(model.coef_, Perceptron().fit(X, y).coef_)
    assert model.feature_names_in_.tolist() == list(columns)
    one_by_one = [model.predict_one(dict(zip(columns, row, strict=True))) for row in X.tolist()]
    assert model.predict(make(columns)).tolist() == one_by_one
    with pytest.raises(ValueError, match="same order"):
        model.predict(make({name: columns[name] for name in sorted(columns, reverse=True)}))
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- top.*now missing:\n- right"):
        model.predict(make({"left": X[:, 0], "middle": X[:, 1], "top": X[:, 2]}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        Perceptron().fit(X, y).predict(make(columns))


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_a_model_of_dicts_answers_tables(make):
    """Columns are found by name, and a question teaches no new names."""
    model = Winnow()
    examples = [({"a": 1.0, "b": 0.5}, True), ({"b": 1.0}, False), ({"a": 0.25, "c": 1.0}, True)]
    for x, y in examples:
        model.learn_one(x, y)
    questions = {"c": [1.0, 0.0], "new": [1.0, 0.5], "a": [0.0, 1.0]}
    state = pickle.dumps(model)
    asked = model.decision_function(make(questions))
    rows = [{name: values[i] for name, values in questions.items()} for i in range(2)]
    assert asked.tolist() == [model.score_one(x) for x in rows]
    assert pickle.dumps(model) == state
    with pytest.raises(ValueError, match="trained on named features"):
        model.predict([[1.0, 0.0, 0.0]])
    model.partial_fit(make(questions), [True, False])
    assert model.examples_ == 5
    assert dict(model.top_features(10)).keys() == {"a", "b", "c", "new"}


def test_not_learned_is_also_not_fitted():
    for model in ESTIMATORS:
        for ask in (lambda m: m.predict([[1.0]]), lambda m: m.coef_):
            with pytest.raises(NotFittedError, match=r"not fitted yet.*Call fit") as caught:
                ask(clone(model))
            assert isinstance(caught.value, NotLearned)
            assert isinstance(pickle.loads(pickle.dumps(caught.value)), NotLearned)


HEAVY = {
    "sklearn", "scipy", "pandas", "polars", "pyarrow", "numba", "matplotlib", "safetensors",
    "river",
}  # fmt: skip


def test_import_loads_only_numpy_and_the_core():
    program = (
        "import sys, thresher; m = thresher.Perceptron(); m.learn_one({'a': 1.0}, 1);"
        "m.learn_one({'b': 1.0}, 0); m.predict_one({'a': 1.0}); m.fit([[1.0], [0.0]], [1, 0]);"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(loaded.stdout.split())


def test_only_learners_concepts_and_data_touch_the_core():
    """The rest of the package reaches the engine through a learner, a version space, a reader or a
    transformer."""
    importers = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if "thresher._core" in set(imported_modules(path))
    }
    assert importers
    allowed = (
        "learners/",
        "concepts/version_space.py",
        "data/",
        "features/",
        "training.py",
        "drift.py",
        "drifting.py",
        "parsed_examples.py",
        "reporting.py",
        "race/",
        "mixing/",
        "cluster/",
        "consume/",
        "serve/",
        "cli/",
    )
    assert all(name.startswith(allowed) for name in importers), importers


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
