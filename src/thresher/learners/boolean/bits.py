"""Boolean examples: arrays, sparse matrices and tables as rows of 0 and 1, and pairs of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thresher.concepts.concept import not_bits
from thresher.errors import InvalidInput, Where
from thresher.lazy import np, npt
from thresher.learners.base.examples import Rows
from thresher.learners.base.labels import Labels, plain_label

if TYPE_CHECKING:
    from thresher.learners.base.by_name import NamedCells

BINARISE = "Turn other values into yes/no features first, such as X > 0.5."


class BitRows:
    """Rows of 0 and 1, all checked: dense, or by the columns that are 1 in each row."""

    def __init__(self, rows: Rows) -> None:
        self.size, self.columns, self.names = rows.size, rows.columns, rows.names
        if isinstance(rows.core, tuple):
            self._read_sparse(*rows.core)
            return
        wrong = not_bits(rows.core)
        if wrong.any():
            i, j = (int(v) for v in np.argwhere(wrong)[0])
            raise self._not_a_bit(i, j, rows.core[i, j])
        self._dense: npt.NDArray[np.uint8] | None = rows.core.astype(np.uint8)

    def _read_sparse(self, starts: Any, index: Any, values: Any, columns: int) -> None:
        steps = np.diff(starts)
        if starts[0] != 0 or (steps < 0).any() or starts[-1] != len(index):
            raise InvalidInput("the row pointers of the sparse matrix do not fit its arrays.")
        if len(index) and not (index.min() >= 0 and index.max() < columns):
            raise InvalidInput(
                f"column number {int(index.max() if index.max() >= columns else index.min())} does "
                "not exist in this matrix."
            )
        row = np.repeat(np.arange(self.size), steps)
        if values is not None:
            wrong = not_bits(values)
            if wrong.any():
                k = int(np.argmax(wrong))
                raise self._not_a_bit(int(row[k]), int(index[k]), values[k])
            row, index = row[values != 0], index[values != 0]
        place = row.astype(np.int64) * columns + index
        place.sort()
        twice = np.flatnonzero(np.diff(place) == 0)
        if len(twice):
            i, j = divmod(int(place[twice[0]]), columns)
            raise InvalidInput(
                f"row {i}, {self._called(j)} has two entries in the sparse matrix; expected one. "
                "Call X.sum_duplicates() first."
            )
        self._dense = None
        self._index = place % columns
        self._starts = np.searchsorted(place, np.arange(self.size + 1, dtype=np.int64) * columns)

    def _called(self, j: int) -> str:
        return f"column {j}" if self.names is None else f"column {j} ({self.names[j]!r})"

    def _not_a_bit(self, i: int, j: int, value: Any) -> InvalidInput:
        return InvalidInput(
            f"row {i}, {self._called(j)} is {float(value):g}; expected 0 or 1. {BINARISE}"
        )

    def row(self, i: int) -> npt.NDArray[np.uint8]:
        """Row i as bytes."""
        if self._dense is not None:
            return np.asarray(self._dense[i])
        out = np.zeros(self.columns, np.uint8)
        out[self._index[self._starts[i] : self._starts[i + 1]]] = 1
        return out

    def count(self, chosen: npt.NDArray[np.bool_], begin: int, end: int) -> npt.NDArray[np.int64]:
        """How many of the chosen columns are 1, for each row from `begin` to `end`."""
        if self._dense is not None:
            return np.asarray(self._dense[begin:end] @ chosen.astype(np.int64))
        first = self._starts[begin]
        found = np.cumsum(chosen[self._index[first : self._starts[end]]], dtype=np.int64)
        sums = np.concatenate([[0], found])[self._starts[begin : end + 1] - first]
        return np.asarray(np.diff(sums))


def named(x: Any) -> bool:
    """Whether an example is given by names: a mapping, a set, or a list of strings."""
    if x is None or isinstance(x, (str, Mapping, set, frozenset)):
        return True
    return isinstance(x, (list, tuple)) and any(isinstance(v, str) for v in x)


def names_on(cells: NamedCells) -> set[str]:
    """The names that are true in an example."""
    for name, value in cells:
        if value not in (0.0, 1.0):
            raise InvalidInput(
                f"found {value:g}", expected="0 or 1", advice=BINARISE, where=Where(feature=name)
            )
    return {name for name, value in cells if value}


def bits_by_name(on: set[str], n: int, names: Sequence[str] | None) -> npt.NDArray[np.uint8]:
    """The n bits of an example, of which those with these names are 1."""
    place = {name: i for i, name in enumerate(names or [f"x{i + 1}" for i in range(n)])}
    out = np.zeros(n, np.uint8)
    for name in on:
        if name not in place:
            some = ", ".join(list(place)[:3])
            raise InvalidInput(f"no variable is named {name!r}; expected one of {some} …")
        out[place[name]] = 1
    return out


class TwoLabels:
    """Which label means true, and which false."""

    def __init__(self, positive: Any = None) -> None:
        self.positive = None if positive is None else plain_label(positive)
        self.truth: dict[Any, bool] = {}
        self.announced: list[Any] = []

    def copy(self) -> TwoLabels:
        other = TwoLabels(self.positive)
        other.truth, other.announced = dict(self.truth), list(self.announced)
        return other

    def add(self, values: Iterable[Any], announced: Iterable[Any] = ()) -> None:
        """Take labels that were seen or announced, and decide which is which."""
        labels = Labels([*self.truth, *values], [*self.announced, *announced])
        known = labels.sorted
        if self.positive is not None and self.positive not in known:
            known = sorted([*known, self.positive]) if len(known) < 2 else known
        if len(known) > 2:
            raise InvalidInput(
                f"found the labels {', '.join(map(repr, known[:4]))}; expected two, one for true "
                "and one for false."
            )
        self._decide(known, labels.values)
        self.announced = list(labels.announced)

    def drop_all_but(self, met: set[Any]) -> None:
        """Take back labels whose examples were not learned."""
        self.truth = {label: value for label, value in self.truth.items() if label in met}

    def _decide(self, known: list[Any], met: list[Any]) -> None:
        if self.positive is not None:
            if self.positive not in known:
                raise InvalidInput(
                    f"the labels are {known[0]!r} and {known[1]!r}; positive is "
                    f"{self.positive!r}, which is neither."
                )
            truth = {label: label == self.positive for label in met}
        elif len(known) == 2:
            truth = {label: label == known[1] for label in met}
        elif known and isinstance(known[0], str):
            raise InvalidInput(
                f"{known[0]!r} is the only label so far; expected to know which of two means true. "
                f"Pass positive={known[0]!r} (or the other one), or announce both: "
                "partial_fit(X, y, classes=[...])."
            )
        else:
            truth = {label: label > 0 for label in met}
        for label, before in self.truth.items():
            if truth[label] != before:
                raise InvalidInput(
                    f"the label {label!r} came first and was taken for {before}, since it is a "
                    f"number {'above' if before else 'not above'} 0; now there are {known!r}, of "
                    f"which the larger means true. Pass positive={known[1]!r} when you start."
                )
        self.truth = truth

    @property
    def sorted(self) -> list[Any]:
        extra = [] if self.positive is None else [self.positive]
        return sorted({*self.truth, *self.announced, *extra})

    def label(self, value: bool) -> Any:
        """The label for true or false; while only one is known, its usual counterpart."""
        for label, meaning in self.truth.items():
            if meaning is value:
                return label
        known = self.sorted
        if len(known) == 2:
            return next(label for label in known if label not in self.truth)
        (only,) = known
        if isinstance(only, bool):
            return not only
        return {1: type(only)(0), 0: type(only)(1), -1: type(only)(1)}.get(only, only)
