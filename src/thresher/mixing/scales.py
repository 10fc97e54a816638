"""What the steps before a learner have seen: counts, ranges and moments of each feature, joined.

Each model adds what it has seen since the base. Passes over the same parts therefore leave means,
variances and frequencies as they were after the first, which are those of all the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thresher.lazy import np
from thresher.learners.base.learner import Floats
from thresher.mixing.parts import Aligned
from thresher.prepare import SCALERS, Step

STRIDE = 3  # numbers of a feature: how many of its values were not 0, and two about these


def _counts(own: Floats, base: Floats, sums: Floats) -> None:
    sums[:, 0] += own[:, 0] - base[:, 0]


def _largest(own: Floats, base: Floats, sums: Floats) -> None:
    _counts(own, base, sums)
    sums[:, 1] = np.maximum(sums[:, 1], own[:, 1])


def _range(own: Floats, base: Floats, sums: Floats) -> None:
    new, known = own[:, 0] > 0.0, sums[:, 0] > 0.0
    low, high = np.minimum(sums[:, 1], own[:, 1]), np.maximum(sums[:, 2], own[:, 2])
    sums[:, 1] = np.where(new & known, low, np.where(new, own[:, 1], sums[:, 1]))
    sums[:, 2] = np.where(new & known, high, np.where(new, own[:, 2], sums[:, 2]))
    _counts(own, base, sums)


def _moments(own: Floats, base: Floats, sums: Floats) -> None:
    """Chan, Golub & LeVeque 1979: taken off the base, then added to the others."""
    n = own[:, 0] - base[:, 0]
    some = np.where(n > 0.0, n, 1.0)
    mean = base[:, 1] + (own[:, 1] - base[:, 1]) * own[:, 0] / some
    square = (
        own[:, 2]
        - base[:, 2]
        - (mean - base[:, 1]) ** 2 * base[:, 0] * n / np.maximum(own[:, 0], 1.0)
    )
    total = np.maximum(sums[:, 0] + n, 1.0)
    d = mean - sums[:, 1]
    more = np.maximum(square, 0.0) + d * d * sums[:, 0] * n / total
    sums[:, 2] += np.where(n > 0.0, more, 0.0)
    sums[:, 1] += np.where(n > 0.0, d * n / total, 0.0)
    sums[:, 0] += n


JOINED: dict[str, Callable[[Floats, Floats, Floats], None]] = {
    "standard": _moments,
    "minmax": _range,
    "maxabs": _largest,
    "idf": _counts,
}


class Scales:
    """The statistics of all steps, summed up over the models."""

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self.kinds = {f"prepare.step{k}": s.kind for k, s in enumerate(steps) if s.kind in SCALERS}
        self.is_on = bool(steps)
        self.base: Aligned | None = None
        self.examples = dict.fromkeys(self.kinds, 0)
        self.seen = {name: np.zeros((0, STRIDE)) for name in self.kinds}
        self.came = np.zeros(0)

    def start_from(self, base: Aligned) -> None:
        self.base = base
        self._grow(base)
        for name in self.kinds:
            self.examples[name] = base.state["counts"][f"{name}.examples"]
            self.seen[name][base.inputs] = self._cells(base, name)
        if self.is_on:
            self.came[base.inputs] = np.frombuffer(base.state["arrays"]["prepare.came"])

    def add(self, part: Aligned) -> None:
        if not self.is_on:
            return
        self._grow(part)
        before = None if self.base is None else self.base.state["counts"]
        for name, kind in self.kinds.items():
            old = 0 if before is None else before[f"{name}.examples"]
            self.examples[name] += part.state["counts"][f"{name}.examples"] - old
            base = np.zeros_like(self.seen[name])
            if self.base is not None:
                base[self.base.inputs] = self._cells(self.base, name)
            sums = self.seen[name][part.inputs]
            JOINED[kind](self._cells(part, name), base[part.inputs], sums)
            self.seen[name][part.inputs] = sums
        came = np.frombuffer(part.state["arrays"]["prepare.came"])
        self.came[part.inputs] = np.maximum(self.came[part.inputs], came)

    def put(self, state: dict[str, Any]) -> None:
        if not self.is_on:
            return
        state["counts"]["prepare.features"] = len(self.came)
        state["arrays"]["prepare.came"] = self.came.tobytes()
        for name, seen in self.seen.items():
            state["counts"][f"{name}.examples"] = self.examples[name]
            state["arrays"][f"{name}.seen"] = seen.tobytes()

    def _cells(self, of: Aligned, name: str) -> Floats:
        return np.frombuffer(of.state["arrays"][f"{name}.seen"]).reshape(-1, STRIDE)

    def _grow(self, part: Aligned) -> None:
        more = int(part.inputs.max(initial=-1)) + 1 - len(self.came)
        if more > 0 and self.is_on:
            self.came = np.r_[self.came, np.zeros(more)]
            for name, seen in self.seen.items():
                self.seen[name] = np.vstack([seen, np.zeros((more, STRIDE))])
