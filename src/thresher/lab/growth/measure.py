"""Mistakes of Winnow, the p-norm perceptron and the Perceptron on disjunctions of more and more
variables, until a pass makes none; five seeds, and what the theorems allow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import Perceptron, PNormPerceptron, Winnow
from thresher.lab import check, progress
from thresher.theory.bounds import novikoff, pnorm, winnow_disjunction

FIELDS = ("target", "k", "density", "p", "sizes")
TARGETS = ("few", "half")
DENSITIES = ("half", "tenth", "two")
SEEDS = 5
MOST_PASSES = 40
LARGEST = 10  # log2 n
LEARNERS = ("winnow", "p-norm", "perceptron")

Rows = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]


class GrowthSetup:
    """What a page asks to see, checked."""

    def __init__(self, given: Any) -> None:
        state = check.fields("the state", given, FIELDS)
        self.target = check.word("target", state.get("target", "few"), TARGETS)
        self.k = check.whole("k", state.get("k", 3), 1, 8)
        self.density = check.word("density", state.get("density", "half"), DENSITIES)
        self.p = check.number("p", state.get("p", 6.0), 2.0, 40.0)
        most = check.whole("sizes", state.get("sizes", LARGEST), 5, LARGEST)
        if self.target == "half":  # where everything takes longer
            most = min(most, LARGEST - 1)
        self.sizes = [2**e for e in range(4, most + 1)]

    def relevant(self, n: int) -> int:
        return n // 2 if self.target == "half" else self.k

    def share(self, n: int) -> float:
        """How likely a variable is 1 that does not matter."""
        return {"half": 0.5, "tenth": 0.1, "two": 2.0 / n}[self.density]

    def learners(self) -> dict[str, Any]:
        found = (Winnow(), PNormPerceptron(p=self.p), Perceptron(average=False))
        return dict(zip(LEARNERS, found, strict=True))


def examples(n: int, k: int, share: float, seed: int) -> Rows:
    """4·n + 200 of them, half positive: one of the k relevant variables is 1, or none; each other
    variable is 1 with probability `share`."""
    random = np.random.default_rng([n, seed])
    relevant = random.choice(n, k, replace=False)
    X = random.random((4 * n + 200, n)) < share
    y = random.random(len(X)) < 0.5
    X[:, relevant] = False
    positive = np.flatnonzero(y)
    X[positive, relevant[random.integers(k, size=len(positive))]] = True
    return X.astype(np.float64), y


def mistakes_of(model: Any, X: Any, y: Any) -> tuple[int, bool]:
    """Until a pass makes none, and whether one did."""
    before = 0
    for _ in range(MOST_PASSES):
        model.partial_fit(X, y, classes=[False, True])
        if model.mistakes_ == before:
            return before, True
        before = int(model.mistakes_)
    return before, False


def run(given: Any) -> dict[str, Any]:
    """For each n the mistakes of every seed and the bound; the power of n that they grow with, and
    the mistakes for each doubling, by the sizes so far."""
    setup = GrowthSetup(given)
    seen: dict[str, list[list[int]]] = {name: [] for name in LEARNERS}
    bounds: dict[str, list[float]] = {name: [] for name in LEARNERS}
    settled = True
    progress.stage("examples of more and more variables")
    for number, n in enumerate(setup.sizes):
        progress.at(number, len(setup.sizes))
        k, longest = setup.relevant(n), 0.0
        counts: dict[str, list[int]] = {name: [] for name in LEARNERS}
        for seed in range(SEEDS):
            X, y = examples(n, k, setup.share(n), seed)
            longest = max(longest, float(X.sum(axis=1).max()))
            for name, model in setup.learners().items():
                count, done = mistakes_of(model, X, y)
                counts[name].append(count)
                settled &= done
        for name, value in allowed(n, k, longest, setup.p).items():
            bounds[name].append(value)
            seen[name].append(counts[name])
    return {
        "sizes": setup.sizes,
        "relevant": [setup.relevant(n) for n in setup.sizes],
        "settled": settled,
        "learners": [
            {
                "name": name,
                "title": title(name, setup.p),
                "mistakes": seen[name],
                "mean": [float(np.mean(row)) for row in seen[name]],
                "bound": bounds[name],
                **fits(setup.sizes, seen[name]),
            }
            for name in LEARNERS
        ],
    }


def allowed(n: int, k: int, ones: float, p: float) -> dict[str, float]:
    """The bounds. u is 2 on the relevant variables and −1 on the bias: its margin is 1."""
    q = p / (p - 1.0)
    largest = ones + 1.0  # with the constant feature
    return {
        "winnow": winnow_disjunction(k, n).value,
        "p-norm": pnorm(p, X_p=largest ** (1.0 / p), u_q=(k * 2.0**q + 1.0) ** (1.0 / q),
                        gamma=1.0).value,
        "perceptron": novikoff(math.sqrt(largest), 1.0 / math.sqrt(4.0 * k + 1.0)).value,
    }  # fmt: skip


def title(name: str, p: float) -> str:
    return {"winnow": "Winnow", "p-norm": f"p-norm (p = {p:g})", "perceptron": "Perceptron"}[name]


def fits(sizes: list[int], seen: list[list[int]]) -> dict[str, list[float | None]]:
    """By least squares over the first t sizes: the slope of log m against log n, and that of m
    against log2 n."""
    power: list[float | None] = [None, None]
    doubling: list[float | None] = [None, None]
    means = np.array([np.mean(row) for row in seen])
    for t in range(2, len(sizes) + 1):
        n = np.log2(sizes[:t])
        power.append(float(np.polyfit(n, np.log2(np.maximum(means[:t], 0.5)), 1)[0]))
        doubling.append(float(np.polyfit(n, means[:t], 1)[0]))
    return {"power": power, "doubling": doubling}


def python(given: Any) -> dict[str, str]:
    """The same examples, learners and counts."""
    setup = GrowthSetup(given)
    k = "n // 2" if setup.target == "half" else str(setup.k)
    share = {"half": "0.5", "tenth": "0.1", "two": "2 / n"}[setup.density]
    return {
        "python": f"""import numpy as np
from thresher import Perceptron, PNormPerceptron, Winnow


def examples(n, k, share, seed):
    random = np.random.default_rng([n, seed])
    relevant = random.choice(n, k, replace=False)
    X = random.random((4 * n + 200, n)) < share
    y = random.random(len(X)) < 0.5
    X[:, relevant] = False
    positive = np.flatnonzero(y)
    X[positive, relevant[random.integers(k, size=len(positive))]] = True
    return X.astype(float), y


def mistakes_of(model, X, y):
    before = 0
    for _ in range({MOST_PASSES}):
        model.partial_fit(X, y, classes=[False, True])
        if model.mistakes_ == before:
            break
        before = model.mistakes_
    return before


for n in {setup.sizes}:
    seen = []
    for seed in range({SEEDS}):
        X, y = examples(n, {k}, {share}, seed)
        models = Winnow(), PNormPerceptron(p={setup.p}), Perceptron(average=False)
        seen.append([mistakes_of(model, X, y) for model in models])
    print(n, np.mean(seen, axis=0))
"""
    }
