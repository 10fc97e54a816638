"""What was read of a file, so that a resumed run knows whether the file is still the same.

It keeps how much was read and a digest of some of it: the whole first MiB, 4 KiB at the end of each
further 64th of the way, and the last 64 KiB. So what is noticed is

- every file that became shorter than what was read of it;
- every change in the first MiB and in the last 64 KiB before the place where reading ended;
- of other changes, those that change one of the 4 KiB. Inserting or removing does, as it moves what
  follows, unless that is the same line again and again.

Bytes after that place may change: a run resumes after an append, and after the correction of a line
that could not be read. For a compressed file or a Parquet table the bytes on disk count, once it
was read to its end. If it was read only in part, or is a pipe, it is compared as text while it is
read again; beyond the first MiB without its last 64 KiB, unless it was read to its end. If a file
is overwritten in place while it is read, its content at the time of the save counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from thresher.errors import InvalidInput, ModelFileError, Where

try:  # hashlib has the same function, but also loads OpenSSL, which takes longer than all the rest
    from _blake2 import blake2b
except ImportError:  # of another Python than CPython
    from hashlib import blake2b

TAIL = 1 << 16
WHOLE = 1 << 20
WINDOW = 1 << 12
WAY = 64

Read = Callable[[int, int], bytes]  # (begin, count) → bytes


def windows() -> Iterator[tuple[int, int]]:
    """Which bytes count: begin and end of each part, in order."""
    for begin in range(0, WHOLE, TAIL):
        yield begin, begin + TAIL
    begin = WHOLE
    while True:
        begin += begin // WAY
        yield begin - WINDOW, begin


class Digest:
    """Of the windows up to a place that only moves forward."""

    def __init__(self) -> None:
        self.state = blake2b(digest_size=16)
        self._windows = windows()
        self.next = next(self._windows)

    def take(self, window: bytes) -> None:
        self.state.update(window)
        self.next = next(self._windows)

    def up_to(self, end: int, read: Read) -> str:
        """Of the first `end` bytes."""
        while self.next[1] <= end:
            begin, stop = self.next
            self.take(read(begin, stop - begin))
        first = max(0, end - TAIL)
        return with_tail(self.state, read(first, end - first))


def with_tail(state: Any, tail: bytes) -> str:
    whole = state.copy()
    whole.update(tail)
    return str(whole.hexdigest())


@dataclass(frozen=True)
class Seen:
    """The text that was read of a file. With `size` the digest is over that many bytes on disk."""

    bytes: int
    lines: int
    digest: str
    size: int = 0
    head: str = ""  # of a streamed text: the digest of its beginning
    ended: bool = False  # … and whether it was read to its end

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_dict(cls, stored: Any) -> Seen:
        """From a model file, in which nothing is trusted."""
        known = {"bytes": 0, "lines": 0, "digest": "", **stored}
        kinds = {"digest": str, "head": str, "ended": bool}
        for name, value in known.items():
            fits = type(value) is kinds.get(name, int)
            if not fits or (type(value) is int and not 0 <= value < 2**63):
                raise ModelFileError(f"{name} is {value!r} in what the model remembers of a file.")
        return cls(**known)

    @property
    def on_disk(self) -> int:
        return self.size or self.bytes


def changed(path: str, seen: Seen, how: str) -> InvalidInput:
    known = f"{seen.bytes:,} bytes and {seen.lines:,} lines of it were read before"
    if path == "-":
        return InvalidInput(
            f"not the text that this model has learned from ({known}): {how}.\n"
            "To go on, send the same text again; to learn this one as new data, read it from "
            "/dev/stdin; to learn this one alone, leave out --resume.",
            where=Where("standard input"),
        )
    return InvalidInput(
        f"changed since this model has learned from it ({known}): {how}.\n"
        "To go on, restore what it was; to learn what it is now as new data, give it another name; "
        "to learn that alone, leave out --resume.",
        where=Where(path),
    )


def has_grown(path: str, seen: Seen) -> bool:
    """Whether a file is longer than what was read of it; an error if that part has changed."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        if size < seen.on_disk:
            raise changed(path, seen, f"now it has {size:,} bytes, and had {seen.on_disk:,}")
        if Digest().up_to(seen.on_disk, _reading(file)) != seen.digest:
            raise changed(path, seen, "those bytes are not the same now")
    finally:
        os.close(file)
    return size > seen.on_disk


def _reading(file: int) -> Read:
    return lambda begin, size: os.pread(file, size, begin)


def newline_to_skip(path: str, seen: Seen, before: bytes, behind: bytes) -> int:
    """The last line that was read may have had no line break, and have been continued since."""
    if before == b"\n" or not behind:
        return 0
    for end in (b"\n", b"\r\n"):
        if behind.startswith(end):
            return len(end)
    raise changed(path, seen, "its last line, which had no line break, goes on now")


class FileSeen:
    """A file of plain text, kept open: another file may get its name meanwhile."""

    def __init__(self, file: int) -> None:
        self._file = os.dup(file)
        self._digest = Digest()
        self._up_to = 0

    def seen(self, end: int, lines: int) -> Seen:
        if end < self._up_to:
            self._digest = Digest()
        self._up_to = end
        return Seen(end, lines, self._digest.up_to(end, _reading(self._file)))

    def close(self) -> None:
        os.close(self._file)


class TextSeen:
    """A streamed text: from a pipe, or decompressed from a file."""

    def __init__(self, path: str, file: int | None, expected: Seen | None) -> None:
        """`file` is given if there are bytes on disk; what is `expected` must come again."""
        self._path = path
        self._file = None if file is None else os.dup(file)
        self._size = 0
        self._expected = expected
        self._digest = Digest()
        self._states = [(0, self._digest.state.copy())]  # with each window, from its end on
        self._start = bytearray()  # all of the first MiB
        self._last = b""  # as much as a window or the tail needs
        self._length = 0
        self._ended = False

    def add(self, block: bytes) -> None:
        """The next bytes. An error if those so far are not what was expected."""
        expected = self._expected
        if expected and self._length < expected.bytes <= self._length + len(block):
            cut = expected.bytes - self._length
            self._add(block[:cut])
            if self._digest_at(expected.bytes, expected.ended) != expected.digest:
                raise changed(self._path, expected, "those bytes are not the same now")
            block = block[cut:]
        self._add(block)

    def _add(self, block: bytes) -> None:
        length = self._length
        while self._digest.next[1] <= length + len(block):
            begin, end = self._digest.next
            before = self._last[begin - length :] if begin < length else b""
            self._digest.take(before + block[max(0, begin - length) : end - length])
            self._states.append((end, self._digest.state.copy()))
        self._start += block[: max(0, WHOLE - length)]
        self._last = (self._last + block)[-TAIL:] if len(block) < TAIL else block[-TAIL:]
        self._length += len(block)

    def end(self) -> None:
        """The end of the text."""
        if self._expected and self._length < self._expected.bytes:
            raise changed(self._path, self._expected, f"now it ends after {self._length:,} bytes")
        if self._file is not None:
            self._size = os.fstat(self._file).st_size
        self._ended = True

    def seen(self, end: int, lines: int) -> Seen:
        ended = self._ended and end == self._length
        if ended and self._file is not None:
            digest = Digest().up_to(self._size, _reading(self._file))
            return Seen(end, lines, digest, size=self._size)
        digest, head = self._digest_at(end, ended), head_of(bytes(self._start[:end]))
        return Seen(end, lines, digest, head=head, ended=ended)

    def _digest_at(self, end: int, ended: bool) -> str:
        tail = b""
        if ended:
            tail = self._last
        elif end <= WHOLE:
            tail = bytes(self._start[max(0, end - TAIL) : end])
        return with_tail(next(s for at, s in reversed(self._states) if at <= end), tail)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)


def head_of(text: bytes) -> str:
    return blake2b(text[:TAIL], digest_size=16).hexdigest()


def begins_like(text: bytes, seen: Seen) -> bool:
    """Whether a text may be the one that was read before, judging by its beginning."""
    known = min(seen.bytes, TAIL)
    return len(text) >= known and head_of(text[:known]) == seen.head
