"""`thresher predict`: an answer for each example, in order, at once."""

import csv
import io
import json
import os
import select
import subprocess
import sys
import time

import numpy as np
import pytest

from commands import Commands
from thresher import load

MAIN = [sys.executable, "-c", "from thresher.cli import main; main()"]


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


# The same four examples in every format, with labels and without.
LABELLED = {
    "svm": "spam 1:1 2:0.5\nham 2:1\nspam 1:1\neggs 3:1\n",
    "vw": "spam | 1 2:0.5\nham | 2\nspam | 1\neggs | 3\n",
    "csv": "label,1,2,3\nspam,1,0.5,\nham,,1,\nspam,1,,\neggs,,,1\n",
    "tsv": "label\t1\t2\t3\nspam\t1\t0.5\t\nham\t\t1\t\nspam\t1\t\t\neggs\t\t\t1\n",
    "jsonl": '{"label":"spam","1":1,"2":0.5}\n{"label":"ham","2":1}\n{"label":"spam","1":1}\n'
    '{"label":"eggs","3":1}\n',
    "bag": "spam\t1 1 2\nham\t2\nspam\t1\neggs\t3\n",
}
UNLABELLED = {
    "vw": "| 1 2:0.5\n| 2\n| 1\n| 3\n",
    "csv": "1,2,3\n1,0.5,\n,1,\n1,,\n,,1\n",
    "tsv": "1\t2\t3\n1\t0.5\t\n\t1\t\n1\t\t\n\t\t1\n",
    "jsonl": '{"1":1,"2":0.5}\n{"2":1}\n{"1":1}\n{"3":1}\n',
}
ANSWERS = ["spam", "ham", "spam", "eggs"]


@pytest.fixture(scope="module")
def model(commands, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "data.svm").write_text(LABELLED["svm"] * 20)
    done = commands.run("train", folder / "data.svm", "-m", folder / "three.model", "-q",
                        "--learner", "pa", "--set", "calibrate=true")  # fmt: skip
    assert done.code == 0, done.err
    return folder / "three.model"


def header(format):
    return ["--header"] if format in ("csv", "tsv") else []


@pytest.mark.parametrize("format", LABELLED)
def test_labelled_input_in_every_format(commands, model, tmp_path, format):
    path = tmp_path / f"new.{format}"
    path.write_text(LABELLED[format])
    done = commands.run("predict", path, "-m", model, *header(format))
    assert done.code == 0, done.err
    assert done.out.splitlines() == ["prediction", *ANSWERS]


@pytest.mark.parametrize("format", UNLABELLED)
def test_unlabelled_input_in_every_format(commands, model, tmp_path, format):
    path = tmp_path / f"new.{format}"
    path.write_text(UNLABELLED[format])
    done = commands.run("predict", path, "-m", model, *header(format))
    assert done.code == 0, done.err
    assert done.out.splitlines() == ["prediction", *ANSWERS]


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_tables_of_arrow(commands, model, tmp_path, format):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    columns = {"1": [1.0, None, 1.0, None], "2": [0.5, 1.0, None, None], "3": [None] * 3 + [1.0]}
    for labels in ({}, {"label": ["spam", "ham", "spam", "eggs"]}):
        path = tmp_path / f"new.{format}"
        table = pa.table(labels | columns)
        if format == "parquet":
            parquet.write_table(table, path)
        else:
            feather.write_feather(table, path)
        done = commands.run("predict", path, "-m", model)
        assert done.code == 0, done.err
        assert done.out.splitlines() == ["prediction", *ANSWERS]


def test_the_order_is_kept(commands, tmp_path):
    """Many chunks, many threads, several files: answer i belongs to example i."""
    rng = np.random.default_rng(0)
    which = rng.integers(0, 50, 60_000).tolist()
    lines = [f"{k} {k + 1}:1\n" for k in which]
    (tmp_path / "train.svm").write_text("".join(f"{k} {k + 1}:1\n" for k in range(50)) * 5)
    parts = [lines[:1000], lines[1000:50_000], lines[50_000:]]
    paths = []
    for number, part in enumerate(parts):
        paths.append(tmp_path / f"new{number}.svm")
        paths[-1].write_text("".join(part))
    assert commands.run("train", tmp_path / "train.svm", "-m", tmp_path / "model", "-q").code == 0
    done = commands.run("predict", *paths, "-m", tmp_path / "model", "--threads", "4")
    assert done.out.splitlines()[1:] == [str(k) for k in which]


def test_scores_and_probabilities(commands, model, tmp_path):
    path = tmp_path / "new.svm"
    path.write_text(LABELLED["svm"])
    learner = load(model)
    x = [{"1": 1.0, "2": 0.5}, {"2": 1.0}, {"1": 1.0}, {"3": 1.0}]
    for option, expected in (
        ("--scores", [learner.score_one(each) for each in x]),
        ("--proba", [learner.predict_proba_one(each) for each in x]),
    ):
        done = commands.run("predict", path, "-m", model, option)
        assert done.code == 0, done.err
        rows = list(csv.DictReader(io.StringIO(done.out)))
        prefix = "score_" if option == "--scores" else "p_"
        assert list(rows[0]) == ["prediction", *(prefix + c for c in ("eggs", "ham", "spam"))]
        for row, answer, numbers in zip(rows, ANSWERS, expected, strict=True):
            assert row["prediction"] == answer
            for label, number in numbers.items():
                assert float(row[prefix + label]) == pytest.approx(number, abs=1e-12)
    done = commands.run("predict", path, "-m", model, "--scores", "--proba")
    assert done.code == 2


def test_two_classes_and_numbers(commands, tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1 1:1\n-1 2:1\n" * 10)
    more = ["--learner", "pa", "--set", "calibrate=true"]
    assert commands.run("train", path, "-m", tmp_path / "two", "-q", *more).code == 0
    done = commands.run("predict", path, "-m", tmp_path / "two", "--scores")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [float(row["score"]) > 0 for row in rows] == [True, False] * 10
    done = commands.run("predict", path, "-m", tmp_path / "two", "--proba")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert all(float(r["p_-1"]) + float(r["p_1"]) == pytest.approx(1) for r in rows)
    assert commands.run("train", path, "-m", tmp_path / "lms", "-q", "--learner", "lms").code == 0
    done = commands.run("predict", path, "-m", tmp_path / "lms")
    learner = load(tmp_path / "lms")
    answers = [float(text) for text in done.out.splitlines()[1:3]]
    assert answers == [learner.predict_one({"1": 1.0}), learner.predict_one({"2": 1.0})]
    done = commands.run("predict", path, "-m", tmp_path / "lms", "--proba")
    assert done.code == 1 and "calibrate" in done.err


def test_json(commands, model, tmp_path):
    path = tmp_path / "new.svm"
    path.write_text(LABELLED["svm"])
    done = commands.run("predict", path, "-m", model, "--json", "--proba")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["prediction"] for row in rows] == ANSWERS
    assert all(sum(v for k, v in row.items() if k != "prediction") == pytest.approx(1)
               for row in rows)  # fmt: skip


def test_labels_that_need_quotes(commands, tmp_path):
    path = tmp_path / "data.jsonl"
    labels = ['a,"b"', "c\nd", " e", "50 %"]
    path.write_text("".join(json.dumps({"label": y, "x": y}) + "\n" for y in labels) * 5)
    assert commands.run("train", path, "-m", tmp_path / "model", "-q").code == 0
    done = commands.run("predict", path, "-m", tmp_path / "model")
    assert [row["prediction"] for row in csv.DictReader(io.StringIO(done.out))] == labels * 5
    for option in ("--scores", "--proba"):  # by --json and as a table: the same
        command = ["predict", path, "-m", tmp_path / "model", option, "--keep", "x"]
        table, lines = commands.run(*command), commands.run(*command, "--json")
        if option == "--proba" and table.code == 1:  # the best learner may have none
            continue
        rows = [json.loads(line) for line in lines.out.splitlines()]
        assert [row["x"] for row in rows] == [row["prediction"] for row in rows] == labels * 5
        for row, other in zip(csv.DictReader(io.StringIO(table.out)), rows, strict=True):
            assert row == {name: v if isinstance(v, str) else repr(v) for name, v in other.items()}


def test_features_never_seen(commands, model, tmp_path):
    path = tmp_path / "new.svm"
    path.write_text("0 77:1\n0 1:1 99:5\n0\n")
    done = commands.run("predict", path, "-m", model)
    assert done.code == 0
    learner = load(model)
    expected = [learner.predict_one(x) for x in ({"77": 1}, {"1": 1, "99": 5}, {})]
    assert done.out.splitlines()[1:] == expected


def test_nothing_in_nothing_out(commands, model, tmp_path):
    (tmp_path / "new.svm").write_text("")
    done = commands.run("predict", tmp_path / "new.svm", "-m", model)
    assert (done.code, done.out) == (0, "prediction\n")


def test_a_file_is_whole_or_not_there(commands, model, tmp_path):
    good, bad, out = tmp_path / "good.svm", tmp_path / "bad.svm", tmp_path / "out.csv"
    good.write_text(LABELLED["svm"])
    bad.write_text(LABELLED["svm"] + "0 x:y\n" + LABELLED["svm"])
    assert commands.run("predict", good, "-m", model, "-o", out).code == 0
    assert out.read_text().splitlines() == ["prediction", *ANSWERS]
    done = commands.run("predict", bad, "-m", model, "-o", out)
    assert done.code == 1 and "bad.svm, line 5, column " in done.err
    assert out.read_text().splitlines() == ["prediction", *ANSWERS]
    assert sorted(os.listdir(tmp_path)) == ["bad.svm", "good.svm", "out.csv"]
    done = commands.run("predict", bad, "-m", model, "-o", out, "--on-bad-line", "skip")
    assert done.code == 3 and out.read_text().splitlines() == ["prediction", *ANSWERS * 2]


# -- pipes: real processes


def test_who_reads_has_had_enough(model, tmp_path):
    path = tmp_path / "new.svm"
    path.write_text(LABELLED["svm"] * 100_000)
    command = [*MAIN, "predict", str(path), "-m", str(model)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == b"prediction\n"
        assert process.stdout.readline() == b"spam\n"
        process.stdout.close()
        said = process.stderr.read()
        assert (process.wait(30), said) == (0, b"")


STREAMS = {
    "vw": (["--format", "vw"], "| 1\n", "| 2\n"),
    "short vw": (["--format", "vw"], "|\n", "| 2\n"),
    "recognised": ([], "| 1\n", "| 2\n"),
    "svmlight": (["--format", "svmlight"], "0 1:1\n", "0 2:1\n"),
    "csv": (["--format", "csv", "--header"], "1,2,3\n1,,\n", ",1,\n"),
    "jsonl": ([], '{"1": 1}\n', '{"2": 1}\n'),
}


@pytest.mark.parametrize("case", STREAMS)
def test_an_answer_comes_at_once(model, case):
    """Each line is answered while the next has not even been thought of."""
    options, first, second = STREAMS[case]
    command = [*MAIN, "predict", "-", "-m", str(model), *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin and process.stdout
        begin = time.monotonic()
        for count, text in enumerate([first, second, second + second, second]):
            process.stdin.write(text.encode())
            process.stdin.flush()
            expected = 2 if count in (0, 2) else 1  # the header comes with the first
            got = b""
            while got.count(b"\n") < expected:
                ready = select.select([process.stdout], [], [], 60)[0]
                assert ready, f"no answer to {text!r}, only {got!r}"
                got += os.read(process.stdout.fileno(), 1 << 16)
            assert got.endswith(b"ham\n") or count == 0
        process.stdin.close()
        assert process.stdout.read() == b"" and process.wait(30) == 0
        assert time.monotonic() - begin < 60


def test_a_line_in_two_halves(model):
    """Half a line is no line yet."""
    command = [*MAIN, "predict", "-", "-m", str(model), "--format", "vw"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin and process.stdout
        process.stdin.write(b"| 2\n| ")
        process.stdin.flush()
        assert process.stdout.readline() == b"prediction\n"
        assert process.stdout.readline() == b"ham\n"
        assert not select.select([process.stdout], [], [], 0.3)[0]
        process.stdin.write(b"1")
        process.stdin.close()
        assert process.stdout.read() == b"spam\n" and process.wait(30) == 0


def test_a_model_of_documents_reads_documents(commands, tmp_path):
    """Nothing in a file says that its lines are running text: the model does."""
    lines = ["spam\tWin a PRIZE now", "ham\tsee you at home"] * 20
    (tmp_path / "train.tsv").write_text("\n".join(lines) + "\n")
    model = ("-m", tmp_path / "m")
    done = commands.run("train", tmp_path / "train.tsv", "--format", "text", *model, "-q")
    assert done.code == 0, done.err
    (tmp_path / "new").write_text("a prize!\nAt home?\n")
    (tmp_path / "new.jsonl").write_text('{"text": "a prize!"}\n{"text": "At home?"}\n')
    (tmp_path / "new.csv").write_text('id,text\n1,a prize!\n2,"At home?"\n')
    for name in ("new", "new.jsonl", "new.csv"):
        assert commands.run("predict", tmp_path / name, *model).out.split() == [
            "prediction", "spam", "ham",
        ]  # fmt: skip
    done = commands.run("predict", "-", *model, stdin=tmp_path / "new")
    assert done.out.split() == ["prediction", "spam", "ham"]
    done = commands.run("evaluate", tmp_path / "train.tsv", *model)
    assert "error" in done.out and "0 wrong" in done.out, done.err
    audited = commands.run("audit", tmp_path / "train.tsv", *model, "--json")
    assert '"examples": 40' in audited.out, audited.err
