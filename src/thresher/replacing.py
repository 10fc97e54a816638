"""Files that are replaced as a whole: at every moment there is the old file or the new one.

The new file is written next to the old one under its own name, synced to disk, and renamed. Its
writer holds a lock on it all that time. A process that is killed leaves its half-written file
behind, but no lock: the next process that replaces the same file removes those without one. A
process id would not do: another container has the same ids for other processes.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast

BUFFER = 1 << 20
HALF_WRITTEN = r"\.[0-9a-f]{8}\.part"  # after a dot and the name of the file
# A system that cannot sync a folder, or does not allow reading it, raises one of these.
NO_SYNC = (errno.EACCES, errno.EPERM, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


@contextmanager
def replacing(
    path: str | os.PathLike[str], lost: str = "the file was not written", mode: int = 0o666
) -> Iterator[BinaryIO]:
    """A file to write to, named `path` only when all of it is written and on disk.

    An error or Ctrl-C leaves nothing behind, and a file that was there before stays as it was. A
    link stays a link: what it points to is replaced. What is not a plain file (a named pipe,
    /dev/null) is written to directly. `lost` is what an error says has happened; an existing
    file keeps its permissions, a new one gets `mode` less the umask.
    """
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "Is a directory; expected a file to write", str(path))
    if os.path.exists(target) and not os.path.isfile(target):
        with _open(target, path, lost) as file:
            yield file
        return
    with _explained(path, lost):
        kept = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
        _remove_left_behind(target)
        handle, temporary = _begin(target, mode if kept is None else 0o600)
    try:
        with _open(handle, path, lost) as file:
            yield file
        with _explained(path, lost):
            if kept is not None:
                os.fchmod(handle, kept)
            os.fsync(handle)
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):  # the first error is the one to report
            os.unlink(temporary)
        raise
    finally:
        with suppress(OSError):  # all is on disk, or all is lost
            os.close(handle)  # releases the lock, which is not needed after the rename
    _sync_folder(os.path.dirname(target), path)


class _Target(io.FileIO):
    """Errors name the file that was requested, not the temporary one."""

    def __init__(self, file: str | int, path: str | os.PathLike[str], lost: str) -> None:
        super().__init__(file, "wb", closefd=isinstance(file, str))
        self._about = path, lost

    def write(self, data: object) -> int:
        with _explained(*self._about):
            return super().write(data)  # type: ignore[arg-type]


@contextmanager
def _open(file: str | int, path: str | os.PathLike[str], lost: str) -> Iterator[BinaryIO]:
    """With a buffer, which is flushed at the end, and discarded after an error."""
    with _Target(file, path, lost) as raw:
        buffered = io.BufferedWriter(raw, BUFFER)
        yield cast(BinaryIO, buffered)
        buffered.flush()


@contextmanager
def _explained(path: str | os.PathLike[str], lost: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; {lost}", os.fspath(path)) from error


def _begin(target: str, mode: int) -> tuple[int, str]:
    """A new file next to the target, and a lock on it."""
    folder, file = os.path.split(target)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    while True:
        name = f"{folder}/.{file}.{os.urandom(4).hex()}.part"
        try:
            handle = os.open(name, flags, mode)
        except FileExistsError:
            continue
        if _lock(handle) is not False and os.path.exists(name):
            return handle, name
        os.close(handle)  # another process took it for abandoned before it was locked


def _lock(handle: int) -> bool | None:
    """Whether the lock was free; None if the file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_left_behind(target: str) -> None:
    """Half-written files that no process writes any more.

    Without locks they stay: better litter than the loss of a file that is being written.
    """
    folder, file = os.path.split(target)
    left = re.compile(re.escape(f".{file}") + HALF_WRITTEN)
    with suppress(OSError):  # a folder that is writable but not readable
        for name in filter(left.fullmatch, os.listdir(folder)):
            with suppress(OSError):
                _remove_unlocked(os.path.join(folder, name))


def _remove_unlocked(path: str) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode) and _lock(handle):
            os.unlink(path)
    finally:
        os.close(handle)


def _sync_folder(folder: str, path: str | os.PathLike[str]) -> None:
    """Make the rename itself durable."""
    with _explained(
        path,
        "the file is complete and in its place, but a power cut may bring the one before it back: "
        "the folder could not be brought to disk",
    ):
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            if error.errno not in NO_SYNC:
                raise
