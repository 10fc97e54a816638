"""The ways down J(w): each step of learners that see all points, or one at a time.

LMS, passive-aggressive regression, the batch perceptron, the perceptron and recursive least squares
are those of the library; the other descents are its `descend`. All begin at w = 0.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from thresher import (
    LMS,
    BatchPerceptron,
    PassiveAggressiveRegressor,
    Perceptron,
    RecursiveLeastSquares,
)
from thresher.errors import DivergenceError
from thresher.lab import progress
from thresher.lab.landscape.setup import Floats, LandscapeSetup
from thresher.theory.objective import descend

GONE = 1e6  # a weight beyond this has run away
NAMES = ("batch", "online", "pa", "line search", "rls")
SINGLE = ("online", "pa", "rls")  # that see one example a step


def paths(setup: LandscapeSetup) -> dict[str, Floats]:
    """w before the first step and after each, by the name of the path."""
    J, found = setup.objective(), {}
    if setup.loss != "0/1":
        rate = setup.eta / 2.0 if setup.squared else setup.eta  # that of LMS: half the gradient
        with np.errstate(all="ignore"):
            found["batch"] = descend(J, "batch", steps=setup.steps, learning_rate=rate).path
            found["line search"] = descend(
                J, "line search", steps=setup.steps, learning_rate=setup.eta
            ).path
    if setup.loss == "perceptron":
        found["batch"] = _batch_perceptron(setup)
    found |= {name: _one_by_one(setup, learner(setup, name)) for name in SINGLE if has(setup, name)}
    return {name: _until_gone(found[name]) for name in NAMES if name in found}


def has(setup: LandscapeSetup, name: str) -> bool:
    """Whether a path is drawn."""
    if name in SINGLE:
        return {"online": True, "pa": setup.regress, "rls": setup.squared}[name]
    return setup.loss != "0/1"


def learner(setup: LandscapeSetup, name: str) -> Any:
    """The learner of a path that sees one example a step."""
    if name == "rls":
        return RecursiveLeastSquares(fit_intercept=setup.regress)
    if name == "pa":
        return PassiveAggressiveRegressor(variant="PA", epsilon=setup.epsilon, average=False)
    if setup.squared:
        return LMS(learning_rate=setup.eta, fit_intercept=setup.regress, clip_predictions=False)
    margin = 1.0 if setup.loss == "hinge" else 0.0
    return Perceptron(learning_rate=setup.eta, margin=margin, average=False, fit_intercept=False)


def _batch_perceptron(setup: LandscapeSetup) -> Floats:
    """Its weights after 1, 2, … passes; it stops by itself."""
    path = [np.zeros(2)]
    for t in range(1, setup.steps + 1):
        model = BatchPerceptron(
            learning_rate=setup.eta, max_epochs=t, fit_intercept=False, epsilon=1e-9
        ).fit(setup.X, setup.y)
        if model.epochs_ < t:
            break
        path.append(weights(model))
        if model.converged_:
            break
    return np.array(path)


def _one_by_one(setup: LandscapeSetup, model: Any) -> Floats:
    path, labels = [np.zeros(2)], {} if setup.squared else {"classes": [-1.0, 1.0]}
    for t in range(setup.steps):
        progress.at(t, setup.steps)
        i = t % len(setup.y)
        try:
            model.partial_fit(setup.X[[i]], setup.y[[i]], **labels)
        except DivergenceError:
            break
        path.append(weights(model))
    return np.array(path)


def weights(model: Any) -> Floats:
    """w, the bias last if there is one."""
    w = np.ravel(model.coef_)
    return np.array(w if len(w) == 2 else np.append(w, np.ravel(model.intercept_)))


def _until_gone(path: Floats) -> Floats:
    gone = np.flatnonzero(~(np.abs(path).max(axis=1) <= GONE))
    return path[: gone[0]] if len(gone) else path


def run(given: Any) -> dict[str, Any]:
    """Every path, J along it, and whether it runs away."""
    setup = LandscapeSetup(given)
    J = setup.objective()
    progress.stage("the ways down")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = paths(setup)
    return {
        "paths": [
            {
                "name": name,
                "title": title(setup, name),
                "w": [[_short(v) for v in w] for w in path],
                "J": [_short(v) for v in J.values(path)],
                "diverges": bool(np.abs(path[-1]).max() > 100.0 * (1.0 + np.abs(path[:3]).max())),
            }
            for name, path in found.items()
        ]
    }


def title(setup: LandscapeSetup, name: str) -> str:
    if name == "online":
        return "LMS" if setup.squared else "Perceptron"
    if name == "batch":
        return "BatchPerceptron" if setup.loss == "perceptron" else "batch descent"
    return {"line search": "line search", "rls": "RecursiveLeastSquares",
            "pa": "PassiveAggressiveRegressor"}[name]  # fmt: skip


def _short(value: float) -> float:
    return float(f"{value:.9g}")
