"""Examples as the theorems see them: rows x with x0 = 1, labels as signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.base.examples import checked, read_rows
from thresher.learners.base.labels import Labels, column
from thresher.sparse import is_sparse

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SignedExamples:
    """Rows x (the constant feature last, if there is one) and the sign y of each."""

    rows: Any
    """A float64 array, or a CSR array of scipy."""
    y: Floats
    """+1 or −1."""
    labels: tuple[Any, ...]
    """The labels of −1 and +1; a single one if only one label occurs."""

    @property
    def sparse(self) -> bool:
        return not isinstance(self.rows, np.ndarray)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def columns(self) -> int:
        return int(self.rows.shape[1])

    def squared_norms(self) -> Floats:
        """‖x‖² of each row, the constant feature included."""
        if self.sparse:
            return np.asarray(self.rows.multiply(self.rows).sum(axis=1), dtype=float).ravel()
        return np.asarray(np.einsum("ij,ij->i", self.rows, self.rows))

    def signed_rows(self) -> Any:
        """z = y·x: data is separable when some w has w·z > 0 for all of them."""
        if self.sparse:
            z = self.rows.copy()
            z.data *= np.repeat(self.y, np.diff(z.indptr))
            return z
        return self.rows * self.y[:, None]


def signs(y: npt.NDArray[Any], classes: Any = None) -> tuple[Floats, tuple[Any, ...]]:
    """±1 for each label, and the labels: the larger of two is +1.

    A single label is +1, unless it is a number ≤ 0 or False. `classes`, if given, are the two
    possible labels.
    """
    labels = Labels(announced=[] if classes is None else list(classes))
    codes = labels.encode(y)
    known = labels.sorted
    if len(known) > 2:
        raise InvalidInput(
            f"y has {len(known)} labels, {known[0]!r}, {known[1]!r}, {known[2]!r} …; expected two. "
            "For many classes, compare one with the rest: y == label."
        )
    negative = np.array(labels.looks_negative, dtype=bool)
    return np.where(negative[codes], -1.0, 1.0), tuple(known)


def signed_examples(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    classes: Any = None,
    intercept_scaling: float = 1.0,
) -> SignedExamples:
    """Check X and y. Sparse matrices stay sparse; an error names the position of a bad value."""
    if is_sparse(X):
        read_rows(X)
        rows = checked(X).tocsr().astype(np.float64)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        refuse_endless(rows.data, lambda at: place_in_csr(rows, at))
    else:
        read = read_rows(X)
        rows = np.asarray(read.core, dtype=np.float64)
        refuse_endless(rows.ravel(), lambda at: divmod(at, rows.shape[1]))
    given = column(y, rows.shape[0], "a theorem about labelled examples")
    sign, labels = signs(given, classes)
    if fit_intercept:
        constant = np.full((rows.shape[0], 1), float(intercept_scaling))
        if isinstance(rows, np.ndarray):
            rows = np.hstack([rows, constant])
        else:
            from thresher.extras import package

            sparse = package("scipy.sparse")

            rows = sparse.hstack([rows, sparse.csr_array(constant)], format="csr")
    examples = SignedExamples(rows, sign, labels)
    refuse_huge(examples)
    return examples


def refuse_huge(examples: SignedExamples) -> None:
    """Every margin needs ‖x‖²."""
    with np.errstate(over="ignore"):
        bad = np.flatnonzero(~np.isfinite(examples.squared_norms()))
    if len(bad):
        raise InvalidInput(
            f"X has values in row {bad[0]} whose squares are too large to be added up; expected "
            "‖x‖² to be finite. Scale the data down."
        )


def refuse_endless(values: Floats, place: Any) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row, col = place(int(bad[0]))
        raise InvalidInput(
            f"X has {values[bad[0]]} in row {row}, column {col}; expected finite numbers. "
            "Fill or drop such rows first."
        )


def place_in_csr(rows: Any, at: int) -> tuple[int, int]:
    return int(np.searchsorted(rows.indptr, at, side="right") - 1), int(rows.indices[at])
