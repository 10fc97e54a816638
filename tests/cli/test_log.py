"""`--log`: what a run writes, that it changes nothing, and what if it cannot be written."""

import json
import os
import random
import shutil
import signal
import time

import numpy as np
import pytest

from commands import Commands
from thresher import PassiveAggressive, Perceptron, load
from thresher.cli import weights_seen
from thresher.cli.run_log import LogWriter, RunLog, stem
from waiting import wait_until


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


def write_svm(path, n, labels=(-1, 1), seed=0):
    rng = random.Random(seed)
    with path.open("w") as file:
        for _ in range(n):
            ids = sorted(rng.sample(range(1, 400), 12))
            label = labels[sum(ids) % len(labels)]
            file.write(f"{label} {' '.join(f'{j}:{rng.random():.3f}' for j in ids)}\n")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_svm(tmp_path_factory.mktemp("data") / "rows.svm", 3000)


def logs(folder):
    return sorted(folder.glob("*.jsonl"))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def only(folder):
    (path,) = logs(folder)
    return lines(path)


def of(found, event):
    return [line for line in found if line["event"] == event]


def train(commands, data, model, *more):
    return commands.run("train", data, "-m", model, "-q", *more)


def pipe(path):
    os.mkfifo(path)
    return path


def test_a_run_from_its_first_line_to_its_last(commands, data, tmp_path):
    model, folder = tmp_path / "rows.model", tmp_path / "runs"
    done = train(commands, data, model, "--learner", "perceptron", "--set", "margin=0.5",
                 "--holdout", "10", "--log", folder, "--json")  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads(done.out)
    found = only(folder)
    start, end = found[0], found[-1]
    assert start["event"] == "start" and start["log"] == 1 and start["kind"] == "train"
    assert start["name"] == "rows" and start["learner"] == "Perceptron"
    assert start["settings"] == "Perceptron(margin=0.5)"
    assert start["data"] == [str(data)] and start["model"] == str(model)
    assert start["total_bytes"] == data.stat().st_size and start["before"] is None
    assert start["command"].startswith("thresher train") and abs(start["time"] - time.time()) < 60
    assert start["id"] in logs(folder)[0].name
    reports = of(found, "report")
    doublings = [2**k for k in range(12)]
    assert [line["examples"] for line in reports if line["examples"] in doublings] == doublings
    assert reports[-1]["examples"] == end["examples"] == 3000
    assert end["event"] == "end" and end["state"] == "done"
    assert end["bytes_read"] == data.stat().st_size and end["seconds"] >= reports[-1]["seconds"]
    saved = load(model)
    assert end["features"] == saved.coef_.shape[1]
    for name in ("examples", "error", "held_out_error", "features"):
        assert end[name] == told[name]
    assert end["memory_bytes"] > 1e6


def test_recent_is_the_error_since_the_line_before(commands, data, tmp_path):
    train(commands, data, tmp_path / "m", "--log", tmp_path)
    before, wrong = 0, 0.0
    for line in of(only(tmp_path), "report"):
        now = line["error"] * line["examples"]
        assert line["recent"] == pytest.approx((now - wrong) / (line["examples"] - before))
        before, wrong = line["examples"], now


def test_the_weights_are_those_of_the_model(commands, data, tmp_path):
    model = tmp_path / "m"
    train(commands, data, model, "--log", tmp_path)
    saved = load(model)
    (seen,) = of(only(tmp_path), "weights")
    weights = saved.coef_[0]
    (column,) = seen["top"]
    assert (column["for"], column["against"]) == ("1", "-1")
    plus = [pair for pair in column["features"] if pair[1] > 0]
    minus = [pair for pair in column["features"] if pair[1] < 0]
    assert [w for _, w in plus] == sorted(weights, reverse=True)[:20]
    assert [w for _, w in minus] == sorted(weights)[:20]
    top = dict(saved.top_features(40))
    assert all(top[name] == w for name, w in column["features"] if name in top)
    assert sum(seen["histogram"]["counts"]) == np.count_nonzero(weights)
    assert seen["weights"] == len(weights) and 0.0 in seen["histogram"]["edges"]
    edges = seen["histogram"]["edges"]
    assert min(edges) <= weights.min() and weights.max() <= max(edges)


@pytest.mark.parametrize("learner", ["pa", "naive-bayes", "snow", "winnow", "logistic"])
@pytest.mark.parametrize("labels", [(-1, 1), ("a", "b", "c")])
def test_the_model_is_the_same_bit_for_bit(commands, tmp_path, learner, labels):
    data = write_svm(tmp_path / "rows.svm", 700, labels)
    more = ["--learner", learner, "--passes", "2", "--shuffle-buffer", "64"]
    made = []
    for extra in ([], ["--log", tmp_path / "log"]):
        done = train(commands, data, tmp_path / "m", *more, *extra)
        assert done.code == 0, done.err
        made.append((tmp_path / "m").read_bytes())
    assert made[0] == made[1]
    found = only(tmp_path / "log")
    assert found[-1]["state"] == "done" and found[-1]["pass"] == 2
    assert len(of(found, "weights")[0]["top"]) == (1 if len(labels) == 2 else 3)


def test_a_regressor_says_squared_error(commands, data, tmp_path):
    train(commands, data, tmp_path / "m", "--learner", "lms", "--log", tmp_path)
    found = only(tmp_path)
    assert found[-1]["squared_error"] > 0 and "error" not in found[-1]
    assert of(found, "weights")[0]["top"][0]["for"] is None


def test_each_run_has_a_log_of_its_own(commands, data, tmp_path):
    started = [
        commands.start("train", data, "-m", tmp_path / f"{i}.model", "-q", "--log", tmp_path)
        for i in range(3)
    ]
    assert all(one.wait().code == 0 for one in started)
    found = [lines(path) for path in logs(tmp_path)]
    assert len({log[0]["id"] for log in found}) == 3
    assert {log[0]["name"] for log in found} == {"0", "1", "2"}
    assert all([line["event"] for line in log].count("start") == 1 for log in found)
    assert all(log[-1]["state"] == "done" for log in found)


def test_lines_come_while_the_run_goes_on(commands, tmp_path):
    stream = pipe(tmp_path / "stream.svm")
    run = commands.start("train", stream, "--format", "svmlight", "--learner", "pa", "-q",
                         "-m", tmp_path / "m", "--log", tmp_path / "log")  # fmt: skip
    rows = "".join(f"{1 if i % 3 else -1} {i % 7 + 1}:1 {i % 11 + 20}:1\n" for i in range(70_000))
    with stream.open("w") as file:
        seen = 0
        for _ in range(4):  # more than a second in all, far from any doubling at the end
            file.write(rows)
            file.flush()
            time.sleep(0.6)
            (path,) = wait_until(lambda: logs(tmp_path / "log"))
            wait_until(lambda path=path, seen=seen: len(path.read_text().splitlines()) > seen)
            seen = len(path.read_text().splitlines())
        assert not any('"end"' in line for line in path.read_text().splitlines())
    assert run.wait().code == 0
    found = only(tmp_path / "log")
    counts = [line["examples"] for line in of(found, "report")]
    assert counts == sorted(set(counts)) and counts[-1] == 280_000
    assert any(n & (n - 1) for n in counts[:-1])  # not only doublings
    assert found[0]["total_bytes"] in (None, 0)


def test_stopped_and_gone_on_with(commands, tmp_path):
    stream, model, folder = pipe(tmp_path / "s.svm"), tmp_path / "s.model", tmp_path / "log"
    options = ["--format", "svmlight", "-m", model, "-q", "--log", folder, "--learner", "pa"]
    run = commands.start("train", stream, *options)
    with stream.open("w") as file:
        file.write("1 1:1\n-1 2:1\n" * 100_000)
        file.flush()
        wait_until(lambda: logs(folder) and len(logs(folder)[0].read_text().splitlines()) > 3)
        run.send(signal.SIGTERM)
        done = run.wait()
    assert done.code == 130
    first = logs(folder)[0]
    end = lines(first)[-1]
    assert end["event"] == "end" and end["state"] == "stopped"
    whole = write_svm(tmp_path / "more.svm", 10)
    done = commands.run("train", whole, "--resume", model, "-m", model, "-q", "--log", folder)
    assert done.code == 0, done.err
    (second,) = [path for path in logs(folder) if path != first]
    start = lines(second)[0]
    assert start["before"] == first.name
    assert start["id"] != lines(first)[0]["id"]


def test_a_run_that_fails_says_why(commands, tmp_path):
    data = tmp_path / "bad.svm"
    data.write_text("1 1:1\n-1 2:1\n1 1:huh\n")
    done = train(commands, data, tmp_path / "m", "--log", tmp_path)
    assert done.code not in (0, 3)
    end = only(tmp_path)[-1]
    assert end["state"] == "failed" and end["examples"] == 2
    assert "line 3" in end["message"]


def test_names_that_are_no_text_and_labels_of_any_kind(commands, tmp_path):
    data = tmp_path / "odd.vw"
    data.write_bytes(b"1 | \xff\xfe:2 caf\xc3\xa9\n-1 | b:1\n" * 5)
    done = train(commands, data, tmp_path / "m", "--log", tmp_path)
    assert done.code == 0, done.err
    (seen,) = of(only(tmp_path), "weights")
    assert "café" in [name for name, _ in seen["top"][0]["features"]]


# -- when it cannot be written


def test_a_folder_that_is_removed_does_not_end_the_run(commands, tmp_path):
    stream, folder = pipe(tmp_path / "s.svm"), tmp_path / "log"
    run = commands.start("train", stream, "--format", "svmlight", "-m", tmp_path / "m", "-q",
                         "--learner", "pa", "--log", folder)  # fmt: skip
    with stream.open("w") as file:
        file.write("1 1:1\n-1 2:1\n" * 50_000)
        file.flush()
        wait_until(lambda: logs(folder))
        shutil.rmtree(folder)
        file.write("1 1:1\n-1 2:1\n" * 50_000)
    done = run.wait()
    assert done.code == 0, done.err
    assert done.err.count("the run goes on without it") == 1
    assert load(tmp_path / "m").examples_ == 200_000
    assert not folder.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_warned_of_once(tmp_path, capfdbinary):
    log = LogWriter(str(tmp_path), "x")
    log.write({"event": "start"})
    room, log._file = log._file, os.open("/dev/full", os.O_WRONLY)
    for _ in range(3):
        log.write({"event": "report"})
    os.close(log._file)
    log._file = room  # there is room again
    log.write({"event": "end"})
    log.close()
    assert capfdbinary.readouterr().err.count(b"the run goes on") == 1
    assert [line["event"] for line in only(tmp_path)] == ["start", "end"]


def test_a_folder_that_cannot_be_made_is_said_before_the_run(commands, data, tmp_path):
    (tmp_path / "file").write_text("")
    done = train(commands, data, tmp_path / "m", "--log", tmp_path / "file" / "log")
    assert done.code != 0 and not (tmp_path / "m").exists()
    assert "file" in done.err


# -- a race


def test_a_race_tells_of_each_runner(commands, data, tmp_path):
    best = tmp_path / "best.model"
    done = commands.run("race", data, "--learners", "pa,perceptron,arow,winnow", "-m", best,
                        "--log", tmp_path / "log", "--json", "--keep-all")  # fmt: skip
    assert done.code == 0, done.err
    found = only(tmp_path / "log")
    start, end = found[0], found[-1]
    assert start["kind"] == "race" and start["name"] == "best"
    assert start["runners"] == ["pa", "perceptron", "arow", "winnow"]
    standings = json.loads(done.out)["standings"]
    told = {row["name"]: row["error"] for row in standings if not row["baseline"]}
    assert dict(zip(start["runners"], end["errors"], strict=True)) == told
    assert end["state"] == "done" and end["error"] == min(told.values())
    rows = of(found, "standings")[-1]["standings"]
    assert [row["name"] for row in rows] == sorted(told, key=told.get)
    assert [line["examples"] for line in of(found, "report")][:2] == [1024, 2048]
    weights = load(best).coef_[0]
    top = of(found, "weights")[-1]["top"][0]["features"]
    assert top[0][1] == weights.max()


def test_a_race_is_the_same_with_a_log(commands, data, tmp_path):
    made = []
    for extra in ([], ["--log", tmp_path / "log"]):
        commands.run("race", data, "-m", tmp_path / "m", "-q", *extra)
        made.append((tmp_path / "m").read_bytes())
    assert made[0] == made[1]


def test_a_race_that_nobody_can_run(commands, tmp_path):
    data = tmp_path / "bad.svm"
    data.write_text("1 1:x\n")
    done = commands.run("race", data, "--log", tmp_path)
    assert done.code != 0
    assert only(tmp_path)[-1]["state"] == "failed"


def test_auto_logs_its_committee_and_the_passes_after_it(commands, data, tmp_path):
    done = train(commands, data, tmp_path / "m", "--learner", "auto", "--passes", "2", "--log",
                 tmp_path)  # fmt: skip
    assert done.code == 0, done.err
    found = sorted((lines(path) for path in logs(tmp_path)), key=lambda log: log[0]["time"])
    assert [log[0]["learner"] == "Experts" for log in found] == [True, False]
    assert found[1][0]["examples_before"] == 3000 and found[1][-1]["examples"] == 6000


# -- parts


def test_too_many_weights_are_left_out(monkeypatch):
    model = PassiveAggressive()
    for i in range(20):
        model.learn_one({f"f{i}": 1.0}, i % 2 == 0)
    assert weights_seen.weights_seen(model)["weights"] == 20
    monkeypatch.setattr(weights_seen, "MOST_WEIGHTS", 10)
    assert weights_seen.weights_seen(model) == {"skipped": "more than 10 weights"}
    assert weights_seen.weights_seen(Perceptron()) is None


def test_weights_take_a_small_share_of_the_time(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    looked = []

    def look():
        looked.append(clock[0])
        clock[0] += 0.2  # slow: a large model
        return Perceptron()

    about = {"name": "x", "examples_before": 0}
    log = RunLog(str(tmp_path), about, lambda: {"examples": 1}, look)
    reports = 0
    for _ in range(100_000):
        clock[0] += 0.01
        before = os.path.getsize(log.path)
        log.look(False)
        reports += os.path.getsize(log.path) > before
    log.end("done")
    assert 0.2 * len(looked) <= 0.012 * clock[0]
    assert 1000 < reports <= clock[0] / 0.5


def test_a_first_line_stays_short(commands, data, tmp_path):
    many = [tmp_path / f"{'long' * 20}-{i}.svm" for i in range(1000)]
    for path in many:
        path.write_bytes(b"1 1:1\n")
    done = commands.run("train", *many, "-m", tmp_path / "m", "-q", "--log", tmp_path / "log")
    assert done.code == 0, done.err
    start = only(tmp_path / "log")[0]
    assert len(json.dumps(start)) < 20_000
    assert start["data"][:20] == [str(path) for path in many[:20]]
    assert start["data"][20] == "… 1,000 in all"


def test_file_names_are_safe(tmp_path):
    log = LogWriter(str(tmp_path), "../../a b\n…/é")
    log.close()
    assert os.path.dirname(log.path) == str(tmp_path)
    assert all(c.isascii() and (c.isalnum() or c in "-._") for c in os.path.basename(log.path))
    assert stem("/x/mail.vw.gz") == "mail" and stem("-") == "pipe" and stem(".hidden") == ".hidden"
