"""One example, as readers yield it and writers take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Label = str | int | float
LabelSet = frozenset[Label]


@dataclass(slots=True)
class Example:
    """A label, an importance, a tag, and features by name.

    >>> Example("spam", features={"winner": 1.0, "color=red": 1.0}).label
    'spam'
    """

    label: Label | LabelSet | None  # None: to predict, not to learn from
    weight: float = 1.0
    tag: str = ""  # Vowpal Wabbit's name of an example
    features: Mapping[str, float] = field(default_factory=dict)
