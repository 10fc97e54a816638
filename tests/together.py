"""Threads that get into each other's way, and children of this process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable


def run_together(*works: Callable[[], object]) -> None:
    """Run functions in threads that change places as often as the interpreter allows."""
    failures = []
    start = threading.Barrier(len(works))

    def guarded(work: Callable[[], object]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        assert not any(thread.is_alive() for thread in threads), "a deadlock"
    finally:
        sys.setswitchinterval(interval)
    if failures:
        raise failures[0]


class Meanwhile:
    """A thread that does something over and over, as long as the block lasts."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work, self.times, self.failure = work, 0, None
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            while not self.stop.is_set():
                self.work()
                self.times += 1
        except BaseException as error:
            self.failure = error

    def __enter__(self) -> Meanwhile:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(timeout=60)
        assert not self.thread.is_alive(), "a deadlock"
        if self.failure:
            raise self.failure


def in_child(work: Callable[[], object], seconds: float = 30.0) -> None:
    """Fork, and let the child do something; it must come to an end, and that a good one."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0, "the child failed"
            return
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")
