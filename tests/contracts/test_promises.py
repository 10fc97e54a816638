"""Batch = stream; resumed = uninterrupted; dense = sparse = dict; threads change nothing.

Where the promise is "bit for bit", the whole state of the learner is compared: weights, averages,
counts, calibration, both readings of a lone label. (Not compared here: the AVX2 loops against the
portable ones. Both follow one fixed order of summation, written down in the core; a test would need
a second processor.)
"""

import copy
import json
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from cases import about, looped
from streams import COUNTERS, ONLINE, Stream, case_id, real_streams
from thresher.learners.table import LINEAR
from together import run_together

some = settings(max_examples=max(5, settings.default.max_examples // 5))


def state(model):
    """Every number that a learner keeps. Names are left out: x0, x1, … may be given or implied."""
    kept = model.__getstate__()["_model"]
    return {
        "arrays": dict(kept["arrays"]),
        "reals": {name: value.hex() for name, value in kept["reals"].items()},
        "counts": kept["counts"],
    }


def assert_bit_for_bit(model, other):
    assert state(model) == state(other)
    np.testing.assert_array_equal(model.coef_, other.coef_)
    np.testing.assert_array_equal(model.intercept_, other.intercept_)
    if hasattr(model, "classes_"):
        assert model.classes_.tolist() == other.classes_.tolist()


def fit(model, stream, X):
    return model.fit(X, stream.labels, sample_weight=stream.weights)


def go_on(model, stream, X):
    return model.partial_fit(X, stream.labels, sample_weight=stream.weights)


def learn_rows(model, stream, first=0):
    for x, y, weight in stream.part(slice(first, None)).examples():
        model.learn_one(x, y, sample_weight=weight)


def drawn_cuts(data, length):
    cuts = data.draw(st.sets(st.integers(1, length)), label="cuts")
    return zip([0, *sorted(cuts)], [*sorted(cuts), length], strict=True)


# ------------------------------------------------------------------ batch = stream


@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
@some
@given(data=st.data())
def test_fit_is_partial_fit_in_any_chunks(entry, options, data):
    stream = data.draw(real_streams(entry))
    cuts = [(begin, end) for begin, end in drawn_cuts(data, len(stream)) if begin < end]
    each_row = [(i, i + 1) for i in range(len(stream))]
    for form, X in (("dense", stream.X), ("csr", stream.csr())):
        whole = fit(entry.cls(**options), stream, X)
        for chunks in (cuts, each_row):
            model = entry.cls(**options)
            for begin, end in chunks:
                go_on(model, stream.part(slice(begin, end)), X[begin:end])
            with about((form, chunks)):
                assert_bit_for_bit(model, whole)


@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
@some
@given(data=st.data())
def test_fit_is_learn_one_row_by_row(entry, options, data):
    """By the names x0, x1, …: to a model that began with rows, and to one that knows names only
    (it is told all of them by a first example: Winnow's threshold is their number)."""
    stream = data.draw(real_streams(entry))
    whole = fit(entry.cls(**options), stream, stream.csr())
    mixed = go_on(entry.cls(**options), stream.part(slice(1)), stream.csr()[:1])
    learn_rows(mixed, stream, first=1)
    assert_bit_for_bit(mixed, whole)
    if stream.importance[0] == 0.0:  # then nothing is learned from the first example, no names
        return
    named = entry.cls(**options)
    every = {f"x{j}": value for j, value in enumerate(stream.X[0].tolist())}
    named.learn_one(every, stream.y[0], sample_weight=stream.importance[0])
    learn_rows(named, stream, first=1)
    assert_bit_for_bit(named, whole)


@pytest.mark.parametrize(
    ("entry", "options"), [case for case in ONLINE if case[0].task == "classify"], ids=case_id
)
@some
@given(data=st.data())
def test_announced_classes_change_nothing_that_is_learned(entry, options, data):
    stream = data.draw(real_streams(entry))
    plain = go_on(entry.cls(**options), stream, stream.X)
    told = entry.cls(**options)
    told.partial_fit(stream.X, stream.labels, sorted(set(stream.y)), stream.weights)
    assert state(told) == state(plain)
    np.testing.assert_array_equal(told.predict(stream.X), plain.predict(stream.X))


@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
@some
@given(data=st.data())
def test_an_example_of_weight_zero_is_not_there(entry, options, data):
    stream = data.draw(real_streams(entry))
    weights = np.array(stream.importance)
    with_zeros = go_on(entry.cls(**options), stream, stream.X)
    without = go_on(entry.cls(**options), stream.part(weights > 0), stream.X[weights > 0])
    assert_bit_for_bit(with_zeros, without)


def test_a_regressor_keeps_nothing_of_an_example_that_diverges():
    """Not even in the estimate that learning_rate="auto" works with."""
    for options in ({}, {"learning_rate": 0.5}, {"average": True}):
        model = thresher.LMS(fit_intercept=False, **options).fit([[1e-9]], [1.0])
        before = state(model)
        with pytest.raises(thresher.errors.DivergenceError):
            model.partial_fit([[1e15]], [1.0])
        assert state(model) == before


# ------------------------------------------------------------------ resumed = uninterrupted


def long_stream(entry, seed, length=60):
    """One class for three examples, two for ten more, then five."""
    rng = np.random.default_rng(seed)
    X = rng.random((length, 12)) if entry.name in COUNTERS else rng.normal(size=(length, 12))
    X[rng.random(X.shape) < 0.4] = 0.0
    y = rng.integers(5, size=length)
    y[:3], y[3:13] = 2, rng.integers(1, 3, size=10)
    y = y.astype(float) if entry.task == "regress" else np.array(list("edcba"))[y]
    return Stream(X, y.tolist(), rng.choice([0.5, 1.0, 2.0], size=length).tolist())


RESUME = textwrap.dedent(
    """
    import json, sys
    import numpy as np
    import thresher

    for job in json.load(open(sys.argv[1])):
        model = thresher.load(job["saved"])
        X, y, weights = np.array(job["X"]), job["y"], job["weights"]
        if job["named"]:
            for row, label, weight in zip(X.tolist(), y, weights):
                model.learn_one({f"x{j}": v for j, v in enumerate(row) if v}, label, weight)
        else:
            model.partial_fit(X, y, sample_weight=weights)
        model.save(job["resumed"])
    """
)


def begun(entry, options, stream, named):
    """A learner after these examples, by name or by row."""
    model = entry.cls(**options)
    if named:
        learn_rows(model, stream)
        return model
    return go_on(model, stream, stream.X)


def test_saved_after_any_example_and_resumed_in_a_new_process(tmp_path):
    """Every learner, saved while it knows no second label, while it knows two, and with many."""
    jobs, expected = [], []
    for number, (entry, options) in enumerate(ONLINE):
        stream = long_stream(entry, number)
        for after in (1, 3, 4, 13, 14, 40):
            named = (number + after) % 2 == 0
            rest = stream.part(slice(after, None))
            stem = tmp_path / f"{number}-{after}"
            begun(entry, options, stream.part(slice(after)), named).save(f"{stem}.saved")
            expected.append(begun(entry, options, stream, named))
            files = {"saved": f"{stem}.saved", "resumed": f"{stem}.resumed", "named": named}
            jobs.append(files | {"X": rest.X.tolist(), "y": rest.y, "weights": rest.weights})
    (tmp_path / "jobs.json").write_text(json.dumps(jobs))
    subprocess.run([sys.executable, "-c", RESUME, tmp_path / "jobs.json"], check=True, timeout=300)
    for job, whole in zip(jobs, expected, strict=True):
        resumed = thresher.load(job["resumed"])
        assert_bit_for_bit(resumed, whole)
        assert resumed.get_params() == whole.get_params()
        assert resumed.top_features() == whole.top_features()


COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@looped("kind", COPIES)
@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
def test_a_copy_goes_its_own_way(entry, options, kind):
    stream = long_stream(entry, seed=1)
    whole = go_on(entry.cls(**options), stream, stream.X)
    for after in (1, 5, 14, 40):
        model = go_on(entry.cls(**options), stream.part(slice(after)), stream.X[:after])
        before = state(model)
        known = model.classes_.tolist() if entry.task == "classify" else None
        other = COPIES[kind](model)
        go_on(other, stream.part(slice(after, None)), stream.X[after:])
        assert_bit_for_bit(other, whole)
        assert state(model) == before
        if known is not None:
            assert model.classes_.tolist() == known
        go_on(model, stream.part(slice(after, None)), stream.X[after:])
        assert_bit_for_bit(model, whole)


# ------------------------------------------------------------------ dense = sparse = dict


@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
@some
@given(data=st.data())
def test_dense_is_sparse_is_dict(entry, options, data):
    stream = data.draw(real_streams(entry))
    dense = fit(entry.cls(**options), stream, stream.X)
    shuffled = stream.csr()
    shuffled.indices, shuffled.data = shuffled.indices[::-1].copy(), shuffled.data[::-1].copy()
    shuffled.indptr = shuffled.indptr[-1] - shuffled.indptr[::-1]
    backwards = shuffled[::-1]  # the same rows with their columns in falling order
    named = go_on(entry.cls(**options), stream.part(slice(1)), stream.X[:1])
    for x, y, weight in stream.part(slice(1, None)).examples():
        named.learn_one(dict(reversed(x.items())), y, sample_weight=weight)
    others = {
        "csr": fit(entry.cls(**options), stream, stream.csr()),
        "csr float32": fit(entry.cls(**options), stream, stream.csr(np.float32)),
        "coo": fit(entry.cls(**options), stream, stream.csr().tocoo()),
        "backwards": fit(entry.cls(**options), stream, backwards),
        "dense float32": fit(entry.cls(**options), stream, stream.X.astype(np.float32)),
        "fortran": fit(entry.cls(**options), stream, np.asfortranarray(stream.X)),
        "named": named,
    }
    for name, other in others.items():
        assert other.updates_ == dense.updates_, name
        for attribute in ("coef_", "intercept_"):
            found, expected = getattr(other, attribute), getattr(dense, attribute)
            size = max(1.0, np.abs(expected).max(initial=0.0))
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * size, err_msg=name)


# ------------------------------------------------------------------ threads


@pytest.mark.parametrize("entry", [entry for entry in LINEAR if entry.online], ids=case_id)
def test_threads_share_a_model(entry):
    """Learning, predicting and looking at one model at once: nothing is lost, nothing breaks."""
    stream = long_stream(entry, seed=2, length=200)
    model = go_on(entry.cls(), stream, stream.X)
    begun_with = model.examples_
    examples = stream.examples()

    def one_by_one():
        for x, y, weight in examples:
            model.learn_one(x, y, sample_weight=weight)

    def in_chunks():
        for i in range(0, len(stream), 8):
            go_on(model, stream.part(slice(i, i + 8)), stream.X[i : i + 8])

    def looking():
        for x, _, _ in examples:
            assert np.isfinite(model.predict(stream.X[:20]) != "").all()
            model.predict_one(x)
            model.score_one(x)
            assert np.isfinite(model.coef_).all()

    run_together(one_by_one, in_chunks, looking, one_by_one)
    assert model.examples_ == begun_with + 3 * len(stream)


@pytest.mark.parametrize("repeat", range(10))
def test_threads_bring_new_names_and_new_classes(repeat):
    """Each thread meets the classes in its own order; another one looks on."""
    model = thresher.Perceptron()
    model.learn_one({"start"}, "class 0")

    def learn(thread):
        for i in range(100):
            model.learn_one({f"name {thread} {i}", f"name {i}"}, f"class {i * (thread + 3) % 40}")

    def look():
        for _ in range(100):
            model.score_one({"start"})
            assert model.predict_one({"start"}).startswith("class")
            assert np.isfinite(model.coef_).all()

    run_together(lambda: learn(0), lambda: learn(4), look)
    assert model.examples_ == 201
    met = {0} | {i * step % 40 for i in range(100) for step in (3, 7)}
    assert model.classes_.tolist() == sorted(f"class {k}" for k in met)
    assert len(set(model.classes_.tolist())) == len(model.coef_)


def test_two_threads_begin_a_model_together():
    for _ in range(20):
        model = thresher.Perceptron()
        run_together(*[lambda m=model: m.learn_one({"a"}, 1)] * 2)
        assert model.examples_ == 2


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("work", ["fit", "predict"])
def test_a_long_pass_lets_other_threads_run(form, work):
    """With a switch interval of an hour, another thread runs only while the pass has let go of the
    interpreter: what it counts in that time is the proof, not how long anything took."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100_000, 50))
    y = rng.integers(2, size=len(X))
    if form == "csr":
        X = Stream(X, []).csr()
    model = thresher.Perceptron(max_epochs=3).fit(X[:100], y[:100])
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)  # hands the interpreter back

    counter = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600.0)
    try:
        counter.start()
        before = counted[0]
        model.fit(X, y) if work == "fit" else [model.predict(X) for _ in range(3)]
        meanwhile = counted[0] - before
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        counter.join()
    assert meanwhile > 10
