"""Features by name → the columns of a table, so that reading the table gives the names back.

`age` of value 30 is the number 30 in the column age; `color=red` of value 1 is the text red in the
column color. Text that a reader would take for a number or for a missing value (`zip=12345`,
`answer=NA`) cannot be written so: it has its own column, `zip=12345`, with the number 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from thresher.data.example import Example
from thresher.data.formats import MISSING
from thresher.errors import InvalidInput


@dataclass(frozen=True)
class TableColumns:
    """The columns of features in order, which of them hold text, and whether one holds weights."""

    names: tuple[str, ...]
    text: frozenset[str] = field(default_factory=frozenset)
    weights: bool = False

    @classmethod
    def given(cls, names: Sequence[str], weight: str = "weight") -> TableColumns:
        """As a user writes them: a column of text ends with `=`, that of the weights is `weight`.

        >>> TableColumns.given(["age", "color=", "weight"])
        TableColumns(names=('age', 'color'), text=frozenset({'color'}), weights=True)
        """
        plain = [name.removesuffix("=") for name in names]
        if repeated := [name for name in plain if plain.count(name) > 1]:
            raise InvalidInput(f"found the column {repeated[0]!r} twice; expected it once")
        text = frozenset(name[:-1] for name in names if name.endswith("="))
        features = tuple(name for name in plain if name != weight)
        return cls(features, text - {weight}, weight in plain)


def collect_columns(
    examples: Iterable[Example], label: str = "label", weight: str = "weight"
) -> TableColumns:
    """The columns that these examples need, in order of appearance.

    `color=…` shares one column of text unless some example has two of them, or a feature is called
    color.

    >>> collect_columns([Example("a", features={"age": 30, "color=red": 1})]).names
    ('age', 'color')
    """
    group_of: dict[str, str] = {}  # of each name; "" if it has none
    plain: set[str] = set()  # names that need their own column
    split = {label, weight}  # groups whose names need it
    weights = False
    for example in examples:
        weights |= example.weight != 1
        groups: set[str] = set()
        for name, value in example.features.items():
            pair = as_text(name, value)
            if pair is None:
                plain.add(name)
                group_of.setdefault(name, "")
                continue
            group = pair[0]
            if group in groups:
                split.add(group)
            groups.add(group)
            group_of[name] = group
    names: dict[str, None] = {}
    text: set[str] = set()
    for name, group in group_of.items():
        if group and group not in split and group not in plain:
            text.add(group)
            names[group] = None
        if not group or name in plain or group not in text:
            names[name] = None
    return TableColumns(tuple(names), frozenset(text), weights)


def as_text(name: str, value: float) -> tuple[str, str] | None:
    """`color=red` of value 1 → color, red; None for what must be written as a number."""
    if value != 1:
        return None
    group, sign, text = name.partition("=")
    return (group, text) if sign and group and _stays_text(text) else None


def _stays_text(text: str) -> bool:
    """Whether no reader takes it for a number or a missing value."""
    if text in MISSING or text.lstrip("+-").lower().startswith(("inf", "nan")):
        return False
    try:
        float(text.replace(",", ".", 1))  # a decimal comma is read where a file seems to have them
    except ValueError:
        return True
    return False


class TableCells:
    """Puts the features of an example into the columns."""

    def __init__(self, columns: TableColumns, label: str, weight: str) -> None:
        self._columns = columns
        self._place = {name: i for i, name in enumerate(columns.names)}
        self._label, self._weight = label, weight
        for name in (label, weight) if columns.weights else (label,):
            if name in self._place:
                raise InvalidInput(
                    f"a feature is called {name!r}, as is the column of the "
                    f"{'label' if name == label else 'weight'}: choose another name for that one"
                )

    def of(self, example: Example) -> dict[int, float | str]:
        """The filled cells: a number or a text for the place of a column."""
        if example.weight != 1 and not self._columns.weights:
            raise InvalidInput(
                f"found the weight {example.weight!r} without a column for it; add "
                f"{self._weight} to the columns"
            )
        cells: dict[int, float | str] = {}
        for name, value in example.features.items():
            place = self._place.get(name)
            if place is not None and name not in self._columns.text:
                cells[place] = value
                continue
            pair = as_text(name, value)
            if pair is None or pair[0] not in self._columns.text:
                raise InvalidInput(self._no_column(name, value))
            place = self._place[pair[0]]
            if place in cells:
                raise InvalidInput(
                    f"found {pair[0]}={cells[place]} and {name} in one example; expected one text "
                    f"in the column {pair[0]!r}: give each a column of its own"
                )
            cells[place] = pair[1]
        return cells

    def _no_column(self, name: str, value: float) -> str:
        pair = as_text(name, value)
        choices = f"{pair[0]}= (a column of text) or {name}" if pair else name
        return f"found the feature {name!r} without a column for it; add {choices} to the columns"
