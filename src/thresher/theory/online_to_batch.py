"""From a mistake bound to a hypothesis that is probably approximately correct.

**Theorem.** Examples are drawn independently from one distribution. A learner that changes its
hypothesis only on a mistake goes through h_1, h_2, …; let s_k be how many examples in a row h_k
predicted right after it was made. For any δ_1, δ_2, … ≥ 0 with Σ δ_k ≤ δ, with probability at least
1 − δ, for all k at once:

    error(h_k) ≤ 1 − δ_k^(1/s_k) ≤ ln(1/δ_k)/s_k.

Proof. Take h_k of error e as given; the examples after it are independent of it. Let s be the first
length with (1 − e)^s < δ_k. The bound fails for h_k only if it survives s examples, which has a
probability of (1 − e)^s < δ_k. So it does not matter that s_k is known only afterwards, nor that
the longest survivor is chosen. Sum over k.

If the learner makes at most M mistakes, there are at most M + 1 hypotheses: δ_k = δ/(M + 1). If M
is unknown, δ_k = δ/(k·(k + 1)) sums to δ as well. And within (M + 1)·s examples one survives s.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInput, NotLearned
from thresher.options import finite, whole


@dataclass(frozen=True)
class Guarantee:
    """With probability ≥ 1 − δ over the examples, the error is at most ε.

    >>> print(Guarantee(epsilon=0.01, delta=0.05))
    with probability at least 0.95 the error is at most 0.01
    """

    epsilon: float
    delta: float

    def __str__(self) -> str:
        return (
            f"with probability at least {1.0 - self.delta:.6g} "
            f"the error is at most {self.epsilon:.6g}"
        )


@dataclass(frozen=True)
class Survivor:
    """The hypothesis that was right for longest, and its guarantee."""

    learner: Any
    """A copy of the learner as it was then."""
    survived: int
    """s: examples in a row that it predicted right."""
    number: int
    """k: it was the k-th hypothesis, from 1."""
    mistakes: int
    """Mistakes of the whole run; there was one more hypothesis than that."""
    examples: int
    """Examples of the whole run."""

    def guarantee(self, delta: float = 0.05, mistake_bound: float | None = None) -> Guarantee:
        """The PAC statement for this hypothesis: ε for a δ of your choice.

        `mistake_bound` is M if one is known before the run. It does not help to pass the mistakes
        that were seen: they are known only afterwards.
        """
        delta = probability("delta", delta)
        if mistake_bound is None:
            share = delta / (self.number * (self.number + 1.0))
        else:
            mistake_bound = finite("mistake_bound", mistake_bound, least=0.0)
            if self.mistakes > mistake_bound:
                raise InvalidInput(
                    f"the run made {self.mistakes} mistakes, more than its mistake_bound "
                    f"{mistake_bound:g}; the bound does not apply to these examples."
                )
            share = delta / (math.floor(mistake_bound) + 1.0)
        if self.survived == 0:
            return Guarantee(1.0, delta)
        return Guarantee(-math.expm1(math.log(share) / self.survived), delta)


def longest_survivor(
    learner: Any, stream: Iterable[tuple[Any, Any]], s: int | None = None
) -> Survivor:
    """Run a learner over (x, y) and keep the hypothesis that was right for longest.

    `predict_one` is called for every example, `learn_one` only after a mistake, so that every
    learner, even one that learns from every example, keeps its hypothesis until it fails. Its
    mistake bound still holds, as the examples it learns from are a stream as well. With `s` the run
    stops as soon as a hypothesis has survived s examples. A learner that must see a label before it
    predicts gets the first example for that; it is not a mistake.

    A learner that averages predicts with a new hypothesis after each example, so it is refused.

    >>> from thresher import Perceptron
    >>> stream = [({"x": x}, int(x > 0)) for x in (1.0, -1.0, 2.0, -3.0, 0.5)]
    >>> kept = longest_survivor(Perceptron(average=False), stream)
    >>> kept.survived, kept.mistakes, kept.examples
    (3, 1, 5)
    """
    if getattr(learner, "average", False):
        raise InvalidInput(
            f"{type(learner).__name__} has average=True, so its hypothesis changes with each "
            "example; expected average=False."
        )
    most = math.inf if s is None else whole("s", s, 1)
    kept, survived, number = copy.deepcopy(learner), 0, 1
    run, mistakes, examples = 0, 0, 0
    for x, y in stream:
        examples += 1
        predicted = answer(learner, x)
        if predicted is None or predicted != y:
            learner.learn_one(x, y)
            mistakes += predicted is not None
            run = 0
            continue
        run += 1
        if run > survived:
            if number != mistakes + 1 or survived == 0:
                kept, number = copy.deepcopy(learner), mistakes + 1
            survived = run
            if survived >= most:
                break
    return Survivor(kept, survived, number, mistakes, examples)


def answer(learner: Any, x: Any) -> Any:
    """What it predicts; None before it has seen a label."""
    try:
        return learner.predict_one(x)
    except NotLearned:
        return None


def run_length(epsilon: float, delta: float, mistake_bound: int) -> int:
    """The s for which a hypothesis that survives s examples has error ≤ ε, with probability 1 − δ.

    The least s with (M + 1)·(1 − ε)^s ≤ δ. Within (M + 1)·s examples there is such a hypothesis.

    >>> run_length(epsilon=0.01, delta=0.05, mistake_bound=500)
    917
    """
    epsilon, delta = probability("epsilon", epsilon), probability("delta", delta)
    count = whole("mistake_bound", mistake_bound, 0) + 1
    return max(1, math.ceil((math.log(delta) - math.log(count)) / math.log1p(-epsilon)))


def probability(name: str, value: float) -> float:
    value = finite(name, value, above=0.0)
    if value >= 1.0:
        raise InvalidInput(f"{name} is {value!r}; expected a number between 0 and 1.")
    return value
