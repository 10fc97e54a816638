"""What a client says about a model when it creates it; none of it changes later."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from thresher.data.reading import KEPT, ROLES, RULES, ReadingOptions, reading_options
from thresher.errors import InvalidInput, ThresherError
from thresher.options import near, whole

if TYPE_CHECKING:
    from thresher.learners.contract import Trainable

FORMATS = ("jsonl", "vw", "svmlight", "bag")  # in which a line is an event, and no line a header
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
IGNORED = ("ignore", "vw")  # a namespace
OWN = ("learner", "settings", "format", "id", "keep_seconds", "keep_most")


@dataclass(frozen=True)
class ModelOptions:
    """A learner with its settings, and how its events are read: as of `thresher train`."""

    learner: str = "experts"  # a committee, as `thresher train` has it
    settings: Mapping[str, Any] = field(default_factory=dict)
    format: str = "jsonl"
    id: str | None = None  # the key of an event's id, which is no feature
    keep_seconds: int = 86_400  # how long a prediction waits for its label
    keep_most: int = 100_000  # and how many may wait
    reading: ReadingOptions = field(default_factory=ReadingOptions)  # what a model keeps of it

    def as_json(self) -> dict[str, Any]:
        """In the form in which clients send it."""
        return {name: getattr(self, name) for name in OWN} | self.reading.as_kept()

    def with_learner(self, learner: str, settings: Mapping[str, Any]) -> ModelOptions:
        """The same events for another learner."""
        return replace(self, learner=learner, settings=settings)

    def new_learner(self) -> Trainable:
        """One that has learned nothing."""
        from thresher.learners.table import by_short

        cls = by_short(self.learner, races=False).cls
        known = cls().get_params(deep=False)
        for name in self.settings:
            if name not in known:
                raise InvalidInput(
                    f"{self.learner} has no option {name!r}; expected one of "
                    f"{', '.join(sorted(known))}.{near(name, known)}"
                )
        learner: Trainable = cls(**self.settings)
        learner.check_options()
        learner.begin_reading(self.reading)
        learner.epochs_ = 1  # a stream is one pass over itself
        return learner


def options_from(stored: Mapping[str, Any]) -> ModelOptions:
    """What `as_json` wrote."""
    kept = {"rules": 1} | {name: stored[name] for name in KEPT if name in stored}
    reading = reading_options(**kept)
    return ModelOptions(**{name: stored[name] for name in OWN if name in stored}, reading=reading)


def model_options(given: Any) -> ModelOptions:
    """What a client has sent, checked."""
    if not isinstance(given, dict):
        raise InvalidInput('expected a JSON object, such as {"learner": "arow", "label": "y"}.')
    known = (*OWN, *KEPT)
    for name in given:
        if name not in known:
            raise InvalidInput(
                f"unknown entry {name!r}; expected some of {', '.join(known)}.{near(name, known)}"
            )
    given = {name: value for name, value in given.items() if value is not None}
    for name in ("learner", "format", "id", "label", "weight", "weighting", "missing"):
        _check(name, given.get(name, ""), str, "a text")
    for name in (*ROLES, "cross"):
        for item in _check(name, given.get(name, []), list, "a list"):
            words = item if name == "cross" and isinstance(item, list) else [item]
            if not all(isinstance(word, str) for word in words):
                raise InvalidInput(f"{name} is {given[name]!r}; expected names of keys in it.")
    _check("settings", given.get("settings", {}), dict, 'options of the learner: {"C": 0.1}')
    whole("keep_seconds", given.get("keep_seconds", 1), 1)
    whole("keep_most", given.get("keep_most", 0), 0, 10_000_000)
    options = options_from({"rules": RULES} | given)
    if options.learner == "auto":
        raise InvalidInput(
            "learner is 'auto', which looks at the data first, and here it is yet to come; "
            "expected experts (for labels) or experts-regressor (for numbers)."
        )
    _check_format(options)
    if options.reading.missing == "mean" and not options.reading.means:
        raise InvalidInput("missing is 'mean', and there is no table to take means of; expected "
                           "zero or indicator.")  # fmt: skip
    try:
        options.new_learner()
    except ThresherError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InvalidInput(f"these settings cannot be used: {error}") from error
    return options


def _check(name: str, value: Any, kind: type, expected: str) -> Any:
    if not isinstance(value, kind):
        raise InvalidInput(f"{name} is {value!r}; expected {expected}.")
    return value


def _check_format(options: ModelOptions) -> None:
    reading = options.reading
    if options.format not in FORMATS:
        raise InvalidInput(f"format is {options.format!r}; expected one of {', '.join(FORMATS)}.")
    if options.format == "jsonl":
        if not reading.label:
            raise InvalidInput(
                'label is missing; expected the key of the label in each event: "label": "y".'
            )
        if options.id and options.id in (reading.label, reading.weight):
            raise InvalidInput(f"id and label or weight are both {options.id!r}.")
        return
    keys = {"id": options.id, "label": reading.label, "weight": reading.weight}
    keys |= {role: getattr(reading, role) for role in ROLES if (role, options.format) != IGNORED}
    for name, key in keys.items():
        if key:
            raise InvalidInput(
                f"{name} names a key of JSON; {options.format} has a place for it. Leave it out."
            )
