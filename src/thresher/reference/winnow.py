"""Winnow and Balanced Winnow: weights that are multiplied, not added to (Littlestone 1988)."""

import math
from collections.abc import Mapping

from . import rules
from .average import Mean, Trajectory
from .geometry import Geometry, Hypothesis
from .multiclass import Classifier, Label
from .vectors import BIAS, Vector, Weights, as_given, dot

__all__ = ["BalancedWinnow", "Winnow"]

SMALLEST, LARGEST = 1e-150, 1e150  # no weight leaves this range, except to 0 by elimination


def clamped(w: float) -> float:
    """w within the range of weights."""
    return min(max(w, SMALLEST), LARGEST)


def power(alpha: float, exponent: float) -> float:
    """α^exponent, infinite when it is too large for a float."""
    try:
        result: float = alpha**exponent
    except OverflowError:
        return math.inf
    return result


class Multiplicative(Geometry):
    """Positive weights that start at 1, for x in [0, 1].

    With negations the learner works on 2n literals: x_i, and 1 − x_i for its negation. They are
    explicit here, so a step costs O(n); a fast engine avoids that.
    A feature never seen has been 0 in every example, and its negated literal 1. That literal has
    moved with the others: its weight is `unseen` of the second vector.
    """

    def __init__(
        self,
        alpha: float,
        theta: float | None,
        demotion: str,
        floor: float | None,
        negations: bool,
        clip: bool,
        n_features: int | None,
    ) -> None:
        super().__init__()
        self.alpha = alpha
        self.fixed_theta = theta
        self.eliminate = demotion == "eliminate"
        self.floor = floor
        self.negations = negations
        self.clip = clip
        self.n_features = n_features
        self.see({f"x{i}": 0.0 for i in range(n_features or 0)})

    def example(self, x: Mapping[str, float]) -> Vector:
        for name, value in x.items():
            if self.n_features is not None and name not in self.names:
                raise ValueError(f"feature {name!r} is not one of x0 … x{self.n_features - 1}")
            if not self.clip and not 0.0 <= value <= 1.0:
                raise ValueError(
                    f"feature {name!r} is {value}, outside [0, 1]: "
                    "use clip=True, or BalancedWinnow, which takes any real number"
                )
        return {name: min(max(value, 0.0), 1.0) for name, value in as_given(x).items()}

    def theta(self, x: Vector) -> float:
        if self.fixed_theta is not None:
            return self.fixed_theta
        n = len(self.names | x)
        return float(2 * n if self.negations else n)

    def literals(self, x: Vector) -> list[Vector]:
        """The literals of x: the features, and with negations 1 − x_i for every known name."""
        if not self.negations:
            return [x]
        return [x, {name: 1.0 - x.get(name, 0.0) for name in self.names | x}]

    def start(self) -> Hypothesis:
        return [Weights(1.0), Weights(1.0)] if self.negations else [Weights(1.0)]

    def score(self, h: Hypothesis, x: Vector) -> float:
        total = 0.0
        for w, literals in zip(h, self.literals(x), strict=True):
            total += dot(w, literals)
        return total

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        clamps = 0
        for w, literals in zip(h, self.literals(x), strict=True):
            for name, value in literals.items():
                w[name], clamp = self.moved(w[name], amount, value)
                clamps += clamp
        if self.negations:
            h[1].unseen, _ = self.moved(h[1].unseen, amount, 1.0)
        return clamps

    def moved(self, w: float, e: float, value: float) -> tuple[float, bool]:
        """One weight after a promotion (e > 0) or a demotion (e < 0); and was it clamped?"""
        if w == 0.0 or value == 0.0:  # eliminated for good, or not active
            return w, False
        factor = power(self.alpha, abs(e) * value)
        if e > 0:
            w *= factor
        elif self.eliminate:
            return self.floor or 0.0, False
        else:
            w /= factor
        kept = clamped(w)
        if e < 0 and self.floor is not None:
            kept = max(kept, self.floor)
        return kept, not SMALLEST <= w <= LARGEST

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        return trajectory, Trajectory(self.start(), trajectory.average, before=trajectory)

    def weights(self, h: Hypothesis, theta: float) -> Vector:
        if not self.negations:
            return {**{name: h[0][name] for name in self.names}, BIAS: 0.0 - theta}
        # Σ w_i·x_i + Σ v_i·(1 − x_i) − θ  =  Σ (w_i − v_i)·x_i + (Σ v_i − θ)
        w, v = h
        constant = sum(v[name] for name in self.names)
        return {**{name: w[name] - v[name] for name in self.names}, BIAS: constant - theta}


class Balanced(Geometry):
    """Two positive weights for each feature, w⁺ and w⁻; what counts is w⁺ − w⁻. Both start at 1.

    A step towards x multiplies w⁺_i by α^(e·x_i) and divides w⁻_i by it; a step away does the
    reverse. x may be any real number, and the bias is a feature with both weights.

    `scaled`: where some |x_i| is above 1, the exponents are those of x/max|x_i|, so that a step of
    1 multiplies no weight by more than α. With θ = 0 this is Balanced Winnow on the scaled example.
    """

    def __init__(self, alpha: float, theta: float, scaled: bool, fit_intercept: bool) -> None:
        super().__init__(float(fit_intercept))
        self.alpha = alpha
        self.fixed_theta = theta
        self.scaled = scaled

    def theta(self, x: Vector) -> float:
        return self.fixed_theta

    def start(self) -> Hypothesis:
        return [Weights(1.0), Weights(1.0)]

    def score(self, h: Hypothesis, x: Vector) -> float:
        positive, negative = h
        return dot({name: positive[name] - negative[name] for name in x}, x)

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        up, down = h if amount > 0 else reversed(h)
        clamps = 0
        scale = max(1.0, *(abs(value) for value in x.values())) if self.scaled and x else 1.0
        for name, value in x.items():
            factor = power(self.alpha, abs(amount) * (value / scale))
            promoted = up[name] * factor
            demoted = down[name] / factor if factor else math.inf
            up[name], down[name] = clamped(promoted), clamped(demoted)
            clamps += (up[name] != promoted) + (down[name] != demoted)
        return clamps

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        return trajectory, trajectory.mirrored()

    def weights(self, h: Hypothesis, theta: float) -> Vector:
        positive, negative = h
        w = {name: positive[name] - negative[name] for name in self.names}
        return {**w, BIAS: w.get(BIAS, 0.0) - theta}


class WinnowClassifier(Classifier):
    """What Winnow and Balanced Winnow share: the rule."""

    margin: float

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return rules.winnow(margin, mistake, gamma=self.margin, weight=weight)


class Winnow(WinnowClassifier):
    """Winnow: predict positive iff w·x ≥ θ.

    A false negative promotes the active weights, w_i *= α^(x_i); a false positive demotes them,
    w_i /= α^(x_i). It finds a disjunction of k among n features within O(k·log n) mistakes.

    alpha       the factor, above 1
    theta       the threshold; None: the number of features (of literals, with negations)
    margin      update also when the score is right by less than this
    demotion    "divide", or "eliminate": set the active weights to 0 (disjunctions only)
    floor       no demotion takes a weight below this (Winnow-R: ½), so a changing target is tracked
    negations   learn over the 2n literals x_i, 1 − x_i
    clip        clip values to [0, 1] instead of an error
    n_features  the columns are x0 … x{n−1}, known from the start; None: names as they appear

    The target here is x1 ∨ x2:

    >>> learner = Winnow(theta=2.0)
    >>> learner.learn({"x3": 1.0, "x4": 1.0}, -1)
    >>> learner.learn({"x1": 1.0, "x3": 1.0}, +1)
    >>> learner.learn({"x2": 1.0, "x4": 1.0}, +1)
    >>> learner.weights()  # the bias is −θ
    {'x3': 1.0, 'x4': 1.0, 'x1': 2.0, 'x2': 2.0, '(bias)': -2.0}
    """

    geometry: Multiplicative

    def is_mistake(self, score: float, y: int) -> bool:
        """The wrong label: at a score of 0 Winnow says "positive"."""
        return (score >= 0.0) != (y > 0)

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        theta: float | None = None,
        margin: float = 0.0,
        demotion: str = "divide",
        floor: float | None = None,
        negations: bool = False,
        clip: bool = False,
        average: Mean = False,
        burn_in: int = 0,
        calibrate: bool = False,
        n_features: int | None = None,
    ) -> None:
        if demotion not in ("divide", "eliminate"):
            raise ValueError(f'demotion is "divide" or "eliminate", not {demotion!r}')
        geometry = Multiplicative(alpha, theta, demotion, floor, negations, clip, n_features)
        super().__init__(geometry, average=average, burn_in=burn_in, calibrate=calibrate)
        self.margin = margin

    def literals(self, label: Label = None) -> Vector:
        """The weight of each literal, "x" and "not x" (of one class, when there are many).

        >>> learner = Winnow(negations=True)
        >>> learner.learn({"a": 1.0}, -1)
        >>> learner.literals()
        {'a': 1.0, 'not a': 1.0}
        """
        names = self.geometry.names
        h = self.shown.path(label).hypothesis(self.average)
        shown = {name: h[0][name] for name in names}
        if self.geometry.negations:
            shown.update({f"not {name}": h[1][name] for name in names})
        return shown


class BalancedWinnow(WinnowClassifier):
    """Balanced Winnow (Littlestone 1989): predict positive iff (w⁺ − w⁻)·x ≥ θ.

    Weights of both signs, so any real x and no need of negations. All effective weights start at 0,
    so a score of exactly 0 is a mistake for either label, as it is for the perceptron.

    >>> learner = BalancedWinnow(alpha=2.0, fit_intercept=False)
    >>> learner.learn({"a": 1.0}, -1)
    >>> learner.learn({"a": 1.0, "b": 1.0}, +1)
    >>> learner.weights()  # a: w⁺ ½ then 1, w⁻ 2 then 1;  b: w⁺ 2, w⁻ ½
    {'a': 0.0, 'b': 1.5, '(bias)': 0.0}
    """

    def __init__(
        self,
        *,
        alpha: float = 1.5,
        theta: float = 0.0,
        scaled: bool = True,
        margin: float = 0.0,
        average: Mean = False,
        burn_in: int = 0,
        fit_intercept: bool = True,
        calibrate: bool = False,
    ) -> None:
        geometry = Balanced(alpha, theta, scaled, fit_intercept)
        super().__init__(geometry, average=average, burn_in=burn_in, calibrate=calibrate)
        self.margin = margin
