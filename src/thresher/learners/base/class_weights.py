"""Weights of the classes: the option `class_weight`, checked. The core does the weighting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.labels import plain_label
from thresher.options import finite

ClassWeight = str | Mapping[Any, float] | None


def kind_of(class_weight: Any) -> str:
    """The option, checked, as the core takes it."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return "balanced"
    if not isinstance(class_weight, Mapping):
        raise InvalidInput(
            f"class_weight is {class_weight!r}; expected 'balanced', a dict of labels and their "
            "weights, or None."
        )
    for label, weight in class_weight.items():
        plain_label(label)
        finite(f"class_weight[{label!r}]", weight, above=0.0)
    return "given"


def weights_of(
    class_weight: Mapping[Any, float], labels: list[Any], option: str = "class_weight"
) -> list[float]:
    """The weight of each label: 1 where none is given."""
    given = {plain_label(label): float(weight) for label, weight in class_weight.items()}
    fits = [isinstance(k, str) == isinstance(labels[0], str) for k in given] if labels else []
    if fits and not any(fits):
        wrong = next(iter(given))
        raise InvalidInput(
            f"{option} has a number for {wrong!r} ({type(wrong).__name__}), but labels are "
            f"such as {labels[0]!r} ({type(labels[0]).__name__}); expected labels as "
            "they come."
        )
    return [given.get(label, 1.0) for label in labels]


def class_weight_from(text: str, option: str = "class_weight") -> ClassWeight:
    """The option as it is typed: ``balanced``, or ``spam:5,ham:0.5``.

    >>> class_weight_from("1:5,0:0.5")
    {1: 5.0, 0: 0.5}
    """
    from thresher.data.reader import label_of

    if ":" not in text:
        return text
    weights = {}
    for part in text.split(","):
        label, _, weight = (word.strip() for word in part.rpartition(":"))
        try:
            weights[label_of(label.encode())] = float(weight)
        except ValueError:
            raise InvalidInput(
                f"{option} has {part!r}; expected LABEL:NUMBER, as in {option}=spam:5,ham:0.5."
            ) from None
    return weights


def refuse_weighed_classes(learner: Any) -> None:
    """For audits."""
    class_weight = getattr(learner, "class_weight", None)
    if class_weight is not None:
        raise InvalidInput(
            f"class_weight={class_weight!r}: the bounds assume steps that do not depend on the "
            "class. Audit a learner without class_weight."
        )
