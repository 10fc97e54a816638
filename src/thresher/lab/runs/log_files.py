"""The log files of one folder and of its subfolders: found, and read as far as they are written.

Nothing outside the folder can be reached: a file is found by searching the listing, links are not
followed, and the content of a file is unchecked data.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from typing import Any, NamedTuple

MOST_FILES = 400  # the latest of them are listed
MOST_SEEN = 20_000  # entries of a folder that are examined
MOST_READ = 1 << 20  # bytes of one log in one answer
FIRST_LINE = 1 << 18
TAILS = (1 << 14, 1 << 18)  # how far back the last figures are searched


class LogFile(NamedTuple):
    """A file that may be a log; `id` is its name in the page."""

    id: str
    folder: str  # "" or the name of a subfolder
    name: str
    size: int
    changed: float


class Opened(NamedTuple):
    file: int
    size: int
    changed: float
    inode: int


def log_files(folder: str | None) -> tuple[list[LogFile], int] | None:
    """The files that may be logs, the latest first, and how many more; None: no such folder."""
    if folder is None:
        return None
    found: list[LogFile] = []
    try:
        with _folder(folder) as root:
            subfolders = _look(root, "", found)
            for name in sorted(subfolders):
                with contextlib.suppress(OSError), _folder(name, root) as inner:
                    _look(inner, name, found)
    except OSError:
        return None
    found.sort(key=lambda file: (-file.changed, file.folder, file.name))
    return found[:MOST_FILES], max(0, len(found) - MOST_FILES)


@contextlib.contextmanager
def opened(folder: str, log: LogFile) -> Iterator[Opened]:
    """A file of the listing; OSError if it has gone since."""
    with contextlib.ExitStack() as open_files:
        place = open_files.enter_context(_folder(folder))
        if log.folder:
            place = open_files.enter_context(_folder(log.folder, place))
        file = os.open(log.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        open_files.callback(os.close, file)
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode):
            raise OSError("not a file")
        yield Opened(file, about.st_size, about.st_mtime, about.st_ino)


def first_line(log: Opened) -> dict[str, Any] | None:
    """What a log says about its run; nothing if it is not one, or its first line is incomplete."""
    data = os.pread(log.file, FIRST_LINE, 0)
    end = data.find(b"\n")
    line = parsed(data[:end]) if end > 0 else None
    if line is None or line.get("event") != "start" or not isinstance(line.get("id"), str):
        return None
    return line


def last_lines(log: Opened) -> Iterator[dict[str, Any]]:
    """Whole lines from the end, as far back as needed."""
    for length in TAILS:
        begin = max(0, log.size - length)
        data = os.pread(log.file, length, begin)
        lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
        for line in reversed(lines[1:] if begin else lines):
            found = parsed(line)
            if found is not None:
                yield found


def new_lines(log: Opened, begin: int) -> tuple[list[dict[str, Any]], int, int]:
    """Whole lines from a position on, where to continue, and how many lines could not be read."""
    data = os.pread(log.file, MOST_READ, begin)
    end = data.rfind(b"\n") + 1
    if not end:
        # Half a line waits for its end, one that is longer than any log's is skipped.
        return [], begin + (len(data) if len(data) == MOST_READ else 0), int(len(data) == MOST_READ)
    lines = [parsed(line) for line in data[: end - 1].split(b"\n") if line.strip()]
    good = [line for line in lines if line is not None]
    return good, begin + end, len(lines) - len(good)


def parsed(line: bytes) -> dict[str, Any] | None:
    """A JSON object, or nothing if it is something else or damaged."""
    try:
        found = json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refused(name: str) -> Any:
    raise ValueError(name)


@contextlib.contextmanager
def _folder(name: str, inside: int | None = None) -> Iterator[int]:
    """The folder itself may be a link that the user gave; those in it may not."""
    follow = os.O_NOFOLLOW if inside is not None else 0
    file = os.open(name, os.O_RDONLY | os.O_DIRECTORY | follow, dir_fd=inside)
    try:
        yield file
    finally:
        os.close(file)


def _look(place: int, folder: str, found: list[LogFile]) -> list[str]:
    """Add what may be logs; the subfolders."""
    subfolders = []
    with os.scandir(place) as entries:
        for seen, entry in enumerate(entries):
            if seen >= MOST_SEEN:
                break
            try:
                if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
                    about = entry.stat(follow_symlinks=False)
                    code = hashlib.sha256(os.fsencode(f"{folder}/{entry.name}")).hexdigest()[:16]
                    file = LogFile(code, folder, entry.name, about.st_size, about.st_mtime)
                    found.append(file)
                elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    subfolders.append(entry.name)
            except OSError:
                continue  # it has gone
    return subfolders[:MOST_FILES]
