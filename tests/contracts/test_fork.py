"""A process that forks while its threads learn and read: what docs/safety.md promises.

No child hangs. It finds a model with all examples up to some moment, whole, and can go on with it;
but for one that was just running the user's Python code in the middle of an example, which says so.
"""

import copy
import gc
import os
import threading
import time

import numpy as np
import pytest

import thresher
from thresher.data.reader import Reader
from thresher.errors import ForkError
from together import Meanwhile, in_child

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
    # That a process with threads forks is what is tested here.
    pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning"),
]

rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 60))
Y = rng.integers(3, size=len(X))
ONE = {f"x{j}": float(v) for j, v in enumerate(X[0])}


def use(model, folder):
    """All that one does with a model."""
    assert np.isfinite(model.coef_).all()
    label = model.predict_one(ONE)
    before = model.examples_
    model.learn_one(ONE, label)
    model.partial_fit(X[:50], Y[:50])
    model.learn_one(ONE, 77)  # a label that is new
    assert model.examples_ == before + 52
    model.set_params(max_epochs=2)
    path = folder / f"model {os.getpid()}"
    model.save(path)
    assert thresher.load(path).predict_one(ONE) == model.predict_one(ONE)


@pytest.mark.parametrize(
    "work",
    [
        lambda model: model.partial_fit(X, Y),
        lambda model: model.predict(X),
        lambda model: model.learn_one(ONE, int(time.monotonic_ns() % 3)),
        lambda model: model.learn_one(ONE, int(time.monotonic_ns() % 1000)),
        lambda model: model.set_params(max_epochs=1),
        lambda model: model._model.state(),
    ],
    ids=["partial_fit", "predict", "learn_one", "new labels", "set_params", "state"],
)
def test_a_child_can_use_a_model_that_a_thread_is_at(work, tmp_path):
    model = thresher.Perceptron().fit(X[:200], Y[:200])
    with Meanwhile(lambda: work(model)) as busy:
        for _ in range(12):
            in_child(lambda: use(model, tmp_path))
    assert busy.times > 0


def test_a_child_sees_whole_examples_only():
    """Each example moves all weights alike: between two of them they are equal."""
    model = thresher.Perceptron(average=False, fit_intercept=False, margin=1e300)
    rows = np.ones((50_000, 100))
    labels = np.ones(len(rows), int)
    model.partial_fit(rows[:2], [0, 1])

    def check():
        weights = model.coef_[0]
        assert (weights == weights[0]).all()

    with Meanwhile(lambda: model.partial_fit(rows, labels)):
        for _ in range(10):
            in_child(check)


def test_labels_that_threads_bring_while_the_process_forks():
    """The lock of those who bring labels may be anybody's when the fork comes."""
    model = thresher.Perceptron()
    model.learn_one(ONE, "start")
    number = [0]

    def learn():
        number[0] += 1
        model.learn_one(ONE, f"label {number[0] % 500}")

    def child():
        before = model.examples_
        model.learn_one(ONE, "of the child")
        assert model.predict_one(ONE) in model.classes_
        assert model.examples_ == before + 1

    with Meanwhile(learn), Meanwhile(learn):
        for _ in range(15):
            in_child(child)


def test_a_rule_in_the_middle_of_an_example_is_an_error_and_no_hang():
    inside, go_on = threading.Event(), threading.Event()

    def rate(t):
        inside.set()
        go_on.wait(60)
        return 1.0

    model = thresher.Perceptron(learning_rate=rate)
    go_on.set()
    model.learn_one(ONE, 0)
    go_on.clear()
    inside.clear()
    thread = threading.Thread(target=lambda: model.learn_one(ONE, 1))
    thread.start()
    assert inside.wait(60)

    def child():
        for call in (
            lambda: model.predict_one(ONE),
            lambda: model.learn_one(ONE, 0),
            lambda: model.coef_,
            lambda: copy.copy(model),
        ):
            with pytest.raises(ForkError, match="in the middle of an example"):
                call()

    try:
        in_child(child)
    finally:
        go_on.set()
        thread.join()
    assert model.examples_ == 2


def test_a_rule_that_forks():
    """The thread that forks goes on in the child, in the middle of its example."""
    forking = []

    def rate(t):
        if forking:
            in_child(ask)
        return 1.0

    def ask():
        assert np.isfinite(model.score_one(ONE))
        with pytest.raises(thresher.errors.ModelInUse):
            model.learn_one(ONE, 0)

    model = thresher.Perceptron(learning_rate=rate)

    model.learn_one(ONE, 0)
    forking.append(True)
    model.learn_one(ONE, 1)
    assert model.examples_ == 2


def test_children_of_children(tmp_path):
    model = thresher.Perceptron().fit(X[:200], Y[:200])

    def child():
        with Meanwhile(lambda: model.partial_fit(X, Y)):
            for _ in range(3):
                in_child(lambda: use(model, tmp_path))

    with Meanwhile(lambda: model.partial_fit(X, Y)):
        in_child(child, seconds=60)


# ------------------------------------------------------------------ readers


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("".join(f"{i % 2} {i % 97}:1 {100 + i % 31}:2.5\n" for i in range(30_000)))
    return path


def test_a_reader_that_was_opened_before_the_fork(data):
    """It raises; it can be closed and forgotten; and one of the child's own reads all."""
    with Reader([data], chunk=2000) as reader:
        batches = [next(reader), next(reader)]

        def child():
            with pytest.raises(ForkError, match="open the files again"):
                next(reader)
            reader.close()
            batches.clear()
            gc.collect()
            with thresher.read(data) as own:
                assert sum(len(batch) for batch in own) == 30_000

        for _ in range(5):
            in_child(child)
        rest = sum(len(batch) for batch in reader)
    assert rest + sum(len(batch) for batch in batches) == 30_000


def test_a_reader_that_the_child_forgets(data):
    reader = Reader([data], chunk=2000)
    next(reader)

    def child():
        nonlocal reader
        del reader
        gc.collect()

    in_child(child)
    reader.close()


def test_fork_while_a_thread_trains_from_files(data):
    learners = thresher.Perceptron(), thresher.Perceptron().fit_file(data)

    def child():
        fitted = thresher.PassiveAggressive().fit_file(data)
        assert fitted.examples_ == 30_000
        assert len(learners[1].predict_file(data)) == 30_000

    with Meanwhile(lambda: learners[0].fit_file(data)) as busy:
        for _ in range(4):
            in_child(child, seconds=60)
    assert busy.times > 0


def test_a_pool_of_processes():
    import multiprocessing

    model = thresher.Perceptron().fit(X[:500], Y[:500])
    with (
        Meanwhile(lambda: model.partial_fit(X, Y)),
        multiprocessing.get_context("fork").Pool(2) as pool,
    ):
        answers = pool.map(model.predict, [X[i : i + 100] for i in range(0, 1000, 100)])
    assert [len(answer) for answer in answers] == [100] * 10
