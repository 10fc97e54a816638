"""A lab in a process of its own, as `thresher lab` starts it, and links that show a state in it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from waiting import wait_until


class Lab(NamedTuple):
    address: str
    process: subprocess.Popen[str]
    said: Any  # the file of what it writes to stderr

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def token(self) -> str:
        return urlsplit(self.address).path.strip("/")

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket(self) -> str:
        return f"ws://127.0.0.1:{self.port}/{self.token}/ask"

    def workers(self) -> list[int]:
        """The processes that answer for it (on Linux)."""
        return children(self.process.pid)

    def working(self) -> int:
        """The process that works on something that takes long: it uses a second of CPU from now."""
        before = {pid: stat_of(pid)[3] for pid in self.workers()}

        def found() -> int | None:
            used = {pid: stat_of(pid)[3] - before.get(pid, 1.0) for pid in self.workers()}
            return next((pid for pid, seconds in used.items() if seconds > 1.0), None)

        return int(wait_until(found))

    def stderr(self) -> str:
        """So far; read without moving the place at which the process writes."""
        return os.pread(self.said.fileno(), 1 << 20, 0).decode()


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "thresher", "lab", "--no-browser", *arguments]


@contextmanager
def started(arguments: list[str]) -> Iterator[Lab]:
    """A process that prints the address of its lab first; it ends with the block."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=said, text=True, env=environment
        )
        assert process.stdout
        try:
            address = process.stdout.readline().strip()
            assert address, os.pread(said.fileno(), 1 << 20, 0).decode()
            yield Lab(address, process, said)
        finally:
            process.terminate()
            process.wait(20)
            process.stdout.close()


def children(parent: int) -> list[int]:
    """The processes that a process has started, those that have ended aside."""
    found = [stat_of(int(entry.name)) for entry in Path("/proc").glob("[0-9]*")]
    return sorted(pid for pid, state, ppid, _ in found if ppid == parent and state != "Z")


def stat_of(pid: int) -> tuple[int, str, int, float]:
    """Of a process: its number, its state ("" if there is none), its parent, seconds of CPU."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return pid, "", 0, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    return pid, fields[0], int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks


def runs(pid: int) -> bool:
    return stat_of(pid)[1] not in ("", "Z")


def packed(state: Any, version: int = 1) -> str:
    """A state as it stands in a link."""
    text = json.dumps({"v": version, **state} if isinstance(state, dict) else state)
    squeezed = zlib.compressobj(wbits=-15)
    return encoded(squeezed.compress(text.encode()) + squeezed.flush())


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unpacked(link: str) -> tuple[str, dict[str, Any]]:
    """The view and the state that a link shows."""
    view, code = link.partition("#")[2].split("=", 1)
    data = zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), wbits=-15)
    state = json.loads(data)
    assert state.pop("v") == 1
    return view, state
