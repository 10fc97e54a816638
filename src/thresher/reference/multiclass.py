"""One stream, any labels: the classifier that all online learners share.

The labels are not known in advance.

- One label so far. Will it be the positive or the negative class? Two readings of the two-class
  machine are kept, one for each answer; both learn.
- A second label. The larger of the two, in sorted order, is positive. The reading that had it so is
  kept, as if the labels had been known from the start.
- A third label. The machine is split into one prototype per class; from here on the right class is
  moved towards x and its strongest rival away from it, the others stay: an ultraconservative step
  (Crammer and Singer 2003). It is the two-class step on the joint vector Φ(x, y) − Φ(x, rival),
  whose squared norm is 2‖x‖².
"""

import numbers
from collections.abc import Mapping
from typing import Any

from .average import Mean, Trajectory
from .calibration import Sigmoid, Softmax
from .fit import Epochs
from .geometry import Geometry
from .vectors import Vector

Label = Any  # a number, a string, …: labels of one stream can be sorted
Move = tuple[float, float]  # how far along x, and the gain of the inverse variances


def strongest(scores: Mapping[Label, float], but: Label) -> Label:
    """The label of the highest score, one left out; on a tie the one that appeared first.

    >>> strongest({"b": 1.0, "a": 1.0, "c": 3.0}, but="c")
    'b'
    """
    return max((label for label in scores if label != but), key=lambda label: scores[label])


def decide(score: float | Mapping[Label, float], labels: list[Label]) -> Label:
    """The predicted label: positive iff s ≥ 0; of many the highest, on a tie the smallest label.

    >>> decide(0.0, ["no", "yes"]), decide({"b": 1.0, "a": 1.0, "c": 0.0}, ["b", "a", "c"])
    ('yes', 'a')
    """
    ordered = sorted(labels)
    if isinstance(score, Mapping):
        return max(ordered, key=lambda label: score[label])
    return ordered[-1 if score >= 0.0 else 0]


def lone_sign(label: Label) -> int:
    """How a label is shown while it is the only one: as positive, unless it is a number ≤ 0.

    >>> lone_sign("spam"), lone_sign(1), lone_sign(0), lone_sign(False)
    (1, 1, -1, -1)
    """
    return -1 if isinstance(label, numbers.Real) and label <= 0 else +1


class TwoClasses:
    """The two-class machine: one hypothesis, its average, its counts, its calibration."""

    def __init__(self, learner: "Classifier") -> None:
        self.learner = learner
        self.trajectory = Trajectory(learner.geometry.start(), learner.average)
        self.calibration = Sigmoid()
        self.examples = self.mistakes = self.updates = self.clamped = self.asked = 0

    def path(self, label: Label = None) -> Trajectory:
        return self.trajectory

    def score(self, x: Vector, averaged: Mean) -> float:
        geometry = self.learner.geometry
        return geometry.score(self.trajectory.hypothesis(averaged), x) - geometry.theta(x)

    def step(self, x: Vector, y: int, weight: float) -> None:
        """Receive x, predict, receive y = ±1, maybe update."""
        learner = self.learner
        self.examples += 1
        s = self.score(x, averaged=False)
        asked = learner.asks(abs(s), self.examples)
        self.asked += asked
        if learner.calibrate and asked:
            self.calibration.learn(self.score(x, learner.average), y, weight)
        mistake = learner.is_mistake(s, y)
        now, geometry = self.trajectory.now, learner.geometry
        sqnorm = geometry.sqnorm(now, x)
        tau = learner.tau(y * s, sqnorm, self.examples, weight, mistake) if asked else 0.0
        self.mistakes += mistake
        if tau != 0.0:
            self.updates += 1
            gain = learner.gain(tau, sqnorm, self.examples, weight)
            self.clamped += geometry.move(now, y * tau, x, gain)
        if self.examples > learner.burn_in:
            self.trajectory.count(weight)

    def weights(self, averaged: Mean) -> Vector:
        geometry = self.learner.geometry
        return geometry.weights(self.trajectory.hypothesis(averaged), geometry.theta({}))


class ManyClasses:
    """A prototype per class, in order of appearance. It takes over the counts of the machine."""

    def __init__(self, machine: TwoClasses, negative: Label, positive: Label) -> None:
        self.learner = machine.learner
        self.examples, self.mistakes = machine.examples, machine.mistakes
        self.updates, self.clamped = machine.updates, machine.clamped
        self.asked = machine.asked
        self.calibration = Softmax()
        plus, minus = self.learner.geometry.split(machine.trajectory)
        sides = {positive: plus, negative: minus}
        self.prototypes = {label: sides[label] for label in self.learner.labels if label in sides}

    def meet(self, label: Label) -> None:
        """A new class starts fresh: in the average it has been at the start so far."""
        known = next(iter(self.prototypes.values()))
        start = self.learner.geometry.start()
        self.prototypes[label] = Trajectory(start, self.learner.average, before=known)

    def path(self, label: Label = None) -> Trajectory:
        return self.prototypes[label]

    def score(self, x: Vector, averaged: Mean) -> dict[Label, float]:
        score = self.learner.geometry.score
        return {r: score(path.hypothesis(averaged), x) for r, path in self.prototypes.items()}

    def step(self, x: Vector, y: Label, weight: float) -> None:
        """Receive x, predict, receive the label y, maybe update."""
        learner = self.learner
        self.examples += 1
        scores = self.score(x, averaged=False)
        best, second, *_ = sorted(scores.values(), reverse=True)
        asked = learner.asks(best - second, self.examples)
        self.asked += asked
        if learner.calibrate and asked:
            self.calibration.learn(self.score(x, learner.average), y, weight)
        sqnorms = {r: learner.geometry.sqnorm(p.now, x) for r, p in self.prototypes.items()}
        moves = learner.moves(scores, y, sqnorms, self.examples, weight) if asked else {}
        self.mistakes += scores[y] - scores[strongest(scores, but=y)] <= 0.0
        self.updates += any(amount for amount, _ in moves.values())
        for label, (amount, gain) in moves.items():
            if amount != 0.0:
                now = self.prototypes[label].now
                self.clamped += learner.geometry.move(now, amount, x, gain)
        if self.examples > learner.burn_in:
            for path in self.prototypes.values():
                path.count(weight)

    def weights(self, averaged: Mean) -> dict[Label, Vector]:
        return {
            label: self.learner.geometry.weights(self.prototypes[label].hypothesis(averaged), 0.0)
            for label in sorted(self.prototypes)
        }


class Classifier(Epochs):
    """An online classifier. A learner defines only how much (`tau`) and in which geometry.

    Your own rule, then, is a method:

    >>> from thresher.reference.geometry import Additive
    >>> class Halfway(Classifier):
    ...     def tau(self, margin, sqnorm, t, weight, mistake):
    ...         return weight * max(0.0, 1.0 - margin) / (2.0 * sqnorm)
    >>> learner = Halfway(Additive(bias=0.0))
    >>> learner.learn({"a": 1.0}, +1)
    >>> learner.weights()
    {'a': 0.5}
    """

    def __init__(
        self,
        geometry: Geometry,
        *,
        average: Mean = False,
        burn_in: int = 0,
        calibrate: bool = False,
        multiclass: str = "ultraconservative",
    ) -> None:
        self.geometry = geometry
        self.multiclass = multiclass
        self.average = average
        self.burn_in = burn_in
        self.calibrate = calibrate
        self.labels: list[Label] = []  # in order of appearance
        self.readings = {+1: TwoClasses(self), -1: TwoClasses(self)}
        self.shown: TwoClasses | ManyClasses = self.readings[+1]  # what attributes show

    # How much, and what is a mistake: defined by learners.

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        """The size of the step towards the right answer; 0 for none."""
        raise NotImplementedError

    def is_mistake(self, score: float, y: int) -> bool:
        """With two classes. A zero score is a mistake: otherwise w = 0 would never change."""
        return y * score <= 0.0

    def asks(self, lead: float, t: int) -> bool:
        """Whether to ask for the label of the t-th example, whose answer has this lead: |s| for two
        classes, the best score over the next for more. What is not asked for is not learned from.
        """
        return True

    def gain(self, tau: float, sqnorm: float, t: int, weight: float) -> float:
        """The gain of the inverse variances in a step; for geometries that have them."""
        return 0.0

    def moves(
        self,
        scores: dict[Label, float],
        y: Label,
        sqnorms: dict[Label, float],
        t: int,
        weight: float,
    ) -> dict[Label, Move]:
        """With many classes: how far each prototype moves along x, and its gain.

        The right one against its strongest rival; or, "one-vs-rest", each class by its own
        two-class machine against all others.
        """
        if self.multiclass == "one-vs-rest":
            signs = {r: 1.0 if r == y else -1.0 for r in scores}
            margins = {r: signs[r] * scores[r] for r in scores}
            taus = {
                r: self.tau(margins[r], sqnorms[r], t, weight, margins[r] <= 0.0) for r in scores
            }
            return {
                r: (signs[r] * taus[r], self.gain(taus[r], sqnorms[r], t, weight)) for r in scores
            }
        rival = strongest(scores, but=y)
        margin = scores[y] - scores[rival]
        sqnorm = sqnorms[y] + sqnorms[rival]
        tau = self.tau(margin, sqnorm, t, weight, margin <= 0.0)
        gain = self.gain(tau, sqnorm, t, weight)
        return {y: (tau, gain), rival: (-tau, gain)}

    # Learning.

    def learn(self, x: Mapping[str, float], y: Label, weight: float = 1) -> None:
        """Learn one example; one of weight 0 is skipped."""
        if not weight >= 0.0:
            raise ValueError(f"a weight is 0 or more, not {weight}")
        if weight == 0.0:
            return
        example = self.geometry.example(x)
        self.geometry.see(example)
        if y not in self.labels:
            self._meet(y)
        if isinstance(self.shown, ManyClasses):
            self.shown.step(example, y, weight)
        elif len(self.labels) == 2:
            self.shown.step(example, +1 if y == max(self.labels) else -1, weight)
        else:
            for sign, reading in self.readings.items():
                reading.step(example, sign, weight)

    def _meet(self, label: Label) -> None:
        """A label never seen before."""
        self.labels.append(label)
        first = self.labels[0]
        if len(self.labels) == 1:
            self.shown = self.readings[lone_sign(first)]
        elif len(self.labels) == 2:
            self.shown = self.readings[+1 if first > label else -1]
        else:
            if isinstance(self.shown, TwoClasses):
                self.shown = ManyClasses(self.shown, *sorted(self.labels[:2]))
            self.shown.meet(label)

    # What was learned.

    @property
    def examples(self) -> int:
        return self.shown.examples

    @property
    def mistakes(self) -> int:
        """Of the online hypothesis, each counted before the update."""
        return self.shown.mistakes

    @property
    def updates(self) -> int:
        return self.shown.updates

    @property
    def clamped(self) -> int:
        return self.shown.clamped

    def score(self, x: Mapping[str, float]) -> float | dict[Label, float]:
        """The score; for many classes one for each label. Averaged, if the learner averages."""
        return self.shown.score(self.geometry.example(x), self.average)

    def predict(self, x: Mapping[str, float]) -> Label:
        """The label."""
        if not self.labels:
            raise ValueError("nothing learned yet")
        return self.labels[0] if len(self.labels) == 1 else decide(self.score(x), self.labels)

    def predict_proba(self, x: Mapping[str, float]) -> dict[Label, float]:
        """The probability of each label, for a learner made with calibrate=True."""
        if not self.calibrate:
            raise ValueError("probabilities need calibrate=True")
        example, labels = self.geometry.example(x), sorted(self.labels)
        if isinstance(self.shown, ManyClasses):
            p = self.shown.calibration.probabilities(self.shown.score(example, self.average))
            return {label: p[label] for label in labels}
        if len(labels) < 2:
            return dict.fromkeys(labels, 1.0)
        positive = self.shown.calibration.probability(self.shown.score(example, self.average))
        return {labels[0]: 1.0 - positive, labels[1]: positive}

    def weights(self) -> Vector | dict[Label, Vector]:
        """The linear function that predicts: score = weights·x + weights[BIAS]; for many classes
        one for each label. Averaged, if the learner averages."""
        return self.shown.weights(self.average)

    def hypothesis(self) -> Vector | dict[Label, Vector]:
        """The same for the current hypothesis, not averaged."""
        return self.shown.weights(averaged=False)
