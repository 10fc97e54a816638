"""Comparators: the vectors u that the bounds are computed from. Any u gives a valid bound."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.learners.linear.passive_aggressive import PassiveAggressive
from thresher.learners.linear.perceptron import Perceptron
from thresher.theory.bounds import Margins
from thresher.theory.certificate import Certificate
from thresher.theory.separation import Inseparable, Separability, separability
from thresher.theory.signed import Floats, SignedExamples

SMALL_SIDE = 1000  # the exact separator is computed if rows or columns are at most this many
SMALL_CELLS = 5_000_000  # and nonzeros
SUBSET = 500  # examples among which a certificate is searched for otherwise
HARD = 1e5  # C·R² of a support vector machine with almost no slack
OTHERS = 300  # of these, in their order
MOST_PASSES = 60  # of the perceptron that tries to separate


@dataclass(frozen=True)
class Comparator:
    """A vector with the constant feature last, and where it comes from."""

    origin: str
    u: Floats
    margins: Margins


def cells_of(examples: SignedExamples) -> int:
    return int(examples.rows.nnz if examples.sparse else examples.rows.size)


def is_small(examples: SignedExamples) -> bool:
    side = min(len(examples), examples.columns)
    return side <= SMALL_SIDE and cells_of(examples) <= SMALL_CELLS


def decide(examples: SignedExamples, bias: bool, rows: Any = None) -> Separability:
    """`separability` of examples that have their constant feature, or of some of them.

    Whether a combination is zero does not depend on the size of that constant, so a certificate is
    one for x0 = 1 as well.
    """
    part, y = examples.rows, examples.y
    if rows is not None:
        part, y = part[rows], y[rows]
    found = separability(part, y, fit_intercept=False)
    if not isinstance(found, Inseparable):
        return found
    at = found.certificate.rows
    if rows is not None:
        at = tuple(int(rows[i]) for i in at)
    certificate = Certificate(at, found.certificate.weights, bias)
    return replace(found, certificate=certificate)


def subset_certificate(examples: SignedExamples, bias: bool, margins: Floats) -> Inseparable | None:
    """A certificate among some examples, if there is one: the hardest ones for a comparator, and
    others, as only the hardest would be separated by −u.

    If they have more columns than rows, they are almost surely separable, and finding out would
    take long.
    """
    hardest = np.argsort(margins, kind="stable")[: SUBSET - OTHERS]
    others = np.linspace(0, len(margins) - 1, min(OTHERS, len(margins))).astype(np.int64)
    rows = np.union1d(hardest, others)
    part = examples.rows[rows]
    active = np.unique(part.indices) if examples.sparse else np.flatnonzero(part.any(axis=0))
    if len(active) > len(rows):
        return None
    found = decide(examples, bias, rows)
    return found if isinstance(found, Inseparable) and found.certificate.exact else None


def candidates(
    examples: SignedExamples, own: tuple[str, Floats] | None, C: float, squared: bool
) -> list[Comparator]:
    """Cheap vectors: the learner's own weights, and those of a linear support vector machine.

    min ‖u‖²/2 + C·Σ max(0, 1 − y·u·x) is, up to a factor, what the noisy bounds consist of: C is
    1/R² for the Perceptron, and the learner's own for PA-I; with `squared` losses for PA-II.
    """
    found: list[Comparator] = []
    if own is not None and np.isfinite(own[1]).all() and own[1].any():
        found.append(Comparator(own[0], own[1], Margins.of_examples(examples, own[1])))
    if len(set(examples.y.tolist())) < 2:
        return found
    origin, u = support_vectors(examples, C, squared)
    if np.isfinite(u).all() and u.any():
        found.append(Comparator(origin, u, Margins.of_examples(examples, u)))
    return found


def some_example(examples: SignedExamples) -> Comparator:
    """If all weights are zero, any u will do: the longest example itself."""
    longest = int(np.argmax(examples.squared_norms()))
    row = examples.rows[[longest]]
    u = np.asarray(row.toarray() if examples.sparse else row, dtype=float).ravel()
    return Comparator("the longest example", u, Margins.of_examples(examples, u))


def support_vectors(examples: SignedExamples, C: float, squared: bool) -> tuple[str, Floats]:
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        model = PassiveAggressive(C=C, variant="PA-II" if squared else "PA-I", max_epochs=10,
                                  fit_intercept=False)  # fmt: skip
        model.fit(examples.rows, examples.y)
        return "averaged passive-aggressive, 10 passes", model.coef_[0].copy()
    loss = "squared_hinge" if squared else "hinge"
    machine = LinearSVC(C=C, loss=loss, fit_intercept=False, random_state=0, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence: any u will do
        machine.fit(with_small_indices(examples.rows), examples.y)
    return "linear support vector machine", np.asarray(machine.coef_[0], dtype=float)


def with_small_indices(rows: Any) -> Any:
    """scikit-learn takes no 64-bit indices."""
    if isinstance(rows, np.ndarray):
        return rows
    rows = rows.copy()
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return rows


def separating(examples: SignedExamples) -> Comparator | None:
    """A vector that separates, from a hard support vector machine, or from a perceptron if it
    completes an epoch without a mistake in time."""
    if len(set(examples.y.tolist())) == 2:
        R2 = float(examples.squared_norms().max())
        origin, u = support_vectors(examples, HARD / R2, squared=False)
        margins = Margins.of_examples(examples, u) if u.any() else None
        if margins is not None and margins.gamma > 0.0:
            return Comparator(f"{origin} without slack", u, margins)
    model = Perceptron(average=False, max_epochs=MOST_PASSES, fit_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is not separable is also a result
        model.fit(examples.rows, examples.y)
    u = model.coef_[0].copy()
    if not model.converged_ or not u.any():
        return None
    margins = Margins.of_examples(examples, u)
    passes = f"{model.epochs_} passes"
    return Comparator(f"a perceptron that came to separate, {passes}", u, margins)


def given_vector(comparator: Any, columns: int, bias: bool, scaling: float) -> Floats:
    """The caller's comparator: a model with coef_ and intercept_, or an array of weights."""
    if hasattr(comparator, "coef_"):
        w = np.asarray(comparator.coef_, dtype=float)
        if w.ndim == 2 and len(w) != 1:
            raise InvalidInput(
                f"the comparator has weights of shape {w.shape}; expected those of two classes."
            )
        b = float(np.ravel(getattr(comparator, "intercept_", 0.0))[0])
        w = np.append(w.ravel(), b / scaling) if bias else w.ravel()
    else:
        try:
            w = np.asarray(comparator, dtype=float).ravel()
        except (TypeError, ValueError):
            w = np.zeros(0)
        if bias and len(w) == columns - 1:
            w = np.append(w, 0.0)
    if len(w) != columns or not np.isfinite(w).all() or not w.any():
        raise InvalidInput(
            f"comparator is {comparator!r}; expected 'auto', 'exact', a trained linear model, or "
            f"{columns - bias} finite weights{' (and the intercept)' if bias else ''}, not all 0."
        )
    return w
