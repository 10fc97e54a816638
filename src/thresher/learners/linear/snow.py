"""SNoW: a sparse network of linear threshold units over an unbounded set of features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher._core import Model, power
from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.learners.base.examples import refuse_none
from thresher.learners.base.groups import (
    MULTICLASS,
    Averaging,
    Calibration,
    ClassWeights,
    Intercept,
    Passes,
)
from thresher.learners.base.label_sets import LabelSets, is_label_set
from thresher.learners.base.learner import Engine, Floats, native
from thresher.options import choice, count, flag, one_of, real, special, whole

RULES = ("winnow", "perceptron", "naive-bayes", "passive-aggressive")  # as the core numbers them
UNIT = ("winnow", "naive-bayes")  # take values in [0, 1]


def _rules(given: Any) -> dict[Any, str]:
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"rules is {given!r}; expected a dict of labels and their rules, or None."
        )
    return {label: one_of(f"rules[{label!r}]", rule, RULES) for label, rule in given.items()}


class Snow(Averaging, Passes, Intercept, Calibration, ClassWeights, LabelSets):
    """SNoW (Roth 1998): a network with a node for each label, linked to the features seen with it.

    A feature is linked to a label when it is active in an example of it; examples of other labels
    only move existing links. So the number of features may be unbounded, and the network stays as
    small as what was learned. Each label has a node with its own rule; the highest score wins, or
    (`multi_label`) all scores ≥ 0.

    Examples
    --------
    >>> from thresher import Snow
    >>> model = Snow()
    >>> for words, topic in [("ball goal", "sport"), ("vote law", "news"), ("goal win", "sport")]:
    ...     model.learn_one(words.split(), topic)
    >>> model.predict_one(["goal", "unheard"]), model.links_
    ('sport', 5)
    """

    engine = Engine("snow")

    rule: str = choice(*RULES, default="winnow", doc="the rule of all nodes.")
    rules: dict[Any, str] | None = special(
        default=None,
        check=_rules,
        core=False,
        doc='a different rule for some labels: ``{"spam": "perceptron"}``. A label '
        "keeps the rule that it began with.",
    )
    multiclass: str | None = choice(
        *MULTICLASS,
        default=None,
        doc='"ultraconservative": the right node against its strongest rival (the default); '
        '"one-vs-rest": each node by its own threshold (the default with `multi_label`).',
    )
    multi_label: bool = flag(
        default=False,
        doc="an example has a set of labels, given as a set, list or tuple; it may be empty.",
    )
    alpha: float = real(default=1.1, above=1.0, doc="Winnow's promotion α.")
    beta: float | None = real(
        default=None,
        above=0.0,
        below=1.0,
        doc="Winnow's demotion β; by default α^−1.2, which is a little stronger than a promotion: "
        "with αβ > 1 the weights may diverge.",
    )
    theta: float | None = real(
        default=None, least=0.0, doc="Winnow's threshold; by default half the mean of Σ x so far."
    )
    initial_weight: float = real(default=1.0, above=0.0, doc="that of a new link of a Winnow node.")
    margin: float = real(
        default=1.5,
        least=0.0,
        doc="γ of Winnow and perceptron nodes: learn also when the margin is below it.",
    )
    learning_rate: float = real(default=1.0, above=0.0, doc="η of perceptron nodes.")
    C: float = real(
        default=1.0, above=0.0, doc="how far one example may move a passive-aggressive node."
    )
    smoothing: float = real(default=0.01, above=0.0, doc="what naive Bayes adds to each count.")
    eligibility: int = count(
        default=1,
        least=1,
        most=2**31,
        doc="a link takes part once its feature has occurred this often with the label.",
    )
    prune: float = real(
        default=0.0,
        least=0.0,
        doc="a link that an update leaves with a smaller |weight| is dropped.",
    )
    max_links: int | None = count(
        default=None,
        least=1,
        most=2**48,
        doc="before there are more, the least useful eighth is dropped: those with the smallest "
        "|weight|·count. Names without links are then forgotten by `learn_one`.",
    )
    clip: bool = flag(
        default=False, doc="take values outside [0, 1] as 0 or 1 instead of refusing them."
    )
    confidence: str | None = choice(
        "softmax", "sigmoid",
        default=None,
        doc='with more than two labels and `calibrate`: "softmax" of the scores, or "sigmoid" of '
        "each (the default with `multi_label`, where probabilities need not sum to 1).",
    )  # fmt: skip

    # -- options

    def _used(self) -> set[str]:
        """The rules that nodes of this network may have."""
        return {self.rule, *(self.rules or {}).values()}

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        used = self._used()
        unit = not used.isdisjoint(UNIT)
        if options["clip"] and not unit:
            raise InvalidInput(
                f"clip=True is for nodes that take values in [0, 1] ({' or '.join(UNIT)}); "
                f"rule={self.rule!r} takes any."
            )
        if options["prune"] and used == {"naive-bayes"}:
            raise InvalidInput(
                f"prune={self.prune!r} and rule='naive-bayes' contradict each other: naive Bayes "
                "counts and makes no updates. Use eligibility or max_links."
            )
        if options["average"] == "tail":
            raise InvalidInput(
                "average is 'tail', for which each link would need one more number; expected True "
                "or False, or a number between 0 and 1."
            )
        own, together = ("one-vs-rest", "sigmoid"), (MULTICLASS[0], "softmax")
        names = ("multiclass", "confidence")
        for name, needed, usual in zip(names, own, together, strict=True):
            if options[name] is None:
                options[name] = needed if options["multi_label"] else usual
            elif options["multi_label"] and options[name] != needed:
                raise InvalidInput(
                    f"multi_label=True and {name}={options[name]!r} contradict each other: of many "
                    f"labels each has its own threshold; expected {needed!r}."
                )
        if options["multi_label"] and options["class_weight"] is not None:
            raise InvalidInput(
                f"multi_label=True and class_weight={self.class_weight!r} contradict each other: "
                "an example has several classes; give it a sample_weight."
            )
        if options["beta"] is None:
            options["beta"] = power(options["alpha"], -1.2)
        return options | {
            "uses_bayes": "naive-bayes" in used,
            "uses_norm": "passive-aggressive" in used,
            "domain": "unit" if unit else "any",
            "once": True,
        }

    def _share_labels(self, model: Model, by_order: bool = False) -> None:
        super()._share_labels(model, by_order)
        rules = self.rules or {}
        kinds = [RULES.index(rules.get(label, self.rule)) for label in self._labels.values]
        model.set_kinds(kinds)
        model.set_forgetting(self.max_links is not None and self._width is None)

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
        return self._best(model, model.decision(rows.core, targets=True), k)

    def predict_top_one(self, x: Any, k: int) -> list[tuple[Any, float]]:
        """The k best labels of one example with their scores, best first."""
        refuse_none(x)
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
        """Weights of Winnow nodes that left [1e-150, 1e150] and were clamped."""
        return int(self._learned().counters()["clamped"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.clip and not self._used().isdisjoint(UNIT)
        return tags
