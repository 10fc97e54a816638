"""Classes given as lists: of truth tables, or of functions that can only be called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from thresher.concepts.classes import ConceptClass, packed
from thresher.concepts.concept import Concept, Predicate, TruthTable, not_bits, row_number
from thresher.errors import InvalidInput
from thresher.lazy import np, npt


class TruthTables(ConceptClass):
    kind = "truth_tables"

    def __init__(self, tables: Any) -> None:
        try:
            values = np.asarray(list(tables))
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"the truth tables are not rows of one length: {error}") from None
        if len(values) == 0:
            raise InvalidInput("the class is empty: no truth table; expected at least one concept.")
        n = values.shape[1].bit_length() - 1 if values.ndim == 2 else 0
        if values.ndim != 2 or n < 1 or values.shape[1] != 2**n:
            raise InvalidInput(
                f"the truth tables have shape {values.shape}; expected (concepts, 2^n) with a "
                "value for each of the 2^n inputs, n ≥ 1."
            )
        wrong = not_bits(values)
        if wrong.any():
            i, row = (int(where) for where in np.argwhere(wrong)[0])
            raise InvalidInput(
                f"truth table {i}, row {row} is {values[i, row].item()!r}; expected 0 or 1."
            )
        super().__init__(n)
        self._count = len(values)
        # By input: the values of all concepts on it are one row, which the core takes as it is.
        self._words = packed(values.astype(bool).T)

    @classmethod
    def from_words(cls, words: npt.NDArray[np.uint64], n: int, size: int) -> TruthTables:
        """The class from a file, checked."""
        if not (type(n) is int and type(size) is int and 1 <= n <= 62 and size >= 1):
            raise InvalidInput(f"truth tables of {n!r} variables, {size!r} of them.")
        width = (size + 63) // 64
        if len(words) != 2**n * width:
            raise InvalidInput("the truth tables do not fit their number.")
        made = cls.__new__(cls)
        ConceptClass.__init__(made, n)
        made._count = size
        made._words = words.astype(np.uint64).reshape(2**n, width)
        return made

    @property
    def size(self) -> int:
        return self._count

    title = "truth tables"

    def settings(self) -> dict[str, Any]:
        return {"n": self.n, "size": self.size, "words": self._words.tobytes()}

    def __repr__(self) -> str:
        return f"<{self}>"

    def _concept(self, i: int) -> Concept:
        values = self._words[:, i // 64] >> np.uint64(i % 64) & np.uint64(1)
        return TruthTable(self.n, values.astype(np.uint8).tobytes())

    def _shape(self) -> dict[str, Any]:
        return {"kind": "listed", "size": self.size}

    def _column(self, x: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        return np.asarray(self._words[row_number(x)])


class Predicates(ConceptClass):
    kind = "predicates"

    def __init__(self, functions: Iterable[Callable[..., Any]], n: Any) -> None:
        super().__init__(n)
        self._functions = list(functions)
        if not self._functions:
            raise InvalidInput("the class is empty: no predicate; expected at least one concept.")
        for i, function in enumerate(self._functions):
            if not callable(function):
                raise InvalidInput(f"predicate {i} is {function!r}; expected a function of x.")

    @property
    def size(self) -> int:
        return len(self._functions)

    title = "predicates"

    def settings(self) -> dict[str, Any]:
        return {"n": self.n, "functions": tuple(self._functions)}

    def __repr__(self) -> str:
        return f"<{self}>"

    def _concept(self, i: int) -> Concept:
        function = self._functions[i]
        if isinstance(function, Concept):
            return function
        return Predicate(self.n, function, getattr(function, "__name__", repr(function)))

    def _shape(self) -> dict[str, Any]:
        return {"kind": "listed", "size": self.size}

    def _column(self, x: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        seen = x.astype(bool)
        return packed(np.array([bool(function(seen)) for function in self._functions]))


def truth_tables(tables: Any) -> ConceptClass:
    """Concepts given by their values: a row for each, in it a value for each of the 2^n inputs.

    Input r is the one whose x_{i+1} is bit i of r.

    >>> both = truth_tables([[0, 0, 0, 1], [0, 1, 1, 0]])
    >>> both.n, both.size, both.concept(1)([1, 0])
    (2, 2, True)
    """
    return TruthTables(tables)


def predicates(functions: Iterable[Callable[..., Any]], n: int) -> ConceptClass:
    """Concepts given as functions of x, an array of n booleans; may be concepts of other classes.

    Examples
    --------
    >>> def most(x):
    ...     return x.sum() > 1
    >>> from thresher.concepts import conjunctions
    >>> [str(f) for f in predicates([most, conjunctions(3).concept(1)], n=3)]
    ['most', 'x1']
    """
    return Predicates(functions, n)
