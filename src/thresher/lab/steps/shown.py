"""The lines that every step begins with: the rule, the example, its score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.lab.steps.equations import Equations, written
from thresher.lab.steps.watched import Floats, Watched, constant_of

FEW = 3  # with so few features, all are printed
MOST = 8  # else those that are not 0 in the example, at most so many


class Shown:
    """A step and its lines; printed vectors have the features in `places`, the constant last."""

    def __init__(
        self,
        step: Watched,
        names: Sequence[str],
        *,
        more: Floats | None = None,
        active: bool = False,
        constant: bool = True,
    ) -> None:
        """`more`: literals besides the features; `active`: print only what is not 0 in the example;
        `constant`: count the constant feature, if there is one, as a feature."""
        self.step, self.lines = step, Equations()
        self.constant = constant_of(step.options) if constant else 0.0
        x = step.x if more is None else np.concatenate([step.x, more])
        self.x, self.names = x, list(names)
        if self.constant:
            self.x, self.names = np.append(x, self.constant), [*names, "x₀"]
        on = np.flatnonzero(self.x)
        few = len(step.x) <= FEW and not active
        self.places = np.arange(len(self.x)) if few else on[:MOST]
        self.whole = few or len(on) <= MOST

    def cut(self, weights: Floats) -> Floats:
        """Those of the printed features; the last weight given is that of the constant feature."""
        return (weights if self.constant else weights[:-1])[self.places]

    def open(self, rule: str, score: str, **weights: Floats) -> None:
        """Print the rule, the example, and the score as a formula of these weights."""
        lines, step = self.lines, self.step
        lines.say(rule)
        names = [self.names[i] for i in self.places] + ([] if self.whole else ["…"])
        shown = self.x[self.places]
        example = f"x = ({', '.join(names)}) = {written(shown)}" if len(shown) else "x = 0"
        lines.say(f"{example},   y = {written(step.y)}")
        for name, value in (("x", shown), ("y", step.y), *weights.items()):
            lines.let(name, value)
        if self.whole and len(shown):
            lines.equal("s", score, step.score)
        else:
            lines.let("s", step.score, line=True)

    def with_intercept(self) -> Equations:
        """All lines, and b if it is not simply the weight of the constant feature."""
        if self.constant not in (0.0, 1.0):
            self.lines.let("w₀", self.step.now.weights("w")[-1])
            self.lines.let("x₀", self.constant)
            self.lines.equal("b", "w₀·x₀", self.step.now.intercept)
        return self.lines
