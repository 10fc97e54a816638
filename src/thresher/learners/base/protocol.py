"""What scikit-learn expects of an estimator, without importing it before other code does."""

from __future__ import annotations

import copy
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar, cast

from thresher.errors import NotLearned
from thresher.options import Parameters


def sklearn_class(module: str, name: str, fallback: type) -> Any:
    """scikit-learn's own exception or warning class if the program uses scikit-learn."""
    if "sklearn" not in sys.modules:
        return fallback
    return getattr(__import__(module, fromlist=[name]), name)


def not_learned(message: str) -> NotLearned:
    """NotLearned, which is also NotFittedError if the program uses scikit-learn."""
    not_fitted = sklearn_class("sklearn.exceptions", "NotFittedError", NotLearned)
    if not_fitted is NotLearned:
        return NotLearned(message)
    body = {"__reduce__": lambda self: (NotLearned, self.args)}  # so that it can be pickled
    both: type[NotLearned] = type("NotLearned", (NotLearned, not_fitted), body)
    return both(message)


class Fitted:
    """Something that knows whether it has learned."""

    def _has_learned(self) -> bool:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return self._has_learned()

    def _not_learned(self, example: str = "example") -> NotLearned:
        return not_learned(
            f"This {type(self).__name__} instance is not fitted yet: it has seen no {example}. "
            "Call fit, partial_fit or learn_one first."
        )


Method = TypeVar("Method", bound=Callable[..., Any])


def offered_if(check: Callable[[Any], None]) -> Callable[[Method], Method]:
    """A method that some learners of a class do not have: `check` raises AttributeError for those.

    Access on a learner that has it returns the method itself: scikit-learn reads its name.
    """

    class Offered:
        def __init__(self, method: Method) -> None:
            self._method = method

        def __get__(self, learner: Any, owner: type | None = None) -> Any:
            if learner is not None:
                check(learner)
            return self._method.__get__(learner, owner)

    return cast(Callable[[Method], Method], Offered)


class Routed:
    """scikit-learn's metadata routing: which keywords the methods request."""

    metadata: ClassVar[dict[str, tuple[str, ...]]] = {
        "fit": ("sample_weight",),
        "partial_fit": ("classes", "sample_weight"),
        "score": ("sample_weight",),
    }
    """The keywords that each method may request."""

    def get_metadata_routing(self) -> Any:
        """What was requested, in the form of scikit-learn's meta-estimators."""
        if "_metadata_request" in self.__dict__:
            return copy.deepcopy(self.__dict__["_metadata_request"])
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=type(self).__name__)
        for method, names in self.metadata.items():
            for name in names:
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, **asked: bool | str | None) -> Self:
        """Request keywords of ``fit`` from a meta-estimator: ``sample_weight=True``, or a name."""
        return self._ask("fit", asked)

    def set_partial_fit_request(self, **asked: bool | str | None) -> Self:
        """Request keywords of ``partial_fit`` from a meta-estimator."""
        return self._ask("partial_fit", asked)

    def set_score_request(self, **asked: bool | str | None) -> Self:
        """Request keywords of ``score`` from a meta-estimator."""
        return self._ask("score", asked)

    def _ask(self, method: str, asked: dict[str, bool | str | None]) -> Self:
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                f"set_{method}_request needs sklearn.set_config(enable_metadata_routing=True)."
            )
        known = self.metadata.get(method, ())
        for name in asked:
            if name not in known:
                raise TypeError(
                    f"{type(self).__name__}.{method} takes no {name!r}; expected "
                    f"{' or '.join(map(repr, known)) or 'no keyword'}."
                )
        request = self.get_metadata_routing()
        for name, alias in asked.items():
            getattr(request, method).add_request(param=name, alias=alias)
        self._metadata_request = request  # scikit-learn's clone looks for this name
        return self


class Packed(Parameters, Fitted, ABC):
    """A learner that defines the content of its file itself, as it is not a single linear model."""

    version: ClassVar[int] = 1
    without_files: ClassVar[str]
    """What to say to a user who wants to train it from files."""

    @abstractmethod
    def _pack(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What was learned, as arrays and as JSON values."""

    @abstractmethod
    def _unpack(self, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        """The reverse; nothing is trusted."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, replacing what was there only when all of it is written.

        Load it with `thresher.load`. A file holds no code: an option that is a function cannot be
        saved.
        """
        from thresher.model_file import save

        save(self, path)
