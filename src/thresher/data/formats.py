"""The formats: how each is recognised, and what its parser must know before it starts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher._core import TextParser, whole_records
from thresher.data.reading import FORMATS, ROLES, ReadingOptions
from thresher.data.sources import plain_name
from thresher.errors import InvalidInput, Where
from thresher.options import near

BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow"}
LABEL_NAMES = ("label", "target", "class", "y")
# Of cells of a table: those without a value, and numbers. Most files are no tables, so
# patterns are compiled when they are needed.
MISSING = frozenset(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"])
COMMA = r"[+-]?\d+(,\d+)?"
THOUSANDS = r"[+-]?[1-9]\d{0,2}(,\d{3})?"  # or with decimals: 1,234 may be either
POINT = r"[+-]?\d*\.\d+"
HEAD = 1 << 16
DEEPEST = 100  # objects inside of objects: what is deeper is a bad line


@dataclass
class FileShape:
    """One file: its format, its columns, and how many bytes at its beginning are not examples."""

    format: str
    options: dict[str, Any] = field(default_factory=dict)
    skip: int = 0
    skip_lines: int = 0

    def for_core(self) -> dict[str, Any]:
        return {"format": self.format, **self.options}


def recognise(path: str, head: bytes, complete: bool, reading: ReadingOptions) -> FileShape:
    """The shape of a file, from its name and its first bytes (all of them if `complete`)."""
    for magic, name in BINARY.items():
        if head.startswith(magic):
            return FileShape(name)
    bom = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(
            "text in UTF-16; expected UTF-8. Add --encoding utf-16.", where=Where(path)
        )
    text = head[bom:] if complete else head[bom : max(bom, head.rfind(b"\n") + 1)]
    if reading.format != "auto":
        name = reading.format
        if name in BINARY.values():
            raise InvalidInput(
                f"not a {name} file (it does not begin like one).", where=Where(path)
            )
    elif reading.documents and _is_documents(path, text, reading):
        name = "text"
    else:
        _refuse_what_no_format_has(path, head[bom:])
        name = by_name(path) or _by_content(path, text, reading.needs.sets)
        if name in BINARY.values():
            raise InvalidInput(
                f"not a {name} file (it does not begin like one).", where=Where(path)
            )
    if name in ("csv", "tsv"):
        shape = _table(path, name, text, reading)
    elif name == "jsonl":
        shape = FileShape(name, _json_options(path, text, reading))
    else:
        shape = FileShape(name, _without_columns(path, name, reading))
    _make_sure(path, shape, text[shape.skip :], reading)
    shape.skip += bom
    return shape


def _refuse_what_no_format_has(path: str, text: bytes) -> None:
    if re.match(rb"\s*\[\s*(\{|$)", text):
        raise InvalidInput(
            "a JSON array; expected an object on each line. Write it so, as jq does: "
            "jq -c '.[]' FILE > FILE.jsonl",
            where=Where(path),
        )
    if b"\n" not in text and re.search(rb"\r[^\r]*\r", text):
        raise InvalidInput(
            "its lines end with CR alone; expected LF or CRLF. Change them, as tr does: "
            "tr '\\r' '\\n' < FILE > NEW",
            where=Where(path),
        )


def by_name(path: str) -> str | None:
    """The format that the name of a file says it has."""
    lower = plain_name(path).lower()
    for name, suffixes in FORMATS.items():
        if lower.endswith(suffixes):
            return name
    return None


def _is_documents(path: str, text: bytes, reading: ReadingOptions) -> bool:
    """For a model that has learned from documents: all but JSON, and tables with its column."""
    if by_name(path) not in (None, "tsv", "bag"):
        return False
    first = next((line for line in text.split(b"\n") if line.strip()), b"")
    return not first.lstrip().startswith(b"{") and not set(reading.text) & set(
        _fields(first, _delimiter(first))
    )


def _by_content(path: str, text: bytes, sets: bool) -> str:
    """The first format that the first lines fit; the strictest are tried first."""
    lines = [line for line in text.split(b"\n") if line.strip()][:100]
    if not lines:
        return "svmlight"  # nothing is in every format
    if all(line.lstrip().startswith(b"{") for line in lines):
        return "jsonl"
    if all(b"|" in line for line in lines) and _bad_share("vw", text, sets) == 0:
        return "vw"
    if _bad_share("svmlight", text, sets) == 0 and any(b":" in line for line in lines):
        return "svmlight"
    if all(line.count(b"\t") == 1 for line in lines):
        return "bag"
    # Within quotes there may be delimiters and line breaks; what the last quote opens is cut off.
    unquoted = re.sub(rb'"[^"]*"', b"", text).partition(b'"')[0].rpartition(b"\n")[0]
    rows = [line for line in unquoted.split(b"\n") if line.strip()][:100] or lines
    for delimiter, name in ((b"\t", "tsv"), (b",", "csv"), (b";", "csv")):
        counts = {line.count(delimiter) for line in (lines if name == "tsv" else rows)}
        if len(counts) == 1 and counts != {0}:
            return name
    raise InvalidInput(
        f"not recognised; it begins with {_shown(lines[0])}. Say which format it is in: "
        f"--format {'|'.join(FORMATS)}.",
        where=Where(path),
    )


def _bad_share(name: str, text: bytes, sets: bool, options: dict[str, Any] | None = None) -> float:
    known = {**(options or {}), "date": []}  # a wrong date does not speak against the format
    wishes = {"need_labels": False, "sets": sets, "keep": len(known.get("keep", ()))}
    batch = TextParser({"format": name, **known}, {}, wishes).parse(text)
    total = len(batch) + len(batch.bad)
    return len(batch.bad) / total if total else 0.0


def _make_sure(path: str, shape: FileShape, text: bytes, reading: ReadingOptions) -> None:
    """A file whose lines mostly cannot be read in its format is in another one."""
    if reading.format != "auto":
        return
    if _bad_share(shape.format, text, reading.needs.sets, shape.options) <= 0.5:
        return
    if shape.skip:
        _check_width(path, shape, text)
    others = [
        name
        for name in ("jsonl", "svmlight", "vw", "bag")
        if name != shape.format and _bad_share(name, text, reading.needs.sets) == 0
    ]
    if not others and not is_utf8(text):
        raise InvalidInput(
            "text that is not UTF-8. Name its encoding, such as --encoding latin-1.",
            where=Where(path),
        )
    guess = f" It looks like {others[0]}." if others else ""
    raise InvalidInput(
        f"taken for {shape.format} by its name, but most of its first lines are not."
        f"{guess} Say which format it is in with --format.",
        where=Where(path),
    )


def _check_width(path: str, shape: FileShape, text: bytes) -> None:
    """Lines that all have more fields than the header has names, or fewer."""
    lines = [line for line in text.split(b"\n")[:100] if line.strip()]
    rows = [_fields(line, shape.options["delimiter"]) for line in lines]
    named, widths = len(shape.options["columns"]), {len(row) for row in rows}
    if len(widths) != 1 or widths == {named}:
        return
    ending = not any(row[-1] for row in rows) and widths == {named + 1}
    raise InvalidInput(
        f"the header has {named} names, and each of the lines below it {len(rows[0])} fields; "
        "expected the same number in both."
        + (" The lines end with a delimiter: end the header with a name for it, or remove it "
           "from the lines." if ending else ""),
        where=Where(path),
    )  # fmt: skip


BACKSLASHED = "\\x"  # before what is no UTF-8, in what is shown


def is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return repr(text[:60] + ("…" if len(text) > 60 else ""))


# -- tables


def _table(path: str, name: str, text: bytes, reading: ReadingOptions) -> FileShape:
    first = next((line for line in text.split(b"\n") if line.strip()), b"")
    delimiter = "\t" if name == "tsv" else _delimiter(first)
    options: dict[str, Any] = {"delimiter": delimiter}
    end = _record_end(text, {"format": "csv", "delimiter": delimiter, "columns": ["1"]})
    fields = _fields(text[:end], delimiter)
    if not fields or not first:
        nothing = {"columns": ["1"], "label": "1", "weight": "", **{role: [] for role in ROLES}}
        return FileShape(name, options | nothing)
    header = reading.header
    if header is None:
        header = _is_header(fields, text[end:], delimiter, reading)
    columns = fields if header else [str(i + 1) for i in range(len(fields))]
    broken = [column for column in columns if BACKSLASHED in column]
    if header and broken and not is_utf8(text[:end]):
        raise InvalidInput(
            f"the column name {broken[0]} is no UTF-8 text. Name its encoding, such as --encoding "
            "latin-1.",
            where=Where(path),
        )
    if "" in columns:
        raise InvalidInput(
            f"column {columns.index('') + 1} has no name in the header; expected a name "
            "for each. Give it one, or leave the column out (pandas: to_csv(index=False)).",
            where=Where(path),
        )
    if len(set(columns)) < len(columns):
        twice = next(c for c in columns if columns.count(c) > 1)
        raise InvalidInput(
            f"the column name {twice!r} stands twice in the header; expected each name once.",
            where=Where(path),
        )
    options["columns"] = columns
    try:
        options |= _columns(path, columns, reading)
    except InvalidInput as error:
        if not header and reading.header is None:
            error.advise("The first line was not taken for a header; if it is one, add --header.")
        raise
    skip = end if header else 0
    if delimiter != ",":
        labels = () if reading.needs.targets else (options["label"],)  # 1,3 may be a set of them
        looked = [i for i, name in enumerate(columns) if name not in labels]
        options["decimal_comma"] = reading.decimal_comma or _has_decimal_commas(
            text[skip:], delimiter, len(columns), looked
        )
    return FileShape(name, options, skip, text[:skip].count(b"\n"))


def _has_decimal_commas(text: bytes, delimiter: str, width: int, columns: Sequence[int]) -> bool:
    """Whether one of these columns holds numbers such as 1,5 in the first lines, not all of which
    can be thousands, and no field one such as 1.5."""
    lines = (_fields(line, delimiter) for line in text.split(b"\n")[:200])
    rows = [cells for cells in lines if len(cells) == width]
    if any(re.fullmatch(POINT, cell) for cells in rows for cell in cells):
        return False
    return any(
        any("," in cells[i] and not re.fullmatch(THOUSANDS, cells[i]) for cells in rows)
        and all(re.fullmatch(COMMA, cells[i]) or cells[i] in MISSING for cells in rows)
        for i in columns
    )


def _delimiter(line: bytes) -> str:
    return max(",;\t|", key=lambda c: (line.count(c.encode()), c == ","))


def _record_end(text: bytes, options: dict[str, Any]) -> int:
    """Where the first record ends."""
    at = 0
    while (newline := text.find(b"\n", at)) >= 0:
        if whole_records(text[: newline + 1], options):
            return newline + 1
        at = newline + 1
    return len(text)


def _fields(record: bytes, delimiter: str) -> list[str]:
    """The cells of a record, however long (the module csv has a limit, for the whole process)."""
    text = record.decode("utf-8", "backslashreplace").rstrip("\r\n")
    field = re.compile(
        r' *"([^"]*(?:""[^"]*)*)" *(?:D|\Z)|([^D]*)(?:D|\Z)'.replace("D", re.escape(delimiter))
    )
    cells: list[str] = []
    at = 0 if text else 1
    while at <= len(text):
        found = field.match(text, at)
        assert found  # the second half fits any text
        quoted, plain = found.groups()
        cells.append((plain if quoted is None else quoted.replace('""', '"')).strip())
        at = found.end() + (found[0][-1:] != delimiter)
    return cells


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_header(first: Sequence[str], rest: bytes, delimiter: str, reading: ReadingOptions) -> bool:
    """Names; what the user calls a column is among them; and no column has its own name as a value
    in the lines that follow. Whole numbers are names if the label has one. If a name is empty or
    repeated, more evidence is needed: a name of a label, or numbers below a name."""
    columns = (reading.label, reading.weight, reading.usual_label, reading.usual_weight)
    asked = [c for c in (*columns, *_roles(reading)) if c]
    names = [cell for cell in first if cell and not _is_number(cell)]
    numbers = [cell for cell in first if _is_number(cell)]
    named = any(c in names for c in asked)
    known = named or any(c.lower() in LABEL_NAMES for c in names)
    if numbers and not known:
        return False
    if not all(c.isdigit() for c in numbers):
        return False
    if named or (asked and not numbers and all(c.isdigit() for c in asked)):
        return named
    below = [_fields(line, delimiter) for line in rest.split(b"\n")[:200]]
    if any(a == b for cells in below for a, b in zip(first, cells, strict=False) if a in names):
        return False
    if all(first) and len(set(first)) == len(first):
        return True
    return any(
        name in names
        and (_has_numbers(below, i) or (name.lower() in LABEL_NAMES and first.count(name) == 1))
        for i, name in enumerate(first)
    )


def _has_numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column] for row in rows if len(row) > column and row[column]]
    return bool(cells) and all(map(_is_number, cells))


def _columns(path: str, known: Sequence[str], reading: ReadingOptions) -> dict[str, Any]:
    """The special columns, checked."""
    may_lack = (reading.label, reading.weight, *reading.ignore)  # where nothing is learned
    for column in (reading.label, reading.weight, *_roles(reading), *reading.keep):
        needed = reading.need_labels or column not in may_lack
        if column and column not in known and needed:
            missing = _no_such_column(path, column, known)
            if role := next((r for r in ROLES if column in getattr(reading, r)), None):
                missing.advise(f"It is asked for by --{role}, given here or to train the model.")
                if set(parts := column.split(",")) <= set(known):
                    each = " ".join(f"--{role} {part}" for part in parts)
                    missing.advise(f"Each column has an option of its own: {each}")
            raise missing
    groups = [re.split("[=^]", column)[0] for column in known]  # size^area is of the group size
    for group in (group for crossed in reading.cross for group in crossed):
        if group not in groups:
            raise _no_such_column(path, group, known)
    label = _label(known, reading)
    if not label and reading.need_labels:
        raise InvalidInput(
            f"which column is the label? Say it with --label; there are {_listed(known)}.",
            where=Where(path),
        )
    return {
        "label": label,
        "weight": next((w for w in (reading.weight, reading.usual_weight) if w in known), ""),
        **reading.columns_for_core(),
        "categorical": [c for c in reading.categorical if c != label or reading.label],
        "ignore": [c for c in reading.ignore if c in known],
    }


def _roles(reading: ReadingOptions) -> list[str]:
    return [column for role in ROLES for column in getattr(reading, role)]


def _without_columns(path: str, name: str, reading: ReadingOptions) -> dict[str, Any]:
    """What the formats without columns know of the options about columns."""
    if name == "text":
        if len(reading.text) > 1:
            raise InvalidInput(
                f"a line is one document, and the model has {len(reading.text)} columns of "
                f"text: {_listed(reading.text)}. Give a table with these columns.",
                where=Where(path),
            )
        return {"text": list(reading.text), "blank_lines": not reading.need_labels}
    if reading.ignore and name != "vw" and reading.need_labels:
        raise InvalidInput(
            f"{name} has neither columns nor namespaces, so there is nothing to ignore; "
            "leave --ignore out.",
            where=Where(path),
        )
    if reading.keep and (name != "vw" or reading.keep != ("tag",)):
        raise InvalidInput(
            f"--keep and --time take columns of a table or keys of JSON, and of vw the tag "
            f"alone (--keep tag); this file is in the format {name}.",
            where=Where(path),
        )
    return {"ignore": list(reading.ignore), "keep": list(reading.keep)}


def _label(known: Sequence[str], reading: ReadingOptions) -> str:
    """The column of the label: the one requested, if it exists or must; or a usual one."""
    if reading.label and (reading.label in known or reading.need_labels):
        return reading.label
    if reading.usual_label in known:
        return reading.usual_label or ""
    return next((c for c in known if c.lower() in LABEL_NAMES), "")


def _no_such_column(path: str, column: str, known: Sequence[str]) -> InvalidInput:
    return InvalidInput(
        f"there is no column {column!r}.{near(column, known)} There are {_listed(known)}.",
        where=Where(path),
    )


def _listed(names: Sequence[str], most: int = 20) -> str:
    shown = ", ".join(names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def _json_options(path: str, text: bytes, reading: ReadingOptions) -> dict[str, Any]:
    keys: list[str] = []
    for line in text.split(b"\n")[:100]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):  # a bad line, as the parser will say
            continue
        if isinstance(record, dict):
            keys += [k for k in _dotted(record) if k not in keys]
    label = _label(keys, reading)
    weight = reading.weight  # if nothing similar is here it may come later: a missing one is 1
    if reading.need_labels and weight and weight not in keys and near(weight, keys):
        raise _no_such_column(path, weight, keys)
    if reading.need_labels and keys:
        if not label:
            raise InvalidInput(
                f"which key is the label? Say it with --label; there are {_listed(keys)}.",
                where=Where(path),
            )
        if label not in keys:
            raise _no_such_column(path, label, keys)
    return {
        "label": label,
        "weight": reading.weight or (reading.usual_weight if reading.usual_weight in keys else ""),
        **reading.columns_for_core(),
    }


def _dotted(record: dict[str, Any], prefix: str = "", depth: int = 1) -> list[str]:
    keys: list[str] = []
    for key, value in record.items():
        keys.append(prefix + key)
        if isinstance(value, dict) and depth < DEEPEST:
            keys += _dotted(value, f"{prefix}{key}.", depth + 1)
    return keys
