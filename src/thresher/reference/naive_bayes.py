"""Naive Bayes: probabilities from counts."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .calibration import logistic
from .fit import Epochs
from .multiclass import Label, decide
from .rules import softmax
from .vectors import BIAS, Vector, Weights

__all__ = ["NaiveBayes"]


class NaiveBayes(Epochs):
    """P(k|x) ∝ P(k)·Π P(x_i|k), as if the features were independent within a class.

    kind        "multinomial": x_i are counts, P ∝ θ_ki^x_i with θ_ki = (c_ki + α)/(T_k + α·n);
                "bernoulli": b_i = [x_i > 0], P = p_ki or 1 − p_ki with p_ki = (c_ki + α)/(N_k + 2α)
    alpha       α, what is added to each count
    fit_prior   P(k) from the examples seen; otherwise all the same
    names       the features, if they are known in advance; otherwise those seen

    N_k counts the examples of class k, c_ki sums x_i (b_i) over them, T_k sums c_ki over i.

    >>> learner = NaiveBayes(alpha=1.0)
    >>> learner.learn({"cheap": 2.0, "pills": 1.0}, "spam")
    >>> learner.learn({"cheap": 1.0, "lunch": 1.0}, "ham")
    >>> {label: round(p, 3) for label, p in learner.predict_proba({"cheap": 1.0}).items()}
    {'ham': 0.444, 'spam': 0.556}
    """

    def __init__(
        self,
        *,
        kind: str = "multinomial",
        alpha: float = 1.0,
        fit_prior: bool = True,
        names: Iterable[str] = (),
    ) -> None:
        if kind not in ("multinomial", "bernoulli"):
            raise ValueError(f'kind is "multinomial" or "bernoulli", not {kind!r}')
        self.bernoulli = kind == "bernoulli"
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.labels: list[Label] = []  # in order of appearance
        self.names = dict.fromkeys(names)
        self.counts: dict[Label, Weights] = {}  # c
        self.seen: dict[Label, float] = {}  # N
        self.totals: dict[Label, float] = {}  # T
        self.examples = self.mistakes = 0

    def learn(self, x: Mapping[str, float], y: Label, weight: float = 1.0) -> None:
        """Learn one example; one of weight 0 is skipped."""
        if not weight >= 0.0:
            raise ValueError(f"a weight is 0 or more, not {weight}")
        if weight == 0.0:
            return
        self.names.update(dict.fromkeys(x))
        self.examples += 1
        self.mistakes += y not in self.labels or self.predict(x) != y
        if y not in self.labels:
            self.labels.append(y)
            self.counts[y], self.seen[y], self.totals[y] = Weights(), 0.0, 0.0
        self.seen[y] += weight
        self.totals[y] += weight * self.length(x)
        for name, value in x.items():
            if not self.bernoulli:
                self.counts[y][name] += weight * value
            elif value > 0.0:
                self.counts[y][name] += weight

    @property
    def updates(self) -> int:
        """Every example counts."""
        return self.examples

    def length(self, x: Mapping[str, float]) -> float:
        """Σ x_i."""
        total = 0.0
        for value in x.values():
            if value < 0.0 and not self.bernoulli:
                raise ValueError(f"counts are 0 or more, not {value}")
            total += value
        return total

    def log_total(self, label: Label) -> float:
        """log(T_k + α·n)."""
        return math.log(self.totals[label] + self.alpha * len(self.names))

    def log_count(self, label: Label, name: str) -> float:
        """What a feature adds to the score of a class; for Bernoulli, if present or absent."""
        c, alpha = self.counts[label][name], self.alpha
        if self.bernoulli:
            return math.log(c + alpha) - math.log(self.seen[label] - c + alpha)
        return math.log(c + alpha)

    def weight(self, label: Label, name: str) -> float:
        """The weight of a feature in the linear function that scores a class."""
        log = self.log_count(label, name)
        return log if self.bernoulli else log - self.log_total(label)

    def log_absent(self, label: Label) -> float:
        """Bernoulli: Σ_i log(1 − p_ki), as if no feature were present; equal counts are summed
        together, so that the sum does not depend on the order of the features."""
        seen, alpha, n = self.seen[label], self.alpha, len(self.names)
        counts = Counter(self.counts[label][name] for name in self.names)
        never = counts.pop(0.0, 0)
        total = 0.0
        for count, times in sorted(counts.items()):
            total += times * math.log(seen - count + alpha)
        total += never * math.log(seen + alpha)
        return total - n * math.log(seen + 2.0 * alpha)

    def constant(self, label: Label) -> float:
        """log P(k); for Bernoulli with the term for the absence of all features."""
        everything = 0.0
        for seen in self.seen.values():
            everything += seen
        prior = -math.log(len(self.labels))
        if self.fit_prior:
            prior = math.log(self.seen[label]) - math.log(everything)
        return prior + self.log_absent(label) if self.bernoulli else prior

    def joint(self, x: Mapping[str, float], label: Label) -> float:
        """log P(x, k). A name never seen has no effect."""
        known = {name: value for name, value in x.items() if name in self.names}
        total = 0.0
        for name, value in known.items():
            b = float(value > 0.0) if self.bernoulli else value
            total += b * self.log_count(label, name)
        if not self.bernoulli and self.length(known) != 0.0:
            total -= self.length(known) * self.log_total(label)
        return total + self.constant(label)

    def score(self, x: Mapping[str, float]) -> float | dict[Label, float]:
        """The log-odds; for many classes log P(x, k) of each; 0 for a single one."""
        if len(self.labels) < 2:
            return 0.0
        if len(self.labels) > 2:
            return {label: self.joint(x, label) for label in self.labels}
        negative, positive = sorted(self.labels)
        return self.joint(x, positive) - self.joint(x, negative)

    def predict(self, x: Mapping[str, float]) -> Label:
        """The label."""
        if not self.labels:
            raise ValueError("nothing learned yet")
        return self.labels[0] if len(self.labels) == 1 else decide(self.score(x), self.labels)

    def predict_proba(self, x: Mapping[str, float]) -> dict[Label, float]:
        """The probability of each label."""
        score, labels = self.score(x), sorted(self.labels)
        if isinstance(score, dict):
            p = softmax(score)
            return {label: p[label] for label in labels}
        if len(labels) < 2:
            return dict.fromkeys(labels, 1.0)
        return {labels[0]: 1.0 - logistic(score), labels[1]: logistic(score)}

    def weights(self) -> Vector | dict[Label, Vector]:
        """The linear function that predicts: score = weights·x + weights[BIAS]."""
        if len(self.labels) < 2:
            return dict.fromkeys((*self.names, BIAS), 0.0)
        each = {
            label: {name: self.weight(label, name) for name in self.names}
            | {BIAS: self.constant(label)}
            for label in sorted(self.labels)
        }
        if len(self.labels) > 2:
            return each
        negative, positive = each.values()
        return {name: positive[name] - negative[name] for name in positive}

    def hypothesis(self) -> Any:
        """The counts."""
        return self.counts
