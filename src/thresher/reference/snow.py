"""SNoW (Roth 1998): a sparse network of linear threshold units, one per target.

A feature is linked to a target when it is active in an example of it. Examples of other targets
only move existing links. Each target has its own rule:

    winnow              w *= α^x, or β^x to demote, when the margin is < γ;   s = w·x + b − θ
    perceptron          w += ±η·x when the margin is ≤ γ;                     s = w·x + b
    passive-aggressive  w += ±τ·x, τ = min(C, loss/‖x‖²) over the links;      s = w·x + b
    naive-bayes         only counts;  s = log-odds of the target given the active features

The margin of the right target is its lead over the strongest rival, and so is the rival's; or
(one-vs-rest, and with sets of labels) the score of each node by itself, with the true sign.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .average import Mean
from .calibration import Sigmoid, Softmax
from .fit import Epochs
from .multiclass import decide, lone_sign
from .vectors import BIAS, Vector

__all__ = ["Snow"]

LOWEST, HIGHEST = 1e-150, 1e150  # no weight of a Winnow node leaves this range


@dataclass
class Link:
    """A feature and a target: its weight, and how often it was active in examples of it."""

    weight: float = 0.0
    past: float = 0.0  # Σ clock·change: the average is weight − past/clock
    count: int = 0


@dataclass
class Node:
    """A target."""

    rule: str
    bias: Link = field(default_factory=Link)
    links: dict[str, Link] = field(default_factory=dict)
    mass: float = 0.0  # of its examples


class Snow(Epochs):
    """A network of nodes. See `thresher.Snow` for the options.

    >>> network = Snow()
    >>> network.learn({"ball": 1.0, "goal": 1.0}, "sport")
    >>> network.learn({"vote": 1.0, "goal": 1.0}, "news")
    >>> sorted(network.nodes["news"].links), network.predict({"ball": 1.0})
    (['goal', 'vote'], 'sport')
    """

    def __init__(
        self,
        *,
        rule: str = "winnow",
        rules: Mapping[Any, str] | None = None,
        multiclass: str | None = None,
        multi_label: bool = False,
        alpha: float = 1.1,
        beta: float | None = None,
        theta: float | None = None,
        initial_weight: float = 1.0,
        margin: float = 1.5,
        learning_rate: float = 1.0,
        C: float = 1.0,
        smoothing: float = 0.01,
        eligibility: int = 1,
        prune: float = 0.0,
        max_links: int | None = None,
        average: Mean = True,
        burn_in: int = 0,
        fit_intercept: bool = True,
        calibrate: bool = False,
        confidence: str | None = None,
        names: Iterable[str] = (),
    ) -> None:
        self.rule, self.rules = rule, dict(rules or {})
        self.multi_label = multi_label
        self.by_node = multi_label or multiclass == "one-vs-rest"
        self.alpha, self.beta = alpha, alpha**-1.2 if beta is None else beta
        self.fixed_theta, self.initial_weight, self.margin = theta, initial_weight, margin
        self.learning_rate, self.C, self.smoothing = learning_rate, C, smoothing
        self.eligibility, self.prune, self.max_links = eligibility, prune, max_links
        self.average, self.burn_in = average, burn_in
        self.bias = 1.0 if fit_intercept else 0.0
        self.by_sigmoid = multi_label or confidence == "sigmoid"
        self.calibrate = calibrate
        self.calibration: Any = Sigmoid()
        self.nodes: dict[Any, Node] = {}
        self.features = dict.fromkeys(names, 0.0)  # in order of appearance: how much of each came
        self.mass = self.clock = self.mean_size = 0.0
        self.examples = self.mistakes = self.clamped = 0
        self._updates = 0

    @property
    def updates(self) -> int:
        return self._updates

    @property
    def labels(self) -> list[Any]:
        return list(self.nodes)

    @property
    def links(self) -> int:
        return sum(len(node.links) for node in self.nodes.values())

    @property
    def theta(self) -> float:
        return 0.5 * self.mean_size if self.fixed_theta is None else self.fixed_theta

    # -- scores

    def now(self, link: Link) -> float:
        return link.weight

    def mean(self, link: Link) -> float:
        on = self.average and self.clock > 0.0
        return link.weight - link.past / self.clock if on else link.weight

    def active(self, node: Node, name: str) -> Link | None:
        link = node.links.get(name)
        return link if link is not None and link.count >= self.eligibility else None

    def constant(self, node: Node, weight: Any) -> float:
        s = self.smoothing
        if node.rule == "naive-bayes":
            return math.log((node.mass + s) / (self.mass - node.mass + s))
        return float(weight(node.bias) - (self.theta if node.rule == "winnow" else 0.0))

    def spread(self, node: Node) -> float:
        s = self.smoothing
        return math.log((self.mass - node.mass + 2 * s) / (node.mass + 2 * s))

    def unlinked(self, name: str) -> float:
        return math.log(self.smoothing / (self.features.get(name, 0.0) + self.smoothing))

    def evidence(self, link: Link, name: str) -> float:
        """What a link of naive Bayes adds to the score of a feature without one."""
        s, c = self.smoothing, link.weight
        rest = max(self.features[name] - c, 0.0)
        return math.log((c + s) / (rest + s)) - self.unlinked(name)

    def node_score(self, node: Node, x: Vector, weight: Any) -> float:
        bayes = node.rule == "naive-bayes"
        total = unlinked = size = 0.0
        for name, value in x.items():
            if bayes:
                unlinked += value * self.unlinked(name)
                size += value
            link = self.active(node, name)
            if link is not None:
                total += value * (self.evidence(link, name) if bayes else weight(link))
        if bayes:
            total += unlinked + size * self.spread(node)
        return total + self.constant(node, weight)

    def scores(self, x: Vector, weight: Any) -> dict[Any, float]:
        return {label: self.node_score(node, x, weight) for label, node in self.nodes.items()}

    # -- learning

    def learn(self, x: Vector, y: Any, weight: float = 1.0) -> None:
        """One example; with sets of labels y is a list of them."""
        if weight == 0.0:
            return
        x = {name: value for name, value in x.items() if value}
        right = list(y) if self.multi_label else [y]
        new = any(label not in self.nodes for label in right)
        for label in right:
            if label not in self.nodes:
                self.nodes[label] = node = Node(self.rules.get(label, self.rule))
                if node.rule == "winnow":
                    self.change(node.bias, self.bias * self.initial_weight)
                if len(self.nodes) == 3 and not self.multi_label:
                    self.calibration = Sigmoid() if self.by_sigmoid else Softmax()
        scores = self.scores(x, self.now)
        mistake = new or self.is_mistake(scores, right)
        if self.calibrate:
            self.observe(self.scores(x, self.mean), right, weight)
        changed = self.link(x, right, weight)
        steps = self.steps(x, scores, right, weight)
        self.move(x, steps)
        self.examples += 1
        self.mean_size += (sum(x.values()) - self.mean_size) / self.examples
        self.mistakes += mistake
        self._updates += changed or any(steps.values())
        if self.examples > self.burn_in:
            if isinstance(self.average, float):  # what is past fades
                self.clock *= self.average
                for node in self.nodes.values():
                    for link in (node.bias, *node.links.values()):
                        link.past *= self.average
            self.clock += weight

    def strongest_rival(self, scores: dict[Any, float], y: Any) -> Any:
        others = [label for label in scores if label != y]
        return max(others, key=scores.__getitem__) if others else None

    def is_mistake(self, scores: dict[Any, float], right: list[Any]) -> bool:
        if self.multi_label:
            return any((s >= 0.0) != (label in right) for label, s in scores.items())
        rival = self.strongest_rival(scores, right[0])
        return rival is not None and scores[right[0]] <= scores[rival]

    def link(self, x: Vector, right: list[Any], weight: float) -> bool:
        """Link the active features to the right targets; returns whether that changed anything."""
        self.make_room(x, right)
        changed = "naive-bayes" in {self.rule, *self.rules.values()}
        self.mass += weight
        for name, value in x.items():
            self.features[name] = self.features.get(name, 0.0) + weight * value
        place = {name: i for i, name in enumerate(self.features)}
        for label in right:
            node = self.nodes[label]
            node.mass += weight
            for name in sorted(x, key=place.__getitem__):
                value = x[name]
                if name not in node.links:
                    if self.max_links is not None and self.links >= self.max_links:
                        continue
                    node.links[name] = Link()
                    changed = True
                link = node.links[name]
                link.count += 1
                if node.rule == "naive-bayes":
                    link.weight += weight * value
                elif node.rule == "winnow" and link.count == self.eligibility:
                    self.change(link, self.initial_weight)
                    changed = True
        return changed

    def make_room(self, x: Vector, right: list[Any]) -> None:
        """Before there are more links than max_links: drop those of smallest |weight|·count."""
        if self.max_links is None:
            return
        missing = sum(name not in self.nodes[label].links for label in right for name in x)
        over = self.links + missing - self.max_links
        if over <= 0:
            return
        feature = {name: i for i, name in enumerate(self.features)}
        candidates = sorted(
            (self.use(node, name), feature[name], place, name, label)
            for place, (label, node) in enumerate(self.nodes.items())
            for name in node.links
        )
        for *_, name, label in candidates[: max(over, max(1, self.max_links // 8))]:
            del self.nodes[label].links[name]

    def use(self, node: Node, name: str) -> float:
        link = self.active(node, name)
        if link is None:
            return 0.0
        weight = self.evidence(link, name) if node.rule == "naive-bayes" else link.weight
        return abs(weight) * link.count

    def steps(
        self, x: Vector, scores: dict[Any, float], right: list[Any], weight: float
    ) -> dict[Any, float]:
        """How far each target moves."""
        if self.by_node:
            out = {}
            for label, s in scores.items():
                sign = 1.0 if label in right else -1.0
                wrong = (s >= 0.0) != (sign > 0)
                out[label] = self.step(label, sign, sign * s, wrong, weight, x, [label])
            return out
        y, rival = right[0], self.strongest_rival(scores, right[0])
        if rival is None:
            return {}
        lead = scores[y] - scores[rival]
        return {
            label: self.step(label, sign, lead, lead <= 0.0, weight, x, [y, rival])
            for label, sign in ((y, 1.0), (rival, -1.0))
        }

    def step(
        self, label: Any, sign: float, margin: float, wrong: bool, weight: float, x: Vector,
        moving: list[Any],
    ) -> float:  # fmt: skip
        rule = self.nodes[label].rule
        if rule == "winnow":
            return sign * weight if wrong or margin < self.margin else 0.0
        if rule == "perceptron":
            return sign * self.learning_rate * weight if margin <= self.margin else 0.0
        if rule == "passive-aggressive" and margin < 1.0:
            sqnorm = sum(self.sqnorm(self.nodes[other], x) for other in moving)
            return sign * min(self.C * weight, (1.0 - margin) / sqnorm) if sqnorm > 0.0 else 0.0
        return 0.0

    def sqnorm(self, node: Node, x: Vector) -> float:
        total = self.bias * self.bias
        for name, value in x.items():
            if self.active(node, name) is not None:
                total += value * value
        return total

    def move(self, x: Vector, steps: dict[Any, float]) -> None:
        for label, step in steps.items():
            node = self.nodes[label]
            if step == 0.0:
                continue
            if self.bias:
                self.change(node.bias, self.moved(node, node.bias, step, self.bias))
            for name, value in x.items():
                link = self.active(node, name)
                if link is None:
                    continue
                self.change(link, self.moved(node, link, step, value))
                if abs(link.weight) < self.prune:
                    del node.links[name]

    def moved(self, node: Node, link: Link, step: float, value: float) -> float:
        if node.rule != "winnow":
            return link.weight + step * value
        factor = self.alpha if step > 0.0 else self.beta
        weight = link.weight * (
            factor if abs(step) * value == 1.0 else factor ** (abs(step) * value)
        )
        self.clamped += not LOWEST <= weight <= HIGHEST
        return min(max(weight, LOWEST), HIGHEST)

    def change(self, link: Link, weight: float) -> None:
        link.past += self.clock * (weight - link.weight)
        link.weight = weight

    # -- what was learned

    def observe(self, scores: dict[Any, float], right: list[Any], weight: float) -> None:
        """Learn the calibration of the scores."""
        if self.multi_label or (self.by_sigmoid and len(scores) >= 3):
            for label, s in scores.items():
                self.calibration.learn(s, 1.0 if label in right else -1.0, weight)
        elif len(scores) == 2:
            last = max(scores)
            lead = scores[last] - scores[min(scores)]
            self.calibration.learn(lead, 1.0 if right[0] == last else -1.0, weight)
        elif len(scores) >= 3:
            self.calibration.learn(scores, right[0], weight)

    def score(self, x: Vector) -> Any:
        """A number for one or two labels, positive for the larger one; else one per label."""
        return self.shown(self.scores(x, self.mean))

    def shown(self, values: dict[Any, float]) -> Any:
        if self.multi_label or len(values) >= 3:
            return values
        if len(values) == 2:
            return values[max(values)] - values[min(values)]
        return sum(lone_sign(label) * value for label, value in values.items())

    def predict(self, x: Vector) -> Any:
        """The label of the highest score; with sets of labels, those with a score ≥ 0."""
        if self.multi_label:
            return {label for label, s in self.scores(x, self.mean).items() if s >= 0.0}
        return decide(self.score(x), self.labels)

    def predict_proba(self, x: Vector) -> dict[Any, float]:
        """The probability of each label, as far as it was calibrated."""
        scores = self.scores(x, self.mean)
        if self.multi_label:
            return {label: self.calibration.probability(s) for label, s in scores.items()}
        if len(scores) == 1:
            return dict.fromkeys(scores, 1.0)
        if len(scores) == 2:
            p = self.calibration.probability(self.score(x))
            return {max(scores): p, min(scores): 1.0 - p}
        if not self.by_sigmoid:
            return dict(self.calibration.probabilities(scores))
        p = {label: self.calibration.probability(s) for label, s in scores.items()}
        return {label: value / sum(p.values()) for label, value in p.items()}

    def weights(self) -> Any:
        """A weight for each feature seen, and the constant part as that of the bias."""
        out = {}
        for label, node in self.nodes.items():
            bayes = node.rule == "naive-bayes"
            w = {}
            for name in self.features:
                link = self.active(node, name)
                w[name] = self.spread(node) + self.unlinked(name) if bayes else 0.0
                if link is not None:
                    w[name] += self.evidence(link, name) if bayes else self.mean(link)
            out[label] = w | {BIAS: self.constant(node, self.mean)}
        if self.multi_label or len(out) >= 3:
            return out
        return {
            name: self.shown({label: w[name] for label, w in out.items()})
            for name in (*self.features, BIAS)
        }

    def hypothesis(self) -> Any:
        return {label: {n: k.weight for n, k in node.links.items()} for label, node in
                self.nodes.items()}  # fmt: skip
