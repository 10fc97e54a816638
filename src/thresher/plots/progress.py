"""How the error fell while a model learned."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, Self

from thresher.errors import InvalidInput
from thresher.evaluate import Report
from thresher.plots.style import BLUE, Display, dress, thousands


class ProgressDisplay(Display):
    """The progressive error: of all examples so far, and of those since the report before."""

    def __init__(
        self, examples: Sequence[int], loss: Sequence[float], recent: Sequence[float | None]
    ) -> None:
        self.examples = list(examples)
        self.loss = list(loss)
        self.recent = list(recent)

    @classmethod
    def from_log(cls, path: str | os.PathLike[str]) -> Self:
        """Of what training wrote: a JSON object a line, with ``examples``, ``loss``, ``recent``."""
        rows: list[tuple[int, float, float | None]] = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    rows += _points(json.loads(line))
                except (AttributeError, TypeError, ValueError):
                    raise InvalidInput(
                        f"{os.fspath(path)}, line {number}: found {line.strip()[:60]!r}; expected "
                        'a JSON object such as {"examples": 1024, "loss": 0.12, "recent": 0.1}.'
                    ) from None
        if not rows:
            raise InvalidInput(f"{os.fspath(path)}: no line tells examples and loss.")
        return cls(*zip(*rows, strict=True))

    @classmethod
    def from_reports(cls, reports: Iterable[Report]) -> Self:
        """Of what `thresher.evaluate.progressive` yields."""
        rows = [(r.examples, r.loss, r.recent) for r in reports]
        if not rows:
            raise InvalidInput("there are no reports to draw.")
        return cls(*zip(*rows, strict=True))

    def _draw(self, ax: Any) -> None:
        from matplotlib.ticker import FuncFormatter, NullLocator

        dress(ax, "Progressive error", "examples read", "error")
        since = [(n, r) for n, r in zip(self.examples, self.recent, strict=True) if r is not None]
        if since:
            ax.plot(*zip(*since, strict=True), color="#e6a56f", linewidth=1.2, marker="o",
                    markersize=4)  # fmt: skip
        ax.plot(self.examples, self.loss, color=BLUE, linewidth=2.4, solid_capstyle="round")
        _at_the_end(ax, self.examples[-1], self.loss[-1], since[-1][1] if since else None)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(FuncFormatter(thousands()))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_ylim(bottom=0)
        ax.margins(x=0.03)


def _points(entry: dict[str, Any]) -> list[tuple[int, float, float | None]]:
    """What one line tells; nothing, if it is about something else."""
    examples, loss, recent = (entry.get(key) for key in ("examples", "loss", "recent"))
    if examples is None or loss is None:
        return []
    return [(int(examples), float(loss), None if recent is None else float(recent))]


def _at_the_end(ax: Any, x: float, loss: float, recent: float | None) -> None:
    """The names of the lines beside their ends; two that end together stand one above the other."""
    ends = [(loss, f"so far {loss:.4g}", BLUE)]
    if recent is not None:
        ends.append((recent, f"lately {recent:.4g}", "#b4560f"))
    ends.sort(reverse=True)
    sides = ("bottom", "top") if len(ends) == 2 else ("center",)
    for (value, text, color), side in zip(ends, sides, strict=True):
        ax.annotate(
            text, (x, value), (8, 0), textcoords="offset points", va=side, color=color,
            weight="bold" if color == BLUE else "normal",
        )  # fmt: skip
