"""The truncated perceptron (Wang, Zhao, Hoi & Jin 2014): a budget of features."""

import math

from . import rules
from .geometry import Additive, Hypothesis
from .multiclass import Classifier
from .vectors import BIAS, Vector, add

__all__ = ["TruncatedPerceptron"]


class Truncated(Additive):
    """After each step, all weights but the `keep` of largest magnitude become 0.

    With l2 > 0, w is first shrunk by 1 − l2·|amount|, and after the step scaled into the ball of
    radius 1/√l2. The bias is exempt. A dictionary keeps its names in order of insertion, and the
    sort below is stable: on a tie the older stay.

    >>> geometry = Truncated(bias=0.0, keep=2)
    >>> h = geometry.start()
    >>> _ = geometry.move(h, 1.0, {"a": 1.0, "b": 2.0, "c": -1.0})
    >>> h[0]
    {'a': 1.0, 'b': 2.0}
    """

    def __init__(
        self, bias: float = 1.0, split: float = 1.0, *, keep: int = 1000, l2: float = 0.0
    ) -> None:
        super().__init__(bias, split)
        self.keep, self.l2 = keep, l2

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        w = h[0]
        self.scale(w, max(0.0, 1.0 - self.l2 * abs(amount)) if self.l2 else 1.0)
        add(w, amount, x)
        if self.l2:
            radius, length = 1.0 / math.sqrt(self.l2), self.norm(w)
            self.scale(w, radius / length if length > radius else 1.0)
        names = [name for name in w if name != BIAS]
        kept = sorted((n for n in names if w[n] != 0.0), key=lambda n: -abs(w[n]))[: self.keep]
        for name in set(names) - set(kept):
            del w[name]
        return 0

    def scale(self, w: Vector, factor: float) -> None:
        for name in w:
            if name != BIAS:
                w[name] *= factor

    def norm(self, w: Vector) -> float:
        """‖w‖ without the bias, relative to the largest weight, so that no square overflows."""
        largest = max((abs(v) for name, v in w.items() if name != BIAS), default=0.0)
        total = 0.0
        for name, value in w.items():
            if name != BIAS and largest:
                total += (value / largest) * (value / largest)
        return largest * math.sqrt(total)


class TruncatedPerceptron(Classifier):
    """On a mistake, w += η·y·x, then all but the `keep` largest weights are cut off.

    keep           B: the features a hypothesis may have; for each class, if there are many
    l2             shrink and project before the cut: see `Truncated`
    margin, learning_rate, fit_intercept, intercept_scaling, multiclass, calibrate are those of the
    Perceptron.

    >>> learner = TruncatedPerceptron(keep=1, fit_intercept=False)
    >>> learner.learn({"cheap": 2.0, "lunch": 1.0}, "spam")
    >>> learner.learn({"lunch": 1.0}, "ham")
    >>> learner.weights()
    {'cheap': 2.0, 'lunch': 0.0}
    """

    def __init__(
        self,
        *,
        keep: int = 1000,
        l2: float = 0.0,
        margin: float = 0.0,
        learning_rate: rules.Rate = 1.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
    ) -> None:
        bias = intercept_scaling if fit_intercept else 0.0
        geometry = Truncated(bias, keep=keep, l2=l2)
        super().__init__(geometry, calibrate=calibrate, multiclass=multiclass)
        self.margin, self.learning_rate = margin, learning_rate

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        eta = rules.rate(self.learning_rate, t)
        return rules.perceptron(margin, gamma=self.margin, eta=eta, weight=weight)
