"""Vowpal Wabbit's text, `[label] [importance] ['tag]|namespace[:scale] name[:value] …`, slowly."""

import math
import re
from typing import Any

from parsing import plain

NOT_FINITE = re.compile(rb"(inf|infinity|nan(\([A-Za-z0-9_]*\))?)", re.IGNORECASE)


def parse(
    text: bytes, targets: bool = False, sets: bool = False, need_labels: bool = True, **words: Any
) -> list[plain.Row | plain.Bad]:
    """A line without a label is one to predict, whether labels are needed or not."""

    def read(line: bytes) -> plain.Row:
        bar = line.find(b"|")
        if bar < 0:
            raise plain.Problem(len(line))
        row = before_bar(line[:bar], targets, sets)
        features = plain.Features(**words)
        at = bar + 1
        parts = line[at:].split(b"|")
        for part in parts[:-1]:
            name_space(part, at, features, followed_by_bar=True)
            at += len(part) + 1
        name_space(parts[-1], at, features, followed_by_bar=False)
        row.features = features.done(line)
        return row

    return plain.parse_lines(text, lambda line: not line.strip(plain.SPACES), read)


def before_bar(head: bytes, targets: bool, sets: bool) -> plain.Row:
    if b"\t" in head:
        raise plain.Problem(head.index(b"\t"))
    words = [(match.start(), match.group()) for match in re.finditer(rb"[^ ]+", head)]
    row = plain.Row(None)
    if words:
        at, last = words[-1]
        if last.startswith(b"'") or at + len(last) == len(head):
            row.tag = last.removeprefix(b"'")
            words.pop()
    if len(words) > 3:
        raise plain.Problem(words[3][0])
    if len(words) > 2 and plain.finite(words[2][1]) != 0:
        raise plain.Problem(words[2][0])
    if len(words) > 1:
        weight = plain.finite(words[1][1])
        if weight is None or weight < 0:
            raise plain.Problem(words[1][0])
        row.weight = weight
    if words:
        at, label = words[0]
        if label == b"shared" or b":" in label:
            raise plain.Problem(at)
        if b"," in label and not sets:
            raise plain.Problem(at + label.index(b","))
        row.label = plain.label_of(label, at, targets, sets)
    return row


def name_space(part: bytes, at: int, features: plain.Features, followed_by_bar: bool) -> None:
    """All between two bars; it begins in column `at`."""
    group, colon, scale = re.match(rb"([^ \t:\r]*)(:?)((?<=:)[^ \t]*)?", part).groups()
    begin = len(group)
    factor: float | None = 1.0
    if colon:
        if not group:
            raise plain.Problem(at)
        factor = plain.finite(scale)
        if factor is None:
            raise plain.Problem(at + len(group) + 1)
        begin += 1 + len(scale)
    if group:
        group += b"^"
    unnamed = 0
    for match in re.finditer(rb"[^ \t]+", part[begin:]):
        token, token_at = match.group(), at + begin + match.start()
        name = re.match(rb"[^:\r]*", token).group()
        value_at = token_at + len(name) + 1
        value: float | None = factor
        if token[len(name) : len(name) + 1] == b"\r":
            raise plain.Problem(token_at + len(name))
        if len(token) > len(name):
            text = token[len(name) + 1 :]
            if not name:
                name = b"%d" % unnamed
                unnamed += 1
            value = plain.finite(text)
            if value is None:
                if text[:1] in b"0123456789+-.:" or NOT_FINITE.fullmatch(text):
                    raise plain.Problem(value_at)
                if followed_by_bar and begin + match.end() == len(part):
                    raise plain.Problem(at + len(part))
                if b"\r" in text:
                    raise plain.Problem(value_at + text.index(b"\r"))
                name, value = name + b"=" + text, 1.0
            else:
                value *= factor
                if not math.isfinite(value):
                    raise plain.Problem(value_at)
        bare = token == name and factor == 1.0  # a word that is counted
        features.word(group, name, None if bare else value)
    features.end_words(group)
