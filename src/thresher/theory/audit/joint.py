"""Three classes or more: the binary theorems on joint vectors.

A learner of prototypes W_1 … W_K that moves the right one and its strongest rival is a binary one
on Φ(x,y) − Φ(x,rival), which has x in place y, −x in place rival, and length √2·‖x‖. A comparator
is one prototype for each class, all of them one vector of length 1. The rival of an update is not
known afterwards, so each example counts with its smallest margin over all rivals.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.sparse import is_sparse
from thresher.theory.audit.comparators import Comparator
from thresher.theory.bounds import Margins
from thresher.theory.bounds.margins import unit
from thresher.theory.separation import Separable, separability
from thresher.theory.signed import Floats

SMALL_JOINT = 2_000_000  # cells of the joint vectors up to which their separator is computed
SMALL_SIDE = 1000


def joint_margins(rows: Any, codes: Any, U: Floats) -> Margins:
    """Of prototypes U (a row per class) on rows that have their constant feature."""
    U = unit(U.ravel()).reshape(U.shape)
    scores = np.asarray(rows @ U.T)
    places = np.arange(len(codes))
    own = scores[places, codes].copy()
    scores[places, codes] = -np.inf
    squares = rows.multiply(rows).sum(axis=1) if is_sparse(rows) else (rows**2).sum(1)
    norms = np.sqrt(2.0 * np.asarray(squares, dtype=float).ravel())
    data = rows.data if is_sparse(rows) else rows
    return Margins(
        values=own - scores.max(axis=1),
        R=float(norms.max()),
        r=float(norms.min()),
        R_inf=float(np.abs(data).max(initial=0.0)),
        u_l1=float(np.abs(U).sum()),
    )


def joint_comparators(rows: Any, codes: Any, classes: int, own: Floats) -> list[Comparator]:
    """The learner's own averaged prototypes, and the exact separator of small data."""
    found: list[Comparator] = []
    if np.isfinite(own).all() and own.any():
        found.append(
            Comparator("the learner's averaged prototypes", own.ravel(),
                       joint_margins(rows, codes, own))
        )  # fmt: skip
    exact = joint_separator(rows, codes, classes)
    if exact is not None:
        origin = "the prototypes of largest margin"
        found.append(Comparator(origin, exact.ravel(), joint_margins(rows, codes, exact)))
    return found


def joint_separator(rows: Any, codes: Any, classes: int) -> Floats | None:
    """Prototypes that rank every right class first by the largest margin, if it is affordable."""
    from thresher.extras import package

    sparse = package("scipy.sparse")

    csr = sparse.csr_array(rows)
    n, width = csr.shape
    pairs = n * (classes - 1)
    if min(pairs, classes * width) > SMALL_SIDE or 2 * csr.nnz * (classes - 1) > SMALL_JOINT:
        return None
    blocks = []
    for rival in range(classes):
        part = np.flatnonzero(codes != rival)
        if not len(part):
            continue
        x = csr[part].tocoo()
        right = codes[part][x.row] * width + x.col
        wrong = rival * width + x.col
        blocks.append(
            sparse.csr_array(
                (np.concatenate([x.data, -x.data]),
                 (np.concatenate([x.row, x.row]), np.concatenate([right, wrong]))),
                shape=(len(part), classes * width),
            )
        )  # fmt: skip
    z = sparse.vstack(blocks, format="csr")
    found = separability(z, np.ones(z.shape[0]), fit_intercept=False)
    if not isinstance(found, Separable) or not math.isfinite(found.margin):
        return None
    return found.weights.reshape(classes, width)
