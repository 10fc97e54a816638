"""`thresher inspect`: the real command, in a process of its own."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher
from commands import run
from thresher import (
    LMS,
    Consistent,
    Halving,
    PassiveAggressive,
    Perceptron,
    SequencePerceptron,
    StandardOptimal,
    WeightedMajority,
    Winnow,
)
from thresher.cli.inspect import _reading_rows
from thresher.concepts import conjunctions

BAD_FILES = Path(__file__).parents[1] / "data" / "bad"


def inspect(*arguments):
    done = run("inspect", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    spam = PassiveAggressive(C=0.1)
    for i in range(300):
        words = {f"word{j}" for j in rng.integers(0, 50, 5).tolist()}
        spam.learn_one(words | {"free" if i % 2 else "lunch"}, "spam" if i % 2 else "ham")
    spam.learn_one({"a\tb\\", "\x1b[31mred", "naïve"}, "spam")
    spam.save(folder / "spam.model")
    X = rng.normal(size=(400, 6))
    many = Perceptron().fit(X, np.array(list("abcd"))[X[:, :4].argmax(axis=1)])
    many.save(folder / "many.model")
    LMS().fit(X, X @ np.arange(6)).save(folder / "lms.model")
    Winnow().save(folder / "empty.model")
    rows = [(f"feature{k}", k) for k in range(15)]
    fifteen = Perceptron()
    for name, label in rows:
        fifteen.learn_one({name}, label)
    fifteen.save(folder / "fifteen.model")
    return folder


def test_facts_as_text(folder):
    path = folder / "spam.model"
    model = thresher.load(path)
    said = inspect(path, "--top", 4)
    assert "PassiveAggressive(C=0.1)" in said
    assert f"Thresher {thresher.__version__}, format 2" in said
    facts = dict(line.split(None, 1) for line in said.split("\n\n")[0].splitlines()[1:])
    assert int(facts["examples"]) == model.examples_ == 301
    assert int(facts["mistakes"]) == model.mistakes_
    assert int(facts["updates"]) == model.updates_
    assert facts["classes"] == "2: ham, spam"
    assert facts["features"].startswith(f"55, {np.count_nonzero(model.coef_)} not zero")
    assert "+ for spam, − for ham" in said
    listed = said.split("− for ham\n")[1].split("\n\n")[0].splitlines()
    expected = model.top_features(4)
    assert [line.split()[0] for line in listed] == [name for name, _ in expected]
    shown = [float(line.split()[1]) for line in listed]
    assert shown == pytest.approx([weight for _, weight in expected], rel=1e-5)
    assert listed[0].endswith("█")


def test_facts_as_json(folder):
    path = folder / "spam.model"
    model = thresher.load(path)
    facts = json.loads(inspect(path, "--json", "--top", 3))
    assert facts["learner"] == "PassiveAggressive.v1"
    assert facts["options"]["C"] == 0.1
    assert facts["bytes"] == path.stat().st_size
    assert facts["library"] == thresher.__version__
    assert facts["classes"] == ["ham", "spam"]
    assert facts["features"] == model.coef_.shape[1]
    assert facts["name_bytes"] == sum(len(name.encode()) for name in model._names())
    (top,) = facts["top_features"]
    assert [(f["name"], f["weight"]) for f in top["features"]] == model.top_features(3)
    assert sum(facts["histogram"]["counts"]) == np.count_nonzero(model.coef_)


def test_every_weight_as_tab_separated_values(folder):
    for name, columns in (("spam", 1), ("many", 4), ("lms", 1)):
        model = thresher.load(folder / f"{name}.model")
        rows = [
            line.split("\t") for line in inspect(folder / f"{name}.model", "--all").splitlines()
        ]
        assert {len(row) for row in rows} == {columns + 1}
        names = [_unescaped(row[0]) for row in rows[2:]]
        assert names == model._names()
        weights = np.array([[float(cell) for cell in row[1:]] for row in rows[2:]]).T
        assert np.array_equal(weights, np.atleast_2d(model.coef_))
        assert [float(cell) for cell in rows[1][1:]] == np.atleast_1d(model.intercept_).tolist()
    assert inspect(folder / "many.model", "--all").startswith("feature\ta\tb\tc\td\n")


def _unescaped(field):
    return field.encode("latin-1", "backslashreplace").decode("unicode_escape")


def test_one_label(folder):
    many = thresher.load(folder / "many.model")
    facts = json.loads(inspect(folder / "many.model", "--label", "c", "--json"))
    (top,) = facts["top_features"]
    assert top["label"] == "c"
    assert [(f["name"], f["weight"]) for f in top["features"]] == many.top_features(20, "c")
    facts = json.loads(inspect(folder / "spam.model", "--label", "ham", "--top", 1, "--json"))
    spam = thresher.load(folder / "spam.model")
    ((name, weight),) = spam.top_features(1, "ham")
    assert facts["top_features"][0]["features"] == [{"name": name, "weight": weight}]
    lines = inspect(folder / "spam.model", "--label", "ham", "--all").splitlines()
    assert float(lines[1].split("\t")[1]) == -spam.intercept_[0]
    assert float(lines[2].split("\t")[1]) == -spam.coef_[0, 0]
    done = run("inspect", folder / "many.model", "--label", "z")
    assert done.returncode == 1
    assert "there is no label 'z'; it knows a, b, c, d." in done.stderr
    done = run("inspect", folder / "lms.model", "--label", "z")
    assert "holds no classes" in done.stderr


def test_whole_numbers_name_their_label(folder):
    said = inspect(folder / "fifteen.model", "--label", 11, "--top", 1)
    assert "largest weights of 11\n  feature11" in said


def test_many_labels_are_cut_short_as_text_but_not_as_json(folder):
    said = inspect(folder / "fifteen.model", "--top", 1)
    assert said.count("largest weights of") == 10
    assert "(and 5 more labels: --label L shows one)" in said
    assert len(json.loads(inspect(folder / "fifteen.model", "--json"))["top_features"]) == 15


def test_columns_of_arrays_are_numbered(folder):
    assert "x5" in inspect(folder / "lms.model", "--top", 1)


def test_a_model_that_has_learned_nothing(folder):
    assert "It has learned nothing yet." in inspect(folder / "empty.model")
    assert json.loads(inspect(folder / "empty.model", "--json"))["learned"] is False
    for option in ("--all", f"--plot={folder / 'x.png'}"):
        done = run("inspect", folder / "empty.model", option)
        assert done.returncode == 1
        assert "it has learned nothing yet; there are no weights." in done.stderr


def test_control_characters_do_not_reach_the_reader(folder):
    said = inspect(folder / "spam.model", "--top", 100)
    assert "\x1b" not in said
    assert r"\x1b[31mred" in said
    assert r"a\tb" in said
    assert "naïve" in said


def test_what_a_model_was_trained_on(tmp_path):
    data = tmp_path / "mail.tsv"
    data.write_text("spam\tfree cash now\nham\tlunch at noon\nspam\tfree prize\n")
    model = tmp_path / "mail.model"
    words = ("--label", 1, "--text", 2, "--ngrams", 2, "--no-header")
    done = run("train", data, "-m", model, *words, "--passes", 2)
    assert done.returncode == 0, done.stderr
    facts = json.loads(inspect(model, "--json"))
    assert facts["recipe"] == {"label": "1", "text": ["2"], "ngrams": 2}
    assert facts["provenance"]["run"]["files"] == [str(data)]
    said = inspect(model).split("\n\n")[0]
    rows = dict(line.strip().split("  ", 1) for line in said.splitlines()[1:])
    assert rows["data"].strip() == str(data)
    assert rows["passes"].strip() == "2"
    assert rows["read with ngrams"].strip() == "2"
    assert "stopped before" not in rows


def test_where_a_run_was_stopped():
    run = {"files": ["a.svm", "b.svm"], "number": 0, "done": False,
           "position": {"file": 1, "offset": 100, "line": 1999}}  # fmt: skip
    assert _reading_rows({}, {"run": run, "bad_lines": 7}) == [
        ("data", "a.svm, b.svm"),
        ("passes", "0"),
        ("stopped before", "file 2, line 2,000"),
        ("bad lines", "7"),
    ]
    odd = {"run": {"files": None, "position": {"line": "x"}}, "more": [1, {}]}
    assert _reading_rows({}, odd)[-1] == ("more", "1, {}")  # whatever a file may hold


def test_a_picture_of_the_weights(folder, tmp_path):
    path = tmp_path / "weights.svg"
    done = run("inspect", folder / "spam.model", "--plot", path)
    assert done.returncode == 0
    assert str(path) in done.stderr
    assert path.read_bytes().startswith(b"<?xml")
    done = run("inspect", folder / "spam.model", "--plot", tmp_path / "weights.bmp")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "ends with .png, .svg, .pdf" in done.stderr


@pytest.mark.parametrize("path", sorted(BAD_FILES.glob("*.thresher")), ids=lambda p: p.stem)
def test_what_is_no_model_is_said_as_load_says_it(path):
    with pytest.raises(thresher.errors.ModelFileError) as caught:
        thresher.load(path)
    done = run("inspect", path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip() == f"error: {caught.value}"


def test_wrong_usage(folder):
    done = run("inspect", folder / "spam.model", "--all", "--json")
    assert done.returncode == 2
    assert "leave out --json" in done.stderr
    done = run("inspect", folder / "nowhere.model")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("nowhere.model: No such file or directory")


def test_on_a_terminal_a_table_is_drawn(folder):
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "thresher", "inspect", str(folder / "many.model")]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=slave, env=environment) as process:
        os.close(slave)
        said = b""
        while True:
            try:
                block = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            said += block
    os.close(master)
    assert process.returncode == 0
    text = said.decode()
    assert "\x1b[1m" in text  # bold
    assert "largest weights of a" in text
    assert "█" in text


def test_what_draws_is_not_loaded_where_nobody_looks(folder):
    code = (
        "import sys; sys.argv = ['thresher', 'inspect', sys.argv[1]]\n"
        "from thresher.cli import main\n"
        "try: main()\n"
        "except SystemExit as stop: assert not stop.code\n"
        "assert not {'rich', 'matplotlib', 'sklearn', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, folder / "many.model"], check=True, stdout=subprocess.DEVNULL
    )


def test_every_kind_of_model(tmp_path):
    """What any learner has learned can be looked at."""
    from thresher.cli.opened_model import OpenedModel
    from thresher.learners.table import COMMITTEES, LINEAR

    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 4)).astype(float)
    for entry in (*LINEAR, *COMMITTEES):
        model = entry.cls()
        y = X[:, 0] + (0.5 * X[:, 1] if model.task == "regress" else 0)
        model.fit(X, y if model.task == "regress" else y.astype(int))
        model.save(tmp_path / "a.model")
        facts = OpenedModel(tmp_path / "a.model").facts()
        assert facts["examples"] > 0 and facts["features"] == 4, entry.short


def test_learners_without_weights_say_what_they_keep(tmp_path):
    X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]] * 4)
    path, kept = tmp_path / "a.model", {}
    for cls in (Halving, Consistent, StandardOptimal, WeightedMajority):
        cls(conjunctions(3)).fit(X, X[:, 0]).save(path)
        kept[cls] = run("inspect", path).stdout.partition("  keeps ")[2].splitlines()[0].strip()
    assert kept[Halving] == kept[Consistent] == kept[StandardOptimal] == "x1"
    assert kept[WeightedMajority].endswith("the best so far: x1, with 0 mistakes")
    SequencePerceptron().fit([[["the"], ["dog"]], [["a"], ["cat"]]], [["D", "N"]] * 2).save(path)
    assert "largest weights of N" in run("inspect", path).stdout
    assert "largest weights of D" not in run("inspect", path, "--label", "N").stdout


def test_means_of_missing_values_are_listed_by_column(tmp_path):
    (tmp_path / "a.csv").write_text("age,label\n" + "1,yes\n,no\n2,yes\n" * 5)
    words = ("--missing", "mean", "--learner", "pa", "-q", "-m", tmp_path / "m")
    assert run("train", tmp_path / "a.csv", *words).returncode == 0
    assert re.search(r"^  means +age 1.5$", run("inspect", tmp_path / "m").stdout, re.MULTILINE)
