"""The words of a running text, as `src/core/parse/words.hpp` describes them."""

import re

from parsing.plain import Features

WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]+('[A-Za-z0-9_\x80-\xff]+)*")


def add_words(features: Features, group: bytes, text: bytes) -> None:
    for found in WORD.finditer(text):
        features.word(group, found.group().lower())
    features.end_words(group)
