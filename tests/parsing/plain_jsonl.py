"""JSON Lines, as `src/core/parse/jsonl.hpp` describes it, read the slow way.

The parser is our own, since the one of Python's library does not say where a value stands.
"""

import re
from collections.abc import Sequence
from typing import Any

from parsing import plain
from parsing.plain_words import add_words

TOKEN = re.compile(rb'[^ \t\r\n,:"{}\[\]]*+')
NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
PIECE = re.compile(rb'[^"\\\x00-\x1f]+|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]')
SIMPLE = dict(zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t', strict=True))
DEEPEST = 100


class Reader:
    """One record: `at` is how far it has been read."""

    def __init__(
        self,
        line: bytes,
        label: str,
        weight: str,
        text: Sequence[str],
        categorical: Sequence[str],
        need_labels: bool,
        targets: bool,
        sets: bool,
        **words: Any,
    ) -> None:
        self.line, self.at, self.depth = line, 0, 0
        self.label, self.weight = label.encode(), weight.encode()
        self.text = [key.encode() for key in text]
        self.categorical = [key.encode() for key in categorical]
        self.need_labels, self.targets, self.sets = need_labels, targets, sets
        self.row, self.features = plain.Row(None), plain.Features(**words)
        self.weighted = False

    def read(self) -> plain.Row:
        plain.check_text(self.line)
        self.skip()
        if self.here != b"{":
            raise plain.Problem(self.at)
        self.object(b"")
        self.skip()
        complete = self.row.label is not None
        if self.at < len(self.line) or (self.need_labels and not complete):
            raise plain.Problem(self.at)
        self.row.features = self.features.done(self.line)
        return self.row

    @property
    def here(self) -> bytes:
        return self.line[self.at : self.at + 1]

    def skip(self) -> None:
        while self.here in (b" ", b"\t", b"\r", b"\n"):
            self.at += 1

    def sign(self, wanted: bytes) -> None:
        """A sign of structure, with the blanks around it."""
        self.skip()
        if self.here != wanted:
            raise plain.Problem(self.at)
        self.at += 1
        self.skip()

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise plain.Problem(self.at)

    def object(self, prefix: bytes) -> None:
        self.enter()
        self.sign(b"{")
        first = True
        while self.here != b"}" or not first:
            first = False
            if self.here != b'"':
                raise plain.Problem(self.at)
            key = self.string()
            self.sign(b":")
            self.value(prefix + key)
            self.skip()
            if self.here == b"}":
                break
            self.sign(b",")
        self.at += 1
        self.depth -= 1

    def array(self, path: bytes) -> None:
        self.enter()
        self.sign(b"[")
        group = path + b"="
        position = 0
        while self.here != b"]" or position > 0:
            if self.here != b'"':
                self.features.end_words(group)
                self.value(path + b".%d" % position)
            elif path in self.text:
                add_words(self.features, group, self.string())
            else:
                self.features.word(group, self.string())
            position += 1
            self.skip()
            if self.here == b"]":
                break
            self.sign(b",")
        self.at += 1
        self.features.end_words(group)
        self.depth -= 1

    def value(self, path: bytes) -> None:
        if path == self.label and path:
            self.read_label()
        elif path == self.weight and path:
            self.read_weight()
        elif self.here == b"{":
            self.object(path + b".")
        elif self.here == b"[":
            self.array(path)
        elif self.here == b'"' and path in self.text:
            add_words(self.features, path + b"=", self.string())
        elif self.here == b'"':
            self.features.add(path + b"=" + self.string(), 1.0)
        else:
            token = self.scalar()
            if token in (b"true", b"false"):
                self.features.add(path, float(token == b"true"))
            elif token != b"null" and path in self.categorical:
                self.features.add(path + b"=" + token, 1.0)
            elif token != b"null":
                self.features.add(path, float(token))

    def scalar(self) -> bytes:
        """A finite number, true, false or null."""
        found = TOKEN.match(self.line, self.at)
        token = found.group() if found else b""
        if token not in (b"true", b"false", b"null") and not (
            NUMBER.fullmatch(token) and plain.finite(token) is not None
        ):
            raise plain.Problem(self.at)
        self.at += len(token)
        return token

    def read_label(self) -> None:
        at = self.at
        is_set = self.sets and self.here == b"["
        label = b",".join(self.label_array()) if is_set else self.one_label()
        if label == b"" and not is_set:
            if self.need_labels:
                raise plain.Problem(at)
        elif self.row.label is not None:
            raise plain.Problem(at)
        else:
            try:
                self.row.label = plain.label_of(label, at, self.targets, self.sets)
            except plain.Problem:
                raise plain.Problem(at) from None

    def one_label(self) -> bytes:
        """Nothing if it is null."""
        is_string = self.here == b'"'
        label = self.string() if is_string else self.scalar()
        return b"" if label == b"null" and not is_string else label

    def label_array(self) -> list[bytes]:
        labels: list[bytes] = []
        self.sign(b"[")
        while self.here != b"]" or labels:
            at = self.at
            labels.append(self.one_label())
            if labels[-1] == b"" or b"," in labels[-1]:
                raise plain.Problem(at)
            self.skip()
            if self.here == b"]":
                break
            self.sign(b",")
        self.at += 1
        return labels

    def read_weight(self) -> None:
        at = self.at
        token = self.scalar()
        if token == b"null" and not self.need_labels:
            return
        if token in (b"true", b"false", b"null") or float(token) < 0 or self.weighted:
            raise plain.Problem(at)
        self.row.weight, self.weighted = float(token), True

    def string(self) -> bytes:
        begin = self.at
        self.at += 1
        out = b""
        while m := PIECE.match(self.line, self.at):
            piece = m.group()
            if piece[:2] == b"\\u":
                out += self.character()
            elif piece[:1] == b"\\":
                out += bytes([SIMPLE[piece[1]]])
                self.at += 2
            else:
                out += piece
                self.at += len(piece)
        if self.here != b'"':
            unended = self.line[self.at :] in (b"", b"\\")
            raise plain.Problem(begin if unended else self.at)
        self.at += 1
        return out

    def character(self) -> bytes:
        """One of \\uXXXX, or of two that belong together."""
        for size in (12, 6):
            m = re.fullmatch(rb"(\\u[0-9a-fA-F]{4})+", self.line[self.at : self.at + size])
            units = m.group().replace(b"\\u", b"") if m else b""
            try:
                text = bytes.fromhex(units.decode()).decode("utf-16-be")
            except UnicodeDecodeError:
                continue
            if len(text) == 1:
                self.at += size
                return text.encode()
        raise plain.Problem(self.at)


def parse(
    data: bytes,
    /,
    *,
    label: str = "",
    weight: str = "",
    text: Sequence[str] = (),
    categorical: Sequence[str] = (),
    need_labels: bool = True,
    targets: bool = False,
    sets: bool = False,
    **words: Any,
) -> list[plain.Row | plain.Bad]:
    options = (label, weight, text, categorical, need_labels, targets, sets)
    return plain.parse_lines(
        data,
        lambda line: not line.strip(b" \t\r\n"),
        lambda line: Reader(line, *options, **words).read(),
    )
