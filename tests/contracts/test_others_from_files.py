"""Kernel and boolean learners over files: the same contract as the linear ones, the same results as
from single examples."""

from __future__ import annotations

import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import thresher
from commands import Commands
from thresher import (
    BatchPerceptron,
    Elimination,
    Halving,
    KernelPerceptron,
    Perceptron,
    VotedPerceptron,
    concepts,
)
from thresher.checkpoint import Checkpoint
from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput, NotRealizable
from thresher.learners.contract import Learning
from thresher.model_file import describe
from thresher.training import Plan, Training

LEARNERS = [
    KernelPerceptron(gamma=0.5),
    KernelPerceptron("polynomial", budget=7, forget="random", random_state=3),
    VotedPerceptron(),
    Elimination(),
    Elimination("disjunction"),
    Halving(concepts.conjunctions(6, monotone=True)),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """x1 ∧ x3, or for a disjunction x1 ∨ x3, of six variables; labels come in any order."""
    chance = random.Random(5)
    path = tmp_path / "six.vw"
    lines = []
    for _ in range(120):
        on = {f"x{i}" for i in range(1, 7) if chance.random() < 0.6}
        both = int({"x1", "x3"} <= on)
        lines.append(f"{both} | {' '.join(sorted(on))}\n")
    path.write_text("".join(lines))
    return path


def made_for(learner: Any, file: Path) -> Path:
    """The labels of the concept that the learner can learn."""
    if getattr(learner, "concept", "") == "disjunction":
        text = file.read_text().splitlines()
        file.write_text("".join(
            f"{int(bool({'x1', 'x3'} & set(line.split()[2:])))} | {' '.join(line.split()[2:])}\n"
            for line in text
        ))  # fmt: skip
    return file


def examples(file: Path) -> list[Any]:
    with thresher.read(file) as reader:
        return [example for batch in reader for example in batch.examples()]


def state(learner: Any) -> Any:
    """All of it but the run."""
    tensors, about = describe(learner)
    about.pop("recipe", None)
    about.pop("provenance", None)
    about["packed"].pop("epochs", None)
    return tensors, about


@each_learner
def test_a_file_teaches_what_its_examples_teach(learner: Any, file: Path) -> None:
    made_for(learner, file)
    model = learner.fresh().fit_file(file)
    alone, wrong = learner.fresh(), 0
    for example in examples(file):
        wrong += alone.predict_one(example.features) != example.label
        alone.learn_one(example.features, example.label)
    assert state(model) == state(alone)
    assert model.provenance_["run"]["scores"][0] == [120, 120.0, float(wrong)]
    assert model.predict_file(file) == [model.predict_one(e.features) for e in examples(file)]


@each_learner
def test_a_run_may_be_stopped_and_resumed(learner: Any, file: Path, tmp_path: Path) -> None:
    made_for(learner, file)
    plan = Plan(passes=2, shuffle_buffer=32, seed=1, holdout=7)
    whole = learner.fresh().fit_file(file, passes=2, shuffle_buffer=32, seed=1, holdout=7)
    part: Any = learner.fresh()
    part.begin_reading(ReadingOptions())
    running: Learning = part
    with Training(running, [file], plan=plan) as training:
        for _ in training:
            if training.examples >= 64:
                break
        part.provenance_ = training.provenance()
    part.save(tmp_path / "model")
    again = thresher.load(tmp_path / "model")
    resume = Checkpoint.from_dict(again.provenance_["run"])
    with Training(again, [file], plan=plan, resume=resume) as training:
        for _ in training:
            pass
    assert state(again) == state(whole)
    for twin in (copy.deepcopy(again), pickle.loads(pickle.dumps(again))):
        assert twin.predict_file(file) == whole.predict_file(file)


def test_with_a_linear_kernel_it_is_the_perceptron(file: Path) -> None:
    kernel = KernelPerceptron("linear").fit_file(file, holdout=5)
    linear = Perceptron().fit_file(file, holdout=5)
    assert kernel.mistakes_ == linear.mistakes_ > 0
    assert kernel.provenance_["run"]["scores"] == linear.provenance_["run"]["scores"]
    assert kernel.predict_file(file) == linear.predict_file(file)


def test_dicts_are_read_by_the_recipe(tmp_path: Path) -> None:
    path = tmp_path / "mail.tsv"
    path.write_text("label\ttext\n" + "spam\tbuy now\nham\tnow buy\n" * 3)
    for learner in (KernelPerceptron("linear"), Elimination(positive="spam")):
        model = learner.fit_file(path, label="label", text="text", ngrams=2)
        model.save(tmp_path / "model")
        for known in (model, thresher.load(tmp_path / "model")):
            assert known.predict_one({"text": "buy now"}) == "spam"
            assert known.predict_one({"text": "now buy"}) == "ham"
            assert known.reading_.ngrams == 2


def test_what_cannot_be_read(file: Path, tmp_path: Path) -> None:
    for option in ({"hash_bits": 10}, {"min_count": 2}, {"max_features": 3}):
        with pytest.raises(InvalidInput, match=f"{next(iter(option))} is .* has no weights"):
            Elimination().fit_file(file, **option)
    with pytest.raises(InvalidInput, match=r"has none\. Use model\.audit"):
        KernelPerceptron().fit_file(file, audit="live")
    with pytest.raises(InvalidInput, match="'precomputed' has no fit_file"):
        KernelPerceptron("precomputed").fit_file(file)
    with pytest.raises(InvalidInput, match=r"BatchPerceptron has no fit_file.*read_svmlight"):
        BatchPerceptron().fit_file(file)
    arrays = KernelPerceptron().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InvalidInput, match="trained on arrays without names"):
        arrays.predict_file(file)
    path = tmp_path / "few.vw"
    for text, message in (
        ("1 | a\n1 2.0 | a b\n", r"few.vw, line 2: found the weight 2; expected 1"),
        ("1 | a\n1 | a:0.5\n", r"few.vw, line 2, feature 'a': found 0.5; expected 0 or 1"),
        ("yes | a\n", r"few.vw, line 1: 'yes' is the only label so far"),
        ("1 | a\n0 | a\n", r"few.vw, line 2: \['a'\] is labelled 0"),
    ):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=message) as caught:
            Elimination().fit_file(path)
    assert isinstance(caught.value, NotRealizable)


def test_commands(file: Path, tmp_path: Path) -> None:
    with Commands() as commands:

        def ran(*words: Any, code: int = 0) -> str:
            done = commands.run(*words)
            assert done.code == code, done.err
            return done.err if code else done.out

        _command_by_command(ran, file, tmp_path / "model")


def _command_by_command(ran: Any, file: Path, model: Path) -> None:
    for learner, keeps in (
        (["elimination"], "x1 ∧ x3"),
        (["halving", "--set", "concepts=conjunctions(6, monotone=True)"], "x1 ∧ x3"),
        (["voted-perceptron", "--set", "kernel=polynomial"], "support vectors"),
    ):
        found = json.loads(ran("train", file, "-m", model, "--json", "--learner", *learner))
        assert found["examples"] == 120 and found["error"] < 0.2
        assert keeps in json.loads(ran("inspect", model, "--json"))["keeps"]
        assert keeps in ran("inspect", model)
        assert json.loads(ran("evaluate", file, "-m", model, "--json"))["error"] < 0.02
        answers = ran("predict", file, "-m", model).split()[1:]
        assert answers == [str(y) for y in thresher.load(model).predict_file(file)]
        ran("train", file, "-m", model, "--resume", model, "--passes", 2, "-q")
        assert thresher.load(model).examples_ == 240
    assert ran("predict", file, "-m", model, "--scores").startswith("prediction,score\n")
    ran("train", file, "-m", model, "--learner", "elimination", "-q")
    assert "has no scores" in ran("predict", file, "-m", model, "--scores", code=1)
    assert "cannot race" in ran("race", file, "--learners", "halving", code=1)
    assert "keeps no weights" in ran("inspect", model, "--all", code=1)
    assert "conjunctions(10)" in ran(
        "train", file, "-m", model, "--learner", "halving", "--set", "concepts=six", code=1
    )
