"""CSV, as `src/core/parse/csv.hpp` describes it, read the slow way."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from parsing import plain
from parsing.plain_words import add_words

MISSING = {b"", b"NA", b"N/A", b"NaN", b"nan", b"null", b"NULL", b"None", b"?"}
TRUTHS = (b"true", b"True", b"TRUE", b"false", b"False", b"FALSE")
NO_FINITE_NUMBER = re.compile(rb"[+-]?(inf|infinity|nan(\([A-Za-z0-9_]*\))?)", re.IGNORECASE)
LONGEST_QUOTED = 1 << 20  # with the quote that closes it


@dataclass
class Field:
    begin: int  # in the record, behind the delimiter
    at: int  # behind blanks too
    text: bytes = b""
    problem: int | None = None  # where the quote stands that does not close, or what is behind it


def parse(
    data: bytes,
    /,
    *,
    columns: Sequence[str],
    delimiter: str = ",",
    label: str = "",
    weight: str = "",
    text: Sequence[str] = (),
    categorical: Sequence[str] = (),
    need_labels: bool = True,
    targets: bool = False,
    sets: bool = False,
    **words: Any,
) -> list[plain.Row | plain.Bad]:
    blanks = plain.SPACES.replace(delimiter.encode(), b"")

    def read(record: bytes, fields: list[Field]) -> plain.Row:
        plain.check_text(record)
        row, features = plain.Row(None), plain.Features(**words)
        for i, field in enumerate(fields):
            if i == len(columns):
                raise plain.Problem(field.begin)
            if field.problem is not None:
                raise plain.Problem(field.problem)
            if columns[i] in (label, weight):
                label_or_weight(row, columns[i], field.text.strip(plain.SPACES + b"\n"), field.at)
            elif field.text not in MISSING:
                value(features, columns[i], field.text, field.at)
        if len(fields) < len(columns) or (label == "" and need_labels):
            raise plain.Problem(len(record))
        row.features = features.done(record)
        return row

    def label_or_weight(row: plain.Row, column: str, said: bytes, at: int) -> None:
        if said in MISSING and not (sets and column == label and not said):
            if need_labels:
                raise plain.Problem(at)
        elif column == label:
            try:
                row.label = plain.label_of(said, at, targets, sets)
            except plain.Problem:
                raise plain.Problem(at) from None  # the field may be a copy
        else:
            number = plain.finite(said)
            if number is None or number < 0:
                raise plain.Problem(at)
            row.weight = number

    def value(features: plain.Features, column: str, said: bytes, at: int) -> None:
        name = column.encode()
        if column in text:
            add_words(features, name + b"=", said)
        elif column not in categorical and said in TRUTHS:
            features.add(name, float(said.lower() == b"true"))
        elif column in categorical or not (
            plain.NUMBER.fullmatch(said) or NO_FINITE_NUMBER.fullmatch(said)
        ):
            features.add(name + b"=" + said, 1.0)
        else:
            number = plain.finite(said)
            if number is None:
                raise plain.Problem(at)
            features.add(name, number)

    found: list[plain.Row | plain.Bad] = []
    line = 0
    for record, fields in records(data, delimiter.encode(), blanks):
        body = record.removesuffix(b"\n").removesuffix(b"\r")
        if body.strip(blanks):
            try:
                row = read(body, fields)
                row.line = line
                found.append(row)
            except plain.Problem as problem:
                # An empty field at the end of the line stands before its end, \r\n.
                found.append(plain.Bad(line, min(problem.at, len(body))))
        line += record.count(b"\n")
    return found


def records(data: bytes, delimiter: bytes, blanks: bytes) -> Iterator[tuple[bytes, list[Field]]]:
    """Each record with its newline, and its fields."""
    blank = re.compile(b"[" + re.escape(blanks) + b"]*+")
    tabs = delimiter == b"\t"  # then quotes close on their line, or are plain characters
    quoted = re.compile(rb'"((?:[^"\n]|"")*+)"' if tabs else rb'"((?:[^"]|"")*+)"')
    unquoted = re.compile(rb"[^\n" + re.escape(delimiter) + rb"]*+")
    begin = 0
    while begin < len(data):
        fields: list[Field] = []
        at = begin
        while True:
            start = end_of(blank, data, at)
            field = Field(at - begin, start - begin)
            fields.append(field)
            found = quoted.match(data, start)
            if found and len(found[1]) < LONGEST_QUOTED:
                stop = end_of(blank, data, found.end())
                field.text = found[1].replace(b'""', b'"')
                closed = data[stop : stop + 1] in (delimiter, b"\n", b"")
            else:
                closed, stop = False, len(data)
            if data[start : start + 1] != b'"' or (tabs and not closed):
                stop = end_of(unquoted, data, start)
                field.text = data[start:stop].rstrip(blanks)
            elif not closed:  # its line is the last of the record
                newline = data.find(b"\n", start)
                end = newline if newline >= 0 else len(data)
                field.problem = (stop if stop < end else start) - begin
                stop = end
            at = stop + 1
            if data[stop : stop + 1] != delimiter:
                break
        yield data[begin:at], fields
        begin = at


def end_of(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    found = pattern.match(data, at)
    assert found  # it matches nothing too
    return found.end()
