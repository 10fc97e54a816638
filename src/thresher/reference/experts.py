"""Experts: many learners, and one answer by weights that follow their losses.

Fixed share (Herbster & Warmuth 1998): a loss of an expert multiplies its weight by e^(−η·loss), and
a share α of all weight is then spread evenly, so that one that was bad for long can lead again.
"""

from collections.abc import Iterable
from math import ceil, exp, inf, log, log2, sqrt
from sys import float_info
from typing import Any, Protocol

from .vectors import Vector

__all__ = ["Experts", "ExpertsRegressor", "fixed_share", "worse_half"]


class Expert(Protocol):
    def predict(self, x: Vector) -> Any: ...
    def learn(self, x: Vector, y: Any, weight: float = 1.0) -> None: ...


def fixed_share(weights: list[float], losses: list[float], eta: float, share: float) -> list[float]:
    """The weights after one example. The least loss counts as 0: only differences matter.

    >>> [round(w, 6) for w in fixed_share([0.5, 0.5], [0.0, 1.0], eta=0.5, share=0.0)]
    [0.622459, 0.377541]
    """
    least = min(losses)
    reduced = [
        w if loss == least else max(w * exp(-eta * (loss - least)), float_info.min)
        for w, loss in zip(weights, losses, strict=True)
    ]
    total = 0.0
    for w in reduced:
        total += w
    each = share / len(weights)
    return [(1.0 - share) * (w / total) + each for w in reduced]


def worse_half(losses: list[list[float]], blocks: int = 128) -> list[int]:
    """Where rows are wide: who leaves after 2,048, 4,096, … examples, by the losses of each expert.

    Errors over all examples and over their last quarter are added. The leader stays: the one with
    the least error, but the best of the last quarter where that is clearly better in it. Of two
    that lost the same everywhere one is enough. None leaves if the leader's error has risen.
    """
    size = len(losses[0]) // blocks
    means = [[sum(own[b * size : (b + 1) * size]) / size for b in range(blocks)] for own in losses]
    recent = [of[-(blocks // 4) :] for of in means]

    def standard_errors(difference: list[float]) -> float:
        n, mean = len(difference), sum(difference) / len(difference)
        variance = sum((d - mean) ** 2 for d in difference) / (n - 1) / n
        return mean / sqrt(variance) if variance else 8.0 * ((mean > 0) - (mean < 0))

    experts = range(len(losses))
    leader = min(experts, key=lambda i: sum(means[i]))
    now = min(experts, key=lambda i: sum(recent[i]))
    if standard_errors([a - b for a, b in zip(recent[leader], recent[now], strict=True)]) > 2.0:
        leader = now
    before = means[leader][: -(blocks // 4)]
    if _rise(before, recent[leader]) > 2.0:
        return []
    order = sorted(
        experts, key=lambda i: (i != leader, sum(means[i]) / blocks + 4 * sum(recent[i]) / blocks)
    )
    kept: list[int] = []
    for i in order:
        if not any(means[i] == means[j] for j in kept) and 2 * len(kept) < len(losses):
            kept.append(i)
    return [i for i in order if i not in kept]


def _rise(before: list[float], now: list[float]) -> float:
    """The difference of two means in standard errors."""
    variance, means = 0.0, []
    for part in (before, now):
        means.append(sum(part) / len(part))
        variance += sum((x - means[-1]) ** 2 for x in part) / (len(part) - 1) / len(part)
    return (means[1] - means[0]) / sqrt(variance) if variance else 0.0


class Usual:
    """A baseline: the most frequent label; on a tie the one that was it before."""

    def __init__(self) -> None:
        self.masses: dict[Any, float] = {}
        self.answer: Any = None

    def predict(self, x: Vector) -> Any:
        return self.answer

    def learn(self, x: Vector, y: Any, weight: float = 1.0) -> None:
        self.masses[y] = self.masses.get(y, 0.0) + weight
        if self.masses[y] > self.masses.get(self.answer, 0.0):
            self.answer = y


class Mean:
    """A baseline: the mean of the targets so far."""

    def __init__(self) -> None:
        self.answer = self.mass = 0.0

    def predict(self, x: Vector) -> float:
        return self.answer

    def learn(self, x: Vector, y: float, weight: float = 1.0) -> None:
        self.mass += weight
        self.answer += (y - self.answer) * (weight / self.mass)


class Last:
    """A baseline: the last label or target."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def predict(self, x: Vector) -> Any:
        return self.answer

    def learn(self, x: Vector, y: Any, weight: float = 1.0) -> None:
        self.answer = y


class Committee:
    def __init__(self, learners: Iterable[Expert], eta: float, share: float) -> None:
        self.learners = list(learners)
        self.eta, self.share = eta, share
        self.weights = [1.0 / len(self.learners)] * len(self.learners)

    def update(self, losses: list[float], eta: float) -> None:
        self.weights = fixed_share(self.weights, losses, eta, self.share)

    def teach(self, x: Vector, y: Any, weight: float) -> None:
        for learner in self.learners:
            learner.learn(x, y, weight)


class Experts(Committee):
    """A vote. `mistakes` are those of the vote, each before the example was learned."""

    def __init__(
        self,
        learners: Iterable[Expert],
        eta: float = 0.5,
        share: float = 0.001,
        baselines: bool = True,
    ) -> None:
        more = (Usual(), Last(None)) if baselines else ()
        super().__init__((*learners, *more), eta, share)
        self.labels: list[Any] = []
        self.examples = self.mistakes = 0

    def predict(self, x: Vector) -> Any:
        """Two labels: the sign of a sum, 0 counting for the later one; more: the largest sum, the
        first label on a tie."""
        if len(self.labels) < 2:
            return self.labels[0] if self.labels else None
        answers = [learner.predict(x) for learner in self.learners]
        if len(self.labels) == 2:
            score = 0.0
            for w, answer in zip(self.weights, answers, strict=True):
                score += w if answer == self.labels[1] else -w
            return self.labels[score >= 0.0]
        votes = dict.fromkeys(self.labels, 0.0)
        for w, answer in zip(self.weights, answers, strict=True):
            votes[answer] += w
        return max(self.labels, key=votes.__getitem__)

    def learn(self, x: Vector, y: Any, weight: float = 1.0) -> None:
        if weight == 0.0:
            return
        self.examples += 1
        self.mistakes += self.predict(x) != y
        self.update([weight * (learner.predict(x) != y) for learner in self.learners], self.eta)
        self.teach(x, y, weight)
        self.labels = sorted({*self.labels, y})


class ExpertsRegressor(Committee):
    """The weighted mean of predictions, clipped to the range of the targets seen.

    The rate at which squares reduce weights begins high. It is halved, and the weights start over,
    when the answers have lost more than ln N/rate beyond what the weights account for. It does not
    fall below η/B², with B the range of the targets, rounded up to a power of two.
    """

    def __init__(
        self,
        learners: Iterable[Expert],
        eta: float = 0.5,
        share: float = 0.001,
        baselines: bool = True,
    ) -> None:
        more = (Mean(), Last(0.0)) if baselines else ()
        super().__init__((*learners, *more), eta, share)
        self.low, self.high, self.rate, self.gap = inf, -inf, 0.0, 0.0

    def answers(self, x: Vector) -> list[float]:
        found = [float(learner.predict(x)) for learner in self.learners]
        if self.low > self.high:
            return found
        return [min(max(answer, self.low), self.high) for answer in found]

    def predict(self, x: Vector) -> float:
        total = 0.0
        for w, answer in zip(self.weights, self.answers(x), strict=True):
            total += w * answer
        return total

    def learn(self, x: Vector, y: float, weight: float = 1.0) -> None:
        if weight == 0.0:
            return
        answers, answer = self.answers(x), self.predict(x)
        self.low, self.high = min(self.low, y), max(self.high, y)
        if self.high > self.low:
            span = 2.0 ** ceil(log2(self.high - self.low))
            losses = [weight * (p - y) ** 2 for p in answers]
            lost = weight * (answer - y) ** 2
            self.share_at_rate(losses, lost, self.eta / span**2, 2.0**60 / span**2)
        self.teach(x, y, weight)

    def share_at_rate(
        self, losses: list[float], lost: float, slowest: float, fastest: float
    ) -> None:
        spread = max(losses) - min(losses)
        if not self.rate and spread:
            self.rate = max(slowest, 2.0 ** ceil(log2(16.0 / spread)))
        self.rate = min(self.rate, fastest)
        if not self.rate:
            return
        mixed = 0.0
        for w, loss in zip(self.weights, losses, strict=True):
            mixed += w * exp(-self.rate * (loss - min(losses)))
        gap = max(0.0, lost - (min(losses) - log(mixed) / self.rate))
        self.update(losses, self.rate)
        self.gap += gap
        start = log(len(losses))  # what starting over costs, times the rate
        if self.gap * self.rate <= start or self.rate <= slowest:
            return
        self.rate = max(slowest, self.rate / 2)
        while gap * self.rate > start and self.rate > slowest:
            self.rate = max(slowest, self.rate / 2)
        self.gap = 0.0
        self.weights = [1.0 / len(losses)] * len(losses)
