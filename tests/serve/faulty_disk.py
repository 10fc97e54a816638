"""A server whose every call of the disk fails in turn, or is the last one: python faulty_disk.py.

Run with `faults.c` loaded before the C library, once for all: each case is a process of its own,
forked from this one. What was acknowledged is learned, once; and the model that is recovered is
what the lines that count teach.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from faults import KILLED, SHORT
from serve.serving import Direct, hash_of
from thresher.serve.options import model_options
from thresher.serve.pupil import Pupil

KINDS = "open write fsync truncate rename unlink"
EVENTS = 24
# Many changes of segments, a checkpoint after each group, and old segments dropped.
SMALL = {"segment_bytes": 700, "checkpoint_seconds": 1e-9, "keep_log": 1 << 20}
OPTIONS = model_options({"learner": "arow", "label": "y", "id": "id"})
ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "short": SHORT, "killed": KILLED}


def line(number: int) -> str:
    rng = random.Random(number)
    x = {f"f{rng.randrange(6)}": round(rng.random(), 2) for _ in range(3)}
    return json.dumps({**x, "y": "a" if sum(x.values()) > 1.2 else "b"})


def live(folder: Path, told: int) -> None:
    """Learn the events, each until it is acknowledged, and tell of each that was."""
    server = Direct(folder, **SMALL)
    status, _ = again(lambda: server.do(lambda: server.writer.create("m", OPTIONS)[1]))
    for number in range(EVENTS) if status == 200 else ():
        event = f'{{"id": {number}, {line(number)[1:]}'
        status, _ = again(lambda event=event: server.learn("m", event))
        if status == 200:
            os.write(told, b"%d\n" % number)
        if number == EVENTS // 2:
            server.do(lambda: server.writer.snapshot("m"))
    server.stop()


def again(ask: Callable[[], tuple[int, Any]]) -> tuple[int, Any]:
    """Once more, as a client does."""
    status, told = ask()
    return (status, told) if status == 200 else ask()


def check(folder: Path, acknowledged: list[int]) -> None:
    """The folder can be opened, has what was acknowledged, and nothing twice."""
    server = Direct(folder, **SMALL)
    model = server.writer.store.names.get("m")
    if model is None:
        assert not acknowledged
        server.stop()
        return
    learned = [int(one) for one in model.ids]
    assert set(acknowledged) <= set(learned), (acknowledged, learned)
    assert len(set(learned)) == model.events
    plain = Pupil(OPTIONS)
    for number in learned:
        plain.learn([line(number).encode()])
    if learned:
        assert server.hash("m") == hash_of(plain.learner, folder)
    server.learn("m", line(99))  # and it goes on
    server.stop()


def forked(what: Callable[[], None]) -> int:
    """The exit status of a process that does this."""
    if pid := os.fork():
        return os.waitpid(pid, 0)[1]
    try:
        what()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def case(arm: Callable[..., None], at: int, error: int) -> str:
    """One call fails: which it was, "" if there are no more."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        out, told = folder / "acknowledged", folder / "told"
        acknowledged = os.open(out, os.O_WRONLY | os.O_CREAT)

        def work() -> None:
            place = str(folder / "dir").encode()
            arm(place, KINDS.encode(), at, error, str(told).encode())
            with suppress(OSError):  # at the start: the command says so
                live(folder / "dir", acknowledged)

        status = forked(work)
        os.close(acknowledged)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        assert status == 0 or (killed and error == KILLED), status
        known = [int(number) for number in out.read_text().split()]
        failed = told.read_text().replace(str(folder), "").strip() if told.exists() else ""
        assert forked(lambda: check(folder / "dir", known)) == 0, (failed, known)
        return failed
    finally:
        shutil.rmtree(folder)


def main(every: int, *names: str) -> None:
    arm = ctypes.CDLL(None).arm_fault
    done = 0
    for name in names or ERRORS:
        at, points = 1 + done % every, set()
        while found := case(arm, at, ERRORS[name]):
            kind, path = found.split()
            points.add(f"{kind} {Path(path).suffix or 'folder'}")
            at, done = at + every, done + 1
        assert points, "no call of the disk was seen"
        print(f"{name}: {(at - 1) // every} calls, {sorted(points)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
