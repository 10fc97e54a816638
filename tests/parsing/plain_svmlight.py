"""svmlight / LIBSVM, `label [qid:n] id:value … [# comment]`, read the slow way."""

import re

from parsing import plain

WORD = re.compile(rb"[^ \t\r\f\v]+")
# What follows an id and a colon may be followed by a comment at once; a qid may not.
FEATURE = re.compile(rb"([0-9]+):([^ \t\r\f\v#]*)")
QUERY = re.compile(rb"qid:(-?[0-9]+)")


def parse(
    text: bytes, need_labels: bool = True, targets: bool = False, sets: bool = False
) -> list[plain.Row | plain.Bad]:
    def read(line: bytes) -> plain.Row:
        at = len(line) - len(line.lstrip(plain.SPACES))
        label = re.match(rb"[^ \t\r\f\v#]*", line[at:]).group()
        row = plain.Row(None)
        if b":" in label:
            if sets:
                row.label = b""
            elif need_labels:
                raise plain.Problem(at)
        else:
            if b"," in label and not sets:
                raise plain.Problem(at + label.index(b","))
            row.label = plain.label_of(label, at, targets, sets)
            at += len(label)
        features = plain.Features()
        while True:
            at = len(line) - len(line[at:].lstrip(plain.SPACES))
            if at == len(line) or line[at : at + 1] == b"#":
                break
            word = WORD.match(line, at).group()
            feature = FEATURE.match(line, at)
            query = QUERY.fullmatch(word)
            if feature and int(feature[1]) < 2**63:
                value = plain.finite(feature[2])
                if value is None:
                    raise plain.Problem(feature.start(2))
                features.add(b"%d" % int(feature[1]), value)
                at = feature.end()
            elif query and -(2**63) <= int(query[1]) < 2**63:
                at += len(word)
            else:
                raise plain.Problem(at)
        row.features = features.done(line)
        return row

    def is_blank(line: bytes) -> bool:
        return line.lstrip(plain.SPACES)[:1] in (b"", b"#")

    return plain.parse_lines(text, is_blank, read)
