"""Settings one of which does well on most data: what ``--learner auto`` and experts try."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.learner import Learner
from thresher.learners.experts import Member
from thresher.learners.table import COMMITTEES, LINEAR, by_short


def portfolio(task: str, prepare: str = "") -> list[Member]:
    """The settings, as fresh learners; with steps to prepare rows only those that take them."""
    if task not in PORTFOLIO:
        raise InvalidInput(f"task is {task!r}; expected 'classify' or 'regress'.")
    found = []
    for short, settings, *where in PORTFOLIO[task]:
        learner = by_short(short).cls(**settings)
        if prepare:
            if learner.get_params().get("prepare", "none") is not None:
                continue
            learner.set_params(prepare=prepare)
        found.append(Member(name_of(learner), learner, **(where[0] if where else {})))
    return found


def name_of(learner: Learner) -> str:
    """As it is typed: the short name, then the settings that are not the defaults."""
    if not any(entry.is_of(learner) for entry in LINEAR + COMMITTEES):
        return repr(learner)
    short, settings = written(learner)
    return " ".join([short, *settings])


def written(learner: Learner) -> tuple[str, tuple[str, ...]]:
    """A learner of the table, as ``--learner`` and ``--set`` name it."""
    short = next(entry.short for entry in LINEAR + COMMITTEES if entry.is_of(learner))
    defaults = type(learner)().get_params()
    changed = ((n, v) for n, v in learner.get_params().items() if v != defaults[n])
    return short, tuple(f"{name}={value}" for name, value in changed)


# Found by experiment (benchmarks/held_out.py). C and the margin depend on the length of the rows:
# large for rows of length 1, small for counts; AROW's r the other way round. A small constant
# feature suits text, and there rare words count more. Tables of numbers, whose columns differ in
# scale, are standardised; where the target moves, learners that do not average follow it.
DENSE = {"dense": True}
SPARSE = {"sparse": True}
FEW = {"dense": True, "most_features": 64}
STANDARD = {"prepare": "standard"}
RARE = {"prepare": "idf, unit"}
PORTFOLIO: dict[str, list[tuple[Any, ...]]] = {
    "classify": [
        ("arow", {"r": 0.1}),
        ("arow", {"r": 1.0}),
        ("arow", {"r": 3.0}),
        ("arow", {"r": 10.0}),
        ("arow", {"r": 100.0}),
        ("arow", {"r": 1.0, "average": True}),
        ("arow", {"r": 10.0, "multiclass": "one-vs-rest"}),
        ("cw", {"average": False}),
        ("pa", {"C": 0.1}),
        ("pa", {"C": 3.0, "intercept_scaling": 0.1, "burn_in": 2000}),
        ("mira", {"C": 0.01}),
        ("logistic", {"learning_rate": 2.0}),
        ("perceptron", {"average": False}),
        ("balanced-winnow", {"alpha": 1.1, "margin": 1.0, "average": True}),
        ("winnow", {"alpha": 1.2, "average": True}),
        ("naive-bayes", {}),
        ("logistic", {"step": "scale-free", "learning_rate": 0.5}),
        ("logistic", {"step": "scale-free", "learning_rate": 2.0}, SPARSE),
        ("logistic", {"step": "scale-free", "learning_rate": 1.0, **RARE}, SPARSE),
        ("arow", {"r": 0.1, **RARE}, SPARSE),
        ("arow", {"r": 1.0, **RARE}, SPARSE),
        ("cw", {"average": False, **RARE}, SPARSE),
        ("pa", {**STANDARD}, DENSE),
        ("pa", {"average": False, **STANDARD}, DENSE),
        ("pa", {"C": 0.1, "average": False, **STANDARD}, DENSE),
        ("mira", {"C": 0.01, "average": False, **STANDARD}, DENSE),
        ("cw", {**STANDARD}, DENSE),
        ("arow", {"r": 10.0, **STANDARD}, DENSE),
        ("logistic", {"step": "constant", "learning_rate": 0.03, **STANDARD}, DENSE),
        ("logistic", {"step": "constant", "learning_rate": 0.1, **STANDARD}, DENSE),
        ("logistic", {"step": "constant", "learning_rate": 1.0, **STANDARD}, DENSE),
        ("logistic", {"step": "1/sqrt(t)", "learning_rate": 1.0, **STANDARD}, DENSE),
        ("logistic", {"step": "1/sqrt(t)", "learning_rate": 3.0, **STANDARD}, DENSE),
        ("logistic", {"learning_rate": 0.5, "average": True, **STANDARD}, DENSE),
        ("balanced-winnow", {"alpha": 1.1, "margin": 1.0, "prepare": "minmax"}, DENSE),
        ("winnow", {"alpha": 1.2, "prepare": "minmax"}, DENSE),
        ("lda", {"shrinkage": 0.3}, FEW),
        ("lda", {}, FEW),
    ],
    "regress": [
        ("lms", {}),
        ("lms", {"average": True}),
        ("lms", {"normalized": True, "learning_rate": 0.01}),
        ("lms", {"normalized": True, "learning_rate": 0.1, "average": True}),
        ("pa-regressor", {"C": 0.001, "average": False}),
        ("pa-regressor", {"C": 0.01}),
        ("pa-regressor", {"C": 0.1}),
        ("pa-regressor", {"C": 1.0}),
        ("pa-regressor", {"C": 10.0}),
        ("pa-regressor", {"C": 1.0, "variant": "PA-II"}),
        ("pa-regressor", {"variant": "PA"}),
        ("pa-regressor", {"C": 1.0, "average": False}),
        ("lms", {"step": "scale-free", "learning_rate": 0.5}),
        ("lms", {"step": "scale-free", "learning_rate": 2.0}),
        ("lms", {**STANDARD}, DENSE),
        ("lms", {"average": True, **STANDARD}, DENSE),
        ("lms", {"normalized": True, "learning_rate": 0.1, **STANDARD}, DENSE),
        ("lms", {"normalized": True, "learning_rate": 0.5, **STANDARD}, DENSE),
        ("lms", {"normalized": True, "learning_rate": 0.5, "average": True, **STANDARD}, DENSE),
        ("pa-regressor", {"C": 0.1, "variant": "PA-II", **STANDARD}, DENSE),
        ("pa-regressor", {"C": 10.0, "average": False, **STANDARD}, DENSE),
        ("rls", {"l2": 0.01}, FEW),
        ("rls", {"l2": 1.0, "standardized": True}, FEW),
        ("rls", {"l2": 1.0, "forgetting": 0.999}, FEW),
        ("rls", {"l2": 1.0, "forgetting": 0.99}, FEW),
    ],
}
