"""Examples by name as sparse rows: which name is which column."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.learners.base.examples import refuse_none, spelled
from thresher.learners.kernel.sparse_rows import Sparse, one_row

if TYPE_CHECKING:
    import numpy as np
else:
    from thresher.lazy import np


class Names:
    """The columns of an array, then further names.

    A name is kept only once an example that has it is: see `keep`.
    """

    def __init__(self, columns: int = 0, names: Iterable[str] | None = None) -> None:
        self.columns = columns
        named = [f"x{j}" for j in range(columns)] if names is None else list(names)
        self.ids = {name: j for j, name in enumerate(named)}

    def row(self, x: Any) -> tuple[Sparse, list[str]]:
        """An example as a row, and its new names: the last columns of the row."""
        new: dict[str, int] = {}
        index, values = [], []
        for name, value in _cells(x):
            if isinstance(name, int):  # a column by its number, or a name that is a number
                text = str(name)
                known = name if 0 <= name < self.columns else self.ids.get(text)
            else:
                text, known = name, self.ids.get(name)
            if known is None:
                known = new.setdefault(text, len(self.ids) + len(new))
            index.append(known)
            values.append(value)
        return one_row(index, values, len(self.ids) + len(new)), list(new)

    def numbers(self, names: list[str]) -> tuple[list[int], list[str]]:
        """The columns of a table, and its new names."""
        new: dict[str, int] = {}
        ids = [
            self.ids[n] if n in self.ids else new.setdefault(n, len(self.ids) + len(new))
            for n in names
        ]
        return ids, list(new)

    def keep(self, new: list[str]) -> None:
        for name in new:
            self.ids[name] = len(self.ids)

    def drop_unused(self, used: Any) -> Any:
        """Forget names that no support vector has; returns the new number of each old one."""
        place = np.full(len(self.ids), -1, np.int32)
        kept = np.union1d(np.arange(self.columns), used).astype(np.intp)
        place[kept] = np.arange(len(kept))
        names = list(self.ids)
        self.ids = {names[j]: i for i, j in enumerate(kept)}
        return place


def _cells(x: Any) -> Iterable[tuple[str | int, float]]:
    """Names and values; ``{"color": "red"}`` is the feature ``color=red``."""
    refuse_none(x)
    if isinstance(x, (str, bytes)) or not isinstance(x, Iterable):
        raise InvalidInput(
            f"an example is {x!r}; expected a dict of named features, a list or set of names, or "
            "an array of numbers."
        )
    if not isinstance(x, Mapping):
        for name in x:
            yield _name(name), 1.0
        return
    for key, value in x.items():
        name = _name(key)
        if value is None:
            continue
        if isinstance(value, str):
            yield f"{name}={value}", 1.0
            continue
        if not isinstance(value, (numbers.Real, np.bool_)):
            raise InvalidInput(
                f"feature {key!r}: found {value!r} of type {type(value).__name__}; expected a "
                "number, a boolean, a string or None."
            )
        number = float(value)
        if not math.isfinite(number):
            raise InvalidInput(f"feature {key!r} is {number}; expected a finite number.")
        yield name, number


def _name(key: Any) -> str | int:
    text = spelled(key)
    if text is not None:
        return text
    if type(key) is not bool and isinstance(key, numbers.Integral):
        return int(key)
    raise InvalidInput(
        f"a feature's name is {key!r}; expected a string, a tuple of strings, or a whole number."
    )


def is_numbers(x: Any) -> bool:
    """Whether an example is an array, a value for each column, and not a set of names."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biuf"
    return isinstance(x, (list, tuple)) and any(isinstance(v, float) for v in x)
