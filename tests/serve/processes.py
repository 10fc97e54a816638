"""Servers in processes of their own, to be stopped and killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Served:
    """`thresher serve DIR`, once it is ready."""

    def __init__(self, folder: Path, *options: str, env: dict[str, str] | None = None) -> None:
        words = [sys.executable, "-m", "thresher", "serve", str(folder), "--port", "0", *options]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})},
        )  # fmt: skip
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], 120)[0]:
            self.process.kill()
            raise TimeoutError("the server did not start")
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            _, said = self.process.communicate()
            raise RuntimeError(said)

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        """Ask it to end; its exit code and what it said."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


@contextmanager
def served(folder: Path, *options: str, **more: Any) -> Iterator[Served]:
    server = Served(folder, *options, **more)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()
