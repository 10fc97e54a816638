"""Code that a model calls may ask that model, and not change it.

A rule or a learning rate written in Python is called in the middle of an example; signal handlers
and what garbage collection sets off may run while a model is held; values and labels with methods
of their own are read with nothing held.
"""

import copy
import gc
import signal
import sys
import threading

import numpy as np
import pytest

import thresher
from cases import looped
from thresher.errors import ModelInUse

X = [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.5], [-1.0, 0.5, 1.0]]
Y = ["a", "b", "a", "c"]


class Calling:
    """A learning rate that calls something, once there is a model to call it on."""

    def __init__(self):
        self.model, self.call, self.raised, self.calls = None, None, [], 0

    def rate(self, t):
        if call := self.call:
            self.calls += 1
            self.call = None  # a copy of the model calls this, too
            try:
                call(self.model)
            except ModelInUse as error:
                self.raised.append(error)
            self.call = call
        return 1.0 / t


def by_rate(calling, **options):
    return thresher.Perceptron(learning_rate=calling.rate, margin=5.0, **options)


def by_rule(calling, **options):
    @thresher.rule(jit=False)
    def asking(margin, t):
        return calling.rate(t) if margin <= 5 else 0.0

    return asking(**options)


MAKERS = {"learning rate": by_rate, "rule": by_rule}

QUESTIONS = {
    "predict_one": lambda m: m.predict_one({"x0": 5.0, "x2": -1.0}),
    "predict_json": lambda m: m.predict_json('{"x0": 5, "x2": -1}'),
    "score_one": lambda m: m.score_one({"x1": 3.0}),
    "explain_one": lambda m: m.explain_one({"x1": 3.0}),
    "predict": lambda m: m.predict(np.ones((3, 3))),
    "coef_": lambda m: m.coef_,
    "classes_": lambda m: m.classes_,
    "top_features": lambda m: m.top_features(),
    "examples_": lambda m: m.examples_,
    "state": lambda m: m.__getstate__(),
    "copy": lambda m: copy.copy(m).learn_one({"x0": 1.0}, "d"),
}
CHANGES = {
    "learn_one": lambda m: m.learn_one({"x0": 1.0}, "a"),
    "predict_learn_one": lambda m: m.predict_learn_one({"x0": 1.0}, "a"),
    "a new label": lambda m: m.learn_one({"x0": 1.0}, "new"),
    "partial_fit": lambda m: m.partial_fit(X, Y),
    "fit": lambda m: m.fit(X, Y),
    "set_params": lambda m: m.set_params(burn_in=3),
    "setstate": lambda m: m.__setstate__(m.__getstate__()),
    "grow": lambda m: m._model.grow(100_000),
    "names": lambda m: m._model.ids([f"name {i}" for i in range(10_000)]),
    "load": lambda m: m._model.set_state(m._model.state()),
}


def learn(model, how):
    if how == "partial_fit":
        model.partial_fit(X * 3, Y * 3)
    else:
        for row, label in zip(X * 3, Y * 3, strict=True):
            model.learn_one({f"x{j}": v for j, v in enumerate(row) if v}, label)


def begun(maker, calling, **options):
    model = maker(calling, **options)
    model.partial_fit(X, Y)
    calling.model = model
    return model


@looped("how", ["learn_one", "partial_fit"])
@looped("question", QUESTIONS)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_question_changes_nothing(maker, question, how):
    """The model ends as one whose rule did not ask; `prepare` has more buffers to share."""
    for options in ({}, {"average": True, "calibrate": True}, {"prepare": "standard"}):
        if maker == "rule" and "prepare" in options:
            continue
        asking, silent = Calling(), Calling()
        model, same = (
            begun(MAKERS[maker], asking, **options),
            begun(MAKERS[maker], silent, **options),
        )
        asking.call = QUESTIONS[question]
        learn(model, how)
        learn(same, how)
        assert asking.calls > 3 and not asking.raised
        assert model._model.state() == same._model.state()


@looped("how", ["learn_one", "partial_fit"])
@looped("change", CHANGES)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_change_is_refused(maker, change, how):
    """It raises where it is made; who catches it goes on as if nothing had been asked."""
    calling, silent = Calling(), Calling()
    model, same = begun(MAKERS[maker], calling), begun(MAKERS[maker], silent)
    calling.call = CHANGES[change]
    learn(model, how)
    learn(same, how)
    assert calling.raised and len(calling.raised) == calling.calls
    assert "wants to change it" in str(calling.raised[0])
    assert model._model.state() == same._model.state()
    assert model.get_params()["burn_in"] == 0


def test_a_change_that_is_not_caught_ends_the_example():
    calling = Calling()
    model = begun(by_rate, calling)
    before = model._model.state()
    calling.rate = None
    model.set_params(learning_rate=lambda t: model.learn_one({"x0": 1.0}, "a"))
    for x, y in (({"x0": 1.0}, "c"), ({"x0": 1.0}, "new")):
        with pytest.raises(ModelInUse):
            model.learn_one(x, y)
    assert model._model.state() == before
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_unsorted_rows_stay_theirs_while_the_model_is_asked():
    """Rows whose columns are out of order are put in order in a buffer, which both would use."""
    from scipy import sparse

    rows = sparse.csr_array(
        ([3.0, 1.0, 2.0, 5.0], np.array([2, 0, 1, 0], np.int32), np.array([0, 2, 4])), shape=(2, 3)
    )
    other = sparse.csr_array(
        ([9.0, 8.0], np.array([1, 0], np.int32), np.array([0, 2])), shape=(1, 3)
    )
    asking, silent = Calling(), Calling()
    model, same = begun(by_rate, asking), begun(by_rate, silent)
    asking.call = lambda m: m.predict(other)
    model.partial_fit(rows, ["c", "b"])
    same.partial_fit(rows, ["c", "b"])
    assert asking.calls and model._model.state() == same._model.state()


# ------------------------------------------------------------------ values and labels with a will


class Float:
    """A value that does something before it says what it is."""

    def __init__(self, value, before):
        self.value, self.before = value, before

    def __float__(self):
        self.before()
        return self.value


def test_a_value_that_asks_the_model_does_not_change_the_score():
    model = thresher.Perceptron()
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    model.learn_one({"a": -1.0, "c": 2.0}, 0)
    plain = {"a": 3.0, "b": 0.5, "c": 0.25}
    score = model.score_one(plain)

    def asking():
        return {
            name: Float(v, lambda: model.score_one({"c": 100.0, "d": 7.0, "a": -1.0}))
            for name, v in plain.items()
        }

    assert model.score_one(asking()) == score
    assert model.predict_one(asking()) == model.predict_one(plain)
    assert model.explain_one(asking()) == model.explain_one(plain)
    other = copy.copy(model)
    model.learn_one(asking(), 0)
    other.learn_one(plain, 0)
    assert model._model.state() == other._model.state()


def test_a_value_that_teaches_the_model_comes_first():
    """Nothing is held while values are read: what they do is done before the example."""
    model, same = thresher.Perceptron(), thresher.Perceptron()
    for each in (model, same):
        each.learn_one({"a": 1.0}, 1)
        each.learn_one({"b": 1.0}, 0)
    model.learn_one({"new": Float(2.0, lambda: model.learn_one({"other": 1.0}, 0)), "b": 1.0}, 1)
    same.learn_one({"other": 1.0}, 0)
    same.learn_one({"new": 2.0, "b": 1.0}, 1)
    assert model._model.state() == same._model.state()


def test_a_dict_that_empties_itself_while_it_is_read():
    model = thresher.Perceptron()
    x = {"a": 1.0, "b": Float(2.0, lambda: x.clear()), "c": 3.0}
    model.learn_one(x, 1)
    assert model.feature_names_out_.tolist() == ["a", "b", "c"]


def test_containers_that_ask():
    model = thresher.Perceptron()
    model.learn_one(["a"], 1)
    model.learn_one(["b"], 0)

    class Names(list):
        def __iter__(self):
            model.score_one(["b", "b"])
            return super().__iter__()

    class Mapping:
        def keys(self):
            model.score_one(["b"])
            return ["a"]

        def items(self):
            return [("a", 1.0)]

        def __getitem__(self, key):
            model.score_one(["b"])
            return 1.0

    assert model.score_one(Names(["a"])) == model.score_one(["a"])
    assert model.score_one(Mapping()) == model.score_one({"a": 1.0})


@pytest.mark.parametrize("options", [{"text": ["t"]}, {"ngrams": 2}, {"hash_bits": 6}], ids=str)
def test_values_read_by_a_recipe(options, tmp_path):
    (tmp_path / "data.jsonl").write_text(
        '{"y": "p", "t": "good day", "n": 1}\n{"y": "q", "t": "bad night", "n": 2}\n'
    )
    model = thresher.Perceptron().fit_file(tmp_path / "data.jsonl", label="y", **options)
    plain = {"t": "good night", "n": 4.0, "more": ["a", "b"]}
    asking = plain | {"n": Float(4.0, lambda: model.score_one({"t": "bad bad", "n": -9.0}))}
    assert model.score_one(asking) == model.score_one(plain)


def test_labels_that_ask():
    """__eq__ and __hash__ of a label are called to find its code."""
    model = thresher.Perceptron()
    doing = []

    class Label(str):
        __slots__ = ()

        def __eq__(self, other):
            if doing:
                doing[0]()
            return str.__eq__(self, other)

        def __hash__(self):
            return str.__hash__(self)

    for x, y in (("a", "p"), ("b", "q"), ("c", "r")):
        model.learn_one([x], Label(y))
    for do in (
        lambda: model.predict_one(["a"]),
        lambda: doing.clear() or model.learn_one(["b"], "q"),
        lambda: doing.clear() or model.learn_one(["b"], "new"),
    ):
        doing[:] = [do]
        model.learn_one(["a", "c"], Label("r"))
        doing.clear()
    assert model.predict_one(["c"]) in {"p", "q", "r", "new"}
    assert np.isfinite(model.coef_).all()


# ------------------------------------------------------------------ what runs at any time


def test_garbage_collection_while_a_model_is_held():
    """Objects are made while a model tells its names; the collector may run anybody's code."""
    model = thresher.Perceptron(calibrate=True)
    for i in range(200):
        model.learn_one({f"name {i}": 1.0, "all": 1.0}, f"label {i % 7}")
    expected = (
        model.score_one({"all": 1.0}),
        model._names(),
        model.explain_one({"all": 2.0, "x": 1}),
    )
    refused, done = [], []

    class Garbage:
        def __init__(self):
            self.me = self

        def __del__(self):
            model.predict_one({"name 3": 4.0, "unheard": 1.0})
            done.append(1)
            model.learn_one({"all": 1.0}, "label 1")

    hook, threshold = sys.unraisablehook, gc.get_threshold()
    sys.unraisablehook = lambda found: refused.append(found.exc_type)
    try:
        gc.set_threshold(1)
        for _ in range(100):
            Garbage()
            found = (
                model.score_one({"all": 1.0}),
                model._names(),
                model.explain_one({"all": 2.0, "x": 1}),
            )
            if not refused and not done:
                assert found == expected
    finally:
        gc.set_threshold(*threshold)
        sys.unraisablehook = hook
    assert done
    assert set(refused) <= {ModelInUse}


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals come to the main one"
)
@pytest.mark.parametrize("work", ["predict", "partial_fit"])
def test_a_signal_handler_asks_and_may_not_teach(work):
    """Between two blocks of a pass handlers run: the model is in use, by this very thread."""
    rng = np.random.default_rng(0)
    big = rng.normal(size=(60_000, 100))
    labels = rng.integers(2, size=len(big))
    model = thresher.Perceptron().fit(big[:1000], labels[:1000])
    seen, refused = [], []

    def handler(*_):
        seen.append(model.predict(big[:3]).tolist())
        try:
            model.learn_one({"x0": 1.0}, 1)
        except ModelInUse:
            refused.append(1)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(200):
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            model.predict(big) if work == "predict" else model.partial_fit(big, labels)
            if refused:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen and refused


def test_sequences_of_values_that_ask():
    model = thresher.SequencePerceptron().fit([[["a"], ["b"]], [["b"], ["c"]]], [["X", "Y"]] * 2)
    plain = [{"a": 1.0}, {"b": 2.0}, {"c": 1.0}]
    asking = [
        {name: Float(v, lambda: model.predict_one([["c"], ["a"]])) for name, v in x.items()}
        for x in plain
    ]
    assert model.predict_one(asking) == model.predict_one(plain)
    same = copy.copy(model)
    model.learn_one(asking, ["Y", "X", "Z"])
    same.learn_one(plain, ["Y", "X", "Z"])
    assert model._pack()[1] == same._pack()[1]


def test_transformers_of_values_that_ask():
    from thresher.features import Standard

    step = Standard()
    for i in range(4):
        step.learn_one({"a": float(i), "b": 2.0 * i})
    plain = {"a": 3.0, "b": 1.0}
    asking = {k: Float(v, lambda: step.transform_one({"b": -50.0})) for k, v in plain.items()}
    assert step.transform_one(asking) == step.transform_one(plain)
