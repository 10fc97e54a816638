"""The plane in which a linear model of any number of features is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.learners.linear.passive_aggressive import PassiveAggressive
from thresher.theory.geometry import widest_across
from thresher.theory.replay import Replay, moments

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """Two orthogonal directions: a point x is at axes · (x − origin)."""

    origin: Floats
    axes: Floats
    names: tuple[str, str]

    def of(self, X: Any) -> Floats:
        """Rows as points of the plane; X may be sparse."""
        return np.asarray(X @ self.axes.T - self.axes @ self.origin)

    def along(self, w: Floats) -> Floats:
        """A direction in the plane; that of the first axis is exact."""
        seen = self.axes @ w
        seen[np.abs(seen) < 1e-12 * np.linalg.norm(seen)] = 0.0
        return np.asarray(seen)


def plane_of(model: Any, X: Any, w: Floats, b: float) -> Plane:
    """The features themselves if there are one or two; else w and the widest direction across."""
    n = X.shape[1]
    if n <= 2:
        return Plane(np.zeros(n), np.eye(2, n), feature_names(model, n))
    length = float(np.linalg.norm(w))
    if length == 0:
        raise InvalidInput(
            f"all {n} weights are 0, so there is no boundary to look along; expected a trained "
            "model, or rows of two features."
        )
    e1 = w / length
    e2 = widest_across(X, e1)
    names = ("distance from the boundary, along w", "widest direction across w")
    return Plane(-b / length * e1, np.stack([e1, e2]), names)


def feature_names(model: Any, n: int) -> tuple[str, str]:
    given = getattr(model, "feature_names_in_", None)
    names = ["x₁", "x₂"][:n] if given is None else [str(name) for name in given]
    return (names[0], names[1]) if n == 2 else (names[0], "")


# -- what is drawn in it


def path_of(run: Replay, w: Floats, plane: Plane, required: bool) -> Floats | None:
    """w over a run, projected onto the plane; None if it does not end at w."""
    seen = []
    for _ in run.at([0, *moments(run.total)]):
        found = run.learner.coef_[0]
        seen.append(plane.axes @ found)
    if np.allclose(found, w, rtol=1e-9, atol=1e-12):
        return np.stack(seen)
    if required:
        raise InvalidInput(
            "learning X and y again ends at other weights than those of the model, so there is no "
            "path to them; expected the rows that the model was fitted to, in their order, and "
            "their number of passes."
        )
    return None


def own_margin(model: Any, X: Any, wrong: npt.NDArray[np.bool_], length: float) -> float | None:
    """The distance from the boundary that a learner aims at, or has reached with all rows."""
    if length == 0:
        return None
    aim = 1.0 if isinstance(model, PassiveAggressive) else getattr(model, "margin", 0.0)
    if aim:
        return float(aim) / length
    if wrong.any():
        return None
    return float(np.abs(model.decision_function(X)).min()) / length
