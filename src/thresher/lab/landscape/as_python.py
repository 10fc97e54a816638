"""The paths as lines of Python that give the same numbers."""

from __future__ import annotations

from typing import Any

from thresher.lab.landscape.paths import NAMES, SINGLE, has, learner, title
from thresher.lab.landscape.setup import LandscapeSetup
from thresher.lab.texts import wrapped


def python(given: Any) -> dict[str, str]:
    """All paths, as many steps as the page has."""
    setup = LandscapeSetup(given)
    names = [name for name in NAMES if has(setup, name)]
    return {"python": _data(setup) + "".join(_path(setup, name, setup.steps) for name in names)}


def lines_of(setup: LandscapeSetup, name: str, t: int) -> str:
    """One path up to step t."""
    return _data(setup) + _path(setup, name, t)


def _data(setup: LandscapeSetup) -> str:
    return f"X = {wrapped(setup.X.tolist())}\ny = {wrapped(setup.y.tolist())}\n"


def _path(setup: LandscapeSetup, name: str, t: int) -> str:
    who = f'print("{title(setup, name)}:"'
    if name in SINGLE:
        model = repr(learner(setup, name))
        labels = "" if setup.squared else ", classes=[-1.0, 1.0]"
        return f"""
from thresher import {model.partition("(")[0]}

model = {model}
for t in range({t}):
    i = t % len(X)
    model.partial_fit([X[i]], [y[i]]{labels})
{who}, model.coef_, model.intercept_)
"""
    if setup.loss == "perceptron" and name == "batch":
        return f"""
from thresher import BatchPerceptron

model = BatchPerceptron(
    learning_rate={setup.eta}, max_epochs={max(1, t)}, fit_intercept=False, epsilon=1e-9
)
{who}, model.fit(X, y).coef_)
"""
    kind = "SquaredError" if setup.squared else "Objective"
    loss = "" if setup.squared else f', "{setup.loss}"'
    rate = f"{setup.eta} / 2" if setup.squared else f"{setup.eta}"
    return f"""
from thresher.theory.objective import {kind}, descend

J = {kind}(X, y{loss}, fit_intercept={setup.regress})
{who}, descend(J, "{name}", steps={t}, learning_rate={rate}).path[-1])
"""
