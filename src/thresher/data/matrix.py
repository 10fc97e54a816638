"""A whole file as a matrix in memory."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from thresher.data.formats import Wanted
from thresher.data.reader import Reader, Recipe, label_of
from thresher.errors import InvalidInput


def svmlight_matrix(
    path: str | os.PathLike[str], n_features: int | None, query_id: bool
) -> tuple[Any, ...]:
    """X, y and, if asked for, the query of each row."""
    from scipy.sparse import csr_matrix

    starts: list[Any] = [np.zeros(1, np.int64)]
    ids: list[Any] = []
    values: list[Any] = []
    labels: list[Any] = []
    queries: list[Any] = []
    cells = 0
    with Reader([path], Wanted(format="svmlight"), Recipe(), keep_zeros=True) as reader:
        for batch in reader:
            core = batch.core
            start, index, value = core.numbered_cells()
            starts.append(start[1:] + cells)
            cells += len(index)
            ids.append(index)
            values.append(value)
            labels.append(_numbers(core)[core.labels] if len(core) else np.zeros(0))
            queries.append(np.zeros(len(core), np.int64) if core.queries is None else core.queries)
    index = np.concatenate(ids) if ids else np.zeros(0, np.int32)
    start = np.concatenate(starts)
    first = 0 if len(index) and index.min() == 0 else 1
    index -= first  # ids from 1 on, as in most files, unless there is a 0
    columns = int(index.max()) + 1 if len(index) else 0
    if n_features is not None and columns > n_features:
        raise InvalidInput(f"{path}: has {columns} features; n_features says {n_features}.")
    data = np.concatenate(values) if values else np.zeros(0)
    X = csr_matrix((data, index, start), shape=(len(start) - 1, n_features or columns))
    y = np.concatenate(labels) if labels else np.zeros(0)
    return (X, y, np.concatenate(queries) if queries else np.zeros(0, np.int64))[: 2 + query_id]


def _numbers(core: Any) -> Any:
    """The labels of a batch as numbers."""
    out = [label_of(text) for text in core.label_texts]
    for label in out:
        if isinstance(label, str):
            raise InvalidInput(f"label {label!r}; expected a number in a matrix.")
    return np.array(out, np.float64)
