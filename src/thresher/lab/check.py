"""What a page may send: every number, word and list is checked before it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from thresher.errors import InvalidInput

T = TypeVar("T")


def fields(name: str, value: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """A JSON object with no other entries than these."""
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} is {short(value)}; expected an object.")
    for key in value:
        if key not in known:
            raise InvalidInput(
                f"{name} has an entry {short(key)}; expected {', '.join(known) or 'none'}."
            )
    return value


def items(name: str, value: Any, most: int, each: Callable[[str, Any], T]) -> list[T]:
    """A JSON array, not too long, each of its items checked."""
    if not isinstance(value, list):
        raise InvalidInput(f"{name} is {short(value)}; expected a list.")
    if len(value) > most:
        raise InvalidInput(f"{name} has {len(value):,} items; expected at most {most:,}.")
    return [each(f"{name}[{i}]", item) for i, item in enumerate(value)]


def number(name: str, value: Any, least: float = -1e9, most: float = 1e9) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput(f"{name} is {short(value)}; expected a number.")
    if not least <= value <= most:  # NaN is not, either
        raise InvalidInput(
            f"{name} is {short(value)}; expected a number from {least:g} to {most:g}."
        )
    return float(value)


def whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{name} is {short(value)}; expected a whole number from {least} to {most}."
        )
    return value


def word(name: str, value: Any, choices: tuple[str, ...] | None = None, most: int = 200) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise InvalidInput(f"{name} is {short(value)}; expected a text of at most {most} letters.")
    if choices is not None and value not in choices:
        raise InvalidInput(f"{name} is {short(value)}; expected one of {', '.join(choices)}.")
    return value


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is {short(value)}; expected true or false.")
    return value


def short(value: Any) -> str:
    """A value as a message shows it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
