"""Bags of names, `LABEL<TAB>name name …`, read the slow way."""

from typing import Any

from parsing import plain


def parse(
    text: bytes,
    need_labels: bool = True,
    targets: bool = False,
    sets: bool = False,
    **words: Any,
) -> list[plain.Row | plain.Bad]:
    def read(line: bytes) -> plain.Row:
        plain.check_text(line)
        fields = line.split(b"\t")
        label = None
        if len(fields) > 2:
            raise plain.Problem(len(fields[0]) + 1 + len(fields[1]))
        if len(fields) == 2 and (fields[0] or sets):
            label = plain.label_of(fields[0], 0, targets, sets)
        elif need_labels:
            raise plain.Problem(0 if len(fields) == 2 else len(line))
        features = plain.Features(**words)
        for word in fields[-1].split(b" "):
            if word:
                features.word(b"", word)
        features.end_words(b"")
        return plain.Row(label, features=features.done(line))

    return plain.parse_lines(text, lambda line: not line.strip(plain.SPACES), read)
