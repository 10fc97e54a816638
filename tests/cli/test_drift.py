"""`train --on-drift`, `--delay`, and the warning about sorted labels."""

import json
import random

import numpy as np
import pytest

from commands import Commands
from thresher import AROW, Experts, LogisticRegression, PassiveAggressive, Perceptron, load
from thresher.drift import ADWIN
from thresher.errors import InvalidInput


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


def write(path, n=4000, turns=True, seed=0, ordered=False):
    """Half-way the labels turn round."""
    rng = random.Random(seed)
    rows = []
    for t in range(n):
        ids = sorted(rng.sample(range(1, 40), 6))
        label = 1 if sum(ids[:3]) > 27 else -1
        if turns and t >= n // 2:
            label = -label
        rows.append((label, " ".join(f"{j}:1" for j in ids)))
    if ordered:
        rows.sort(key=lambda row: row[0])
    path.write_text("".join(f"{label} {row}\n" for label, row in rows))
    return path


@pytest.fixture(scope="module")
def turning(tmp_path_factory):
    return write(tmp_path_factory.mktemp("drift") / "turning.svm")


def weights(path):
    model = load(path)
    return dict(model.top_features(10**6)), model.intercept_[0]


def test_the_moment_the_evidence_and_the_recovery(commands, turning, tmp_path):
    model, folder = tmp_path / "a.model", tmp_path / "logs"
    run = commands.run("train", turning, "--learner", "pa", "-m", model, "--on-drift", "reset",
                       "--json", "-q", "--log", folder)  # fmt: skip
    (change,) = json.loads(run.out)["drift"]
    assert 2000 < change["example"] < 2200 and change["action"] == "reset"
    assert change["before"] < change["at"] and change["after"] < change["at"]
    seen = change["evidence"]
    assert seen["detector"] == "adwin" and seen["statistic"] >= seen["threshold"]
    (log,) = folder.glob("*.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (mark,) = [line for line in lines if line["event"] == "drift"]
    assert mark["example"] == change["example"] and mark["evidence"] == seen
    assert lines[-1]["drift"] == [change]
    told = commands.run("train", turning, "--learner", "pa", "-m", model, "--on-drift", "reset")
    where = f"drift at example {change['example']:,}: error "
    assert where in told.err and "starts over" in told.err
    assert where in told.out and "from there on" in told.out


def test_reset_is_a_fresh_learner_from_there_on(commands, turning, tmp_path):
    model, rest = tmp_path / "a.model", tmp_path / "rest.svm"
    run = commands.run(
        "train", turning, "--learner", "pa", "-m", model, "--on-drift", "reset", "--json", "-q"
    )
    (change,) = json.loads(run.out)["drift"]
    lines = turning.read_text().splitlines(keepends=True)
    rest.write_text("".join(lines[change["example"] :]))
    commands.run("train", rest, "--learner", "pa", "-m", tmp_path / "b.model", "-q")
    (found, bias), (expected, other) = weights(model), weights(tmp_path / "b.model")
    assert bias == pytest.approx(other)
    assert {k: v for k, v in found.items() if v} == pytest.approx(expected)
    # To report is to change nothing.
    commands.run(
        "train",
        turning,
        "--learner",
        "pa",
        "-m",
        tmp_path / "c.model",
        "--on-drift",
        "report",
        "-q",
    )
    commands.run("train", turning, "--learner", "pa", "-m", tmp_path / "d.model", "-q")
    assert weights(tmp_path / "c.model") == weights(tmp_path / "d.model")


@pytest.mark.parametrize("detector", ["ddm", "page-hinkley"])
def test_other_detectors_and_no_false_alarm(commands, turning, tmp_path, detector):
    model = tmp_path / "a.model"
    run = commands.run("train", turning, "--learner", "pa", "-m", model, "--on-drift", "forget",
                       "-q", "--json", "--drift-detector", detector)  # fmt: skip
    found = json.loads(run.out)["drift"]
    assert found and 2000 < found[-1]["example"] < 2500
    calm = write(tmp_path / "calm.svm", turns=False)
    run = commands.run("train", calm, "--learner", "pa", "-m", model, "--on-drift", "report")
    assert "drift: none found" in run.out


def test_forgetting(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = X[:, 0] > 0
    mean, last = Perceptron().fit(X, y), Perceptron(average=False).fit(X, y)
    mean.forget()  # the mean of no hypothesis is the current one
    np.testing.assert_array_equal(mean.coef_, last.coef_)
    for model in (LogisticRegression(), AROW()):
        model.fit(X, y)
        before = model.coef_.copy()
        model.forget()
        np.testing.assert_allclose(model.coef_, before, rtol=1e-12)
        model.partial_fit(X[:1], ~y[:1])
        steady = type(model)().fit(X, y).partial_fit(X[:1], ~y[:1])
        moved = np.abs(model.coef_ - before).sum()
        assert moved > 1.1 * np.abs(steady.coef_ - before).sum()
        model.save(tmp_path / "m.model")
        assert load(tmp_path / "m.model")._model.state() == model._model.state()
    with pytest.raises(InvalidInput, match="has nothing to forget"):
        PassiveAggressive(average=False).fit(X, y).forget()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--drift-detector", "ddm"], "--drift-detector is for --on-drift"),
        (["--learner", "auto", "--delay", "9d"], "--time COLUMN"),
        (["--learner", "pa", "--time", "t"], "expected a delay, too"),
        (["--learner", "kernel-perceptron", "--delay", "9"], "delay is for linear learners"),
        (["--on-drift", "forget", "--set", "average=no"], "has nothing to forget"),
        (["--on-drift", "reset", "--audit", "live"], "contradict each other"),
        (["--on-drift", "reset", "--learner", "lms", "--drift-detector", "ddm"], "ddm counts"),
    ],
)
def test_what_is_refused(commands, turning, tmp_path, words, message):
    run = commands.run("train", turning, "--learner", "pa", "-m", tmp_path / "a.model", *words)
    assert run.code in (1, 2) and message in run.err


def test_a_detector_of_ones_own_in_python_and_numbers(turning):
    model = PassiveAggressive().fit_file(
        turning, on_drift="report", drift_detector=ADWIN(delta=1e-6)
    )
    assert len(model.provenance_["drift"]) == 1
    from thresher import LMS

    model = LMS(learning_rate=0.01).fit_file(turning, on_drift="reset")
    (change, *_) = model.provenance_["drift"]
    assert 2000 < change["example"] < 2600 and change["at"] is None


@pytest.mark.parametrize("action", ["report", "reset", "forget"])
def test_a_committee_watches_its_own_error(turning, action):
    """At an exact place: no later example was learned when the run reacts."""
    members = [Perceptron(), LogisticRegression(), PassiveAggressive(average=False)]
    model = Experts(members).fit_file(turning, on_drift=action)
    (first, *_) = model.provenance_["drift"]
    assert 2000 < first["example"] < 2300 and first["action"] == action
    by_hand = Experts(members)
    ends = {change["example"] for change in model.provenance_["drift"]}
    for t, line in enumerate(turning.read_text().splitlines(), start=1):
        label, *pairs = line.split()
        by_hand.learn_one({pair.split(":")[0]: 1.0 for pair in pairs}, int(label))
        if t in ends and action != "report":
            by_hand.start_over() if action == "reset" else by_hand.forget()
    assert model.weights_ == by_hand.weights_  # after a reset labels may have other codes
    assert model.mistakes_ == by_hand.mistakes_ and model.best_.coef_.tolist() == (
        by_hand.best_.coef_.tolist()
    )


def test_late_labels_cost_what_they_cost(commands, turning, tmp_path):
    def error(*more):
        run = commands.run(
            "train", turning, "--learner", "pa", "-m", tmp_path / "a.model", "--json", "-q", *more
        )
        return json.loads(run.out)["error"]

    assert error() < error("--delay", "500") < error("--delay", "100000") == 1.0


def test_sorted_labels_are_noticed(commands, tmp_path):
    calm = write(tmp_path / "calm.svm", turns=False)
    ordered = write(tmp_path / "ordered.svm", turns=False, ordered=True)
    words = "The labels come in long runs: they changed 1 time, in random order it would be about"
    assert words not in commands.run("train", calm, "-m", tmp_path / "a.model").err
    assert words in commands.run("train", ordered, "-m", tmp_path / "a.model").err
    assert words in commands.run("race", ordered, "--learners", "pa,perceptron").err
    shuffled = commands.run(
        "train", ordered, "-m", tmp_path / "a.model", "--shuffle-buffer", "4000"
    )
    assert words not in shuffled.err
