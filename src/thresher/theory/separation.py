"""Is there a linear separator? One with the largest margin, or a proof that there is none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.sparse import is_sparse
from thresher.theory.certificate import Certificate, entries, exact_certificate, rounded_norm
from thresher.theory.max_margin import Conflict, Solved, row_norms, shortest_separator
from thresher.theory.signed import Floats, SignedExamples, signed_examples


@dataclass(frozen=True)
class Separable:
    """The separator of largest margin among all unit vectors (w, b), b the weight of x0 = 1."""

    weights: Floats
    """w; with the intercept it has length 1."""
    intercept: float
    """b; the length of (w, b) is 1. 0 without `fit_intercept`."""
    margin: float
    """γ, the smallest y·(w·x + b) of this separator; none has more than γ + `gap`."""
    support: tuple[int, ...]
    """Rows whose margin is γ and that determine it."""
    gap: float
    """How much larger the largest margin can be, by duality."""
    note: str = ""
    """What is special about the data, if anything."""

    separable = True

    def __str__(self) -> str:
        text = f"separable with margin {self.margin:.9g} (within {self.gap:.1g})"
        return f"{text}, support of {len(self.support)}" + (f"; {self.note}" if self.note else "")


@dataclass(frozen=True)
class Inseparable:
    """No separator was found, and examples that leave none, or next to none.

    If the certificate is exact, no linear separator exists; `thresher.theory.verify` checks it. If
    it is not, the question is undecided: a separator of margin `margin_at_most` or less may exist.
    """

    certificate: Certificate
    margin_at_most: float
    """0 if the certificate is exact; else the largest margin that it leaves possible."""

    @property
    def separable(self) -> bool | None:
        """False; None if that is undecided."""
        return False if self.certificate.exact else None

    def __str__(self) -> str:
        count = len(self.certificate.rows)
        if self.certificate.exact:
            return f"not separable: {count} signed examples combine to exactly zero"
        return f"undecided: {self.doubt()}"

    def doubt(self) -> str:
        """What is known where it is undecided."""
        count, most = len(self.certificate.rows), f"{self.margin_at_most:.2g}"
        return f"{count} signed examples leave no margin above {most}, but perhaps a smaller one"


Separability: TypeAlias = Separable | Inseparable


def separability(X: Any, y: Any, fit_intercept: bool = True) -> Separability:
    """Decide whether two labels can be separated by a hyperplane, with a proof either way.

    The margin is that of Novikoff's theorem: with `fit_intercept` the constant feature x0 = 1 is
    part of x, and it is the whole vector, bias included, that has length 1. (A support vector
    machine leaves the bias out of the length, so its margin differs.) Without `fit_intercept` the
    hyperplane goes through 0.

    Solved by the dual active-set method (see `thresher.theory.max_margin`); the gap that remains is
    reported, and is usually near 1e-14 of the margin. When the method finds a conflict, the
    conflicting examples are combined to zero in integers, so rounding does not decide. Only if
    they are too many (600; about 150 if their values have all the digits of a float), or combine
    to less than 1e-14 of the longest example but not to zero, is it undecided: no margin exceeds
    `margin_at_most`, and ``separable`` is None.

    Sparse matrices stay sparse. Equal rows cost nothing; equal points with opposite labels, and
    zero rows without an intercept, are a certificate by themselves. With one label there is always
    a separator if there is an intercept; the note says so.

    >>> print(separability([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]))
    not separable: 4 signed examples combine to exactly zero
    >>> found = separability([[2.0], [-2.0]], [1, -1])
    >>> found.weights.round(9).tolist(), round(found.margin, 9), found.support
    ([1.0], 2.0, (0, 1))
    """
    examples = signed_examples(X, y, fit_intercept)
    z = examples.signed_rows()
    zero = np.flatnonzero(row_norms(z) == 0.0)
    if len(zero):
        return Inseparable(Certificate((int(zero[0]),), (1,), fit_intercept), 0.0)

    note = "only one label, so any data is separable" if trivial(examples, fit_intercept) else ""
    proofs: list[Certificate] = []

    def proved(conflict: Conflict) -> bool:
        part = z[conflict.rows]
        proof = exact_certificate(part, conflict.rows, conflict.weights, fit_intercept)
        if proof is not None:
            proofs.append(proof)
        return proof is not None

    solved = shortest_separator(z, proved)
    if proofs:
        return Inseparable(proofs[-1], 0.0)
    if isinstance(solved, Conflict):
        rows, weights = solved.rows, solved.weights
    else:
        alpha = np.maximum(solved.alpha, 0.0)
        rows, weights = solved.support, alpha / alpha.sum()
        if separates(z, solved.w):
            return separator(z, solved.w, rows, weights, fit_intercept, note)
    # Floats could not decide. Scaling the features does not change the answer, but often helps.
    scales = powers_of_two(z)
    again = shortest_separator(scaled(z, 1.0 / scales), proved)
    if proofs:
        return Inseparable(proofs[-1], 0.0)
    if isinstance(again, Solved) and separates(z, again.w / scales):
        return separator(z, again.w / scales, rows, weights, fit_intercept, note)
    certificate = Certificate(tuple(rows), tuple(weights.tolist()), fit_intercept)
    return Inseparable(certificate, rounded_norm(z[rows], weights))


def separator(
    z: Any, w: Floats, rows: list[int], weights: Floats, fit_intercept: bool, note: str
) -> Separable:
    """w, with its margin and the upper bound from the weights of the rows."""
    w = w / np.abs(w).max()
    w = w / np.linalg.norm(w)
    margin = float(np.asarray(z @ w).min())
    at_most = float(np.linalg.norm(z[rows].T @ weights))
    return Separable(
        weights=w[:-1] if fit_intercept else w,
        intercept=float(w[-1]) if fit_intercept else 0.0,
        margin=margin,
        support=tuple(sorted(rows)),
        gap=max(0.0, at_most - margin),
        note=note,
    )


def powers_of_two(z: Any) -> Floats:
    """The magnitude of each column as a power of 2: dividing by it is exact."""
    largest = abs(z).max(axis=0)
    largest = largest.toarray() if is_sparse(largest) else np.asarray(largest)
    return np.asarray(np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0).ravel())[1]))


def scaled(z: Any, factors: Floats) -> Any:
    if isinstance(z, np.ndarray):
        return z * factors
    part = z.copy()
    part.data *= factors[part.indices]
    return part


def trivial(examples: SignedExamples, fit_intercept: bool) -> bool:
    return fit_intercept and len(examples.labels) < 2


def separates(z: Any, w: Floats) -> bool:
    """Whether w·z > 0 for every row."""
    return bool((exact_signs(z, w) > 0).all())


def exact_signs(z: Any, w: Floats) -> npt.NDArray[np.int8]:
    """The sign of w·z for every row: where rounding may have decided it, computed as a fraction."""
    scores = np.asarray(z @ w)
    eps = float(np.finfo(float).eps)
    doubt = (z.shape[1] + 2) * eps * row_norms(z) * float(np.linalg.norm(w))
    signs: npt.NDArray[np.int8] = np.sign(scores).astype(np.int8)
    for i in np.flatnonzero(np.abs(scores) <= doubt):
        score = exact_score(z, int(i), w)
        signs[i] = (score > 0) - (score < 0)
    return signs


def exact_score(z: Any, i: int, w: Floats) -> Fraction:
    return sum((Fraction(v) * Fraction(float(w[j])) for j, v in entries(z, i)), Fraction(0))
