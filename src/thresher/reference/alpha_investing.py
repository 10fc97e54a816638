"""Alpha-investing (Zhou, Foster, Stine & Ungar 2006): one feature at a time is tested."""

import math
from collections.abc import Sequence

__all__ = ["AlphaInvesting"]


def residual(x: Sequence[float], columns: list[list[float]]) -> list[float]:
    """The residual of x in least squares on a constant and the columns, by Gram and Schmidt.

    Each direction is removed twice, because of rounding.

    >>> residual([1.0, 2.0, 6.0], [])
    [-2.0, -1.0, 3.0]
    """
    basis: list[list[float]] = []
    for column in [[1.0] * len(x), *columns]:
        part = without(column, basis)
        length = math.sqrt(math.fsum(v * v for v in part))
        basis.append([v / length for v in part])
    return without(x, basis)


def without(x: Sequence[float], basis: list[list[float]]) -> list[float]:
    part = list(x)
    for q in basis + basis:
        along = math.fsum(a * b for a, b in zip(part, q, strict=True))
        part = [a - along * b for a, b in zip(part, q, strict=True)]
    return part


def incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), by its continued fraction (Abramowitz & Stegun 26.5.8, Lentz's method).

    >>> round(incomplete_beta(2.0, 3.0, 0.4), 6)  # 12·∫ t(1 − t)² dt from 0 to 0.4
    0.5248
    """
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1.0) / (a + b + 2.0):  # the other side converges faster
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    size = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(size + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1.0 + term / c, 1.0 / (1.0 + term * d)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * value


def f_test(x: Sequence[float], y: Sequence[float], columns: list[list[float]]) -> float:
    """The p-value of x as one more column of a linear regression of y.

    F = (RSS − RSS′)/(RSS′/df), where RSS is what is left without x and RSS′ what is left with it. A
    column that is a sum of the others, or data without a degree of freedom left, gives 1.
    """
    df = len(y) - len(columns) - 2
    new, left = residual(x, columns), residual(y, columns)
    square = math.fsum(v * v for v in new)
    rss = math.fsum(v * v for v in left)
    if df < 1 or square <= 1e-18 * math.fsum(v * v for v in x):
        return 1.0
    slope = math.fsum(a * b for a, b in zip(new, left, strict=True)) / square
    rest = math.fsum((b - slope * a) ** 2 for a, b in zip(new, left, strict=True))
    if rest == 0.0:
        return 0.0 if rss > 0.0 else 1.0
    F = (rss - rest) / (rest / df)
    return incomplete_beta(df / 2.0, 0.5, df / (df + F))


class AlphaInvesting:
    """The i-th feature is tested at the level wealth/(2i); it costs that, and if taken earns delta.

    >>> learner = AlphaInvesting([1.0, 2.0, 3.0, 4.0, 5.5], wealth=0.5, delta=0.5)
    >>> learner.consider([1.0, -1.0, 1.0, -1.0, 1.0], "noise")
    False
    >>> learner.consider([1.0, 2.0, 3.0, 4.0, 5.0], "trend")
    True
    >>> learner.selected, learner.wealth  # ½ − ¼ − 1/16 + ½
    (['trend'], 0.6875)
    """

    def __init__(self, y: Sequence[float], *, wealth: float = 0.5, delta: float = 0.5) -> None:
        self.y = list(y)
        self.wealth, self.delta = wealth, delta
        self.considered = 0
        self.selected: list[object] = []
        self.columns: list[list[float]] = []

    def consider(self, column: Sequence[float], name: object) -> bool:
        """Whether the next feature is taken."""
        self.considered += 1
        self.level = self.wealth / (2.0 * self.considered)
        self.p_value = f_test(column, self.y, self.columns)
        self.wealth -= self.level
        if self.p_value >= self.level:
            return False
        self.wealth += self.delta
        self.selected.append(name)
        self.columns.append(list(column))
        return True
