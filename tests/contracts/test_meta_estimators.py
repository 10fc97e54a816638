"""scikit-learn's meta-estimators, tools and displays over every learner of the table, and over each
kind of learner with metadata routing. What a learner cannot do is listed with its reason, and the
list is strict: a use that begins to work must leave it."""

import inspect
import pickle

import joblib
import matplotlib
import numpy as np
import pytest
import sklearn
import sklearn.inspection
from sklearn import (
    ensemble,
    feature_selection,
    metrics,
    model_selection,
    multiclass,
    multioutput,
)
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.compose import TransformedTargetRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import estimator_html_repr

from cases import about
from deviations import passes_unless
from thresher import LMS, Elimination, Perceptron, Race
from thresher.learners.table import TABLE

matplotlib.use("Agg")

# Bits, so that learners of boolean concepts take part: a conjunction of the first two columns, one
# of each class against the rest, and a number that a line fits.
RNG = np.random.default_rng(0)
X = RNG.permutation(np.array([[i >> j & 1 for j in range(4)] for i in range(16)] * 4, float))
TWO = (X[:, 0] * X[:, 1]).astype(int)
MANY = (X[:, 0] + 2 * X[:, 1]).astype(int).clip(0, 2)
PAIRS = np.column_stack([TWO, X[:, 0].astype(int)])
NUMBER = X @ [1.0, 2.0, -1.0, 0.0]
WEIGHTS = np.where(X[:, 3], 1.0, 2.0)
HALF = len(X) // 2


def an_option(model):
    """Some option, with the value that it has: a grid that every learner has."""
    name = next(iter(model.get_params(deep=False)))
    return {name: [model.get_params()[name]]}


def searched(search, model, y):
    found = search(model, an_option(model), cv=2, error_score="raise").fit(X, y)
    assert np.isfinite(found.best_score_)
    assert found.best_estimator_.get_params().keys() == model.get_params().keys()


def fits(meta, y):
    assert np.isfinite(meta.fit(X, y).score(X, y))
    assert meta.predict(X).shape == y.shape
    return meta


def fixed_threshold(model):
    meta = model_selection.FixedThresholdClassifier(
        model, threshold=0.7, response_method="predict_proba"
    ).fit(X, TWO)
    expected = meta.estimator_.predict_proba(X)[:, 1] >= 0.7
    np.testing.assert_array_equal(meta.predict(X), expected)


def cross_predicted(model, y, method):
    found = model_selection.cross_val_predict(model, X, y, cv=2, method=method)
    assert np.isfinite(found).all() and len(found) == len(y)


def selected(selector, y):
    assert 1 <= selector.fit(X, y).transform(X).shape[1] <= 4


def curve(function, model, y, **options):
    found = function(model, X, y, cv=2, error_score="raise", **options)
    assert all(np.isfinite(part).all() for part in found)


def in_threads(model, y):
    with joblib.parallel_config("threading"):
        found = model_selection.cross_val_score(model, X, y, cv=2, n_jobs=2, error_score="raise")
    alone = model_selection.cross_val_score(model, X, y, cv=2)
    np.testing.assert_array_equal(found, alone)


def routed(model, y):
    """Weights go where they were asked for, and nowhere else."""
    if not sklearn.get_config()["enable_metadata_routing"]:
        with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
            model.set_fit_request(sample_weight=True)
        return
    if "fit" not in model.metadata:
        with pytest.raises(TypeError, match="fit takes no 'sample_weight'; expected no keyword"):
            model.set_fit_request(sample_weight=True)
        return
    asked = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    search = model_selection.GridSearchCV(asked, an_option(model), cv=2, error_score="raise")
    assert np.isfinite(search.fit(X, y, sample_weight=WEIGHTS).best_score_)
    scaler = MinMaxScaler()
    weighted = make_pipeline(scaler, clone(asked)).fit(X, y, sample_weight=WEIGHTS)
    direct = clone(model).fit(scaler.fit_transform(X), y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(weighted.predict(X), direct.predict(X))
    with pytest.raises(ValueError, match="sample_weight"):
        make_pipeline(MinMaxScaler(), clone(model)).fit(X, y, sample_weight=WEIGHTS)


def frozen(model, y):
    meta = FrozenEstimator(clone(model).fit(X, y))
    np.testing.assert_array_equal(meta.fit(X, y).predict(X), meta.estimator.predict(X))


def copied(model, y):
    fitted = clone(model).fit(X, y)
    assert repr(clone(fitted)) == repr(model)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))


def shown(display):
    matplotlib.pyplot.close(display.figure_)


def displayed(name, data=(X, TWO), **options):
    def use(model):
        display = getattr(metrics, name)
        shown(display.from_estimator(clone(model).fit(*data), *data, **options))

    return use


def boundary(model):
    fitted = clone(model).fit(X[:, :2], TWO)
    display = sklearn.inspection.DecisionBoundaryDisplay.from_estimator(
        fitted, X[:, :2], grid_resolution=3, eps=0.0
    )
    shown(display)


def dependence(model, y):
    fitted = clone(model).fit(X, y)
    for response in ("auto",) if not is_classifier(model) else ("decision_function", "auto"):
        found = sklearn.inspection.partial_dependence(fitted, X, [0], response_method=response)
        assert np.isfinite(found["average"]).all()


def calibration_display(model):
    shown(CalibrationDisplay.from_estimator(clone(model).fit(X, TWO), X, TWO))


def importance(model, y):
    found = sklearn.inspection.permutation_importance(clone(model).fit(X, y), X, y, n_repeats=1)
    assert np.isfinite(found.importances_mean).all()


def estimators(model):
    return [("ours", model), ("other", GaussianNB())]


def either(y):
    """What both classifiers and regressors are used for."""
    return {
        "pipeline": lambda m: fits(make_pipeline(MinMaxScaler(), m), y),
        "grid search": lambda m: searched(model_selection.GridSearchCV, m, y),
        "random search": lambda m: searched(
            lambda *given, **o: model_selection.RandomizedSearchCV(*given, n_iter=1, **o), m, y
        ),
        "in threads": lambda m: in_threads(m, y),
        "cross_val_predict": lambda m: cross_predicted(m, y, "predict"),
        "learning_curve": lambda m: curve(
            model_selection.learning_curve, m, y, train_sizes=[0.9, 1.0]
        ),
        "validation_curve": lambda m: curve(
            model_selection.validation_curve, m, y,
            param_name=next(iter(an_option(m))), param_range=next(iter(an_option(m).values())),
        ),
        "permutation_importance": lambda m: importance(m, y),
        "SequentialFeatureSelector": lambda m: selected(
            feature_selection.SequentialFeatureSelector(m, n_features_to_select=3, cv=2), y
        ),
        "RFE": lambda m: selected(feature_selection.RFE(m), y),
        "SelectFromModel": lambda m: selected(
            feature_selection.SelectFromModel(m, threshold=-np.inf), y
        ),
        "routing": lambda m: routed(m, y),
        "FrozenEstimator": lambda m: frozen(m, y),
        "clone and pickle": lambda m: copied(m, y),
        "HTML": lambda m: estimator_html_repr(make_pipeline(MinMaxScaler(), m)),
    }  # fmt: skip


CLASSIFIER = either(TWO) | {
    "many classes": lambda m: fits(clone(m), MANY),
    "stacking": lambda m: fits(ensemble.StackingClassifier(estimators(m), cv=2), TWO),
    "voting": lambda m: fits(ensemble.VotingClassifier(estimators(m)), TWO),
    "soft voting": lambda m: fits(ensemble.VotingClassifier(estimators(m), voting="soft"), TWO),
    "bagging": lambda m: fits(ensemble.BaggingClassifier(m, n_estimators=2), TWO),
    "AdaBoost": lambda m: fits(ensemble.AdaBoostClassifier(m, n_estimators=2), TWO),
    "CalibratedClassifierCV": lambda m: fits(CalibratedClassifierCV(m, cv=2), TWO),
    "OneVsRest": lambda m: fits(multiclass.OneVsRestClassifier(m), MANY),
    "OneVsOne": lambda m: fits(multiclass.OneVsOneClassifier(m), MANY),
    "OutputCode": lambda m: fits(multiclass.OutputCodeClassifier(m, random_state=0), TWO),
    "MultiOutput": lambda m: fits(multioutput.MultiOutputClassifier(m), PAIRS),
    "ClassifierChain": lambda m: fits(multioutput.ClassifierChain(m), PAIRS),
    "SelfTraining": lambda m: SelfTrainingClassifier(m).fit(
        X, np.where(np.arange(len(X)) < HALF, TWO, -1)
    ),
    "probabilities in folds": lambda m: cross_predicted(m, TWO, "predict_proba"),
    "their logarithms": lambda m: cross_predicted(m, TWO, "predict_log_proba"),
    "scores in folds": lambda m: cross_predicted(m, TWO, "decision_function"),
    "log loss": lambda m: metrics.get_scorer("neg_log_loss")(clone(m).fit(X, TWO), X, TWO),
    "AUC": lambda m: metrics.get_scorer("roc_auc")(clone(m).fit(X, TWO), X, TWO),
    "TunedThreshold": lambda m: fits(
        model_selection.TunedThresholdClassifierCV(m, cv=2, scoring="f1", thresholds=5), TWO
    ),
    "FixedThreshold": fixed_threshold,
    "partial_dependence": lambda m: dependence(m, TWO),
    "RocCurveDisplay": displayed("RocCurveDisplay"),
    "PrecisionRecallDisplay": displayed("PrecisionRecallDisplay"),
    "DetCurveDisplay": displayed("DetCurveDisplay"),
    "ConfusionMatrixDisplay": displayed("ConfusionMatrixDisplay"),
    "CalibrationDisplay": calibration_display,
    "DecisionBoundaryDisplay": boundary,
}
REGRESSOR = either(NUMBER) | {
    "bagging": lambda m: fits(ensemble.BaggingRegressor(m, n_estimators=2), NUMBER),
    "AdaBoost": lambda m: fits(ensemble.AdaBoostRegressor(m, n_estimators=2), NUMBER),
    "voting": lambda m: fits(ensemble.VotingRegressor([("a", m), ("b", clone(m))]), NUMBER),
    "stacking": lambda m: fits(ensemble.StackingRegressor([("a", m)], cv=2), NUMBER),
    "TransformedTarget": lambda m: fits(
        TransformedTargetRegressor(m, func=np.negative, inverse_func=np.negative), NUMBER
    ),
    "MultiOutput": lambda m: fits(
        multioutput.MultiOutputRegressor(m), np.column_stack([NUMBER, -NUMBER])
    ),
    "RegressorChain": lambda m: fits(
        multioutput.RegressorChain(m), np.column_stack([NUMBER, -NUMBER])
    ),
    "partial_dependence": lambda m: dependence(m, NUMBER),
    "PredictionErrorDisplay": displayed("PredictionErrorDisplay", (X, NUMBER)),
}


def models():
    for entry in TABLE:
        options = dict(entry.variants[0])
        if "calibrate" in entry.cls.__init__.__annotations__:
            options["calibrate"] = True
        if entry.cls is Elimination:
            options["monotone"] = False
        yield entry.name, entry.cls(**options)
    yield "Perceptron that is not calibrated", Perceptron()
    yield "Race", Race([Perceptron(), Perceptron(margin=1.0)])


MODELS = dict(models())
USES = {name: CLASSIFIER if is_classifier(model) else REGRESSOR for name, model in MODELS.items()}

# ------------------------------------------------------------------ what does not work, and why

PROBABILITIES = (
    "soft voting", "SelfTraining", "probabilities in folds", "their logarithms", "log loss",
    "FixedThreshold", "CalibrationDisplay",
)  # fmt: skip
SCORES = (
    "CalibratedClassifierCV", "OneVsRest", "OneVsOne", "OutputCode", "scores in folds", "AUC",
    "TunedThreshold", "partial_dependence", "RocCurveDisplay", "PrecisionRecallDisplay",
    "DetCurveDisplay", "DecisionBoundaryDisplay",
)  # fmt: skip
WHY = {
    "weights": "a weight of two is not two copies, so fit does not name sample_weight",
    "no weights": "fit takes no weights",
    "probabilities": "it learns no probabilities",
    "scores": "it predicts labels, without scores",
    "no coef_": "it has no weights of features",
    "two": "it learns two classes",
    "contradiction": "without some column no concept agrees with the labels, which it says",
    "variables": "its concepts are of four variables",
}


def deviations():
    """(learner, use): why it does not work."""
    for name, model in MODELS.items():
        weighted = "sample_weight" in inspect.signature(model.fit).parameters
        if is_classifier(model) and not weighted:
            yield (name, "AdaBoost"), WHY["weights"]
        if is_classifier(model) and not hasattr(model, "predict_proba"):
            yield from (((name, use), WHY["probabilities"]) for use in PROBABILITIES)
        if name in {entry.name for entry in TABLE if not entry.linear} | {"Race"}:
            yield from (((name, use), WHY["no coef_"]) for use in ("RFE", "SelectFromModel"))
        if name in {entry.name for entry in TABLE if entry.boolean}:
            yield from (((name, use), WHY["scores"]) for use in SCORES)
            yield (name, "AdaBoost"), WHY["no weights"]
            yield (name, "many classes"), WHY["two"]
            yield (name, "SequentialFeatureSelector"), WHY["contradiction"]
            if name != "Elimination":
                yield (name, "SequentialFeatureSelector"), WHY["variables"]
                yield (name, "ClassifierChain"), WHY["variables"]


DEVIATIONS = dict(deviations())


def of_each_kind():
    """One learner of each kind that routing tells apart: it sees no more of one than its
    `metadata`."""
    kinds = {}
    for name, model in MODELS.items():
        kinds.setdefault((is_classifier(model), str(model.metadata)), name)
    return list(kinds.values())


USED = [(name, False) for name in MODELS] + [(name, True) for name in of_each_kind()]


@pytest.mark.parametrize(("name", "routing"), USED)
@pytest.mark.filterwarnings("ignore")
def test_use(name, routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        for use, function in USES[name].items():
            why = DEVIATIONS.get((name, use))
            with about(use):
                passes_unless(why, lambda function=function: function(clone(MODELS[name])))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_routing(name):
    model = clone(MODELS[name])
    with sklearn.config_context(enable_metadata_routing=True):
        routed(model, TWO if is_classifier(model) else NUMBER)


def test_learners_go_to_other_processes():
    """Once: that takes a second to begin, and test_use has shown that each can be pickled."""
    for model, y in ((Perceptron(), TWO), (LMS(), NUMBER)):
        alone = model_selection.cross_val_score(model, X, y, cv=2)
        found = model_selection.cross_val_score(model, X, y, cv=2, n_jobs=2)
        np.testing.assert_array_equal(found, alone)
