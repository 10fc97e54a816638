"""The progress of an answer, reported occasionally if there is a listener.

Only the process that answers for a page listens (`thresher.lab.serving.worker`); elsewhere this
costs one comparison.
"""

from __future__ import annotations

import time
from collections.abc import Callable

EVERY = 0.1  # seconds between two reports of one stage

_listener: Callable[[str], None] | None = None
_stage = ""
_due = 0.0


def listen(listener: Callable[[str], None]) -> None:
    """From now on `listener` gets the reports."""
    global _listener
    _listener = listener


def stage(what: str) -> None:
    """The name of the stage that begins."""
    global _stage, _due
    if _listener is not None:
        _stage, _due = what, time.monotonic() + EVERY
        _listener(what)


def at(done: int, total: int) -> None:
    """`done` of the `total` steps of this stage are done."""
    global _due
    if _listener is not None and time.monotonic() >= _due:
        _due = time.monotonic() + EVERY
        _listener(f"{_stage}, {done:,} of {total:,}")
