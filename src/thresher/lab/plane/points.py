"""Where points come from: generated sets, and tables dropped on the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.lab import check, dropped

Floats = npt.NDArray[np.float64]

MOST_POINTS = 2000


def separable(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """Two classes apart by exactly 2γ along a random direction through near the middle."""
    angle, shift = random.uniform(0, 2 * np.pi), random.uniform(-0.15, 0.15)
    u = np.array([np.cos(angle), np.sin(angle)])
    points = random.uniform(-1, 1, (size, 2))
    side = np.where(points @ u - shift >= 0, 1.0, -1.0)
    distance = (points @ u - shift) * side
    # Those too near to the line are moved out, two of them to just γ.
    moved = np.where(distance < gamma, gamma + random.exponential(0.05, size) - distance, 0.0)
    points += (moved * side)[:, None] * u
    for label in (1.0, -1.0):
        mine = np.flatnonzero(side == label)
        if len(mine):
            nearest = mine[np.argmin((points[mine] @ u - shift) * label)]
            points[nearest] += (gamma - (points[nearest] @ u - shift) * label) * label * u
    return np.column_stack([points, side])


def noisy(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """Separable points, some of which have the wrong label."""
    rows = separable(random, size, gamma, noise)
    rows[random.random(size) < noise, 2] *= -1
    return rows


def xor(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """Opposite corners have the same label: no line separates them."""
    sides = random.integers(0, 2, (size, 2)) * 2 - 1
    away = gamma + (1 - gamma) * random.random((size, 2))
    points = sides * np.minimum(away, 1.0)
    return np.column_stack([points, sides[:, 0] * sides[:, 1]])


def circles(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """One class inside the other."""
    label = np.where(np.arange(size) % 2 == 0, 1.0, -1.0)
    angle = random.uniform(0, 2 * np.pi, size)
    radius = np.where(label > 0, random.uniform(0.0, 0.5 - gamma / 2, size),
                      random.uniform(0.5 + gamma / 2, 1.0, size))  # fmt: skip
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), label])


def drifting(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """The line turns by half a circle over the points: their order matters."""
    angle = random.uniform(0, 2 * np.pi) + np.linspace(0, np.pi, size)
    u = np.column_stack([np.cos(angle), np.sin(angle)])
    points = random.uniform(-1, 1, (size, 2))
    along = (points * u).sum(axis=1)
    side = np.where(along >= 0, 1.0, -1.0)
    points += ((np.maximum(np.abs(along), gamma) - np.abs(along)) * side)[:, None] * u
    return np.column_stack([points, side])


def tight(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """Points, in this order, on which a perceptron with a bias makes nearly R²/γ² mistakes.

    With the constant feature, each example times its label is γ·u + z, z at right angles to u. At a
    mistake ‖w‖² grows by 2·y·s + ‖x‖², at most R², while w·u grows by γ alone. So next is always
    the example with y·s < 0 for which ‖w‖² grows most; when there is none, all are learned.
    """
    gamma, reach = max(gamma, 0.05), np.sqrt(1.0 - max(gamma, 0.05) ** 2)
    along = np.linspace(-reach, reach, 801)
    made = np.concatenate(
        [np.column_stack([np.full(801, gamma), y * along, np.full(801, y)]) for y in (1.0, -1.0)]
    )
    w, out = np.zeros(3), [made[0]]
    while len(out) < size:
        w = w + out[-1]
        scores = made @ w
        growth = np.where(scores < -0.002, 2.0 * scores + (made * made).sum(axis=1), -np.inf)
        if growth.max() == -np.inf:
            break
        out.append(made[np.argmax(growth)])
    rows, angle = np.array(out), random.uniform(0, 2 * np.pi)
    x = rows[:, :2] * rows[:, 2:]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.column_stack([x @ turn.T, rows[:, 2]])


def positive(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """Separable, with features from 0 to 1 that both speak for +: what Winnow can learn."""
    angle = random.uniform(np.pi / 8, 3 * np.pi / 8)
    u = np.array([np.cos(angle), np.sin(angle)])
    return _apart(random, size, gamma, u, 0.5 * u.sum())


def shares(random: np.random.Generator, size: int, gamma: float, noise: float) -> Floats:
    """Features from 0 to 1; the label says which is larger: what counts of words can tell."""
    return _apart(random, size, gamma, np.array([1.0, -1.0]) / np.sqrt(2.0), 0.0)


def _apart(random: np.random.Generator, size: int, gamma: float, u: Floats, shift: float) -> Floats:
    """Points of the unit square that are at least γ away from the line u·x = shift."""
    points = random.uniform(0, 1, (8 * size + 100, 2))
    along = points @ u - shift
    kept = np.flatnonzero(np.abs(along) >= min(gamma, 0.25))[:size]  # a third of them or more
    return np.column_stack([points[kept], np.where(along[kept] >= 0, 1.0, -1.0)])


KINDS = {f.__name__: f for f in (separable, noisy, xor, circles, drifting, tight, positive, shares)}


def generate(given: Any) -> dict[str, Any]:
    """Points of a kind, the same for the same seed."""
    asked = check.fields("the request", given, ("kind", "size", "gamma", "noise", "seed"))
    kind = check.word("kind", asked.get("kind"), tuple(KINDS))
    size = check.whole("size", asked.get("size", 40), 1, MOST_POINTS)
    gamma = check.number("gamma", asked.get("gamma", 0.1), 0.0, 0.9)
    noise = check.number("noise", asked.get("noise", 0.1), 0.0, 0.5)
    random = np.random.default_rng(check.whole("seed", asked.get("seed", 0), 0, 2**32 - 1))
    return {"points": [_rounded(row) for row in KINDS[kind](random, size, gamma, noise)]}


def _rounded(row: Floats) -> list[float]:
    return [round(float(row[0]), 4), round(float(row[1]), 4), int(row[2])]


def table(given: Any) -> dict[str, Any]:
    """The points of a CSV text: two columns of numbers and one of two labels."""
    asked = check.fields("the request", given, ("text", "rows"))
    found = dropped.read(asked.get("text"), asked.get("rows"), MOST_POINTS)
    kinds = _two(found.labels)
    points = [
        [row[0], row[1], 1 if label == kinds[1] else -1]
        for row, label in zip(found.values(found.numeric[:2]), found.labels, strict=True)
    ]
    x1, x2 = (found.names[j] for j in found.numeric[:2])
    note = f"x1 is {x1}, x2 is {x2}, + is {kinds[1]}, − is {kinds[0]}."
    return {"points": points, "note": found.drawn + note}


def _two(labels: list[str]) -> list[str]:
    """The labels in order, the positive one last."""
    found = dropped.in_order(labels)
    if len(found) > 2:
        raise InvalidInput(
            f"the label has {len(found):,} values ({', '.join(found[:4])}"
            f"{', …' if len(found) > 4 else ''}); expected two. The view Classes takes up to eight."
        )
    if len(found) == 1:
        return ["(none)", found[0]] if dropped.order(found[0]) > 0 else [found[0], "(none)"]
    return found
