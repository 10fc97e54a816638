"""The perceptron (Rosenblatt 1958), with margin, learning rates and averaging."""

import numbers

from . import rules
from .average import Mean
from .geometry import Additive
from .multiclass import Classifier

__all__ = ["Perceptron"]


class Perceptron(Classifier):
    """On a mistake, w += η·y·x. Separable with margin γ* and ‖x‖ ≤ R: at most R²/γ*² mistakes.

    average        predict with the mean of the hypotheses, not with the last
    margin         γ: update whenever y·s ≤ γ
    step           "fixed": η; "aggressive": as far as it takes to bring the example to y·s = γ
    learning_rate  η: a number, "1/t", "1/sqrt(t)" or a function of t
    burn_in        how many of the first examples to leave out of the average
    fit_intercept  learn a bias
    intercept_scaling  the value of its feature
    multiclass     many classes: "ultraconservative", or "one-vs-rest"
    calibrate      learn probabilities

    >>> learner = Perceptron(average=False)
    >>> stream = [
    ...     ({"a": 1.0, "b": 1.0}, "+"),
    ...     ({"a": 0.5, "b": 3.0}, "+"),
    ...     ({"a": 2.0, "b": 2.0}, "-"),
    ... ]
    >>> learner.fit(stream, max_epochs=None).converged
    True
    >>> [learner.predict(x) for x, _ in stream]
    ['+', '+', '-']

    Weights that repeat at the end of an epoch, nothing having been rounded, prove that there is no
    separator (here: XOR):

    >>> xor = [({}, 0), ({"a": 1.0}, 1), ({"b": 1.0}, 1), ({"a": 1.0, "b": 1.0}, 0)]
    >>> Perceptron().fit(xor, max_epochs=None).cycled
    True
    """

    def __init__(
        self,
        *,
        average: Mean = True,
        margin: float = 0.0,
        step: str = "fixed",
        learning_rate: rules.Rate = 1.0,
        burn_in: int = 0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multiclass: str = "ultraconservative",
        calibrate: bool = False,
    ) -> None:
        if step not in ("fixed", "aggressive"):
            raise ValueError(f'step is "fixed" or "aggressive", not {step!r}')
        if step == "aggressive" and not margin > 0.0:
            raise ValueError('step="aggressive" needs a margin above 0 to land on')
        whole = step == "fixed" or multiclass == "one-vs-rest"
        bias = intercept_scaling if fit_intercept else 0.0
        geometry = Additive(bias, split=1.0 if whole else 0.5)
        super().__init__(
            geometry,
            average=average,
            burn_in=burn_in,
            calibrate=calibrate,
            multiclass=multiclass,
        )
        self.margin = margin
        self.step = step
        self.learning_rate = learning_rate
        self.detects_cycles = step == "fixed" and isinstance(learning_rate, numbers.Real)

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        if self.step == "aggressive":
            return rules.aggressive(margin, sqnorm, gamma=self.margin, weight=weight)
        eta = rules.rate(self.learning_rate, t)
        return rules.perceptron(margin, gamma=self.margin, eta=eta, weight=weight)
