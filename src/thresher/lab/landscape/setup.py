"""What a page asks to see: points, a loss, a rate; and points to begin with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.theory.objective import Objective, SquaredError

Floats = npt.NDArray[np.float64]

FIELDS = ("task", "points", "loss", "eta", "epsilon", "steps")
TASKS = ("regress", "classify")
LOSSES = ("squared", "perceptron", "hinge", "0/1")
MOST_POINTS = 200
MOST_STEPS = 150


class LandscapeSetup:
    """Two weights: of a line y = w₁·x + w₀, or of w₁·x₁ + w₂·x₂ ≥ 0."""

    def __init__(self, given: Any) -> None:
        state = check.fields("the state", given, FIELDS)
        self.task = check.word("task", state.get("task"), TASKS)
        self.loss = check.word("loss", state.get("loss", "squared"), LOSSES)
        points = check.items("points", state.get("points"), MOST_POINTS, _point)
        self.eta = check.number("eta", state.get("eta", 0.1), 1e-9, 1e6)
        self.epsilon = check.number("epsilon", state.get("epsilon", 0.1), 0.0, 1e3)
        self.steps = check.whole("steps", state.get("steps", 40), 0, MOST_STEPS)
        if not points:
            raise InvalidInput("points is []; expected at least one point: J is a mean.")
        rows = np.array(points)
        self.regress = self.task == "regress"
        if self.regress and self.loss != "squared":
            raise InvalidInput(
                f"loss is {self.loss!r}; expected 'squared' for regression: the others are "
                "of labels."
            )
        self.X: Floats = rows[:, :1] if self.regress else rows[:, :2]
        self.y: Floats = rows[:, 1] if self.regress else rows[:, 2]
        self.squared = self.loss == "squared"

    def objective(self) -> Objective | SquaredError:
        """J, of w with the bias last."""
        if self.squared:
            return SquaredError(self.X, self.y, fit_intercept=self.regress)
        if len(np.unique(self.y)) < 2:
            raise InvalidInput("all points have the same label; expected some of each.")
        return Objective(self.X, self.y, self.loss, fit_intercept=False)


def _point(name: str, value: Any) -> tuple[float, float, float]:
    point = check.items(name, value, 3, lambda n, v: check.number(n, v, -1e3, 1e3))
    if len(point) != 3 or point[2] not in (-1.0, 1.0):
        raise InvalidInput(f"{name} is {check.short(value)}; expected [x, y, 1] or [x1, x2, ±1].")
    return point[0], point[1], point[2]


def generate(given: Any) -> dict[str, Any]:
    """Points around a line, or of two classes on both sides of a line through 0."""
    asked = check.fields("the request", given, ("task", "size", "noise", "seed"))
    task = check.word("task", asked.get("task"), TASKS)
    size = check.whole("size", asked.get("size", 16), 2, MOST_POINTS)
    noise = check.number("noise", asked.get("noise", 0.1), 0.0, 1.0)
    random = np.random.default_rng(check.whole("seed", asked.get("seed", 0), 0, 2**32 - 1))
    if task == "regress":
        x = random.uniform(-0.2, 1.1, size)
        y = 0.9 * x - 0.4 + noise * random.normal(size=size)
        rows = np.column_stack([x, y, np.ones(size)])
    else:
        angle = random.uniform(0, 2 * np.pi)
        u = np.array([np.cos(angle), np.sin(angle)])
        points = random.uniform(-1, 1, (size, 2))
        side = np.where(points @ u >= 0, 1.0, -1.0)
        points += 0.1 * side[:, None] * u
        points, side = points[:size], side * np.where(random.random(size) < noise, -1.0, 1.0)
        side[:2] = 1.0, -1.0
        points[:2] = np.array([[0.55], [-0.35]]) * u
        rows = np.column_stack([points, side])
    return {"points": [[round(float(a), 3), round(float(b), 3), int(c)] for a, b, c in rows]}
