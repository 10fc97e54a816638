"""Many classes, where the answer is only right or wrong: the Banditron (Kakade et al. 2008)."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .few_labels import chance
from .geometry import Additive
from .multiclass import Classifier, Label, ManyClasses, TwoClasses
from .vectors import Vector

__all__ = ["Banditron"]


class Play(NamedTuple):
    """What was played for an example."""

    best: Label  # ŷ
    played: Label  # ỹ
    probability: float  # P(ỹ)


class Banditron(Classifier):
    """For each example a label is played; the label y only says whether it is y.

    The best scored label ŷ is played with probability 1 − γ, else any, ỹ. Then for each label
    w_r += x·(1[r = ỹ = y]/P(r) − 1[r = ŷ]). Of two labels only w_+ − w_− is kept, and ± a half of
    it where a third joins. A label that is new was not played; it joins before the step is made.

    gamma    γ: how often any label is played
    classes  the labels; None: those that came
    seed     of the numbers by which it plays
    fit_intercept, intercept_scaling  as for the Perceptron

    >>> learner = Banditron(gamma=0.5, classes="abc", fit_intercept=False)
    >>> for _ in range(40):
    ...     for name, label in (("x", "a"), ("y", "b"), ("z", "c")):
    ...         learner.learn({name: 1.0}, label)
    >>> [learner.predict({name: 1.0}) for name in "xyz"], 20 < learner.mistakes < 80
    (['a', 'b', 'c'], True)
    """

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        classes: Iterable[Label] | None = None,
        seed: int = 0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
    ) -> None:
        super().__init__(Additive(intercept_scaling if fit_intercept else 0.0, split=0.5))
        self.gamma, self.seed = gamma, seed
        for label in classes or ():
            self._meet(label)

    def play(self, x: Mapping[str, float]) -> Play | None:
        """What it plays if x is its next example; None while it knows no label."""
        if not self.labels:
            return None
        best = self.predict(x)
        played, coin = best, chance(self.seed, self.examples + 1)
        k = len(self.labels)
        if coin < self.gamma:
            played = self.labels[min(int(coin / self.gamma * k), k - 1)]
        return Play(best, played, (1.0 - self.gamma if played == best else 0.0) + self.gamma / k)

    def learn(self, x: Mapping[str, float], y: Label, weight: float = 1) -> None:
        """Learn whether y is what is played; an example of weight 0 is skipped."""
        if weight == 0.0:
            return
        play = self.play(x)
        right = play is not None and play.played == y
        if y not in self.labels:
            self._meet(y)
        example = self.geometry.example(x)
        self.geometry.see(example)
        steps = dict.fromkeys(self.labels, 0.0)
        if play is not None:
            steps[play.best] -= weight
            if right:
                steps[play.played] += weight / play.probability
        many = isinstance(self.shown, ManyClasses)
        machines = [self.shown] if len(self.labels) > 1 else self.readings.values()
        for machine in machines:
            machine.examples += 1
            machine.mistakes += not right
            machine.updates += _moved(machine, steps, example) if many or len(steps) == 2 else 0


def _moved(machine: TwoClasses | ManyClasses, steps: dict[Label, float], x: Vector) -> bool:
    """Move the weights by these steps; whether any of them moved."""
    if isinstance(machine, TwoClasses):
        negative, positive = sorted(steps)
        steps = {None: steps[positive] - steps[negative]}
    for label, step in steps.items():
        if step != 0.0:
            machine.learner.geometry.move(machine.path(label).now, step, x)
    return any(steps.values())
