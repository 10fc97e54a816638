"""What scikit-learn expects of an estimator, without importing it before somebody else did."""

from __future__ import annotations

import inspect
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from thresher.errors import NotLearned


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


class Parameters:
    """Options are the keyword arguments of ``__init__``, stored under their own names."""

    @classmethod
    def _parameters(cls) -> Mapping[str, inspect.Parameter]:
        """The signature, looked at once for each class: it is asked for at every turn."""
        if "_signature" not in cls.__dict__:
            cls._signature = inspect.signature(cls).parameters  # type: ignore[attr-defined]
        found: Mapping[str, inspect.Parameter] = cls.__dict__["_signature"]
        return found

    @classmethod
    def _option_names(cls) -> list[str]:
        parameters = cls._parameters().values()
        return sorted(p.name for p in parameters if p.kind is not p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options and their values."""
        return {name: getattr(self, name) for name in self._option_names()}

    def set_params(self, **params: Any) -> Self:
        """Change options. A learner that has already learned goes on with the new ones."""
        known = self._option_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {known!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._parameters()
        shown = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(shown)})"


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
