"""Arguments, checked: rows of numbers, weights, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput

Floats = npt.NDArray[np.float64]


def numbers(values: Any, name: str) -> Floats:
    """An array of numbers; None becomes NaN."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} cannot be read as numbers: {_start(values)}.") from None


def _start(values: Any) -> str:
    text = repr(values)
    return text if len(text) <= 60 else text[:57] + "..."


def weights_of(weights: npt.ArrayLike | None, rows: int) -> Floats:
    if weights is None:
        return np.broadcast_to(np.float64(1.0), rows)  # takes no memory
    w = numbers(weights, "weights")
    if w.shape != (rows,):
        raise InvalidInput(f"weights have shape {w.shape}; expected {(rows,)}: one each example.")
    bad = np.flatnonzero(~(np.isfinite(w) & (w >= 0)))
    if len(bad):
        raise InvalidInput(f"weights[{bad[0]}] is {w[bad[0]]}; expected a finite number ≥ 0.")
    return w


def scores_of(scores: Any, rows: int, labels: int) -> Floats:
    """A column for the second of two labels, or one for each of more."""
    s = numbers(scores, "scores")
    columns = 1 if labels == 2 else labels
    if s.ndim == 1 and columns == 1:
        s = s[:, None]
    if s.shape != (rows, columns):
        raise InvalidInput(
            f"scores have shape {s.shape}; expected {(rows, columns)} for {labels} labels."
        )
    bad = np.flatnonzero(np.isnan(s).any(axis=1))
    if len(bad):
        raise InvalidInput(f"scores[{bad[0]}] is NaN; expected a number.")
    return s


def probabilities_of(probabilities: Any, rows: int, labels: int) -> Floats:
    """A column for each label; for two labels that of the second is enough."""
    p = numbers(probabilities, "probabilities")
    if p.ndim == 1 and labels == 2:
        p = np.stack([1.0 - p, p], axis=1)
    if p.shape != (rows, labels):
        raise InvalidInput(
            f"probabilities have shape {p.shape}; expected {(rows, labels)}: one a label."
        )
    good = ((p >= 0) & (p <= 1)).all(axis=1) & (np.abs(p.sum(axis=1) - 1.0) < 1e-6)
    if not good.all():
        i = int(np.flatnonzero(~good)[0])
        raise InvalidInput(
            f"probabilities[{i}] is {p[i]}; expected numbers within [0, 1] that add up to 1."
        )
    return p
