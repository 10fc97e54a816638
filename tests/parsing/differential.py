"""Texts on which a native parser and its plain twin must agree, row for row, fault for fault."""

import random
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from parsing import native, plain

# What a label is: one word, a number to predict, or a set of words.
LABELS = {"kind": st.sampled_from([{}, {"targets": True}, {"sets": True}])}
# What is made of words.
WORDS = {
    "ngrams": st.integers(1, 3),
    "char_ngrams": st.sampled_from(["", "", "1-2", "3-3"]),
    "weighting": st.sampled_from(["count", "count", "binary", "log"]),
}
CORPUS = Path(__file__).parent / "corpus"


def texts(pieces: list[bytes], longest: int = 60) -> st.SearchStrategy[bytes]:
    """Pieces of a format in any order: mostly almost right, so that every rule is tried."""
    piece = st.sampled_from(pieces)
    anything = st.binary(min_size=1, max_size=3)
    often = st.one_of(*[piece] * 9, anything)
    return st.lists(often, max_size=longest).map(b"".join)


def numbers() -> st.SearchStrategy[bytes]:
    """Numbers in all ways of writing them, and what only looks like a number."""
    digits = st.text("0123456789", max_size=25)
    sign = st.sampled_from(["", "", "", "-", "+", "+-"])
    exponent = st.one_of(
        st.just(""), st.integers(-400, 400).map("e{}".format), st.just("E+07"), st.just("e")
    )
    parts = st.tuples(sign, digits, st.sampled_from(["", "."]), digits, exponent)
    written = st.one_of(parts.map("".join), st.floats().map(repr), st.floats().map(float.hex))
    return written.map(str.encode)


def check(module, format: str, text: bytes, chunk: int = 0, /, **options: object) -> None:
    """The native parser, at once and in chunks, makes of the text what the plain one does."""
    expected = module.parse(text, **options)
    assert native.parse(text, format=format, **options) == expected
    if chunk > 0:
        assert native.parse(text, format=format, chunk=chunk, **options) == expected


def long_text(feature: Callable[[str], str], head: str, bad: str) -> bytes:
    """Lines of many new names, so that tables grow, with bad lines that must give theirs back.

    `feature` writes one feature, `head` begins a line, `bad` makes it bad at its end.
    """
    chosen = random.Random(0)
    lines = []
    for size in [3, 400, 900, 5, 3000, 2, 20000, 7]:
        for end in ("", bad):
            names = [str(chosen.randrange(10 ** chosen.randrange(1, 15))) for _ in range(size)]
            lines.append(head + " ".join(map(feature, names)) + end)
    return "\n".join(lines).encode()


def corpus(format: str) -> list[Path]:
    """Texts that were worth keeping."""
    return sorted((CORPUS / format).iterdir())


def good(rows: list[plain.Row | plain.Bad]) -> list[plain.Row]:
    """The rows of a text in which nothing may be bad."""
    assert not any(isinstance(row, plain.Bad) for row in rows), rows
    return [row for row in rows if isinstance(row, plain.Row)]
