"""Labels of many rows as small numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from thresher.lazy import np, npt


class CodedLabels(Sequence[Any]):
    """Labels with a small number for each: many rows without an object for each."""

    def __init__(self, values: list[Any], codes: npt.NDArray[np.integer[Any]]) -> None:
        """A code is the place of its label in `values`."""
        self.values, self.codes = values, codes

    @property
    def occurring(self) -> list[Any]:
        """The labels of some row."""
        return [self.values[code] for code in np.unique(self.codes).tolist()]

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> CodedLabels: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return CodedLabels(self.values, self.codes[place])
        return self.values[self.codes[place]]

    def __iter__(self) -> Iterator[Any]:
        values = self.values
        return iter([values[code] for code in self.codes.tolist()])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)
