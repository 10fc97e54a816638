"""Files that appear whole or not at all, compressed as their suffix says."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from thresher.extras import install
from thresher.replacing import replacing

STANDARD_OUTPUT = "-"


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, named `path` only when all has been written; `-` is standard output.

    An error or Ctrl-C leaves nothing behind, and a file that was there before stays as it was.
    """
    if os.fspath(path) == STANDARD_OUTPUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replacing(path) as file:
        compress = compressor(path)
        if compress is None:
            yield file
            return
        packed = compress(file)
        try:
            yield packed
        except BaseException:
            with suppress(OSError, ValueError):  # the first error is the one to report
                packed.close()
            raise
        packed.close()


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
            f"zstd needs Python 3.14 or the package zstandard: {install('zstd')}; or choose a name "
            "that ends with .gz"
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
