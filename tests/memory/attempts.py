"""Run under no_memory.so: every allocation of an operation fails once, one after the other.

    LD_PRELOAD=no_memory.so python attempts.py OPERATION…

Prints how many failures there were of each operation. Each must arrive as a MemoryError, and leave
the model as it was before or as it is after the example, ready to be saved, loaded and to go on.

By default it is every STEP-th allocation, beginning with another one in each case: learners share
their code, so that what is passed over in one of them is met in the next.
"""

import ctypes
import itertools
import os
import pickle
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import thresher
from streams import ONLINE, case_id
from thresher.data.reader import Reader
from thresher.data.reading import reading_options
from thresher.data.write import open_writer
from thresher.learners.table import LINEAR

hook = ctypes.CDLL(None)
folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
X = np.where(rng.random((12, 6)) < 0.5, 0.0, rng.random((12, 6)))
PLAIN = [(entry, options) for entry, options in ONLINE if not options]
MORE = [
    (entry, options)
    for entry in LINEAR
    for options in (
        {"prepare": "minmax, conjunctions(2)"},
        {"prepare": "fourier(4)"},
        {"calibrate": True, "average": True},
        {"negations": True, "average": True, "demotion": "eliminate"},
        {"class_weight": "balanced"},
    )
    if set(options) <= set(entry.cls().get_params()) and entry.online
    if not (entry.name == "Winnow" and "fourier(4)" in options.values())
]
ALL = bool(os.environ.get("THRESHER_ALL_FAULTS"))
STEP = 1 if ALL else 3
LEARNERS = (ONLINE if ALL else PLAIN) + [
    case for case in MORE if ALL or case[0].name in ("Perceptron", "Winnow")
]
FILES = {  # and how each is read
    "csv": ("y,a,b,c\n", "{label},{i},0.5,red\n", {"categorical": ["c"], "label": "y"}),
    "jsonl": ("", '{{"label": "{label}", "a": {i}, "words": "new {i}"}}\n', {"text": ["words"]}),
    "svmlight": ("", "{i} 1:0.5 {i}7:2\n", {}),
    "vw": ("", "{i} 0.5 tag{i}|n a:{i} b |m word{i}\n", {"cross": [("n", "m")]}),
    "bag": ("", "{label}\tsome words {i}\n", {"ngrams": 2}),
}


def kept(model):
    state = model.__getstate__()
    labels = state.get("_labels")
    return state.get("_model"), labels and labels.values


begins = itertools.cycle(range(1, STEP + 1))


def failures(prepare, operation, check):
    """How many allocations failed: one after the other, each in an operation on a fresh copy."""
    for failed, n in enumerate(itertools.count(next(begins), STEP)):
        subject = prepare()
        hook.fail_at(n)
        try:
            result = operation(subject)
        except MemoryError:
            assert hook.has_failed()
            check(subject)
        else:
            if not hook.has_failed():
                return failed
            check(subject if result is None else result)  # it succeeded without that memory


def labels_of(entry, count):
    return ["p", "q", "r", "s"][:count] if entry.task == "classify" else [1.0, -2.0, 0.5, 3.0]


def begun(entry, options, classes):
    """A learner by name that has seen `classes` classes, as bytes."""
    model = entry.cls(**options)
    for i in range(3 * classes):
        x = {f"name {j}": float(v) for j, v in enumerate(X[i % 12]) if v} | {"all": 0.5}
        model.learn_one(x, labels_of(entry, 4)[i % classes], 1.0 + i % 2)
    return pickle.dumps(model)


def learn_one(entry, options):
    """A known label, a new one, and many new names, which all have to grow."""
    total = 0
    for classes in (1, 2, 3):
        bytes_ = begun(entry, options, classes)
        for label in labels_of(entry, 4)[classes - 1 : classes + 1]:
            new = {f"new {i}": 0.5 for i in range(40)} | {"all": 1.0, "name 1": 0.25}
            after = pickle.loads(bytes_)
            after.learn_one(new, label, 2.0)
            states = kept(pickle.loads(bytes_)), kept(after)

            def check(model, states=states, label=label):
                assert kept(model) in states, "neither before nor after"
                model.save(folder / "model")
                assert kept(thresher.load(folder / "model")) == kept(model)
                model.learn_one({"all": 1.0}, label)

            total += failures(
                lambda b=bytes_: pickle.loads(b),
                lambda model, x=new, y=label: model.learn_one(x, y, 2.0),
                check,
            )
    return total


def partial_fit(entry, options):
    """Rows before the one at which memory ran out are learned."""
    y = [labels_of(entry, 4)[i % 4] for i in range(len(X))]
    first = pickle.dumps(entry.cls(**options).partial_fit(X[:2], y[:2]))
    states = []
    for rows in range(2, len(X) + 1):
        model = pickle.loads(first)
        if rows > 2:
            model.partial_fit(X[2:rows], y[2:rows])
        states.append(kept(model))

    def check(model):
        assert kept(model) in states
        model.save(folder / "model")
        assert kept(thresher.load(folder / "model")) == kept(model)

    return failures(
        lambda: pickle.loads(first), lambda model: model.partial_fit(X[2:], y[2:]) and None, check
    )


def predict(entry, options):
    bytes_ = begun(entry, options, 3)
    before = kept(pickle.loads(bytes_))
    x = {f"new {i}": 0.5 for i in range(40)} | {"all": 1.0, "name 1": 0.25}

    def ask(model):
        model.predict_one(x)
        model.score_one(x)
        model.explain_one(x, *(["p"] if entry.task == "classify" else []))
        model.coef_  # noqa: B018 (it allocates)

    def check(model):
        assert kept(model) == before
        ask(model)

    return failures(lambda: pickle.loads(bytes_), ask, check)


def save(entry, options):
    bytes_ = begun(entry, options, 3)
    before = kept(pickle.loads(bytes_))
    path = folder / "model"
    pickle.loads(bytes_).save(path)

    def check(_):
        assert kept(thresher.load(path)) == before

    return failures(lambda: pickle.loads(bytes_), lambda model: model.save(path), check)


def load(entry, options):
    path = folder / "model"
    pickle.loads(begun(entry, options, 3)).save(path)
    before = kept(thresher.load(path))

    def check(model):
        if model is not None:
            assert kept(model) == before

    return failures(lambda: None, lambda _: thresher.load(path), check)


def set_params(entry, options):
    bytes_ = begun(entry, options, 3)
    before = kept(pickle.loads(bytes_))

    def check(model):
        assert kept(model) == before

    return failures(
        lambda: pickle.loads(bytes_),
        lambda model: model.set_params(**model.get_params()) and None,
        check,
    )


def table_for(entry):
    path = folder / "data.csv"
    rows = (f"{labels_of(entry, 4)[i % 4]},{','.join(map(str, x))}" for i, x in enumerate(X))
    path.write_text("y,a,b,c,d,e,f\n" + "\n".join(rows) + "\n")
    return path


def fit_file(entry, options):
    """A run learns all or nothing; its threads allocate, too."""
    path = table_for(entry)
    before = pickle.loads(begun(entry, options, 2))
    states = kept(before), kept(entry.cls(**options).fit_file(path, label="y"))

    def check(model):
        assert kept(model) in states

    return failures(
        lambda: pickle.loads(pickle.dumps(before)),
        lambda model: model.fit_file(path, label="y", threads=2) and None,
        check,
    )


def predict_file(entry, options):
    path = table_for(entry)
    model = entry.cls(**options).fit_file(path, label="y")
    before, answers = kept(model), model.predict_file(path, label="y")

    def ask(model):
        assert model.predict_file(path, label="y", threads=2) == answers

    def check(model):
        assert kept(model) == before
        ask(model)

    return failures(lambda: model, ask, check)


def until_lost(reader):
    """Batches; after one that was lost comes none."""
    try:
        yield from reader
    except MemoryError as error:
        next(reader)  # raises it again
        raise AssertionError("a batch came in place of the one that was lost") from error


def convert(format, options):
    """Several chunks, of which each goes through one of the parsers."""
    head, line, recipe = FILES[format]
    source, target = folder / f"data.{format}", folder / "out.jsonl"
    source.write_text(head + "".join(line.format(i=i + 1, label="pq"[i % 2]) for i in range(30)))
    how = reading_options(format=format, **recipe)

    def write(_):
        with (
            Reader([source], how, threads=2, chunk=200, keep_zeros=True) as reader,
            open_writer(target) as writer,
        ):
            for batch in until_lost(reader):
                for example in batch.examples():
                    writer.write(example)

    write(None)
    whole = target.read_bytes()
    assert whole.count(b"\n") == 30

    def check(_):
        assert target.read_bytes() == whole
        assert [path.name for path in folder.glob("*out.jsonl*")] == ["out.jsonl"]

    return failures(lambda: target.write_bytes(whole), write, check)


BY_FILE = [
    (entry, options)
    for entry, options in LEARNERS
    if options in ({}, {"prepare": "fourier(4)"})
    if ALL or entry.name in ("Perceptron", "Snow", "LMS")
]
OPERATIONS = {
    "learn_one": (learn_one, LEARNERS),
    "partial_fit": (partial_fit, LEARNERS),
    "predict": (predict, LEARNERS),
    "save": (save, LEARNERS),
    "load": (load, LEARNERS),
    "set_params": (set_params, LEARNERS),
    "fit_file": (fit_file, BY_FILE),
    "predict_file": (predict_file, BY_FILE),
    "convert": (convert, [(format, {}) for format in FILES]),
}


def main():
    hook.has_failed.restype = ctypes.c_bool
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        operation, cases = OPERATIONS[name]
        total = 0
        for of, options in cases:
            print(name, case_id(of) or of, case_id(options), end=" ", flush=True)
            total += (count := operation(of, options))
            print(count, flush=True)
        print(f"{name}: {total} failures in {len(cases)} cases", flush=True)


if __name__ == "__main__":
    main()
