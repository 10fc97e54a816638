"""A polite request to end: Ctrl-C, or SIGTERM."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TOGETHER = 0.25  # seconds in which a second signal is the same request


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Let a signal call `stop`, which ends the work after the current piece.

    Nothing is raised where the signal happens to arrive: in the middle of an import or of saving. A
    second one ends the process at once, unless it comes with the first: `timeout` sends two. A
    signal that is ignored (`nohup`) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def heard(number: int, frame: Any) -> None:
        for known in before:
            signal.signal(known, signal.SIG_IGN)
        stop()
        time.sleep(TOGETHER)
        for known in before:
            signal.signal(known, signal.SIG_DFL)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {n: h for n in numbers if (h := signal.getsignal(n)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, heard)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
