"""Options from a file; what a shell completes; columns that come along with predictions."""

import json
import os
import subprocess
import sys

import pytest

from commands import Commands
from thresher import load


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


@pytest.fixture
def folder(tmp_path):
    rows = [f'{i},{i % 2},"w{i % 2}, x",{"yes" if i % 2 else "no"}' for i in range(20)]
    (tmp_path / "data.csv").write_text("\n".join(["id,a,t,class", *rows]) + "\n")
    return tmp_path


CONFIG = """
learner = "pa"
label = "class"
ignore = ["id"]
text = "t"
json = true
passes = 2

[set]
C = 0.5
average = false

[train]
shuffle-buffer = 5

[predict]
keep = ["id", "t"]
"""


def test_options_from_a_file(commands, folder):
    (folder / "run.toml").write_text(CONFIG)
    train = ("train", folder / "data.csv", "-m", folder / "model", "--config", folder / "run.toml")
    done = commands.run(*train)
    assert done.code == 0, done.err
    model = load(folder / "model")
    assert (model.C, model.average, model.epochs_) == (0.5, False, 2)
    assert model.reading_.ignore == ("id",) and model.reading_.text == ("t",)
    assert json.loads(done.out)["examples"] == 40
    assert commands.run(*train, "--passes", "1", "--set", "C=2").code == 0
    assert load(folder / "model").C == 2.0 and load(folder / "model").epochs_ == 1
    (folder / "wrong.toml").write_text('lerner = "pa"\n')
    done = commands.run(*train[:-1], folder / "wrong.toml")
    assert done.code == 2 and "no option 'lerner'. Did you mean 'learner'?" in done.err
    (folder / "wrong.toml").write_text('learner = "pa"\n')
    done = commands.run("evaluate", "data.csv", "-m", "m", "--config", folder / "wrong.toml")
    assert done.code == 2 and "write it below a line [train]" in done.err
    (folder / "wrong.toml").write_text("learner = \n")
    done = commands.run(*train[:-1], folder / "wrong.toml")
    assert done.code == 2 and "line 1" in done.err
    done = commands.run(*train[:-1], folder / "none.toml")
    assert done.code == 2 and "No such file" in done.err


def test_columns_are_kept(commands, folder):
    train = ("train", folder / "data.csv", "-m", folder / "model", "--learner", "pa", "-q")
    assert commands.run(*train, "--label", "class", "--ignore", "id", "--text", "t").code == 0
    predict = ("predict", folder / "data.csv", "-m", folder / "model")
    done = commands.run(*predict, "--keep", "id", "--keep", "t", "--keep", "a")
    lines = done.out.splitlines()
    assert lines[0] == "id,t,a,prediction" and lines[2] == '1,"w1, x",1,yes', done.err
    assert len(lines) == 21
    done = commands.run(*predict, "--keep", "id", "--json")
    assert json.loads(done.out.splitlines()[3]) == {"id": "3", "prediction": "yes"}
    done = commands.run(*predict, "--keep", "idd")
    assert done.code == 1 and "no column 'idd'" in done.err
    (folder / "a.vw").write_text("1 first|a x\n-1 'second |a y\n")
    assert commands.run("train", folder / "a.vw", "-m", folder / "v", "-q").code == 0
    done = commands.run("predict", folder / "a.vw", "-m", folder / "v", "--keep", "tag")
    assert [line.split(",")[0] for line in done.out.split()] == ["tag", "first", "second"]
    done = commands.run("predict", folder / "a.vw", "-m", folder / "v", "--keep", "x")
    assert done.code == 1 and "the tag alone" in done.err


def completed(*words):
    environment = os.environ | {
        "_THRESHER_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["thresher", *words]),
        "COMP_CWORD": str(len(words)),
    }  # fmt: skip
    code = "import sys; sys.argv[0] = 'thresher'; from thresher.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_completion():
    assert completed("tr") == ["train"]
    assert "--learner" in completed("train", "--le")
    assert {"pa", "p-norm", "perceptron"} <= set(completed("train", "--learner", "p"))
    assert "C=" in completed("train", "--learner", "pa", "--set", "C")
    assert completed("train", "--prepare", "st") == ["standard"]
    assert "pa,perceptron" in completed("race", "--learners", "pa,per")
