"""Numbers and lists as the lab writes them, in sentences and in lines of Python."""

from __future__ import annotations

from typing import Any


def figure(value: float) -> str:
    """A number for readers: three digits, a true minus.

    >>> figure(-0.25), figure(1234.5), figure(1e-9)
    ('−0.25', '1234', '1.00e−09')
    """
    size = abs(value)
    if size and not 1e-3 <= size < 1e5:
        text = f"{value:.2e}"
    else:
        text = f"{value:.3f}".rstrip("0").rstrip(".") if size < 100 else f"{value:.0f}"
    return (text if text not in ("-0", "") else "0").replace("-", "−")


def wrapped(values: list[Any], width: int = 96) -> str:
    """A list as Python, over several lines if it is long."""
    text = repr(values)
    if len(text) <= width:
        return text
    lines, line = [], "    "
    for value in values:
        piece = f"{value!r}, "
        if len(line) + len(piece) > width:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "[\n" + "\n".join([*lines, line.rstrip()]) + "\n]"
