"""The hypotheses of a kernel perceptron, and what they predict together.

Hypothesis n is made by mistake n. It has the vectors that existed then and were not yet
forgotten: vector j is in those from number born[j] to until[j] − 1. Without a budget nothing is
forgotten, and a hypothesis has all vectors up to its own. With a budget of B the newest B
hypotheses are kept, each with all that it had: B current vectors, and fewer than B forgotten since.

c[i] counts the examples that hypothesis i survived, including the one that made it (Freund and
Schapire 1999) or not:

    last       Σ_j a[j, r]·K(x_j, x) over the vectors of the last hypothesis
    averaged   the mean of the hypotheses: Σ_j a[j, r]·(Σ c of those that have j)·K(x_j, x) / Σ c
    voted      each hypothesis has c[i] votes for the class that it predicts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher._core import combine
from thresher.lazy import np, npt
from thresher.learners.kernel.sparse_rows import Growing, Sparse, SupportVectors

if TYPE_CHECKING:
    from thresher.learners.kernel.functions import Kernel

    Floats = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]


class Vectors:
    """Vectors x_j; a[j, r], what each adds to the prototype of class r; and born[j]."""

    def __init__(
        self,
        support: SupportVectors | None = None,
        a: Floats | None = None,
        born: Numbers | None = None,
    ) -> None:
        self.support = SupportVectors() if support is None else support
        self._a = Growing(np.zeros((0, 0)) if a is None else a)
        self._born = Growing(np.zeros(0, np.int64) if born is None else born)

    @property
    def a(self) -> Floats:
        return self._a.now

    @property
    def born(self) -> Numbers:
        return self._born.now

    @property
    def size(self) -> int:
        return self.support.size

    def append(self, row: tuple[Any, Any], columns: int, a: Floats, born: int) -> None:
        self.support.append(*row, columns)
        self._a.append([a])
        self._born.append([born])

    def delete(self, j: int) -> None:
        self.support.delete(j)
        self._a.delete(j, j + 1)
        self._born.delete(j, j + 1)

    def meet(self) -> None:
        """One more class: with two, one is the other's mirror image; a third starts at 0."""
        a = self.a
        new = -a[:, :1] if a.shape[1] == 1 else np.zeros((len(a), 1))
        self._a = Growing(np.hstack([a, new]) + 0.0)  # no −0


class Forgotten(Vectors):
    """Vectors that the budget has dropped and that older hypotheses still have, in that order."""

    def __init__(self, *parts: Any, until: Numbers | None = None) -> None:
        super().__init__(*parts)
        self._until = Growing(np.zeros(0, np.int64) if until is None else until)

    @property
    def until(self) -> Numbers:
        return self._until.now

    def take(self, vectors: Vectors, j: int, until: int) -> None:
        """Vector j, which is in no hypothesis from number `until` on."""
        support = vectors.support
        self.append(support.rows.row(j), support.columns, vectors.a[j], int(vectors.born[j]))
        self._until.append([until])
        vectors.delete(j)

    def drop(self, first: int) -> None:
        """Those that no hypothesis has, now that number `first` is the oldest."""
        while self.size and self.until[0] <= first:
            self.delete(0)
            self._until.delete(0, 1)


class Hypotheses:
    """Those that are kept, from number `first` on, for votes or their mean.

    `met` has for each class the first hypothesis that knew it.
    """

    def __init__(
        self, now: Vectors, past: Forgotten, c: Floats, first: int, met: list[int]
    ) -> None:
        self._now, self._past, self._c = now, past, c
        born = np.concatenate([past.born, now.born])
        self._order = np.argsort(born)  # by age: the order of summation
        self._a = np.vstack([past.a, now.a])[self._order] if past.size else now.a
        # by number among those that are kept
        end = np.concatenate([past.until - first, np.full(now.size, len(c))])
        self._begin, self._end = np.maximum(born - first, 0)[self._order], end[self._order]
        self._known = [min(max(0, n - first), len(c)) for n in met]

    @property
    def vectors(self) -> int:
        return len(self._order)

    def kernels(self, kernel: Kernel, rows: Sparse) -> Floats:
        K = kernel(rows, self._now.support.rows)
        if not self._past.size:
            return K
        return np.hstack([kernel(rows, self._past.support.rows), K])[:, self._order]

    def mean(self, K: Floats) -> Floats:
        after = np.append(np.cumsum(self._c[::-1])[::-1], 0.0)
        share = after[self._begin] - after[self._end]
        return np.asarray(combine(K, np.arange(self.vectors), self._a * share[:, None]) / after[0])

    def signs(self, K: Floats, votes: Floats, positive: int) -> Floats:
        """Σ c_i·sgn(v_i·x) for each class, as shares of all votes."""
        classes = len(self._known)
        out = np.empty((len(K), classes))
        for r in [positive] if classes == 2 else range(classes):
            known = self._known[r]
            sums = self._sums(K, r)[:, known:]
            out[:, r] = np.where(sums >= 0.0, 1.0, -1.0) @ votes[known:] / votes.sum()
        if classes == 2:
            out[:, 1 - positive] = -out[:, positive]
        return out

    def winners(self, K: Floats, votes: Floats, by_label: list[int]) -> Floats:
        """The share of votes for each class; a hypothesis knows only classes seen before it."""
        shape = len(K), len(votes)
        best, winner = np.full(shape, -np.inf), np.full(shape, -1, np.int16)
        for r in by_label:
            known = self._known[r]
            sums = self._sums(K, r)[:, known:]
            better = sums > best[:, known:]
            best[:, known:][better] = sums[better]
            winner[:, known:][better] = r
        return np.stack(
            [(winner == r) @ votes / votes.sum() for r in range(len(self._known))], axis=1
        )

    def _sums(self, K: Floats, r: int) -> Floats:
        """v_i·x for class r, of each hypothesis."""
        if not self._past.size:
            return np.asarray(np.cumsum(K * self._a[:, r], axis=1))
        # One running sum would have to subtract what was forgotten, which leaves rounding errors.
        sums = []
        for i in range(len(self._c)):
            has = np.flatnonzero((self._begin <= i) & (i < self._end))
            sums.append(combine(K, has, np.ascontiguousarray(self._a[has, r : r + 1])))
        return np.hstack(sums)
