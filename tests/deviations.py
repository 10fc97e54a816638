"""Checks of other projects on our classes, with lists, strict in both ways, of what differs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator


def name_of(value: Any) -> str:
    """Of a check, or of an estimator."""
    return getattr(getattr(value, "func", value), "__name__", None) or repr(value)


def sklearn_checks(*estimators: Any) -> pytest.MarkDecorator:
    """A test of (estimator, check) for each of scikit-learn's checks of estimators."""
    with warnings.catch_warnings():
        # scikit-learn would like its base class to be used, which would mean importing it.
        warnings.filterwarnings("ignore", message=".*does not inherit from `sklearn.base")
        pairs = [pair for e in estimators for pair in estimator_checks_generator(e)]
    return pytest.mark.parametrize(("estimator", "check"), pairs, ids=name_of)


def passes_unless(why: str | None, check: Callable[[], Any]) -> None:
    """The check passes, or it is listed and fails: what passes must leave the list."""
    if why is None:
        check()
        return
    with pytest.raises(Exception):  # noqa: B017 (each check has its own)
        check()
        pytest.fail(f"passes now, but is listed as a deviation: {why}")
