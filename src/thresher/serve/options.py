"""What a client says about a model when it creates it; none of it changes later."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from thresher.data.reading import ReadingOptions, reading_options
from thresher.errors import InvalidInput, ThresherError
from thresher.options import near, whole

if TYPE_CHECKING:
    from thresher.learners.contract import Trainable

FORMATS = ("jsonl", "vw", "svmlight", "bag")  # in which a line is an event, and no line a header
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
READING = ("label", "weight", "text", "categorical", "ngrams", "cross", "hash_bits", "min_count",
           "max_features")  # fmt: skip


@dataclass(frozen=True)
class ModelOptions:
    """A learner with its settings, and how its events are read: as of `thresher train`."""

    learner: str = "pa"
    settings: Mapping[str, Any] = field(default_factory=dict)
    format: str = "jsonl"
    id: str | None = None  # the key of an event's id, which is no feature
    keep_seconds: int = 86_400  # how long a prediction waits for its label
    keep_most: int = 100_000  # and how many may wait
    label: str | None = None
    weight: str | None = None
    text: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    ngrams: int = 1
    cross: tuple[tuple[str, str], ...] = ()
    hash_bits: int = 0
    min_count: int = 1
    max_features: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def reading(self) -> ReadingOptions:
        return reading_options(**{name: getattr(self, name) for name in READING})

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
        learner.begin_reading(self.reading())
        learner.epochs_ = 1  # a stream is one pass over itself
        return learner


def model_options(given: Any) -> ModelOptions:
    """What a client has sent, checked."""
    if not isinstance(given, dict):
        raise InvalidInput('expected a JSON object, such as {"learner": "arow", "label": "y"}.')
    known = {f.name: f for f in fields(ModelOptions)}
    for name in given:
        if name not in known:
            raise InvalidInput(
                f"unknown entry {name!r}; expected some of {', '.join(known)}.{near(name, known)}"
            )
    for name in ("learner", "format", "id", "label", "weight"):
        if not isinstance(given.get(name, ""), str):
            raise InvalidInput(f"{name} is {given[name]!r}; expected a text.")
    for name in ("text", "categorical"):
        words = given.get(name, [])
        if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
            raise InvalidInput(f"{name} is {words!r}; expected a list of keys.")
    cross = given.get("cross", [])
    if not isinstance(cross, list) or not all(
        isinstance(pair, list) and all(isinstance(w, str) for w in pair) for pair in cross
    ):
        raise InvalidInput(f'cross is {cross!r}; expected pairs: [["site", "ad"]].')
    if not isinstance(given.get("settings", {}), dict):
        raise InvalidInput('settings is no object; expected options of the learner: {"C": 0.1}.')
    options = replace(
        ModelOptions(**given),
        text=tuple(given.get("text", ())),
        categorical=tuple(given.get("categorical", ())),
        cross=tuple(tuple(pair) for pair in cross),
        keep_seconds=whole("keep_seconds", given.get("keep_seconds", 86_400), 1),
        keep_most=whole("keep_most", given.get("keep_most", 100_000), 0, 10_000_000),
    )
    if options.format not in FORMATS:
        raise InvalidInput(f"format is {options.format!r}; expected one of {', '.join(FORMATS)}.")
    if options.format == "jsonl":
        if not options.label:
            raise InvalidInput(
                'label is missing; expected the key of the label in each event: "label": "y".'
            )
        if options.id and options.id in (options.label, options.weight):
            raise InvalidInput(f"id and label or weight are both {options.id!r}.")
    else:
        for name in ("id", "label", "weight", "text", "categorical"):
            if getattr(options, name):
                raise InvalidInput(
                    f"{name} names a key of JSON; {options.format} has a place for it. Leave it "
                    "out."
                )
    try:
        options.new_learner()
    except ThresherError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InvalidInput(f"these settings cannot be used: {error}") from error
    return options
