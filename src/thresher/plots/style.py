"""The style of the plots, in one place: a light grid, colours for all kinds of colour vision."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from thresher.errors import InvalidInput
from thresher.extras import missing
from thresher.replacing import replacing

BLUE, ORANGE = "#1b4f9c", "#e0731d"
SERIES = (BLUE, ORANGE, "#009e73", "#cc79a7", "#56b4e9", "#8a6d00")  # after Okabe & Ito
MARKERS = ("o", "D", "^", "s", "v", "P")  # in addition, for print
INK, FAINT, GRID = "#2b2b2b", "#757575", "#ececec"
SUFFIXES = (".png", ".svg", ".pdf")
FONT = {"font.family": "DejaVu Sans", "font.size": 10.0, "svg.hashsalt": "thresher"}


def matplotlib() -> Any:
    """The package, or an error that says how to get it."""
    try:
        import matplotlib
    except ImportError:
        raise missing("a picture", "matplotlib") from None
    return matplotlib


def new_figure(width: float = 5.6, height: float = 4.6) -> Any:
    """A new figure: nothing here touches pyplot's current one, or any window."""
    matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


class Display:
    """What all plots share: where they are drawn."""

    figure_: Any
    ax_: Any

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw into `ax`, or into a new figure, then found as `figure_`.

        `style` is passed to matplotlib for the main element: the line, the bars, the points.
        """
        with matplotlib().rc_context(FONT):
            self.ax_ = new_figure().subplots() if ax is None else ax
            self.figure_ = self.ax_.figure
            self._draw(self.ax_, style)
        return self

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        raise NotImplementedError


def dress(ax: Any, title: str, x: str, y: str, grid: str = "both") -> None:
    """Title, names of the axes, a light grid, and nothing else."""
    ax.set_title(title, loc="left", color=INK, weight="bold", fontsize=11)
    ax.set_xlabel(x, color=INK)
    ax.set_ylabel(y, color=INK)
    ax.tick_params(length=0, colors=FAINT)
    ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=GRID, linewidth=0.8)


def check_suffix(path: str | os.PathLike[str]) -> Path:
    """A path whose suffix is a known image format."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{target}: expected a name that ends with {', '.join(SUFFIXES)}.")
    return target


def write_page(path: str | os.PathLike[str], title: str, displays: Sequence[Display]) -> None:
    """Plots side by side on one page, up to three in a row."""
    target = check_suffix(path)
    rows = 1 if len(displays) <= 3 else 2
    columns = -(-len(displays) // rows)
    with matplotlib().rc_context(FONT):
        figure = new_figure(5.6 * columns, 4.6 * rows + 0.4)
        figure.suptitle(title, x=0.012, ha="left", color=INK, weight="bold", fontsize=13)
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, display in zip(axes, displays, strict=False):
            display.plot(ax)
        for ax in axes[len(displays) :]:
            ax.remove()
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}  # same data, same bytes
        suffix = target.suffix.lower()
        with replacing(target) as file:
            figure.savefig(file, format=suffix[1:], dpi=150, metadata=dated.get(suffix))


def short(value: object, most: int = 18) -> str:
    """A label that fits next to an axis."""
    text = str(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def shares(axis: Any) -> None:
    """An axis from 0 to 1, in per cent."""
    ticks = (0, 0.25, 0.5, 0.75, 1)
    axis.set_ticks(ticks, [f"{share:.0%}" for share in ticks])


def count_axis(axis: Any, log: bool) -> None:
    """Whole numbers, with commas; on a logarithmic axis only the powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    if log:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
        axis.set_major_locator(LogLocator(10, numticks=9))
    else:
        axis.set_major_locator(MaxNLocator(6, integer=True))
    axis.set_major_formatter(FuncFormatter(thousands()))
    axis.set_minor_locator(NullLocator())


def name_ends(ax: Any, x: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """Names of lines next to their ends (height, name, colour), moved apart if they overlap."""
    scale = ax.yaxis.get_transform()
    low, high = (float(scale.transform(limit)) for limit in ax.get_ylim())
    apart = 0.055 * (high - low)
    place = low - apart
    for value, text, color in sorted(ends):
        place = max(float(scale.transform(value)), place + apart)
        ax.annotate(
            text, (x, float(scale.inverted().transform(place))), (8, 0), color=color,
            textcoords="offset points", va="center", annotation_clip=False,
            weight="bold" if color == BLUE else "normal",
        )  # fmt: skip


def legend(ax: Any, **options: Any) -> Any:
    """A legend that hides nothing: small, on white, without a frame."""
    return ax.legend(
        **{"frameon": True, "framealpha": 0.9, "edgecolor": "none", "fontsize": 9} | options
    )


def thousands() -> Callable[[float, int], str]:
    return lambda value, _: f"{value:,.0f}"
