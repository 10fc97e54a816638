"""Points of several classes: generated sets, and tables dropped on the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.lab import check, dropped

Floats = npt.NDArray[np.float64]

MOST_CLASSES = 8
MOST_POINTS = 1000


def blobs(random: np.random.Generator, size: int, k: int, noise: float) -> Floats:
    """A cloud for each class, around a circle; noise is how wide they are."""
    label = np.arange(size) % k
    angle = 2 * np.pi * label / k + 0.4
    middle = 0.72 * np.column_stack([np.cos(angle), np.sin(angle)])
    spread = (0.05 + noise) * min(1.0, 3.0 / k)
    points = middle + np.clip(random.normal(0, spread, (size, 2)), -2.5 * spread, 2.5 * spread)
    return np.column_stack([points, label])


def row(random: np.random.Generator, size: int, k: int, noise: float) -> Floats:
    """Classes in a row: no line has one from the middle on one side and all others on the other."""
    label = np.arange(size) % k
    wide = 1.8 / k
    along = -0.9 + wide * (label + random.uniform(0.15 - noise, 0.85 + noise, size))
    across = random.uniform(-0.7, 0.7, size)
    turned = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    return np.column_stack([np.column_stack([along, across]) @ turned.T, label])


def wheel(random: np.random.Generator, size: int, k: int, noise: float) -> Floats:
    """Sectors of a disc: the boundaries meet in the middle."""
    label = np.arange(size) % k
    part = random.uniform(0.12 - noise, 0.88 + noise, size)
    angle = 2 * np.pi * (label + part) / k
    away = np.sqrt(random.uniform(0.06, 1.0, size))
    return np.column_stack([away * np.cos(angle), away * np.sin(angle), label])


KINDS = {f.__name__: f for f in (blobs, row, wheel)}


def generate(given: Any) -> dict[str, Any]:
    """Points of a kind in a random order, the same for the same seed."""
    asked = check.fields("the request", given, ("kind", "size", "classes", "noise", "seed"))
    kind = check.word("kind", asked.get("kind"), tuple(KINDS))
    size = check.whole("size", asked.get("size", 45), 1, MOST_POINTS)
    k = check.whole("classes", asked.get("classes", 3), 2, MOST_CLASSES)
    noise = check.number("noise", asked.get("noise", 0.1), 0.0, 0.5)
    random = np.random.default_rng(check.whole("seed", asked.get("seed", 0), 0, 2**32 - 1))
    rows = random.permutation(KINDS[kind](random, size, k, noise))
    return {"points": [[round(float(a), 4), round(float(b), 4), int(c)] for a, b, c in rows]}


def table(given: Any) -> dict[str, Any]:
    """The points of a CSV text: two of its columns of numbers, and a label of up to 8 values."""
    asked = check.fields("the request", given, ("text", "rows", "columns", "scaled"))
    found = dropped.read(asked.get("text"), asked.get("rows"), MOST_POINTS)
    choices = [found.names[j] for j in found.numeric]
    columns = check.items("columns", asked.get("columns", [0, 1]), 2,
                          lambda name, v: check.whole(name, v, 0, len(choices) - 1))  # fmt: skip
    if len(set(columns)) < 2:
        raise InvalidInput(f"columns is {check.short(columns)}; expected two different columns.")
    labels = found.labels
    names = dropped.in_order(labels)
    if len(names) > MOST_CLASSES:
        raise InvalidInput(
            f"the label has {len(names):,} values ({', '.join(names[:4])}, …); expected at most "
            f"{MOST_CLASSES}."
        )
    values = np.array(found.values([found.numeric[j] for j in columns]))
    note = f"{found.drawn}The rows come in a random order."
    if check.flag("scaled", asked.get("scaled", True)):
        spread = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
        note += " Each column has mean 0 and standard deviation 1."
    place = {name: i for i, name in enumerate(names)}
    # Files come sorted by their label: in that order a class would be forgotten with the next one.
    order = np.random.default_rng(0).permutation(len(values)).tolist()
    return {
        "points": [[*map(_digits, values[i]), place[labels[i]]] for i in order],
        "names": [name[:24] for name in names],
        "choices": [name[:40] for name in choices],
        "columns": columns,
        "note": note,
    }


def _digits(value: float) -> float:
    return float(f"{value:.6g}")
