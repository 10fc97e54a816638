"""Learners of boolean concepts: what parts of the data rule out together, one run over all rules
out. So their mix is exact: literals and concepts that are left in every part; mistakes added up."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from thresher.learners.boolean.learner import BooleanLearner
from thresher.mixing.parts import Model, check_options, check_same, loaded


def mix_concepts(first: BooleanLearner, others: Sequence[Model], base: Model | None) -> Any:
    """The learner of all examples that these have learned, each on a part of the data."""
    first._learned()
    start = None if base is None else checked(base, first, "the base")
    mixed = copy.copy(first)
    for i, model in enumerate(others, 1):
        mixed.join(checked(model, first, f"learner {i}"), start)
    return mixed


def checked(model: Model, first: BooleanLearner, which: str) -> BooleanLearner:
    """One that was trained like the first."""
    found: BooleanLearner = loaded(model)
    check_options(found, first, which)
    found._learned()
    check_same(
        which,
        ("columns", found._width, first._width),
        ("names", found._variable_names(), first._variable_names()),
    )
    return found
