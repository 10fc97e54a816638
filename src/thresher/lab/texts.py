"""Numbers and lists as the lab writes them, in sentences and in lines of Python."""

from __future__ import annotations

import math
from typing import Any


def figure(value: float) -> str:
    """A number for readers: three digits or more, a true minus; only 0 is written as 0.

    >>> figure(-0.25), figure(0.00123), figure(1.2345), figure(1234.5), figure(1e-9)
    ('−0.25', '0.00123', '1.234', '1234', '1.00e−09')
    """
    size = abs(value)
    if size == math.inf:
        text = "∞" if value > 0 else "-∞"
    elif size and not 1e-3 <= size < 1e5:
        text = f"{value:.2e}"
    elif size < 1.0:
        text = f"{value:.3g}"
    else:
        text = f"{value:.3f}".rstrip("0").rstrip(".") if size < 100 else f"{value:.0f}"
    return (text if text != "-0" else "0").replace("-", "−")


def told_apart(value: float, other: float) -> str:
    """A number with all its digits if fewer would make it look equal to another.

    >>> told_apart(15.99999, 16.0), told_apart(2.5, 16.0)
    ('15.99999', '2.5')
    """
    equal = value != other and figure(value) == figure(other)
    return repr(float(value)).replace("-", "−") if equal else figure(value)


def most(bound: float) -> int:
    """The most mistakes that a bound allows; rounding does not take one from a whole number.

    >>> most(19.999999999999996), most(19.9)
    (20, 19)
    """
    return math.floor(bound * (1.0 + 1e-9))


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
