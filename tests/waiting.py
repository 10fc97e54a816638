"""Waiting for what must come about, on however slow a machine."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def wait_until(what: Callable[[], Any], seconds: float = 120.0) -> Any:
    """Until `what()` is true, which is returned."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.01)
    return found


def catches(process: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for this signal (on Linux)."""
    status = Path(f"/proc/{process}/status").read_text()
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (number - 1) & 1)
