"""Where the scores of two classes are cut, so that a figure of merit is best on the stream."""

import bisect
import math
from collections.abc import Callable

__all__ = ["Threshold"]

Merit = Callable[[float, float, float, float], float]


def f1(true: float, false: float, positives: float, negatives: float) -> float:
    """Of the positive class: `true` of the positives and `false` of the negatives are called so."""
    return 2.0 * true / (positives + false + true)


def f1_of_negatives(true: float, false: float, positives: float, negatives: float) -> float:
    """The same of the other class."""
    return 2.0 * (negatives - false) / (2.0 * negatives + positives - false - true)


def balanced(true: float, false: float, positives: float, negatives: float) -> float:
    """1 − 2·(the mean of the two error rates)."""
    return true / positives - false / negatives


def saved(of_positive: float, of_negative: float) -> Merit:
    """What is saved, where a mistake on an example of either class costs so much."""
    return lambda true, false, *_: of_positive * true - of_negative * false


def edges() -> list[float]:
    """Where a cut may be: 16 places to each power of two from 2⁻²⁰ to 2²⁰, of either sign, and 0.

    A cut at −v leaves −v itself below, so it is the next larger number.
    """
    sizes = [2.0**k * (1 + i / 16) for k in range(-20, 20) for i in range(16)]
    above = [0.0, *sizes, math.inf]
    return [-math.inf, *(math.nextafter(-v, 0.0) for v in reversed(sizes)), *above]


class Threshold:
    """Counts the scores that examples had before they were learned, and cuts where that is best.

    Every 2¹⁶ examples all counts are halved. The cut is the best of all `edges`; of equally good
    ones the nearest to 0 (counted in edges; of two the higher). It is chosen at 16, 32 and every 64
    examples, once there were ten of either class; before that it is 0.

    >>> threshold = Threshold(f1)
    >>> for i in range(64):
    ...     threshold.keep(float(i % 8), i % 8 >= 5)
    >>> threshold.cut
    4.25
    """

    MEMORY = 2**16
    ENOUGH = 10

    def __init__(self, merit: Merit) -> None:
        self.merit = merit
        self.edges = edges()
        self.zero = self.edges.index(0.0)
        self.cut = 0.0
        self.examples = 0
        self.counts = {False: 0, True: 0}
        self.mass: list[dict[bool, float]] = [{False: 0.0, True: 0.0} for _ in self.edges[1:]]

    def keep(self, score: float, positive: bool, weight: float = 1.0) -> None:
        place = bisect.bisect_right(self.edges, score) - 1
        self.mass[place][positive] += weight
        self.counts[positive] += 1
        self.examples += 1
        if self.examples % self.MEMORY == 0:
            for kinds in self.mass:
                for kind in kinds:
                    kinds[kind] /= 2
        is_due = self.examples in (16, 32) or self.examples % 64 == 0
        if is_due and min(self.counts.values()) >= self.ENOUGH:
            self.choose()

    def choose(self) -> None:
        everything = [sum(kinds[kind] for kinds in self.mass) for kind in (True, False)]
        if not all(everything):
            return
        true = false = 0.0
        best: tuple[float, int] = (-math.inf, 0)
        for i in range(len(self.edges) - 1, -1, -1):
            if i < len(self.mass):
                true += self.mass[i][True]
                false += self.mass[i][False]
            found = (self.merit(true, false, *everything), -abs(i - self.zero))
            if found > best:
                best, self.cut = found, self.edges[i]
