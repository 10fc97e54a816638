"""A row of the table of learners."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A learner and its description in one line."""

    name: str  # of the class, in `thresher`
    short: str  # as it is typed: thresher train --learner pa
    family: str
    task: str  # "classify" or "regress"
    update: str
    paper: str
    variants: tuple[dict[str, Any], ...] = ({},)
    """Settings that together use every option that changes what is learned."""
    online: bool = True
    boolean: bool = False
    """Whether it learns boolean concepts, and has no weights."""
    kernel: bool = False
    """Whether it keeps examples instead of weights."""

    quadratic: bool = False
    """Whether a step costs the square of the number of features: it races only if named."""

    @property
    def linear(self) -> bool:
        """Whether it is one linear model."""
        return not self.boolean and not self.kernel and self.family != "experts"

    @cached_property
    def cls(self) -> type[Any]:
        """The class, imported at first use: a command needs few of them."""
        found: type[Any] = getattr(importlib.import_module("thresher"), self.name)
        return found

    def is_of(self, learner: object) -> bool:
        """Whether it describes this learner; the class of another one is not imported."""
        return type(learner).__name__ == self.name and type(learner) is self.cls

    @property
    def versioned_name(self) -> str:
        """As written in model files, so that a file outlives a change of the algorithm."""
        return f"{self.name}.v{self.cls.version}"
