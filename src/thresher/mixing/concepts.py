"""Learners of boolean concepts: what parts of the data rule out together, one run over all rules
out. So their mix is exact: literals and concepts that are left in every part; mistakes added up."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.boolean.learner import BooleanLearner
from thresher.mixing.parts import DIFFERING, Model, loaded


def mix_concepts(models: Sequence[Any], base: Model | None) -> BooleanLearner:
    """The learner of all examples that these have learned, each on a part of the data."""
    first = checked(loaded(models[0]), None, "learner 0")
    start = None if base is None else checked(loaded(base), first, "the base")
    mixed = copy.copy(first)
    for i, model in enumerate(models[1:], 1):
        mixed.join(checked(loaded(model), first, f"learner {i}"), start)
    return mixed


def checked(found: Any, first: BooleanLearner | None, which: str) -> BooleanLearner:
    if not isinstance(found, BooleanLearner) or type(found) is not type(first or found):
        raise InvalidInput(
            f"{which} is a {type(found).__name__}, learner 0 a {type(first).__name__}; expected "
            "learners of one class."
        )
    found._learned()
    if first is None:
        return found
    for name, value in found.get_params(deep=False).items():
        if name not in DIFFERING and value != getattr(first, name):
            raise InvalidInput(
                f"{which} has {name}={value!r}, learner 0 {getattr(first, name)!r}; expected the "
                "same options."
            )
    for what, one, other in (
        ("columns", found._width, first._width),
        ("names", found._variable_names(), first._variable_names()),
    ):
        if one != other:
            raise InvalidInput(
                f"{which} has {what} {one!r}, learner 0 {other!r}; expected the same."
            )
    return found
