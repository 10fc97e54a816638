"""What a test can see of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np


def named(ax: Any) -> list[str]:
    """The entries of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def with_gid(ax: Any, gid: str) -> list[Any]:
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def heights(line: Any) -> list[float]:
    return np.asarray(line.get_ydata()).tolist()


def is_complete(display: Any) -> None:
    """It can be drawn to pixels, and says what its axes mean."""
    display.figure_.canvas.draw()
    assert display.ax_.figure is display.figure_
    assert display.ax_.get_title(loc="left")
