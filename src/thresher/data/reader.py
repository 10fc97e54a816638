"""Batches of examples from files, in order. Reading and parsing run in the background."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

from thresher._core import ParsedBatch
from thresher._core import Reader as Parsing
from thresher.data.coded import CodedLabels
from thresher.data.example import Example
from thresher.data.formats import HEAD, FileShape, recognise
from thresher.data.reading import ROLES, ReadingOptions
from thresher.data.seen import FileSeen, Seen, TextSeen, begins_like, changed, newline_to_skip
from thresher.data.sources import Part, Source, expand, name_of, open_source, transcoded
from thresher.errors import BadLine, InvalidInput, ThresherError, Where

if TYPE_CHECKING:
    from types import TracebackType

POLICIES = ("error", "skip", "quarantine")
SHOWN = 10  # bad lines that are remembered to be shown
SILENT_SECONDS = 0.01


@dataclass(frozen=True)
class Position:
    """The next record: which file, its first byte there (decompressed), lines before it."""

    file: int = 0
    offset: int = 0
    line: int = 0


@dataclass
class Before:
    """What earlier runs have read of each file, by its number, and where this one begins in it."""

    seen: dict[int, Seen] = field(default_factory=dict)
    starts: dict[int, Position | None] = field(default_factory=dict)  # None: nothing in it is new
    new_texts: set[int] = field(default_factory=set)  # pipes: the text may be a different one


@dataclass
class BadLines:
    """What was done with the lines that could not be used."""

    policy: str = "error"
    quarantine: str | None = None
    """Where they are written, which is then the policy."""
    count: int = 0
    first: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.quarantine:
            self.policy = "quarantine"


def label_of(text: bytes) -> int | float | str:
    """A label as it is written: a number if it is one."""
    try:
        number = float(text)
    except ValueError:
        return text.decode("utf-8", "backslashreplace")
    if number.is_integer() and abs(number) < 2**53:
        return int(number)
    if number != number or number in (float("inf"), float("-inf")):
        return text.decode("utf-8", "backslashreplace")
    return number


def label_set_of(text: bytes) -> frozenset[int | float | str]:
    """A set of labels as it is written: ``a,b``."""
    parts = text.split(b",") if text.strip(b" \t") else []
    labels = frozenset(label_of(part.strip(b" \t")) for part in parts)
    if len(labels) < len(parts):  # 1,1.0: the parser has found only those written alike
        shown = text.decode("utf-8", "backslashreplace")
        raise InvalidInput(f"the set of labels {shown!r} has a label twice; expected each once.")
    return labels


class Batch:
    """Some examples of a file, as they were parsed."""

    def __init__(
        self, core: ParsedBatch, size: int, path: str, position: Position, sets: bool = False
    ) -> None:
        self.core = core
        self.sets = sets  # a label is a set of labels
        self.path = path  # perhaps a `Part`
        self.cut = False  # by a bad line; what comes after it does not count
        self.failure: InvalidInput | None = None  # to be raised after what was cut
        self._size = size
        self._position = position

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return True  # also without an example: it still says where the next ones begin

    @property
    def labels(self) -> list[Any]:
        """The label (or frozenset of labels) of each example; None where there is none."""
        core = self.core
        if core.targets is not None:
            return [None if t != t else t for t in core.targets[: len(self)].tolist()]
        if core.labels is None:
            return []
        if not self.sets:
            return list(self.coded_labels)
        known: list[Any] = [self._set_of(i, text) for i, text in enumerate(core.label_texts)]
        known.append(None)
        return [known[i] for i in core.labels[: len(self)].tolist()]

    @property
    def coded_labels(self) -> CodedLabels:
        """The same of examples with one label each, at least one of them."""
        core = self.core
        known = [*map(label_of, core.label_texts), None]
        return CodedLabels(known, core.labels[: len(self)])

    def _set_of(self, number: int, text: bytes) -> Any:
        try:
            return label_set_of(text)
        except InvalidInput as error:
            self.locate(error, self.core.labels.tolist().index(number))
            raise

    @property
    def weights(self) -> list[float]:
        """The importance of each example."""
        weights = self.core.weights
        return [1.0] * len(self) if weights is None else weights[: len(self)].tolist()

    @property
    def tags(self) -> list[str]:
        tags = [tag.decode("utf-8", "backslashreplace") for tag in self.core.tags]
        return tags[: len(self)] or [""] * len(self)

    def kept(self, columns: int) -> list[list[str]]:
        """The texts of the columns that `keep` names, for each example."""
        texts = [text.decode("utf-8", "backslashreplace") for text in self.core.kept]
        return [texts[i * columns : (i + 1) * columns] for i in range(len(self))]

    def features(self) -> list[dict[str, float]]:
        """The features of each example by name."""
        names = [name.decode("utf-8", "surrogateescape") for name in self.core.names]
        start, index, value = (cells.tolist() for cells in self.core.cells())
        return [
            {names[index[j]]: value[j] for j in range(start[i], start[i + 1])}
            for i in range(len(self))
        ]

    def examples(self) -> Iterator[Example]:
        """Each example with label, weight, tag and features."""
        rows = zip(
            self.labels or [None] * len(self), self.weights, self.tags, self.features(),
            strict=True,
        )  # fmt: skip
        for label, weight, tag, features in rows:
            yield Example(label, weight, tag, features)

    def after(self, rows: int) -> Position:
        """Where to continue after this many of the examples."""
        if rows == 0:
            return self._position
        p = self._position
        return replace(
            p,
            offset=p.offset + self.core.end_of(rows - 1),
            line=p.line + self.core.line_after(rows - 1),
        )

    @property
    def end(self) -> Position:
        """Where the next batch begins; after a bad line that stops the run, that line."""
        if self.cut:
            return self.after(len(self))
        p = self._position
        return replace(p, offset=p.offset + self.core.length, line=p.line + self.core.lines)

    @cached_property
    def bad(self) -> list[dict[str, Any]]:
        """The lines that could not be used."""
        return self.core.bad

    def refuse_label(self, label: int, why: InvalidInput) -> None:
        """End the batch before the first example with this label, by its number in the batch."""
        row = self.core.labels.tolist().index(label)
        if row < len(self):
            self.locate(why, row)
            self.failure, self._size, self.cut = why, row, True

    def locate(self, error: ThresherError, row: int) -> None:
        """Add to an error the file and line of its example."""
        error.where.file = name_of(self.path)
        error.where.line = self.line_number(self.core.line_of(row))

    def line_number(self, line: int) -> int:
        """Of a line of the batch: in its file, counted from 1, as people count."""
        before = self.path.lines_before() if isinstance(self.path, Part) else 0
        return int(before + self._position.line + line + 1)


class Reader:
    """An iterator of batches. Use it in a ``with`` block, or read it to its end."""

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        reading: ReadingOptions | None = None,
        *,
        bad: BadLines | None = None,
        leave_out_at_once: bool = True,  # or the consumer calls `leave_out` later
        threads: int | None = None,
        chunk: int = 1 << 20,
        start: Position | None = None,
        before: Before | None = None,  # then `seen` can be called, and earlier reading counts
        keep_zeros: bool = False,
    ) -> None:
        self.files = expand(paths)
        self._before = before
        self._open: dict[int, FileSeen | TextSeen] = {}
        self.reading = reading = reading or ReadingOptions()
        self.bad = bad or BadLines()
        self._leave_out_at_once = leave_out_at_once
        if self.bad.policy not in POLICIES:
            raise InvalidInput(
                f"on_bad_line is {self.bad.policy!r}; expected one of {', '.join(POLICIES)}."
            )
        if self.bad.policy == "quarantine" and not self.bad.quarantine:
            raise InvalidInput("quarantine needs a file to write bad lines to.")
        self.size = sum(_size(path) for path in self.files) if "-" not in self.files else None
        self.formats: list[str] = []
        self.decimal_comma = False  # in a table so far
        self.columns: dict[str, None] = {}  # of all tables, in order
        self._bytes_done = 0  # of the files that are done
        self._source: Source | None = None
        self._start = start or Position()
        self._first: dict[int, Position] = {}  # where the examples of each file begin
        self._position = self._start
        self.stopped = False
        self._failure: BaseException | None = None
        self._raise_next: Exception | None = None
        self._aside: BinaryIO | None = None
        wishes = {
            **asdict(reading.needs),
            "need_labels": reading.need_labels,
            "keep_bad": self.bad.policy == "quarantine",
            "keep_zeros": keep_zeros,
            "keep": len(reading.keep),
        }
        self._core = Parsing(reading.for_core(), wishes, threads or os.cpu_count() or 1, chunk)
        self._feeder = threading.Thread(target=self._feed, daemon=True, name="thresher-reader")
        self._feeder.start()

    # -- the background

    def _feed(self) -> None:
        try:
            for number, path in enumerate(self.files):
                if number < self._start.file:
                    continue
                start = self._start_of(number)
                if start is not None and not self._feed_file(path, start):
                    return
        except BaseException as error:  # for the thread that consumes
            self._failure = error
        finally:
            self._core.finish()

    def _start_of(self, number: int) -> Position | None:
        first: Position | None = Position(number, self._part(number).begin)
        if self._before:
            first = self._before.starts.get(number, first)
        begun = number == self._start.file and self._start.offset > (first.offset if first else 0)
        return self._start if begun else first

    def _part(self, number: int) -> Part:
        path = self.files[number]
        return path if isinstance(path, Part) else Part(path)

    def _feed_file(self, path: str, start: Position) -> bool:
        try:
            source = open_source(path)
        except IsADirectoryError:
            raise InvalidInput("a folder; expected a file.", where=Where(path)) from None
        self._source = source
        try:
            return self._feed_source(path, source, start)
        except Exception as error:
            self._core.flush()  # what came before counts
            if isinstance(error, OSError):
                error.filename = error.filename or path
            if type(error) is ValueError:  # from the core, which knows no file names
                raise InvalidInput(f"{error}.", where=Where(source.name)) from None
            raise
        finally:
            self._bytes_done += self._here()
            self._source = None
            source.close()

    def _here(self) -> int:
        """How much of the current file was read, as it is on disk."""
        source = self._source
        try:
            if source is None:
                return 0
            at = os.lseek(source.fd, 0, os.SEEK_CUR)
            return max(0, at - source.path.begin) if isinstance(source.path, Part) else at
        except OSError:  # a pipe; or closed just now
            return 0

    @property
    def bytes_read(self) -> int:
        """Of all files, as they are on disk; for a pipe, what was used of it."""
        return self._bytes_done + self._here() or self._position.offset

    def _feed_source(self, path: str, source: Source, start: Position) -> bool:
        reading, blocks = self.reading, source.blocks()
        plain = source.compression is None
        if reading.encoding != "utf-8":
            blocks, plain = transcoded(blocks, reading.encoding, source.name), False
        in_a_hurry = plain and not reading.need_labels  # for predictions
        head, complete, blocks = _head(blocks, source.is_silent if in_a_hurry else _never)
        shape = recognise(source.name, head, complete, reading)
        self.formats.append(shape.format)
        self.decimal_comma |= bool(shape.options.get("decimal_comma"))
        translated = shape.format in ("parquet", "arrow")
        if translated:
            from thresher.data.arrow import as_text

            text, blocks, names = as_text(source, shape.format)
            head, complete, blocks = _head(blocks, _never)
            reading = replace(reading, format=text, header=True)
            shape = recognise(source.name, head, complete, reading)
            roles = [column for role in ROLES for column in shape.options[role]]
            taken = (shape.options["label"], shape.options["weight"], *roles)
            more = (c for c in names if c not in taken)
            shape.options["categorical"] += more
        self.columns |= dict.fromkeys(shape.options.get("columns", ()))
        if plain and source.seekable and path != "-" and not translated:
            return self._feed_plain(path, source, start, shape)
        if plain and not translated:
            blocks = self._as_it_comes(source, blocks)
        return self._feed_text(path, source, start, shape, head, blocks)

    def _begin(self, start: Position, shape: FileShape, skip: int) -> int:
        """Where the examples of a file begin."""
        offset = max(start.offset + skip, shape.skip)
        line = max(start.line, shape.skip_lines)
        self._first[start.file] = Position(start.file, offset, line)
        self._core.begin_file(start.file, shape.for_core(), offset)
        return offset

    def _feed_plain(self, path: str, source: Source, start: Position, shape: FileShape) -> bool:
        """A file that the core reads directly."""
        skip = 0
        if self._before is not None:
            self._open[start.file] = FileSeen(source.fd)
            if start.offset and (seen := self._before.seen.get(start.file)):
                around = os.pread(source.fd, 3, start.offset - 1)
                skip = newline_to_skip(path, seen, around[:1], around[1:])
        offset = self._begin(start, shape, skip)
        os.lseek(source.fd, offset, os.SEEK_SET)
        end = self._part(start.file).end
        if not (self._core.read(source.fd) if end is None else self._core.read(source.fd, end)):
            return False
        if os.lseek(source.fd, 0, os.SEEK_CUR) == offset:
            self.leave(start.file)  # no batch of it will come
        return self._core.end_file()

    def _feed_text(
        self, path: str, source: Source, start: Position, shape: FileShape, head: bytes,
        blocks: Iterator[bytes],
    ) -> bool:  # fmt: skip
        """An input without seeking: all of it is read, and used from the start position on."""
        seen, text = None, None
        if self._before is not None:
            seen = self._before.seen.get(start.file)
            if seen and seen.head and not begins_like(head, seen):
                if start.file not in self._before.new_texts:
                    raise changed(path, seen, "now it begins in another way")
                seen, start = None, Position(start.file)
                del self._before.seen[start.file]
                self._before.starts[start.file] = start
            on_disk = source.fd if source.seekable and path != "-" else None
            text = TextSeen(path, on_disk, seen if seen and seen.head else None)
            self._open[start.file] = text
        at, offset, last = 0, -1, b"\n"
        for block in itertools.chain([head], blocks):
            if text:
                text.add(block)
            if offset < 0 and at + len(block) > start.offset:
                here = start.offset - at
                before, behind = (last + block)[here : here + 1], block[here : here + 2]
                skip = newline_to_skip(path, seen, before, behind) if seen and start.offset else 0
                offset = self._begin(start, shape, skip)
            part = block[max(0, offset - at) :] if offset >= 0 else b""
            at, last = at + len(block), block[-1:] or last
            if part and not self._core.feed(part):
                return False
        if text:
            text.end()
        if at <= max(offset, start.offset):  # no batch of it will come
            if text and self._before is not None and start.offset == at > 0:
                self._before.seen[start.file] = text.seen(at, start.line)
            self.leave(start.file)
        return self._core.end_file()

    def _as_it_comes(self, source: Source, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The blocks of a pipe. While it is silent, what it gave before is not held back."""
        while True:
            if source.is_silent(SILENT_SECONDS):
                self._core.flush()
            block = next(blocks, b"")
            if not block:
                return
            yield block

    # -- the consumer

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        if self._raise_next:
            raise self._raise_next
        try:
            core = self._core.next()
        except MemoryError as error:
            self._raise_next = error  # a batch is lost: none may follow it
            raise
        if core is None and self.stopped:
            raise StopIteration
        if core is None:
            self._feeder.join()
            if self._failure:
                raise self._failure
            raise StopIteration
        if core.file in self._first:
            self._position = self._first.pop(core.file)
        sets = self.reading.needs.sets
        batch = Batch(core, len(core), self.files[core.file], self._position, sets)
        if batch.bad and self.bad.policy == "error":
            self._refuse(batch)
        elif self._leave_out_at_once:
            self.leave_out(batch, 0, len(batch) + 1)
        self._position = batch.end
        return batch

    def _refuse(self, batch: Batch) -> None:
        """End with the first bad line: what comes before it counts."""
        bad = batch.bad[0]
        batch._size, batch.cut = bad["before"], True
        self._raise_next = self._error(batch, bad)
        if _is_no_utf8(bad["excerpt"][bad["excerpt_column"] :]):
            self._raise_next.advise("Name the encoding of the text, such as --encoding latin-1.")
        self._raise_next.advise(
            "Bad lines can be left out (--on-bad-line skip) or written aside (--quarantine FILE)."
        )

    def leave_out(self, batch: Batch, begin: int, end: int) -> None:
        """Account for the bad lines before these rows of a batch, `len(batch)` being its end."""
        if not batch.bad or self.bad.policy == "error":
            return
        for bad in batch.bad:
            if not begin <= bad["before"] < end:
                continue
            self.bad.count += 1
            if len(self.bad.first) < SHOWN:
                self.bad.first.append(str(self._error(batch, bad)))
            if self.bad.policy == "quarantine":
                self._set_aside(bad["whole"])

    def _error(self, batch: Batch, bad: dict[str, Any]) -> BadLine:
        place = Where(name_of(batch.path), batch.line_number(bad["line"]), bad["column"] + 1)
        error = BadLine(f"{bad['problem']}.", where=place)
        error.excerpt = _pointed(bad["excerpt"], bad["excerpt_column"])
        return error

    def _set_aside(self, line: bytes) -> None:
        assert self.bad.quarantine is not None
        try:
            if self._aside is None:
                self._aside = open(self.bad.quarantine, "ab")  # noqa: SIM115 (closed in close)
            self._aside.write(line + b"\n")
            self._aside.flush()
        except OSError as error:
            why = f"{error.strerror}; a bad line could not be written aside"
            raise OSError(error.errno, why, self.bad.quarantine) from error

    @property
    def position(self) -> Position:
        """Where the next batch begins."""
        return self._position

    def seen(self, position: Position) -> Seen | None:
        """What was read up to here; None if it is not known, or the file was left."""
        file = self._open.get(position.file)
        try:
            return file.seen(position.offset, position.line) if file else None
        except OSError:  # it cannot be read any more; what was learned from it still counts
            return None

    def leave(self, file: int) -> None:
        """What was read of this file is no longer needed."""
        if opened := self._open.pop(file, None):
            opened.close()

    def stop(self) -> None:
        """No more batches, even while waiting for one: may be called by a signal handler."""
        self.stopped = True
        self._core.stop()

    def close(self) -> None:
        """Stop reading, whatever is left."""
        self.stop()
        source = self._source
        in_a_pipe = source is not None and not source.seekable
        # One that waits for a silent pipe is left waiting; one that reads a file soon ends, and a
        # process that ends before it would crash.
        self._feeder.join(timeout=1.0 if in_a_pipe else 60.0)
        for file in list(self._open):
            self.leave(file)
        if self._aside is not None:
            with suppress(OSError):  # each line was flushed
                self._aside.close()
            self._aside = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _is_no_utf8(text: bytes) -> bool:
    """Whether its first character is none. Its end may have been cut off."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start == 0
    return False


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None


def _pointed(excerpt: bytes, column: int) -> str:
    """A line of text, and below it a mark at the position."""
    before = excerpt[:column].decode("utf-8", "backslashreplace")
    text = excerpt.decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() else " " for c in text)
    return f"    {shown}\n    {' ' * len(before)}^"


def _never() -> bool:
    return False


def _head(
    blocks: Iterator[bytes], is_silent: Callable[[], bool]
) -> tuple[bytes, bool, Iterator[bytes]]:
    """Enough to recognise a file by, at least a line; whether that is all of it; and what follows.

    A source that falls silent after a line is recognised by what came so far. Damage after the
    first bytes is reported when reading continues.
    """
    parts: list[bytes] = []
    size, has_line = 0, False
    while size < HEAD or not has_line:
        if has_line and is_silent():
            break
        try:
            block = next(blocks, None)
        except InvalidInput as error:
            return b"".join(parts), False, map(_raise, [error])
        if block is None:
            return b"".join(parts), True, blocks
        parts.append(block)
        size += len(block)
        has_line = has_line or b"\n" in block
    return b"".join(parts), False, blocks


def _raise(error: InvalidInput) -> bytes:
    raise error
