"""Where the score of two classes is cut: the option `threshold`, checked. The core chooses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.class_weights import class_weight_from, weights_of
from thresher.learners.base.labels import plain_label
from thresher.options import finite

Threshold = str | Mapping[Any, float] | None


def kind_of(threshold: Any) -> str:
    """The option, checked, as the core takes it."""
    if threshold == "balanced" or _f1(threshold):
        return "balanced" if threshold == "balanced" else "f1"
    if not isinstance(threshold, Mapping) or not threshold:
        raise InvalidInput(
            f"threshold is {threshold!r}; expected 'f1', 'f1(LABEL)', 'balanced', a dict of labels "
            "and the cost of a mistake on each, or None."
        )
    if len(threshold) > 2:
        raise InvalidInput(
            f"threshold names {len(threshold)} labels; expected two at most: it says where the "
            "score of two classes is cut. For more, make mistakes on a label count more with "
            "class_weight, or choose the smallest expected cost by predict_proba."
        )
    for label, cost in threshold.items():
        plain_label(label)
        finite(f"threshold[{label!r}]", cost, above=0.0)
    return "cost"


def costs_of(threshold: Threshold, labels: list[Any]) -> list[float]:
    """For each label what a mistake costs, or 1 if its F1 counts; nothing if none is named."""
    if isinstance(threshold, Mapping):
        return weights_of(threshold, labels, "threshold")
    found = _f1(threshold)
    if not found or not found[1]:
        return []
    from thresher.data.reader import label_of

    counts = label_of(found[1].encode())
    meant = [float(label == counts or str(label) == found[1]) for label in labels]
    if len(labels) > 1 and not any(meant):
        shown = ", ".join(map(str, labels[:5]))
        raise InvalidInput(f"threshold is {threshold!r}, but the labels are {shown}.")
    return meant


def threshold_from(text: str) -> Threshold:
    """The option as it is typed: ``f1``, ``f1(spam)``, ``balanced``, or costs: ``spam:5,ham:1``.

    >>> threshold_from("f1(spam)"), threshold_from("1:5,0:1")
    ('f1(spam)', {1: 5.0, 0: 1.0})
    """
    return text if _f1(text) else class_weight_from(text, "threshold")


def _f1(threshold: Any) -> re.Match[str] | None:
    if not isinstance(threshold, str):
        return None
    return re.fullmatch(r"f1(?:\((.+)\))?", threshold)
