"""Examples of a stream that are kept in memory, for the separator of largest margin or a proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.data.reader import Batch
from thresher.theory.audit import comparators as comparing
from thresher.theory.separation import Inseparable
from thresher.theory.signed import Floats, SignedExamples

MOST_NAMES = 1_000_000  # of data that is kept as a matrix


@dataclass
class KeptBlock:
    """Some examples: cells one after the other, and the number of cells of each."""

    margins: Floats
    numbers: Any
    """Which labelled examples of the stream they are, from 0."""
    lengths: Any
    ids: Any
    values: Floats
    signs: Floats

    def part(self, chosen: Any) -> KeptBlock:
        """Some of them, by their places, which ascend."""
        ends = np.cumsum(self.lengths)
        cells = np.concatenate(
            [np.zeros(0, np.int64)]
            + [np.arange(ends[i] - self.lengths[i], ends[i]) for i in chosen]
        )
        return KeptBlock(
            self.margins[chosen], self.numbers[chosen], self.lengths[chosen], self.ids[cells],
            self.values[cells], self.signs[chosen],
        )  # fmt: skip


class KeptRows:
    """Examples in memory: all of them while they are few, then those with the smallest margins."""

    def __init__(self, wanted: bool, everything: bool) -> None:
        self.complete, self.everything = wanted, everything
        self._wanted = wanted
        self._ids: dict[bytes, int] = {}
        self._cells = 0
        self._blocks: list[KeptBlock] = []
        self._number = 0

    def add(self, batch: Batch, use: Any, margins: Floats, signs: Floats) -> None:
        first, self._number = self._number, self._number + len(use)
        if not self._wanted or not len(use):
            return
        start, index, value = (np.asarray(cells) for cells in batch.core.cells())
        block = KeptBlock(
            np.zeros(len(batch)), np.zeros(len(batch), np.int64),
            np.diff(start[: len(batch) + 1]).astype(np.int64), index, value, np.zeros(len(batch)),
        ).part(use)  # fmt: skip
        block.margins, block.signs = margins, signs
        block.numbers = np.arange(first, self._number)
        if not self.complete:
            hardest = self._blocks[0].numbers >= comparing.OTHERS
            chosen = np.flatnonzero(margins < self._blocks[0].margins[hardest].max())
            if not len(chosen):
                return
            block = block.part(chosen)
        names = batch.core.names
        used, inverse = np.unique(block.ids, return_inverse=True)
        new = [self._ids.setdefault(names[j], len(self._ids)) for j in used.tolist()]
        block.ids = np.array(new, dtype=np.int64)[inverse]
        self._blocks.append(block)
        self._cells += len(block.ids)
        if self.complete and not self.everything:
            self.complete = self._cells <= comparing.SMALL_CELLS and len(self._ids) <= MOST_NAMES
        if not self.complete:
            whole = self._together()
            self._blocks = [whole.part(few(whole))]
            self._forget_names()

    def _together(self) -> KeptBlock:
        parts = [(b.margins, b.numbers, b.lengths, b.ids, b.values, b.signs) for b in self._blocks]
        return KeptBlock(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _forget_names(self) -> None:
        """Drop the names of examples that are no longer kept."""
        (block,) = self._blocks
        used, block.ids = np.unique(block.ids, return_inverse=True)
        new = {int(old): i for i, old in enumerate(used.tolist())}
        self._ids = {name: new[i] for name, i in self._ids.items() if i in new}

    def examples(self, bias: bool, scaling: float) -> SignedExamples | None:
        """With the constant feature last, in the order of the stream."""
        if not self._blocks:
            return None
        from thresher.extras import package

        sparse = package("scipy.sparse")

        block = self._together()
        self._blocks = [block]
        starts = np.concatenate([[0], np.cumsum(block.lengths)])
        rows = len(block.lengths)
        X = sparse.csr_array(
            (block.values.astype(float), block.ids, starts), shape=(rows, max(1, len(self._ids)))
        )
        X.sum_duplicates()
        if bias:
            X = sparse.hstack([X, sparse.csr_array(np.full((rows, 1), scaling))], format="csr")
        return SignedExamples(X, block.signs.astype(float), ())

    @property
    def margins(self) -> Floats:
        return self._together().margins

    def renumbered(self, found: Inseparable) -> Inseparable:
        """Rows of the certificate as numbers of labelled examples of the stream, from 0."""
        rows = tuple(int(self._blocks[0].numbers[i]) for i in found.certificate.rows)
        return replace(found, certificate=replace(found.certificate, rows=rows))


def few(block: KeptBlock) -> Any:
    """The places of the first examples of the stream and of those with the smallest margins."""
    first = np.flatnonzero(block.numbers < comparing.OTHERS)
    later = np.flatnonzero(block.numbers >= comparing.OTHERS)
    order = np.argsort(block.margins[later], kind="stable")
    return np.union1d(first, later[order[: comparing.SUBSET - comparing.OTHERS]])
