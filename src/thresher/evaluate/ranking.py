"""The area under the ROC curve: exact while the scores can be kept, then from fine bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

KEEP = 2_000_000
"""Scores that are kept in memory; from then on they are counted in bins."""

SCORES_PER_BIN = 32
# Cuts for later scores outside the range of those kept: a file may be sorted.
LADDER = np.geomspace(1e-6, 1e6, 1201)


@dataclass(frozen=True)
class Auc:
    """An area under a ROC curve, and how it was found."""

    value: float
    exact: bool
    within: float
    """The largest distance to the true area; 0 when exact."""


@dataclass(frozen=True)
class Curve:
    """The ROC curve: the share of either class with at least each score, from the highest down."""

    false_positives: Floats
    true_positives: Floats


class Ranking:
    """How well the scores of one class rank its examples above all others."""

    def __init__(self, keep: int = KEEP) -> None:
        self.keep = keep
        self._kept: list[tuple[Floats, npt.NDArray[np.bool_], Floats]] = []
        self._count = 0
        self._edges: Floats | None = None
        self._mass = np.zeros((2, 0))  # the weight of negatives and positives in each bin

    def add(self, scores: Floats, positive: npt.NDArray[np.bool_], weights: Floats) -> None:
        """More examples. How they are cut into calls changes nothing but the last bits of sums."""
        if self._edges is None:
            room = self.keep - self._count
            self._kept.append((scores[:room].copy(), positive[:room], weights[:room]))
            self._count += len(scores)
            if self._count <= self.keep:
                return
            self._begin_bins()
            scores, positive, weights = scores[room:], positive[room:], weights[room:]
        self._put_into_bins(scores, positive, weights)

    def _begin_bins(self) -> None:
        """Cuts at quantiles of the scores so far."""
        scores = np.sort(np.concatenate([part[0] for part in self._kept]))
        scores = scores[np.isfinite(scores)]
        quantiles = scores[::SCORES_PER_BIN]
        self._edges = np.unique(np.concatenate([quantiles, LADDER, [0.0], -LADDER]))
        self._mass = np.zeros((2, len(self._edges) + 1))
        for part in self._kept:
            self._put_into_bins(*part)
        self._kept = []

    def _put_into_bins(
        self, scores: Floats, positive: npt.NDArray[np.bool_], weights: Floats
    ) -> None:
        assert self._edges is not None
        for kind, chosen in enumerate((~positive, positive)):
            found, own = scores[chosen], None
            if weights.strides == (0,):  # one weight for all: then they are found faster in order
                found.sort()
            else:
                own = weights[chosen]
            bins = np.searchsorted(self._edges, found, side="right")
            mass = np.bincount(bins, own, minlength=self._mass.shape[1])
            self._mass[kind] += mass if own is not None or not len(weights) else mass * weights[0]

    def _levels(self) -> Floats:
        """The weight of negatives and positives at each score (or in each bin), lowest first."""
        if self._edges is not None or not self._kept:
            return self._mass
        scores, positive, weights = (
            np.concatenate([part[i] for part in self._kept]) for i in range(3)
        )
        values, level = np.unique(scores, return_inverse=True)
        return np.stack(
            [
                np.bincount(level[chosen], weights[chosen], minlength=len(values))
                for chosen in (~positive, positive)
            ]
        )

    def auc(self) -> Auc | None:
        """The probability that a positive outscores a negative, ties counted half.

        None where there are no positives or no negatives.
        """
        negative, positive = self._levels()
        pairs = float(negative.sum() * positive.sum())
        if pairs == 0.0:
            return None
        below = np.cumsum(negative) - negative
        tied = float((positive * negative).sum()) / 2
        area = (float((positive * below).sum()) + tied) / pairs
        exact = self._edges is None
        return Auc(area, exact, 0.0 if exact else tied / pairs)

    def curve(self) -> Curve | None:
        """The points of the ROC curve; None where there are no positives or no negatives."""
        levels = self._levels()
        total = levels.sum(axis=1, keepdims=True)
        if not total.all():
            return None
        seen = levels[:, levels.any(axis=0)]
        rates = np.zeros((2, seen.shape[1] + 1))
        rates[:, 1:] = np.cumsum(seen[:, ::-1], axis=1) / total
        return Curve(*rates)
