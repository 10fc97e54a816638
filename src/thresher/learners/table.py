"""The one table of learners: files, tests, documentation and command line all read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher.learners.base import Learner
from thresher.learners.lms import LMS
from thresher.learners.passive_aggressive import (
    MIRA,
    PassiveAggressive,
    PassiveAggressiveRegressor,
)
from thresher.learners.perceptron import BatchPerceptron, Perceptron
from thresher.learners.winnow import BalancedWinnow, Winnow


@dataclass(frozen=True)
class Entry:
    """A learner and what there is to say of it in one line."""

    cls: type[Learner]
    family: str
    task: str  # "classify" or "regress"
    update: str
    paper: str
    variants: tuple[dict[str, Any], ...] = ({},)
    """Settings that together use every option that changes what is learned."""
    online: bool = True

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def versioned_name(self) -> str:
        """As written in model files, so that a file outlives a change of the algorithm."""
        return f"{self.name}.v{self.cls.version}"


TABLE = (
    Entry(
        Perceptron, "perceptron", "classify", "w += η·y·x when y·s ≤ γ", "Rosenblatt 1958",
        (
            {}, {"average": False}, {"margin": 0.7}, {"step": "aggressive", "margin": 1.0},
            {"learning_rate": "1/t"}, {"learning_rate": "1/sqrt(t)", "average": False},
            {"learning_rate": 0.25}, {"burn_in": 5}, {"fit_intercept": False},
            {"calibrate": True}, {"multiclass": "one-vs-rest"}, {"intercept_scaling": 0.25},
        ),
    ),
    Entry(
        BatchPerceptron, "perceptron", "classify", "w += (η/N)·Σ y·x over mistakes",
        "Duda & Hart 1973", ({}, {"fixed_increment": True}, {"fit_intercept": False}),
        online=False,
    ),
    Entry(
        PassiveAggressive, "passive-aggressive", "classify", "w += τ·y·x, hinge loss to 0",
        "Crammer et al. 2006",
        (
            {}, {"variant": "PA"}, {"variant": "PA-II", "C": 0.5}, {"C": 0.1, "average": False},
            {"burn_in": 3}, {"fit_intercept": False}, {"calibrate": True},
            {"multiclass": "one-vs-rest", "intercept_scaling": 0.5},
        ),
    ),
    Entry(
        PassiveAggressiveRegressor, "passive-aggressive", "regress", "w += ±τ·x, to within ε of y",
        "Crammer et al. 2006",
        ({}, {"variant": "PA", "epsilon": 0.0}, {"variant": "PA-II", "average": False},
         {"C": 0.1, "fit_intercept": False}),
    ),
    Entry(
        MIRA, "passive-aggressive", "classify", "smallest change that ranks the class first",
        "Crammer & Singer 2003",
        ({}, {"constraints": "one"}, {"C": 0.05}, {"C": float("inf"), "margin": 2.0},
         {"average": False, "fit_intercept": False}, {"calibrate": True},
         {"intercept_scaling": 0.25}),
    ),
    Entry(
        Winnow, "winnow", "classify", "w_i *= α^(±x_i) on a mistake", "Littlestone 1988",
        (
            {}, {"alpha": 1.3, "theta": 2.0}, {"margin": 0.5}, {"demotion": "eliminate"},
            {"floor": 0.5}, {"negations": True}, {"negations": True, "demotion": "eliminate"},
            {"negations": True, "floor": 0.5}, {"average": True},
            {"negations": True, "average": True, "burn_in": 3}, {"calibrate": True},
        ),
    ),
    Entry(
        BalancedWinnow, "winnow", "classify", "w±_i *= α^(±y·x_i) on a mistake",
        "Littlestone 1988",
        ({}, {"alpha": 1.1, "theta": 0.5}, {"margin": 0.5}, {"average": True, "burn_in": 2},
         {"fit_intercept": False}, {"calibrate": True}),
    ),
    Entry(
        LMS, "lms", "regress", "w += η·(y − s)·x", "Widrow & Hoff 1960",
        ({}, {"learning_rate": 0.01}, {"normalized": True},
         {"normalized": True, "learning_rate": 0.5, "average": True}, {"fit_intercept": False}),
    ),
)  # fmt: skip

BY_NAME = {entry.versioned_name: entry.cls for entry in TABLE}
