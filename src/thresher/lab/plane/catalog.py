"""The learners that a panel can show, and their options: from the table of learners."""

from __future__ import annotations

import functools
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.learners.entry import Entry
from thresher.options import Whole

# The lab sets passes and order; two labels need no multiclass option; the other kind of Naive Bayes
# sees only the quadrant of a point, and its boundary is not a line.
NOT_SHOWN = frozenset(
    {"max_epochs", "shuffle", "random_state", "warm_start", "multiclass", "multi_label", "rules",
     "calibrate", "confidence", "burn_in", "kind", "max_hypotheses", "prepare", "class_weight",
     "threshold"}
)  # fmt: skip


PLAYED = ("banditron",)  # its mistakes are those of what it plays, not of the line that is drawn


@functools.cache
def entries() -> dict[str, Entry]:
    """Learners of two classes in the plane that take one example at a time."""
    from thresher.learners.table import TABLE

    return {
        entry.short: entry
        for entry in TABLE
        if entry.task == "classify"
        and entry.online
        and (entry.linear or entry.kernel)
        and entry.short not in PLAYED
    }


def listed(_: Any = None) -> dict[str, Any]:
    """For the page: name, options and their kinds, of every learner."""
    return {
        "learners": [
            {
                "short": entry.short,
                "name": entry.name,
                "family": entry.family,
                "update": entry.update,
                "paper": entry.paper,
                "curved": entry.kernel,
                "options": [_option(entry.cls, name) for name in _shown(entry.cls)],
            }
            for entry in entries().values()
        ]
    }


def learner(name: str, value: Any) -> tuple[Entry, dict[str, Any]]:
    """The learner of a panel and its options, as the page sent them."""
    given = check.fields(name, value, ("learner", "options"))
    short = check.word(f"{name}.learner", given.get("learner"), tuple(entries()))
    entry = entries()[short]
    options = check.fields(f"{name}.options", given.get("options", {}), tuple(_shown(entry.cls)))
    for key, option in options.items():
        if option is not None and not isinstance(option, (bool, int, float, str)):
            raise InvalidInput(f"{name}.options.{key} is {check.short(option)}; expected a number "
                               "or a word.")  # fmt: skip
        if isinstance(option, str):
            check.word(f"{name}.options.{key}", option, most=40)
        if isinstance(option, int) and not isinstance(option, bool):
            check.number(f"{name}.options.{key}", option, -1e300, 1e300)
    if options.get("forget") == "random":  # a panel is a function of what was sent
        options = {**options, "random_state": 0}
    return entry, dict(options)


def _shown(cls: type[Any]) -> list[str]:
    return [name for name in cls.options if name not in NOT_SHOWN]


def _option(cls: type[Any], name: str) -> dict[str, Any]:
    option = cls.options[name]
    return {
        "name": name,
        "default": option.default,
        "choices": [word for word in option.choices if word != "precomputed"],
        "none": option.none,
        "whole": isinstance(option, Whole),
    }
