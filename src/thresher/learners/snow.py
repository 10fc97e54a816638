"""SNoW: a sparse network of linear threshold units over features without end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher._core import Model
from thresher.errors import InvalidInput
from thresher.learners.base import Floats, finite, native, one_of, whole
from thresher.learners.class_weights import ClassWeight
from thresher.learners.label_sets import LabelSets, is_label_set
from thresher.learners.online import MULTICLASS

if TYPE_CHECKING:
    import numpy as np
else:
    from thresher.lazy import np

RULES = ("winnow", "perceptron", "naive-bayes", "passive-aggressive")  # as the core numbers them
UNIT = ("winnow", "naive-bayes")  # take values in [0, 1]
CONFIDENCES = ("softmax", "sigmoid")


class Snow(LabelSets):
    """SNoW (Roth 1998): a network with a node for each label, linked to the features seen with it.

    A feature is linked to a label when it is active in an example of it; examples of other labels
    only move links that are there. So the features may be without end, and the network stays as
    small as what was learned. Each label has a node with a rule of its own; the highest score
    wins, or (`multi_label`) all scores ≥ 0.

    Parameters
    ----------
    rule : of all nodes: "winnow", "perceptron", "naive-bayes" or "passive-aggressive".
    rules : the rule of some labels, where it is another: ``{"spam": "perceptron"}``. A label keeps
        the rule that it began with.
    multiclass : "ultraconservative": the right node against its strongest rival (the default);
        "one-vs-rest": each node by its own threshold (the default with `multi_label`).
    multi_label : an example has a set of labels, given as a set, list or tuple; it may be empty.
    alpha, beta : Winnow's promotion α > 1 and demotion 0 < β < 1; by default β = α^−1.2, which is
        a little stronger than a promotion: with αβ > 1 the weights may run away.
    theta : Winnow's threshold; by default half the mean of Σ x so far.
    initial_weight : of a new link of a Winnow node.
    margin : γ of Winnow and perceptron nodes: learn also when the margin is below it.
    learning_rate : η of perceptron nodes.
    C : how far one example may move a passive-aggressive node.
    smoothing : what naive Bayes adds to each count.
    eligibility : a link takes part once its feature has come so often with the label.
    prune : a link that an update leaves with a smaller weight, in size, is dropped.
    max_links : before there are more, the least useful eighth is dropped: those of the smallest
        |weight|·count. Names without links are then forgotten by `learn_one`.
    clip : take values outside [0, 1] as 0 or 1 instead of refusing them.
    confidence : of more than two labels with `calibrate`: "softmax" of the scores, or "sigmoid" of
        each (the default with `multi_label`, where probabilities need not sum to 1).
    average, burn_in, max_epochs, shuffle, random_state, fit_intercept, calibrate, class_weight :
        as in `Perceptron`. Naive Bayes counts: it is not averaged, and has its prior for an
        intercept.

    Examples
    --------
    >>> from thresher import Snow
    >>> model = Snow()
    >>> for words, topic in [("ball goal", "sport"), ("vote law", "news"), ("goal win", "sport")]:
    ...     model.learn_one(words.split(), topic)
    >>> model.predict_one(["goal", "unheard"]), model.links_
    ('sport', 5)
    """

    def __init__(
        self,
        rule: str = "winnow",
        rules: dict[Any, str] | None = None,
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
        clip: bool = False,
        average: bool = True,
        burn_in: int = 0,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        calibrate: bool = False,
        confidence: str | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.rule = rule
        self.rules = rules
        self.multiclass = multiclass
        self.multi_label = multi_label
        self.alpha = alpha
        self.beta = beta
        self.theta = theta
        self.initial_weight = initial_weight
        self.margin = margin
        self.learning_rate = learning_rate
        self.C = C
        self.smoothing = smoothing
        self.eligibility = eligibility
        self.prune = prune
        self.max_links = max_links
        self.clip = clip
        self.average = average
        self.burn_in = burn_in
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.calibrate = calibrate
        self.confidence = confidence
        self.class_weight = class_weight

    # -- options

    def _used(self) -> set[str]:
        """The rules that nodes of this network may have."""
        one_of("rule", self.rule, RULES)
        if self.rules is None:
            return {self.rule}
        if not isinstance(self.rules, Mapping):
            raise InvalidInput(
                f"rules is {self.rules!r}; expected a dict of labels and their rules, or None."
            )
        return {self.rule} | {
            one_of(f"rules[{label!r}]", rule, RULES) for label, rule in self.rules.items()
        }

    def _core_options(self) -> dict[str, Any]:
        used = self._used()
        unit = not used.isdisjoint(UNIT)
        if self.clip and not unit:
            raise InvalidInput(
                f"clip=True is for nodes that take values in [0, 1] ({' or '.join(UNIT)}); "
                f"rule={self.rule!r} takes any."
            )
        if self.prune and used == {"naive-bayes"}:
            raise InvalidInput(
                f"prune={self.prune!r} and rule='naive-bayes' contradict each other: naive Bayes "
                "counts and makes no updates. Use eligibility or max_links."
            )
        if self.multi_label:
            for name, needed in (("multiclass", "one-vs-rest"), ("confidence", "sigmoid")):
                if getattr(self, name) not in (None, needed):
                    raise InvalidInput(
                        f"multi_label=True and {name}={getattr(self, name)!r} contradict each "
                        f"other: of many labels each has its own threshold; expected {needed!r}."
                    )
            if self.class_weight is not None:
                raise InvalidInput(
                    f"multi_label=True and class_weight={self.class_weight!r} contradict each "
                    "other: an example has several classes; give it a sample_weight."
                )
        if self.max_epochs is not None:
            whole("max_epochs", self.max_epochs, 1)
        multiclass = self.multiclass or ("one-vs-rest" if self.multi_label else MULTICLASS[0])
        confidence = self.confidence or ("sigmoid" if self.multi_label else CONFIDENCES[0])
        alpha = finite("alpha", self.alpha, above=1.0)
        beta = alpha**-1.2 if self.beta is None else finite("beta", self.beta, above=0.0)
        if beta >= 1.0:
            raise InvalidInput(f"beta is {self.beta!r}; expected a number between 0 and 1.")
        counts = {"eligibility": self.eligibility, "max_links": self.max_links or 1}
        for name, most in (("eligibility", 2**31), ("max_links", 2**48)):
            if whole(name, counts[name], 1) > most:
                raise InvalidInput(f"{name} is {counts[name]}; expected at most {most}.")
        most_links = 0 if self.max_links is None else whole("max_links", self.max_links, 1)
        return {
            "geometry": "snow",
            "kind": RULES.index(self.rule),
            "uses_bayes": "naive-bayes" in used,
            "uses_norm": "passive-aggressive" in used,
            "unit": unit,
            "clip": bool(self.clip),
            "multi_label": bool(self.multi_label),
            "one_vs_rest": one_of("multiclass", multiclass, MULTICLASS) == "one-vs-rest",
            "sigmoid": one_of("confidence", confidence, CONFIDENCES) == "sigmoid",
            "alpha": alpha,
            "beta": beta,
            "theta": math.nan if self.theta is None else finite("theta", self.theta, least=0.0),
            "initial_weight": finite("initial_weight", self.initial_weight, above=0.0),
            "margin": finite("margin", self.margin, least=0.0),
            "eta": finite("learning_rate", self.learning_rate, above=0.0),
            "C": finite("C", self.C, above=0.0),
            "smoothing": finite("smoothing", self.smoothing, above=0.0),
            "eligibility": whole("eligibility", self.eligibility, 1),
            "prune": finite("prune", self.prune, least=0.0),
            "max_links": most_links,
            "average": bool(self.average),
            "burn_in": whole("burn_in", self.burn_in, 0),
            "fit_intercept": bool(self.fit_intercept),
            "calibrate": bool(self.calibrate),
        }

    def _share_labels(self, model: Model) -> None:
        super()._share_labels(model)
        rules = self.rules or {}
        kinds = [RULES.index(rules.get(label, self.rule)) for label in self._labels.values]
        model.set_kinds(kinds)
        columns = "n_features_in_" in self.__dict__
        model.set_forgetting(self.max_links is not None and not columns)

    # -- one example

    @native("learn_label")
    def learn_one(
        self, x: Any, y: Any, sample_weight: float = 1.0, audit: str | None = None
    ) -> None:
        """Learn from one example: a dict of named features, or a list or set of names.

        y is its label, or with `multi_label` a set, list or tuple of them.
        """
        if self.multi_label or is_label_set(y):
            self._learn_set(x, y, sample_weight, audit)
        else:
            super().learn_one(x, y, sample_weight, audit)

    # -- the best few

    def predict_top(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """The k best labels of each row with their scores, best first.

        Examples
        --------
        >>> model = Snow(multiclass="one-vs-rest", max_epochs=5)
        >>> model = model.fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["a", "b", "c"])
        >>> [label for label, score in model.predict_top([[0, 1, 0]], k=1)[0]]
        ['b']
        """
        model, rows = self._question(X)
        return self._best(model, model.target_scores(rows.core), k)

    def predict_top_one(self, x: Any, k: int) -> list[tuple[Any, float]]:
        """The k best labels of one example with their scores, best first."""
        model = self._learned()
        return self._best(model, np.array([model.target_scores_one(x)]), k)[0]

    def _best(self, model: Model, scores: Floats, k: int) -> list[list[tuple[Any, float]]]:
        _, met = self._met(scores.shape[1], model)
        by_label = sorted(range(scores.shape[1]), key=met.__getitem__)
        order = np.argsort(-scores[:, by_label], axis=1, kind="stable")[:, : whole("k", k, 1)]
        return [
            [(met[by_label[j]], float(row[by_label[j]])) for j in best]
            for row, best in zip(scores, order, strict=True)
        ]

    # -- what was learned

    @property
    def links_(self) -> int:
        """How many links there are: pairs of a feature and a label that it was seen with."""
        return int(self._learned().counters()["links"])

    @property
    def clamped_(self) -> int:
        """Weights of Winnow nodes that left [1e-150, 1e150] and were held at its end."""
        return int(self._learned().counters()["clamped"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.clip and not self._used().isdisjoint(UNIT)
        return tags
