"""A server whose disk is full, fails, or keeps only the last part of the log."""

import errno
import json
from pathlib import Path

import pytest

from serve.serving import Direct, direct
from serve.test_log import Quick
from thresher.errors import InvalidInput
from thresher.serve.log import MAGIC, Log, LogDamaged
from thresher.serve.server import readiness


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
    with pytest.raises(LogDamaged, match="ends with seq 1, but a checkpoint has seq 2"):
        Direct(tmp_path)
