"""One process learns a model: it holds a lock beside the model until it ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import suppress

from thresher.errors import ThresherError, Where


class ModelOwned(ThresherError, RuntimeError):
    """Another process learns this model."""


class Ownership:
    """A lock on a file next to the model, which itself is replaced with each save."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._handle = os.open(f"{model}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def take(self) -> bool:
        """Whether it is ours now."""
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
        return True

    def why_not(self) -> ModelOwned:
        who = "another process"
        with suppress(OSError, ValueError):
            pid, _, host = os.pread(self._handle, 300, 0).decode().strip().partition(" ")
            who = f"process {int(pid)} on {host}"
        return ModelOwned(
            f"{who} learns this model",
            advice="One process may; to wait until it ends and take over, give --standby.",
            where=Where(self.model),
        )

    def release(self) -> None:
        os.close(self._handle)
