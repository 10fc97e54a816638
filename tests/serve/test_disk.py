"""A server whose disk is full, fails, or keeps only the last part of the log."""

import errno
import json
import shutil
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from serve.serving import Direct, direct
from serve.test_log import Quick
from thresher.cli import thresher as commands
from thresher.errors import InvalidInput
from thresher.serve import writer
from thresher.serve.log import HEADER, MAGIC, Kind, Log, LogDamaged
from thresher.serve.server import Settings, readiness, run


class Trouble(Quick):
    """A disk that is full, or cannot sync, when told so."""

    full = failing = unexpected = False

    def write(self, file: int, data: bytes) -> int:
        if self.unexpected:
            raise MemoryError("no memory")
        if self.full:
            super().write(file, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(file, data)

    def sync(self, file: int) -> None:
        if self.failing:
            raise OSError(errno.EIO, "Input/output error")


def test_a_full_disk_is_no_end(tmp_path: Path) -> None:
    disk = Trouble()
    with direct(tmp_path, log=Log(tmp_path / "log", disk=disk)) as server:
        server.create("m")
        assert server.learn("m", '{"x": 1, "y": 0}')[0] == 200
        disk.full = True
        status, told = server.learn("m", '{"x": 2, "y": 1}')
        assert status == 507 and "No space left on device; nothing was learned" in told["error"]
        assert server.predict("m", '{"x": 1}') == [0]
        disk.full = False
        assert server.learn("m", '{"x": 2, "y": 1}')[1] == {"learned": 1, "seq": 3}
        hashed = server.hash("m")
    with direct(tmp_path) as again:
        assert again.hash("m") == hashed


def test_what_the_writer_had_in_hand_is_answered_when_it_ends(tmp_path: Path) -> None:
    disk = Trouble()
    server = Direct(tmp_path, log=Log(tmp_path / "log", disk=disk))
    server.create("m")
    disk.unexpected = True
    status, told = server.learn("m", '{"x": 2, "y": 1}')
    assert status == 503 and told["error"] == "the server cannot learn: no memory"
    assert readiness(server.writer)() is not None


def test_a_sync_that_fails_ends_learning_and_nothing_else(tmp_path: Path) -> None:
    disk = Trouble()
    server = Direct(tmp_path, log=Log(tmp_path / "log", disk=disk))
    server.create("m")
    assert server.learn("m", '{"x": 1, "y": 0}')[0] == 200
    assert readiness(server.writer)() is None
    disk.failing = True
    for _ in range(2):
        status, told = server.learn("m", '{"x": 2, "y": 1}')
        assert status == 503 and "Input/output error" in told["error"]
        disk.failing = False  # it is not tried again
    assert server.predict("m", '{"x": 1}') == [0]
    assert "cannot be written" in str(readiness(server.writer)())
    server.stop()
    with direct(tmp_path) as again:  # the first of the two was written, and may have been on disk
        assert again.writer.store.names["m"].events == 2


def test_a_log_of_which_only_the_end_is_kept(tmp_path: Path) -> None:
    small = {"segment_bytes": 1500, "checkpoint_seconds": 1e-9, "keep_log": 3000, "sync": "no"}
    server = Direct(tmp_path, **small)
    server.create("m", learner="arow")
    server.create("gone", learner="pa")
    for i in range(120):
        event = json.dumps({"x": i % 7 - 3, f"f{i % 5}": 1, "y": i % 2})
        assert server.learn(("m", "gone")[i % 2], event)[0] == 200
    server.do(lambda: server.writer.delete("gone"))
    hashed, first = server.hash("m"), server.writer.log.first
    assert first > 20
    server.kill()
    with direct(tmp_path, **small) as again:
        assert again.hash("m") == hashed and list(again.writer.store.names) == ["m"]
        with pytest.raises(InvalidInput, match="was dropped"):
            again.writer.store.at(again.writer.store.names["m"], 5)
        with pytest.raises(InvalidInput, match="was dropped"):
            again.export("m", tmp_path / "export.jsonl")
        challengers = {"pa": {"learner": "pa", "settings": {}}}
        assert again.do(lambda: again.writer.race("m", challengers).seq)[0] == 409


def test_a_log_that_ends_before_its_checkpoint_is_refused(tmp_path: Path) -> None:
    with direct(tmp_path) as server:
        server.create("m")
        server.learn("m", '{"x": 1, "y": 0}')
    (path,) = (tmp_path / "log").glob("*.log")
    torn = path.read_bytes()[:-5]
    path.write_bytes(torn)
    with pytest.raises(LogDamaged, match="a frame that is cut short; expected frame 2"):
        Direct(tmp_path)
    assert path.read_bytes() == torn  # it is left as it is
    path.write_bytes(torn[: torn.rindex(MAGIC)])
    with pytest.raises(LogDamaged, match=r"ends with seq 1, but .*models was saved at seq 2"):
        Direct(tmp_path)


def test_a_log_that_was_removed_with_the_checkpoints_is_refused(tmp_path: Path) -> None:
    with direct(tmp_path) as server:
        server.create("m")
        server.learn("m", '{"x": 1, "y": 0}')
    for path in [*(tmp_path / "log").glob("*.log"), *(tmp_path / "models" / "1").iterdir()]:
        path.unlink()
    with pytest.raises(LogDamaged, match=r"ends with seq 0, but .*models was saved at seq 2"):
        Direct(tmp_path)
    assert not list((tmp_path / "log").glob("*.log"))  # nothing is in the way of a backup


def test_a_checkpoint_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "1").write_text("in the way of a folder")
    with direct(tmp_path, checkpoint_seconds=1e-9, tell=said.append) as server:
        server.create("m")
        assert server.learn("m", '{"x": 1, "y": 0}')[0] == 200
        wait_until(lambda: server.writer.checkpoints_failed)
        (tmp_path / "models" / "1").unlink()
        wait_until(lambda: server.writer.store.names["m"].saved_at == 2)
    assert "m was not saved at seq 1" in said[0] and "the next start takes longer" in said[0]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    with direct(tmp_path) as server:
        server.create("m")
        server.learn("m", '{"x": 1, "y": 0}')
        hashed = server.hash("m")
    folder = tmp_path / "models" / "1"
    whole = sorted(path.name for path in folder.iterdir())
    for name in (f"{1:020}.0.model", f".{3:020}.json.0123abcd.part"):
        (folder / name).write_text("half of it")
    with direct(tmp_path) as again:
        assert again.hash("m") == hashed
    assert sorted(path.name for path in folder.iterdir()) == whole


def test_all_models_are_saved_a_few_at_a_time(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(writer, "COPYING", 1e-9)
    with direct(tmp_path, checkpoint_seconds=1e-9, max_models=5) as server:
        for i in range(5):
            server.create(f"m{i}")
            assert server.learn(f"m{i}", '{"x": 1, "y": 0}')[0] == 200
        options = server.writer.store.names["m0"].options
        status, told = server.do(lambda: server.writer.create("more", options)[1])
        assert status == 409 and "there are 5 models" in told["error"]
        assert server.do(lambda: server.writer.create("m0", options)[1]) == (200, False)
        wait_until(lambda: all(m.saved_at == m.seq for m in server.writer.store.models.values()))
        wait_until(lambda: (server.writer.store.checkpoints.covered() or (0,))[0] == 2)


def test_who_comes_after_the_end_is_answered(tmp_path: Path) -> None:
    server = Direct(tmp_path)
    server.create("m")
    job = server.job(Kind.LEARN, "m", '{"x": 1, "y": 0}')
    answers: list[int] = []
    job.reply = lambda told: answers.append(told.status)
    server.writer.admit(job)
    server.stop()
    server.writer.put(job)
    assert answers == [503]


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("no folder")
    with pytest.raises(InvalidInput, match=r"log: .*; expected a folder in which the server may"):
        run(Settings(tmp_path, port=0))


def wait_until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_the_commands_notice_what_the_server_would(tmp_path: Path) -> None:
    """Also in the last segment, whose torn end alone is nobody's loss."""
    with direct(tmp_path) as server:
        server.create("m")
        for i in range(6):
            server.learn("m", json.dumps({"x": i, "y": i % 2}))
    (path,) = (tmp_path / "log").glob("*.log")
    good = path.read_bytes()
    assert "7 frames in 1 segment, 1 checkpoint; all are whole" in log("verify", tmp_path)
    head = HEADER.pack(good[:8], 2, 1, 0)[:-4]
    newer = head + zlib.crc32(head).to_bytes(4, "little") + good[HEADER.size :]
    third = good.index(MAGIC, good.index(MAGIC, good.index(MAGIC) + 1) + 1)
    flipped = bytearray(good)
    flipped[third + 60] ^= 1
    for content, says in (
        (newer, "version 2 of the log; this Thresher reads up to 1"),
        (b"\0" + good[1:], "byte 0: found no header of a segment"),
        (bytes(flipped), f"byte {third}: found a frame whose checksum does not fit"),
        (good[:-5], "a frame that is cut short; expected frame 7"),
        (good[: good.rindex(MAGIC)], "ends with seq 6, but"),
    ):
        path.write_bytes(content)
        for command in (("verify", tmp_path), ("export", tmp_path, "m")):
            with pytest.raises(LogDamaged, match=says):
                log(*command)
        assert path.read_bytes() == content
    path.write_bytes(good + good[third : third + 30])  # being written, or torn
    assert "7 frames in 1 segment, 1 checkpoint; all are whole" in log("verify", tmp_path)
    assert log("export", tmp_path, "m").count("\n") == 6
    shutil.rmtree(tmp_path / "models")  # now only the frames vouch for each other
    path.write_bytes(flipped)
    for command in ("verify", "show"):
        with pytest.raises(LogDamaged, match="checksum does not fit; expected frame 3"):
            log(command, tmp_path)
    path.write_bytes(good[:-5])
    assert "6 frames in 1 segment, 0 checkpoints; all are whole" in log("verify", tmp_path)
    assert log("show", tmp_path).count("\n") == 6


def log(*words: object) -> str:
    """`thresher log`, in this process."""
    done = CliRunner().invoke(commands, ["log", *map(str, words)], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.output
