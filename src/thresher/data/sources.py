"""Where bytes come from: files, globs, folders, a pipe; compression is recognised by content."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInput, Where
from thresher.extras import install

BLOCK = 1 << 20
LARGEST_OUTPUT = 1 << 22  # of one call of a decompressor: a small file may hold a huge one

COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")


def expand(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Files in order: a glob or a folder stands for its files, sorted by name; ``-`` for a pipe."""
    files: list[str] = []
    for given in paths:
        path = os.fspath(given)
        if path == "-":
            files.append(path)
        elif os.path.isdir(path):
            inside = sorted(
                entry.path
                for entry in os.scandir(path)
                if entry.is_file() and not entry.name.startswith(".")
            )
            if not inside:
                raise InvalidInput(
                    "a folder without files; expected data files in it.", where=Where(path)
                )
            files += inside
        elif "://" in path and not os.path.exists(path):
            raise InvalidInput(
                "an address; expected a file. What is elsewhere comes through a pipe "
                "(COMMAND | thresher … -), or with --cluster.",
                where=Where(path),
            )
        elif os.path.exists(path):
            files.append(path)
        else:
            import glob

            if not glob.has_magic(path):
                files.append(path)
                continue
            found = sorted(p for p in glob.glob(path, recursive=True) if os.path.isfile(p))
            if not found:
                raise InvalidInput("no file has such a name.", where=Where(path))
            files += found
    if not files:
        raise InvalidInput("no data: expected files, folders, globs, or - for standard input.")
    if files.count("-") > 1:
        raise InvalidInput("standard input (-) was given twice; it can be read only once.")
    return files


class Part(str):
    """The path of a file of which some bytes are read, from the beginning of a record to the end of
    one; or the path of a copy or a pipe. `name` is what errors call it."""

    begin: int
    end: int | None
    name: str
    _lines: int | None = None

    def __new__(
        cls, path: str, begin: int = 0, end: int | None = None, name: str | None = None
    ) -> Part:
        made = super().__new__(cls, path)
        made.begin, made.end, made.name = begin, end, path if name is None else name
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Part, (str(self), self.begin, self.end, self.name)

    def lines_before(self) -> int:
        """How many lines of the file come before it: counted when someone asks."""
        if self.begin == 0:
            return 0
        if self._lines is None:
            count, left = 0, self.begin
            with open(self, "rb", buffering=0) as file:
                while left > 0 and (block := file.read(min(left, BLOCK))):
                    count += block.count(b"\n")
                    left -= len(block)
            self._lines = count
        return self._lines


def name_of(path: str) -> str:
    """What errors call a file."""
    if isinstance(path, Part):
        return path.name
    return "standard input" if path == "-" else path


def plain_name(path: str) -> str:
    """The name without the suffix of its compression."""
    lower = path.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix):
            return path[: -len(suffix)]
    return path


@dataclass
class Source:
    """One open input, and what was read of it to recognise it."""

    path: str
    fd: int
    start: bytes  # already read, still compressed if it is
    compression: str | None

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def seekable(self) -> bool:
        try:
            os.lseek(self.fd, 0, os.SEEK_CUR)
        except OSError:
            return False
        return True

    def blocks(self) -> Iterator[bytes]:
        """The content, decompressed, from the beginning."""
        raw = self._raw()
        return raw if self.compression is None else decompressed(raw, self.compression, self.name)

    def _raw(self) -> Iterator[bytes]:
        yield self.start
        while block := os.read(self.fd, BLOCK):
            yield block

    def is_silent(self, seconds: float = 0.05) -> bool:
        """Whether nothing more comes for a moment; a file on disk is never silent."""
        import select

        return not select.select([self.fd], [], [], seconds)[0]

    def close(self) -> None:
        if self.path != "-":
            os.close(self.fd)


def open_source(path: str) -> Source:
    fd = sys.stdin.fileno() if path == "-" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        start = _start(fd)
    except OSError as error:
        error.filename = path
        raise
    compression = next((c for magic, c in COMPRESSED.items() if start.startswith(magic)), None)
    return Source(path, fd, start, compression)


def _start(fd: int) -> bytes:
    """As much as is needed to recognise the compression: from a slow pipe, no more than that."""
    start = b""
    while any(magic.startswith(start) and magic != start for magic in COMPRESSED):
        block = os.read(fd, 1 << 16)
        if not block:
            break
        start += block
    return start


def _decompressor(kind: str) -> Callable[[], Any]:
    if kind == "gzip":
        import zlib

        return lambda: zlib.decompressobj(31)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor
    try:
        zstd: Any = importlib.import_module("compression.zstd")  # Python 3.14
        return zstd.ZstdDecompressor  # type: ignore[no-any-return]
    except ImportError:
        pass
    try:
        import zstandard

        return lambda: zstandard.ZstdDecompressor().decompressobj()
    except ImportError:
        raise InvalidInput(
            "this file is compressed with zstd; install what reads it: "
            f"{install('zstd')}; or decompress it first: zstd -dc FILE | thresher … -"
        ) from None


def decompressed(raw: Iterator[bytes], kind: str, name: str) -> Iterator[bytes]:
    """Member after member; a file that was cut short is an error, not an end."""
    new = _decompressor(kind)
    member: Any = None
    for block in raw:
        data = block
        while data or (member is not None and _has_more(member)):
            if member is None:
                data = data.lstrip(b"\0")  # padding between or after members
                if not data:
                    break
                member = new()
            try:
                out, data = _step(member, data)
            except Exception as error:  # each module has its own error
                raise InvalidInput(
                    f"damaged {kind} data ({error}); fetch the file again.", where=Where(name)
                ) from error
            if out:
                yield out
            if member.eof:
                member = None
    if member is not None:
        raise InvalidInput(
            f"ends in the middle of its {kind} data; it was cut short. Fetch it again.",
            where=Where(name),
        )


def _has_more(member: Any) -> bool:
    """Whether a decompressor holds back output that did not fit."""
    return not member.eof and getattr(member, "needs_input", True) is False


def _step(member: Any, data: bytes) -> tuple[bytes, bytes]:
    """Some output, and the input that is left."""
    if hasattr(member, "needs_input"):  # bzip2, xz, Python's zstd
        out = member.decompress(data, LARGEST_OUTPUT)
        return out, member.unused_data if member.eof else b""
    if type(member).__module__ == "zlib":
        out = member.decompress(data, LARGEST_OUTPUT)
        return out, member.unused_data if member.eof else member.unconsumed_tail
    out = member.decompress(data[: 1 << 17])  # zstandard
    return out, member.unused_data if member.eof else data[1 << 17 :]


def transcoded(blocks: Iterable[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """Text in another encoding, as UTF-8."""
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0
    try:
        for block in blocks:
            yield decoder.decode(block).encode()
            done += len(block)
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        at = f" near byte {done + error.start:,}" if isinstance(error, UnicodeDecodeError) else ""
        raise InvalidInput(
            f"not in {encoding}{at} ({error}); expected the name of its encoding (--encoding).",
            where=Where(name),
        ) from None
