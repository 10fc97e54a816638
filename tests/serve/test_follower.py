"""A follower has the same bits at the same seq, and answers nothing that was taken back."""

import errno
import json
import random
import threading
import time
from pathlib import Path

import pytest

from serve.processes import served
from serve.serving import Direct, direct, hash_of
from serve.test_log import Quick
from thresher.client import Client, ServerError
from thresher.serve.follower import Follower
from thresher.serve.log import Kind, Log
from thresher.serve.planning import Job


def same(server: Direct, follower: Follower, folder: Path) -> None:
    follower.look()
    theirs, ours = server.writer.store.names, follower.store.names
    assert set(ours) == set(theirs)
    for name, model in theirs.items():
        assert (ours[name].seq, ours[name].events) == (model.seq, model.events)
        assert set(ours[name].kept) == set(model.kept)
        if model.events:
            assert hash_of(ours[name].champion.learner, folder) == server.hash(name)


def test_the_same_bits_at_the_same_seq(tmp_path: Path) -> None:
    follow_everywhere(tmp_path, 40)


def follow_everywhere(folder: Path, steps: int) -> int:
    """At how many seqs a follower was found equal."""
    rng = random.Random(0)
    settings = {"sync": "no", "segment_bytes": 700, "checkpoint_seconds": 0.05}
    with direct(folder / "dir", **settings) as server:
        server.create("m", learner="arow")
        follower = Follower(folder / "dir")
        seqs = []
        for step in range(steps):
            event = {f"f{rng.randrange(9)}": rng.random()}
            told = server.learn("m", json.dumps({**event, "y": rng.randrange(2)}))[1]
            seqs.append(told["seq"])
            server.keep("m", json.dumps(event), f"k{step}")
            if step % 10 == 5:
                writer, to = server.writer, rng.choice(seqs)
                assert server.do(lambda: writer.roll_back("m", to).seq)[0] == 200  # noqa: B023
                seqs = [seq for seq in seqs if seq <= to]
            if step == 20:
                server.create("other", learner="pa")
            if step % 40 == 30:
                follower = Follower(folder / "dir")  # one that begins with checkpoints
            same(server, follower, folder)
    return steps


class Fails(Quick):
    """A disk that is full after half of a write, when told so."""

    full = False

    def write(self, file: int, data: bytes) -> int:
        if self.full:
            super().write(file, data[: len(data) * 3 // 4])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(file, data)

    def truncate(self, file: int, size: int) -> None:
        if self.full:
            self.seen()
        super().truncate(file, size)

    def seen(self) -> None:
        """The moment in which others can see what will be taken back."""


def test_what_was_taken_back_is_noticed(tmp_path: Path) -> None:
    disk = Fails()
    log = Log(tmp_path / "dir" / "log", disk=disk)
    with direct(tmp_path / "dir", log=log) as server:
        server.create("m", learner="arow")
        server.learn("m", '{"x": 1, "y": 0}')
        follower = Follower(tmp_path / "dir")
        follower.look()
        disk.seen = follower.look  # type: ignore[method-assign]
        disk.full = True
        jobs = [server.job(Kind.LEARN, "m", f'{{"x": {i}, "y": 1}}') for i in range(8)]
        together = threading.Event()
        server.later(Job(None, "", b"", lambda told: None, do=together.wait))
        answers = [server.later(job) for job in jobs]
        together.set()  # one group
        assert [wait()[0] for wait in answers] == [507] * 8
        assert follower.store.names["m"].events > 1  # too early: it will have to begin again
        disk.full = False
        assert server.learn("m", '{"x": 5, "y": 1}')[0] == 200
        with pytest.raises(Exception, match=r"taken back|expected frame"):
            follower.look()
        follower._begin_again()
        same(server, follower, tmp_path)


def test_over_http(tmp_path: Path) -> None:
    with served(tmp_path) as leader, served(tmp_path, "--follow") as reader:
        writes, reads = Client(leader.url), Client(reader.url, retries=0)
        writes.create("m", label="y")
        for i in range(5):
            seq = writes.learn("m", {"x": i, "y": i % 2}).seq
            deadline = time.monotonic() + 30
            while reads.models() == [] and time.monotonic() < deadline:
                time.sleep(0.01)
            assert reads.predict("m", {"x": 1}, min_seq=seq)["seq"] == seq
        with pytest.raises(ServerError, match="405: this server only follows"):
            reads.learn("m", {"x": 1, "y": 1})
        with pytest.raises(ServerError, match="412"):
            reads.predict("m", {"x": 1}, min_seq=seq + 1)
        assert reader.stop()[0] == 0
