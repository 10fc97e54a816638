"""Perceptrons in the feature space of a kernel: lists of mistakes instead of weights.

A mistake is kept as an example. A hypothesis is all mistakes up to one of them, except those that a
budget had forgotten by then; it scores with a sum of kernels, and counts the examples it survived,
including the one that made it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from .fit import Epochs
from .multiclass import Label, decide, strongest
from .vectors import as_given

__all__ = ["KernelPerceptron", "VotedPerceptron"]

Kernel = Callable[[Mapping[str, float], Mapping[str, float]], float]


def linear(x: Mapping[str, float], z: Mapping[str, float]) -> float:
    """x·z.

    >>> linear({"a": 2.0, "b": 1.0}, {"a": 3.0})
    6.0
    """
    total = 0.0
    for name, value in x.items():
        total += value * z.get(name, 0.0)
    return total


def polynomial(degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> Kernel:
    """(γ·x·z + coef0)^degree.

    >>> polynomial(2)({"a": 2.0}, {"a": 1.0})
    9.0
    """

    def kernel(x: Mapping[str, float], z: Mapping[str, float]) -> float:
        base = gamma * linear(x, z) + coef0
        power = base
        for _ in range(degree - 1):
            power *= base
        return power

    return kernel


def rbf(gamma: float = 1.0) -> Kernel:
    """exp(−γ‖x − z‖²).

    >>> rbf()({"a": 1.0}, {"a": 1.0})
    1.0
    """

    def kernel(x: Mapping[str, float], z: Mapping[str, float]) -> float:
        square = 0.0
        for name in {**x, **z}:
            square += (x.get(name, 0.0) - z.get(name, 0.0)) ** 2
        return math.exp(-gamma * square)

    return kernel


def sigmoid(gamma: float = 1.0, coef0: float = 0.0) -> Kernel:
    """tanh(γ·x·z + coef0).

    >>> sigmoid()({}, {"a": 1.0})
    0.0
    """
    return lambda x, z: math.tanh(gamma * linear(x, z) + coef0)


class Mistake:
    """An example that became a support vector."""

    def __init__(self, x: Mapping[str, float], label: Label, moves: dict[Label, float]) -> None:
        self.x, self.label = x, label
        self.moves = moves  # what it adds to the prototype of each class


class Hypothesis:
    """The support vectors at one time, with the classes seen by then."""

    def __init__(self, support: list[Mistake], labels: list[Label]) -> None:
        self.support, self.labels = support, labels
        self.survived = 0.0  # the weight of the examples that it survived


class KernelPerceptron(Epochs):
    """On a mistake, x joins the support vectors.

    kernel          a function of two examples
    prediction      "last", "averaged" or "voted"
    burn_in         how many of the first examples to leave out of average and vote
    budget          the most support vectors; average and vote are then over as many hypotheses,
                    the newest ones, each with all that it had when it was made
    forget          which is dropped: the "oldest", the "smallest" |a|·√K(x, x), or "random"
    choose          for "random": a function of how many were dropped and how many there are
    fit_intercept   K + 1 instead of K
    multiclass      "ultraconservative" or "one-vs-rest"
    max_hypotheses  how many hypotheses vote, the newest ones
    count_from      1: an example counts for the hypothesis that it makes; 0: it does not

    >>> xor = [({}, 0), ({"a": 1.0}, 1), ({"b": 1.0}, 1), ({"a": 1.0, "b": 1.0}, 0)]
    >>> learner = KernelPerceptron(polynomial(2)).fit(xor, max_epochs=None)
    >>> learner.converged, [learner.predict(x) for x, _ in xor]
    (True, [0, 1, 1, 0])
    """

    def __init__(
        self,
        kernel: Kernel = linear,
        *,
        prediction: str = "averaged",
        burn_in: int = 0,
        budget: int | None = None,
        forget: str = "oldest",
        choose: Callable[[int, int], int] = lambda gone, size: 0,
        fit_intercept: bool = True,
        multiclass: str = "ultraconservative",
        max_hypotheses: int | None = None,
        count_from: int = 1,
    ) -> None:
        self.kernel, self.bias = kernel, 1.0 if fit_intercept else 0.0
        self.prediction, self.burn_in = prediction, burn_in
        self.budget, self.forget, self.choose = budget, forget, choose
        self.multiclass, self.max_hypotheses = multiclass, max_hypotheses
        self.count_from = count_from
        self.support: list[Mistake] = []
        self.hypotheses: list[Hypothesis] = []
        self.labels: list[Label] = []  # in order of appearance
        self.examples = self.mistakes = self.gone = 0
        self._updates = 0

    @property
    def updates(self) -> int:
        return self._updates

    def hypothesis(self) -> Any:
        return [(mistake.x, mistake.moves) for mistake in self.support]

    def scores(self, x: Mapping[str, float], support: list[Mistake]) -> dict[Label, float]:
        """The scores of a hypothesis: a sum of kernels for each class."""
        x, scores = as_given(x), dict.fromkeys(self.labels, 0.0)
        for mistake in support:
            value = self.kernel(mistake.x, x) + self.bias
            for label in self.labels:
                scores[label] += mistake.moves.get(label, 0.0) * value
        return scores

    # Learning.

    def learn(self, x: Mapping[str, float], y: Label, weight: float = 1) -> None:
        """Receive x, predict, receive y, maybe update."""
        if weight == 0.0:
            return
        x = as_given(x)
        if y not in self.labels:
            self._meet(y)
        scores = self.scores(x, self.support)
        moves = self._moves(scores, y)
        self.examples += 1
        self.mistakes += self._margin(scores, y) <= 0.0
        if moves:
            self._updates += 1
            if len(self.support) == self.budget:
                self._forget()
            self.support.append(Mistake(x, y, {r: weight * move for r, move in moves.items()}))
            self._keep(Hypothesis(list(self.support), list(self.labels)))
        if self.examples > self.burn_in and (not moves or self.count_from == 1):
            self.hypotheses[-1].survived += weight

    def _meet(self, label: Label) -> None:
        """With two classes, one is the other's mirror image; a third starts at 0."""
        self.labels.append(label)
        if len(self.labels) == 2:
            for hypothesis in self.hypotheses:
                hypothesis.labels = list(self.labels)
                for mistake in hypothesis.support:
                    mistake.moves[label] = -mistake.moves[self.labels[0]]

    def _keep(self, hypothesis: Hypothesis) -> None:
        self.hypotheses.append(hypothesis)
        if self.budget is not None and len(self.hypotheses) > self.budget:
            del self.hypotheses[0]

    def _margin(self, scores: dict[Label, float], y: Label) -> float:
        if len(scores) == 1:
            return scores[y]
        return scores[y] - scores[strongest(scores, but=y)]

    def _moves(self, scores: dict[Label, float], y: Label) -> dict[Label, float]:
        if self.multiclass == "one-vs-rest" and len(scores) > 2:
            signs = {r: 1.0 if r == y else -1.0 for r in scores}
            return {r: signs[r] for r in scores if signs[r] * scores[r] <= 0.0}
        if self._margin(scores, y) > 0.0:
            return {}
        return {y: 1.0} if len(scores) == 1 else {y: 1.0, strongest(scores, but=y): -1.0}

    def _forget(self) -> None:
        gone = 0  # the oldest
        if self.forget == "smallest":
            gone = min(range(len(self.support)), key=self._square)
        elif self.forget == "random":
            gone = self.choose(self.gone, len(self.support))
        del self.support[gone]
        self.gone += 1

    def _square(self, j: int) -> float:
        """How far the prototypes would move without it, squared."""
        mistake = self.support[j]
        moved = sum(move * move for move in mistake.moves.values())
        return moved * abs(self.kernel(mistake.x, mistake.x) + self.bias)

    # Prediction.

    def score(self, x: Mapping[str, float]) -> float | dict[Label, float]:
        """For many classes one for each label; for two, of the larger label."""
        scores = self._predicted(x)
        return scores if len(self.labels) > 2 else scores[max(self.labels)]

    def _predicted(self, x: Mapping[str, float]) -> dict[Label, float]:
        kept = self.hypotheses
        if self.prediction == "averaged" and _survived(kept) > 0.0:
            return self._averaged(x, kept)
        voters = kept if self.max_hypotheses is None else kept[-self.max_hypotheses :]
        if self.prediction == "voted" and _survived(voters) > 0.0:
            return self._voted(x, voters)
        return self.scores(x, self.support)

    def _averaged(self, x: Mapping[str, float], kept: list[Hypothesis]) -> dict[Label, float]:
        mean, total = dict.fromkeys(self.labels, 0.0), _survived(kept)
        for hypothesis in kept:
            scores = self.scores(x, hypothesis.support)
            for label in self.labels:
                mean[label] += hypothesis.survived * scores[label] / total
        return mean

    def _voted(self, x: Mapping[str, float], voters: list[Hypothesis]) -> dict[Label, float]:
        votes, total = dict.fromkeys(self.labels, 0.0), _survived(voters)
        for hypothesis in voters:
            known, survived = hypothesis.labels, hypothesis.survived
            scores = self.scores(x, hypothesis.support)
            if len(self.labels) <= 2:
                positive = max(self.labels)
                sign = 1.0 if scores[positive] >= 0.0 else -1.0
                for label in self.labels:
                    votes[label] += survived * (sign if label == positive else -sign)
            elif self.multiclass == "one-vs-rest":
                for label in known:
                    votes[label] += survived if scores[label] >= 0.0 else -survived
            else:
                votes[decide({r: scores[r] for r in known}, known)] += survived
        return {label: count / total for label, count in votes.items()}

    def predict(self, x: Mapping[str, float]) -> Label:
        """The label."""
        if not self.labels:
            raise ValueError("nothing learned yet")
        return self.labels[0] if len(self.labels) == 1 else decide(self.score(x), self.labels)


def _survived(hypotheses: list[Hypothesis]) -> float:
    return sum(hypothesis.survived for hypothesis in hypotheses)


class VotedPerceptron(KernelPerceptron):
    """The voted perceptron (Freund and Schapire 1999): sgn Σ c_i·sgn(v_i·x).

    >>> learner = VotedPerceptron()
    >>> for x, y in [({"a": 1.0}, 1), ({"b": 1.0}, -1), ({"a": 2.0}, 1)]:
    ...     learner.learn(x, y)
    >>> [h.survived for h in learner.hypotheses], learner.predict({"b": 3.0})
    ([1.0, 2.0], -1)
    """

    def __init__(
        self, kernel: Kernel = linear, *, prediction: str = "voted", **options: Any
    ) -> None:
        super().__init__(kernel, prediction=prediction, **options)
