"""The log of a server: every event that was accepted, in order, on disk.

A folder of segments, each a file named by the number (`seq`) of its first frame. A segment begins
with a header (magic, version, first seq); frames follow::

    magic 2 | kind 1 | 0 | length 4 | model 4 | seq 8 | durable 8 | time 8 | payload | crc32 4

little-endian, the checksum over all before it. `durable` is the last frame that was known to be on
disk when this one was written. It tells a torn tail from damage: a frame that cannot be read was
never acknowledged, unless a later one says that it was on disk. A torn tail is cut off; damage is
an error that names file and byte, and nothing is changed.

A frame is written whole or taken back. A sync that failed is never repeated: what the system has
dropped by then cannot be known, so the log refuses all that follows (`LogFailed`). A full disk is
no such failure: the half-written frames are cut off, and the next write may succeed (`DiskFull`).
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from pathlib import Path

from thresher._core import joined_frames, packed_frame, skip_frames
from thresher.errors import InvalidInput, ThresherError, Where

VERSION = 1
HEADER = struct.Struct("<8sIQI")  # magic, version, first seq, crc32
SEGMENT_MAGIC = b"\x89THRLOG\n"
HEAD = struct.Struct("<2sBxIIQQQ")  # magic, kind, length, model, seq, durable, microseconds
MAGIC = b"\xf5T"  # its first byte is in no UTF-8 text, so that no event can look like a frame
CRC = struct.Struct("<I")
LONGEST = 1 << 28  # no payload is longer
ONE = b'{"n":1}'  # what most frames say: one event, and nothing else
JOINED = 1 << 20  # bytes of events that are joined to one frame
LAST = (1 << 63) - 1  # no seq is larger
SYNCS = ("always", "everysec", "no")
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LogFailed(ThresherError, RuntimeError):
    """The log cannot be written any more; what it acknowledged is on disk."""


class DiskFull(ThresherError, RuntimeError):
    """There was no room; nothing of this was written, and there may be room later."""


class LogDamaged(ThresherError, ValueError):
    """A segment holds something else than was written."""


class InUse(ThresherError, RuntimeError):
    """Another process has the folder."""


class Kind(IntEnum):
    """What a frame says."""

    CREATE = 1  # a model
    DELETE = 2
    LEARN = 3  # examples
    KEEP = 4  # an example that was predicted, for a label to come
    LABEL = 5  # such an example with its label
    ROLLBACK = 6  # to an earlier seq
    RACE = 7  # challengers begin
    PROMOTE = 8  # one of them becomes the model
    END_RACE = 9


KINDS = {kind.value: kind for kind in Kind}


@dataclass(slots=True)
class Frame:
    """`meta` is JSON on one line, `raw` is text as it came. The rest is known once written."""

    kind: Kind
    model: int
    meta: bytes = b"{}"
    raw: bytes = b""
    seq: int = 0
    durable: int = 0
    time: float = 0.0  # seconds since 1970


class Disk:
    """The calls that can fail, in one place."""

    def write(self, file: int, data: bytes) -> int:
        return os.write(file, data)

    def sync(self, file: int) -> None:
        if sys.platform == "linux":
            os.fdatasync(file)  # the size too, nothing else
        else:
            os.fsync(file)

    def truncate(self, file: int, size: int) -> None:
        os.ftruncate(file, size)

    def rename(self, old: Path, new: Path) -> None:
        os.rename(old, new)

    def sync_folder(self, folder: Path) -> None:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Log:
    """The one writer of a folder. What `append` returns for is as safe as `sync` says."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        sync: str = "always",
        segment_bytes: int = 64 << 20,
        disk: Disk | None = None,
        vouched: int = 0,
    ) -> None:
        """`vouched` is a seq that is known to have been on disk, as of a checkpoint: what cannot
        be read up to there is damage, and no torn tail."""
        if sync not in SYNCS:
            raise InvalidInput(f"sync is {sync!r}; expected one of {', '.join(SYNCS)}.")
        self.folder = Path(folder)
        self.sync_policy = sync
        self.segment_bytes = segment_bytes
        self.failed: OSError | None = None
        self.sync_seconds = 0.0  # all syncs together, and how many there were
        self.syncs = 0
        self.sync_pace = 0.0  # seconds that a sync takes, of late
        self.cut = 0  # bytes of a torn tail that were cut off when it was opened
        self._disk = disk or Disk()
        self._vouched = vouched
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = hold_folder(self.folder)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    # -- opening

    def _open(self) -> None:
        for left in self.folder.glob("*.part"):  # a segment that was never named
            left.unlink()
        self._file = -1
        self.last = self.durable = 0
        self._synced_at = time.monotonic()
        found = segments(self.folder)
        if not found:
            self._begin_segment(1)
            return
        first, path = found[-1]
        with open(path, "rb") as file:
            check_header(path, file.read(HEADER.size), first)  # it was synced before it was named
        self.last, self._size, damage = whole_part(path, first)
        if damage is not None:
            if self.last < self._vouched or is_damage(path, self._size, self.last):
                raise damage
            self.cut = path.stat().st_size - self._size
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        if self.cut:
            self._disk.truncate(self._file, self._size)
        self._disk.sync(self._file)  # what a killed process had not synced
        self._disk.sync_folder(self.folder)
        self.durable = self.last

    def _begin_segment(self, first: int) -> None:
        path = self.folder / f"{first:020}.log"
        part = path.with_suffix(".part")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        file = os.open(part, flags, 0o666)
        try:
            head = HEADER.pack(SEGMENT_MAGIC, VERSION, first, 0)[: -CRC.size]
            self._write_all(file, head + CRC.pack(zlib.crc32(head)))
            self._disk.sync(file)
            self._disk.rename(part, path)
        except BaseException:
            os.close(file)
            with suppress(OSError):
                part.unlink()
            raise
        try:
            self._disk.sync_folder(self.folder)
        except OSError as error:
            # Whether the name is on disk is not known. Were frames to go on in the segment before,
            # a power cut could leave this one beside them, with the same seqs.
            self.failed = error
            os.close(file)
            raise
        if self._file >= 0:
            os.close(self._file)
        self._file, self._size = file, HEADER.size

    # -- writing

    def append(self, frames: Sequence[Frame]) -> int:
        """Write these, in order, and make them as safe as was promised; the seq of the first."""
        first = self.write(frames)
        self.settle()
        return first

    @property
    def is_full(self) -> bool:
        """Whether the next write begins a new segment, which takes its time."""
        return self._size >= self.segment_bytes

    def write(self, frames: Sequence[Frame]) -> int:
        """Give these to the system, in order: all of them, or none. The seq of the first."""
        self._check()
        if self.is_full:
            self._next_segment()
        now, durable = int(time.time() * 1e6), self.durable
        seconds = now / 1e6
        seq = self.last
        parts: list[bytes] = []
        for frame in frames:
            seq += 1
            frame.seq, frame.durable, frame.time = seq, durable, seconds
            parts.append(
                packed_frame(frame.kind, frame.model, frame.meta, frame.raw, seq, durable, now)
            )
        text = parts[0] if len(parts) == 1 else b"".join(parts)
        try:
            self._write_all(self._file, text)
        except OSError as error:
            self._take_back(error)
        self._size += len(text)
        first, self.last = self.last + 1, seq
        return first

    def settle(self) -> None:
        """Make what was written as safe as `sync` says."""
        if self.sync_policy == "always":
            self.sync()
        else:
            self.sync_if_due()

    def sync(self) -> None:
        """Bring to disk what was written."""
        self._check()
        if self.durable == self.last:
            return
        began = time.monotonic()
        try:
            self._disk.sync(self._file)
        except OSError as error:
            raise self._fail(error) from error
        self._synced_at = time.monotonic()
        took = self._synced_at - began
        self.sync_pace += (0.1 if self.syncs else 1.0) * (took - self.sync_pace)
        self.sync_seconds += took
        self.syncs += 1
        self.durable = self.last

    def sync_if_due(self) -> None:
        """Under ``everysec``, once a second."""
        if self.sync_policy == "everysec" and time.monotonic() - self._synced_at >= 1.0:
            self.sync()

    def _write_all(self, file: int, data: bytes) -> None:
        while data:
            data = data[self._disk.write(file, data) :]

    def _next_segment(self) -> None:
        """Only the last segment may have a torn tail: the one before it is synced first."""
        self.sync()
        try:
            self._begin_segment(self.last + 1)
        except OSError as error:
            if error.errno in FULL and self.failed is None:
                raise self._full(error) from error
            raise self._fail(error) from error

    def _take_back(self, error: OSError) -> None:
        """Half-written frames go; whether more can be written then depends on what went wrong."""
        try:
            self._disk.truncate(self._file, self._size)
        except OSError as other:
            raise self._fail(other) from other
        if error.errno in FULL:
            raise self._full(error) from error
        raise self._fail(error) from error

    def _full(self, error: OSError) -> DiskFull:
        return DiskFull(
            f"{error.strerror}; nothing was learned",
            advice="Make room, and send it again.",
            where=Where(str(self.folder)),
        )

    def _fail(self, error: OSError) -> LogFailed:
        self.failed = error
        return self._why_failed()

    def _why_failed(self) -> LogFailed:
        assert self.failed is not None
        return LogFailed(
            f"the log cannot be written ({self.failed.strerror}); nothing more is learned",
            advice="Look at the disk, then start the server again: it continues with what is "
            "on disk.",
            where=Where(str(self.folder)),
        )

    def _check(self) -> None:
        if self.failed is not None:
            raise self._why_failed()

    # -- the rest

    @property
    def first(self) -> int:
        """The first seq that the log still has."""
        return segments(self.folder)[0][0]

    def read(self, after: int = 0) -> Iterator[Frame]:
        """The frames after this seq, as far as they were written when this was called."""
        return read_log(self.folder, after, self.last)

    def drop(self, upto: int, keep: int = 0) -> int:
        """Remove old segments, none that holds anything after this seq, until no more than `keep`
        bytes are left; how many were removed."""
        dropped, found, size = 0, segments(self.folder), self.bytes_on_disk()
        for (_, path), (following, _) in pairwise(found):
            if following > upto + 1 or size <= keep:
                break
            size -= path.stat().st_size
            path.unlink()
            dropped += 1
        if dropped:
            self._disk.sync_folder(self.folder)
        return dropped

    def bytes_on_disk(self) -> int:
        return sum(path.stat().st_size for _, path in segments(self.folder))

    def close(self) -> None:
        """Sync, and leave the folder to others."""
        try:
            if self._file >= 0 and self.failed is None:
                self.sync()
        finally:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1
            os.close(self._lock)


def hold_folder(folder: Path) -> int:
    """Have a folder alone until the process ends, or the descriptor is closed."""
    path = folder / "lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InUse(
            "another process has this folder",
            advice="One server writes a folder; others may follow it (thresher serve --follow).",
            where=Where(str(folder)),
        ) from None
    except BaseException:
        os.close(handle)
        raise
    return handle


def segments(folder: Path) -> list[tuple[int, Path]]:
    """The segments in order, each with the seq of its first frame."""
    return sorted((int(p.stem), p) for p in folder.glob("*.log") if p.stem.isdigit())


def last_whole(folder: Path, vouched: int = 0) -> int:
    """The last frame that is whole, also while a process writes the log. What was on disk once, as
    a later frame or a checkpoint says (`vouched`), and cannot be read, is an error."""
    found = segments(folder)
    if not found:
        raise InvalidInput(f"{folder}: no log; expected the folder of a server.")
    first, path = found[-1]
    last, end, damage = whole_part(path, first)
    if damage is not None and (last < vouched or is_damage(path, end, last)):
        raise damage
    return last  # behind it, something is being written


def whole_part(path: Path, first: int) -> tuple[int, int, LogDamaged | None]:
    """The last seq of a segment that can be read, where it ends, and what is behind it."""
    with open(path, "rb") as file:
        data = file.read()
    check_header(path, data[: HEADER.size], first)
    end, following = skip_frames(data, HEADER.size, first, LAST)
    if end == len(data):
        return following - 1, end, None
    return following - 1, end, unreadable(path, data, end, following)


def read_log(
    folder: Path, after: int, upto: int, joins: Sequence[int] | None = None
) -> Iterator[Frame]:
    """The frames from after one seq up to another. What is missing or damaged is an error.

    With `joins`, frames in a row that have one event each of the same model come as one, which has
    the last one's seq; none of them goes beyond a seq of `joins`.
    """
    found = segments(folder)
    if found and found[0][0] > after + 1:
        raise LogDamaged(
            f"the log begins with seq {found[0][0]:,}; expected {after + 1:,}",
            where=Where(str(folder)),
        )
    expected = None
    for i, (first, path) in enumerate(found):
        if i + 1 < len(found) and found[i + 1][0] <= after + 1:
            continue
        if first > upto:
            return
        if expected is not None and first != expected:
            raise LogDamaged(
                f"this segment begins with seq {first:,}; expected {expected:,}",
                where=Where(str(path)),
            )
        expected = first
        following = found[i + 1][0] if i + 1 < len(found) else None
        if following is None and after >= upto:
            return
        ends = None if joins is None else [*joins, upto, (following or LAST) - 1]
        for frame, _ in read_segment(path, first, after=after, joins=ends):
            if frame.seq == following:
                raise LogDamaged(
                    f"frame {following:,}, with which the next segment begins as well",
                    where=Where(str(path)),
                )
            if frame.seq > upto:
                return
            expected = frame.seq + 1
            if frame.seq > after:
                yield frame
            if frame.seq == upto and following is None:
                return  # what is behind it may be half written


def read_segment(
    path: Path,
    first: int,
    start: tuple[int, int] | None = None,
    after: int = 0,
    joins: Sequence[int] | None = None,
) -> Iterator[tuple[Frame, int]]:
    """The frames of a segment, each with the byte at which it ends; from a byte on, at which a
    frame with that seq begins. What is `after` and `joins` is the same as for a log."""
    with open(path, "rb") as file:
        check_header(path, file.read(HEADER.size), first)
        at, seq = start or (HEADER.size, first)
        file.seek(at)
        data = file.read()
    place, seq = skip_frames(data, 0, seq, after)
    while place < len(data):
        if joins is not None:
            upto = min((end for end in joins if end >= seq), default=seq)
            count, end, model, lines, micros = joined_frames(data, place, seq, upto, ONE, JOINED)
            if count:
                place, seq = end, seq + count
                meta = b'{"n":%d}' % count
                yield Frame(Kind.LEARN, model, meta, lines, seq - 1, 0, micros / 1e6), at + place
                continue
        found = frame_at(data, place)
        if isinstance(found, str) or found[0].seq != seq:
            raise unreadable(path, data, place, seq, at)
        frame, place = found
        seq += 1
        yield frame, at + place


def unreadable(path: Path, data: bytes, place: int, seq: int, at: int = 0) -> LogDamaged:
    """Why there is no frame with this seq at that place of the data, which begin `at` a byte."""
    found = frame_at(data, place)
    what = found if isinstance(found, str) else f"frame {found[0].seq:,}"
    return damaged(path, at + place, f"{what}; expected frame {seq:,}")


def check_header(path: Path, head: bytes, first: int) -> None:
    """Whether this is a segment, and one that this version reads."""
    if len(head) < HEADER.size or not head.startswith(SEGMENT_MAGIC):
        raise damaged(path, 0, "no header of a segment")
    _, version, told, crc = HEADER.unpack(head)
    if zlib.crc32(head[: -CRC.size]) != crc:
        raise damaged(path, 0, "a damaged header")
    if version > VERSION:
        raise LogDamaged(
            f"written in version {version} of the log; this Thresher reads up to {VERSION}",
            advice="Upgrade Thresher to read it.",
            where=Where(str(path)),
        )
    if told != first:
        raise damaged(path, 0, f"a segment that begins with seq {told:,}, under another name")


def frame_at(data: bytes, place: int) -> tuple[Frame, int] | str:
    """The frame that begins there and where it ends, or what is there instead."""
    begin = place + HEAD.size
    if begin > len(data):
        return "a frame that is cut short"
    magic, kind, length, model, seq, durable, micros = HEAD.unpack_from(data, place)
    if magic != MAGIC or length > LONGEST:
        return "bytes that are no frame"
    end = begin + length
    if end + CRC.size > len(data):
        return "a frame that is cut short"
    with memoryview(data) as whole, whole[place:end] as text:
        if CRC.unpack_from(data, end)[0] != zlib.crc32(text):
            return "a frame whose checksum does not fit"
    line = data.find(b"\n", begin, end)
    line = end if line < 0 else line
    meta, raw = data[begin:line], data[line + 1 : end]
    if (known := KINDS.get(kind)) is None:
        return f"a frame of kind {kind}, which this version does not know"
    return Frame(known, model, meta, raw, seq, durable, micros / 1e6), end + CRC.size


def is_damage(path: Path, at: int, last: int) -> bool:
    """Whether the frame after `last`, which cannot be read, was on disk once: a later one says so.

    Without one it is the tail of what was being written when the process, or the power, went.
    """
    with open(path, "rb") as file:
        file.seek(at)
        rest = file.read()
    begun = frame_at(rest, 0)
    if isinstance(begun, tuple) and begun[0].seq == last + 1:
        return False  # it was being written, and is whole by now
    place = rest.find(MAGIC, 1)
    while place >= 0:
        found = frame_at(rest, place)
        if isinstance(found, tuple) and found[0].durable > last:
            return True
        place = rest.find(MAGIC, place + 1)
    return False


def damaged(path: Path, at: int, found: str) -> LogDamaged:
    return LogDamaged(
        f"byte {at:,}: found {found}",
        advice="Nothing was changed. Restore the file from a backup.",
        where=Where(str(path)),
        kind="damaged",
        value=at,
    )
