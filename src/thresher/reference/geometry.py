"""How: a geometry knows where a hypothesis starts, how it scores, and how a step moves it.

A hypothesis is a list of weight vectors: one for the additive learners and for Winnow, two for
Winnow with negations and for Balanced Winnow. Only a geometry writes weights.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from .average import Trajectory
from .vectors import BIAS, Vector, Weights, add, as_given, dot, sqnorm, with_bias

Hypothesis = list[Weights]


class Geometry(ABC):
    """The interface of weights: additive here, Winnow's two in winnow.py."""

    def __init__(self, bias: float = 0.0) -> None:
        self.bias = bias  # the value of the constant feature; 0: there is none
        self.names: dict[str, None] = {}  # the features seen so far, in order of appearance

    def example(self, x: Mapping[str, float]) -> Vector:
        """x as the learner takes it: with the bias, if there is one."""
        return with_bias(as_given(x), self.bias) if self.bias else as_given(x)

    def see(self, x: Vector) -> None:
        """Remember the names of x."""
        self.names.update(dict.fromkeys(x))

    def theta(self, x: Vector) -> float:
        """The threshold of the two-class machine: s = w·x − θ."""
        return 0.0

    @abstractmethod
    def start(self) -> Hypothesis:
        """The hypothesis before the first example."""

    @abstractmethod
    def score(self, h: Hypothesis, x: Vector) -> float:
        """w·x."""

    def sqnorm(self, h: Hypothesis, x: Vector) -> float:
        """‖x‖², in the measure of the hypothesis if it has one."""
        return sqnorm(x)

    @abstractmethod
    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        """Make a step, towards x if amount > 0, away from it if < 0; reduce the variances of the
        weights of x by gain, if the geometry has them. Returns how many weights were clamped.
        """

    @abstractmethod
    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        """The two-class machine as two prototypes: of the positive and of the negative class."""

    @abstractmethod
    def weights(self, h: Hypothesis, theta: float) -> Vector:
        """The linear function of a hypothesis: score = weights·x + weights[BIAS]."""


class Additive(Geometry):
    """w starts at 0 and moves by w += amount·x.

    `split` is the part of w that each of two prototypes gets. With ½ the margin s_y − s_rival is
    the y·s of before, so a rule that uses the size of the margin sees the same number. The
    perceptron with a fixed step takes 1: ±w are the prototypes it would have had from the start.
    """

    def __init__(self, bias: float = 1.0, split: float = 0.5) -> None:
        super().__init__(bias)
        self.part = split

    def start(self) -> Hypothesis:
        return [Weights(0.0)]

    def score(self, h: Hypothesis, x: Vector) -> float:
        return dot(h[0], x)

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        add(h[0], amount, x)
        return 0

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        return trajectory.scaled(self.part), trajectory.scaled(-self.part)

    def weights(self, h: Hypothesis, theta: float) -> Vector:
        return {name: h[0][name] * (self.bias if name == BIAS else 1.0) for name in self.names}
