"""`thresher evaluate`: the real command in a process of its own, held to scikit-learn."""

import json

import numpy as np
import pytest
from sklearn import metrics as sk

import thresher
from commands import run
from thresher import LMS, BalancedWinnow, PassiveAggressive, Perceptron


def evaluate(*arguments, **options):
    done = run("evaluate", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(n, labels, seed):
    """Sparse examples as dicts, each with a label that depends on its features."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        ids = sorted(rng.choice(30, 8, replace=False).tolist())
        x = {str(j): round(float(rng.normal()), 3) for j in ids}
        scores = [sum(v for k, v in x.items() if int(k) % len(labels) == c) + rng.normal() / 2
                  for c in range(len(labels))]  # fmt: skip
        yield x, labels[int(np.argmax(scores))]


def write_svmlight(path, examples):
    with path.open("w") as file:
        for x, y in examples:
            file.write(f"{y} {' '.join(f'{k}:{v}' for k, v in x.items())}\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    kinds = {
        "two": (["-1", "1"], PassiveAggressive(calibrate=True)),
        "three": (["1", "2", "3"], Perceptron(calibrate=True)),
        "plain": (["-1", "1"], BalancedWinnow()),
    }
    for name, (labels, learner) in kinds.items():
        write_svmlight(folder / f"{name}.svm", rows(400, labels, 0))
        write_svmlight(folder / f"{name}-test.svm", rows(300, labels, 1))
        learner.fit_file(folder / f"{name}.svm").save(folder / f"{name}.model")
    numbers = [(x, round(sum(x.values()), 2)) for x, _ in rows(400, ["0"], 0)]
    write_svmlight(folder / "number.svm", numbers)
    LMS().fit_file(folder / "number.svm").save(folder / "number.model")
    return folder


def told(model, labels, seed=1):
    """What the model says, asked example by example."""
    examples = list(rows(300, labels, seed))
    truth = [int(y) for _, y in examples]
    predicted = [model.predict_one(x) for x, _ in examples]
    scores = [model.score_one(x) for x, _ in examples]
    return truth, predicted, scores, [x for x, _ in examples]


def test_two_classes(folder):
    found = json.loads(evaluate(folder / "two-test.svm", "-m", folder / "two.model", "--json"))
    model = thresher.load(folder / "two.model")
    truth, predicted, scores, xs = told(model, ["-1", "1"])
    p = [model.predict_proba_one(x)[1] for x in xs]
    assert found["examples"] == 300
    assert found["error"] == pytest.approx(sk.zero_one_loss(truth, predicted), rel=1e-12)
    assert found["error"] < found["baseline_error"]
    assert found["labels"] == [-1, 1]
    assert found["confusion"] == sk.confusion_matrix(truth, predicted).tolist()
    assert found["auc"]["value"] == pytest.approx(sk.roc_auc_score(truth, scores), rel=1e-12)
    assert found["auc"]["exact"] is True
    assert found["log_loss"] == pytest.approx(sk.log_loss(truth, p), rel=1e-9)
    assert found["brier"] == pytest.approx(sk.brier_score_loss(truth, p), rel=1e-9)
    assert sum(row["examples"] for row in found["calibration"]) == 300


def test_three_classes(folder):
    found = json.loads(evaluate(folder / "three-test.svm", "-m", folder / "three.model", "--json"))
    model = thresher.load(folder / "three.model")
    truth, predicted, scores, xs = told(model, ["1", "2", "3"])
    by_class = np.array([[score[c] for c in (1, 2, 3)] for score in scores])
    p = np.array([[model.predict_proba_one(x)[c] for c in (1, 2, 3)] for x in xs])
    areas = [sk.roc_auc_score(np.array(truth) == c, by_class[:, c - 1]) for c in (1, 2, 3)]
    assert found["error"] == pytest.approx(sk.zero_one_loss(truth, predicted), rel=1e-12)
    assert found["auc"]["value"] == pytest.approx(np.mean(areas), rel=1e-12)
    assert found["log_loss"] == pytest.approx(sk.log_loss(truth, p), rel=1e-9)
    macro = sk.precision_recall_fscore_support(truth, predicted, average="macro")
    got = [found["macro"][name] for name in ("precision", "recall", "f1")]
    assert got == pytest.approx(macro[:3], rel=1e-12)


def test_without_probabilities(folder):
    found = json.loads(evaluate(folder / "plain-test.svm", "-m", folder / "plain.model", "--json"))
    assert found["log_loss"] is found["brier"] is found["calibration_error"] is None
    assert found["auc"]["value"] > 0.8


def test_a_regressor(folder):
    data, path = folder / "number.svm", folder / "number.model"
    found = json.loads(evaluate(data, "-m", path, "--json"))
    model = thresher.load(path)
    examples = [(x, round(sum(x.values()), 2)) for x, _ in rows(400, ["0"], 0)]
    truth, predicted = [y for _, y in examples], [model.predict_one(x) for x, _ in examples]
    assert found["mse"] == pytest.approx(sk.mean_squared_error(truth, predicted), rel=1e-12)
    assert found["mae"] == pytest.approx(sk.mean_absolute_error(truth, predicted), rel=1e-12)
    assert found["r2"] == pytest.approx(sk.r2_score(truth, predicted), rel=1e-9)
    said = evaluate(data, "-m", path)
    assert "RMSE" in said
    assert "R²" in said


def test_text_for_people(folder):
    data, path = folder / "two-test.svm", folder / "two.model"
    found = json.loads(evaluate(data, "-m", path, "--json"))
    said = evaluate(data, "-m", path, "--bins", 4)
    assert said.startswith(f"{path} on {data}: 300 examples\n")
    figures = {line.split("  ")[1]: line for line in said.split("\n\n")[0].splitlines()[1:]}
    assert f"{found['error']:.4f}" in figures["error"]
    assert f"{found['auc']['value']:.4f}" in figures["AUC"]
    assert f"{found['log_loss']:.4f}" in figures["log-loss"]
    (confusion,) = (part for part in said.split("\n\n") if part.startswith("confusion"))
    cells = [[int(cell) for cell in line.split()[1:]] for line in confusion.splitlines()[2:]]
    assert cells == found["confusion"]
    (table,) = (part for part in said.split("\n\n") if part.startswith("calibration"))
    assert len(table.strip().splitlines()) == 2 + 4
    assert all(line == line.rstrip() for line in said.splitlines())


def test_figures_that_are_not_defined_are_a_dash(folder, tmp_path):
    data = tmp_path / "one.svm"
    write_svmlight(data, [({"1": 1.0}, "1")] * 3)
    said = evaluate(data, "-m", folder / "two.model")
    (auc,) = (line for line in said.splitlines() if line.startswith("  AUC"))
    assert auc.split()[1] == "–"
    assert "needs examples of at least two labels" in auc


def test_several_files_and_a_pipe_give_the_same(folder):
    path, data = folder / "two.model", folder / "two-test.svm"
    once = json.loads(evaluate(data, "-m", path, "--json"))
    twice = json.loads(evaluate(data, data, "-m", path, "--json"))
    piped = json.loads(evaluate("-", "-m", path, "--json", input=data.read_text()))
    assert twice["examples"] == 600
    assert twice["error"] == once["error"]
    assert {**piped, "data": once["data"]} == once


def test_weights_count(folder, tmp_path):
    data = tmp_path / "weighted.vw"
    data.write_text("1 3 |  1:5\n-1 1 | 1:5\n")
    found = json.loads(evaluate(data, "-m", folder / "two.model", "--json"))
    assert (found["examples"], found["weight"]) == (2, 4.0)
    assert found["error"] in (0.25, 0.75)


def test_a_label_the_model_does_not_know(folder, tmp_path):
    data = tmp_path / "new.svm"
    write_svmlight(data, [({"1": 1.0}, "1"), ({"1": -1.0}, "7")])
    found = json.loads(evaluate(data, "-m", folder / "two.model", "--json"))
    assert found["labels"] == [-1, 1, 7]
    assert found["by_label"][2]["recall"] == 0.0
    assert found["by_label"][2]["precision"] is None


def test_bad_lines(folder, tmp_path):
    data = tmp_path / "bad.svm"
    data.write_text("1 1:1\n1 1:one\n-1 1:-1\n")
    done = run("evaluate", data, "-m", folder / "two.model")
    assert done.returncode == 1
    assert "line 2, column 5" in done.stderr
    done = run("evaluate", data, "-m", folder / "two.model", "--on-bad-line", "skip", "--json")
    assert done.returncode == 3
    assert "1 bad line" in done.stderr
    assert json.loads(done.stdout)["examples"] == 2
    assert json.loads(done.stdout)["bad_lines"] == 1


def test_a_regressor_and_a_label_that_is_no_number(folder, tmp_path):
    data = tmp_path / "bad.svm"
    data.write_text("1 1:1\nask 1:1\n-1 1:-1\n")
    model = ("-m", folder / "number.model")
    done = run("evaluate", data, *model)
    assert done.returncode == 1
    assert "line 2, column 1: found 'ask' as the label; expected a finite number" in done.stderr
    done = run("evaluate", data, *model, "--on-bad-line", "skip", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["examples"] == 2


def test_a_page_of_pictures(folder, tmp_path):
    page = tmp_path / "report.png"
    done = run("evaluate", folder / "two-test.svm", "-m", folder / "two.model", "--plot", page)
    assert done.returncode == 0
    assert str(page) in done.stderr
    assert page.read_bytes().startswith(b"\x89PNG")
    done = run("evaluate", folder / "number.svm", "-m", folder / "number.model", "--plot", page)
    assert done.returncode == 1
    assert "a regressor" in done.stderr


def test_what_goes_wrong_is_said(folder, tmp_path):
    data, path = folder / "two-test.svm", folder / "two.model"
    assert run("evaluate", data).returncode == 2
    done = run("evaluate", tmp_path / "nowhere.svm", "-m", path)
    assert done.returncode == 1
    assert "nowhere.svm: No such file or directory" in done.stderr
    done = run("evaluate", data, "-m", data)
    assert done.returncode == 1
    assert "not a model file" in done.stderr
    empty = tmp_path / "empty.svm"
    for text in ("", "# only a comment\n"):
        empty.write_text(text)
        done = run("evaluate", empty, "-m", path)
        assert done.returncode == 1
        assert "no labelled example" in done.stderr
    Perceptron().save(tmp_path / "untaught.model")
    done = run("evaluate", data, "-m", tmp_path / "untaught.model")
    assert done.returncode == 1
    assert "has seen no example" in done.stderr
    words = tmp_path / "words.svm"
    write_svmlight(words, [({"1": 1.0}, "spam")])
    done = run("evaluate", words, "-m", path)
    assert done.returncode == 1
    assert "labels of mixed type" in done.stderr
