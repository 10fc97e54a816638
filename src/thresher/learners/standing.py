"""How a learner among several has done."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SHOWN = 1.959964  # the normal quantile of 95 %, two-sided
BASELINES = {
    "classify": {"usual": "most frequent label", "last": "last label"},
    "regress": {"usual": "mean so far", "last": "last target"},
}


@dataclass(frozen=True)
class Standing:
    """A line of the table: how a learner has done so far, or until it was dropped."""

    name: str
    error: float
    """The share of wrong labels, or the mean squared error; NaN without examples."""
    interval: tuple[float, float]
    """95 % confidence, from the spread of the error between stretches of consecutive examples."""
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
    """The error over the last quarter of the examples."""
    weight: float = math.nan
    """Its weight in the vote, in a committee."""
    figure: float = math.nan
    """By which learners are compared, where that is not the error: the smaller the better."""
    baseline: bool = False
    """Whether it is what a model has to beat: the most frequent label or the mean so far, or the
    last label or target."""


STANDING_HEAD = ("", "learner", "error", "±", "examples", "left because")


def standing_cells(rows: Iterable[Standing]) -> list[list[str]]:
    """A row of a table for each; baselines and those that left have no rank."""
    cells = []
    for rank, row in enumerate(rows, 1):
        half = (row.interval[1] - row.interval[0]) / 2
        cells.append([
            "–" if row.baseline or row.dropped_at is not None else str(rank),
            row.name,
            "–" if math.isnan(row.error) else f"{row.error:.4g}",
            f"{half:.2g}" if math.isfinite(half) else "–",
            f"{row.examples:,}",
            (row.reason or "") if row.dropped_at is not None else "",
        ])  # fmt: skip
    return cells


class Standings(list[Standing]):
    """A list of them, which is printed as a table, in notebooks too."""

    def __str__(self) -> str:
        lines = [list(STANDING_HEAD), *standing_cells(self)]
        if not any(line[-1] for line in lines[1:]):
            lines = [line[:-1] for line in lines]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i in (1, 5) else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        from thresher.learners.html import standings_html

        return standings_html(self)


def standing(name: str, found: Mapping[str, Any], examples: int, **more: Any) -> Standing:
    """With the figures that the core keeps of a predictor."""
    error = math.nan if found["error"] is None else found["error"]
    half = SHOWN * found["standard_error"]
    return Standing(
        name,
        error,
        (max(0.0, error - half), error + half) if half else (0.0, math.inf),
        examples,
        recent=math.nan if found["recent"] is None else found["recent"],
        **more,
    )


def ranked(rows: list[Standing], leader: int) -> list[Standing]:
    """The leader, the others by error, then those that left, the last to leave first; those that
    could not use the data last."""

    def place(i: int) -> tuple[bool, bool, float, float]:
        row = rows[i]
        figure = row.error if math.isnan(row.figure) else row.figure
        came = row.dropped_at or math.inf
        return row.failed, i != leader, -came, math.inf if math.isnan(figure) else figure

    return [rows[i] for i in sorted(range(len(rows)), key=place)]
