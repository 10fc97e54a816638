"""The weights of rows: `sample_weight`, checked."""

from __future__ import annotations

from typing import TypeAlias

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.examples import as_floats, contiguous

Floats: TypeAlias = "npt.NDArray[np.float64]"


def fit_weights(sample_weight: npt.ArrayLike | None, rows: int) -> Floats | None:
    """`sample_weights` of all rows: some of them must not be 0."""
    weights = sample_weights(sample_weight, rows)
    if weights is not None and not weights.any():
        raise InvalidInput(
            f"sample_weight is zero for all {rows} rows, so there is nothing to learn; expected at "
            "least one that is not."
        )
    return weights


def sample_weights(sample_weight: npt.ArrayLike | None, rows: int) -> Floats | None:
    """The importance of each row: finite numbers ≥ 0."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.ndim != 1:
        raise InvalidInput(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if weights.shape != (rows,):
        raise InvalidInput(
            f"sample_weight.shape == {weights.shape}, expected {(rows,)}: one for each row."
        )
    floats = contiguous(as_floats(weights, "sample_weight"), dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(floats) & (floats >= 0)))
    if len(bad):
        raise InvalidInput(
            f"sample_weight[{bad[0]}] is {floats[bad[0]]}; expected a finite number ≥ 0."
        )
    return floats
