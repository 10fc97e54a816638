"""A growing file as `tail -F` follows it, and folders of files."""

from __future__ import annotations

import errno
import json
import os
import time
from pathlib import Path

import pytest

from consume.consuming import (
    SETTINGS,
    append,
    compare_with_train,
    consume,
    digest,
    letters,
    lines_of,
    place_of,
)
from consume.test_errors import learned, refused
from thresher.consume import consumption, growing
from thresher.consume.consumption import Consumption
from thresher.consume.growing import Growing


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "QUIET_SECONDS", 0.0)


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def read(stream: Growing) -> list[bytes]:
    events = stream.fetch(100, 0.0)
    stream.take(events)
    return [event.raw for event in events]


def test_the_first_run_shows_its_error_as_well(tmp_path: Path) -> None:
    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    append(path, text(lines_of(200, 4, bad=False)))
    words = [str(path), "-m", str(model), *SETTINGS, "--until-end", "-q", "--json"]
    first = json.loads(consume(*words, code=0))
    assert 0.0 < first["error"] < 1.0
    assert json.loads(consume(*words, code=0))["error"] == first["error"]


def test_a_disk_that_is_full_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once, and saving is tried again when it is due, not with each event."""
    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    lines = lines_of(1000, 4, bad=False)
    append(path, text(lines))
    saves: list[int] = []
    save = Consumption.save

    def fails(self: Consumption) -> None:
        saves.append(self.events)
        if len(saves) in (2, 3, 4, 6):
            raise OSError(errno.ENOSPC, "No space left on device", str(model))
        save(self)

    monkeypatch.setattr(Consumption, "save", fails)
    monkeypatch.setattr(consumption, "AT_ONCE", 30)
    words = [str(path), "-m", str(model), *SETTINGS, "--until-end", "--save-every", "100"]
    said = consume(*words, code=0)
    assert saves == list(range(100, 1001, 100)) and said.count("The run goes on") == 2
    compare_with_train(model, lines, tmp_path)


def test_the_learners_of_a_stream_are_those_of_train(tmp_path: Path) -> None:
    """Many at once, for labels or numbers, if none is named: the same bits as from a file."""
    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    lines = lines_of(300, 4, bad=False)
    append(path, text(lines))
    words = ["--label", "y", "--until-end", "-q"]
    consume(str(path), "-m", str(model), *words, "--limit", "100", code=0)
    consume(str(path), "-m", str(model), *words, "--task", "classify", code=0)
    compare_with_train(model, lines, tmp_path, ("--label", "y", "--learner", "experts"))
    said = consume(str(path), "-m", str(model), *words, "--task", "regress")
    assert "was made to classify" in said
    said = consume(str(path), "-m", str(tmp_path / "n"), *words, "--audit", "live")
    assert "--audit needs one learner" in said
    numbers, lines = (
        tmp_path / "n.jsonl",
        [b'{"x": %d, "y": %d.5}' % (i, 2 * i) for i in range(120)],
    )
    append(numbers, text(lines))
    assert "--task regress" in consume(str(numbers), "-m", str(tmp_path / "bad"), *words, code=1)
    model = tmp_path / "numbers.model"
    consume(str(numbers), "-m", str(model), *words, "--task", "regress", code=0)
    compare_with_train(model, lines, tmp_path, ("--label", "y", "--learner", "experts-regressor"))


def test_dates_and_names_of_rows_are_said(tmp_path: Path) -> None:
    """As `thresher train` says them of a file: once, when a few hundred events have come, or at the
    end of fewer."""
    lines = [
        b'{"id": "k%d", "day": "2024-01-%02d", "x": %d, "y": %d}' % (i, i % 28 + 1, i % 3, i % 2)
        for i in range(500)
    ]
    for n in (500, 120):
        path, model = tmp_path / f"{n}.jsonl", tmp_path / f"{n}.model"
        append(path, text(lines[:n]))
        words = (str(path), "-m", str(model), *SETTINGS, "--until-end")
        told = consume(*words, "--limit", str(n - 10), code=0)
        assert told.count("add: --ignore id") == told.count("add: --date day") == 1
        assert "add:" not in consume(*words, code=0)
        roles = ("--ignore", "id", "--date", "day")
        assert "add:" not in consume(*words[:2], str(tmp_path / f"{n}b"), *words[3:], *roles)


def test_rotation_while_it_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    append(path, b"1\n2\n3")
    stream = Growing(str(path))
    stream.open(None, end=False, gap=False)
    assert read(stream) == [b"1", b"2"]  # the third is not complete
    assert read(stream) == [] and stream.lag().none
    append(path, b"3\n")
    assert read(stream) == [b"33"]
    append(path, b"4\n")
    os.rename(path, tmp_path / "app.log.1")
    assert read(stream) == [b"4"]
    append(tmp_path / "app.log.1", b"5")  # the writer has not opened the new one yet
    assert read(stream) == []  # no new file: the line may go on
    append(path, b"6\n")
    assert [read(stream), read(stream)] == [[b"5"], [b"6"]]
    os.rename(tmp_path / "app.log.1", tmp_path / "app.log.2")
    os.rename(path, tmp_path / "app.log.1")
    append(path, b"7\n")
    assert read(stream) == [b"7"]
    stream.close()


def test_copied_and_truncated(tmp_path: Path) -> None:
    """logrotate's copytruncate: what was not read yet is in the copy."""
    path = tmp_path / "app.log"
    append(path, b"1\n2\n")
    stream = Growing(str(path))
    stream.open(None, end=False, gap=False)
    assert read(stream) == [b"1", b"2"]
    append(path, b"3\n")
    (tmp_path / "app.log.1").write_bytes(path.read_bytes())
    os.truncate(path, 0)
    append(path, b"4\n5\n6\n7\n")  # longer than before
    assert [read(stream), read(stream)] == [[b"3"], [b"4", b"5", b"6", b"7"]]
    stream.close()


def test_rotation_between_two_runs(tmp_path: Path) -> None:
    """Found by its content, under whatever name; two rotations are two files to read."""
    path, model, lines = tmp_path / "app.log", tmp_path / "m.model", lines_of(400, 1, bad=False)
    append(path, text(lines[:100]))
    assert learned(str(path), model) == 100
    append(path, text(lines[100:200]))
    os.rename(path, tmp_path / "app.log.2")
    append(tmp_path / "app.log.1", text(lines[200:300]))
    append(path, text(lines[300:]))
    now = time.time()
    for age, name in enumerate(("app.log", "app.log.1", "app.log.2")):
        os.utime(tmp_path / name, (now - age, now - age))
    assert learned(str(path), model) == 400
    compare_with_train(model, lines, tmp_path)


def test_what_was_read_is_gone(tmp_path: Path) -> None:
    path, model, lines = tmp_path / "app.log", tmp_path / "m.model", lines_of(60, 2, bad=False)
    append(path, text(lines[:20]))
    assert learned(str(path), model) == 20
    os.truncate(path, 0)
    assert "is gone" in refused(str(path), model)
    append(path, text(lines[20:]))
    assert "is gone" in refused(str(path), model)
    assert learned(str(path), model, "--accept-gap") == 60
    assert place_of(model)["gaps"][0]["events"] == 20


def test_a_folder(tmp_path: Path) -> None:
    """Tables, each with its header; files that come later; a half-written line in the middle."""
    folder, model = tmp_path / "days", tmp_path / "m.model"
    folder.mkdir()
    (folder / ".hidden").write_bytes(b"nothing for us")
    (folder / "2026-01-01.csv").write_bytes(b"x,color,y\n1,red,a\n2,blue,b\n")
    (folder / "2026-01-02.csv").write_bytes(b"color,x,y\nred,3,a\nblue,4,b")
    assert learned(str(folder), model) == 3  # the last line has no line break yet
    (folder / "2026-01-03.csv").write_bytes(b'x,color,y\n5,red,a\n6,"re""d",b\n7,"red,a\n')
    assert learned(str(folder), model) == 7
    assert [row["problem"] for row in letters(model)] == [
        "a quote is not closed; expected an event on one line."
    ]
    whole = tmp_path / "whole.model"
    assert learned(str(folder), whole) == 7
    assert digest(whole) == digest(model)


def test_formats_and_options(tmp_path: Path) -> None:
    """The same recipe as for files, and the same model; from the end; no more than some."""
    from click.testing import CliRunner

    import thresher
    from serve.serving import hash_of
    from thresher.cli import thresher as commands

    forms = {
        "vw": b"1 |a x y\n-1 |b z:2\n| no label\n1 |a x\n-1 |b y:1\n" * 40,
        "svm": b"+1 1:0.5 7:1\n-1 2:1 # note\n+1 7:2\n" * 40,
        "tsv": b"y\tt\n" + b"spam\tbuy now\nham\thello you\n" * 40,
    }
    more = {"vw": ["--holdout", "7"], "svm": ["--on-drift", "report", "--prepare", "standard"],
            "tsv": ["--label", "y", "--text", "t", "--ngrams", "2", "--min-count", "2"],
    }  # fmt: skip
    for form, content in forms.items():
        path, model, made = tmp_path / f"e.{form}", tmp_path / f"{form}.m", tmp_path / f"{form}.t"
        path.write_bytes(content)
        words = [str(path), "--learner", "pa", *more[form], "-q"]
        consume(*words, "-m", str(model), "--limit", "33", code=0)
        assert place_of(model)["events"] == 33
        consume(*words, "-m", str(model), "--until-end", code=0)
        CliRunner().invoke(commands, ["train", *words, "-m", str(made)], standalone_mode=False)
        assert hash_of(thresher.load(model), tmp_path) == hash_of(thresher.load(made), tmp_path)
    path, model = tmp_path / "e.vw", tmp_path / "end.model"
    consume(str(path), "-m", str(model), "--from", "end", "--until-end", "-q", code=0)
    assert not model.exists()
    said = consume(str(path), "-m", str(model), *SETTINGS[2:], "--until-end", "--json", code=0)
    assert '"unlabelled": 40' in said and '"lag_bytes": 0' in said and '"events": 200' in said
