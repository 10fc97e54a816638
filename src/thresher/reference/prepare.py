"""Rows prepared before they are learned: running scales, products, random Fourier features.

A step maps a row to a row. `learn` updates it with an example that is about to be learned; `map`
maps a row by what was learned so far.
"""

import copy
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .fit import Around
from .vectors import BIAS, Vector

__all__ = ["Prepared"]


class Step(Protocol):
    def learn(self, x: Vector) -> None: ...

    def map(self, x: Vector) -> Vector: ...


class Scaler:
    """(x − centre)/spread of each feature, by its statistics so far; 0 while there is no spread.

    A name left out is 0 and counts as 0.

    >>> scale = MinMax()
    >>> scale.learn({"a": 2.0})
    >>> scale.learn({"a": 4.0, "b": -1.0})
    >>> scale.map({"a": 3.0, "b": -0.5})
    {'a': 0.5, 'b': 0.5}
    """

    def __init__(self) -> None:
        self.examples = 0
        self.seen: dict[str, list[float]] = {}  # the values that were not 0

    def learn(self, x: Vector) -> None:
        self.examples += 1
        for name, value in x.items():
            self.seen.setdefault(name, []).append(value)

    def affine(self, name: str) -> tuple[float, float]:
        """Centre and spread."""
        raise NotImplementedError

    def map(self, x: Vector) -> Vector:
        out = {}
        for name in self.seen:
            centre, spread = self.affine(name)
            out[name] = (x.get(name, 0.0) - centre) / spread if spread > 0.0 else 0.0
        return out


class Standard(Scaler):
    """Mean 0, variance 1."""

    def affine(self, name: str) -> tuple[float, float]:
        values, n = self.seen[name], self.examples
        mean = m2 = 0.0  # of the values that are not 0: Welford 1962
        for count, value in enumerate(values, start=1):
            d = value - mean
            mean += d / count
            m2 += d * (value - mean)
        share = len(values) / n
        variance = (m2 + mean * mean * len(values) * (1.0 - share)) / n
        return mean * share, math.sqrt(variance)


class MinMax(Scaler):
    """From 0 for the smallest to 1 for the largest."""

    def affine(self, name: str) -> tuple[float, float]:
        values = self.seen[name] + ([0.0] if len(self.seen[name]) < self.examples else [])
        return min(values), max(values) - min(values)


class MaxAbs(Scaler):
    """From −1 to 1, and 0 stays 0."""

    def affine(self, name: str) -> tuple[float, float]:
        return 0.0, max(map(abs, self.seen[name]))


class Idf(Scaler):
    """Times 1 + ln((1 + n)/(1 + d)): d of the n examples have the feature. 0 stays 0.

    >>> scale = Idf()
    >>> scale.learn({"the": 1.0})
    >>> scale.learn({"the": 1.0, "cat": 2.0})
    >>> scale.map({"the": 1.0, "cat": 2.0})["cat"] == 2.0 * (1.0 + math.log(3 / 2))
    True
    """

    def affine(self, name: str) -> tuple[float, float]:
        found = len(self.seen[name])
        return 0.0, 1.0 / (1.0 + math.log((1 + self.examples) / (1 + found)))


class Within:
    """Clamps the result of a scaler to [0, 1]: for Winnow, beyond the range seen so far."""

    def __init__(self, scaler: Scaler) -> None:
        self.scaler = scaler
        self.learn, self.affine = scaler.learn, scaler.affine

    def map(self, x: Vector) -> Vector:
        return {name: min(1.0, max(0.0, value)) for name, value in self.scaler.map(x).items()}


class Unit:
    """Length 1.

    >>> Unit().map({"a": 3.0, "b": 4.0})
    {'a': 0.6, 'b': 0.8}
    """

    def learn(self, x: Vector) -> None:
        pass

    def map(self, x: Vector) -> Vector:
        most = max(map(abs, x.values()), default=0.0)
        if most == 0.0:  # a row of zeros stays one
            return dict(x)
        root = math.sqrt(sum((value / most) ** 2 for value in x.values()))
        return {name: value / most / root for name, value in x.items()}


class Products:
    """Products of up to `degree` features: different ones, or also of one with itself.

    >>> Products(2).map({"a": 2.0, "b": 3.0})
    {'a': 2.0, 'b': 3.0, 'a*b': 6.0}
    >>> Products(2, repeats=True).map({"a": 2.0, "b": 3.0})
    {'a': 2.0, 'b': 3.0, 'a^2': 4.0, 'a*b': 6.0, 'b^2': 9.0}
    """

    def __init__(self, degree: int, repeats: bool = False) -> None:
        self.degree = degree
        choose = itertools.combinations_with_replacement if repeats else itertools.combinations
        self.choose: Any = choose

    def learn(self, x: Vector) -> None:
        pass

    def map(self, x: Vector) -> Vector:
        out = {}
        for size in range(1, self.degree + 1):
            for names in self.choose(x, size):
                value = 1.0
                for name in names:
                    value *= x[name]
                powers = {name: names.count(name) for name in names}
                out["*".join(n if p == 1 else f"{n}^{p}" for n, p in powers.items())] = value
        return {name: value for name, value in out.items() if value}


class Fourier:
    """√(2/D)·cos(ω_j·x + b_j), whose products approximate exp(−γ·‖x − x'‖²) (Rahimi & Recht 2007).

    >>> z = Fourier(10_000, gamma=0.5)
    >>> a, b = z.map({"a": 1.0}), z.map({"b": 1.0})
    >>> round(sum(a[name] * b[name] for name in a), 1), round(math.exp(-0.5 * 2), 1)
    (0.4, 0.4)
    """

    def __init__(self, components: int, gamma: float = 1.0, seed: int = 0) -> None:
        self.components, self.gamma, self.seed = components, gamma, seed
        draws = uniforms("", seed)
        self.offset = [2.0 * math.pi * next(draws) for _ in range(components)]
        self.kept: dict[str, list[float]] = {}

    def omega(self, name: str) -> list[float]:
        """Drawn from N(0, 2γ), two at a time (Box & Muller 1958)."""
        if name not in self.kept:
            draws = uniforms(name, self.seed + 1)
            out: list[float] = []
            while len(out) < self.components:
                r = math.sqrt(2.0 * self.gamma) * math.sqrt(-2.0 * math.log1p(-next(draws)))
                angle = 2.0 * math.pi * next(draws)
                out += [r * math.cos(angle), r * math.sin(angle)]
            self.kept[name] = out
        return self.kept[name]

    def learn(self, x: Vector) -> None:
        pass

    def map(self, x: Vector) -> Vector:
        height = math.sqrt(2.0 / self.components)
        out = {}
        for j in range(self.components):
            phase = self.offset[j]
            for name, value in x.items():
                phase += self.omega(name)[j] * value
            out[f"fourier{j}"] = height * math.cos(phase)
        return out


def in_order(x: Vector, number: Mapping[str, int]) -> Vector:
    """By the numbers of the names; those made by a step keep their order."""
    return {name: x[name] for name in sorted(x, key=lambda name: number.get(name, len(number)))}


WORD = 2**64 - 1


def mixed(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def uniforms(name: str, seed: int) -> Any:
    """Numbers in [0, 1) that depend only on a name and a seed: SplitMix64, started at a hash."""
    state = mixed(seed & WORD) ^ 0xCBF29CE484222325
    for byte in name.encode():
        state = (state ^ byte) * 0x100000001B3 & WORD  # FNV-1a
    while True:
        state = state + 0x9E3779B97F4A7C15 & WORD
        yield (mixed(state) >> 11) * 2.0**-53


class Prepared(Around):
    """A learner whose rows go through steps first.

    The steps learn an example, then it is mapped, then learned. A prediction maps by what was
    learned so far; a name that occurred in no learned example counts as absent. `names` are those
    known from the start, such as the columns of an array: products are spelled in their order.

    >>> from thresher.reference import Perceptron
    >>> learner = Prepared(Perceptron(average=False), [Products(2)])
    >>> xor = [({}, 0), ({"a": 1.0}, 1), ({"b": 1.0}, 1), ({"a": 1.0, "b": 1.0}, 0)]
    >>> learner.fit(xor, max_epochs=None).converged
    True
    >>> [learner.predict(x) for x, _ in xor]
    [0, 1, 1, 0]
    """

    def __init__(self, learner: Any, steps: Sequence[Step], names: Sequence[str] = ()) -> None:
        super().__init__(learner)
        self.steps = list(steps)
        self.number = {name: i for i, name in enumerate(names)}
        self.came: set[str] = set()
        self.detects_cycles &= not any(hasattr(step, "affine") for step in steps)

    def learn(self, x: Mapping[str, float], y: Any, weight: float = 1.0) -> None:
        if weight == 0.0:
            return
        steps, number = copy.deepcopy(self.steps), dict(self.number)
        for name in x:
            number.setdefault(name, len(number))
        row = in_order({name: value for name, value in x.items() if value}, number)
        came = self.came | row.keys()
        for step in steps:
            step.learn(row)
            row = in_order(step.map(row), number)
        self.learner.learn(row, y, weight)  # may refuse: then nothing is kept
        self.steps, self.number, self.came = steps, number, came

    def prepared(self, x: Mapping[str, float]) -> Vector:
        """The row that the inner learner predicts from."""
        known = {name: value for name, value in x.items() if name in self.came and value}
        row = in_order(known, self.number)
        for step in self.steps:
            row = in_order(step.map(row), self.number)
        return row

    def score(self, x: Mapping[str, float]) -> Any:
        return self.learner.score(self.prepared(x))

    def predict(self, x: Mapping[str, float]) -> Any:
        return self.learner.predict(self.prepared(x))

    def predict_proba(self, x: Mapping[str, float]) -> Any:
        return self.learner.predict_proba(self.prepared(x))

    def weights(self) -> Any:
        """Of the prepared features; if a scale is the only step, of the features themselves."""
        weights = self.learner.weights()
        if len(self.steps) != 1 or not hasattr(self.steps[0], "affine"):
            return weights
        if any(isinstance(value, dict) for value in weights.values()):
            return {label: self._unscaled(vector) for label, vector in weights.items()}
        return self._unscaled(weights)

    def _unscaled(self, weights: Vector) -> Vector:
        """w·(x − centre)/spread, as weights of x and a constant."""
        step: Any = self.steps[0]
        out, constant = {}, weights.get(BIAS, 0.0)
        for name, w in weights.items():
            centre, spread = step.affine(name) if name in self.came else (0.0, 0.0)
            if name != BIAS:
                out[name] = w / spread if spread > 0.0 else 0.0
                constant -= w * centre / spread if spread > 0.0 else 0.0
        return {**out, BIAS: constant}


def step_of(kind: str, size: int = 0, gamma: float = 1.0, seed: int = 0) -> Step:
    """A step by its name."""
    if kind == "fourier":
        return Fourier(size, gamma, seed)
    if kind in ("conjunctions", "polynomial"):
        return Products(size, repeats=kind == "polynomial")
    plain: dict[str, Any] = {
        "standard": Standard, "minmax": MinMax, "maxabs": MaxAbs, "idf": Idf, "unit": Unit,
    }  # fmt: skip
    step: Step = plain[kind]()
    return step
