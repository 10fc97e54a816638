"""A run that is stopped anywhere and goes on ends as if it had never been stopped."""

import gzip
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams import ONLINE, case_id
from thresher import load
from thresher.checkpoint import Checkpoint
from thresher.data.reader import BadLines
from thresher.data.reading import reading_options
from thresher.drift import DDM
from thresher.errors import DivergenceError, InvalidInput
from thresher.learners.table import by_short
from thresher.training import Plan, Training


def lines_of(format, n, seed, task="classify"):
    """Text with late labels, lines that cannot be used, and (vw) some without a label."""
    rng = random.Random(seed)
    if format == "csv":
        yield "label,p,q,r"
    for i in range(n):
        label = rng.choice([4, 9, 2][: 1 + min(2, i // 6)])
        if task == "regress":
            label = round(rng.gauss(0, 1), 2)
        words = [(rng.choice("abcdefghijk"), rng.choice([1, 0.5, 0.25])) for _ in range(4)]
        bad = rng.random() < 0.1
        if format == "csv":
            yield "oops" if bad else f'{label},{rng.random():.2f},"{words[0][0]}\n",{words[1][0]}'
        elif format == "svmlight":
            ids = sorted({ord(word) for word, _ in words})
            yield "oops:" if bad else f"{label} " + " ".join(f"{i}:0.5" for i in ids)
        else:
            shown = "" if rng.random() < 0.1 else label
            yield "1 |" + "x:y" if bad else f"{shown} |n " + " ".join(f"{w}:{v}" for w, v in words)


def write_files(folder, format, sizes, seed, compressed, task="classify"):
    paths = []
    for number, size in enumerate(sizes):
        text = "\n".join(lines_of(format, size, seed + number, task)) + "\n" * (number % 2)
        suffix = ".gz" if compressed else ""
        path = folder / f"{number}.{format}{suffix}"
        path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
        paths.append(path)
    return paths


def new_learner(entry, options, reading):
    learner = entry.cls(**options)
    learner.begin_reading(reading_options(**reading))
    return learner


def training_of(learner, paths, plan, reading, bad, resume=None):
    how = reading_options(**reading)
    return Training(learner, paths, reading=how, plan=plan, bad=bad, resume=resume)


def save(training, path):
    training.learner.provenance_ = training.provenance()
    training.learner.save(path)


def all_at_once(entry, options, paths, plan, reading, target):
    learner = new_learner(entry, options, reading)
    with training_of(learner, paths, plan, reading, BadLines("skip")) as training:
        for _ in training:
            pass
    save(training, target)
    return training.examples


def in_parts(entry, options, paths, plans, reading, target, stops, killed):
    """Stopped at each of these examples; between the parts there is nothing but the file."""
    learner, resume, left_out = new_learner(entry, options, reading), None, 0
    formats = set()
    for part, stop in enumerate([*stops, None]):
        plan = plans[part % len(plans)]
        training = training_of(learner, paths, plan, reading, BadLines("skip"), resume)
        training.bad.count = left_out
        training.formats.update(formats)
        training.stop_at = stop
        with training:
            for _ in training:
                if stop is not None and training.examples >= stop:
                    if killed:  # the last thing that was saved is all there is
                        save(training, target)
                    training.stop()
        if not (killed and training.stopped):
            save(training, target)
        learner = load(target)
        left_out = learner.provenance_["bad_lines"]
        formats = set(learner.provenance_["formats"])
        resume = Checkpoint.from_dict(learner.provenance_["run"])
        resume.done = False


@pytest.mark.parametrize("format", ["svmlight", "vw", "csv"])
@settings(max_examples=25)
@given(data=st.data())
def test_stopped_anywhere(tmp_path_factory, format, data):
    folder = tmp_path_factory.mktemp("resume")
    sizes = data.draw(st.lists(st.integers(0, 25), min_size=1, max_size=3), label="sizes")
    compressed = data.draw(st.booleans(), label="gz")
    paths = write_files(folder, format, sizes, data.draw(st.integers(0, 99)), compressed)
    plan = {
        "passes": data.draw(st.integers(1, 3), label="passes"),
        "shuffle_buffer": data.draw(st.sampled_from([0, 0, 1, 7]), label="shuffle"),
        "holdout": data.draw(st.sampled_from([0, 0, 2, 5]), label="holdout"),
        "cache": data.draw(st.booleans(), label="cache"),
    }
    names = [{}, {"min_count": 2}, {"min_count": 4}, {"hash_bits": 4}, {"max_features": 5}]
    special = data.draw(st.sampled_from(["", "", "delay", "drift"]), label="special")
    if special == "delay":
        plan |= {
            "delay": data.draw(st.sampled_from([1, 3, 40]), label="delay"),
            "shuffle_buffer": 0,
        }
        names = [{}, {"hash_bits": 4}]
    elif special == "drift":
        action = data.draw(st.sampled_from(["report", "reset", "forget"]), label="action")
        plan |= {"on_drift": action, "drift_detector": DDM(warm_start=4, drift=1.2)}
    reading = data.draw(st.sampled_from(names), label="names")
    reading = reading | {"format": format}
    name = data.draw(st.sampled_from(["perceptron", "pa", "winnow", "mira"]), label="learner")
    options = {
        "winnow": {"negations": True, "clip": True, "average": 0.75},
        "pa": {"calibrate": True},
        "mira": {"average": "tail"},
    }.get(name, {})
    entry = by_short(name)
    chunks = data.draw(st.lists(st.sampled_from([1, 40, 1000, 1 << 20]), min_size=1, max_size=3))
    plans = [Plan(**plan, threads=1 + c % 2, chunk=c) for c in chunks]
    total = all_at_once(entry, options, paths, plans[0], reading, folder / "whole.model")
    stops = data.draw(st.lists(st.integers(1, max(total, 1)), max_size=4, unique=True).map(sorted))
    killed = data.draw(st.booleans(), label="killed")
    in_parts(entry, options, paths, plans, reading, folder / "parts.model", stops, killed)
    whole, parts = load(folder / "whole.model"), load(folder / "parts.model")
    assert parts._model.state() == whole._model.state()
    assert parts.provenance_ == whole.provenance_
    assert (folder / "parts.model").read_bytes() == (folder / "whole.model").read_bytes()


@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
def test_every_learner_goes_on(tmp_path, entry, options):
    paths = write_files(tmp_path, "vw", [30, 20], 5, False, entry.task)
    plan = Plan(passes=2, threads=1)
    if entry.name == "Winnow" and "prepare" not in options:
        options = options | {"clip": True}
    if entry.name == "LMS":
        options = {"learning_rate": 0.01} | options
    total = all_at_once(entry, options, paths, plan, {}, tmp_path / "whole.model")
    stops = sorted(random.Random(1).sample(range(1, total), 4))
    in_parts(entry, options, paths, [plan], {}, tmp_path / "parts.model", stops, True)
    assert (tmp_path / "parts.model").read_bytes() == (tmp_path / "whole.model").read_bytes()


def test_an_example_that_fails_is_the_next_one(tmp_path):
    """What came before it is learned, and counted as learned."""
    path = tmp_path / "data.svm"
    path.write_text("".join(f"{i % 3} 1:{1 + i / 10}\n" for i in range(20)) + "1 1:1e9\n1 1:1\n")
    learner = new_learner(by_short("lms"), {"learning_rate": 0.01}, {})
    with (
        pytest.raises(DivergenceError, match=r"data\.svm, line 21: "),
        training_of(learner, [path], Plan(), {}, BadLines()) as training,
    ):
        for _ in training:
            pass
    assert training.examples == learner.examples_ == 20
    assert training.at.position.line == 20


def test_labels_of_mixed_type_end_the_run_where_they_stand(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1 1:1\n-1 2:1\n\nspam 3:1\n1 1:1\n")
    for chunk in (1, 1 << 20):
        learner = new_learner(by_short("pa"), {}, {})
        with (
            pytest.raises(InvalidInput, match=r"data\.svm, line 4: .*mixed type.*'spam'"),
            training_of(learner, [path], Plan(chunk=chunk), {}, BadLines()) as training,
        ):
            for _ in training:
                pass
        assert training.examples == 2
        assert training.at.position.line in (2, 3)  # before or after the blank line
        assert learner._labels.values == [1, -1] and learner._model.names() == ["1", "2"]


def test_a_pipe_is_read_only_once(tmp_path):
    learner = new_learner(by_short("pa"), {}, {"min_count": 2})
    with pytest.raises(InvalidInput, match="read only once"):
        training_of(learner, ["-"], Plan(passes=2), {"min_count": 2}, BadLines())


def test_a_label_that_was_only_held_out_has_not_come(tmp_path):
    """And where the run was stopped says nothing about the numbers of the others."""
    lines = [f"{label} 1:{i % 3} 2:{i % 5}" for i, label in enumerate("121312421431")]
    path = tmp_path / "file.svmlight"
    path.write_text("\n".join(lines) + "\n")
    entry, reading = by_short("perceptron"), {"format": "svmlight"}
    plan = Plan(holdout=2, threads=1)
    all_at_once(entry, {}, [path], plan, reading, tmp_path / "whole.model")
    whole = load(tmp_path / "whole.model")
    assert whole.classes_.tolist() == [1, 3, 4]
    for stop in range(1, 12):
        in_parts(entry, {}, [path], [plan], reading, tmp_path / "parts.model", [stop], False)
        assert (tmp_path / "parts.model").read_bytes() == (tmp_path / "whole.model").read_bytes()
