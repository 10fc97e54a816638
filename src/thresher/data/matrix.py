"""Whole files as matrices in memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.data.reader import Reader, label_of
from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput
from thresher.extras import package


@dataclass
class Read:
    """A file after reading: its ids are not columns yet."""

    path: str
    starts: Any
    ids: Any
    values: Any
    labels: Any
    queries: Any

    def matrix(self, first: int, columns: int) -> Any:
        """The rows, with the id `first` in column 0."""
        csr_matrix = package("scipy.sparse").csr_matrix
        shape = (len(self.starts) - 1, columns)
        X = csr_matrix((self.values, self.ids - np.int32(first), self.starts), shape=shape)
        X.sort_indices()
        return X


def svmlight_matrices(
    paths: list[str | os.PathLike[str]],
    n_features: int | None,
    query_id: bool,
    zero_based: bool | str,
) -> tuple[Any, ...]:
    """X, y and, if requested, the query of each row; for one file after the other."""
    if not isinstance(zero_based, (bool, np.bool_)) and zero_based != "auto":
        raise InvalidInput(f"zero_based is {zero_based!r}; expected True, False or 'auto'.")
    files = [_read(path) for path in paths]
    with_zero = next((file for file in files if len(file.ids) and file.ids.min() == 0), None)
    if zero_based == "auto":
        first = 1 if with_zero is None else 0
    else:
        first = 0 if zero_based else 1
    if first == 1 and with_zero is not None:
        raise InvalidInput(
            f"{with_zero.path}: has the id 0; zero_based=False says that ids begin with 1."
        )
    columns = max((int(file.ids.max()) + 1 - first for file in files if len(file.ids)), default=0)
    if n_features is not None and columns > n_features:
        raise InvalidInput(
            f"{', '.join(file.path for file in files)}: {columns} features; n_features says "
            f"{n_features}."
        )
    out: list[Any] = []
    for file in files:
        out += [file.matrix(first, columns if n_features is None else n_features), file.labels]
        out += [file.queries] if query_id else []
    return tuple(out)


def _read(path: str | os.PathLike[str]) -> Read:
    starts, cells = [np.zeros(1, np.int64)], 0
    ids, values = [np.zeros(0, np.int32)], [np.zeros(0)]
    labels, queries = [np.zeros(0)], [np.zeros(0, np.int64)]
    with Reader([path], ReadingOptions(format="svmlight"), keep_zeros=True) as reader:
        for batch in reader:
            core = batch.core
            start, index, value = core.numbered_cells()
            starts.append(start[1:] + cells)
            cells += len(index)
            ids.append(index)
            values.append(value)
            labels.append(_numbers(core)[core.labels] if len(core) else np.zeros(0))
            queries.append(np.zeros(len(core), np.int64) if core.queries is None else core.queries)
    parts = (np.concatenate(part) for part in (starts, ids, values, labels, queries))
    return Read(os.fspath(path), *parts)


def _numbers(core: Any) -> Any:
    """The labels of a batch as numbers."""
    out = [label_of(text) for text in core.label_texts]
    for label in out:
        if isinstance(label, str):
            raise InvalidInput(f"label {label!r}; expected a number in a matrix.")
    return np.array(out, np.float64)
