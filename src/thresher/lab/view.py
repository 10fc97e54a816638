"""What the lab knows about a view: its folder declares it in `VIEW`; `view.js` draws it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Their folders. The page has its own list of them, in the order of the tabs (page/views.js).
NAMES = ("plane", "classes", "landscape", "boolean", "growth", "adversary", "runs")


@dataclass(frozen=True)
class Recorded:
    """A question that a page without a server asks, and how its answer is found."""

    ask: str
    about: dict[str, Any]

    answer: Callable[[], Any]

    by: str = ""
    """The entry of the question that says which step is meant, by its value or its length, and is
    not in `about`: the answer is then a list, from step 0 on."""


@dataclass(frozen=True)
class View:
    """The Python side of a view."""

    questions: Mapping[str, str]
    """Module and function, in the view's folder, that answer each question of its page."""

    smaller: str
    """What to advise when a question takes too long."""

    lesson_facts: str | None = None
    """Module and function that give a lesson the numbers of a run."""

    recorded: str | None = None
    """Module and function that list, for a state, what its page asks (`Recorded`)."""

    reads_logs: bool = False
    """Whether the functions take the folder of logs besides what the page sends."""


def view(name: str) -> View:
    """The view of a folder.

    >>> view("plane").questions["run"]
    'trace:run'
    """
    found: View = importlib.import_module(f"thresher.lab.{name}").VIEW
    return found


def function(folder: str, place: str) -> Any:
    """The function of a folder that "module:function" names."""
    module, name = place.split(":")
    return getattr(importlib.import_module(f"thresher.lab.{folder}.{module}"), name)


def every_step(
    explain: Callable[[Any], Any], about: dict[str, Any], sequence: list[int], updates: list[int]
) -> list[Any]:
    """The explanation of each step over a sequence of points; the number of an earlier step if only
    its number differs: the same example, and no update since."""
    out: list[Any] = [None]
    since: dict[int, int] = {}  # the step of each example since the last update
    for t, i in enumerate(sequence, 1):
        if i in since:
            out.append(since[i])
            continue
        out.append(explain({**about, "sequence": sequence[:t]}))
        if updates[t - 1]:
            since.clear()
        else:
            since[i] = t
    return out
