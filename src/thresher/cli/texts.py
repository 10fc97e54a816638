"""Columns that look like text: proposed for --text, or taken as such where the command decides."""

from __future__ import annotations

import shlex
from typing import Any

from thresher.cli import options
from thresher.cli.report import say


def propose_texts(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """Say which columns look like text, and the option that makes them so."""
    from thresher.data.sniffing import text_columns

    if given["quiet"]:
        return
    for column in text_columns(data, options.reading_of(given)):
        say(f"warning: the column {column}. Each value is learned as one name, which hardly ever "
            f"comes again. To learn its words, add: --text {shlex.quote(column.name)}")  # fmt: skip


def take_texts(data: tuple[str, ...], given: dict[str, Any]) -> None:
    """Take columns that look like text as such, and say so."""
    from thresher.data.sniffing import text_columns

    for column in text_columns(data, options.reading_of(given)):
        given["text"] = (*given["text"], column.name)
        if not given["quiet"]:
            name = shlex.quote(column.name)
            say(f"The column {column}: its words are learned, as with --text {name}. To learn each "
                f"value as one name: --categorical {name}")  # fmt: skip
