"""The learners behind ``--learners auto``."""

from __future__ import annotations

from thresher.learners import portfolio as settings
from thresher.learners.base.learner import Learner


def portfolio(task: str) -> list[Learner]:
    """The portfolio of `Experts`, without what is only for data of some kind."""
    return [found.learner for found in settings.portfolio(task) if not found.dense]
