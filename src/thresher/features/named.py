"""Features by their names: hashed into fixed memory, or multiplied pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from thresher._core import Lexicon, Preparer
from thresher.errors import InvalidInput
from thresher.features.transformer import Transformer, sparse_like
from thresher.lazy import np, npt
from thresher.learners.base.examples import is_table, read_rows
from thresher.options import Declared, count, special
from thresher.sparse import is_sparse


def are_examples(X: Any) -> bool:
    """Whether these are examples by name: dicts, or lists or sets of names."""
    if is_sparse(X) or is_table(X) or not isinstance(X, Sequence) or not len(X):
        return False
    first = X[0]
    if isinstance(first, (Mapping, set, frozenset)):
        return True
    return isinstance(first, (list, tuple)) and bool(first) and isinstance(first[0], str)


class Hashing(Declared, Transformer):
    """Names hashed to 2^bits columns: a stream of any names in fixed memory.

    Takes examples by name (a list of dicts, or of lists or sets of names) and returns a sparse
    matrix; for an array or a table it hashes the names of the columns. Names that share a column
    add up. It needs no ``fit``. With files the same is ``hash_bits``, with commands
    ``--hash-bits``.

    Examples
    --------
    >>> from thresher.features import Hashing
    >>> Hashing(bits=10).transform([{"a": 1.0, "b": 2.0}, ["a", "a"]]).shape
    (2, 1024)
    """

    bits: int = count(default=18, least=1, most=30, doc="of the number of columns, 2^bits.")

    def _new(self) -> Preparer:
        self.checked()
        preparer = Preparer([], Lexicon(self.bits, 1, 0))
        preparer.grow(1 << self.bits)
        return preparer

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Learns nothing; for an array or a table it keeps the names of the columns."""
        if X is None or are_examples(X):
            self._preparer = self._new()
            return self
        return super().fit(X)

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """As `fit`."""
        return self.fit(X) if X is None or are_examples(X) else super().partial_fit(X)

    def _begin(self, rows: Any) -> None:
        self._preparer = self._new()
        self._settle_columns(rows.columns, rows.names)

    def _learn(self, X: Any) -> None:
        rows = read_rows(X)
        if self._width is not None:
            self._check_columns(rows.columns, rows.names)
        else:
            self._begin(rows)
        finite_rows(rows)

    def _transformed(self, X: Any) -> Any:
        """A sparse matrix of 2^bits columns."""
        from thresher.extras import package

        sparse = package("scipy.sparse")

        if are_examples(X):
            starts, index, values = self._started().transform_examples(list(X), False)
            return sparse.csr_array((values, index, starts), shape=(len(X), 1 << self.bits))
        if self._width is None:
            self._begin(read_rows(X))
        rows = read_rows(X)
        self._check_columns(rows.columns, rows.names)
        finite_rows(rows)
        bucket = np.array(self._started().ids(self._names_in()), dtype=np.int64)
        csr = sparse.csr_array(rows.core if not isinstance(rows.core, tuple) else X)
        out = (csr.data.astype(np.float64), bucket[csr.indices], csr.indptr)
        hashed = sparse_like(X if is_sparse(X) else csr, out, (rows.size, 1 << self.bits))
        hashed.sum_duplicates()
        return hashed

    def _names_out(self) -> list[str]:
        return [f"hash{i}" for i in range(1 << self.bits)]

    def _renamed(self, names: list[str]) -> list[str]:
        return self._names_out()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def transform_one(self, x: Any) -> dict[str, float]:
        """The columns of one example by name, as hash17."""
        made = self._started().transform_one(x)
        return {f"hash{name.removeprefix('x')}": value for name, value in made.items()}


def _pairs(pairs: Any) -> list[tuple[str, str]]:
    if isinstance(pairs, str) or not all(
        not isinstance(pair, str) and len(pair) == 2 and all(type(w) is str for w in pair)
        for pair in pairs
    ):
        raise InvalidInput(
            f"pairs is {pairs!r}; expected pairs of names, such as [('color', 'size')]."
        )
    return [(a, b) for a, b in pairs]


class Crosses(Declared, Transformer):
    """All features, and the products of the given pairs: a, b, a*b.

    A pair names two columns of a table, or two keys of a dict. A key whose value is a string
    stands for its feature: ``{"color": "red"}`` is the feature ``color=red``. Columns of an
    array without names are x0, x1, … With files the same is ``cross``, with commands ``--cross``.

    Examples
    --------
    >>> from thresher.features import Crosses
    >>> cross = Crosses([("color", "size")])
    >>> cross.transform_one({"color": "red", "size": 2.0})
    {'color=red': 1.0, 'size': 2.0, 'color=red*size': 2.0}
    >>> Crosses([("x0", "x1")]).fit_transform([[2, 3]]).tolist()
    [[2.0, 3.0, 6.0]]
    """

    pairs: Sequence[tuple[str, str]] = special(default=(), check=_pairs, doc="the pairs, by name.")

    def _new(self) -> Preparer:
        recipe = {"text": [], "categorical": [], "ngrams": 1, "cross": self.checked()["pairs"]}
        return Preparer([], None, recipe)

    def _begin(self, rows: Any) -> None:
        preparer = Preparer([])
        preparer.grow(rows.columns)
        self._settle_columns(rows.columns, rows.names)
        try:
            self._columns()
        except InvalidInput:
            self._width = self._column_names = None
            raise
        self._preparer = preparer

    def _columns(self) -> list[tuple[int, int]]:
        """The pairs as column numbers."""
        names = self._names_in()
        for name in (name for pair in self.checked()["pairs"] for name in pair):
            if name not in names:
                raise InvalidInput(f"pairs names {name!r}, which is no column; found {names[:20]}.")
        return [(names.index(a), names.index(b)) for a, b in self.checked()["pairs"]]

    def _transformed(self, X: Any) -> Any:
        """The columns, then a column for each pair."""
        from thresher.extras import package

        sparse = package("scipy.sparse")

        plain = super()._transformed(X)
        pairs = self._columns()
        if not pairs:
            return plain
        left, right = (plain[:, list(side)] for side in zip(*pairs, strict=True))
        if is_sparse(plain):
            stacked = sparse.hstack([plain, left.multiply(right)], format="csr")
            return sparse_like(X, (stacked.data, stacked.indices, stacked.indptr), stacked.shape)
        return np.hstack([plain, left * right])

    def _names_out(self) -> list[str]:
        if self._width is None:
            return self._started().names()
        return self._renamed(self._names_in())

    def _renamed(self, names: list[str]) -> list[str]:
        return [*names, *(f"{names[a]}*{names[b]}" for a, b in self._columns())]

    def transform_one(self, x: Any) -> dict[str, float]:
        """One example by name, and the products of the pairs that it has."""
        return self._new().transform_one(x)

    def learn_one(self, x: Any) -> None:
        """There is nothing to learn."""


def finite_rows(rows: Any) -> None:
    """The native steps check every value; without them this does."""
    values: npt.NDArray[Any] = rows.core[2] if isinstance(rows.core, tuple) else rows.core
    if values is not None and not np.isfinite(values).all():
        raise InvalidInput("X contains NaN or inf; expected finite numbers (no NaN, no inf).")
