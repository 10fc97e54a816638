"""The surface of an objective over two weights, and descents on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from thresher.errors import InvalidInput
from thresher.plots.style import FAINT, INK, MARKERS, SERIES, Display, dress, legend
from thresher.theory.objective import STEPS, Descent, Objective, Rate, descend
from thresher.theory.signed import Floats

SIDE = 81  # points of the grid in each direction


class ObjectiveDisplay(Display):
    """J over two weights, as lines of equal height, and the paths of descents on it."""

    def __init__(
        self, objective: Objective, descents: Sequence[Descent], names: tuple[str, str]
    ) -> None:
        if objective.weights != 2:
            raise InvalidInput(
                f"J has {objective.weights} weights; expected two, to draw it over a plane: two "
                "features with fit_intercept=False, or one feature and the bias."
            )
        if not descents:
            raise InvalidInput("there is nothing to draw on J; expected at least one Descent.")
        self.objective = objective
        self.descents = list(descents)
        self.names = names
        self.w1, self.w2, self.values = self._surface()

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        loss: str = "hinge",
        *,
        gamma: float = 1.0,
        fit_intercept: bool = False,
        steps: int = 50,
        learning_rate: Rate = 1.0,
        start: Any = None,
    ) -> Self:
        """Batch, line search and online descent from one start, on the loss of rows X, labels y.

        `steps` are those of batch and line search; the online path sees as many examples.

        Examples
        --------
        >>> X, y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], [1, 1, 0]
        >>> display = ObjectiveDisplay.from_data(X, y, "perceptron", start=[-1.0, 0.0])
        >>> [descent.name for descent in display.descents]
        ['batch', 'line search', 'online']
        """
        objective = Objective(X, y, loss, gamma=gamma, fit_intercept=fit_intercept)
        names = ("w₁", "b" if fit_intercept else "w₂")
        descents = [
            descend(objective, how, steps=steps, learning_rate=learning_rate, start=start)
            for how in STEPS
        ]
        return cls(objective, descents, names)

    def _surface(self) -> tuple[Floats, Floats, Floats]:
        points = np.vstack([descent.path for descent in self.descents])
        low, high = points.min(axis=0), points.max(axis=0)
        pad = 0.25 * max(float((high - low).max()), 1e-9)
        w1, w2 = (np.linspace(low[k] - pad, high[k] + pad, SIDE) for k in (0, 1))
        lines = np.stack(np.meshgrid(w1, w2), axis=-1)
        return w1, w2, np.stack([self.objective.values(line) for line in lines])

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        title = {"0/1": "J, mistakes", "perceptron": "J, hinge(0)", "squared": "J, squared"}
        dress(
            ax,
            title.get(self.objective.loss, f"J, hinge({self.objective.gamma:g})"),
            *self.names,
            grid="",
        )
        ax.contourf(self.w1, self.w2, self.values, levels=14, cmap="Greys", alpha=0.35)
        ax.contour(self.w1, self.w2, self.values, levels=14, colors=FAINT, linewidths=0.5)
        for descent, color, marker in zip(self.descents, SERIES, MARKERS, strict=False):
            look = {
                "color": color, "marker": marker, "markersize": 3.5, "linewidth": 1.6,
                "label": f"{descent.name}: {len(descent.path) - 1} steps, J = "
                f"{descent.values[-1]:.3g}",
            }  # fmt: skip
            ax.plot(*descent.path.T, **look | style)
        start = self.descents[0].path[0]
        ax.plot(*start, "o", color=INK, markersize=7, zorder=4)
        legend(ax, loc="best")
