"""The fewest columns that hit every row of a table of zeros and ones, with a proof of how few."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.theory.optional import scipy_part

ROUNDING = 1e-6  # a bound on a whole number, as HiGHS computes it


@dataclass(frozen=True)
class Cover:
    """Columns that hit every row, and how many it takes at least."""

    columns: tuple[int, ...]
    at_least: int


def fewest_columns(table: npt.NDArray[np.bool_], seconds: float) -> Cover:
    """Solve with HiGHS for at most so many seconds; a column of ones in each row must exist.

    What it chose is checked; that fewer do not suffice is the solver's word, for a programme whose
    coefficients are all 0 and 1.

    >>> fewest_columns(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool), 10.0).at_least
    2
    """
    best, at_least = greedy(table), disjoint_rows(table)
    if len(best) == at_least or seconds <= 0:
        return Cover(best, at_least)
    optimize, sparse = scipy_part("optimize"), scipy_part("sparse")
    n = table.shape[1]
    solved = optimize.milp(
        np.ones(n),
        constraints=optimize.LinearConstraint(sparse.csr_array(table.astype(float)), lb=1.0),
        integrality=np.ones(n),
        bounds=optimize.Bounds(0.0, 1.0),
        options={"time_limit": seconds},
    )
    bound = solved.mip_dual_bound
    if bound is not None and np.isfinite(bound):
        at_least = max(at_least, math.ceil(bound - ROUNDING))
    if solved.x is not None:
        chosen = tuple(np.flatnonzero(solved.x > 0.5).tolist())
        if len(chosen) < len(best) and hits_all(table, chosen):
            best = chosen
    return Cover(best, at_least)


def greedy(table: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Again and again the column that hits most of the rows left (Johnson 1974).

    At most ln(rows) + 1 times as many as needed.

    >>> greedy(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool))
    (0, 1)
    """
    chosen: list[int] = []
    left = table
    while len(left):
        column = int(np.argmax(left.sum(axis=0)))
        chosen.append(column)
        left = left[~left[:, column]]
    return tuple(chosen)


def disjoint_rows(table: npt.NDArray[np.bool_]) -> int:
    """Some rows without a common column, the shortest first: each needs a column of its own.

    >>> disjoint_rows(np.array([[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1]], dtype=bool))
    2
    """
    taken, count = np.zeros(table.shape[1], dtype=bool), 0
    for row in table[np.argsort(table.sum(axis=1), kind="stable")]:
        if not (row & taken).any():
            taken |= row
            count += 1
    return count


def hits_all(table: Any, columns: tuple[int, ...]) -> bool:
    return bool(table[:, list(columns)].any(axis=1).all())
