"""Mistakes as the number of features grows: python docs/experiments/growth.py

Prints the tables of docs/theory/games.md and draws docs/images/growth.svg (needs thresher[plot] and
scipy). About a minute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from thresher import Perceptron, Winnow
from thresher.data.generate import BLOCK, disjunction
from thresher.plots.style import BLUE, FAINT, FONT, ORANGE, dress, matplotlib, new_figure, thousands

IMAGE = Path(__file__).parents[1] / "images" / "growth.svg"
K = 5  # relevant features
SIZES = (10**2, 10**3, 10**4, 10**5, 10**6)
SEEDS = 5
EXAMPLES = 65_536

Rows = tuple[csr_array, np.ndarray]
Nature = Callable[[int, int], Iterator[Rows]]


def frequent_and_rare(n: int, seed: int) -> Iterator[Rows]:
    """Examples as in text: √n features are frequent, all others are rare, K of them relevant.

    Each frequent feature is in every second example, √n/10 of the rare ones are in each. Half of
    the examples are positive and have one of the K relevant features.
    """
    random = np.random.default_rng([n, seed])
    shuffled = random.permutation(n).astype(np.int32)
    frequent = shuffled[K : K + round(n**0.5)]
    rare = shuffled[K + len(frequent) :]
    relevant = shuffled[:K]
    few = round(n**0.5 / 10)
    while True:
        y = random.random(BLOCK) < 0.5
        row, which = np.nonzero(random.random((BLOCK, len(frequent)), np.float32) < 0.5)
        positives = np.flatnonzero(y)
        rows = np.concatenate([row, np.repeat(np.arange(BLOCK), few), positives])
        columns = np.concatenate(
            [
                frequent[which],
                rare[random.integers(len(rare), size=BLOCK * few)],
                relevant[random.integers(K, size=len(positives))],
            ]
        )
        X = csr_array((np.ones(len(rows), bool), (rows, columns)), shape=(BLOCK, n))
        yield X, y


def twenty_at_random(n: int, seed: int) -> Iterator[Rows]:
    """Examples of 20 features, each as likely as any other: `thresher generate disjunction`."""
    return _at_random(n, 20, seed)


def root_at_random(n: int, seed: int) -> Iterator[Rows]:
    """Examples of √n features, each as likely as any other."""
    return _at_random(n, round(n**0.5), seed)


def _at_random(n: int, active: int, seed: int) -> Iterator[Rows]:
    for block in disjunction(n=n, relevant=K, active=active, seed=seed).blocks():
        ones = np.ones(len(block.index), bool)
        yield csr_array((ones, block.index, block.start), shape=(len(block), n)), block.y


@dataclass(frozen=True)
class Row:
    """What was seen for one n: the means over the seeds."""

    n: int
    winnow: float
    perceptron: float
    active: float  # features of an example
    longest: float  # R², the bias counted
    late: float  # share of the Perceptron's mistakes in the last quarter of the stream

    @property
    def winnow_bound(self) -> float:
        """3u + 2 mistakes with u ≤ k(1 + log2 n) promotions."""
        return 3 * K * (1 + math.log2(self.n)) + 2

    @property
    def perceptron_bound(self) -> float:
        """R²/γ², by u = 2 on the relevant features and −1 on the bias: ‖u‖² = 4k + 1, margin 1."""
        return (4 * K + 1) * self.longest


def measure(nature: Nature, n: int, seeds: int = SEEDS, examples: int = EXAMPLES) -> Row:
    seen = [_once(nature, n, seed, examples) for seed in range(seeds)]
    return Row(n, *np.mean(seen, axis=0).tolist())


def _once(nature: Nature, n: int, seed: int, examples: int) -> tuple[float, ...]:
    winnow, perceptron = Winnow(), Perceptron(average=False)
    blocks = examples // BLOCK
    active = longest = before = 0.0
    for number, (X, y) in zip(range(blocks), nature(n, seed), strict=False):
        if number == blocks * 3 // 4:
            before = perceptron.mistakes_
        for learner in (winnow, perceptron):
            learner.partial_fit(X, y)
        lengths = np.diff(X.indptr)
        active += lengths.mean() / blocks
        longest = max(longest, lengths.max() + 1.0)
    made = perceptron.mistakes_
    return winnow.mistakes_, made, active, longest, (made - before) / made


def slope_per_doubling(rows: list[Row]) -> float:
    """Winnow's mistakes against log2 n, by least squares."""
    return float(np.polyfit([math.log2(r.n) for r in rows], [r.winnow for r in rows], 1)[0])


def exponent(rows: list[Row]) -> float:
    """The power of n that the Perceptron's mistakes grow with: least squares of logarithms."""
    return float(
        np.polyfit(np.log([r.n for r in rows]), np.log([r.perceptron for r in rows]), 1)[0]
    )


def table(rows: list[Row]) -> str:
    """In Markdown."""
    head = "n | active | Winnow | its bound | Perceptron | its bound | of which late"
    lines = [f"| {head} |", "|" + "---:|" * 7]
    lines += [
        f"| {r.n:,} | {r.active:,.0f} | {r.winnow:,.0f} | {r.winnow_bound:,.0f} | "
        f"{r.perceptron:,.0f} | {r.perceptron_bound:,.0f} | {r.late:.1%} |"
        for r in rows
    ]
    return "\n".join(lines)


def draw(rows: list[Row], path: Path = IMAGE) -> None:
    with matplotlib().rc_context(FONT):
        figure = new_figure(8.4, 4.6)
        ax = figure.subplots()
        title = f"Mistakes on disjunctions of {K} features out of n"
        dress(ax, title, "n, the number of features", "mistakes")
        sizes = [r.n for r in rows]
        for name, color, values, bounds in (
            ("Perceptron", BLUE, [r.perceptron for r in rows], [r.perceptron_bound for r in rows]),
            ("Winnow", ORANGE, [r.winnow for r in rows], [r.winnow_bound for r in rows]),
        ):
            ax.plot(sizes, values, color=color, linewidth=2.4, marker="o", markersize=5)
            ax.plot(sizes, bounds, color=color, linewidth=1.2, linestyle=(0, (5, 4)))
            for value, text in ((values[-1], f"{name} {values[-1]:,.0f}"), (bounds[-1], "bound")):
                ax.annotate(
                    text, (sizes[-1], value), (9, 0), textcoords="offset points", va="center",
                    color=color, weight="normal" if text == "bound" else "bold",
                )  # fmt: skip
        said = (
            f"Perceptron ∝ n^{exponent(rows):.2f}",
            f"Winnow + {slope_per_doubling(rows):.1f} for twice the features",
        )
        ax.text(0.02, 0.97, "\n".join(said), transform=ax.transAxes, va="top", color=FAINT)
        ax.set(xscale="log", yscale="log")
        ax.xaxis.set_major_formatter(thousands())
        ax.yaxis.set_major_formatter(thousands())
        ax.minorticks_off()
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    rows = [measure(frequent_and_rare, n) for n in SIZES]
    print(f"√n frequent features, {EXAMPLES:,} examples, means of {SEEDS} streams\n")
    print(table(rows))
    print(f"\nWinnow: + {slope_per_doubling(rows):.1f} mistakes for twice the features")
    print(f"Perceptron: mistakes grow like n^{exponent(rows):.2f}\n")
    for nature in (root_at_random, twenty_at_random):
        print(f"{nature.__doc__}\n\n{table([measure(nature, n) for n in SIZES])}\n")
    draw(rows)
    print(f"docs/images/{IMAGE.name}")


if __name__ == "__main__":
    main()
