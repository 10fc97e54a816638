"""How a learner among several has done."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Standing:
    """A line of the table: how a learner has done so far, or until it was dropped."""

    name: str
    error: float
    """The share of wrong labels, or the mean squared error; NaN without examples."""
    interval: tuple[float, float]
    """95 % confidence."""
    examples: int
    dropped_at: int | None = None
    """After how many examples of the stream it left."""
    reason: str | None = None
    """Why it left."""
    failed: bool = False
    """Whether it could not use the data; otherwise it was worse than the leader."""
    rate: float = 0.0
    """Examples learned per second of its own time."""
    recent: float = math.nan
    """The error over the last quarter of the examples, in a committee."""
    weight: float = math.nan
    """Its weight in the vote, in a committee."""
    baseline: bool = False
    """Whether it is what a model has to beat, and has no vote: the most frequent label or the mean
    so far, or the last label or target."""
