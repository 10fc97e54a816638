"""Weights of several learners, each trained on a part of the data, as those of one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .vectors import Vector

__all__ = ["mixed", "occurrences", "passes_over_shards"]


def occurrences(shards: Iterable[Iterable[tuple[Mapping[str, float], Any]]]) -> dict[str, int]:
    """n_j: the number of shards whose examples contain feature j.

    >>> occurrences([[({"a": 1.0}, 1)], [({"a": 2.0}, 0), ({"b": 1.0}, 1)]])
    {'a': 2, 'b': 1}
    """
    n: dict[str, int] = {}
    for shard in shards:
        for name in dict.fromkeys(name for x, _ in shard for name in x):
            n[name] = n.get(name, 0) + 1
    return n


def mixed(start: Vector, ends: Sequence[Vector], n: Mapping[str, int]) -> Vector:
    """start_j + (1/n_j)·Σ_i (ends_ij − start_j). With n_j the number of shards for every j, that is
    the mean (McDonald, Hall & Mann 2010); with n_j the number of shards that contain j, only those
    count that can have moved it.

    >>> mixed({"a": 1.0}, [{"a": 3.0}, {"a": 1.0, "b": 5.0}], {"a": 2, "b": 1})
    {'a': 2.0, 'b': 5.0}
    """
    moved = dict.fromkeys(name for end in (start, *ends) for name in end)
    result = {}
    for name in moved:
        before, total = start.get(name, 0.0), 0.0
        for end in ends:
            total += end.get(name, 0.0) - before
        result[name] = before + total / n[name]
    return result


def passes_over_shards(
    shards: Sequence[Sequence[tuple[Vector, int]]], passes: int, n: Mapping[str, int]
) -> tuple[Vector, list[list[int]]]:
    """The perceptron, w += y·x where y·w·x ≤ 0 with y = ±1, on all shards at a time: each pass
    starts from the mix of the last. Returns the weights, and the mistakes of each pass and shard.

    >>> shards = [[({"a": 1.0}, 1)], [({"b": 1.0}, -1)]]
    >>> passes_over_shards(shards, 2, occurrences(shards))
    ({'a': 1.0, 'b': -1.0}, [[1, 1], [0, 0]])
    """
    w: Vector = {}
    mistakes = []
    for _ in range(passes):
        ends, made = [], []
        for shard in shards:
            end, wrong = dict(w), 0
            for x, y in shard:
                score = 0.0
                for name, value in x.items():
                    score += end.get(name, 0.0) * value
                if y * score <= 0.0:
                    wrong += 1
                    for name, value in x.items():
                        end[name] = end.get(name, 0.0) + y * value
            ends.append(end)
            made.append(wrong)
        w = mixed(w, ends, n)
        mistakes.append(made)
    return w, mistakes
