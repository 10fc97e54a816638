"""The learners behind ``--learner auto``."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.learner import Learner
from thresher.learners.table import by_short


def portfolio(task: str) -> list[Learner]:
    """The learners behind ``--learner auto``: settings one of which does well on most data.

    Found by experiment (benchmarks/held_out.py). C and the margin depend on the length of the
    rows: large for rows of length 1, small for counts; AROW's r the other way round. A small
    constant feature suits text. All but AROW average: one that does not can look better on a
    stream of related examples than it will do later.
    """
    if task not in PORTFOLIO:
        raise InvalidInput(f"task is {task!r}; expected 'classify' or 'regress'.")
    return [by_short(short).cls(**settings) for short, settings in PORTFOLIO[task]]


PORTFOLIO: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "classify": [
        ("arow", {"r": 1.0}),
        ("arow", {"r": 3.0}),
        ("arow", {"r": 10.0}),
        ("arow", {"r": 100.0}),
        ("arow", {"r": 1.0, "average": True}),
        ("arow", {"r": 10.0, "multiclass": "one-vs-rest"}),
        ("pa", {"C": 1.0}),
        ("pa", {"C": 0.3}),
        ("pa", {"C": 0.01}),
        ("pa", {"C": 0.1, "variant": "PA-II"}),
        ("pa", {"C": 3.0, "intercept_scaling": 0.1, "burn_in": 2000}),
        ("mira", {"C": 0.01}),
        ("mira", {"C": 0.005, "burn_in": 2000}),
        ("perceptron", {}),
        ("balanced-winnow", {"alpha": 1.1, "margin": 1.0, "average": True}),
        ("winnow", {"alpha": 1.2, "average": True}),
    ],
    "regress": [
        ("lms", {}),
        ("lms", {"average": True}),
        ("lms", {"normalized": True, "learning_rate": 0.01}),
        ("lms", {"normalized": True, "learning_rate": 0.1, "average": True}),
        ("pa-regressor", {"C": 0.001}),
        ("pa-regressor", {"C": 0.01}),
        ("pa-regressor", {"C": 0.1}),
        ("pa-regressor", {"C": 1.0}),
        ("pa-regressor", {"C": 10.0}),
        ("pa-regressor", {"C": 0.01, "variant": "PA-II"}),
        ("pa-regressor", {"C": 1.0, "variant": "PA-II"}),
        ("pa-regressor", {"variant": "PA"}),
    ],
}
