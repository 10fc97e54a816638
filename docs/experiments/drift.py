"""Winnow-R, Winnow and Perceptron where the target changes: python docs/experiments/drift.py

Prints the tables of docs/theory/games.md and draws docs/images/drift.svg (needs thresher[plot]).
About half a minute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from thresher import Perceptron, Winnow
from thresher.data.generate import drift
from thresher.learners.base.classifier import OnlineClassifier
from thresher.plots.style import (
    BLUE,
    FONT,
    ORANGE,
    SERIES,
    dress,
    matplotlib,
    new_figure,
    thousands,
)
from thresher.theory.games import BuriedTarget, Game, MovingTarget, Nature, Result, play

IMAGE = Path(__file__).parents[1] / "images" / "drift.svg"
N = 1024
COSTS = (16, 32, 64, 128, 256, 512)
EVERY, TARGETS, SEEDS = 1000, 20, 5  # of the random streams
OTHERS = ((20, 0.0), (20, 0.02), (20, 0.1), (100, 0.02), (100, 0.1))  # active, noise
COLORS = {"Winnow-R": SERIES[2], "Winnow": ORANGE, "Perceptron": BLUE}


def learners() -> dict[str, OnlineClassifier]:
    return {
        "Winnow-R": Winnow(theta=N, floor=0.5),
        "Winnow": Winnow(theta=N),
        "Perceptron": Perceptron(average=False),
    }


def buried(cost: int) -> Game:
    """A quarter of the cost's changes bury half of it in variables, which then come back."""
    return BuriedTarget(N, depth=cost // 4, buried=cost - cost // 4 * 2 - 1)


def moving(cost: int) -> Game:
    return MovingTarget(N, moves=(cost + 1) // 2)


def random_drift(seed: int = 0, active: int = 100, noise: float = 0.0) -> Game:
    """Five relevant features of N, all replaced every EVERY examples of `active` features."""
    stream = drift(
        n=N, every=EVERY, relevant=5, active=active, targets=TARGETS, noise=noise, seed=seed
    )
    return Nature(stream)


def results(game: Callable[[], Game], rounds: int | None = None) -> dict[str, Result]:
    return {name: play(learner, game(), rounds) for name, learner in learners().items()}


def bound(additions: int) -> int:
    """The most mistakes of Winnow-R when this many variables are added, by its theorem.

    Two more for the first of each label, which no learner here foresees.
    """
    return 5 * additions * (1 + math.ceil(math.log2(N))) + 2 + 2


def additions(result: Result) -> int:
    """How many variables the adversary added to the target."""
    before: frozenset[str] = frozenset()
    added = 0
    for _, target in result.game.targets():
        added += len(target.variables - before)
        before = target.variables
    return added


def table(game: Callable[[int], Game], costs: tuple[int, ...] = COSTS) -> str:
    """In Markdown: a row for each cost."""
    lines = ["| cost c | " + " | ".join(COLORS) + " | bound of Winnow-R |", "|" + "---:|" * 5]
    for cost in costs:
        made = results(lambda cost=cost: game(cost))
        one = made["Winnow-R"]
        counts = " | ".join(f"{made[name].mistakes:,}" for name in COLORS)
        lines.append(f"| {one.cost:,} | {counts} | {bound(additions(one)):,} |")
    return "\n".join(lines)


def random_table(streams: list[dict[str, Result]]) -> str:
    """In Markdown: a row for each learner, the means over the streams."""
    head = "learner | mistakes | in the first 200 after a change | in the last 200 before one"
    lines = [f"| {head} |", "|---|---:|---:|---:|"]
    for name in COLORS:
        mistaken = np.array([made[name].mistaken.reshape(-1, EVERY) for made in streams])
        counts = (mistaken.sum(), mistaken[..., :200].sum(), mistaken[..., -200:].sum())
        shown = " | ".join(f"{count / len(streams):,.0f}" for count in counts)
        lines.append(f"| {name} | {shown} |")
    return "\n".join(lines)


def other_streams(settings: tuple[tuple[int, float], ...] = OTHERS, seeds: int = SEEDS) -> str:
    """In Markdown: mistakes on random streams of other kinds, the means over the seeds."""
    lines = ["| active | noise | " + " | ".join(COLORS) + " |", "|" + "---:|" * 5]
    for active, noise in settings:
        streams = [
            results(lambda s=s, a=active, p=noise: random_drift(s, a, p), EVERY * TARGETS)
            for s in range(seeds)
        ]
        means = (np.mean([made[name].mistakes for made in streams]) for name in COLORS)
        shown = " | ".join(f"{mean:,.0f}" for mean in means)
        lines.append(f"| {active} | {noise:.0%} | {shown} |")
    return "\n".join(lines)


def draw(made: dict[str, Result], path: Path = IMAGE) -> None:
    with matplotlib().rc_context(FONT):
        figure = new_figure(11.2, 4.6)
        left, right = figure.subplots(1, 2)
        dress(left, "Buried variables come back", "cost of the adversary", "mistakes")
        ends = [results(lambda cost=cost: buried(cost)) for cost in COSTS]
        for name in COLORS:
            values = [result[name].mistakes for result in ends]
            left.plot(COSTS, values, color=COLORS[name], linewidth=2.4, marker="o", markersize=5)
            _name(left, COSTS[-1], values[-1], f"{name} {values[-1]:,}", COLORS[name])
        bounds = [bound(additions(result["Winnow-R"])) for result in ends]
        left.plot(COSTS, bounds, color=COLORS["Winnow-R"], linewidth=1.2, linestyle=(0, (5, 4)))
        _name(left, COSTS[-1], bounds[-1], "bound of Winnow-R", COLORS["Winnow-R"], "normal")
        left.set(xscale="log", yscale="log")
        left.set_xticks(COSTS, [str(cost) for cost in COSTS])
        left.minorticks_off()

        dress(right, f"A new random target every {EVERY:,} examples", "examples", "mistakes")
        for name, result in made.items():
            values = result.mistakes_over_time
            right.plot(np.arange(1, len(values) + 1), values, color=COLORS[name], linewidth=2.0)
        for name, shift in zip(made, (-7, 7, 0), strict=True):
            count = made[name].mistakes
            _name(right, made[name].rounds, count, f"{name} {count:,}", COLORS[name], shift=shift)
        right.xaxis.set_major_formatter(thousands())
        right.yaxis.set_major_formatter(thousands())
        figure.savefig(path, metadata={"Date": None})


def _name(
    ax: Any, x: float, y: float, text: str, color: str, weight: str = "bold", shift: int = 0
) -> None:
    ax.annotate(
        text, (x, y), (8, shift), textcoords="offset points", va="center", color=color,
        weight=weight,
    )  # fmt: skip


def main() -> None:
    print(f"BuriedTarget, n = {N:,}\n\n{table(buried)}\n")
    print(f"MovingTarget, n = {N:,}\n\n{table(moving, COSTS[::2])}\n")
    streams = [results(lambda s=s: random_drift(s), EVERY * TARGETS) for s in range(SEEDS)]
    cost = np.mean([made["Winnow"].cost for made in streams])
    print(f"A new random target every {EVERY:,} examples, n = {N:,}, cost {cost:.0f}\n")
    print(random_table(streams))
    print(f"\nOther streams\n\n{other_streams()}")
    draw(streams[0])
    print(f"\ndocs/images/{IMAGE.name}")


if __name__ == "__main__":
    main()
