"""Cases of a test that are too small to be tests of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def about(case: object) -> Iterator[None]:
    """A failure in here says of which case it is."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        error.add_note(f"case: {case}")
        raise


def looped(
    names: str | tuple[str, ...],
    cases: Iterable[Any],
    ids: Callable[[Any], Any] | Iterable[str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`pytest.mark.parametrize`, but one test runs all cases: for thousands of cases of less than a
    millisecond, where it is pytest that takes the time.

    A failure says of which case it is, and which others fail as well. The cases share the test's
    fixtures: a test that changes them wants `parametrize`.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    given = [tuple(case) if len(listed) > 1 else (case,) for case in cases]
    assert given, f"no cases of {names}"
    titles = titles_of(given, ids)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_cases(**fixtures: Any) -> None:
            failed: dict[str, BaseException] = {}
            for title, values in zip(titles, given, strict=True):
                try:
                    test(**fixtures, **dict(zip(listed, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed[title] = error
            if failed:
                (title, error), *others = failed.items()
                error.add_note(f"case: {title}")
                if others:
                    more = ", ".join(title for title, _ in others[:20])
                    error.add_note(f"{len(others)} of {len(given) - 1} others fail as well: {more}")
                raise error

        signature = inspect.signature(test)
        kept = [p for name, p in signature.parameters.items() if name not in listed]
        assert len(kept) + len(listed) == len(signature.parameters), f"the test takes no {names}"
        vars(all_cases)["__signature__"] = signature.replace(parameters=kept)
        return all_cases

    return decorate


def titles_of(
    cases: list[tuple[Any, ...]], ids: Callable[[Any], Any] | Iterable[str] | None
) -> list[str]:
    if ids is not None and not callable(ids):
        return list(ids)
    name = ids or (lambda value: None)
    return ["-".join(str(name(value) or repr(value)) for value in case) for case in cases]
