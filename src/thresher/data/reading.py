"""How examples are read: declared once, and kept by the model that learns from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from thresher.errors import InvalidInput, ModelFileError
from thresher.options import whole

# The formats, and the suffixes of files that are in them.
FORMATS = {
    "svmlight": (".svm", ".svmlight", ".libsvm", ".libsvm.txt"),
    "vw": (".vw",),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "bag": (".bag", ".feats"),
    "parquet": (".parquet",),
    "arrow": (".arrow", ".feather", ".ipc"),
}


@dataclass(frozen=True)
class Needs:
    """What a learner needs of each example."""

    targets: bool = False  # numbers instead of labels
    sets: bool = False  # of labels: 1,3
    unit: bool = False  # values in [0, 1]
    clip: bool = False  # clipped to it
    once: bool = False  # a name that occurs twice counts once


@dataclass(frozen=True)
class ReadingOptions:
    """What the user says about the input, and how features are made from it."""

    # The input. What is not given is recognised from it.
    format: str = "auto"
    header: bool | None = None
    # What a model keeps, so that all later input is read the same way; see KEPT.
    label: str | None = None
    weight: str | None = None
    text: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    ngrams: int = 1
    char_ngrams: tuple[int, ...] = ()  # the shortest and the longest; (): none
    weighting: str = "count"
    cross: tuple[tuple[str, str], ...] = ()
    hash_bits: int = 0  # 0: names are kept
    min_count: int = 1
    max_features: int = 0  # 0: any number
    # For whom.
    need_labels: bool = True
    needs: Needs = Needs()
    usual_label: str | None = None  # of the model's other files: if it is here, and none was named
    usual_weight: str | None = None

    def as_kept(self) -> dict[str, Any]:
        """What a model keeps, for its file."""
        kept = {name: getattr(self, name) for name in KEPT}
        return {name: _listed(value) for name, value in kept.items()}

    def as_model(self, kept: ReadingOptions | None) -> ReadingOptions:
        """For a model that has learned: features are made as before."""
        if kept is None:
            return self
        made = {name: getattr(kept, name) for name in KEPT if name not in COLUMNS}
        return replace(self, **made, usual_label=kept.label, usual_weight=kept.weight)

    def only_kept(self) -> ReadingOptions:
        """What a model keeps, and nothing else."""
        return ReadingOptions(**{name: getattr(self, name) for name in KEPT})


COLUMNS = ("label", "weight")  # their columns; other files may have them elsewhere
WORDS = ("ngrams", "char_ngrams", "weighting")  # what is made of words
FEATURES = ("text", "categorical", *WORDS, "cross", "hash_bits", "min_count", "max_features")
KEPT = (*COLUMNS, *FEATURES)
WEIGHTINGS = ("count", "binary", "log")
LONGEST = 10  # n-grams


def reading_options(
    *,
    format: str = "auto",
    label: str | None = None,
    weight: str | None = None,
    header: bool | None = None,
    text: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    ngrams: int = 1,
    char_ngrams: str | int | Iterable[int] | None = None,
    weighting: str = "count",
    cross: Iterable[Any] = (),
    hash_bits: int | None = None,
    min_count: int = 1,
    max_features: int | None = None,
    need_labels: bool = True,
) -> ReadingOptions:
    """The keywords of `fit_file` and `read`, checked."""
    if format != "auto" and format not in FORMATS:
        raise InvalidInput(f"format is {format!r}; expected 'auto' or one of {', '.join(FORMATS)}.")
    pairs = [tuple(p.split(",")) if isinstance(p, str) else tuple(p) for p in cross]
    if any(len(pair) != 2 or not all(pair) for pair in pairs):
        raise InvalidInput(
            "cross takes pairs of columns: --cross color,size; in Python cross=[('color', 'size')]."
        )
    if weighting not in WEIGHTINGS:
        raise InvalidInput(f"weighting is {weighting!r}; expected one of {', '.join(WEIGHTINGS)}.")
    return ReadingOptions(
        format=format,
        header=header,
        label=label,
        weight=weight,
        text=_words(text),
        categorical=_words(categorical),
        ngrams=whole("ngrams", ngrams, 1, LONGEST),
        char_ngrams=_range(char_ngrams),
        weighting=weighting,
        cross=tuple((a, b) for a, b in pairs),
        hash_bits=whole("hash_bits", hash_bits or 0, 0, 30),
        min_count=whole("min_count", min_count, 1, 255),
        max_features=whole("max_features", max_features or 0, 0, 2**31 - 1),
        need_labels=need_labels,
    )


def from_kept(stored: dict[str, Any]) -> ReadingOptions | None:
    """The content of a model file; nothing in it is trusted."""
    if not stored:
        return None
    later = {name: ReadingOptions().as_kept()[name] for name in ("char_ngrams", "weighting")}
    stored = later | stored  # older files have none
    if set(stored) != set(KEPT):
        raise ModelFileError("the recipe of the features does not have the entries expected.")
    words = [
        *stored["text"], *stored["categorical"], *(w for pair in stored["cross"] for w in pair),
        *(stored[column] for column in COLUMNS if stored[column] is not None),
    ]  # fmt: skip
    try:
        if not all(type(word) is str for word in words):
            raise TypeError("names are text")
        return reading_options(**stored)
    except (InvalidInput, TypeError):
        raise ModelFileError("the recipe of the features holds something unexpected.") from None


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _range(given: str | int | Iterable[int] | None) -> tuple[int, ...]:
    """Shortest and longest: 3-5, or one number for both.

    >>> _range("3-5"), _range(4), _range((2, 3)), _range(None)
    ((3, 5), (4, 4), (2, 3), ())
    """
    try:
        ends = given.split("-") if isinstance(given, str) else given
        numbers = [int(n) for n in ([ends] if isinstance(ends, int) else ends or ())]
        if not numbers:
            return ()
        least, most = numbers if len(numbers) > 1 else numbers * 2
    except (TypeError, ValueError):
        least, most = 0, 0
    if not 1 <= least <= most <= LONGEST:
        raise InvalidInput(
            f"char_ngrams is {given!r}; expected how many characters, from 1 to {LONGEST}: 3-5, "
            "or one number; in Python also (3, 5)."
        )
    return least, most


def _listed(value: Any) -> Any:
    """As JSON has it."""
    return [_listed(one) for one in value] if isinstance(value, tuple) else value
