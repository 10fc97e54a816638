"""Predictions in blocks of one size, however they come: sums then have the same last bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.data.coded import CodedLabels

ROWS = 1 << 16


class InBlocks:
    """Hands predictions on to metrics. Files that are read in other pieces, as on a cluster, give
    the same figures."""

    def __init__(self, metrics: Any, rows: int = ROWS) -> None:
        self._metrics, self._rows = metrics, rows
        self._held: list[tuple[Any, ...]] = []
        self._count = 0

    def add(self, truth: Any, predicted: Any, *more: Any) -> None:
        """As of the metrics: columns of one length, or None; the last is that of the weights."""
        columns = (truth, predicted, *more)
        begin, size = 0, len(truth)
        while self._count + size - begin >= self._rows:
            end = begin + self._rows - self._count
            self._held.append(_cut(columns, begin, end))
            self.finish()
            begin = end
        if begin < size:
            self._held.append(_cut(columns, begin, size))
            self._count += size - begin

    def finish(self) -> None:
        """What is left."""
        if self._held:
            columns = list(zip(*self._held, strict=True))
            if any(weights is not None for weights in columns[-1]):
                pairs = zip(columns[0], columns[-1], strict=True)
                columns[-1] = tuple(np.ones(len(t)) if w is None else w for t, w in pairs)
            self._metrics.add(*map(_joined, columns))
        self._held, self._count = [], 0


def _cut(columns: tuple[Any, ...], begin: int, end: int) -> tuple[Any, ...]:
    return tuple(None if column is None else column[begin:end] for column in columns)


def _joined(parts: tuple[Any, ...]) -> Any:
    first = parts[0]
    if len(parts) == 1 or first is None:
        return first
    if isinstance(first, CodedLabels):
        values: list[Any] = []
        codes = []
        for part in parts:
            codes.append(np.where(part.codes < 0, part.codes + len(part.values), part.codes))
            codes[-1] += len(values)
            values += part.values
        return CodedLabels(values, np.concatenate(codes))
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    return [row for part in parts for row in part]
