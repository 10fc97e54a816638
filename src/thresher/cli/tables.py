"""Tables of results: drawn by Rich on a terminal, plain columns in a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from thresher.cli.report import put

Cell = str | int | float | None
BAR = 24
NARROW = 60  # columns of a terminal, below which tables have neither lines nor wide margins
LEAST_TEXT = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"
UNDEFINED = "–"
UNITS = (("kB", 1e3), ("MB", 1e6), ("GB", 1e9))


def text_of(value: Cell, digits: int = 4) -> str:
    """A figure as text; what is not defined is a dash."""
    if value is None:
        return UNDEFINED
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}f}"
    return f"{value:.{digits}f}" if 1e-3 <= abs(value) < 1e6 else f"{value:.{digits}g}"


def weight_of(value: float) -> str:
    """A weight of examples, which usually is their number."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def size_of(count: int) -> str:
    """Bytes, in a suitable unit."""
    if count < 1000:
        return f"{count} bytes"
    unit, power = next(((u, p) for u, p in UNITS if count < 999.5 * p), UNITS[-1])
    return f"{count / power:.3g} {unit}"


def bar(value: float, most: float, width: int = BAR) -> str:
    """A bar whose length is value/most of `width`, in eighths of a character; only 0 has none."""
    if not value:
        return ""
    eighths = max(1, round(8 * width * abs(value) / most))
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


def clean(text: str) -> str:
    """One line, whatever a name may hold: no control character reaches the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def title(text: str) -> None:
    put("")
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text(text, style="bold"))
    else:
        put(text)


def table(
    rows: Sequence[Sequence[Any]], head: Sequence[str] = (), left: Sequence[int] = (0,)
) -> None:
    """Rows of texts. Columns named in `left` are aligned on the left, all others on the right."""
    columns = len(head) or max((len(row) for row in rows), default=0)
    texts = [[clean(text_of(cell)) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _drawn(texts, head, left, columns)
        return
    lines = [list(head), *texts] if head else texts
    widths = [max(len(line[i]) for line in lines) for i in range(columns)] if lines else []
    for line in lines:
        cells = (
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        put(("  " + "  ".join(cells)).rstrip())


def _drawn(texts: list[list[str]], head: Sequence[str], left: Sequence[int], columns: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    narrow = console.width < NARROW
    drawn = Table(
        box=SIMPLE_HEAD if head and not narrow else None, show_header=bool(head),
        header_style="bold", padding=(0, 1), pad_edge=not narrow, collapse_padding=narrow,
    )  # fmt: skip
    lines = [list(head), *texts] if head else texts
    around = columns + 1 if narrow else 2 * columns + (columns + 1 if head else 0)
    widths = fitted(lines, columns, left, console.width - around)
    for i in range(columns):
        drawn.add_column(
            Text(head[i] if head else ""), justify="left" if i in left else "right",
            width=widths[i], overflow="fold", no_wrap=i not in left,
        )  # fmt: skip
    for row in texts:
        cells = (_cut(cell, widths[i]) for i, cell in enumerate(row))
        drawn.add_row(*(Text(cell, style=_style(cell)) for cell in cells))
    sys.stdout.flush()
    console.print(drawn)


def fitted(
    lines: Sequence[Sequence[str]], columns: int, left: Sequence[int], room: int
) -> list[int]:
    """The width of each column: figures keep theirs, texts and bars share what is left."""
    widths = [max((len(line[i]) for line in lines), default=0) for i in range(columns)]
    while sum(widths) > room and any(widths[i] > LEAST_TEXT for i in left):
        widest = max(left, key=lambda i: widths[i])
        widths[widest] -= 1
    return widths


def _cut(cell: str, width: int) -> str:
    """A bar is as long as there is room; a text goes on in the next line."""
    return cell[:width] if _style(cell) else cell


def _style(cell: str) -> str:
    return "cyan" if cell.startswith("█") or (cell and cell[0] in EIGHTHS[1:]) else ""
