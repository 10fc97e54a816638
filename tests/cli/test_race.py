"""`thresher race`: the real command, in a process of its own."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest

import commands
import thresher
from thresher import AROW, PassiveAggressive
from thresher.cli import options
from thresher.cli.race import explain
from thresher.race import portfolio
from waiting import wait_until

COMMAND = [sys.executable, "-m", "thresher", "race"]


def run(*arguments, command="race", **options):
    return commands.run(command, *arguments, **options)


def race(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def raced(*arguments):
    """What it prints as JSON, and the learners without the baselines."""
    out = json.loads(race(*arguments, "--json"))
    return out, [row for row in out["standings"] if not row["baseline"]]


def lines(n, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=200)
    for _ in range(n):
        ids = np.sort(rng.choice(200, 12, replace=False))
        y = weights[ids].sum() + rng.normal() > 0
        yield f"{'+1' if y else '-1'} {' '.join(f'{i + 1}:1' for i in ids)}\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("race") / "rows.svm"
    path.write_text("".join(lines(4000)))
    return path


def test_a_table_and_what_to_do_next(data):
    done = run(data, "--learners", "pa,perceptron,winnow")
    assert done.returncode == 0, done.stderr
    head, names, *rest = done.stdout.splitlines()
    rows, baselines, reasons = rest[:3], rest[3:5], rest[5:]
    assert head == "4,000 examples"
    assert names.split() == ["learner", "error", "±", "examples", "examples/s"]
    assert sorted(row.split()[1] for row in rows) == ["pa", "perceptron", "winnow"]
    assert rows[0].split()[0] == "1"
    assert ["most frequent label" in baselines[0], "last label" in baselines[1]] == [True, True]
    running = [row for row in rows if row.split()[0] != "–"]
    errors = [float(row.partition(" %")[0].split()[-1]) for row in running]
    assert errors == sorted(errors)
    assert bool(reasons) is (len(running) < 3)
    assert reasons in ([], ["–: left early, surely worse than the leader"])
    winner = rows[0].split()[1]
    assert f"thresher train {data} -m MODEL --learner {winner}" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_the_winner_is_saved(data, tmp_path):
    best = tmp_path / "best.model"
    grids = ("--grid", "pa:C=0.001,0.1", "--grid", "perceptron:margin=0,1")
    out, rows = raced(data, *grids, "-m", best)
    assert out["examples"] == 4000 and out["model"] == str(best)
    assert out["bad_lines"] == 0 and out["interrupted"] is False
    assert {row["name"] for row in rows} == {
        "pa C=0.001", "pa C=0.1", "perceptron", "perceptron margin=1.0",
    }  # fmt: skip
    first = out["standings"][0]
    assert first["interval"][0] < first["error"] < first["interval"][1]
    model = thresher.load(best)
    short, *settings = first["name"].split()
    assert type(model).__name__.lower() == {"pa": "passiveaggressive"}.get(short, short)
    alone = type(model)(**{k: float(v) for k, v in (s.split("=") for s in settings)})
    assert model._model.state() == alone.fit_file(data)._model.state()
    shown = run(data, "--learners", "pa", "-m", best)
    assert f"thresher predict NEW -m {best}" in shown.stderr


def test_grids_multiply(data):
    _, rows = raced(data, "--grid", "pa:C=0.1,1:variant=PA-I,PA-II")
    assert {row["name"] for row in rows} == {
        "pa C=0.1", "pa", "pa C=0.1 variant=PA-II", "pa variant=PA-II",
    }  # fmt: skip


def test_auto_and_all(data):
    _, auto = raced(data)
    assert len(auto) == len(portfolio("classify"))
    _, everybody = raced(data, "--learners", "all", "--keep-all")
    assert {row["name"] for row in everybody} == {
        "perceptron", "truncated", "pa", "mira", "arow", "cw", "logistic", "naive-bayes", "winnow",
        "balanced-winnow", "snow", "p-norm", "label-efficient", "banditron", "shifting",
    }  # fmt: skip
    _, numbers = raced(data, "--learners", "all", "--task", "regress")
    assert {row["name"] for row in numbers} == {"lms", "pa-regressor"}


def test_words_that_come_twice_in_a_race_of_learners_that_count_them_and_others(tmp_path):
    """Each learns what it would learn alone, or is out and says why."""
    path, text = tmp_path / "mail.tsv", ("--label", "1", "--text", "2", "--no-header")
    path.write_text("spam\tcheap pills\nham\tlunch at noon\nspam\tpills pills\nham\tlunch now\n")
    best = tmp_path / "best.model"
    _, (pa, *others) = raced(path, *text, "--learners", "pa,winnow,snow", "-m", best)
    assert pa["name"] == "pa" and pa["examples"] == 4
    alone = thresher.PassiveAggressive().fit_file(path, label="1", text="2", header=False)
    assert thresher.load(best)._model.state() == alone._model.state()
    for row in others:
        assert "example 3 has a name twice" in row["reason"] and "among themselves" in row["reason"]
    among = json.loads(race(path, *text, "--learners", "winnow,snow", "--json", "-m", best))
    assert all(row["examples"] == 4 for row in among["standings"])
    cls = {"winnow": thresher.Winnow, "snow": thresher.Snow}[among["standings"][0]["name"]]
    alone = cls().fit_file(path, label="1", text="2", header=False)
    assert thresher.load(best)._model.state() == alone._model.state()
    path.write_text("spam\tcheap pills\nham\tlunch at noon\n")  # no word twice
    plain = json.loads(race(path, *text, "--learners", "pa,winnow,snow", "--json"))
    assert all(row["examples"] == 2 for row in plain["standings"])


def test_who_cannot_run_says_why(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:-3\n-1 2:1\n" * 20)
    _, (_, last) = raced(path, "--learners", "winnow,perceptron")
    assert last["name"] == "winnow" and last["error"] is None and last["examples"] == 0
    assert "rows.svm, line 1" in last["reason"]
    shown = race(path, "--learners", "winnow,perceptron")
    assert "winnow cannot use this data: " in shown and "rows.svm, line 1, feature " in shown


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_on_a_terminal(data, columns):
    """However narrow it is, the figures are there; the colours are not in the way."""
    leader, follower = os.openpty()
    process = subprocess.Popen(
        [*COMMAND, data, "--grid", "balanced-winnow:alpha=1.1,1.2:margin=1.0:average=yes"],
        stdout=follower, stderr=follower, env={**os.environ, "COLUMNS": str(columns)},
    )  # fmt: skip
    os.close(follower)
    out = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while block := os.read(leader, 65536):
            out += block
    os.close(leader)
    assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode())
    final = text[text.rindex("4,000 examples ") :]
    assert "alpha=1.1" in final and "alpha=1.2" in final
    assert len(re.findall(r"\d+\.\d\d %", final)) == 4  # with two baselines
    assert final.count(" 4,000 ") == 4 and "thresher train" in final


@pytest.mark.parametrize(
    "options, message",
    [
        (["--learners", "pa,perceptorn"], "Did you mean 'perceptron'?"),
        (["--grid", "pa:C"], "expected OPTION=VALUE"),
        (["--grid", "pa:c=1"], "has no option 'c'"),
        (["--grid", "pa:C=0.1,x"], "C is 'x'; expected a number"),
        (["--grid", "pa:C=-1"], "C is -1.0; expected a finite number > 0"),
        (["--learners", "pa,lms"], "expected learners of one kind"),
        (["--learners", "winnow,pa", "--grid", "winnow:clip=yes"], "clips the values"),
    ],
)
def test_mistakes_are_named(data, options, message):
    done = run(data, *options)
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr


def test_nothing_to_learn(tmp_path):
    empty = tmp_path / "empty.svm"
    empty.write_text("")
    done = run(empty, "-m", tmp_path / "best.model")
    assert done.returncode == 1 and "nothing was learned" in done.stderr
    assert not (tmp_path / "best.model").exists()


def test_bad_lines(data, tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("".join(lines(50)) + "1 2:x\n" + "".join(lines(50)))
    stopped = run(path, "--learners", "pa")
    assert stopped.returncode == 1 and "line 51" in stopped.stderr
    left_out = run(path, "--learners", "pa", "--on-bad-line", "skip", "--json")
    assert left_out.returncode == 3
    assert json.loads(left_out.stdout)["examples"] == 100
    assert "line 51" in left_out.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_early(tmp_path, number):
    """A pipe that falls silent: the standings so far are shown, the leader is saved."""
    best = tmp_path / "best.model"
    process = subprocess.Popen(
        [*COMMAND, "-", "--learners", "pa,perceptron", "-m", best, "--log", tmp_path / "log"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        encoding="utf-8",
    )  # fmt: skip
    process.stdin.write("".join(lines(40_000)))  # more than one batch
    process.stdin.flush()
    wait_until(lambda: any('"report"' in log.read_text() for log in tmp_path.glob("log/*.jsonl")))
    process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Stopped early" in errors
    examples = int(out.split()[0].replace(",", ""))
    assert 0 < examples <= 40_000  # a silent pipe holds nothing back
    assert thresher.load(best).examples_ == examples


def test_train_auto(data, tmp_path):
    best = tmp_path / "auto.model"
    done = run(data, "--learner", "auto", "-m", best, "--json", command="train")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)["standings"][0]
    assert thresher.load(best).examples_ == first["examples"] == 4000
    again = run(data, "--learner", "auto", "--passes", "3", "-m", best, "-q", command="train")
    assert again.returncode == 0, again.stderr
    model = thresher.load(best)
    alone = model.fresh().fit_file(data, passes=3)
    assert model._model.state() == alone._model.state()
    refused = run(data, "--learner", "auto", "--set", "C=1", "-m", best, command="train")
    assert refused.returncode == 1 and "name one with --learner" in refused.stderr


def test_a_race_by_held_out_examples(data):
    out = json.loads(race(data, "--learners", "pa,perceptron", "--holdout", "10", "--json"))
    assert [row["examples"] for row in out["standings"]] == [400] * 4


def test_another_figure_decides(data):
    _, rows = raced(data, "--learners", "pa,perceptron", "--metric", "auc")
    assert [row["figure"] for row in rows] == sorted(row["figure"] for row in rows)
    shown = race(data, "--learners", "pa,perceptron", "--metric", "auc")
    assert "metric" in shown and f"{rows[0]['figure']:.4f}" in shown


def test_auto_by_another_figure(data, tmp_path):
    best = tmp_path / "best.model"
    for metric in ("log-loss", "1:5,-1:1"):
        done = run(data, "--metric", metric, "--json", "-m", best, command="train")
        found = json.loads(done.stdout)
        rows = [r for r in found["standings"] if r["dropped_at"] is None and not r["baseline"]]
        assert [r["figure"] for r in rows] == sorted(r["figure"] for r in rows)
        assert found["saved"] == rows[0]["name"]
        assert type(thresher.load(best)).__name__ != "Experts"
    refused = run(data, "--metric", "auc", "--learner", "pa", "-m", best, command="train")
    assert refused.returncode == 2 and "--metric is for" in refused.stderr
    refused = run(data, "--metric", "mae", "-m", best, command="train")
    assert refused.returncode == 1 and "expected one of error, log-loss" in refused.stderr


def test_columns_of_text(tmp_path):
    path = tmp_path / "mail.tsv"
    path.write_text("spam\tcheap pills\nham\tsee you\n" * 30)
    best = tmp_path / "best.model"
    race(path, "--label", "1", "--text", "2", "--no-header", "--learners", "pa", "-m", best)
    names = [name for name, _ in thresher.load(best).top_features(4)]
    assert sorted(names) == ["2=cheap", "2=pills", "2=see", "2=you"]
    assert isinstance(thresher.load(best), PassiveAggressive)


def test_a_race_that_only_guesses_says_so(tmp_path):
    """Features that say nothing; and numbers that are learned as classes."""
    rng = np.random.default_rng(0)
    rows = zip(rng.integers(0, 60, 2000), rng.integers(1, 9, 2000), strict=True)
    path = tmp_path / "noise.svm"
    path.write_text("".join(f"{label} {j}:1\n" for label, j in rows))
    for command, words in (
        ("race", ("--learners", "perceptron,pa")),
        ("train", ("--learner", "auto", "--task", "classify", "-m", tmp_path / "auto.model")),
    ):
        told = run(path, *words, command=command).stderr
        assert "learned as a class of its own" in told and "--task regress" in told
    steady = tmp_path / "steady.svm"
    rows = zip(rng.random(2000) < 0.1, rng.integers(1, 9, 2000), strict=True)
    steady.write_text("".join(f"{int(label)} {j}:1\n" for label, j in rows))
    told = run(steady, "--learners", "perceptron").stderr
    assert "no learner does better than the baseline “most frequent label”" in told


def test_the_command_that_trains_the_winner_can_be_typed(data, tmp_path, capsys):
    """Also if a setting consists of several words."""
    given = {name: options.USUAL.get(name) for name in options.READING}
    explain(AROW(prepare="idf, unit", r=0.1), "arow", (str(data),), None, False, given)
    words = shlex.split(capsys.readouterr().err.splitlines()[-1])
    assert words[:2] == ["thresher", "train"]
    best = tmp_path / "best.model"
    done = run(*(best if word == "MODEL" else word for word in words[2:]), command="train")
    assert done.returncode == 0, done.stderr
    assert thresher.load(best).get_params() == AROW(prepare="idf, unit", r=0.1).get_params()
