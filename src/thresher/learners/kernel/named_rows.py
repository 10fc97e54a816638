"""Examples by name as sparse rows: which name is which column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from thresher.lazy import np
from thresher.learners.kernel.sparse_rows import Sparse, one_row

if TYPE_CHECKING:
    from thresher.learners.base.by_name import NamedCells


class NameColumns:
    """The columns of an array, then further names.

    A name is kept only once an example that has it is: see `keep`.
    """

    def __init__(self, columns: int = 0, names: Iterable[str] | None = None) -> None:
        self.columns = columns
        named = [f"x{j}" for j in range(columns)] if names is None else list(names)
        self.ids = {name: j for j, name in enumerate(named)}

    def row(self, cells: NamedCells) -> tuple[Sparse, list[str]]:
        """An example as a row, and its new names: the last columns of the row."""
        ids, new = self.numbers([name for name, _ in cells])
        return one_row(ids, [value for _, value in cells], len(self.ids) + len(new)), new

    def numbers(self, names: list[str]) -> tuple[list[int], list[str]]:
        """The columns of names, and which names are new."""
        new: dict[str, int] = {}
        ids = []
        for name in names:
            known = self._number(name)
            ids.append(new.setdefault(name, len(self.ids) + len(new)) if known is None else known)
        return ids, list(new)

    def _number(self, name: str) -> int | None:
        known = self.ids.get(name)
        if known is None and name.isdecimal() and len(name) < 10 and int(name) < self.columns:
            return int(name)  # a column of an array, by its number
        return known

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


def is_numbers(x: Any) -> bool:
    """Whether an example is an array, a value for each column, and not a set of names."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biuf"
    return isinstance(x, (list, tuple)) and any(isinstance(v, float) for v in x)
