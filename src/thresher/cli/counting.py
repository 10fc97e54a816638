"""The progress of a command: a line on a terminal, nothing otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(examples: int | None, quiet: bool) -> Iterator[Callable[[int], None]]:
    """What to call with the number of examples just done; None: the total is unknown."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    done = TextColumn("{task.completed:,.0f} examples")
    columns = [done] if examples is None else [BarColumn(), done, TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=examples)
        yield lambda n: bar.advance(task, n)
