"""Few labels, and targets that move: the label-efficient and the shifting perceptron."""

from . import rules
from .average import Trajectory
from .geometry import Additive, Hypothesis
from .multiclass import Classifier
from .perceptron import Perceptron
from .vectors import Vector, Weights, add

__all__ = ["LabelEfficientPerceptron", "ShiftingPerceptron"]

MASK, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


def mixed(z: int) -> int:
    """The mixing function of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def chance(seed: int, example: int) -> float:
    """A number from 0 to 1, below 1, that depends on the seed and on which example it is.

    >>> chance(0, 1) == chance(0, 1) != chance(1, 1)
    True
    """
    return (mixed((mixed((seed + GOLDEN) & MASK) + example * GOLDEN) & MASK) >> 11) * 2.0**-53


class LabelEfficientPerceptron(Perceptron):
    """The perceptron that asks for a label only where it is unsure.

    It asks with probability b/(b + |s|), with many classes by the lead of the best over the next;
    where it does not ask, it learns nothing. Mistakes are counted all the same.

    b       how willing it is to ask: the score at which it asks every second time
    seed    of the numbers by which it decides
    others  those of the Perceptron

    >>> learner = LabelEfficientPerceptron(b=1.0, average=False, fit_intercept=False)
    >>> for _ in range(100):
    ...     learner.learn({"a": 1.0}, "yes")
    ...     learner.learn({"b": 1.0}, "no")
    >>> learner.mistakes, 80 < learner.asked < 120  # at |s| = 1 every second label
    (2, True)
    """

    def __init__(self, *, b: float = 1.0, seed: int = 0, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.b, self.seed = b, seed
        self.detects_cycles = False

    def restless(self) -> int:
        """An epoch in which it asked for no label proves nothing; one without a mistake does."""
        return self.mistakes

    def asks(self, lead: float, t: int) -> bool:
        return chance(self.seed, t) * (self.b + lead) < self.b

    @property
    def asked(self) -> int:
        """How many labels it asked for."""
        return self.shown.asked


class Shifting(Additive):
    """On the k-th update of a vector w = (1 − λ_k)·w + λ_k·amount·x, λ_k = λ/(λ + k).

    A hypothesis is w and, as the only weight of a second vector, k.
    """

    def __init__(self, bias: float, lambda_: float) -> None:
        super().__init__(bias, split=1.0)
        self.lambda_ = lambda_

    def start(self) -> Hypothesis:
        return [Weights(0.0), Weights(0.0)]

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        w, updates = h
        updates["k"] += 1
        k = updates["k"]
        for name in w:
            w[name] *= k / (self.lambda_ + k)
        add(w, amount * self.lambda_ / (self.lambda_ + k), x)
        return 0

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        plus, minus = trajectory.scaled(1.0), trajectory.scaled(-1.0)
        minus.now[1] = trajectory.now[1].scaled(1.0)
        return plus, minus


class ShiftingPerceptron(Classifier):
    """A perceptron that forgets (Cavallanti, Cesa-Bianchi & Gentile 2007).

    On the k-th mistake w = (1 − λ_k)·w + λ_k·y·x, λ_k = λ/(λ + k). With many classes there is one
    for each, against the rest.

    >>> learner = ShiftingPerceptron(lambda_=1.0, fit_intercept=False)
    >>> learner.learn({"a": 1.0}, 1)
    >>> learner.learn({"a": 0.5, "b": 3.0}, -1)
    >>> learner.weights()  # (½, 0), then ⅔·(½, 0) − ⅓·(½, 3)
    {'a': 0.16666666666666666, 'b': -1.0}
    """

    def __init__(
        self,
        *,
        lambda_: float = 4.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        calibrate: bool = False,
    ) -> None:
        bias = intercept_scaling if fit_intercept else 0.0
        super().__init__(Shifting(bias, lambda_), calibrate=calibrate, multiclass="one-vs-rest")

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return rules.perceptron(margin, weight=weight)
