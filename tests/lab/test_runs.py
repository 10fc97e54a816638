"""The logs of runs, as the lab lists and tails them."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInput
from thresher.lab.runs import log_files as run_files
from thresher.lab.runs import logs as runs
from thresher.lab.serving.dispatch import Dispatcher

START = {"event": "start", "log": 1, "id": "aa11", "time": 1000.0, "kind": "train", "name": "mail",
         "learner": "Perceptron", "settings": "Perceptron()", "data": ["mail.vw"]}  # fmt: skip


def report(examples, error=0.5, **more):
    line = {"event": "report", "examples": examples, "seconds": examples / 100, "error": error}
    return {**line, "recent": error, **more}


def text(*lines):
    return b"".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
    )


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text(*lines))
    return path


def append(path, *lines):
    with path.open("ab") as file:
        file.write(text(*lines))


def listed(folder):
    return runs.listed({}, str(folder))["runs"]


class Page:
    """Reads like the page: goes on from where the last answer ended."""

    def __init__(self, folder, name=None):
        self.folder = str(folder)
        found = [run for run in listed(folder) if name is None or run["name"] == name]
        self.id = found[0]["id"]
        self.begin, self.mark = 0, ""

    def read(self):
        asked = {"logs": [{"id": self.id, "from": self.begin, "mark": self.mark}]}
        answer = runs.read(asked, self.folder)["logs"][self.id]
        json.dumps(answer, allow_nan=False)
        if "gone" not in answer:
            self.begin, self.mark = answer["from"], answer["mark"]
        return answer

    def examples(self):
        return [point[0] for point in self.read()["points"]]


# -- the list


def test_what_the_list_tells(tmp_path):
    write(tmp_path / "a.jsonl", START, report(1), report(64, 0.25, features=9))
    end = {"event": "end", "state": "failed", "message": "no room", "examples": 8, "error": 0.5}
    write(tmp_path / "sub" / "b.jsonl", {**START, "id": "bb", "name": "b", "time": 2000.0}, end)
    (second, first) = listed(tmp_path)  # the one that was begun last comes first
    assert (first["name"], first["state"], first["file"]) == ("mail", "running", "a.jsonl")
    assert (first["examples"], first["average"], first["features"]) == (64, 0.25, 9)
    assert (second["state"], second["message"]) == ("failed", "no room")
    assert second["file"] == "sub/b.jsonl"


@pytest.mark.parametrize("state", ["done", "stopped", "failed"])
def test_how_a_run_ended(tmp_path, state):
    write(tmp_path / "a.jsonl", START, report(1), {"event": "end", "state": state, "examples": 1})
    assert listed(tmp_path)[0]["state"] == state


def test_a_run_that_says_nothing_is_silent(tmp_path):
    path = write(tmp_path / "a.jsonl", START, report(100))
    os.utime(path, (time.time() - 120,) * 2)
    (run,) = listed(tmp_path)
    assert run["state"] == "silent" and 119 <= run["silent"] <= 125
    slow = write(tmp_path / "a.jsonl", START, report(10**7))  # seconds: 10^5, a line each 50 s
    os.utime(slow, (time.time() - 120,) * 2)
    assert listed(tmp_path)[0]["state"] == "running"


def test_only_logs_are_listed(tmp_path):
    write(tmp_path / "data.jsonl", {"label": 1, "text": "secret"}, {"label": 2})
    write(tmp_path / "half.jsonl", json.dumps(START).encode())
    write(tmp_path / "empty.jsonl")
    write(tmp_path / "binary.jsonl", bytes(range(256)) * 9)
    write(tmp_path / "notes.txt", START)
    write(tmp_path / ".hidden" / "a.jsonl", START)
    write(tmp_path / "one" / "a.jsonl", START)
    (tmp_path / "one" / "two").mkdir()
    write(tmp_path / "one" / "two" / "a.jsonl", START)
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert [run["file"] for run in listed(tmp_path)] == ["one/a.jsonl"]


def test_many_files_are_listed_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(run_files, "MOST_FILES", 3)
    for i in range(5):
        os.utime(write(tmp_path / f"{i}.jsonl", {**START, "name": str(i)}), (i, i))
    answer = runs.listed({}, str(tmp_path))
    assert {run["name"] for run in answer["runs"]} == {"2", "3", "4"}
    assert answer["left_out"] == 2


def test_a_last_line_behind_long_ones_is_found(tmp_path):
    weights = {"event": "weights", "top": [], "padding": "x" * 40_000}
    write(tmp_path / "a.jsonl", START, report(77), weights)
    assert listed(tmp_path)[0]["examples"] == 77


def test_page_and_notebook_are_answered_alike(tmp_path):
    write(tmp_path / "a.jsonl", START, report(3))
    question = {"id": 5, "ask": "runs.list", "with": {}}
    answer = Dispatcher(str(tmp_path))(question)
    assert answer["id"] == 5 and answer["answer"]["runs"][0]["examples"] == 3
    widget = pytest.importorskip("thresher.lab.runs.widget").RunsWidget(str(tmp_path))
    sent = []
    widget.send = sent.append
    widget._asked(widget, question, [])
    assert sent == [answer]


# -- tailing


def test_only_new_lines_come(tmp_path):
    path = write(tmp_path / "a.jsonl", START, report(1), report(2))
    page = Page(tmp_path)
    assert page.examples() == [1, 2]
    assert page.examples() == []
    append(path, report(4))
    assert page.examples() == [4]
    append(path, {"event": "end", "state": "done", "examples": 5, "error": 0.1})
    answer = page.read()
    assert answer["end"] == {"state": "done"} and answer["points"][0][0] == 5
    assert page.begin == path.stat().st_size and not answer["more"]


def test_marks_of_drift_come_with_the_new_lines(tmp_path):
    mark = {"event": "drift", "example": 70, "action": "reset", "before": 0.1, "at": 0.5}
    path = write(tmp_path / "a.jsonl", START, report(64), mark)
    page = Page(tmp_path)
    told = {"example": 70, "action": "reset", "before": 0.1, "at": 0.5}
    assert page.read()["drift"] == [told]
    append(path, report(128), {**mark, "example": "soon"}, {**mark, "example": 99, "at": None})
    assert page.read()["drift"] == [{**told, "example": 99, "at": None}]


def test_half_a_line_waits_for_its_end(tmp_path):
    path = write(tmp_path / "a.jsonl", START, report(1))
    page = Page(tmp_path)
    assert page.examples() == [1]
    line = text(report(2))
    for cut in range(1, len(line)):
        append(path, line[cut - 1 : cut])
        answer = page.read()
        assert answer["points"] == [] and answer["damaged"] == 0 and not answer["more"]
    append(path, line[-1:])
    assert page.examples() == [2]


@pytest.mark.parametrize(
    "bad",
    [b"{\n", b'{"event": "report", "examples": \xff}\n', b"\x00\x00\n", b"[1]\n", b"7\n",
     b'{"event": "report", "examples": NaN}\n', b"[" * 100_000 + b"\n", b'{"a": ' * 5000 + b"\n",
     b'{"event": "report", "examples": ' + b"9" * 5000 + b"}\n"],
)  # fmt: skip
def test_a_damaged_line_is_passed_over_and_counted(tmp_path, bad):
    write(tmp_path / "a.jsonl", START, report(1), bad, report(2))
    page = Page(tmp_path)
    answer = page.read()
    assert [point[0] for point in answer["points"]] == [1, 2]
    assert answer["damaged"] == 1


def test_truncated(tmp_path):
    path = write(tmp_path / "a.jsonl", START, *(report(i) for i in range(1, 9)))
    page = Page(tmp_path)
    assert len(page.examples()) == 8
    os.truncate(path, len(text(START, report(1))))
    answer = page.read()
    assert answer["restart"] and [point[0] for point in answer["points"]] == [1]
    append(path, report(2))
    answer = page.read()
    assert not answer["restart"] and [point[0] for point in answer["points"]] == [2]


def test_truncated_and_grown_beyond_where_it_was(tmp_path):
    path = write(tmp_path / "a.jsonl", START, report(1))
    page = Page(tmp_path)
    page.read()
    with path.open("r+b") as file:  # the same inode, another run
        file.truncate()
        file.write(text({**START, "id": "cc"}, *(report(i) for i in range(10, 30))))
    answer = page.read()
    assert answer["restart"] and len(answer["points"]) == 20


def test_rotated(tmp_path):
    path = write(tmp_path / "a.jsonl", START, report(1))
    page = Page(tmp_path)
    page.read()
    path.rename(tmp_path / "a.1.jsonl")
    write(path, START, report(2), report(3))  # the same id even: another file
    answer = page.read()
    assert answer["restart"] and [point[0] for point in answer["points"]] == [2, 3]
    assert len(listed(tmp_path)) == 2


def test_emptied_and_not_yet_written_again(tmp_path):
    path = write(tmp_path / "a.jsonl", START, report(1))
    page = Page(tmp_path)
    page.read()
    os.truncate(path, 0)
    answer = page.read()
    assert answer["restart"] and answer["points"] == [] and answer["from"] == 0
    append(path, START, report(7))
    assert page.examples() == [7]


def test_removed(tmp_path):
    path = write(tmp_path / "runs" / "a.jsonl", START, report(1))
    page = Page(tmp_path / "runs")
    path.unlink()
    assert page.read() == {"gone": True}
    shutil.rmtree(tmp_path / "runs")
    assert page.read() == {"gone": True}
    answer = runs.listed({}, str(tmp_path / "runs"))
    assert answer["missing"] and answer["runs"] == []
    assert runs.listed({}, None)["missing"]
    write(tmp_path / "runs" / "a.jsonl", START, report(3))
    assert page.examples() == [3]


def test_a_huge_log_comes_in_pieces_and_thinned(tmp_path, monkeypatch):
    monkeypatch.setattr(run_files, "MOST_READ", 1 << 16)
    monkeypatch.setattr(runs, "MOST_POINTS", 50)
    write(tmp_path / "a.jsonl", START, *(report(i) for i in range(1, 5000)))
    page = Page(tmp_path)
    seen, rounds, more = [], 0, True
    while more:
        answer = page.read()
        assert len(answer["points"]) <= 50 and answer["damaged"] == 0
        seen += [point[0] for point in answer["points"]]
        rounds, more = rounds + 1, answer["more"]
    assert rounds > 5 and seen == sorted(set(seen))
    assert (seen[0], seen[-1]) == (1, 4999)


def test_a_line_that_never_ends_does_not_stop_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(run_files, "MOST_READ", 1 << 12)
    write(tmp_path / "a.jsonl", START, b"x" * 10_000 + b"\n", report(2))
    page = Page(tmp_path)
    seen, more = [], True
    while more:
        answer = page.read()
        seen += [point[0] for point in answer["points"]]
        more = answer["more"]
    assert seen == [2]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=300).map(sorted), st.integers(3, 40))
def test_thinning_keeps_first_last_and_order(examples, most):
    points = [{"examples": n, "i": i} for i, n in enumerate(examples)]
    kept = runs.thinned(points, most)
    assert kept[0] == points[0] and kept[-1] == points[-1]
    assert len(kept) <= max(most, 1) or kept == points
    numbers = [point["i"] for point in kept]
    assert numbers == sorted(set(numbers))


# -- what a page may ask, and what a file may hold


def test_nothing_outside_the_folder_can_be_read(tmp_path):
    secret = write(tmp_path / "secret.jsonl", START, report(1))
    inside = tmp_path / "runs"
    write(inside / "a.jsonl", {**START, "name": "ok"}, report(1))
    (inside / "link.jsonl").symlink_to(secret)
    (inside / "up").symlink_to(tmp_path)
    assert [run["file"] for run in listed(inside)] == ["a.jsonl"]
    (outside,) = [r for r in listed(tmp_path) if r["file"] == "secret.jsonl"]
    for name in ("../secret.jsonl", "/etc/passwd", "link.jsonl", "a.jsonl", "", outside["id"]):
        answer = runs.read({"logs": [{"id": name, "from": 0}]}, str(inside))
        assert answer == {"logs": {name: {"gone": True}}}


def test_a_file_that_becomes_a_link_after_the_listing(tmp_path):
    secret = write(tmp_path / "secret.jsonl", START, report(1))
    path = write(tmp_path / "runs" / "sub" / "a.jsonl", START, report(2))
    (files, _) = run_files.log_files(str(tmp_path / "runs"))
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(OSError), run_files.opened(str(tmp_path / "runs"), files[0]):
        pass
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(text(START))
    with pytest.raises(OSError), run_files.opened(str(tmp_path / "runs"), files[0]):
        pass


@pytest.mark.parametrize(
    "question",
    [None, [], {"logs": None}, {"logs": [1]}, {"logs": [{"id": 1}]}, {"logs": [{"id": "a"}] * 9},
     {"logs": [{"id": "a", "from": -1}]}, {"logs": [{"id": "a", "from": 1e300}]},
     {"logs": [{"id": "a", "from": True}]}, {"logs": [{"id": "a" * 99}]}, {"path": "/etc/passwd"},
     {"logs": [{"id": "a", "mark": 3}]}, {"logs": [{"id": "a", "folder": "/"}]}],
)  # fmt: skip
def test_a_bad_question_is_refused(tmp_path, question):
    with pytest.raises(InvalidInput):
        runs.read(question, str(tmp_path))
    assert "error" in Dispatcher(str(tmp_path))({"id": 1, "ask": "runs.read", "with": question})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NAMES = ["event", "examples", "error", "squared_error", "recent", "errors", "top", "histogram",
         "standings", "state", "seconds", "labels", "weights", "data", "runners", "id", "time",
         "name", "features", "message", "total_bytes", "example", "action"]  # fmt: skip
EVENTS = st.sampled_from(["start", "report", "weights", "standings", "drift", "end"])
LINES = st.builds(
    lambda line, event: {**line, "event": event},
    st.dictionaries(st.sampled_from(NAMES), JSON, max_size=8),
    EVENTS,
)


@given(LINES, st.lists(LINES | JSON | st.binary(max_size=40), max_size=6))
def test_whatever_a_log_holds_the_answer_is_json(tmp_path_factory, start, others):
    folder = tmp_path_factory.mktemp("logs")
    first = {**start, "event": "start", "id": "x"}
    lines = [x + b"\n" if isinstance(x, bytes) else x for x in [first, *others]]
    write(folder / "a.jsonl", *lines)
    answer = runs.listed({}, str(folder))
    json.dumps(answer, allow_nan=False)
    for run in answer["runs"]:
        found = runs.read({"logs": [{"id": run["id"], "from": 0}]}, str(folder))
        json.dumps(found, allow_nan=False).encode()


def test_numbers_that_json_does_not_have(tmp_path):
    path = tmp_path / "a.jsonl"
    big = b'{"event": "report", "examples": 5, "error": 1e999, "recent": -1e999}\n'
    write(path, START, big, b'{"event": "weights", "histogram": {"edges": [1e999, 2], "counts": '
          b'[3]}, "top": [{"features": [["a", 1e999], ["b", 2.0], ["c"], 4]}]}\n')  # fmt: skip
    answer = Page(tmp_path).read()
    assert answer["points"][0][answer["columns"].index("average")] is None
    assert answer["weights"]["histogram"] is None
    assert answer["weights"]["top"][0]["features"] == [["b", 2.0]]


# -- real runs


def command(*arguments, **options):
    line = [sys.executable, "-m", "thresher", *map(str, arguments)]
    return subprocess.Popen(line, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


ROWS = "".join(f"{1 if i % 3 else -1} {i % 7 + 1}:1 {i % 11 + 20}:1\n" for i in range(30_000))


def test_two_runs_are_tailed_while_they_run(tmp_path):
    folder = tmp_path / "runs"
    started = {
        name: command("train", "-", "--format", "svmlight", "-m", tmp_path / f"{name}.model", "-q",
                      "--learner", name, "--log", folder, stdin=subprocess.PIPE, text=True)
        for name in ("pa", "perceptron")
    }  # fmt: skip
    pages: dict[str, Page] = {}
    for _ in range(3):
        for process in started.values():
            process.stdin.write(ROWS)
            process.stdin.flush()
        until(lambda: folder.is_dir() and len(listed(folder)) == 2)
        for name in started:
            if name not in pages:
                pages[name] = Page(folder, name)
                until(pages[name].examples)
        states = {run["name"]: run["state"] for run in listed(folder)}
        assert states == {"pa": "running", "perceptron": "running"}
    for process in started.values():
        process.stdin.close()
    assert [process.wait() for process in started.values()] == [0, 0]
    for name, page in pages.items():
        answer = page.read()
        assert answer["end"] == {"state": "done"} and answer["damaged"] == 0
        assert answer["points"][-1][0] == 90_000
        assert answer["weights"]["weights"] == 18
        (run,) = [run for run in listed(folder) if run["name"] == name]
        assert run["state"] == "done" and run["examples"] == 90_000
        assert run["learner"] == {"pa": "PassiveAggressive", "perceptron": "Perceptron"}[name]


def test_a_race_is_tailed(tmp_path):
    data = tmp_path / "rows.svm"
    data.write_text(ROWS)
    process = command("race", data, "--learners", "pa,perceptron,arow", "--log", tmp_path / "runs")
    assert process.wait() == 0
    answer = Page(tmp_path / "runs").read()
    (run,) = listed(tmp_path / "runs")
    assert run["kind"] == "race" and run["runners"] == ["pa", "perceptron", "arow"]
    assert {row["name"] for row in answer["standings"]} == set(run["runners"])
    errors = answer["columns"].index("errors")
    assert all(len(point[errors]) == 3 for point in answer["points"])
    assert answer["points"][-1][0] == 30_000


def test_a_killed_run_becomes_silent(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "SILENT_SECONDS", 0.3)
    process = command("train", "-", "--format", "svmlight", "-m", tmp_path / "m", "-q", "--log",
                      tmp_path / "runs", stdin=subprocess.PIPE, text=True)  # fmt: skip
    process.stdin.write(ROWS)
    process.stdin.flush()
    until(lambda: (tmp_path / "runs").is_dir() and listed(tmp_path / "runs"))
    process.kill()
    process.wait()
    until(lambda: listed(tmp_path / "runs")[0]["state"] == "silent")
    process.stdin.close()
