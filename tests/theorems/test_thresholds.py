"""`threshold`: the best cut of all edges, chosen on the stream, kept with the model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

import thresher
from commands import Commands
from thresher import AROW, LogisticRegression, PassiveAggressive, Perceptron
from thresher.errors import InvalidInput
from thresher.reference import threshold as reference
from thresher.training import Plan, Training

MERITS = {
    "f1": reference.f1,
    "f1(0)": reference.f1_of_negatives,
    "balanced": reference.balanced,
    "cost": reference.saved(5.0, 2.0),
}
COSTS = {1: 5.0, 0: 2.0}


def rare(seed, rows=3000, share=0.1):
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < share).astype(int)
    return rng.normal(size=(rows, 3)) + 1.2 * y[:, None], y


@pytest.mark.parametrize("kind", MERITS)
@given(
    seed=st.integers(0, 2**32 - 1),
    cls=st.sampled_from([Perceptron, LogisticRegression, PassiveAggressive]),
    scale=st.sampled_from([1e-8, 1.0, 1e9]),
)
def test_the_cut_is_that_of_the_reference(kind, seed, cls, scale):
    """Given the scores before each example was learned, to the last bit."""
    X, y = rare(seed, 70, 0.3)
    weights = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 2.5], len(y))
    model = cls(threshold=COSTS if kind == "cost" else kind)
    plain = reference.Threshold(MERITS[kind])
    for x, label, weight in zip(X * scale, y.tolist(), weights, strict=True):
        example = dict(zip("abc", x, strict=True))
        both = model.examples_ > 0 and len(model.classes_) == 2 if model._model else False
        score = model.score_one(example) if both else 0.0
        model.learn_one(example, label, sample_weight=weight)
        if both and weight > 0.0:
            plain.keep(score, label == 1, weight)
            assert model.threshold_ == plain.cut
    x = {"a": 0.1 * scale, "b": -0.2 * scale}
    assert model.predict_one(x) == int(model.score_one(x) >= plain.cut)


def test_counts_fade():
    """With weights that stay as they are, scores that change after 2^16 examples: the cut of the
    reference, and not the one of counts that are never halved."""
    rng = np.random.default_rng(0)
    n = 2**16 + 40_000
    y = (rng.random(n) < 0.3).astype(int)
    X = rng.normal(size=(n, 1)) + y[:, None] + np.where(np.arange(n) < 2**16, 4.0, 0.0)[:, None]
    still = {"average": False, "learning_rate": 1e-300}
    model = Perceptron(**still, threshold="balanced").fit(
        X, y, coef_init=[[1.0]], intercept_init=[0.0]
    )
    np.testing.assert_array_equal(model.decision_function(X), X[:, 0])
    counted = model._model.state()["counts"]["threshold.examples"]

    class Last(reference.Threshold):
        def choose(self):  # only the last choice counts
            if self.examples > counted - 64:
                super().choose()

    fading, never = (Last(reference.balanced) for _ in range(2))
    never.MEMORY = 2**60
    for score, label in zip(X[n - counted :, 0].tolist(), y[n - counted :].tolist(), strict=True):
        fading.keep(score, label == 1)
        never.keep(score, label == 1)
    assert model.threshold_ == fading.cut < never.cut


@pytest.mark.parametrize("cls", [Perceptron, AROW, LogisticRegression])
def test_it_is_worth_it(cls):
    """On classes that are rare, of unseen examples; what is learned does not change."""
    X, y = rare(1, 20_000, 0.05)
    plain = cls().fit(X[:15_000], y[:15_000])
    tuned = cls(threshold="f1").fit(X[:15_000], y[:15_000])
    np.testing.assert_array_equal(tuned.coef_, plain.coef_)
    truth = y[15_000:]
    best = f1_score(truth, tuned.predict(X[15_000:]))
    assert best > f1_score(truth, plain.predict(X[15_000:])) + 0.02
    scores = plain.decision_function(X[15_000:])
    ideal = max(
        f1_score(truth, scores >= cut) for cut in np.quantile(scores, np.arange(0, 1, 0.01))
    )
    assert best > ideal - 0.05


def test_costs_and_error_rates():
    X, y = rare(2, 20_000, 0.05)
    train, test = slice(15_000), slice(15_000, None)
    found = {
        name: LogisticRegression(threshold=kind).fit(X[train], y[train]).predict(X[test])
        for name, kind in (("none", None), ("cost", {0: 1.0, 1: 20.0}), ("balanced", "balanced"))
    }
    cost = {k: (20 * (y[test] > p) + (y[test] < p)).sum() for k, p in found.items()}
    assert cost["cost"] < cost["none"] / 2
    errors = {k: np.mean([(p[y[test] == c] != c).mean() for c in (0, 1)]) for k, p in found.items()}
    assert errors["balanced"] < errors["none"] - 0.1


def test_batch_stream_file_and_resume_agree(tmp_path):
    X, y = rare(3, 600)
    options = {"threshold": "f1", "prepare": "standard"}
    fitted = Perceptron(**options).fit(X, y)
    one = Perceptron(**options)
    for x, label in zip(X, y.tolist(), strict=True):
        one.learn_one({f"x{j}": v for j, v in enumerate(x)}, label)
    assert fitted.threshold_ == one.threshold_ != 0.0
    parts = Perceptron(**options)
    for i in range(0, 600, 50):
        parts.partial_fit(X[i : i + 50], y[i : i + 50])
        parts.save(tmp_path / "m")
        parts = thresher.load(tmp_path / "m")
    assert parts.threshold_ == fitted.threshold_ and parts.threshold == "f1"
    np.testing.assert_array_equal(parts.predict(X), fitted.predict(X))
    assert [parts.predict_one({f"x{j}": v for j, v in enumerate(x)}) for x in X] == list(
        fitted.predict(X)
    )


def test_from_files_and_on_the_command_line(tmp_path):
    X, y = rare(4, 2000)
    rows = [" ".join([str(b), *(f"{j}:{v!r}" for j, v in enumerate(x, 1))]) for x, b in
            zip(X.tolist(), y.tolist(), strict=True)]  # fmt: skip
    (tmp_path / "data.svm").write_text("\n".join(rows))
    found = []
    for threads, chunk in ((1, 1 << 20), (2, 500)):
        learner = LogisticRegression(threshold={1: 3.0, 0: 1.0})
        learner.begin_reading(thresher.data.reading.ReadingOptions())
        for _ in Training(
            learner, [tmp_path / "data.svm"], plan=Plan(threads=threads, chunk=chunk)
        ):
            pass
        found.append(learner.threshold_)
    assert found[0] == found[1] < 0.0
    with Commands() as commands:
        run = commands.run(
            "train", "data.svm", "-m", "a.model", "--learner", "logistic", "--set",
            "threshold=1:3,0:1", folder=tmp_path,
        )  # fmt: skip
    assert run.code == 0, run.err
    model = thresher.load(tmp_path / "a.model")
    assert model.threshold == {1: 3.0, 0: 1.0} and model.threshold_ == found[0]


def test_three_classes_have_none():
    X, y = rare(5, 300, 0.5)
    model = Perceptron(threshold="f1").fit(X, y)
    model.partial_fit(X, np.where(y, 2, 0))
    assert model.threshold_ == 0.0
    plain = Perceptron().fit(X, y)
    plain.partial_fit(X, np.where(y, 2, 0))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.parametrize(
    "bad", ["f2", "f1()", 3, {}, {1: -1.0}, {1: float("nan")}, {0: 1.0, 1: 1.0, 2: 5.0}]
)
def test_what_it_refuses(bad):
    with pytest.raises(InvalidInput, match="threshold"):
        Perceptron(threshold=bad).fit([[1.0]], [1])


def test_a_label_that_is_none_of_the_labels():
    with pytest.raises(InvalidInput, match=r"'f1\(spma\)', but the labels are ham, spam"):
        Perceptron(threshold="f1(spma)").fit([[1.0], [2.0]], ["ham", "spam"])
    assert Perceptron(threshold="f1(ham)").fit([[1.0], [2.0]], ["ham", "spam"]).threshold_ == 0.0


def test_a_damaged_threshold_is_refused():
    kept = Perceptron(threshold="f1").fit(*rare(6, 100)).__getstate__()
    kept["_model"]["counts"]["threshold.cut"] = 5000
    with pytest.raises(thresher.errors.ModelFileError, match="threshold"):
        Perceptron().__setstate__(kept)
