"""River takes the classes of `thresher.river` for its own: its checks, evaluation, ensembles and
drift detectors. Checks that a class does not pass are listed, with reasons; the list is strict."""

import copy
import pickle
import random
import subprocess
import sys

import pytest
from river import (
    base,
    checks,
    datasets,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    metrics,
    multiclass,
    preprocessing,
)

import thresher
import thresher.river
from cases import about
from deviations import passes_unless

# Data that is not scaled asks for settings that do not depend on its scale.
SETTINGS = {
    # Not the whole portfolio: LDA, which deviates, is in it.
    "Experts": {"learners": [thresher.Perceptron(), thresher.PassiveAggressive(C=0.1)]},
    "KernelPerceptron": {"budget": 50},
    "LMS": {"learning_rate": 0.5, "normalized": True},
    "PNormPerceptron": {"p": 4.0},  # whole powers are exact, so the order of a sum does not matter
    "RecursiveLeastSquares": {"l2": 1.0},
    "Snow": {"rule": "perceptron"},
    "Winnow": {"clip": True},
    "Crosses": {"pairs": [("five_thirty_eight", "gallup")]},
    "Hashing": {"bits": 8},
    "RandomFourier": {"components": 20},
}
CALIBRATED = ("AROW", "MIRA", "PassiveAggressive", "Snow", "Winnow")
SHUFFLE = "check_shuffle_features_no_impact"
DEVIATIONS = {
    ("Conjunctions", SHUFFLE): "a*b is named in the order in which a and b came first",
    ("Polynomial", SHUFFLE): "a*b is named in the order in which a and b came first",
    ("LDA", SHUFFLE): "of features that determine each other the last one has the weight",
}
KERNEL = ("KernelPerceptron", "VotedPerceptron")


def model_of(name):
    options = dict(SETTINGS.get(name, {}))
    if name in CALIBRATED:
        options["calibrate"] = True
    return getattr(thresher.river, name)(**options)


@pytest.mark.parametrize("name", dir(thresher.river))
@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
def test_checks(name):
    model = model_of(name)
    for check in checks.yield_checks(model):
        # What the others keep is in the core, where River's count of Python objects sees nothing.
        if check.__name__ == "check_bounded_memory_growth" and name not in KERNEL:
            continue
        why = DEVIATIONS.get((name, check.__name__))
        random.seed(7)  # the checks drop and shuffle features at random
        with about(check.__name__):
            passes_unless(why, lambda check=check: check(copy.deepcopy(model)))


def phishing():
    return list(datasets.Phishing().take(600))


def score(model, metric=None, data=None):
    metric = metric or metrics.Accuracy()
    return evaluate.progressive_val_score(data or phishing(), model, metric).get()


def test_the_same_is_learned():
    """One by one, as River's or as ours: nothing in between changes it."""
    theirs, ours = thresher.river.AROW(r=0.5), thresher.AROW(r=0.5)
    for x, y in phishing():
        theirs.learn_one(x, y)
        ours.learn_one(x, y)
    assert dict(theirs.top_features(99)) == dict(ours.top_features(99))


def test_files_and_pickles(tmp_path):
    model = thresher.river.Perceptron(margin=0.5)
    for x, y in phishing():
        model.learn_one(x, y)
    assert type(pickle.loads(pickle.dumps(model))) is thresher.river.Perceptron
    model.save(tmp_path / "model")
    loaded = thresher.load(tmp_path / "model")
    assert type(loaded) is thresher.Perceptron
    assert loaded.get_params() == model.get_params()
    assert loaded.coef_.tolist() == model.coef_.tolist()


def test_progressive_validation_of_probabilities():
    """A metric of probabilities asks for them, because the model is a classifier."""
    model = thresher.river.PassiveAggressive(calibrate=True)
    assert score(model, metrics.LogLoss()) < 0.5
    assert score(thresher.river.LogisticRegression(), metrics.ROCAUC()) > 0.9


def test_pipelines():
    model = preprocessing.StandardScaler() | thresher.river.Perceptron()
    assert score(model) > 0.85
    ours = thresher.river.Standard() | thresher.river.MIRA()
    images = list(datasets.ImageSegments().take(600))
    assert score(ours, data=images) > 0.7
    regression = preprocessing.StandardScaler() | thresher.river.PassiveAggressiveRegressor()
    trump = list(datasets.TrumpApproval().take(600))
    assert score(regression, metrics.MAE(), trump) < 5.0  # of approval ratings around 40
    assert model.clone()["Perceptron"].get_params() == thresher.Perceptron().get_params()


def test_ensembles_and_one_vs_rest():
    calibrated = thresher.river.PassiveAggressive(calibrate=True)
    assert score(ensemble.BaggingClassifier(calibrated, n_models=3, seed=1)) > 0.8
    assert score(ensemble.ADWINBaggingClassifier(calibrated, n_models=3, seed=1)) > 0.8
    voting = ensemble.VotingClassifier([calibrated, thresher.river.NaiveBayes()])
    assert score(voting) > 0.8
    each = multiclass.OneVsRestClassifier(
        preprocessing.StandardScaler() | thresher.river.LogisticRegression()
    )
    assert score(each, data=list(datasets.ImageSegments().take(600))) > 0.7


def test_drift_retraining():
    """A stream whose labels turn round: a model that starts anew has learned the new ones."""
    data = phishing()
    turned = data + [(x, not y) for x, y in data]
    plain = score(thresher.river.NaiveBayes(), data=turned)
    retrained = drift.DriftRetrainingClassifier(thresher.river.NaiveBayes())
    assert score(retrained, data=turned) > plain + 0.05


def test_words_and_pairs_of_words_are_features(tmp_path):
    """River's n-grams are tuples; they are spelled as those of files are, and add up with them."""
    words = feature_extraction.BagOfWords(ngram_range=(1, 2))
    assert words.transform_one("new york city") == {
        "new": 1, "york": 1, "city": 1, ("new", "york"): 1, ("york", "city"): 1,
    }  # fmt: skip
    texts = [("new york city", "place"), ("old red shoes", "thing"), ("new red city", "place")] * 3
    model = words | thresher.river.Perceptron(average=False)
    for text, label in texts:
        model.learn_one(text, label)
    learned = model["Perceptron"]
    assert {"new york", "york city", "red shoes"} < set(learned.feature_names_out_)
    path = tmp_path / "texts.csv"
    path.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in texts))
    read = thresher.Perceptron(average=False).fit_file(path, label="label", text="text", ngrams=2)
    from_file = {name.removeprefix("text="): w for name, w in read.top_features(99)}
    assert from_file == dict(learned.top_features(99))


def test_without_river():
    program = "import sys; sys.modules['river'] = None; import thresher.river"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: thresher.river needs the package river: pip install river" in done.stderr


def test_names_of_the_module():
    assert "Perceptron" in dir(thresher.river) and "Elimination" not in dir(thresher.river)
    with pytest.raises(AttributeError, match="has no 'BatchPerceptron'; it has AROW"):
        _ = thresher.river.BatchPerceptron
    assert issubclass(thresher.river.LMS, base.Regressor)
    assert thresher.river.LMS is thresher.river.LMS
