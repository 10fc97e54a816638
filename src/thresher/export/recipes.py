"""What exports cannot do with the way in which a model's features are made."""

from __future__ import annotations

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
                f"this model makes features by {name}={value!r}, and an export to {place} cannot: "
                f"{why}. JSON holds the recipe as well: --to json."
            )
