"""Which bytes of which files are one shard, and how a worker reads them."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, BinaryIO

from thresher.data.formats import HEAD, recognise
from thresher.data.reading import ReadingOptions
from thresher.data.sources import expand, open_source
from thresher.errors import InvalidInput
from thresher.extras import install

BLOCK = 1 << 20
MOST_SHARDS = 64
# In which a line is a record, whatever is in it. A quoted field of a table may hold a line break.
BY_LINES = ("svmlight", "vw", "jsonl", "bag")
SMALLEST_RANGE = 1 << 20


@dataclass(frozen=True)
class Shard:
    """A file, or the lines that begin in a range of its bytes."""

    path: str
    size: int
    """Of the whole file."""
    begin: int = 0
    end: int | None = None
    """None: the whole file."""
    format: str | None = None
    """Of a range, recognised from the beginning of the file."""

    def __str__(self) -> str:
        return self.path if self.end is None else f"{self.path}, bytes {self.begin}–{self.end}"

    @property
    def bytes(self) -> int:
        return self.size if self.end is None else self.end - self.begin


def is_remote(path: str) -> bool:
    return "://" in path


def remote(path: str) -> tuple[Any, str]:
    """The file system of an address such as s3://bucket/file, and the name of the file there."""
    try:
        import fsspec
    except ImportError:
        raise InvalidInput(
            f"{path}: to read files of other systems, install what does: {install('remote')}"
        ) from None
    try:
        system, name = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise InvalidInput(f"{path}: {error}") from error
    return system, name


def size_of(path: str) -> int:
    if not is_remote(path):
        return os.stat(path).st_size
    system, name = remote(path)
    return int(system.size(name))


def shards_of(
    paths: Iterable[str], reading: ReadingOptions, wanted: int | None, most: int = MOST_SHARDS
) -> list[Shard]:
    """A shard for each file; fewer files than `wanted` are cut into ranges where that can be."""
    given = list(paths)
    if "-" in given:
        raise InvalidInput("a pipe (-) cannot be read by other processes; expected files.")
    files: list[str] = []
    for path in given:
        files += [path] if is_remote(path) else map(os.path.abspath, expand([path]))
    sizes = [size_of(path) for path in files]
    if wanted is None:
        wanted = 1
    if len(files) > most:
        raise InvalidInput(
            f"{len(files)} files are more than {most} shards, and each would be too small a part "
            "to learn from; join files, or allow it with --shards."
        )
    shards: list[Shard] = []
    total = sum(sizes) or 1
    for path, size in zip(files, sizes, strict=True):
        pieces = max(1, round(wanted * size / total)) if wanted > len(files) else 1
        pieces = min(pieces, max(1, size // SMALLEST_RANGE))
        format = _format_by_lines(path, reading) if pieces > 1 else None
        if format is None:
            shards.append(Shard(path, size))
            continue
        cuts = [size * i // pieces for i in range(pieces + 1)]
        shards += [Shard(path, size, a, b, format) for a, b in pairwise(cuts)]
    return shards


def _format_by_lines(path: str, reading: ReadingOptions) -> str | None:
    """The format of a file that can be cut between lines; None if it has to stay whole."""
    if is_remote(path):
        with opened(path) as file:
            head, compression = file.read(HEAD), None
        if any(head.startswith(magic) for magic in _magics()):
            return None
    else:
        source = open_source(path)
        try:
            compression = source.compression
            head = next(iter(source.blocks()), b"") if compression is None else b""
        finally:
            source.close()
    if compression is not None:
        return None
    shape = recognise(path, head[:HEAD], False, replace(reading, need_labels=False))
    return shape.format if shape.format in BY_LINES and shape.skip == 0 else None


def _magics() -> list[bytes]:
    from thresher.data.sources import COMPRESSED

    return list(COMPRESSED)


def digest_of(shards: list[Shard]) -> str:
    """Of the manifest: the same data in the same division."""
    text = json.dumps([asdict(shard) for shard in shards], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


# ------------------------------------------------------------------ on a worker


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    if is_remote(path):
        system, name = remote(path)
        with system.open(name, "rb", block_size=8 << 20) as file:
            yield file
    else:
        with open(path, "rb", buffering=BLOCK) as file:
            yield file


def fingerprint_of(shard: Shard) -> str:
    """Of its first and last bytes: what has changed between passes, or is another file on another
    machine, is noticed."""
    digest = hashlib.blake2b(digest_size=16)
    size = size_of(shard.path)
    digest.update(str(size).encode())
    with opened(shard.path) as file:
        for place in (shard.begin, max(0, (shard.end or size) - (1 << 16))):
            file.seek(place)
            digest.update(file.read(1 << 16))
    return digest.hexdigest()


@contextmanager
def readable(shard: Shard) -> Iterator[str]:
    """A name under which the bytes of a shard can be read once."""
    if shard.end is None and not is_remote(shard.path):
        yield shard.path
        return
    out, into = os.pipe()
    failed: list[BaseException] = []
    feeder = threading.Thread(target=_feed, args=(shard, into, failed), daemon=True)
    feeder.start()
    try:
        yield f"/dev/fd/{out}"
    finally:
        os.close(out)  # the feeder ends, if it has not yet
        feeder.join()
    if failed:
        raise failed[0]


def _feed(shard: Shard, into: int, failed: list[BaseException]) -> None:
    try:
        with opened(shard.path) as file, os.fdopen(into, "wb", BLOCK) as pipe:
            begin, end = lines_in(file, shard)
            with suppress(BrokenPipeError):
                if is_remote(shard.path):
                    _copy(file, pipe, begin, end)
                else:
                    _splice(file.fileno(), pipe.fileno(), begin, end)
    except BaseException as error:
        failed.append(error)


def lines_in(file: BinaryIO, shard: Shard) -> tuple[int, int]:
    """From where to where the lines reach that begin in a range: each line of a file is in exactly
    one of its ranges."""
    if shard.end is None:
        return 0, shard.size

    def begin_from(place: int) -> int:
        if place == 0:
            return 0
        file.seek(place - 1)
        return place - 1 + len(file.readline())

    return begin_from(shard.begin), begin_from(shard.end)


def _copy(file: BinaryIO, pipe: BinaryIO, begin: int, end: int) -> None:
    file.seek(begin)
    while begin < end and (block := file.read(min(BLOCK, end - begin))):
        begin += len(block)
        pipe.write(block)


def _splice(file: int, pipe: int, begin: int, end: int) -> None:
    """The same inside the kernel."""
    with suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, BLOCK)
    while begin < end:
        moved = os.splice(file, pipe, min(BLOCK, end - begin), offset_src=begin)
        if moved == 0:
            return
        begin += moved
