"""Rows are prepared once for all runners that prepare them alike.

All runners see the same stream, so what their steps learn (means, variances, products) is the same,
too. Each runner still ends as if it had run alone, with these statistics as its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from thresher._core import PreparedRows, SharedPreparation
from thresher.prepare import steps_of

if TYPE_CHECKING:
    from thresher.race.runners import Runner

BLOCK = 4096
"""Rows that are prepared at a time, which bounds the memory for them."""


def alike(learner: Any) -> tuple[Any, ...] | None:
    """Equal for learners that may share; None for one that prepares nothing, or alone.

    Class weights that are given may be 0, and what has weight 0 is not learned from.
    """
    steps = steps_of(learner.prepare)
    if not steps or isinstance(learner.get_params().get("class_weight"), Mapping):
        return None
    return steps, learner.needs()


class Sharing:
    """The runners of a race in groups that share what prepares their rows."""

    def __init__(self, runners: list[Runner]) -> None:
        groups: dict[Any, list[Runner]] = {}
        for runner in runners:
            if (key := alike(runner.learner)) is not None:
                groups.setdefault(key, []).append(runner)
        self._groups = [group for group in groups.values() if len(group) > 1]
        self._shared: list[SharedPreparation | None] = [None] * len(self._groups)

    def __bool__(self) -> bool:
        return bool(self._groups)

    def __getstate__(self) -> dict[str, Any]:
        # A copy continues with single examples, which each runner prepares by itself.
        return {"_groups": [], "_shared": []}

    def prepared(
        self, prepare: Callable[[SharedPreparation, Runner], PreparedRows]
    ) -> dict[str, PreparedRows]:
        """The next rows, by the name of each runner that is in a group. Between two calls the
        runners learn all of them, or are out."""
        rows: dict[str, PreparedRows] = {}
        for number, group in enumerate(self._groups):
            running = [runner for runner in group if runner.dropped_at is None]
            if not running:
                continue
            begun = time.perf_counter()
            shared = self._shared[number] or running[0].learner._learned().preparation()
            self._shared[number] = shared
            found = prepare(shared, running[0])
            seconds = (time.perf_counter() - begun) / len(running)
            for runner in running:
                rows[runner.name] = found
                runner.seconds += seconds
        return rows
