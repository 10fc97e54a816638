"""How many concepts are still possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from thresher.errors import InvalidInput
from thresher.plots.style import BLUE, FAINT, INK, ORANGE, Display, count_axis, dress, legend
from thresher.theory.replay import Replay, moments


class VersionSpaceDisplay(Display):
    """The size of a version space, the concepts that agree with all examples so far, over time.

    Its axis is logarithmic, to base 2: a step down by one is a halving. Mistakes are marked; the
    dashed line is a learner that halves only at each of its mistakes, which is what Halving
    guarantees.
    """

    def __init__(
        self,
        examples: Sequence[int],
        sizes: Sequence[int],
        mistakes: Sequence[int] | None = None,
    ) -> None:
        """`sizes` (integers of any size) and `mistakes` so far after each of `examples`."""
        self.examples = [int(t) for t in examples]
        self.sizes = [_size(size) for size in sizes]
        self.mistakes = None if mistakes is None else [int(m) for m in mistakes]
        if not self.sizes:
            raise InvalidInput("there is no version space to draw: 0 sizes.")
        counts = [len(self.examples), len(self.sizes)]
        counts += [] if self.mistakes is None else [len(self.mistakes)]
        if len(set(counts)) > 1:
            raise InvalidInput(
                f"examples, sizes and mistakes have {', '.join(map(str, counts))} entries; "
                "expected as many of each."
            )
        grown = next((i for i in range(1, len(self.sizes)) if self.sizes[i] > self.sizes[i - 1]), 0)
        if grown:
            raise InvalidInput(
                f"sizes[{grown}] is {self.sizes[grown]}, after {self.sizes[grown - 1]}; expected "
                "sizes that never grow."
            )

    @classmethod
    def from_history(cls, sizes: Sequence[int], mistakes: Sequence[bool] | None = None) -> Self:
        """Sizes before the first example and after each; `mistakes` says which were mistakes.

        Examples
        --------
        >>> display = VersionSpaceDisplay.from_history([8, 4, 3, 1], [True, False, True])
        >>> display.mistakes
        [0, 1, 1, 2]
        """
        counted = None
        if mistakes is not None:
            counted = [0, *np.cumsum(np.asarray(list(mistakes), np.int64)).tolist()]
        return cls(range(len(sizes)), sizes, counted)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, *, passes: int | None = None) -> Self:
        """Replay a learner that has ``version_space_size_`` over rows X with labels y.

        If it has ``concepts`` with a ``size``, the plot begins before the first example.
        """
        if not any(hasattr(thing, "version_space_size_") for thing in (type(model), model)):
            raise InvalidInput(
                f"{type(model).__name__} has no version_space_size_; expected a learner that keeps "
                "a version space, such as thresher.Halving."
            )
        run = Replay(model, X, y, passes)
        times = moments(run.total)
        seen = [
            (time, run.learner.version_space_size_, run.learner.mistakes_) for time in run.at(times)
        ]
        whole = getattr(getattr(model, "concepts", None), "size", None)
        if whole is not None:
            seen.insert(0, (0, int(whole), 0))
        return cls(*zip(*seen, strict=True))

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        dress(ax, "Version space", "examples", "concepts left")
        bits = np.array([math.log2(size) if size else -1.0 for size in self.sizes])
        look = {"color": BLUE, "linewidth": 2.4, "drawstyle": "steps-post",
                "label": f"concepts left: {_short(self.sizes[-1])}",
                "marker": "" if len(bits) > 1 else "o"}  # fmt: skip
        ax.plot(self.examples, bits, **look | style)
        if self.mistakes is not None:
            made = np.array(self.mistakes)
            at = np.flatnonzero(np.diff(made, prepend=made[0]) > 0)
            ax.plot(np.array(self.examples)[at], bits[at], "o", color=ORANGE, markersize=6,
                    zorder=4, label=f"mistakes: {made[-1]:,}")  # fmt: skip
            promised = np.maximum(bits[0] - (made - made[0]), 0)
            ax.plot(self.examples, promised, color=INK, linewidth=1.2, linestyle=(0, (4, 3)),
                    drawstyle="steps-post", label="one halving a mistake")  # fmt: skip
        count_axis(ax.xaxis, log=False)
        top = max(1.0, float(bits.max()))
        ax.set(ylim=(-0.06 * top if self.sizes[-1] else -1.2, 1.08 * top))
        ax.set_xlim(self.examples[0], max(self.examples[-1], self.examples[0] + 1))
        self._name_sizes(ax, top)
        if not self.sizes[-1]:
            ax.text(0.98, 0.04, "none left: no concept agrees with all examples", ha="right",
                    color=FAINT, transform=ax.transAxes)  # fmt: skip
        legend(ax, loc="upper right")

    def _name_sizes(self, ax: Any, top: float) -> None:
        """Powers of two, written as numbers while these are short."""
        step = max(1, math.ceil(top / 8))
        ticks = list(range(0, math.floor(1.08 * top) + 1, step))
        names = [_short(2**tick) for tick in ticks]
        if not self.sizes[-1]:
            ticks, names = [-1, *ticks], ["0", *names]
        ax.set_yticks(ticks, names)


def _size(size: Any) -> int:
    if size != size or size < 0 or size != math.floor(size):
        raise InvalidInput(f"a version space of size {size!r}; expected a whole number ≥ 0.")
    return int(size)


def _short(size: int) -> str:
    return f"{size:,}" if size < 10**6 else f"$2^{{{math.log2(size):.4g}}}$"
