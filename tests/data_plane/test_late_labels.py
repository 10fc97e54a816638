"""Labels that come late: `delay` in runs over files, against a plain loop."""

import random
from collections import deque

import pytest

from thresher import PassiveAggressive
from thresher.checkpoint import Checkpoint
from thresher.data.reader import BadLines
from thresher.data.reading import reading_options
from thresher.errors import DivergenceError, InvalidInput
from thresher.evaluate import progressive
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
    plan = Plan(delay=delay, chunk=chunk, threads=1)

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
        Training(learner, [path], plan=Plan(delay=2), bad=BadLines()) as training,
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
    with pytest.raises(InvalidInput, match=r"delay=3 and .* contradict each other"):
        PassiveAggressive().fit_file(tmp_path / "late.vw", delay=3, **options)
