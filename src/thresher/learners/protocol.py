"""What scikit-learn expects of an estimator, without importing it before somebody else did."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from thresher.errors import NotLearned
from thresher.options import Parameters


def sklearn_class(module: str, name: str, fallback: type) -> Any:
    """scikit-learn's own exception or warning class where the program uses scikit-learn."""
    if "sklearn" not in sys.modules:
        return fallback
    return getattr(__import__(module, fromlist=[name]), name)


def not_learned(message: str) -> NotLearned:
    """NotLearned, which is also NotFittedError where the program uses scikit-learn."""
    not_fitted = sklearn_class("sklearn.exceptions", "NotFittedError", NotLearned)
    if not_fitted is NotLearned:
        return NotLearned(message)
    body = {"__reduce__": lambda self: (NotLearned, self.args)}  # so that it can be pickled
    both: type[NotLearned] = type("NotLearned", (NotLearned, not_fitted), body)
    return both(message)


class Packed(Parameters, ABC):
    """A learner that says itself what its file is to hold, since it is no single linear model."""

    version: ClassVar[int] = 1
    without_files: ClassVar[str]
    """What to say to who wants to train it from files."""

    @abstractmethod
    def _has_learned(self) -> bool: ...

    @abstractmethod
    def _pack(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What was learned, as arrays and as JSON values."""

    @abstractmethod
    def _unpack(self, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        """The reverse; nothing is taken on trust."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, replacing what was there only when all of it is written.

        Load it with `thresher.load`. A file holds no code: an option that is a function cannot be
        saved.
        """
        from thresher.model_file import save

        save(self, path)
