"""Words of running texts, of all scripts."""

import unicodedata

from parsing.plain_words import in_word, lower, words_of
from thresher._core import TextParser


def features_of(text: str, **recipe) -> list[str]:
    form = {"format": "csv", "columns": ["t", "y"], "label": "y", "text": ["t"]}
    quoted = text.replace('"', '""')
    batch = TextParser(form, recipe, {}).parse(f'"{quoted}",1\n'.encode())
    assert not batch.bad, batch.bad
    return [name.decode().removeprefix("t=") for name in batch.names]


def test_every_character_is_folded_and_separates_as_python_says():
    # Those of Unicode 3.2, about which all versions agree.
    known = [
        chr(c) for c in range(0x80, 0x110000)
        if not 0xD800 <= c <= 0xDFFF and unicodedata.ucd_3_2_0.category(chr(c)) != "Cn"
        # Meanwhile letters, or folded to one that came later.
        and unicodedata.ucd_3_2_0.category(chr(c)) == unicodedata.category(chr(c))
    ]  # fmt: skip
    assert len(known) > 80_000
    found: list[str] = []
    for i in range(0, len(known), 50_000):
        found += features_of("\n".join(f"x{c}x" for c in known[i : i + 50_000]))
    expected = [f"x{lower(c)}x" for c in known if in_word(c)]
    assert set(found) - {"x", "x'x"} == set(expected)


def test_words_of_several_scripts():
    text = "“Don’t PANIC”: ÜBER-große Straße, ΑΘΗΝΑ… Москва «да» — 42 € ok🙂 l'été 東京、大阪 O'"
    assert features_of(text) == list(dict.fromkeys(words_of(text)))
    assert features_of(text) == [
        "don't", "panic", "über", "große", "straße", "αθηνα", "москва", "да", "42", "€", "ok🙂",
        "l'été", "東京", "大阪", "o",
    ]  # fmt: skip


def test_older_models_keep_their_words():
    assert features_of("ÜBER Don’t", rules=1) == ["Über", "don’t"]
