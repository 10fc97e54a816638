"""Which bytes of which files are one shard, and how a worker reads them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, BinaryIO

from thresher.data.formats import BINARY, HEAD, by_name, recognise
from thresher.data.reading import ReadingOptions
from thresher.data.seen import TAIL, Digest
from thresher.data.sources import COMPRESSED, Part, expand
from thresher.errors import InvalidInput, Where
from thresher.extras import install

BLOCK = 1 << 20
MOST_SHARDS = 64
# In which a line is a record, whatever is in it. A quoted field of a table may hold a line break.
BY_LINES = ("svmlight", "vw", "jsonl", "bag")
SMALLEST_RANGE = 1 << 20


@dataclass(frozen=True)
class Shard:
    """A file, the lines that begin in a range of its bytes, or row groups of a Parquet file."""

    path: str
    size: int
    """Of the whole file."""
    begin: int = 0
    end: int | None = None
    """None: the whole file."""
    format: str | None = None
    """Of a range, recognised from the beginning of the file; of a remote file, by its name."""
    groups: tuple[int, int] | None = None
    """Of a Parquet file: from which row group to before which; None: all."""

    def __str__(self) -> str:
        if self.groups is not None:
            return f"{self.path}, row groups {self.groups[0]}–{self.groups[1] - 1}"
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
            f"to read files of other systems, install what does: {install('remote')}",
            where=Where(path),
        ) from None
    try:
        system, name = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise InvalidInput(f"{error}", where=Where(path)) from error
    return system, name


def remote_files(path: str) -> list[str]:
    """The files that an address stands for: itself, or those that its pattern matches, by name."""
    system, name = remote(path)
    if not any(letter in name for letter in "*?["):
        return [path]
    found = sorted(str(file) for file in system.glob(name))
    if not found:
        raise InvalidInput("no file has such a name.", where=Where(path))
    return [system.unstrip_protocol(file) for file in found]


def size_of(path: str) -> int:
    if not is_remote(path):
        return os.stat(path).st_size
    system, name = remote(path)
    return int(system.size(name))


def shards_of(
    paths: Iterable[str], reading: ReadingOptions, wanted: int | None, most: int = MOST_SHARDS
) -> list[Shard]:
    """A shard for each file; fewer files than `wanted` are cut into ranges where that can be."""
    files = files_of(paths)
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
        shards += _pieces(path, size, pieces, reading)
    return shards


def files_of(paths: Iterable[str]) -> list[str]:
    """The names under which every machine knows the files."""
    given = list(paths)
    if "-" in given:
        raise InvalidInput("a pipe (-) cannot be read by other processes; expected files.")
    files: list[str] = []
    for path in given:
        files += remote_files(path) if is_remote(path) else map(os.path.abspath, expand([path]))
    for path in files:
        if not is_remote(path) and os.path.exists(path) and not os.path.isfile(path):
            raise InvalidInput(
                "a pipe or a device, which is read once and by one process; expected a file.",
                where=Where(path),
            )
    return files


def whole_files(paths: Iterable[str], reading: ReadingOptions) -> list[Shard]:
    """For what reads all the data, one file after the other."""
    return [s for path in files_of(paths) for s in _pieces(path, size_of(path), 1, reading)]


def _pieces(path: str, size: int, pieces: int, reading: ReadingOptions) -> list[Shard]:
    """A file in about so many pieces, or whole where it cannot be cut."""
    if pieces == 1 and not is_remote(path):
        return [Shard(path, size)]
    format, by_lines = _format(path, reading)
    if pieces > 1 and format == "parquet":
        groups = row_groups(path)
        cuts = sorted({groups * i // pieces for i in range(pieces + 1)})
        return [Shard(path, size, groups=pair) for pair in pairwise(cuts)] or [Shard(path, size)]
    if pieces > 1 and by_lines:
        cuts = [size * i // pieces for i in range(pieces + 1)]
        return [Shard(path, size, a, b, format) for a, b in pairwise(cuts)]
    return [Shard(path, size, format=format if is_remote(path) else None)]


def _format(path: str, reading: ReadingOptions) -> tuple[str | None, bool]:
    """The format of a file, if that is known, and whether it can be cut between lines."""
    with opened(path) as file:
        head = file.read(HEAD)
    if any(head.startswith(magic) for magic in COMPRESSED):
        return by_name(path), False
    if reading.encoding != "utf-8":  # a line break may be more than one byte
        return by_name(path), False
    shape = recognise(path, head, len(head) < HEAD, replace(reading, need_labels=False))
    return shape.format, shape.format in BY_LINES and shape.skip == 0


def row_groups(path: str) -> int:
    with parquet(path) as file:
        return int(file.num_row_groups)


@contextmanager
def parquet(path: str) -> Iterator[Any]:
    """A Parquet file, wherever it is."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InvalidInput(
            f"reading parquet files needs pyarrow: {install('arrow')}", where=Where(path)
        ) from None
    with opened(path) as file:
        try:
            yield pq.ParquetFile(file)
        except (pa.ArrowException, ValueError) as error:
            raise InvalidInput(
                f"not a readable parquet file ({error}).", where=Where(path)
            ) from error


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
    """What has changed between passes, or is another file on another machine, is noticed as in
    `data.seen`: in the first MiB, in the last 64 KiB, and at some places between. Of a remote file,
    of which each place is a request, in the first and last 64 KiB."""
    size = size_of(shard.path)
    length = (size if shard.end is None else shard.end) - shard.begin
    with opened(shard.path) as file:

        def read(place: int, count: int) -> bytes:
            file.seek(shard.begin + place)
            return file.read(count)

        if not is_remote(shard.path):
            return f"{size} {Digest().up_to(length, read)}"
        ends = read(0, TAIL) + read(max(0, length - TAIL), TAIL)
    return f"{size} {hashlib.blake2b(ends, digest_size=16).hexdigest()}"


@contextmanager
def readable(shard: Shard) -> Iterator[Part]:
    """A name under which the bytes of a shard can be read once."""
    if shard.groups is not None or shard.format in BINARY.values():
        with tempfile.TemporaryDirectory(prefix="thresher-") as folder:
            yield Part(_copied(shard, folder), name=str(shard))
        return
    if not is_remote(shard.path):
        begin, end = 0, None
        if shard.end is not None:
            with opened(shard.path) as file:
                begin, end = lines_in(file, shard)
        yield Part(shard.path, begin, end)
        return
    out, into = os.pipe()
    failed: list[BaseException] = []
    feeder = threading.Thread(target=_feed, args=(shard, into, failed), daemon=True)
    feeder.start()
    try:
        yield Part(f"/dev/fd/{out}", name=str(shard))
    finally:
        os.close(out)  # the feeder ends, if it has not yet
        feeder.join()
    if failed:
        raise failed[0]


def _copied(shard: Shard, folder: str) -> str:
    """A file of its own: tables of columns are read from their end, and not from a pipe."""
    path = os.path.join(folder, os.path.basename(shard.path))
    if shard.groups is None:
        with opened(shard.path) as file, open(path, "wb") as out:
            shutil.copyfileobj(file, out, BLOCK)
        return path
    import pyarrow.parquet as pq

    with parquet(shard.path) as file, pq.ParquetWriter(path, file.schema_arrow) as writer:
        for group in range(*shard.groups):
            writer.write_table(file.read_row_group(group))
    return path


def _feed(shard: Shard, into: int, failed: list[BaseException]) -> None:
    try:
        with opened(shard.path) as file, os.fdopen(into, "wb", BLOCK) as pipe:
            begin, end = lines_in(file, shard)
            with suppress(BrokenPipeError):
                _copy(file, pipe, begin, end)
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
