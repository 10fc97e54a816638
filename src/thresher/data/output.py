"""Files that appear whole or not at all, compressed as their suffix says."""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from thresher.model_file import mode_for

STANDARD_OUTPUT = "-"
BUFFER = 1 << 20


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, named `path` only when all has been written; `-` is standard output.

    An error or Ctrl-C leaves nothing behind, and a file that was there before stays as it was.
    What is not a plain file (a named pipe, /dev/null) is written to directly.
    """
    if os.fspath(path) == STANDARD_OUTPUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))  # a link stays, what it points to is replaced
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory; expected a file to write", str(path))
    if target.exists() and not target.is_file():
        with _closing_all(_Target(target, "wb", path), path) as file:
            yield file
        return
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with _closing_all(_Target(handle, "wb", path), path) as file:
            yield file
        os.chmod(temporary, mode_for(target))
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


class _Target(io.FileIO):
    """Says which file could not be written: the one that was asked for, not the temporary one."""

    def __init__(self, file: Any, mode: str, path: str | os.PathLike[str]) -> None:
        super().__init__(file, mode)
        self._path = os.fspath(path)

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            why = f"{error.strerror}; the file was not written"
            raise OSError(error.errno, why, self._path) from None


@contextmanager
def _closing_all(raw: io.FileIO, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Buffer and compressor around a file; all are closed, also if the buffer cannot be emptied."""
    layers: list[Any] = [io.BufferedWriter(raw, BUFFER)]
    try:
        compress = compressor(path)
        if compress:
            layers.append(compress(layers[0]))
        yield cast(BinaryIO, layers[-1])
        while layers:
            layers[-1].close()
            layers.pop()
    finally:
        for layer in reversed(layers):
            with suppress(OSError, ValueError):  # the first error is the one to tell
                layer.close()


# -- compression


def _gzip(file: BinaryIO) -> Any:
    import gzip

    # No name and no time inside: the same content makes the same bytes.
    return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)


def _bz2(file: BinaryIO) -> Any:
    import bz2

    return bz2.BZ2File(file, "wb")


def _xz(file: BinaryIO) -> Any:
    import lzma

    return lzma.LZMAFile(file, "wb", preset=3)


def _zstd(file: BinaryIO) -> Any:
    with suppress(ImportError):  # in the standard library from Python 3.14 on
        return importlib.import_module("compression.zstd").ZstdFile(file, "wb")
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        raise ImportError(
            "zstd needs Python 3.14 or the package zstandard: pip install 'thresher[zstd]', "
            "or choose a name that ends with .gz"
        ) from None
    return zstandard.ZstdCompressor(level=3).stream_writer(file, closefd=False)


COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": _gzip,
    ".bz2": _bz2,
    ".xz": _xz,
    ".zst": _zstd,
}


def compressor(path: str | os.PathLike[str]) -> Callable[[BinaryIO], Any] | None:
    return COMPRESSORS.get(Path(path).suffix.lower())


def without_compression(path: str | os.PathLike[str]) -> Path:
    """`spam.vw.gz` → `spam.vw`"""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in COMPRESSORS else path
