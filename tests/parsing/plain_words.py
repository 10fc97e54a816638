"""The words of a running text, as `src/core/parse/words.hpp` describes them."""

import unicodedata

from parsing.plain import Features

APOSTROPHES = "'’"


def lower(character: str) -> str:
    """Simple case folding: one character for one."""
    folded = character.casefold()
    if len(folded) != 1:
        folded = character.lower()
    return folded if len(folded) == 1 else character


def in_word(character: str) -> bool:
    if character < "\x80":
        return character.isalnum() or character == "_"
    return unicodedata.category(character)[0] not in "PZ"


def words_of(text: str) -> list[str]:
    words, word = [], ""
    for i, character in enumerate(text):
        if in_word(character):
            word += lower(character)
        elif character in APOSTROPHES and word and i + 1 < len(text) and in_word(text[i + 1]):
            word += "'"
        else:
            words += [word] if word else []
            word = ""
    return [*words, word] if word else words


def add_words(features: Features, group: bytes, text: bytes) -> None:
    for word in words_of(text.decode()):
        features.word(group, word.encode())
    features.end_words(group)
