"""The learners of this view: those whose step adds a multiple of x to each prototype."""

from __future__ import annotations

import functools
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.learners.entry import Entry

OPTIONS = {
    "perceptron": ("learning_rate", "margin", "fit_intercept"),
    "pa": ("C", "variant", "fit_intercept"),
    "mira": ("C", "constraints", "margin", "fit_intercept"),
}


@functools.cache
def entries() -> dict[str, Entry]:
    from thresher.learners.table import TABLE

    known = {entry.short: entry for entry in TABLE}
    return {short: known[short] for short in OPTIONS}


def listed(_: Any = None) -> dict[str, Any]:
    """For the page: name, options and their kinds, of every learner."""
    return {
        "learners": [
            {
                "short": entry.short,
                "name": entry.name,
                "update": entry.update,
                "paper": entry.paper,
                "options": [_option(entry, name) for name in OPTIONS[entry.short]],
            }
            for entry in entries().values()
        ]
    }


def _option(entry: Entry, name: str) -> dict[str, Any]:
    option = entry.cls.options[name]
    words = () if name == "learning_rate" else option.choices  # a constant rate only
    return {"name": name, "default": option.default, "choices": list(words), "none": option.none}


def learner(name: str, value: Any) -> tuple[Entry, dict[str, Any]]:
    """The learner of a panel and its options, as the page sent them."""
    given = check.fields(name, value, ("learner", "options"))
    short = check.word(f"{name}.learner", given.get("learner"), tuple(OPTIONS))
    options = check.fields(f"{name}.options", given.get("options", {}), OPTIONS[short])
    for key, option in options.items():
        where = f"{name}.options.{key}"
        if key in ("learning_rate", "margin", "C"):
            check.number(where, option, 0.0, 1e9)
        elif key == "fit_intercept":
            check.flag(where, option)
        elif not isinstance(option, str):
            raise InvalidInput(f"{where} is {check.short(option)}; expected a word.")
        else:
            check.word(where, option, most=40)
    return entries()[short], dict(options)


def model(entry: Entry, options: dict[str, Any]) -> Any:
    """The learner without an average: its prototypes are those that learn."""
    return entry.cls(**options, average=False)
