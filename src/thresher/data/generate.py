"""Endless streams of examples with a known target, the same for the same kind, options and seed.

A stream is made in blocks, each from its own generator of random numbers: the first N examples do
not depend on how many follow, memory is constant, and the time for an example grows only with its
active features.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.data.example import Example
from thresher.errors import InvalidInput

BLOCK = 2048  # examples; part of what a seed means
TARGET, EXAMPLES = 0, 1  # what random numbers are used for

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class StreamBlock:
    """Some examples: those of row i are index[start[i] : start[i + 1]], and so for the values."""

    names: Sequence[str]  # of the features
    labels: tuple[str, str]  # of −1 and +1
    y: Bools  # whether the label is the second
    start: Ints
    index: Ints
    value: Reals | None = None  # None: all are 1
    names_ascend: bool = True  # names are whole numbers, in ascending order within each row

    def __len__(self) -> int:
        return len(self.y)

    def __iter__(self) -> Iterator[Example]:
        names = [self.names[i] for i in self.index.tolist()]
        values = [1.0] * len(names) if self.value is None else self.value.tolist()
        for label, begin, end in self.rows():
            features = dict(zip(names[begin:end], values[begin:end], strict=True))
            yield Example(label, features=features)

    def rows(self) -> Iterator[tuple[str, int, int]]:
        """For each example its label, and where its features begin and end."""
        labels = [self.labels[y] for y in self.y.tolist()]
        starts = self.start.tolist()
        return zip(labels, starts[:-1], starts[1:], strict=True)

    def value_texts(self) -> list[str] | None:
        """The values as files hold them; None if all are 1."""
        if self.value is None:
            return None
        texts = list(map(repr, self.value.tolist()))
        if (self.value == np.floor(self.value)).any():
            texts = [text.removesuffix(".0") for text in texts]
        return texts

    def first(self, n: int) -> StreamBlock:
        """At most its first n examples."""
        if n >= len(self):
            return self
        end = int(self.start[n])
        value = None if self.value is None else self.value[:end]
        return StreamBlock(
            self.names, self.labels, self.y[:n], self.start[: n + 1], self.index[:end], value,
            self.names_ascend,
        )  # fmt: skip


class Stream:
    """An endless stream of examples; iterate over it, or take `blocks` of it.

    >>> stream = disjunction(n=100, relevant=2, active=3, seed=7)
    >>> examples = stream.take(1000)
    >>> relevant = set(stream.truth["relevant"])
    >>> all((e.label == "1") == bool(relevant & e.features.keys()) for e in examples)
    True
    """

    def __init__(
        self,
        names: Sequence[str],
        truth: dict[str, Any],
        make: Callable[[np.random.Generator, int], StreamBlock],
        seed: int,
    ) -> None:
        self.names = names  # of all features
        self.truth = truth  # what a perfect learner would find, ready for JSON
        self._make = make  # random numbers, number of the block → the block
        self._seed = seed

    def blocks(self, examples: int | None = None) -> Iterator[StreamBlock]:
        """The first examples, this many, or all of the endless stream, in blocks."""
        number = 0
        while examples is None or number * BLOCK < examples:
            block = self._make(_random(self._seed, EXAMPLES, number), number)
            yield block if examples is None else block.first(examples - number * BLOCK)
            number += 1

    def __iter__(self) -> Iterator[Example]:
        for block in self.blocks():
            yield from block

    def take(self, examples: int) -> list[Example]:
        return list(islice(self, examples))

    def truth_json(self, about: dict[str, Any]) -> str:
        return json.dumps(about | {"truth": self.truth}, ensure_ascii=False, indent=1) + "\n"


def _random(seed: int, *purpose: int) -> np.random.Generator:
    if seed < 0:
        raise InvalidInput(f"found seed={seed}; expected a whole number, 0 or larger")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=purpose)))


# -- boolean targets


def disjunction(
    n: int = 1000, relevant: int = 5, active: int = 20, noise: float = 0.0, seed: int = 0
) -> Stream:
    """Positive if at least one of the relevant features is active.

    Half of the examples are positive. Each has `active` of the n features, and each label is wrong
    with probability `noise`. This is what Winnow is for: few relevant features among very many.
    """
    return m_of_n(1, relevant, n, active, noise, seed)


def m_of_n(
    m: int = 3,
    n_relevant: int = 7,
    n: int = 1000,
    active: int = 20,
    noise: float = 0.0,
    seed: int = 0,
) -> Stream:
    """Positive if at least m of the relevant features are active.

    Half of the examples are positive; how many relevant features are active is then equally likely
    to be any number that the label allows.
    """
    _check_boolean(m, n_relevant, n, active)
    _check_noise(noise)
    target = _sorted_sample(_random(seed, TARGET), n, n_relevant)
    names = _numbers(n)

    def make(random: np.random.Generator, number: int) -> StreamBlock:
        y = random.random(BLOCK) < 0.5
        rows = _planted_sets(random, y, m, target, n, active)
        return _boolean_block(names, _flipped(random, y, noise), rows)

    return Stream(names, {"relevant": [names[i] for i in target], "m": m}, make, seed)


def drift(
    n: int = 1000,
    every: int = 10_000,
    kind: Literal["abrupt", "gradual"] = "abrupt",
    relevant: int = 5,
    active: int = 20,
    targets: int = 8,
    noise: float = 0.0,
    seed: int = 0,
) -> Stream:
    """A disjunction whose relevant features change.

    There are `targets` of them, each valid for `every` examples; after the last they start over.
    "abrupt": the change takes no time. "gradual": more and more examples follow the next
    target; example t of `every` does so with probability t/every.
    """
    _check_boolean(1, relevant, n, active)
    _check_noise(noise)
    _check_at_least("every", every, 1)
    _check_at_least("targets", targets, 2)
    if kind not in ("abrupt", "gradual"):
        raise InvalidInput(f"found kind={kind!r}; expected 'abrupt' or 'gradual'")
    chosen = _random(seed, TARGET)
    planted = [_sorted_sample(chosen, n, relevant) for _ in range(targets)]
    names = _numbers(n)

    def make(random: np.random.Generator, number: int) -> StreamBlock:
        t = number * BLOCK + np.arange(BLOCK)
        which = t // every
        if kind == "gradual":
            which = which + (random.random(BLOCK) * every < t % every)
        which %= targets
        y = random.random(BLOCK) < 0.5
        rows = np.empty((BLOCK, active), np.int64)
        for i in np.unique(which):
            those = which == i
            rows[those] = _planted_sets(random, y[those], 1, planted[i], n, active)
        return _boolean_block(names, _flipped(random, y, noise), rows)

    relevant_names = [[names[i] for i in target] for target in planted]
    return Stream(names, {"relevant": relevant_names, "every": every, "kind": kind}, make, seed)


def _planted_sets(
    random: np.random.Generator, y: Bools, m: int, target: Ints, n: int, active: int
) -> Ints:
    """A row of `active` features for each y: at least m of the target's where y, else fewer."""
    r = len(target)
    least = np.where(y, m, 0)
    most = np.where(y, min(r, active), m - 1)
    hits = random.integers(least, most, endpoint=True)  # relevant features of each row
    others = np.delete(np.arange(n), target)
    rows = others[_distinct(random, len(y), active, n - r)]
    # Consecutive ones from a random start, wrapping around: each irrelevant feature is as likely.
    begin = random.integers(active, size=len(y))
    replaced = (np.arange(active) - begin[:, None]) % active < hits[:, None]
    order = np.argsort(random.random((len(y), r)), axis=1)
    rows[replaced] = target[order[np.arange(r) < hits[:, None]]]
    rows.sort(axis=1)
    return rows


def _distinct(random: np.random.Generator, rows: int, k: int, n: int) -> Ints:
    """k different numbers below n in each row, ascending; all sets are equally likely."""
    if 2 * k > n:  # choose the complement
        out = _distinct(random, rows, n - k, n)
        kept = np.ones((rows, n), bool)
        np.put_along_axis(kept, out, False, axis=1)
        return np.nonzero(kept)[1].reshape(rows, k)
    chosen = random.integers(n, size=(rows, k))
    chosen.sort(axis=1)
    unfinished = np.arange(rows)
    while len(unfinished):
        some = chosen[unfinished]
        repeats = np.zeros(some.shape, bool)
        repeats[:, 1:] = some[:, 1:] == some[:, :-1]
        again = repeats.any(axis=1)
        unfinished, some, repeats = unfinished[again], some[again], repeats[again]
        some[repeats] = random.integers(n, size=int(repeats.sum()))
        some.sort(axis=1)
        chosen[unfinished] = some
    return chosen


def _boolean_block(names: Sequence[str], y: Bools, rows: Ints) -> StreamBlock:
    start = np.arange(len(y) + 1, dtype=np.int64) * rows.shape[1]
    return StreamBlock(names, ("-1", "1"), y, start, rows.ravel())


def _flipped(random: np.random.Generator, y: Bools, noise: float) -> Bools:
    return y ^ (random.random(len(y)) < noise)


def _sorted_sample(random: np.random.Generator, n: int, k: int) -> Ints:
    sample: Ints = _distinct(random, 1, k, n)[0]
    return sample


def _numbers(n: int) -> list[str]:
    """Names 1 … n, as other programs expect the ids of svmlight."""
    return [str(i) for i in range(1, n + 1)]


# -- linear targets


def linear(
    n: int = 1000, active: int = 20, margin: float = 0.05, noise: float = 0.0, seed: int = 0
) -> Stream:
    """Separable by a planted unit vector u: y·(u·x) ≥ margin, except for the noise.

    Each x has `active` features and the length 1 (values have six decimals, rounded towards zero,
    so that no x is longer). Each x is moved away from the plane along u as far as the margin needs.
    """
    _check_at_least("n", n, 1)
    _check_between("active", active, 1, n)
    _check_noise(noise)
    u = _random(seed, TARGET).standard_normal(n)
    u /= np.linalg.norm(u)
    widest = 0.9 * (active / n) ** 0.5  # about the largest u·x that `active` features allow
    if not 0 <= margin <= widest:
        raise InvalidInput(
            f"found margin={margin!r}; expected 0 to {widest:.3g}, since x has {active} of {n} "
            "features: lower the margin, or make more features active"
        )
    names = _numbers(n)

    def make(random: np.random.Generator, number: int) -> StreamBlock:
        index = np.empty((BLOCK, active), np.int64)
        x = np.empty((BLOCK, active))
        y = np.empty(BLOCK, bool)
        missing = np.arange(BLOCK)
        while len(missing):  # some sets of features have too little of u for the margin
            some = _distinct(random, len(missing), active, n)
            points = _away_from_plane(random, u[some], margin)
            # The sum as a reader computes it: the last bit depends on the order of addition.
            scores = np.zeros(len(missing))
            for j in range(active):
                scores += u[some[:, j]] * points[:, j]
            good = np.abs(scores) > margin * (1 + 1e-9)
            index[missing[good]] = some[good]
            x[missing[good]] = points[good]
            y[missing[good]] = scores[good] > 0
            missing = missing[~good]
        start = np.arange(BLOCK + 1, dtype=np.int64) * active
        labels = _flipped(random, y, noise)
        return StreamBlock(names, ("-1", "1"), labels, start, index.ravel(), x.ravel())

    weights = dict(zip(names, u.tolist(), strict=True))
    return Stream(names, {"weights": weights, "margin": margin}, make, seed)


def _away_from_plane(random: np.random.Generator, u: Reals, margin: float) -> Reals:
    """A unit vector x for each row of u, with |u·x| ≥ margin where that is possible."""
    x = random.standard_normal(u.shape)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    length = np.linalg.norm(u, axis=1, keepdims=True)
    e = u / length
    along = (x * e).sum(axis=1, keepdims=True)
    across = x - along * e
    least = np.minimum(margin / length, 1.0)
    moved = np.copysign(least + (1 - least) * np.abs(along), along)
    width = np.linalg.norm(across, axis=1, keepdims=True)
    across *= np.sqrt(np.maximum(0.0, 1 - moved**2)) / np.where(width > 0, width, 1.0)
    decimals: Reals = np.trunc((moved * e + across) * 1e6) / 1e6 + 0.0
    return decimals


# -- text


def text(
    vocabulary: int = 20_000,
    zipf: float = 1.1,
    length: int = 80,
    telling: float = 0.1,
    noise: float = 0.0,
    seed: int = 0,
) -> Stream:
    """Messages, half spam and half ham: words by Zipf's law, each once per message.

    The word of rank k has a frequency ∝ 1/k^zipf; a share `telling` of the words is more frequent
    in one class (up to e² times) and less in the other. A message is about `length` words drawn.
    """
    _check_at_least("vocabulary", vocabulary, 2)
    _check_at_least("length", length, 1)
    _check_share("telling", telling)
    _check_noise(noise)
    if not 0 <= zipf <= 10:
        raise InvalidInput(f"found zipf={zipf!r}; expected 0 to 10")
    random = _random(seed, TARGET)
    names = _words(random, vocabulary)
    tilt = random.uniform(-1, 1, vocabulary) * (random.random(vocabulary) < telling)
    frequency = np.arange(1, vocabulary + 1, dtype=np.float64) ** -zipf
    tables = [_AliasTable(frequency * np.exp(side * tilt)) for side in (-1, 1)]

    def make(random: np.random.Generator, number: int) -> StreamBlock:
        y = random.random(BLOCK) < 0.5
        lengths = np.maximum(1, random.poisson(length, BLOCK))
        row = np.repeat(np.arange(BLOCK), lengths)
        is_spam = np.repeat(y, lengths)
        word = np.empty(len(row), np.int64)
        for side, table in enumerate(tables):
            those = is_spam == bool(side)
            word[those] = table.draw(random, int(those.sum()))
        # Each word once per message, at its first occurrence.
        first = np.sort(np.unique(row * vocabulary + word, return_index=True)[1])
        start = np.searchsorted(row[first], np.arange(BLOCK + 1)).astype(np.int64)
        labels = _flipped(random, y, noise)
        return StreamBlock(names, ("ham", "spam"), labels, start, word[first], names_ascend=False)

    told = np.flatnonzero(tilt)
    return Stream(names, {"log_odds": {names[i]: 2 * float(tilt[i]) for i in told}}, make, seed)


class _AliasTable:
    """Draws from any distribution in constant time (Walker 1977, Vose 1991)."""

    def __init__(self, weights: Reals) -> None:
        n = len(weights)
        share = (weights * (n / weights.sum())).tolist()
        self._keep = np.ones(n)
        self._alias = np.arange(n)
        small = [i for i, s in enumerate(share) if s < 1]
        large = [i for i, s in enumerate(share) if s >= 1]
        while small and large:
            i, j = small.pop(), large[-1]
            self._keep[i], self._alias[i] = share[i], j
            share[j] -= 1 - share[i]
            if share[j] < 1:
                small.append(large.pop())

    def draw(self, random: np.random.Generator, size: int) -> Ints:
        place = random.random(size) * len(self._keep)
        i = place.astype(np.int64)
        drawn: Ints = np.where(place - i < self._keep[i], i, self._alias[i])
        return drawn


# fmt: off
ONSETS = ["b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p",
          "pl", "qu", "r", "s", "sh", "sl", "st", "t", "th", "tr", "v", "w", "z"]
VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "oo", "ou"]
CODAS = ["", "", "", "", "l", "m", "n", "nd", "ng", "r", "rt", "s", "st", "t"]
# fmt: on


def _words(random: np.random.Generator, n: int) -> list[str]:
    """Different words that can be pronounced; the frequent ones are short."""
    words: dict[str, None] = {}
    while len(words) < n:
        drawn = random.random((max(64, n // 4), 12)).tolist()
        for parts in drawn:
            syllables = 1 + (len(words) > 150) + (len(words) > 5000) + (len(words) > 500_000)
            word = "".join(
                spellings[int(parts[3 * s + i] * len(spellings))]
                for s in range(syllables)
                for i, spellings in enumerate((ONSETS, VOWELS, CODAS))
            )
            words.setdefault(word)
            if len(words) == n:
                break
    return list(words)


# -- checks


def _check_boolean(m: int, relevant: int, n: int, active: int) -> None:
    _check_at_least("n", n, 1)
    _check_between("relevant", relevant, 1, n)
    _check_between("m", m, 1, relevant)
    _check_between("active", active, m, n - relevant)


def _check_at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise InvalidInput(f"found {name}={value}; expected at least {least}")


def _check_between(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInput(f"found {name}={value}; expected {least} to {most}")


def _check_noise(noise: float) -> None:
    _check_share("noise", noise)


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InvalidInput(f"found {name}={value!r}; expected 0 to 1")
