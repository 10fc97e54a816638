"""Tasks with numbers of a student's own: the same seed gives the same tasks."""

from __future__ import annotations

import functools
import random
from typing import NamedTuple

from thresher.lab.texts import figure
from thresher.reference.rules import hinge, pa


class Task(NamedTuple):
    ask: str
    choices: list[str]
    right: int


@functools.lru_cache(maxsize=1024)
def _made(seed: int) -> tuple[Task, ...]:
    draw = random.Random(seed)
    return (_perceptron(draw), _aggressive(draw), _novikoff(draw))


def tasks(seed: int) -> list[Task]:
    return list(_made(seed))


def _perceptron(draw: random.Random) -> Task:
    """The weights after a mistake."""
    w = [draw.choice([-3, -2, -1, 1, 2, 3]) for _ in range(2)]
    while True:
        x = [draw.choice([-3, -2, -1, 1, 2, 3]) for _ in range(2)]
        score = w[0] * x[0] + w[1] * x[1]
        if score:
            break
    y = -1 if score > 0 else 1  # it is wrong
    right = [a + y * b for a, b in zip(w, x, strict=True)]
    others = [[a - y * b for a, b in zip(w, x, strict=True)], [y * b for b in x], w]
    return _task(
        draw,
        f"A perceptron without a bias has w = {_pair(w)}. The next example is x = {_pair(x)} with "
        f"the label {'+1' if y > 0 else '−1'}. What is w afterwards?",
        _pair(right), [_pair(one) for one in others],
    )  # fmt: skip


def _aggressive(draw: random.Random) -> Task:
    """How far Passive-Aggressive goes."""
    x = draw.choice([(1, 1), (2, 0), (1, 2), (2, 2), (1, 3)])
    score, y = draw.choice([-4, -2, -1, 1]) / 2, 1
    sqnorm = float(x[0] ** 2 + x[1] ** 2)
    loss = hinge(y * score, 1.0)
    tau = pa(loss, sqnorm, C=float("inf"))
    others = [loss, 1 / sqnorm, loss / sqnorm**0.5, loss * sqnorm, 1.0]
    return _task(
        draw,
        f"Passive-Aggressive scores {figure(score)} on x = {_pair(x)}, whose label is +1. How "
        "large is its τ (w ← w + τ·y·x)?",
        figure(tau), [figure(one) for one in others],
    )  # fmt: skip


def _novikoff(draw: random.Random) -> Task:
    """The most mistakes of a perceptron."""
    R, gamma = draw.choice([1, 2, 3, 4]), draw.choice([0.1, 0.2, 0.25, 0.5])
    ratio = R / gamma
    others = [ratio, 2 * ratio, ratio**2 / 2, 4 * ratio**2]
    return _task(
        draw,
        f"No example is longer than R = {R}, and some vector separates them with a margin of "
        f"γ = {figure(gamma)}. How many mistakes can a perceptron make at most?",
        figure(ratio**2), [figure(one) for one in others],
    )  # fmt: skip


def _task(draw: random.Random, ask: str, right: str, others: list[str]) -> Task:
    """Four choices, or fewer if the wrong ones coincide."""
    wrong = [one for one in dict.fromkeys(others) if one != right][:3]
    choices = [right, *wrong]
    draw.shuffle(choices)
    return Task(ask, choices, choices.index(right))


def _pair(values: list[int] | tuple[int, int]) -> str:
    return f"({figure(values[0])}, {figure(values[1])})"
