"""A growing file, as `tail -F` follows it, or a folder of files in the order of their names.

An event is a line, once it has its line break. A file is known by its content, not by its name: the
place holds a digest of what was read (`thresher.data.seen`). So a file that was rotated is found
under its new name, also if it was copied and truncated, and is read to its end before the next one;
and a file that was replaced by another is noticed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from typing import Any

from thresher.consume.events import Event, Lag, StreamRefused, why_lost
from thresher.data.seen import FileSeen, Seen, has_grown
from thresher.data.sources import COMPRESSED
from thresher.errors import InvalidInput

CHUNK = 1 << 20
LONGEST = 1 << 28  # of a line
LOOK_SECONDS = 0.1
QUIET_SECONDS = 1.0  # a file that has a successor, and was silent for so long, is done
TAIL = 256  # bytes before the place that are compared before reading on
ROTATED = re.compile(r"[.-]\d[\d.:T_-]*(\.(?:gz|bz2|xz|zst))?")  # after the name of the file


class Growing:
    """`path` is a file that is appended to and may be rotated, or a folder of such files."""

    kind = "file"
    has_headers = True

    def __init__(self, path: str) -> None:
        self.name = path
        self.identity = ("name", os.path.basename(os.path.abspath(path)))
        self._is_folder = os.path.isdir(path)
        self._folder = path if self._is_folder else os.path.dirname(path) or "."
        self._fd = -1
        self._path = ""  # of the open file, when it was opened
        self._digest: FileSeen | None = None
        self._seen = Seen(0, 0, "")
        self._read = 0  # bytes that were fetched; `_seen` has those that were learned
        self._tail = b""
        self._rest = 0  # bytes of a last line without a line break

    # -- opening

    def open(self, place: dict[str, Any] | None, *, end: bool, gap: bool) -> str | None:
        self.close()
        if place is None or not place.get("file"):
            self._first(end)
            return None
        seen = Seen.from_dict(place["seen"])
        path = self._find(os.path.join(self._folder, place["file"]), seen, int(place["inode"]))
        if path is not None:
            self._open(path, seen)
            return None
        lost = (
            f"what was read of {place['file']} ({seen.bytes:,} bytes, {seen.lines:,} lines) is "
            "gone: it was removed, truncated or replaced, and whether there was more in it is not "
            "known"
        )
        if not gap:
            raise why_lost(self.name, lost)
        self._path = os.path.join(self._folder, place["file"])
        if following := self._path if os.path.exists(self._path) else self._next():
            self._open(following)
        return lost

    def _first(self, end: bool) -> None:
        if self._is_folder:
            names = self._names()
            path = names[-1 if end else 0] if names else None
        else:
            path = self.name
            if not os.path.exists(path):
                raise StreamRefused(
                    f"{path}: no such file; expected a file or folder that is there, or an address "
                    "such as redis://HOST/STREAM."
                )
        if path is None:
            return
        self._open(path)
        if end:
            whole = self._whole_lines(os.fstat(self._fd).st_size)
            assert self._digest is not None
            self._seen = self._digest.seen(*whole)
            self._go_to(self._seen.bytes)

    def _whole_lines(self, size: int) -> tuple[int, int]:
        """The bytes of all whole lines, and how many they are."""
        at = end = lines = 0
        while at < size:
            block = os.pread(self._fd, min(CHUNK, size - at), at)
            if not block:
                break
            if (newline := block.rfind(b"\n")) >= 0:
                end, lines = at + newline + 1, lines + block.count(b"\n")
            at += len(block)
        return end, lines

    def _open(self, path: str, seen: Seen | None = None) -> None:
        self.close()
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._path = path
        start = os.pread(self._fd, 8, 0)
        if any(start.startswith(magic) for magic in COMPRESSED):
            raise StreamRefused(
                f"{path}: compressed; expected lines of text that are appended. `thresher train` "
                "reads compressed files."
            )
        self._digest = FileSeen(self._fd)
        self._seen = seen or Seen(0, 0, self._digest.seen(0, 0).digest)
        self._go_to(self._seen.bytes)

    def _go_to(self, offset: int) -> None:
        self._read, self._rest = offset, 0
        begin = max(0, offset - TAIL)
        self._tail = os.pread(self._fd, offset - begin, begin)

    def _find(self, path: str, seen: Seen, inode: int) -> str | None:
        """The file that begins with what was read, under this name or another."""
        if not seen.bytes:
            return path if os.path.exists(path) else None
        found = [p for p in (path, *self._rotated()) if _begins_with(p, seen)]
        return next((p for p in found if os.stat(p).st_ino == inode), next(iter(found), None))

    def _names(self) -> list[str]:
        """The files of the folder, in order."""
        found = (e.path for e in os.scandir(self._folder) if e.name[0] != "." and e.is_file())
        return sorted(found)

    def _rotated(self) -> list[str]:
        """What the file was renamed or copied to, the oldest first."""
        if self._is_folder:
            return []
        name = os.path.basename(self.name)
        found: list[tuple[float, str]] = []
        for entry in os.scandir(self._folder):
            rest = entry.name.removeprefix(name)
            if rest != entry.name and ROTATED.fullmatch(rest) and entry.is_file():
                found.append((entry.stat().st_mtime, entry.path))
        return [path for _, path in sorted(found)]

    def _next(self) -> str | None:
        """The file after the current one."""
        if self._is_folder:
            return next((p for p in self._names() if p > self._path), None)
        here = os.fstat(self._fd) if self._fd >= 0 else None
        for path in self._rotated():
            there = os.stat(path)
            if here is None or there.st_ino == here.st_ino or there.st_mtime <= here.st_mtime:
                continue
            if path.endswith((".gz", ".bz2", ".xz", ".zst")):
                raise why_lost(self.name, f"{path} was compressed before it was read")
            return path
        try:
            there = os.stat(self.name)
        except FileNotFoundError:
            return None
        is_other = here is None or there.st_ino != here.st_ino
        return self.name if is_other else None

    # -- reading

    def fetch(self, most: int, wait: float) -> list[Event]:
        until = time.monotonic() + wait
        while True:
            if self._fd < 0 and (path := self._next()):
                self._open(path)
            events = self._lines(most) if self._fd >= 0 else []
            left = until - time.monotonic()
            if events or left <= 0:
                return events
            time.sleep(min(LOOK_SECONDS, left))

    def _lines(self, most: int) -> list[Event]:
        """Whole lines that are new; at the end of a file that is done, go on with the next."""
        text = self._new_text(min(CHUNK, max(TAIL, most) * TAIL))
        end = text.rfind(b"\n") + 1
        self._rest = len(text) - end
        if end:
            lines = text[:end].split(b"\n", most)
            lines.pop()  # what comes behind the last line break, or behind the last of `most`
            return self._events(lines)
        following = self._next()
        if following is None or not self._is_quiet():
            return []
        if text:  # nobody will end this line
            self._rest = 0
            return self._events([text], 0)
        self._open(following)
        return self._lines(most)

    def _new_text(self, chunk: int) -> bytes:
        size, known = os.fstat(self._fd).st_size, self._tail
        if size < self._read or os.pread(self._fd, len(known), self._read - len(known)) != known:
            self._follow_copy(size)
        while True:
            text = os.pread(self._fd, chunk, self._read)
            if b"\n" in text or len(text) < chunk:
                return text
            chunk *= 2
            if chunk > LONGEST:
                raise StreamRefused(
                    f"{self._path}: a line of more than {LONGEST:,} bytes, after byte "
                    f"{self._read:,}; expected lines of text."
                )

    def _follow_copy(self, size: int) -> None:
        """The file was truncated, or overwritten. Who rotates it so has made a copy before."""
        copy = next((p for p in self._rotated() if _begins_with(p, self._seen)), None)
        if copy is None or not self._seen.bytes:
            raise why_lost(
                self.name,
                f"{self._path} was truncated: it has {size:,} bytes, and {self._read:,} were read; "
                "whether there were more is not known",
            )
        self._open(copy, self._seen)

    def _events(self, lines: list[bytes], breaks: int = 1) -> list[Event]:
        events, at, number = [], self._read, self._seen.lines
        name = os.path.basename(self._path)
        for line in lines:
            first = at == 0
            at += len(line) + breaks
            number += 1
            events.append(Event(line, (name, at, number), None, first))
        self._go_to(at)
        return events

    def _is_quiet(self) -> bool:
        return time.time() - os.fstat(self._fd).st_mtime >= QUIET_SECONDS

    def take(self, events: Sequence[Event]) -> None:
        if events:
            assert self._digest is not None
            _, end, number = events[-1].at
            self._seen = self._digest.seen(end, number)

    def place(self) -> dict[str, Any]:
        if self._fd < 0:
            return {"name": self.identity[1], "file": ""}
        return {
            "name": self.identity[1],
            "file": os.path.basename(self._path),
            "inode": os.fstat(self._fd).st_ino,
            "seen": self._seen.as_dict(),
        }

    def saved(self) -> None:
        """Files that are learned may be removed, by whoever owns them."""

    def spelled(self, at: Any) -> str:
        return f"{at[0]}, line {at[2]:,}"

    def lag(self) -> Lag:
        """In bytes; a last line without a line break does not count."""
        if self._fd < 0:
            return Lag(bytes=0)
        behind = os.fstat(self._fd).st_size - self._seen.bytes - self._rest
        if self._is_folder:
            behind += sum(os.path.getsize(p) for p in self._names() if p > self._path)
        elif following := self._next():
            behind += os.path.getsize(following)
        return Lag(bytes=max(0, behind))

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._digest is not None:
            self._digest.close()
            self._digest = None


def _begins_with(path: str, seen: Seen) -> bool:
    try:
        has_grown(path, seen)
    except (OSError, InvalidInput):
        return False
    return True
