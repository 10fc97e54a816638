"""Streams of examples for Hypothesis, and the forms in which a learner can be given them.

A learner decides by comparing a score with a threshold, and a sum in another order may fall on the
other side of it. So there are two kinds of streams. In the exact ones either all the arithmetic is
exact or there are so few features that everybody adds them up in the same order: ties abound, and
are decided alike. In the real ones values have no pattern, so that no score is near a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from thresher.learners.table import LINEAR, Entry

CASES = [(entry, options) for entry in LINEAR for options in entry.variants]
ONLINE = [(entry, options) for entry, options in CASES if entry.online]
COUNTERS = ("Winnow", "NaiveBayes", "Snow")  # they take no value below 0


def case_id(value: Any) -> str | None:
    """Perceptron, then margin=0.7, in the name of a test."""
    if isinstance(value, Entry):
        return value.name
    if isinstance(value, dict):
        return ",".join(f"{k}={v}" for k, v in value.items()) or "default"
    return None


@dataclass(frozen=True)
class Stream:
    """Rows of numbers, a label or target for each, and a weight for each if there are weights."""

    X: np.ndarray
    y: list[Any]
    weights: list[float] | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def columns(self) -> int:
        return self.X.shape[1]

    @property
    def labels(self) -> np.ndarray:
        return np.array(self.y)

    @property
    def importance(self) -> list[float]:
        return [1.0] * len(self) if self.weights is None else self.weights

    def dicts(self) -> list[dict[str, float]]:
        """Names to values, in the order of the columns, zeros left out."""
        return [{f"x{j}": v for j, v in enumerate(row) if v} for row in self.X.tolist()]

    def examples(self) -> list[tuple[dict[str, float], Any, float]]:
        """As the reference takes them."""
        return list(zip(self.dicts(), self.y, self.importance, strict=True))

    def csr(self, dtype: type = float) -> sparse.csr_array:
        return sparse.csr_array(self.X.astype(dtype))

    def part(self, which: Any) -> Stream:
        """Some of the examples, in the order asked for."""
        rows = np.arange(len(self))[which]
        weights = None if self.weights is None else [self.weights[i] for i in rows]
        return replace(self, X=self.X[rows], y=[self.y[i] for i in rows], weights=weights)


ARRAYS = {
    "dense": lambda stream: stream.X,
    "dense float32": lambda stream: stream.X.astype(np.float32),
    "csr": lambda stream: stream.csr(),
    "csr float32": lambda stream: stream.csr(np.float32),
    "csr bool": lambda stream: stream.csr(bool),
}
ONES = {
    "dict": lambda x: x,
    "set": lambda x: set(x),
    "list": lambda x: list(x),
}
BINARY = ("csr bool", "set", "list")


def learn(learner: Any, stream: Stream, form: str) -> Any:
    """Give a stream to a learner in one of the forms above, once."""
    if form in ARRAYS:
        return learner.fit(ARRAYS[form](stream), stream.labels, sample_weight=stream.weights)
    for x, y, weight in stream.examples():
        learner.learn_one(ONES[form](x), y, sample_weight=weight)
    return learner


# ------------------------------------------------------------------ strategies

EIGHTHS = tuple(k / 8 for k in range(-16, 17))
UNIT_EIGHTHS = tuple(k / 8 for k in range(9))
WHOLE = (-2.0, -1.0, 0.0, 1.0, 2.0)
BITS = (0.0, 1.0)

ONE = [[label] for label in (1, 0, -1, "spam", True, False, 3.0)]
TWO = [[0, 1], [1, -1], ["ham", "spam"], [False, True], [7, 3], [2.0, -2.0], ["z", "a"]]
MANY = [[0, 1, 2], [5, -1, 3, 0], ["b", "a", "c", "d"], [2.0, 1.0, 0.0], [9, 8, 7, 6, 5]]


@st.composite
def labels(draw: st.DrawFn, length: int) -> list[Any]:
    """One label, two, or many that appear late and in any order."""
    names = draw(st.sampled_from([ONE, TWO, MANY, MANY]).flatmap(st.sampled_from))
    names = draw(st.permutations(names))
    which = draw(
        st.lists(st.integers(0, len(names) - 1), min_size=length, max_size=length), label="which"
    )
    return [names[k] for k in which]


@st.composite
def importances(draw: st.DrawFn, length: int, values: tuple[float, ...]) -> list[float] | None:
    """Weights, of which at least one is not 0; or none at all."""
    if not draw(st.booleans()):
        return None
    weights = draw(st.lists(st.sampled_from(values), min_size=length, max_size=length))
    return weights if any(weights) else None


TARGETS = tuple(k / 4 for k in range(-12, 13))


@st.composite
def exact_streams(
    draw: st.DrawFn,
    entry: Entry,
    options: dict[str, Any],
    binary: bool = False,
    unordered: bool = False,
    longest: int = 12,
) -> Stream:
    """Small dyadic numbers: see the head of this file."""
    values, weights, widest = exact_values(entry, options, binary)
    if unordered:  # a set is walked in any order, which only a sum of two does not feel
        # and of equal weights the truncated perceptron keeps the first in the example; of equal
        # columns a learner of second moments gives the weight to the last.
        first_counts = entry.quadratic or entry.name == "TruncatedPerceptron"
        widest = min(widest, 1 if first_counts else 2)
    width = draw(st.integers(1, widest))
    length = draw(st.integers(1, longest))
    row = st.lists(st.sampled_from(values), min_size=width, max_size=width)
    X = draw(st.lists(row, min_size=length, max_size=length))
    if entry.task == "classify":
        y = draw(labels(length))
    else:
        y = draw(st.lists(st.sampled_from(TARGETS), min_size=length, max_size=length))
    return Stream(np.array(X), y, draw(importances(length, weights)))


def exact_values(
    entry: Entry, options: dict[str, Any], binary: bool
) -> tuple[tuple[float, ...], tuple[float, ...], int]:
    """Values, weights and how many features leave no doubt about a decision of this learner."""
    parts, wholes = (0.0, 0.25, 0.5, 1.0, 2.0), (0.0, 1.0, 2.0)
    many, same_order = 20, 3  # sums of three numbers are always in the same order
    if "class_weight" in options:  # n/(K·n_k), and a quarter of a step, are not exact
        many = same_order
    if entry.name == "BalancedWinnow":  # scaled, a row with a 2 has a half as an exponent
        values = (-1.0, 0.0, 1.0) if options.get("scaled", True) else WHOLE
        return (BITS if binary else values), wholes, many
    if entry.name in ("NaiveBayes", "Snow"):
        return (BITS if binary else UNIT_EIGHTHS), parts, same_order
    if entry.name == "Winnow":
        doubles = options.get("alpha", 2.0) == 2.0
        if doubles and (binary or options.get("negations")):
            return BITS, wholes, many
        return (BITS if binary else UNIT_EIGHTHS), parts, same_order
    dyadic = isinstance(options.get("learning_rate", 1.0), float) and "step" not in options
    widest = many if entry.name == "Perceptron" and dyadic else same_order
    return (BITS if binary else EIGHTHS), parts, widest


def exact_options(entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    """Balanced Winnow's weights are sums of powers of α: with 2 they are exact. So are those of the
    p-norm perceptron with p = 2."""
    exact = {"BalancedWinnow": {"alpha": 2.0}, "PNormPerceptron": {"p": 2.0}}
    return options | exact.get(entry.name, {})


@st.composite
def real_streams(draw: st.DrawFn, entry: Entry, longest: int = 30) -> Stream:
    """Numbers without a pattern (float32, so that all forms can hold them), many of them zero."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    length = draw(st.integers(1, longest))
    width = draw(st.sampled_from([1, 2, 5, 16, 23, 40]))
    X = rng.random((length, width)) if entry.name in COUNTERS else rng.normal(size=(length, width))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3, 0.8]))] = 0.0
    if entry.task == "classify":
        y = draw(labels(length))
    else:
        y = np.round(rng.normal(scale=3.0, size=length), 6).tolist()
    weights = draw(importances(length, (0.0, 0.3, 1.0, 1.7)))
    return Stream(X.astype(np.float32).astype(float), y, weights)
