"""Metrics counted batch by batch equal those that scikit-learn computes from everything at once."""

import itertools
import json
import math
import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

from thresher import LMS, LogisticRegression, NaiveBayes, PassiveAggressive, Perceptron
from thresher._core import Progress
from thresher.data import read
from thresher.data.coded import CodedLabels
from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput, NotLearned
from thresher.evaluate import (
    Metrics,
    RegressionMetrics,
    evaluate_batches,
    metrics_for,
    progressive,
)
from thresher.evaluate.blocks import InBlocks
from thresher.learners.criteria import CRITERIA, area, criterion, log_loss_error
from thresher.training import Training

TIGHT = {"rtol": 1e-12, "atol": 1e-12}


def batches(rows, *columns, size):
    for start in range(0, rows, size):
        yield tuple(None if c is None else c[start : start + size] for c in columns)


def counted(metrics, truth, predicted, scores=None, probabilities=None, weights=None, size=3):
    columns = (truth, predicted, scores, probabilities, weights)
    for batch in batches(len(truth), *columns, size=size):
        metrics.add(*batch)
    return metrics


@st.composite
def answers(draw, least=1, most=5, may_weigh=True):
    """Labels, predictions, scores with ties, probabilities, weights: few of each kind, or many."""
    k = draw(st.integers(least, most))
    n = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = np.array(["ant", "bee", "cat", "dog", "eel"])[:k]
    if draw(st.booleans()):
        labels = np.arange(k) * 3 - 2
    truth = labels[rng.integers(0, draw(st.integers(1, k)), n)]  # some labels may never be true
    predicted = labels[rng.integers(draw(st.integers(0, k - 1)), k, n)]  # nor predicted
    scores = rng.integers(-3, 4, (n, k)) / 2 if draw(st.booleans()) else rng.normal(size=(n, k))
    sharp = np.exp(scores * draw(st.sampled_from([0.1, 1.0, 30.0])))
    probabilities = sharp / sharp.sum(axis=1, keepdims=True)
    weights = rng.integers(1, 5, n) * 0.25 if may_weigh and draw(st.booleans()) else None
    return labels.tolist(), truth, predicted, scores, probabilities, weights


@given(answers(), st.integers(1, 70))
def test_confusion_and_f1(given, size):
    labels, truth, predicted, _, _, weights = given
    m = counted(Metrics(labels), truth, predicted, weights=weights, size=size)
    by_sklearn = {"y_true": truth, "y_pred": predicted, "sample_weight": weights}
    np.testing.assert_allclose(m.confusion, sk.confusion_matrix(**by_sklearn, labels=labels))
    np.testing.assert_allclose(m.accuracy, sk.accuracy_score(**by_sklearn), **TIGHT)
    recalls = sk.recall_score(**by_sklearn, labels=labels, average=None, zero_division=np.nan)
    np.testing.assert_allclose(m.balanced_error, 1.0 - np.nanmean(recalls), **TIGHT)
    np.testing.assert_allclose(m.error, sk.zero_one_loss(**by_sklearn), **TIGHT)
    for average, ours in ((None, m.by_label), ("macro", [m.macro]), ("micro", [m.micro])):
        expected = sk.precision_recall_fscore_support(
            **by_sklearn, labels=labels, average=average, zero_division=np.nan
        )
        for name, values in zip(("precision", "recall", "f1"), expected, strict=False):
            got = [getattr(scores, name) for scores in ours]
            got = [math.nan if value is None else value for value in got]
            np.testing.assert_allclose(got, np.atleast_1d(values), **TIGHT)


@given(answers(2, 2), st.integers(1, 70))
def test_auc_of_two_classes(given, size):
    labels, truth, predicted, scores, _, weights = given
    m = counted(Metrics(labels), truth, predicted, scores[:, 1], weights=weights, size=size)
    if len(set(truth)) < 2:
        assert m.auc is None
        assert m.roc() is None
        return
    expected = sk.roc_auc_score(truth == labels[1], scores[:, 1], sample_weight=weights)
    np.testing.assert_allclose(m.auc.value, expected, **TIGHT)
    assert m.auc.exact
    curve = m.roc()
    area = np.trapezoid(curve.true_positives, curve.false_positives)
    np.testing.assert_allclose(area, expected, **TIGHT)


@given(answers(3), st.integers(1, 70))
def test_auc_of_many_classes_is_the_mean_of_each_against_the_rest(given, size):
    labels, truth, predicted, scores, _, weights = given
    m = counted(Metrics(labels), truth, predicted, scores, weights=weights, size=size)
    expected = {
        label: sk.roc_auc_score(truth == label, scores[:, k], sample_weight=weights)
        for k, label in enumerate(labels)
        if 0 < (truth == label).sum() < len(truth)
    }
    for label in labels:
        if label in expected:
            np.testing.assert_allclose(m.auc_by_label[label].value, expected[label], **TIGHT)
        else:
            assert m.auc_by_label[label] is None
            assert m.roc(label) is None
    if expected:
        np.testing.assert_allclose(m.auc.value, np.mean(list(expected.values())), **TIGHT)
    else:
        assert m.auc is None


@given(answers(2), st.integers(1, 70))
def test_log_loss_and_brier(given, size):
    labels, truth, predicted, _, p, weights = given
    m = counted(Metrics(labels), truth, predicted, probabilities=p, weights=weights, size=size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = sk.log_loss(truth, p, labels=labels, sample_weight=weights)
    np.testing.assert_allclose(m.log_loss, expected, **TIGHT)
    true = np.array(labels) == truth[:, None]
    squares = ((p - true) ** 2).sum(axis=1) / (2 if len(labels) == 2 else 1)
    np.testing.assert_allclose(m.brier, np.average(squares, weights=weights), **TIGHT)
    if len(labels) == 2 and len(set(truth)) == 2:
        brier = sk.brier_score_loss(truth, p[:, 1], pos_label=labels[1], sample_weight=weights)
        np.testing.assert_allclose(m.brier, brier, **TIGHT)


@given(answers(2, 2, may_weigh=False), st.integers(1, 70))
def test_calibration_of_two_classes(given, size):
    labels, truth, predicted, _, p, _ = given
    m = counted(Metrics(labels), truth, predicted, probabilities=p[:, 1], size=size)
    observed, mean = calibration_curve(truth == labels[1], p[:, 1], n_bins=10)
    rows = [row for row in m.calibration if row.examples]
    np.testing.assert_allclose([row.predicted for row in rows], mean, **TIGHT)
    np.testing.assert_allclose([row.observed for row in rows], observed, **TIGHT)
    assert sum(row.examples for row in rows) == len(truth)
    shares = np.array([row.weight for row in rows]) / len(truth)
    np.testing.assert_allclose(m.calibration_error, shares @ np.abs(observed - mean), **TIGHT)


@given(answers(3, may_weigh=False))
def test_calibration_of_many_classes_is_that_of_the_predicted_label(given):
    labels, truth, predicted, _, p, _ = given
    m = counted(Metrics(labels, bins=7), truth, predicted, probabilities=p)
    confidence = p[np.arange(len(p)), [labels.index(label) for label in predicted]]
    observed, mean = calibration_curve(truth == predicted, confidence, n_bins=7)
    rows = [row for row in m.calibration if row.examples]
    np.testing.assert_allclose([row.predicted for row in rows], mean, **TIGHT)
    np.testing.assert_allclose([row.observed for row in rows], observed, **TIGHT)


@given(answers(2, 4), st.integers(1, 70))
def test_a_weight_of_three_is_three_copies(given, size):
    labels, truth, predicted, scores, p, _ = given
    scores = scores[:, 1] if len(labels) == 2 else scores
    copies = (np.arange(len(truth)) + 1) % 4
    once = counted(Metrics(labels), truth, predicted, scores, p, copies, size=size)
    columns = (np.repeat(c, copies, axis=0) for c in (truth, predicted, scores, p))
    many = counted(Metrics(labels), *columns)
    once, many = once.summary(), many.summary()
    counts = once.pop("examples"), many.pop("examples")
    assert counts == (len(truth), copies.sum())
    for rows in (once, many):
        for row in rows["calibration"]:
            del row["examples"]
    same(once, many)


def same(a, b):
    """Equal, numbers up to rounding."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, list):
        for one, other in zip(a, b, strict=True):
            same(one, other)
    elif isinstance(a, float) and b is not None:
        assert a == pytest.approx(b, rel=1e-12, abs=1e-12)
    else:
        assert a == b


def test_a_label_the_model_has_not_heard_of_counts_against_it():
    m = Metrics(["a", "b"])
    p = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    m.add(["a", "new", "b"], ["a", "a", "b"], scores=[-1.0, 0.0, 1.0], probabilities=p)
    assert m.labels == ["a", "b", "new"]
    assert m.confusion.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert m.by_label[2].recall == 0.0
    assert m.by_label[2].precision is None
    assert m.auc.value == 1.0  # "b" against the rest
    with_column = np.column_stack([p, np.zeros(3)])
    expected = sk.log_loss(["a", "new", "b"], with_column, labels=["a", "b", "new"])
    assert m.log_loss == pytest.approx(expected, rel=1e-12)
    assert m.brier == pytest.approx((2 / 16 + (0.5 + 1) + 2 / 16) / 3)


def test_nothing_is_defined_without_examples():
    summary = Metrics(["a", "b"]).summary()
    for name in ("error", "accuracy", "baseline_error", "auc", "log_loss", "brier"):
        assert summary[name] is None
    assert summary["macro"] == summary["micro"] == dict.fromkeys(("precision", "recall", "f1"))
    assert summary["calibration"] == []
    weightless = Metrics(["a", "b"])
    weightless.add(["a"], ["b"], scores=[1.0], probabilities=[0.5], weights=[0.0])
    assert weightless.error is None
    assert weightless.auc is None
    assert weightless.log_loss is None


def test_one_class_only():
    m = Metrics(["a"])
    m.add(["a", "a"], ["a", "a"], probabilities=[[1.0], [1.0]])
    assert (m.error, m.baseline_error, m.log_loss, m.brier) == (0.0, 0.0, 0.0, 0.0)
    assert m.auc is None
    assert m.auc_by_label == {}
    assert m.macro.f1 == 1.0


def test_unlabelled_examples_are_counted_apart():
    m = Metrics(["a", "b"])
    m.add(["a", None, "b"], ["a", "b", "b"], [-1.0, 9.0, 1.0], [0.1, 0.9, 0.8], [1.0, 5.0, 1.0])
    assert (m.examples, m.unlabelled, m.weight, m.error) == (2, 1, 2.0, 0.0)
    assert m.auc.value == 1.0
    r = RegressionMetrics()
    r.add([1.0, None, math.nan, 2.0], [1.0, 9.0, 9.0, 2.0])
    assert (r.examples, r.unlabelled, r.mse) == (2, 2, 0.0)


def test_no_answer_is_a_mistake_in_no_column():
    m = Metrics()
    m.add(["a", "b"], [None, "b"])
    assert m.error == 0.5
    assert m.confusion.tolist() == [[0, 0], [0, 1]]
    assert (m.by_label[0].recall, m.by_label[0].precision) == (0.0, None)


def test_baseline_is_the_most_frequent_label():
    m = Metrics()
    m.add(list("aabc"), list("bbbb"), weights=[1, 1, 3, 1])
    assert m.baseline_error == 0.5


@pytest.mark.parametrize("shape", ["normal", "few values", "drifting", "far away"])
def test_auc_from_bins_is_within_what_it_says(shape):
    rng = np.random.default_rng(3)
    n = 50_000
    truth = rng.random(n) < 0.3
    scores = rng.normal(size=n) + truth
    if shape == "few values":
        scores = np.clip(np.round(scores * 4), -8, 12)
    elif shape == "drifting":  # later scores leave the range that the bins were made for
        scores += np.linspace(0, 40, n)
    elif shape == "far away":
        scores = 1e9 + scores
    m = counted(Metrics([False, True], keep=10_000), truth, truth, scores, size=997)
    exact = sk.roc_auc_score(truth, scores)
    assert not m.auc.exact
    assert m.auc.within < {"drifting": 0.02, "few values": 0.05}.get(shape, 0.002)
    assert abs(m.auc.value - exact) <= m.auc.within + 1e-12
    if shape == "few values":
        assert m.auc.value == pytest.approx(exact, rel=1e-12)
    curve = m.roc()
    area = np.trapezoid(curve.true_positives, curve.false_positives)
    assert area == pytest.approx(m.auc.value, rel=1e-9)


def test_scores_are_kept_up_to_the_limit_and_no_further():
    for n, exact in ((1000, True), (1001, False)):
        m = Metrics([0, 1], keep=1000)
        m.add(np.arange(n) % 2, np.zeros(n, int), scores=np.arange(n) * 1.0)
        assert m.auc.exact is exact


def test_how_predictions_are_cut_into_calls_changes_no_bit():
    rng = np.random.default_rng(0)
    n = 5000
    scores, truth = rng.normal(size=n), rng.integers(0, 3, n)  # the third is no label
    p = 1 / (1 + np.exp(-scores))
    names, guess = ["a", "b", None], (scores > 0).astype(np.int32)
    weights = np.where(np.arange(n) < n // 2, 1.0, rng.random(n))

    def figures(cuts):
        metrics = Metrics(["a", "b"], keep=1000)
        blocks = InBlocks(metrics, 256)
        for begin, end in itertools.pairwise([0, *sorted(cuts), n]):
            rows = slice(begin, end)
            blocks.add(CodedLabels(names, truth[rows]), CodedLabels(["a", "b"], guess[rows]),
                       scores[rows], np.stack([1 - p, p], 1)[rows],
                       None if end <= n // 2 else weights[rows])  # fmt: skip
        blocks.finish()
        return metrics.summary()

    whole = figures([])
    assert whole["unlabelled"] == (truth == 2).sum()
    for cuts in ([n // 2], rng.integers(0, n, 3), rng.integers(0, n, 300)):
        assert figures(cuts) == whole


def test_memory_does_not_grow_with_the_stream():
    rng = np.random.default_rng(0)
    m = Metrics([0, 1], keep=50_000)
    truth, scores = rng.integers(0, 2, 10_000), rng.normal(size=10_000)
    tracemalloc.start()
    try:
        held = []
        for rounds in (10, 100):
            for _ in range(rounds):
                p = 1 / (1 + np.exp(-scores))
                m.add(truth, (scores > 0).astype(int), scores, p, weights=p)
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] < held[0] + 40_000  # of 900,000 numbers that came in between


def test_figures_are_ready_for_json():
    m = Metrics([0, 1])
    m.add(np.array([0, 1]), np.array([0, 0]), np.array([-1.0, -np.inf]), np.array([0.1, 0.0]))
    r = RegressionMetrics()
    r.add([1e308], [-1e308])
    for metrics in (m, r):
        assert json.loads(json.dumps(metrics.summary(), allow_nan=False)) == metrics.summary()
    assert r.summary()["mse"] is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.add(["a"], ["a", "b"]), "truth has 1 labels, predicted 2"),
        (lambda m: m.add(["a"], ["a"], weights=[-1]), r"weights\[0\] is -1.0"),
        (lambda m: m.add(["a"], ["a"], weights=[1, 2]), r"weights have shape \(2,\)"),
        (lambda m: m.add(["a"], ["a"], scores=[[1, 2, 3]]), r"scores have shape \(1, 3\)"),
        (lambda m: m.add(["a"], ["a"], scores=[math.nan]), r"scores\[0\] is NaN"),
        (lambda m: m.add(["a"], ["a"], probabilities=[1.5]), r"probabilities\[0\] is"),
        (lambda m: m.add(["a"], ["a"], probabilities=[[0.5, 0.6]]), "add up to 1"),
        (lambda m: m.add([1], ["a"]), "labels of mixed type"),
        (lambda m: m.add(np.array([[1]]), ["a"]), r"labels have shape \(1, 1\)"),
        (lambda m: m.add(["a"], ["a"], scores="x"), "scores cannot be read as numbers: 'x'"),
        (lambda m: Metrics().add(["a"], ["a"], scores=[1.0]), r"expected Metrics\(labels\)"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_and_leaves_no_trace(call, words):
    m = Metrics(["a", "b"])
    before = m.summary()
    with pytest.raises(InvalidInput, match=words):
        call(m)
    assert m.summary() == before
    m.add(["a"], ["a"])
    assert m.error == 0.0


def test_scores_come_with_all_batches_or_with_none():
    m = Metrics(["a", "b"])
    m.add(["a"], ["a"], scores=[1.0])
    with pytest.raises(InvalidInput, match="for all batches or for none"):
        m.add(["a"], ["a"])


EIGHTHS = st.integers(-8000, 8000).map(lambda i: i / 8)


@given(
    st.lists(
        st.tuples(EIGHTHS, EIGHTHS, st.sampled_from([0.25, 0.5, 1.0, 3.0])),
        min_size=1,
        max_size=50,
    ),
    st.integers(1, 60),
    st.booleans(),
)
def test_regression(rows, size, weighted):
    truth, predicted, weights = (np.array(column) for column in zip(*rows, strict=True))
    weights = weights if weighted else None
    m = RegressionMetrics()
    for batch in batches(len(truth), truth, predicted, weights, size=size):
        m.add(*batch)
    by_sklearn = {"y_true": truth, "y_pred": predicted, "sample_weight": weights}
    np.testing.assert_allclose(m.mse, sk.mean_squared_error(**by_sklearn), **TIGHT)
    np.testing.assert_allclose(m.rmse, sk.root_mean_squared_error(**by_sklearn), **TIGHT)
    np.testing.assert_allclose(m.mae, sk.mean_absolute_error(**by_sklearn), **TIGHT)
    if len(set(truth.tolist())) == 1:
        assert m.r2 is None
        assert m.baseline_mse == 0.0
        return
    np.testing.assert_allclose(m.r2, sk.r2_score(**by_sklearn), **TIGHT)
    mean = np.full(len(truth), np.average(truth, weights=weights))
    by_mean = sk.mean_squared_error(truth, mean, sample_weight=weights)
    np.testing.assert_allclose(m.baseline_mse, by_mean, **TIGHT)


def test_regression_keeps_its_digits_far_from_zero():
    rng = np.random.default_rng(0)
    truth = 1e9 + rng.normal(size=10_000)
    predicted = truth + 0.5 * rng.normal(size=10_000)
    m = RegressionMetrics()
    for batch in batches(len(truth), truth, predicted, size=100):
        m.add(*batch)
    assert m.r2 == pytest.approx(sk.r2_score(truth - 1e9, predicted - 1e9), rel=1e-9)


def test_a_constant_truth_has_no_spread_whatever_rounding_does():
    for n in range(2, 50):
        m = RegressionMetrics()
        m.add([1 / n] * n, [0.3] * n, weights=[1 / (i + n) for i in range(n)])
        assert m.r2 is None
        assert m.baseline_mse == 0.0


@pytest.mark.parametrize(
    ("truth", "predicted", "words"),
    [
        ([1.0], [math.inf], "NaN or inf"),
        ([1.0], [1.0, 2.0], "two rows of one length"),
        (["a"], [1.0], "truth cannot be read as numbers"),
    ],
)
def test_bad_numbers_are_refused(truth, predicted, words):
    m = RegressionMetrics()
    with pytest.raises(InvalidInput, match=words):
        m.add(truth, predicted)
    assert m.examples == 0
    assert m.mse is m.rmse is m.mae is m.r2 is None


def stream(n, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = dict(zip("abcde", rng.normal(size=5).tolist(), strict=True))
        yield x, "yes" if x["a"] + x["b"] > 0.3 * rng.normal() else "no"


def test_progressive_reports_at_powers_of_two_and_at_the_end():
    reports = list(progressive(Perceptron(), stream(10_000)))
    assert [r.examples for r in reports] == [2**i for i in range(14)] + [10_000]
    assert reports[0].predicted is None
    assert reports[0].loss == reports[0].recent == 1.0
    for last, report in itertools.pairwise(reports):
        wrong = report.loss * report.examples
        before = last.loss * last.examples
        assert report.recent == pytest.approx(
            (wrong - before) / (report.examples - last.examples), abs=1e-12
        )
    assert [r.examples for r in progressive(Perceptron(), stream(8))] == [1, 2, 4, 8]
    assert list(progressive(Perceptron(), [])) == []


def test_progressive_predicts_before_it_learns():
    model, by_hand = PassiveAggressive(), PassiveAggressive()
    *_, last = progressive(model, stream(5000))
    wrong = 0
    for x, y in stream(5000):
        wrong += by_hand.predict_one(x) != y
        by_hand.learn_one(x, y)
    assert last.loss == wrong / 5000 < 0.2
    assert last.metrics.weight == last.metrics.examples == 5000
    assert np.array_equal(model.coef_, by_hand.coef_)


def test_progressive_of_a_regressor_gives_the_squared_error():
    rows = [(x, x["a"] - 2 * x["c"]) for x, _ in stream(3000)]
    *_, last = progressive(LMS(), rows)
    by_hand, total = LMS(), 0.0
    for x, y in rows:
        total += (by_hand.predict_one(x) - y) ** 2
        by_hand.learn_one(x, y)
    assert last.loss == pytest.approx(total / 3000, rel=1e-12)
    assert last.recent < 0.1 * last.loss
    assert isinstance(last.metrics, RegressionMetrics)


def test_progressive_equals_river():
    from river import evaluate, linear_model, metrics

    rows = [(x, y == "yes") for x, y in stream(2000)]
    *_, last = progressive(linear_model.Perceptron(), rows)
    accuracy = evaluate.progressive_val_score(rows, linear_model.Perceptron(), metrics.Accuracy())
    assert last.metrics.accuracy == pytest.approx(accuracy.get(), rel=1e-12)


def test_metrics_are_of_the_kind_that_a_learner_needs():
    assert isinstance(metrics_for(LMS()), RegressionMetrics)
    with pytest.raises(NotLearned):
        metrics_for(Perceptron())
    model = Perceptron()
    model.learn_one({"a"}, "yes")
    assert metrics_for(model).columns == ["yes"]


def test_a_learner_of_one_label_is_evaluated_by_its_answers(tmp_path):
    path = tmp_path / "one.svm"
    path.write_text("1 1:1\n1 2:1\n")
    model = Perceptron(calibrate=True).fit_file(path)
    path.write_text("1 1:1\n-1 2:1\n")
    metrics = metrics_for(model)
    with read(path, model=model) as batches:
        evaluate_batches(model, batches, metrics)
    assert metrics.error == 0.5
    assert metrics.auc is metrics.log_loss is None


def test_labels_announced_but_never_met_have_no_chance(tmp_path):
    path = tmp_path / "two.svm"
    path.write_text("1 1:1\n2 2:1\n1 1:1\n2 2:1\n")
    model = Perceptron(calibrate=True)
    with read(path) as batches:
        (batch,) = batches
    for x, y in zip(batch.features(), batch.labels, strict=True):
        model.learn_one(x, y)
    two = model.answers(batch)
    one_by_one = [model.predict_proba_one(x)[2] for x in batch.features()]
    np.testing.assert_allclose(two.probabilities[:, 1], one_by_one)
    model._labels.announce([3])
    three = model.answers(batch)
    assert three.predicted == two.predicted == [1, 2, 1, 2]
    assert np.all(three.scores[:, 2] == -np.inf)
    assert np.all(three.probabilities[:, 2] == 0)
    np.testing.assert_allclose(three.scores[:, 1] - three.scores[:, 0], two.scores)
    np.testing.assert_allclose(three.probabilities[:, :2], two.probabilities)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("cls", [LogisticRegression, NaiveBayes])
def test_criteria_of_a_run_are_those_of_its_predictions(cls, classes, tmp_path):
    """Counted by the core while it learns, and by scikit-learn from predictions one by one."""
    rng = np.random.default_rng(3)
    y = rng.integers(classes, size=400)
    X = rng.poisson(1.0 + 2.0 * (np.arange(4) == y[:, None]))
    rows = [" ".join(f"{j}:{v}" for j, v in enumerate(x, 1)) for x in X]
    (tmp_path / "a.svm").write_text("\n".join(f"{b} {r}" for b, r in zip(y, rows, strict=True)))
    learner = cls()
    learner.begin_reading(ReadingOptions())
    training = Training(learner, [tmp_path / "a.svm"])
    training.progress.figures.on = True
    for _ in training:
        pass
    model, answers, losses, scores = cls(), [], [], []
    for row, label in zip(X, y.tolist(), strict=True):
        x = {str(j): float(v) for j, v in enumerate(row, 1)}
        answers.append(model.predict_one(x))
        p = model.predict_proba_one(x) if model._model is not None else {}
        losses.append(-np.log(max(p.get(label, 0.0), np.finfo(float).eps)))
        both = model._model is not None and len(model.classes_) == 2
        scores.append(model.score_one(x) if both else None)
        model.learn_one(x, label)
    again = Progress()
    again.figures = pickle.loads(pickle.dumps(training.progress.figures))
    predicted = np.array([-1 if a is None else a for a in answers])
    found = {name: criterion(name, training.progress.figures) for name in CRITERIA}
    assert found == pytest.approx(
        {name: criterion(name, again.figures) for name in CRITERIA}, nan_ok=True
    )
    assert found["error"] == pytest.approx((predicted != y).mean())
    assert found["log-loss"] == pytest.approx(np.mean(losses))
    assert log_loss_error(training.progress) == pytest.approx(np.std(losses) / 20)
    recalls = [(predicted[y == k] == k).mean() for k in range(classes)]
    assert found["balanced"] == pytest.approx(1 - np.mean(recalls))
    each = sk.f1_score(y, predicted, labels=range(classes), average="macro")
    assert found["f1"] == pytest.approx(1 - each)
    if classes == 2:
        kept = [i for i, score in enumerate(scores) if score is not None]
        exact = sk.roc_auc_score(y[kept], [scores[i] for i in kept])
        area_found, within = area(training.progress.figures)
        assert abs(area_found - exact) <= within + 1e-12 and within < 0.05
        assert found["auc"] == 1 - area_found


def test_criteria_say_what_they_are():
    progress = Progress()
    assert all(np.isnan(criterion(name, progress.figures)) for name in CRITERIA)
    with pytest.raises(InvalidInput, match="expected one of error, log-loss"):
        criterion("accuracy", progress.figures)
