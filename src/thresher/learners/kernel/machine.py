"""The kernel perceptron's engine: mistakes are kept instead of weights.

A prototype of class r is w_r = Σ_j a[j, r]·φ(x_j) over the support vectors x_j, so a score is a sum
of kernels, s_r(x) = Σ_j a[j, r]·K(x_j, x). With two classes w₁ = −w₀. A third one starts at 0. With
a budget a new vector replaces an old one; hypotheses that had it keep it, as long as they are kept
themselves: see `hypotheses`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher._core import combine
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.kernel.functions import Kernel
from thresher.learners.kernel.hypotheses import Forgotten, Hypotheses, Vectors
from thresher.learners.kernel.sparse_rows import Growing, Sparse, SupportVectors

if TYPE_CHECKING:
    Floats = npt.NDArray[np.float64]

BLOCK = 64  # rows whose kernels are computed together while learning
CELLS = 2**21  # kernel values held at once while predicting
MOST = 1e300  # no number that is kept is larger
TRIED = 16  # support vectors with which a user's kernel is tried both ways

COUNTS = ("examples", "mistakes", "updates", "removals")


@dataclass
class KernelMachine:
    """What is learned, and one step of learning."""

    kernel: Kernel
    one_vs_rest: bool = False
    budget: int | None = None
    forget: str = "oldest"
    burn_in: int = 0
    counts_maker: bool = True  # whether an example counts for the hypothesis that it makes
    seed: int = 0
    now: Vectors = field(default_factory=Vectors)  # the support vectors
    past: Forgotten = field(default_factory=Forgotten)
    order: list[int] = field(default_factory=list)  # codes of the labels seen, column by column
    met: list[int] = field(default_factory=list)  # the first hypothesis that knew each of them
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))

    def __post_init__(self) -> None:
        self._c = Growing(np.zeros(0))  # the examples that each kept hypothesis survived
        self._square = Growing(np.zeros(0))  # K(x_j, x_j)

    @property
    def support(self) -> SupportVectors:
        return self.now.support

    @property
    def a(self) -> Floats:
        return self.now.a

    @property
    def c(self) -> Floats:
        return self._c.now

    @property
    def square(self) -> Floats:
        return self._square.now

    @property
    def first(self) -> int:
        """The number of the oldest hypothesis that is kept: there are as many as vectors."""
        return self.counts["updates"] - self.support.size + 1

    def restore(self, c: Floats, square: Floats) -> None:
        self._c, self._square = Growing(c), Growing(square)

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
        survived = 0.0 if move is not None else self.c[-1]
        if not survived + weight <= MOST:
            raise InvalidInput(
                f"row {block.first + i}: sample_weight is {weight}; learning from it would make "
                f"the sum of the sample weights too large to be kept (beyond {MOST:g}). Scale the "
                "weights down. Nothing of this example was learned."
            )
        if move is not None and self.support.size <= TRIED:
            self.kernel.check_symmetric(block.x.slice(i, i + 1), self.support.rows)
        if code not in self.order:
            self._meet(code)
        self.counts["examples"] += 1
        self.counts["mistakes"] += mistake
        if move is not None:
            self.counts["updates"] += 1
            self._add(block, i, weight * move)
        if self.counts["examples"] > self.burn_in and (move is None or self.counts_maker):
            self.c[-1] += weight

    def _move(self, scores: Floats, y: int) -> tuple[Floats | None, bool]:
        """How far each prototype moves along x, if any; and whether it was a mistake."""
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
        """A class never seen before. Every hypothesis knows the first two."""
        self.now.meet()
        self.past.meet()
        self.met.append(self.counts["updates"] + 1 if len(self.order) > 1 else 1)
        self.order.append(code)

    def _add(self, block: _Block, i: int, a: Floats) -> None:
        if self.budget is not None and self.support.size == self.budget:
            self._remove(self._least(), block)
        column = block.before + i
        self.now.append(block.kept.row(i), block.kept.columns, a, self.counts["updates"])
        self._c.append([0.0])
        self._square.append([block.K[i, column]])
        block.columns.append([column])

    # -- the budget

    def _least(self) -> int:
        """Which support vector to drop for a new one."""
        if self.forget == "random":
            chance = np.random.default_rng([self.seed, self.counts["removals"]])
            return int(chance.integers(self.support.size))
        if self.forget == "smallest":  # the square of how far the prototypes move without it
            return int(np.argmin((self.a**2).sum(axis=1) * np.abs(self.square)))
        return 0

    def _remove(self, j: int, block: _Block) -> None:
        """Drop vector j, and the oldest hypothesis with what only it had."""
        self.past.take(self.now, j, self.counts["updates"])
        self._square.delete(j, j + 1)
        block.columns.delete(j, j + 1)
        self._c.delete(0, 1)
        self.past.drop(self.counts["updates"] - len(self.c))
        self.counts["removals"] += 1

    # -- prediction

    def kernels(self, rows: Sparse) -> Floats:
        return self.kernel(rows, self.support.rows)

    def scores(
        self, rows: Sparse, prediction: str, by_label: list[int], last: int | None = None
    ) -> Floats:
        """A column for each class seen: scores, or the share of votes.

        `by_label` are the columns in the order of their labels, which decides ties. With `last`,
        only that many hypotheses vote, the newest ones.
        """
        votes = self.c.copy()
        if last is not None and prediction == "voted":
            votes[: max(0, len(votes) - last)] = 0.0
        if votes.sum() == 0.0:
            prediction = "last"
        vectors = self.support.size + (self.past.size if prediction != "last" else 0)
        out = np.empty((rows.size, len(self.order)))
        step = max(1, min(1024, CELLS // max(1, vectors)))
        for begin in range(0, rows.size, step):
            part = rows.slice(begin, min(begin + step, rows.size))
            out[begin : begin + step] = self._scores(part, prediction, by_label, votes)
        if not np.isfinite(out).all():
            raise InvalidInput("a score is not a finite number; scale the data or the kernel down.")
        return out

    def _scores(self, rows: Sparse, prediction: str, by_label: list[int], votes: Floats) -> Floats:
        if prediction == "last":
            return np.asarray(combine(self.kernels(rows), np.arange(self.support.size), self.a))
        kept = Hypotheses(self.now, self.past, self.c, self.first, self.met)
        K = kept.kernels(self.kernel, rows)
        if prediction == "averaged":
            return kept.mean(K)
        if len(self.order) <= 2 or self.one_vs_rest:
            return kept.signs(K, votes, by_label[-1])
        return kept.winners(K, votes, by_label)


class _Block:
    """Rows that are learned together, and their kernels against all possible support vectors."""

    def __init__(self, machine: KernelMachine, x: Sparse, kept: Sparse, first: int) -> None:
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
                    "Scale the data down, or fix the kernel."
                )
        return row
