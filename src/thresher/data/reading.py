"""How examples are read: declared once, and kept by the model that learns from them."""

from __future__ import annotations

import codecs
import math
from collections.abc import Iterable, Mapping
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
    "text": (),  # nothing tells a document a line from other files: it is asked for by name
    "parquet": (".parquet",),
    "arrow": (".arrow", ".feather", ".ipc"),
}


# Which rules make features of a table and of texts. 1: only ASCII letters become lower case, all
# that is not ASCII is part of words, true and false of a table are texts.
RULES = 2

# Which formats can be written: words do not make a document again.
WRITTEN = tuple(name for name in FORMATS if name != "text")


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
    date: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing: str = "zero"
    ngrams: int = 1
    char_ngrams: tuple[int, ...] = ()  # the shortest and the longest; (): none
    weighting: str = "count"
    cross: tuple[tuple[str, ...], ...] = ()
    hash_bits: int = 0  # 0: names are kept
    min_count: int = 1
    max_features: int = 0  # 0: any number
    means: tuple[tuple[str, float], ...] = ()  # what stands for a value that is missing
    rules: int = RULES
    # For whom.
    need_labels: bool = True
    needs: Needs = Needs()
    usual_label: str | None = None  # of the model's other files: if it is here, and none was named
    usual_weight: str | None = None
    documents: bool = False  # a model that has learned from documents, a line each …
    decimal_comma: bool = False  # … or from tables with numbers such as 1,5
    # More about the input.
    encoding: str = "utf-8"
    keep: tuple[str, ...] = ()  # columns whose text comes along with each example

    def as_kept(self) -> dict[str, Any]:
        """What a model keeps, for its file."""
        kept = {name: getattr(self, name) for name in KEPT}
        return {name: _listed(value) for name, value in kept.items()}

    def as_model(
        self, kept: ReadingOptions | None, provenance: Mapping[str, Any] | None = None
    ) -> ReadingOptions:
        """For a model that has learned, from the files of its provenance: features are made as
        before."""
        if kept is None:
            return self
        made = {name: getattr(kept, name) for name in KEPT if name not in COLUMNS}
        known = provenance or {}
        return replace(
            self, **made, usual_label=kept.label, usual_weight=kept.weight,
            documents=set(known.get("formats", ())) == {"text"},
            decimal_comma=bool(known.get("decimal_comma")),
        )  # fmt: skip

    def for_core(self) -> dict[str, Any]:
        """How features are made, as the core's parsers take it."""
        return {name: getattr(self, name) for name in MAKING}

    def columns_for_core(self) -> dict[str, list[str]]:
        """Columns with a role of their own, besides label and weight."""
        return {name: list(getattr(self, name)) for name in (*ROLES, "keep")}

    def only_kept(self) -> ReadingOptions:
        """What a model keeps, and nothing else."""
        return ReadingOptions(**{name: getattr(self, name) for name in KEPT})


COLUMNS = ("label", "weight")  # their columns; other files may have them elsewhere
WORDS = ("ngrams", "char_ngrams", "weighting")  # what is made of words
ROLES = ("text", "categorical", "date", "ignore")  # columns that are read in their own way
FEATURES = (*ROLES, "missing", *WORDS, "cross", "hash_bits", "min_count", "max_features")
KEPT = (*COLUMNS, *FEATURES, "means", "rules")
MAKING = (*WORDS, "cross", "missing", "means", "rules")
MISSING = ("zero", "mean", "indicator")
WEIGHTINGS = ("count", "binary", "log")
LONGEST = 10  # n-grams


def reading_options(
    *,
    format: str = "auto",
    label: str | None = None,
    weight: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    keep: str | Iterable[str] = (),
    text: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    date: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    missing: str = "zero",
    ngrams: int = 1,
    char_ngrams: str | int | Iterable[int] | None = None,
    weighting: str = "count",
    cross: Iterable[Any] = (),
    hash_bits: int | None = None,
    min_count: int = 1,
    max_features: int | None = None,
    means: Iterable[Iterable[Any]] = (),
    rules: int = RULES,
    need_labels: bool = True,
) -> ReadingOptions:
    """The keywords of `fit_file` and `read`, checked."""
    if format != "auto" and format not in FORMATS:
        raise InvalidInput(f"format is {format!r}; expected 'auto' or one of {', '.join(FORMATS)}.")
    groups = [tuple(p.split(",")) if isinstance(p, str) else tuple(p) for p in cross]
    if any(len(crossed) < 2 or not all(crossed) for crossed in groups):
        raise InvalidInput(
            "cross takes two columns or more: --cross color,size; in Python cross=[('color', "
            "'size')]."
        )
    if missing not in MISSING:
        raise InvalidInput(f"missing is {missing!r}; expected one of {', '.join(MISSING)}.")
    if weighting not in WEIGHTINGS:
        raise InvalidInput(f"weighting is {weighting!r}; expected one of {', '.join(WEIGHTINGS)}.")
    return ReadingOptions(
        format=format,
        header=header,
        encoding=_encoding(encoding),
        keep=_words(keep),
        label=label,
        weight=weight,
        text=_words(text) or (("text",) if format == "text" else ()),
        categorical=_words(categorical),
        date=_words(date),
        ignore=_words(ignore),
        missing=missing,
        ngrams=whole("ngrams", ngrams, 1, LONGEST),
        char_ngrams=_range(char_ngrams),
        weighting=weighting,
        cross=tuple(groups),
        hash_bits=whole("hash_bits", hash_bits or 0, 0, 30),
        min_count=whole("min_count", min_count, 1, 255),
        max_features=whole("max_features", max_features or 0, 0, 2**31 - 1),
        means=tuple((str(name), float(mean)) for name, mean in means),
        rules=whole("rules", rules, 1, RULES),
        need_labels=need_labels,
    )


def from_kept(stored: dict[str, Any]) -> ReadingOptions | None:
    """The content of a model file; nothing in it is trusted."""
    if not stored:
        return None
    later = ("char_ngrams", "weighting", "date", "ignore", "missing", "means")
    usual = ReadingOptions().as_kept()
    stored = {name: usual[name] for name in later} | {"rules": 1} | stored  # older files have none
    if set(stored) != set(KEPT):
        raise ModelFileError("the recipe of the features does not have the entries expected.")
    try:
        words = [
            *(column for role in ROLES for column in stored[role]),
            *(w for crossed in stored["cross"] for w in crossed),
            *(name for name, _ in stored["means"]),
            *(stored[column] for column in COLUMNS if stored[column] is not None),
        ]
        if not all(type(word) is str for word in words):
            raise TypeError("names are text")
        if not all(math.isfinite(mean) for _, mean in stored["means"]):
            raise ValueError("means are finite")
        return reading_options(**stored)
    except (InvalidInput, TypeError, ValueError):
        raise ModelFileError("the recipe of the features holds something unexpected.") from None


def _encoding(name: str) -> str:
    """An encoding of text by the name that Python has for it."""
    try:
        info = codecs.lookup(name)
    except (LookupError, TypeError, ValueError):
        raise InvalidInput(
            f"there is no encoding {name!r}; expected one such as utf-8, latin-1, cp1252, utf-16, "
            "shift_jis or gb18030."
        ) from None
    if not info._is_text_encoding:
        raise InvalidInput(f"{name!r} is no encoding of text.")
    return info.name


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
