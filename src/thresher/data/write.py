"""Examples → files, in every format that Thresher reads.

What a format cannot hold is an error, never a silent change: reading the file back gives the same
labels, weights and features. (Only vw keeps tags; a feature of value 0 is an absent one.)
"""

from __future__ import annotations

import json
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any, BinaryIO

from thresher.data.columns import TableCells, TableColumns
from thresher.data.example import Example, Label, LabelSet
from thresher.data.formats import MISSING
from thresher.data.output import STANDARD_OUTPUT, compressor, whole_file, without_compression
from thresher.errors import InvalidInput

if TYPE_CHECKING:
    from thresher.data.generate import StreamBlock

BUFFERED_LINES = 1 << 16  # characters


@dataclass(frozen=True)
class WriteOptions:
    """Options of a writer; each format says which of these it uses."""

    columns: TableColumns | None = None  # csv, tsv, parquet, arrow
    vocabulary: BinaryIO | None = None  # svmlight
    escape: bool = False  # vw, bag
    label: str = "label"  # the column or key of the label: csv, tsv, jsonl, parquet, arrow
    weight: str = "weight"  # … of the importance
    label_sets: bool = False  # a label is a set of labels


@contextmanager
def open_writer(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    columns: TableColumns | Sequence[str] | None = None,
    vocabulary: str | os.PathLike[str] | None = None,
    escape: bool = False,
    label: str = "label",
    weight: str = "weight",
    label_sets: bool = False,
) -> Iterator[Writer]:
    """A writer of examples to `path` (`-` is standard output).

    The format is `format`, or given by the suffix; `.gz`, `.bz2`, `.xz` or `.zst` after it
    compresses. The file appears when the block ends without an error, and not before.

    columns: of csv, tsv, parquet and arrow, which need them before the first row: their names,
        those of text with `=` at the end (`["age", "color=", "weight"]`), or what
        `collect_columns` found.
    vocabulary: a file for svmlight, whose features are numbers: name number k is its line k.
    escape: in names for vw or bag, write %20 for a space and so on, instead of raising an error.
    label, weight: what their columns or keys are called.
    label_sets: labels are sets of labels, as ``read(…, label_sets=True)`` gives them.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "one.vw")
    >>> with open_writer(path) as out:
    ...     out.write(Example("1", features={"a": 1.0, "user^age": 30.0}))
    >>> path.read_text()
    '1 | a |user age:30\\n'
    """
    format = format or format_of(path)
    if format not in WRITERS:
        raise InvalidInput(f"found the format {format!r}; expected one of {', '.join(WRITERS)}")
    kind = WRITERS[format]
    given = {"columns": columns is not None, "vocabulary": vocabulary is not None, "escape": escape}
    for option, is_given in given.items():
        if is_given and option not in kind.options:
            users = [name for name, other in WRITERS.items() if option in other.options]
            raise InvalidInput(f"{option} is for {', '.join(users)}; found the format {format}")
    if kind.needs_columns and columns is None:
        raise InvalidInput(
            f"{format} needs the names of all columns before the first row: give columns, or "
            "choose jsonl, vw or svmlight, which need none"
        )
    if label == weight:
        raise InvalidInput(f"found {label!r} as the name of both label and weight; expected two")
    if kind.compresses_itself and compressor(path):
        raise InvalidInput(f"{path}: {format} is compressed inside; leave out the last suffix")
    if vocabulary is not None and os.path.realpath(vocabulary) == os.path.realpath(path):
        raise InvalidInput(f"{path}: the vocabulary needs a file of its own")
    if columns is not None and not isinstance(columns, TableColumns):
        columns = TableColumns.given(columns, weight)
    make_writer = kind.load()  # a missing package is reported before a file is made
    with ExitStack() as stack:
        file = stack.enter_context(whole_file(path))
        names = stack.enter_context(whole_file(vocabulary)) if vocabulary is not None else None
        options = WriteOptions(columns, names, escape, label, weight, label_sets)
        writer = make_writer(file, options)
        writer.where = "standard output" if os.fspath(path) == STANDARD_OUTPUT else str(path)
        try:
            yield writer
            writer.finish()
        except BaseException:
            writer.abandon()
            raise


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that a file's name indicates.

    >>> format_of("spam.vw.gz")
    'vw'
    """
    from thresher.data.reading import FORMATS

    name = without_compression(path).name.lower()
    for format, suffixes in FORMATS.items():
        if name.endswith(suffixes):
            return format
    known = " ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)
    raise InvalidInput(
        f"{path}: the name does not tell a format; expected one of {known} at its end, or name the "
        "format"
    )


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number.

    >>> number_text(3.0), number_text(0.1)
    ('3', '0.1')
    """
    return repr(float(value)).removesuffix(".0")


def label_text(label: Label | LabelSet | None) -> str:
    """A label as files hold it; nothing if there is none.

    >>> label_text(1), label_text(0.5), label_text("spam"), label_text(None)
    ('1', '0.5', 'spam', '')
    >>> label_text(frozenset({"b", "a"}))
    'a,b'
    """
    if isinstance(label, frozenset):
        return ",".join(label_texts(label))
    if label is None or isinstance(label, str):
        return label or ""
    return str(label) if isinstance(label, int) else number_text(label)


def label_texts(labels: LabelSet) -> list[str]:
    """The labels of a set, in their order."""
    texts = [label_text(label) for label in sorted(labels, key=lambda x: (isinstance(x, str), x))]
    for text in texts:
        if not text.strip() or "," in text or text != text.strip():
            raise InvalidInput(
                f"found the label {text!r} in a set; expected no comma and no blanks around it"
            )
    return texts


class Writer(ABC):
    """Takes examples; `examples` counts them, `tags_left_out` those whose tag could not be kept."""

    keeps_tags = False
    where = ""  # for messages

    def __init__(self, options: WriteOptions) -> None:
        self._options = options
        self.examples = 0
        self.tags_left_out = 0

    def write(self, example: Example) -> None:
        try:
            self._check(example)
            self._check_label(example.label)
            self._put(example, label_text(example.label))
        except InvalidInput as error:
            message = f"{self.where}: example {self.examples + 1}: {error}"
            raise InvalidInput(message) from error.__cause__
        self.examples += 1
        self.tags_left_out += bool(example.tag) and not self.keeps_tags

    def write_block(self, block: StreamBlock) -> None:
        """All examples of a block; the same as writing them one by one, often faster."""
        for example in block:
            self.write(example)

    def flush(self) -> None:
        """Write the lines that are still in memory."""
        return

    def finish(self) -> None:
        """Write what is still in memory, and what belongs at the end."""
        self.flush()

    def abandon(self) -> None:
        """Release the file, which will not be kept."""
        return

    @abstractmethod
    def _put(self, example: Example, label: str) -> None: ...

    def _check_label(self, label: Label | LabelSet | None) -> None:
        if label is not None and isinstance(label, frozenset) != self._options.label_sets:
            expected = "a frozenset of labels" if self._options.label_sets else "one label"
            raise InvalidInput(f"found the label {label!r}; label_sets says: {expected}")

    @staticmethod
    def _check(example: Example) -> None:
        if not (math.isfinite(example.weight) and example.weight >= 0):
            raise InvalidInput(
                f"found the weight {example.weight!r}; expected a finite number, 0 or larger"
            )
        for name, value in example.features.items():
            if not math.isfinite(value):
                raise InvalidInput(f"found {name}={value!r}; expected a finite number")


# -- text


class TextWriter(Writer):
    """Formats in which an example is a line."""

    name = ""
    any_bytes = False  # names may hold bytes that are not UTF-8, as their readers give them
    keeps_weights = True

    def __init__(self, file: BinaryIO, options: WriteOptions) -> None:
        super().__init__(options)
        self._file = file
        self._lines: list[str] = []
        self._characters = 0

    @abstractmethod
    def line(self, example: Example, label: str) -> str:
        """Without the newline; an empty label means no label."""

    def _put(self, example: Example, label: str) -> None:
        if example.weight != 1 and not self.keeps_weights:
            raise InvalidInput(
                f"found the weight {example.weight!r}; {self.name} holds no weights: use vw, csv "
                "or jsonl"
            )
        line = self.line(example, label)
        if self.examples == 0 and line.startswith("\ufeff"):
            raise InvalidInput(
                f"found the label {label!r} in the first example; readers take its first character "
                "for a byte order mark"
            )
        if not self.any_bytes:
            self._check_text(line)
        self._put_line(line)

    def _put_line(self, line: str) -> None:
        self._lines.append(line)
        self._characters += len(line)
        if self._characters > BUFFERED_LINES:
            self.flush()

    def flush(self) -> None:
        if self._lines:
            self._lines.append("")
            self._file.write("\n".join(self._lines).encode("utf-8", "surrogateescape"))
            self._lines.clear()
            self._characters = 0

    def _check_text(self, line: str) -> None:
        if "\0" in line:
            raise InvalidInput(f"found a NUL character; {self.name} cannot hold it")
        if not line.isascii():
            try:
                line.encode()
            except UnicodeEncodeError as error:
                raise InvalidInput(
                    f"found {error.object[error.start]!r}, which stands for a byte that is no "
                    f"UTF-8; {self.name} cannot hold it: use vw"
                ) from None

    def _word(self, what: str, text: str, forbidden: re.Pattern[str]) -> str:
        """A name that may not hold some characters: as it is, escaped, or an error."""
        found = forbidden.search(text)
        if not found and not (self._options.escape and "%" in text) and text:
            return text
        if not text:
            raise InvalidInput(f"found an empty {what}; {self.name} cannot hold it: use jsonl")
        if self._options.escape:
            return forbidden.sub(_percent, text.replace("%", "%25"))
        assert found
        raise InvalidInput(
            f"found {found[0]!r} in the {what} {text!r}; {self.name} cannot hold it: use jsonl"
            + (", or escape it" if "escape" in WRITERS[self.name].options else "")
        )


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


class SvmlightWriter(TextWriter):
    """`label id:value …`, ids ascending as other readers of the format require."""

    name = "svmlight"
    any_bytes = True
    keeps_weights = False
    _in_label = re.compile(r"[\s,:#\0]")
    _whole = re.compile(r"0|[1-9][0-9]{0,18}")
    _largest = 2**63 - 1

    def __init__(self, file: BinaryIO, options: WriteOptions) -> None:
        super().__init__(file, options)
        self._ids: dict[str, int] = {}  # of a vocabulary
        self._words_of: tuple[Sequence[str], list[str]] = ((), [])  # names of blocks: "12:1"

    def line(self, example: Example, label: str) -> str:
        if self._options.label_sets and example.label is None:
            raise InvalidInput(
                "found no label; svmlight would show an empty set of labels: use jsonl or vw"
            )
        cells = sorted((self._id(name), value) for name, value in example.features.items())
        words = [f"{i}:{number_text(value)}" for i, value in cells]
        if label:
            words.insert(0, self._label(label))
        elif not words:
            raise InvalidInput("found neither label nor features; svmlight would show a blank line")
        return " ".join(words)

    def _label(self, label: str) -> str:
        found = self._in_label.search(label.replace(",", "") if self._options.label_sets else label)
        if found:
            raise InvalidInput(
                f"found {found[0]!r} in the label {label!r}; svmlight cannot hold it: use csv or "
                "jsonl"
            )
        return label

    def _id(self, name: str) -> int:
        if self._options.vocabulary is not None:
            return self._ids.get(name) or self._new_id(name)
        if self._whole.fullmatch(name) and (i := int(name)) <= self._largest:
            return i
        raise InvalidInput(
            f"found the feature {name!r}; svmlight holds whole numbers alone: use vw, jsonl or "
            "bag, or give a file for the vocabulary, which numbers the names"
        )

    def _new_id(self, name: str) -> int:
        if "\n" in name or "\r" in name:
            raise InvalidInput(f"found a line break in the feature {name!r}; expected one line")
        assert self._options.vocabulary is not None
        self._options.vocabulary.write(f"{name}\n".encode("utf-8", "surrogateescape"))
        return self._ids.setdefault(name, len(self._ids) + 1)

    def write_block(self, block: StreamBlock) -> None:
        if self._options.vocabulary is not None or not block.names_ascend:
            return super().write_block(block)
        if self._words_of[0] is not block.names:
            one = "" if block.value is not None else "1"
            self._words_of = (block.names, [f"{name}:{one}" for name in block.names])
        all_words = self._words_of[1]
        words = [all_words[i] for i in block.index.tolist()]
        if values := block.value_texts():
            words = list(map(add, words, values))
        for label, begin, end in block.rows():
            self._put_line(" ".join([label, *words[begin:end]]))
        self.examples += len(block)


class VowpalWabbitWriter(TextWriter):
    """`label importance 'tag|namespace name:value …`; `ns^name` goes to the namespace ns."""

    name = "vw"
    any_bytes = True
    keeps_tags = True
    _in_name = re.compile(r"[ \t\n\r|:]")
    _in_label = re.compile(r"[ \t\n\r|:,]")
    _in_tag = re.compile(r"[ \t\n\r|]")

    def __init__(self, file: BinaryIO, options: WriteOptions) -> None:
        super().__init__(file, options)
        self._spelled: tuple[Sequence[str], list[str]] = ((), [])

    def line(self, example: Example, label: str) -> str:
        spaces: dict[str, list[str]] = {"": []}
        for name, value in example.features.items():
            space, _, rest = name.partition("^")
            if not (space and rest):  # "^", "a^" and "^b" are plain names
                space, rest = "", name
            word = self._word("feature", rest, self._in_name)
            if space not in spaces:
                spaces[self._word("namespace", space, self._in_name)] = spaces[space] = []
            spaces[space].append(word if value == 1 else f"{word}:{number_text(value)}")
        bars = [" ".join([f"|{s}", *words]) for s, words in spaces.items() if words]
        return self._before_bar(example, label) + (" ".join(bars) or "|")

    def _before_bar(self, example: Example, label: str) -> str:
        words = []
        if example.label is not None and not label:
            raise InvalidInput(
                "found an empty set of labels; vw would show an example without a label: use jsonl "
                "or svmlight"
            )
        if label:
            words.append(self._label(label))
            if example.weight != 1:
                words.append(number_text(example.weight))
        elif example.weight != 1:
            raise InvalidInput(
                f"found the weight {example.weight!r} without a label; vw cannot hold that: use "
                "jsonl"
            )
        if example.tag:
            tag = self._word("tag", example.tag, self._in_tag)
            return " ".join([*words, f"'{tag}"])
        return " ".join([*words, ""])

    def _label(self, label: str) -> str:
        found = self._in_label.search(label.replace(",", "") if self._options.label_sets else label)
        if found or label[0] == "'" or label == "shared":
            raise InvalidInput(
                f"found the label {label!r}; vw cannot hold {found[0] if found else label!r} "
                "there: use csv or jsonl"
            )
        return label

    def write_block(self, block: StreamBlock) -> None:
        if self._spelled[0] is not block.names:
            spelled = [self._word("feature", name, self._in_name) for name in block.names]
            self._spelled = (block.names, [] if "^" in "".join(spelled) else spelled)
        spelled = self._spelled[1]
        if not spelled:
            return super().write_block(block)
        words = [spelled[i] for i in block.index.tolist()]
        if values := block.value_texts():
            words = [w if v == "1" else f"{w}:{v}" for w, v in zip(words, values, strict=True)]
        for label, begin, end in block.rows():
            self._put_line(" ".join([label, "|", *words[begin:end]]))
        self.examples += len(block)


class BagWriter(TextWriter):
    """`LABEL<TAB>name name …`; a value of 2 is the name twice."""

    name = "bag"
    keeps_weights = False
    _in_name = re.compile(r"[ \t\n\r]")
    _most = 1000

    def line(self, example: Example, label: str) -> str:
        names = [
            word
            for name, value in example.features.items()
            for word in [self._word("feature", name, self._in_name)] * self._times(name, value)
        ]
        if found := re.search(r"[\t\n\r]", label):
            raise InvalidInput(f"found {found[0]!r} in the label {label!r}; bag cannot hold it")
        if not label.strip(" \f\v") and not names:
            raise InvalidInput("found neither label nor features; bag would show a blank line")
        if self._options.label_sets and example.label is None:
            return " ".join(names)  # nothing before a tab is the empty set
        return f"{label}\t{' '.join(names)}"

    def _times(self, name: str, value: float) -> int:
        if value == int(value) and 0 <= value <= self._most:
            return int(value)
        raise InvalidInput(
            f"found {name}={number_text(value)}; bag holds the value 1, or how often a name stands "
            f"there, up to {self._most}: use vw or jsonl"
        )

    def write_block(self, block: StreamBlock) -> None:
        if block.value is not None:
            return super().write_block(block)
        for name in block.names:
            self._word("feature", name, self._in_name)
        words = [block.names[i] for i in block.index.tolist()]
        for label, begin, end in block.rows():
            self._put_line(f"{label}\t{' '.join(words[begin:end])}")
        self.examples += len(block)


class CsvWriter(TextWriter):
    """A header, then a row for each example: label, weight if requested, features."""

    name = "csv"
    delimiter = ","
    _longest = 1 << 20  # of a quoted field, for our reader

    def __init__(self, file: BinaryIO, options: WriteOptions) -> None:
        super().__init__(file, options)
        assert options.columns is not None
        self._columns = options.columns
        self._cells = TableCells(self._columns, options.label, options.weight)
        self._special = re.compile(rf'["\n\r{self.delimiter}]|^\s|\s$')
        self._header: str | None = self._line_of(
            [options.label, *([options.weight] * self._columns.weights), *self._columns.names]
        )
        for name in self._columns.names:
            if not name or name != name.strip():
                raise InvalidInput(
                    f"found the feature {name!r}; {self.name} cannot hold an empty name or blanks "
                    "around it: use jsonl"
                )
        self._check_text(self._header)
        self._put_line(self._header)

    def line(self, example: Example, label: str) -> str:
        if label and (label in MISSING or label != label.strip()):
            raise InvalidInput(
                f"found the label {label!r}; {self.name} cannot hold blanks around a label or one "
                "that says missing: use jsonl"
            )
        if self._options.label_sets and example.label is None:
            label = "NA"  # nothing is the empty set
        fields = [label]
        if self._columns.weights:
            fields.append(number_text(example.weight))
        before = len(fields)
        fields += [""] * len(self._columns.names)
        for place, cell in self._cells.of(example).items():
            fields[before + place] = cell if isinstance(cell, str) else number_text(cell)
        return self._line_of(fields)

    def _line_of(self, fields: list[str]) -> str:
        return self.delimiter.join(map(self._field, fields)) or '""'  # blank lines are skipped

    def _field(self, text: str) -> str:
        if not self._special.search(text):
            return text
        quoted = '"' + text.replace('"', '""') + '"'
        if len(quoted.encode("utf-8", "surrogateescape")) > self._longest:
            raise InvalidInput(
                f"found a text of more than 1 MiB, {text[:20]!r}…; {self.name} cannot hold it"
            )
        return quoted


class TsvWriter(CsvWriter):
    name = "tsv"
    delimiter = "\t"

    def _field(self, text: str) -> str:
        if "\n" in text or "\r" in text:
            raise InvalidInput(
                f"found a line break in {text[:20]!r}; tsv cannot hold it: use csv or jsonl"
            )
        return super()._field(text)


class JsonLinesWriter(TextWriter):
    """`{"label": …, "name": value, "color": "red"}`; several of `color=…` are an array."""

    name = "jsonl"

    def line(self, example: Example, label: str) -> str:
        record: dict[str, Any] = {}
        if isinstance(example.label, frozenset):
            record[self._options.label] = [_json_label(t) for t in label_texts(example.label)]
        elif label:
            record[self._options.label] = _json_label(label)
        if example.weight != 1:
            record[self._options.weight] = _json_number(example.weight)
        taken = {self._options.label, self._options.weight}
        texts: dict[str, list[str]] = {}
        for name, value in example.features.items():
            group, sign, text = name.partition("=")
            if value == 1 and sign and group not in example.features and group not in taken:
                texts.setdefault(group, []).append(text)
            elif name in taken:
                raise InvalidInput(
                    f"a feature is called {name!r}, as is the key of the label or the weight: "
                    "choose another name for that one"
                )
            else:
                record[name] = _json_number(value)
        for group, items in texts.items():
            record[group] = items[0] if len(items) == 1 else items
        return json.dumps(record, ensure_ascii=False)


def _json_number(value: float) -> int | float:
    return int(value) if value == int(value) and abs(value) < 1e15 else float(value)


def _json_label(label: str) -> str | int | float:
    """As a number if that has the same spelling."""
    try:
        for number in (int, float):
            value = number(label)
            if str(value) == label and math.isfinite(value):
                return value
    except (ValueError, OverflowError):
        pass
    return label


# -- the table of formats


@dataclass(frozen=True)
class Format:
    """A format: its writer, and the options of `open_writer` that it uses."""

    load: Callable[[], Callable[[BinaryIO, WriteOptions], Writer]]
    options: tuple[str, ...] = ()
    compresses_itself: bool = False

    @property
    def needs_columns(self) -> bool:
        return "columns" in self.options


def _parquet() -> Callable[[BinaryIO, WriteOptions], Writer]:
    from thresher.data.write_arrow import ParquetWriter

    return ParquetWriter


def _arrow() -> Callable[[BinaryIO, WriteOptions], Writer]:
    from thresher.data.write_arrow import ArrowWriter

    return ArrowWriter


WRITERS = {
    "svmlight": Format(lambda: SvmlightWriter, ("vocabulary",)),
    "vw": Format(lambda: VowpalWabbitWriter, ("escape",)),
    "csv": Format(lambda: CsvWriter, ("columns",)),
    "tsv": Format(lambda: TsvWriter, ("columns",)),
    "jsonl": Format(lambda: JsonLinesWriter),
    "bag": Format(lambda: BagWriter, ("escape",)),
    "parquet": Format(_parquet, ("columns",), compresses_itself=True),
    "arrow": Format(_arrow, ("columns",), compresses_itself=True),
}
