"""The kinds of streams that can be generated: the one table behind command line, docs and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.data.generate import Stream


@dataclass(frozen=True)
class Option:
    name: str  # of the parameter in Python
    flag: str  # on the command line
    default: int | float | str
    help: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A function of `thresher.data.generate`, and its options besides the seed."""

    name: str  # on the command line
    summary: str
    options: tuple[Option, ...]

    @property
    def function(self) -> str:
        return self.name.replace("-", "_")

    def stream(self, seed: int = 0, **options: Any) -> Stream:
        from thresher.data import generate

        stream: Stream = getattr(generate, self.function)(**options, seed=seed)
        return stream


_features = Option("n", "--features", 1000, "how many features there are")
_active = Option("active", "--active", 20, "features of each example")
_relevant = Option("relevant", "--relevant", 5, "features that decide the label")
_noise = Option("noise", "--noise", 0.0, "probability that a label is wrong")

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "disjunction",
            "positive if one of a few relevant features is active",
            (_features, _relevant, _active, _noise),
        ),
        Kind(
            "m-of-n",
            "positive if at least m of the relevant features are active",
            (
                Option("m", "--at-least", 3, "relevant features that make a positive"),
                Option("n_relevant", "--relevant", 7, _relevant.help),
                _features,
                _active,
                _noise,
            ),
        ),
        Kind(
            "linear",
            "unit vectors on both sides of a plane, none closer than the margin",
            (
                _features,
                _active,
                Option("margin", "--margin", 0.05, "smallest distance from the plane"),
                _noise,
            ),
        ),
        Kind(
            "drift",
            "a disjunction whose relevant features change",
            (
                _features,
                Option("every", "--every", 10_000, "examples between two changes"),
                Option(
                    "kind", "--change", "abrupt", "how the target changes", ("abrupt", "gradual")
                ),
                _relevant,
                _active,
                Option("targets", "--targets", 8, "different targets, after which they repeat"),
                _noise,
            ),
        ),
        Kind(
            "text",
            "messages of invented words, spam and ham",
            (
                Option("vocabulary", "--words", 20_000, "how many words there are"),
                Option("zipf", "--zipf", 1.1, "word k has a frequency of 1/k^zipf"),
                Option("length", "--length", 80, "words drawn for a message, on average"),
                Option("telling", "--telling", 0.1, "share of words that depend on the class"),
                _noise,
            ),
        ),
    )
}
