"""The kernel perceptron's engine: mistakes are kept in place of weights.

A prototype of class r is w_r = Σ_j a[j, r]·φ(x_j) over the support vectors x_j, so a score is a sum
of kernels, s_r(x) = Σ_j a[j, r]·K(x_j, x). The hypothesis made by mistake j is the sum up to j, and
c[j] counts the examples that it survived, the one that made it included. From a and c come all
three predictions (Freund and Schapire 1999):

    last       Σ_j a[j, r]·K(x_j, x)
    averaged   the mean of the hypotheses: Σ_j a[j, r]·(c[j] + c[j+1] + …)·K(x_j, x) / Σ c
    voted      each hypothesis has c[j] votes for the class that it predicts

With two classes w₁ = −w₀. A third one starts at 0. With a budget old mistakes go, and with them old
hypotheses: then there is the last one alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher._core import combine
from thresher.errors import InvalidInput
from thresher.learners.kernels import Kernel
from thresher.learners.sparse_rows import Growing, Sparse, Support

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
else:
    from thresher.lazy import np

BLOCK = 64  # rows whose kernels are computed together while learning
CELLS = 2**21  # kernel values held at once while predicting
TRIED = 16  # support vectors with which a user's kernel is tried both ways round

COUNTS = ("examples", "mistakes", "updates", "removals")


@dataclass
class Machine:
    """What is learned, and one step of learning. `support` holds the x_j, `order` the classes."""

    kernel: Kernel
    one_vs_rest: bool = False
    budget: int | None = None
    forget: str = "oldest"
    burn_in: int = 0
    seed: int = 0
    support: Support = field(default_factory=Support)
    order: list[int] = field(default_factory=list)  # codes of the labels met, column by column
    clock: float = 0.0  # the weight of the examples that are averaged over
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))

    def __post_init__(self) -> None:
        self._a = Growing(np.zeros((0, 0)))
        self._c = Growing(np.zeros(0))
        self._square = Growing(np.zeros(0))  # K(x_j, x_j)

    @property
    def a(self) -> Floats:
        return self._a.now

    @property
    def c(self) -> Floats:
        return self._c.now

    @property
    def square(self) -> Floats:
        return self._square.now

    def restore(self, a: Floats, c: Floats, square: Floats) -> None:
        self._a, self._c, self._square = Growing(a), Growing(c), Growing(square)

    # -- learning

    def learn(self, rows: Sparse, as_support: Sparse, codes: Any, weights: Any) -> None:
        """A pass. Row i, once it is a mistake, is kept as row i of `as_support`."""
        for begin in range(0, rows.size, BLOCK):
            end = min(begin + BLOCK, rows.size)
            x, kept = rows.slice(begin, end), as_support.slice(begin, end)
            block = _Block(self, x, kept, begin)
            for i in range(end - begin):
                weight = 1.0 if weights is None else float(weights[begin + i])
                if weight > 0.0:
                    self._step(block, i, int(codes[begin + i]), weight)

    def _step(self, block: _Block, i: int, code: int, weight: float) -> None:
        """Receive row i of a block, predict, receive its label, maybe update."""
        scores = combine(block.row(i), block.columns.now, self.a)[0]
        if not np.isfinite(scores).all():
            raise InvalidInput(
                f"row {block.first + i}: the score is not a finite number; scale the data or the "
                "kernel down."
            )
        if code not in self.order:
            new = -scores[0] if len(self.order) == 1 else 0.0
            scores = np.append(scores, new)
        y = self.order.index(code) if code in self.order else len(self.order)
        move, mistake = self._move(scores, y)
        if move is not None and self.support.size <= TRIED:
            self.kernel.check_symmetric(block.x.slice(i, i + 1), self.support.rows)
        if code not in self.order:
            self._meet(code)
        self.counts["examples"] += 1
        self.counts["mistakes"] += mistake
        if move is not None:
            self.counts["updates"] += 1
            self._add(block, i, weight * move)
        if self.counts["examples"] > self.burn_in:
            self.clock += weight
            self.c[-1] += weight

    def _move(self, scores: Floats, y: int) -> tuple[Floats | None, bool]:
        """How far each prototype moves along x, if any does; and whether it was a mistake."""
        classes = len(scores)
        move = np.zeros(classes)
        if classes == 1:
            mistake = bool(scores[0] <= 0.0)
            move[0] = 1.0
            return (move if mistake else None), mistake
        others = scores.copy()
        others[y] = -np.inf
        rival = int(np.argmax(others))
        mistake = bool(scores[y] - scores[rival] <= 0.0)
        if self.one_vs_rest and classes > 2:
            signs = np.full(classes, -1.0)
            signs[y] = 1.0
            wrong = signs * scores <= 0.0
            return (np.where(wrong, signs, 0.0) if wrong.any() else None), mistake
        move[y], move[rival] = 1.0, -1.0
        return (move if mistake else None), mistake

    def _meet(self, code: int) -> None:
        """A class never seen before: with two, one is the other's mirror image."""
        a = self.a
        new = -a[:, :1] if len(self.order) == 1 else np.zeros((len(a), 1))
        self._a = Growing(np.hstack([a, new]) + 0.0)  # no −0
        self.order.append(code)

    def _add(self, block: _Block, i: int, a: Floats) -> None:
        if self.budget is not None and self.support.size == self.budget:
            self._remove(self._least(), block)
        column = block.before + i
        self.support.append(*block.kept.row(i), block.kept.columns)
        self._a.append([a])
        self._c.append([0.0])
        self._square.append([block.K[i, column]])
        block.columns.append([column])

    # -- the budget

    def _least(self) -> int:
        """Which support vector to give up for a new one."""
        if self.forget == "random":
            chance = np.random.default_rng([self.seed, self.counts["removals"]])
            return int(chance.integers(self.support.size))
        if self.forget == "smallest":  # the square of how far the prototypes move without it
            return int(np.argmin((self.a**2).sum(axis=1) * np.abs(self.square)))
        return 0

    def _remove(self, j: int, block: _Block) -> None:
        self.support.delete(j)
        for kept in (self._a, self._c, self._square, block.columns):
            kept.delete(j, j + 1)
        self.counts["removals"] += 1

    # -- prediction

    def kernels(self, rows: Sparse) -> Floats:
        return self.kernel(rows, self.support.rows)

    def scores(
        self, rows: Sparse, prediction: str, by_label: list[int], last: int | None = None
    ) -> Floats:
        """A column for each class met: scores, or the share of votes.

        `by_label` are the columns in the order of their labels, which decides ties. With `last`,
        only so many hypotheses vote, the newest ones.
        """
        out = np.empty((rows.size, len(self.order)))
        step = max(1, min(1024, CELLS // max(1, self.support.size)))
        for begin in range(0, rows.size, step):
            K = self.kernels(rows.slice(begin, min(begin + step, rows.size)))
            out[begin : begin + step] = self._scores(K, prediction, by_label, last)
        if not np.isfinite(out).all():
            raise InvalidInput("a score is not a finite number; scale the data or the kernel down.")
        return out

    def _scores(self, K: Floats, prediction: str, by_label: list[int], last: int | None) -> Floats:
        each = np.arange(self.support.size)
        if prediction == "averaged" and self.clock > 0.0:
            survived = np.cumsum(self.c[::-1])[::-1]
            return np.asarray(combine(K, each, self.a * survived[:, None]) / self.clock)
        votes = self.c.copy()
        if last is not None:
            votes[: max(0, len(votes) - last)] = 0.0
        if prediction != "voted" or votes.sum() == 0.0:
            return np.asarray(combine(K, each, self.a))
        if len(self.order) <= 2 or self.one_vs_rest:
            return self._signs(K, votes, by_label[-1])
        return self._winners(K, votes, by_label)

    def _signs(self, K: Floats, votes: Floats, positive: int) -> Floats:
        """Σ c_i·sgn(v_i·x) for each class, as parts of all votes."""
        out = np.empty((len(K), len(self.order)))
        two = len(self.order) == 2
        for r in [positive] if two else range(len(self.order)):
            known = _first(self.a[:, r])
            sums = np.cumsum(K[:, known:] * self.a[known:, r], axis=1)
            out[:, r] = np.where(sums >= 0.0, 1.0, -1.0) @ votes[known:] / votes.sum()
        if two:
            out[:, 1 - positive] = -out[:, positive]
        return out

    def _winners(self, K: Floats, votes: Floats, by_label: list[int]) -> Floats:
        """The part of all votes for each class; a hypothesis knows only classes met before it."""
        best = np.full(K.shape, -np.inf)
        winner = np.full(K.shape, -1, np.int16)
        for r in by_label:
            known = _first(self.a[:, r])
            sums = np.cumsum(K[:, known:] * self.a[known:, r], axis=1)
            better = sums > best[:, known:]
            best[:, known:][better] = sums[better]
            winner[:, known:][better] = r
        return np.stack(
            [(winner == r) @ votes / votes.sum() for r in range(len(self.order))], axis=1
        )


class _Block:
    """Rows that are learned from together, and their kernels against all that may be support."""

    def __init__(self, machine: Machine, x: Sparse, kept: Sparse, first: int) -> None:
        self.x, self.kept, self.first = x, kept, first
        self.before = machine.support.size
        self.K = np.hstack([machine.kernels(x), machine.kernel(x, kept)])
        self.columns = Growing(np.arange(self.before))
        self._finite = bool(np.isfinite(self.K).all())

    def row(self, i: int) -> Floats:
        row = self.K[i : i + 1]
        if not self._finite:
            used = row[0, self.columns.now]
            wrong = ~np.isfinite(used)
            if wrong.any() or not np.isfinite(row[0, self.before + i]):
                found = used[wrong][0] if wrong.any() else row[0, self.before + i]
                raise InvalidInput(
                    f"row {self.first + i}: the kernel is {found}; expected a finite number. "
                    "Scale the data down, or mend the kernel."
                )
        return row


def _first(column: Floats) -> int:
    """Where a class was first met: before that it had no prototype."""
    met = np.flatnonzero(column)
    return int(met[0]) if len(met) else len(column)
