"""Plots show the numbers they were given, and touch no other figure."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression

from thresher import LMS, PassiveAggressive
from thresher.errors import InvalidInput
from thresher.evaluate import Metrics, progressive
from thresher.plots import (
    CalibrationDisplay,
    ConfusionDisplay,
    LabelsDisplay,
    ProgressDisplay,
    RocDisplay,
    WeightsDisplay,
    draw_report,
)
from thresher.plots.roc import MOST_POINTS
from thresher.plots.weights import bin_edges

RNG = np.random.default_rng(7)
TRUTH = RNG.random(3000) < 0.4
SCORES = RNG.normal(size=3000) + 2 * TRUTH
PROBABILITIES = 1 / (1 + np.exp(-SCORES))
LABELS = np.array(["ham", "spam"])


def binary(**options):
    metrics = Metrics(["ham", "spam"], **options)
    said = LABELS[(SCORES > 1).astype(int)]
    metrics.add(LABELS[TRUTH.astype(int)], said, SCORES, PROBABILITIES)
    return metrics


def many(k):
    labels = [f"label {i}" for i in range(k)]
    truth = RNG.integers(0, k, 500)
    scores = RNG.normal(size=(500, k))
    scores[np.arange(500), truth] += 2
    metrics = Metrics(labels)
    metrics.add(np.array(labels)[truth], np.array(labels)[scores.argmax(axis=1)], scores)
    return metrics


def texts(ax):
    return [t.get_text() for t in ax.texts]


def test_confusion_writes_numbers_and_shares():
    display = ConfusionDisplay.from_metrics(binary()).plot()
    matrix = sk.confusion_matrix(TRUTH, SCORES > 1)
    right, total = matrix[0, 0], matrix[0].sum()
    assert texts(display.ax_)[0] == f"{right:,}\n{right / total:.1%}"
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["ham", "spam"]
    by_hand = ConfusionDisplay.from_predictions(LABELS[TRUTH.astype(int)],
                                                LABELS[(SCORES > 1).astype(int)])  # fmt: skip
    assert by_hand.matrix.tolist() == matrix.tolist()


@pytest.mark.parametrize(("k", "written", "named"), [(8, 64, 8), (20, 0, 20), (60, 0, 0)])
def test_confusion_of_many_labels_leaves_out_what_cannot_be_read(k, written, named):
    ax = ConfusionDisplay.from_metrics(many(k)).plot().ax_
    assert len(texts(ax)) == written
    assert len(ax.get_yticklabels()) == named


def test_roc_draws_the_curve_and_its_area():
    metrics = binary()
    display = RocDisplay.from_metrics(metrics).plot()
    curve = display.ax_.lines[1]
    area = np.trapezoid(curve.get_ydata(), curve.get_xdata())
    assert area == pytest.approx(sk.roc_auc_score(TRUTH, SCORES), abs=1e-3)
    assert f"spam: AUC {metrics.auc.value:.4f}" in texts(display.ax_)
    by_hand = RocDisplay.from_predictions(TRUTH, SCORES)
    assert by_hand.curves[True][1].value == metrics.auc.value


def test_roc_thins_out_long_curves_but_keeps_their_ends():
    truth = np.arange(20_000) % 2
    scores = RNG.normal(size=20_000) + truth
    line = RocDisplay.from_predictions(truth, scores).plot().ax_.lines[1]
    x, y = line.get_xdata(), line.get_ydata()
    assert len(x) <= MOST_POINTS + 1
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert np.trapezoid(y, x) == pytest.approx(sk.roc_auc_score(truth, scores), abs=1e-3)


def test_roc_of_many_labels_names_the_worst():
    metrics = many(10)
    ax = RocDisplay.from_metrics(metrics).plot().ax_
    worst = min(metrics.auc_by_label.items(), key=lambda item: item[1].value)
    named = [t.get_text() for t in ax.get_legend().get_texts()]
    assert named[0] == f"{worst[0]}  {worst[1].value:.4f}"
    assert len(named) == 6
    assert "4 more" in ax.get_legend().get_title().get_text()


def test_calibration_draws_the_table():
    metrics = binary()
    display = CalibrationDisplay.from_metrics(metrics).plot()
    rows = [row for row in metrics.calibration if row.examples]
    line = display.ax_.lines[1]
    assert line.get_xdata().tolist() == [row.predicted for row in rows]
    assert line.get_ydata().tolist() == [row.observed for row in rows]
    assert f"{metrics.calibration_error:.4f}" in display.ax_.get_title(loc="right")
    by_hand = CalibrationDisplay.from_predictions(TRUTH, PROBABILITIES)
    assert by_hand.bins == metrics.calibration


def test_of_a_model_and_its_data():
    X = RNG.normal(size=(400, 4))
    y = LABELS[(X[:, 0] + RNG.normal(size=400) > 0).astype(int)]
    model = PassiveAggressive(C=0.05, calibrate=True).fit(X, y)
    confusion = ConfusionDisplay.from_estimator(model, X, y)
    assert confusion.matrix.tolist() == sk.confusion_matrix(y, model.predict(X)).tolist()
    roc = RocDisplay.from_estimator(model, X, y)
    area = sk.roc_auc_score(y, model.decision_function(X))
    assert roc.curves["spam"][1].value == pytest.approx(area)
    calibration = CalibrationDisplay.from_estimator(model, X, y, bins=5)
    p = model.predict_proba(X)[:, 1]
    by_hand = CalibrationDisplay.from_predictions(y == "spam", p, bins=5)
    assert calibration.bins == by_hand.bins
    assert "'spam'" in calibration.plot().ax_.get_xlabel()
    recall = {row.label: row.recall for row in LabelsDisplay.from_estimator(model, X, y).scores}
    assert recall["ham"] == pytest.approx(sk.recall_score(y, model.predict(X), pos_label="ham"))
    theirs = LogisticRegression().fit(X, y)
    assert ConfusionDisplay.from_estimator(theirs, X, y).matrix.sum() == 400


def test_of_a_model_of_three_classes_and_of_one():
    X = RNG.normal(size=(300, 4))
    y = X[:, :3].argmax(axis=1)
    model = PassiveAggressive(calibrate=True).fit(X, y)
    assert len(RocDisplay.from_estimator(model, X, y).curves) == 3
    display = CalibrationDisplay.from_estimator(model, X, y)
    assert sum(row.examples for row in display.bins) == 300
    one = PassiveAggressive().fit(X, ["a"] * 300)
    assert ConfusionDisplay.from_estimator(one, X, ["a"] * 300).matrix.tolist() == [[300]]


def test_of_a_model_that_cannot():
    X, y = RNG.normal(size=(20, 2)), np.arange(20) % 2
    model = PassiveAggressive().fit(X, y)
    with pytest.raises(InvalidInput, match=r"gives no probabilities.*calibrate=True"):
        CalibrationDisplay.from_estimator(model, X, y)
    with pytest.raises(InvalidInput, match="y has 3"):
        ConfusionDisplay.from_estimator(model, X, y[:3])
    with pytest.raises(InvalidInput, match="0 sample"):
        ConfusionDisplay.from_estimator(model, X[:0], y[:0])


def test_style_goes_to_what_is_drawn():
    metrics = binary()
    line = CalibrationDisplay.from_metrics(metrics).plot(color="red", linewidth=7).ax_.lines[1]
    assert (line.get_color(), line.get_linewidth()) == ("red", 7)
    assert RocDisplay.from_metrics(metrics).plot(linestyle=":").ax_.lines[1].get_linestyle() == ":"
    image = ConfusionDisplay.from_metrics(metrics).plot(cmap="Greys").ax_.images[0]
    assert image.get_cmap().name == "Greys"
    bars = WeightsDisplay([1.0, -2.0]).plot(alpha=0.5).ax_.patches
    assert {bar.get_alpha() for bar in bars} == {0.5}
    recent, so_far = (
        ProgressDisplay([(1, 1.0, 1.0, None), (2, 0.5, 0.0, None)]).plot(linewidth=9).ax_.lines
    )
    assert (recent.get_linewidth(), so_far.get_linewidth()) == (1.2, 9)


def test_labels_are_ordered_by_f1():
    metrics = many(30)
    display = LabelsDisplay.from_metrics(metrics).plot()
    lowest = min(metrics.by_label, key=lambda s: s.f1)
    assert display.ax_.get_yticklabels()[0].get_text() == lowest.label
    assert len(display.ax_.get_yticklabels()) == 25


def test_a_label_without_figures_is_drawn_too():
    metrics = Metrics(["a", "b", "never"])
    metrics.add(["a", "b"], ["a", "a"])
    display = LabelsDisplay.from_metrics(metrics).plot()
    assert texts(display.ax_)[:3] == ["0.000", "0.667", "–"]


def test_weights_count_every_weight_that_is_not_zero():
    weights = np.concatenate([RNG.normal(size=500), np.zeros(100)])
    ax = WeightsDisplay(weights).plot().ax_
    assert sum(bar.get_height() for bar in ax.patches) == 500
    assert "500 of 600 are not zero" in texts(ax)
    empty = WeightsDisplay(np.zeros(3)).plot().ax_
    assert "all weights are 0" in texts(empty)


def test_weights_of_a_label():
    X = RNG.normal(size=(200, 4))
    two = PassiveAggressive().fit(X, LABELS[(X[:, 0] > 0).astype(int)])
    spam, ham = (WeightsDisplay.from_estimator(two, label).weights for label in ("spam", "ham"))
    assert spam.tolist() == two.coef_[0].tolist() == (-ham).tolist()
    three = PassiveAggressive().fit(X, X[:, :3].argmax(axis=1))
    assert WeightsDisplay.from_estimator(three, 2).weights.tolist() == three.coef_[2].tolist()
    assert WeightsDisplay.from_estimator(three).weights.size == 12
    assert WeightsDisplay.from_estimator(LMS().fit(X, X[:, 0])).weights.size == 4


@pytest.mark.parametrize("weights", [[1.0], [-2.0, -2.0], [1.0, 3.0], [-1.0, 5.0], [-1e-9, 1e9]])
def test_bins_hold_all_weights_and_none_mixes_signs(weights):
    weights = np.array(weights)
    edges = bin_edges(weights, 12)
    assert np.histogram(weights, edges)[0].sum() == len(weights)
    assert np.all(np.diff(edges) > 0)
    if weights.min() < 0 < weights.max():
        assert 0.0 in edges
    assert len(edges) <= 14


def test_progress_from_a_log_and_from_reports(tmp_path):
    stream = [({"a": x, "b": 1.0}, x > 0) for x in RNG.normal(size=100).tolist()]
    reports = list(progressive(PassiveAggressive(), stream))
    with (tmp_path / "log.jsonl").open("w") as file:
        file.write('{"examples": 5000, "error": 0.9, "recent": 0.8}\n')  # of an earlier run
        for report in reports:
            line = {"examples": report.examples, "error": report.loss, "recent": report.recent}
            file.write(json.dumps(line) + "\n")
        file.write('\n{"event": "saved"}\n')
    read, given = ProgressDisplay.from_log(tmp_path), ProgressDisplay.from_reports(reports)
    assert read.points == given.points
    assert ProgressDisplay.from_log(tmp_path / "log.jsonl").points == given.points
    recent, so_far = read.plot().ax_.lines
    assert so_far.get_ydata().tolist() == [report.loss for report in reports]
    assert recent.get_ydata().tolist() == [report.recent for report in reports]
    assert f"so far {reports[-1].loss:.4g}" in texts(read.ax_)


def test_progress_of_a_training_run(tmp_path):
    data = tmp_path / "stream.svm"
    data.write_text("".join(f"{1 if i % 2 else -1} {i % 2}:1\n" for i in range(100)))
    command = ["train", data, "-m", tmp_path / "m", "--log", tmp_path / "log", "--holdout", "10"]
    subprocess.run([sys.executable, "-m", "thresher", *command], check=True, capture_output=True)
    display = ProgressDisplay.from_log(tmp_path / "log")
    assert [point[0] for point in display.points][:7] == [1, 2, 4, 8, 16, 32, 64]
    assert display.points[-1][0] == 100
    assert display.points[-1][1] < 0.1
    assert display.points[-1][3] == 0.0


def test_progress_of_a_regressor_with_examples_held_out(tmp_path):
    log = tmp_path / "log.jsonl"
    lines = [
        {"examples": 1, "squared_error": 4.0, "recent": 4.0, "held_out_squared_error": None},
        {"examples": 2, "squared_error": 3.0, "recent": None, "held_out_squared_error": 2.5},
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    display = ProgressDisplay.from_log(log).plot()
    assert display.ax_.get_ylabel() == "squared error"
    assert [line.get_ydata().tolist() for line in display.ax_.lines] == [[4.0], [2.5], [4.0, 3.0]]
    assert sorted(texts(display.ax_)) == ["held out 2.5", "lately 4", "so far 3"]


def test_names_of_lines_that_end_together_stand_apart():
    ax = ProgressDisplay([(1, 0.5, 0.5, 0.5), (2, 0.5, 0.5, 0.5)]).plot().ax_
    heights = sorted(note.xy[1] for note in ax.texts)
    assert np.diff(heights).min() > 0.04 * ax.get_ylim()[1]


@pytest.mark.parametrize("line", ["{", "[1, 2]", '{"examples": "many", "error": 1}'])
def test_a_bad_log_says_where(tmp_path, line):
    log = tmp_path / "run.jsonl"
    log.write_text('{"examples": 1, "error": 0.5}\n' + line + "\n")
    with pytest.raises(InvalidInput, match=r"run\.jsonl, line 2: found"):
        ProgressDisplay.from_log(log)
    log.write_text("")
    with pytest.raises(InvalidInput, match="no line tells"):
        ProgressDisplay.from_log(log)


@pytest.mark.parametrize(
    ("metrics", "suffix", "start"),
    [
        (binary(), "svg", b"<?xml"),
        (binary(keep=100), "pdf", b"%PDF"),
        (many(3), "png", b"\x89PNG"),
        (many(40), "png", b"\x89PNG"),
    ],
    ids=["svg", "pdf", "three", "forty"],
)
def test_a_report_is_one_file_the_same_each_time(tmp_path, metrics, suffix, start):
    path, again = tmp_path / f"report.{suffix}", tmp_path / f"again.{suffix}"
    draw_report(metrics, path, "a model")
    assert path.read_bytes().startswith(start)
    draw_report(metrics, again, "a model")
    assert path.read_bytes() == again.read_bytes()


def test_a_report_needs_something_to_draw(tmp_path):
    with pytest.raises(InvalidInput, match="nothing to draw"):
        draw_report(Metrics(["a"]), tmp_path / "x.png")
    with pytest.raises(InvalidInput, match=r"expected a name that ends with \.png, \.svg, \.pdf"):
        draw_report(binary(), tmp_path / "x.jpg")


def test_a_display_draws_into_axes_of_others():
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    display = WeightsDisplay([1.0, 2.0]).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


PYPLOT_STAYS_OUT = """
import sys
from thresher.plots import WeightsDisplay
assert "matplotlib" not in sys.modules
WeightsDisplay([1.0, 2.0]).plot().figure_.savefig(sys.argv[1])
assert "matplotlib.pyplot" not in sys.modules
"""

WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
from thresher.plots import WeightsDisplay
try:
    WeightsDisplay([1.0]).plot()
except ImportError as error:
    print(error)
"""


def test_matplotlib_is_loaded_when_used_and_pyplot_never(tmp_path):
    path = tmp_path / "weights.png"
    subprocess.run([sys.executable, "-c", PYPLOT_STAYS_OUT, path], check=True)
    assert path.stat().st_size > 1000


def test_without_matplotlib_the_error_names_the_extra():
    run = [sys.executable, "-c", WITHOUT_MATPLOTLIB]
    said = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert "pip install 'thresher[plot]'" in said
