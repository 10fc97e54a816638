"""What exports cannot do with the way in which a model's features are made."""

from __future__ import annotations

from typing import Any

from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput


def refuse_recipe(
    recipe: ReadingOptions, place: str, why: str, also: tuple[str, ...] = ("cross", "missing")
) -> None:
    """Refuse features that are made of words, of dates, or of what `also` names."""
    usual = ReadingOptions()
    for name in ("text", "date", "ngrams", "char_ngrams", "weighting", *also):
        value = getattr(recipe, name)
        if value != getattr(usual, name):
            raise InvalidInput(
                f"this model makes features by --{name.replace('_', '-')} {_typed(value)}, and an "
                f"export to {place} cannot: {why}. JSON holds the recipe as well: --to json."
            )


def _typed(value: Any) -> str:
    """An option as it is typed.

    >>> _typed((("site", "ad"),)), _typed((3, 5)), _typed("mean"), _typed(("day",))
    ('site,ad', '3-5', 'mean', 'day')
    """
    if not isinstance(value, tuple):
        return str(value)
    if isinstance(value[0], int):
        return "-".join(map(str, value))
    return value[0] if isinstance(value[0], str) else ",".join(value[0])
