"""The kinds of streams that can be generated: the one table behind command line, docs and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.data.generate import Stream


@dataclass(frozen=True)
class KindOption:
    name: str  # of the parameter in Python
    flag: str  # on the command line
    default: int | float | str
    help: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class StreamKind:
    """A function of `thresher.data.generate`, and its options besides the seed."""

    name: str  # on the command line
    summary: str
    options: tuple[KindOption, ...]

    @property
    def function(self) -> str:
        return self.name.replace("-", "_")

    def stream(self, seed: int = 0, **options: Any) -> Stream:
        from thresher.data import generate

        stream: Stream = getattr(generate, self.function)(**options, seed=seed)
        return stream


_features = KindOption("n", "--features", 1000, "how many features there are")
_active = KindOption("active", "--active", 20, "features of each example")
_relevant = KindOption("relevant", "--relevant", 5, "features that decide the label")
_noise = KindOption("noise", "--noise", 0.0, "probability that a label is wrong")

KINDS = {
    kind.name: kind
    for kind in (
        StreamKind(
            "disjunction",
            "positive if one of a few relevant features is active",
            (_features, _relevant, _active, _noise),
        ),
        StreamKind(
            "m-of-n",
            "positive if at least m of the relevant features are active",
            (
                KindOption("m", "--at-least", 3, "relevant features that make a positive"),
                KindOption("n_relevant", "--relevant", 7, _relevant.help),
                _features,
                _active,
                _noise,
            ),
        ),
        StreamKind(
            "linear",
            "unit vectors on both sides of a plane, a margin away from it",
            (
                _features,
                _active,
                KindOption("margin", "--margin", 0.05, "smallest distance from the plane"),
                _noise,
            ),
        ),
        StreamKind(
            "drift",
            "a disjunction whose relevant features change",
            (
                _features,
                KindOption("every", "--every", 10_000, "examples between two changes"),
                KindOption(
                    "kind", "--change", "abrupt", "how the target changes", ("abrupt", "gradual")
                ),
                _relevant,
                _active,
                KindOption("targets", "--targets", 8, "different targets, after which they repeat"),
                _noise,
            ),
        ),
        StreamKind(
            "text",
            "messages of invented words, spam and ham",
            (
                KindOption("vocabulary", "--words", 20_000, "how many words there are"),
                KindOption("zipf", "--zipf", 1.1, "word k has a frequency of 1/k^zipf"),
                KindOption("length", "--length", 80, "words drawn for a message, on average"),
                KindOption("telling", "--telling", 0.1, "share of words that depend on the class"),
                _noise,
            ),
        ),
    )
}
