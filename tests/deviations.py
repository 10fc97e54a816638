"""Checks of other projects on our classes, with lists, strict in both ways, of what differs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from cases import about


def name_of(value: Any) -> str:
    """Of a check, or of an estimator."""
    return getattr(getattr(value, "func", value), "__name__", None) or repr(value)


def sklearn_checks(*estimators: Any) -> Callable[[Callable[[Any, Any], None]], Any]:
    """A test of (estimator, check) is one test for each estimator, with each of scikit-learn's
    checks of it."""

    def decorate(test: Callable[[Any, Any], None]) -> Any:
        @functools.wraps(test)
        def all_checks(estimator: Any) -> None:
            for each, check in checks_of(estimator):
                with about(name_of(check)), suppress(SkipTest):
                    test(each, check)

        del vars(all_checks)["__wrapped__"]  # it takes other arguments
        return pytest.mark.parametrize("estimator", estimators, ids=name_of)(all_checks)

    return decorate


def checks_of(estimator: Any) -> list[tuple[Any, Any]]:
    with warnings.catch_warnings():
        # scikit-learn would like its base class to be used, which would mean importing it.
        warnings.filterwarnings("ignore", message=".*does not inherit from `sklearn.base")
        return list(estimator_checks_generator(estimator))


def passes_unless(why: str | None, check: Callable[[], Any]) -> None:
    """The check passes, or it is listed and fails: what passes must leave the list."""
    if why is None:
        check()
        return
    with pytest.raises(Exception):  # noqa: B017 (each check has its own)
        check()
        pytest.fail(f"passes now, but is listed as a deviation: {why}")
