"""Labels that come late: `delay` in runs over files, against a plain loop."""

import json
import random
from collections import deque
from datetime import datetime, timedelta

import pytest

import thresher
from thresher import (
    LMS,
    Experts,
    ExpertsRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    reference,
)
from thresher.checkpoint import Checkpoint
from thresher.data.reader import BadLines
from thresher.data.reading import reading_options
from thresher.errors import DivergenceError, InvalidInput
from thresher.evaluate import progressive
from thresher.late import delay_of
from thresher.learners.table import by_short
from thresher.training import Plan, Training


def an_example(rng):
    names = rng.sample("abcdefgh", 3)
    return dict.fromkeys(names, 1), int("a" in names or "b" in names)


def a_file(path, n=200, seed=0):
    rng = random.Random(seed)
    examples = [an_example(rng) for _ in range(n)]
    path.write_text("".join(f"{y} |{' '.join(['', *x])}\n" for x, y in examples))
    return examples


def plain(examples, delay, **options):
    model, waiting, wrong = PassiveAggressive(**options), deque(), 0
    for x, y in examples:
        wrong += model.predict_one(x) != y if model._model else True
        waiting.append((x, y))
        if len(waiting) > delay:
            model.learn_one(*waiting.popleft())
    for late in waiting:
        model.learn_one(*late)
    return model, wrong


@pytest.mark.parametrize("delay", [0, 1, 7, 150, 1000])
@pytest.mark.parametrize("chunk", [1, 100, 1 << 20])
def test_a_run_over_files_is_the_plain_loop(tmp_path, delay, chunk):
    examples = a_file(tmp_path / "late.vw")
    expected, wrong = plain(examples, delay)
    learner = PassiveAggressive()
    plan = Plan(delay=delay_of(delay), chunk=chunk, threads=1)

    learner.begin_reading(reading_options())
    with Training(learner, [tmp_path / "late.vw"], plan=plan) as training:
        for _ in training:
            pass
    assert training.progress.learned.loss == wrong
    assert training.examples == learner.examples_ == len(examples)
    assert training.progress.waiting == 0
    x = dict.fromkeys("abcdefgh", 1)
    assert learner.score_one(x) == pytest.approx(expected.score_one(x), rel=1e-12)
    (*_, last) = progressive(PassiveAggressive(), examples, delay=delay)
    assert last.loss == wrong / len(examples)


def test_held_out_examples_are_never_learned(tmp_path):
    examples = a_file(tmp_path / "late.vw", 60)
    model = PassiveAggressive().fit_file(tmp_path / "late.vw", delay=7, holdout=4)
    expected = PassiveAggressive()
    for i, (x, y) in enumerate(examples):
        if (i + 1) % 4:
            expected.learn_one(x, y)
    assert model.examples_ == 45
    x = dict.fromkeys("abcdefgh", 1)
    assert model.score_one(x) == pytest.approx(expected.score_one(x), rel=1e-12)


def test_an_example_that_fails_is_named_and_waits(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text(
        "".join(f"{i % 3} 1:{1 + i / 10}\n" for i in range(20)) + "1 1:1e9\n1 1:1\n" * 3
    )
    learner = by_short("lms").cls(learning_rate=0.01)

    learner.begin_reading(reading_options())
    with (
        pytest.raises(DivergenceError, match=r"data\.svm, line 21: "),
        Training(learner, [path], plan=Plan(delay=delay_of(2)), bad=BadLines()) as training,
    ):
        for _ in training:
            pass
    assert learner.examples_ == training.at.position.line == 20
    assert training.examples == 23 and training.progress.waiting == 3
    assert Checkpoint.from_dict(training.checkpoint().as_dict()).waiting == 3


@pytest.mark.parametrize(
    "options", [{"shuffle_buffer": 9}, {"on_drift": "reset"}, {"min_count": 2}]
)
def test_what_contradicts_late_labels(tmp_path, options):
    a_file(tmp_path / "late.vw", 10)
    with pytest.raises(InvalidInput, match=r"delay and .* contradict each other"):
        PassiveAggressive().fit_file(tmp_path / "late.vw", delay=3, **options)


# -- by time

BEGIN = datetime(2024, 1, 30)


def a_table(path, n=300, seed=0, as_dates=True):
    """Rows at times that are days, hours or seconds apart, several at the same time."""
    rng = random.Random(seed)
    rows, seconds = [], 0
    for _ in range(n):
        seconds += rng.choice([0, 0, 1, 50, 3600, 40_000])
        a, b = rng.random(), rng.random()
        rows.append((seconds, {"a": a, "b": b}, int(a > b)))
    with path.open("w") as out:
        for at, x, y in rows:
            when = (BEGIN + timedelta(seconds=at)).isoformat(" ") if as_dates else at
            if path.suffix == ".csv":
                out.write("when,a,b,label\n" * (out.tell() == 0))
                out.write(f"{when},{x['a']},{x['b']},{y}\n")
            else:
                out.write(json.dumps({"label": y, "when": when} | x) + "\n")
    return rows


def by_time(model, rows, length):
    """The plain loop: learned is what is at least so old when the next is predicted."""
    waiting, wrong = deque(), 0
    for at, x, y in rows:
        while waiting and waiting[0][0] + length <= at:
            model.learn_one(*waiting.popleft()[1:])
        wrong += model.predict_one(x) != y if model._model else True
        waiting.append((at, x, y))
    for _, x, y in waiting:
        model.learn_one(x, y)
    return wrong


@pytest.mark.parametrize(
    ("suffix", "as_dates", "delay"),
    [("csv", True, "1d"), ("jsonl", True, "90m"), ("csv", False, "2h"), ("csv", False, "50"),
     ("csv", True, "50w")],
)  # fmt: skip
@pytest.mark.parametrize("chunk", [100, 1 << 20])
def test_labels_come_when_their_time_has_passed(tmp_path, suffix, as_dates, delay, chunk):
    path = tmp_path / f"late.{suffix}"
    rows = a_table(path, as_dates=as_dates)
    late = delay_of(delay, "when")
    expected, learner = PassiveAggressive(), PassiveAggressive()
    wrong = by_time(expected, rows, late.length)
    reading = reading_options(ignore="when")
    learner.begin_reading(reading)
    plan = Plan(delay=late, chunk=chunk, threads=2)
    with Training(learner, [path], reading=reading, plan=plan) as training:
        for _ in training:
            pass
    assert training.progress.learned.loss == wrong
    assert learner.examples_ == len(rows) and training.progress.waiting == 0
    x = {"a": 0.3, "b": 0.9}
    assert learner.score_one(x) == pytest.approx(expected.score_one(x), rel=1e-12)


@pytest.mark.parametrize("stop", [1, 150, 299])
@pytest.mark.parametrize("cls", [PassiveAggressive, Experts], ids=["one", "committee"])
def test_a_run_that_waits_goes_on_where_it_stopped(tmp_path, stop, cls):
    path, saved = tmp_path / "late.csv", tmp_path / "model"
    a_table(path)
    reading, plan = reading_options(ignore="when"), Plan(delay=delay_of("6h", "when"), threads=1)
    options = {"learners": [PassiveAggressive(), Perceptron()]} if cls is Experts else {}
    found = []
    for stops in (None, stop):
        learner, at = cls(**options), None
        learner.begin_reading(reading)
        while at is None or not at.done:
            run = Training(learner, [path], reading=reading, plan=plan, resume=at)
            with run as training:
                training.stop_at = stops if at is None else None
                for _ in training:
                    if stops and training.examples >= stops and at is None:
                        training.stop()
                learner.provenance_ = training.provenance()
            learner.save(saved)
            learner = thresher.load(saved)
            at = Checkpoint.from_dict(learner.provenance_["run"])
        found.append((learner._model.state(), at.scores))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("t,a,y\n1,1,0\n3,1,1\n2,1,0\n", {"delay": 5}, r"line 4: the time 2 comes after 3.*sort"),
        ("t,a,y\n1,1,0\n,1,1\n", {"delay": 5}, r"line 3: found nothing in the column of times 't'"),
        ("t,a,y\nsoon,1,0\n", {"delay": 5}, r"line 2: found 'soon'.*expected a date such as"),
        ("t,a,y\n2024-05-17,1,0\n", {"delay": 5}, r"holds dates.*expected one with a unit"),
        ("t,a,y\n2024-05-17,1,0\n7,1,1\n", {"delay": "5d"}, r"line 3: found '7'.*expected a date"),
        ("t,a,y\n1,1,0\n", {"delay": "5d", "time": None}, r"expected time=COLUMN"),
        ("t,a,y\n1,1,0\n", {"delay": 0}, r"expected a delay, too"),
        ("t,a,y\n1,1,0\n", {"delay": "5 days"}, r"delay is '5 days'; expected a number"),
        ("t,a,y\n1,1,0\n", {"delay": -1}, r"delay is -1; expected a number"),
        ("t,a,y\n1,1,0\n", {"delay": 5, "passes": 2}, r"passes=2 contradict"),
        ("t,a,y\n1,1,0\n", {"delay": 5, "time": "u"}, r"u"),
    ],
)  # fmt: skip
def test_times_that_cannot_be_used(tmp_path, text, options, words):
    path = tmp_path / "late.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=words):
        PassiveAggressive().fit_file(path, **({"label": "y", "time": "t"} | options))


def test_files_without_columns_have_no_times(tmp_path):
    (tmp_path / "late.svm").write_text("1 1:1\n0 2:1\n")
    with pytest.raises(InvalidInput, match="--time take columns"):
        PassiveAggressive().fit_file(tmp_path / "late.svm", delay="1d", time="when")


# -- committees


class Alone:
    def __init__(self, learner):
        self.learner = learner

    def predict(self, x):
        return self.learner.predict_one(x) if self.learner._model else None

    def learn(self, x, y, weight=1.0):
        self.learner.learn_one(x, y)


@pytest.mark.parametrize("delay", [1, 5, 80])
def test_a_committee_is_weighed_by_the_answers_that_it_gave(tmp_path, delay):
    """Against a plain loop over the reference, which keeps the answers until their label comes."""
    examples = a_file(tmp_path / "late.vw", 200)
    members = {"pa": PassiveAggressive(), "perceptron": Perceptron(average=False)}
    plain = reference.Experts([Alone(type(m)(**m.get_params())) for m in members.values()])
    waiting, wrong = deque(), 0

    def settle():
        x, y, answers = waiting.popleft()
        plain.update([float(a != y) for a in answers], plain.eta)
        plain.teach(x, y, 1.0)
        plain.labels = sorted({*plain.labels, y})

    for x, y in examples:
        wrong += plain.predict(x) != y
        waiting.append((x, y, [one.predict(x) for one in plain.learners]))
        if len(waiting) > delay:
            settle()
    while waiting:
        settle()
    learner = Experts(members)
    learner.begin_reading(reading_options())
    plan = Plan(delay=delay_of(delay), chunk=500)
    with Training(learner, [tmp_path / "late.vw"], plan=plan) as training:
        for _ in training:
            pass
    assert training.progress.learned.loss == wrong
    names = [*members, "most frequent label", "last label"]
    assert [learner.weights_[name] for name in names] == pytest.approx(plain.weights, rel=1e-9)


def test_a_committee_does_not_trust_a_last_label_that_is_old(tmp_path):
    """Labels in runs of ten: at once the last one is best, ten later it is always wrong."""
    path = tmp_path / "runs.csv"
    rng = random.Random(0)
    lines = [f"{rng.random()},{i // 10 % 2},{i // 10 % 2}\n" for i in range(2000)]
    path.write_text("a,b,label\n" + "".join(lines))
    weights = []
    for delay in (0, 10):
        model = Experts([PassiveAggressive(), Perceptron()]).fit_file(path, delay=delay)
        rows = {row.name: row for row in model.standings_}
        weights.append(rows["last label"].weight)
        assert (rows["last label"].error > 0.9) == (delay == 10)
    assert weights[1] < weights[0]


def test_late_numbers(tmp_path):
    path = tmp_path / "late.csv"
    rng = random.Random(0)
    rows = [(rng.random(), rng.random()) for _ in range(500)]
    path.write_text("a,b,label\n" + "".join(f"{a},{b},{2 * a - b}\n" for a, b in rows))
    model = ExpertsRegressor([LMS(learning_rate=0.1), PassiveAggressiveRegressor()])
    model.fit_file(path, delay=20)
    assert model.examples_ == 500
    assert model.predict_one({"a": 0.5, "b": 0.25}) == pytest.approx(0.75, abs=0.1)
