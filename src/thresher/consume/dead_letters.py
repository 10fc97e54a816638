"""Events that could not be learned: where they were, why, and what they were, a JSON object a line.

The model keeps the size of the file. What was written after the model was saved is cut off when a
run goes on, since those events come again: so each is there once.
"""

from __future__ import annotations

import base64
import json
import os
from typing import Any

from thresher.errors import InvalidInput

START = b'{"at": '  # of each line


class DeadLetters:
    """The file is made with the first of them."""

    def __init__(self, path: str, name: str = "") -> None:
        self.path = path
        self.name = name  # as the model knows the file: nothing for the usual one beside it
        self.size = 0
        self._file = -1

    def cut_back(self, name: str | None, size: int) -> None:
        """To what the model knows of: the name of its file and its size; None for a new model."""
        there = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        self.size = there
        if name not in (None, self.name) or there <= size:
            return  # another file than before: it is continued
        with open(self.path, "rb") as file:
            if not file.readline(20).startswith(START):
                raise InvalidInput(
                    f"{self.path}: not a file of dead letters; expected none, or one that this "
                    "command wrote. Give another name with --dead-letters."
                )
        self.size = size
        os.truncate(self.path, size)

    def add(self, rows: list[tuple[str, str, bytes]]) -> None:
        """Places, problems and events."""
        if not rows:
            return
        data = b"".join(_line(*row) for row in rows)
        try:
            if self._file < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
                self._file = os.open(self.path, flags, 0o666)
            while data:
                written = os.write(self._file, data)
                self.size += written
                data = data[written:]
        except OSError as error:
            why = f"{error.strerror}; a dead letter could not be written"
            raise OSError(error.errno, why, self.path) from error

    def sync(self) -> None:
        """Before the model says how many there are."""
        if self._file >= 0:
            os.fsync(self._file)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _line(at: str, problem: str, event: bytes) -> bytes:
    row: dict[str, Any] = {"at": at, "problem": problem}
    try:
        row["event"] = event.decode()
    except UnicodeDecodeError:
        row["event_base64"] = base64.b64encode(event).decode()
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
