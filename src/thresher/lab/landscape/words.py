"""A step down the landscape in words, in equations, and as Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.lab.landscape.as_python import lines_of
from thresher.lab.landscape.paths import NAMES, paths, title
from thresher.lab.landscape.setup import MOST_STEPS, Floats, LandscapeSetup
from thresher.lab.steps.equations import Equations, written
from thresher.reference.rules import epsilon_insensitive, pa


def explain(given: Any) -> dict[str, str]:
    """Step t of a path."""
    asked = check.fields("the request", given, ("state", "path", "t"))
    setup = LandscapeSetup(asked.get("state"))
    name = check.word("path", asked.get("path"), NAMES)
    t = check.whole("t", asked.get("t"), 1, MOST_STEPS)
    path = paths(setup).get(name)
    if path is None:
        raise InvalidInput(f"with the loss {setup.loss!r} there is no path {name!r}.")
    who = title(setup, name)
    if t >= len(path):
        why = "w has run away" if np.abs(path[-1]).max() > 1e3 else "it has arrived"
        words = f"{who} stopped after step {len(path) - 1}: {why}."
        return {"words": words[0].upper() + words[1:], "maths": "",
                "python": lines_of(setup, name, len(path) - 1)}  # fmt: skip
    told = LandscapeStep(setup, name, t, path[t - 1], path[t])
    return {"words": f"Step {t} of {who}: {told.words()}", "maths": str(told.equations()),
            "python": lines_of(setup, name, t)}  # fmt: skip


class LandscapeStep:
    """One step: w before and after it."""

    def __init__(self, setup: LandscapeSetup, name: str, t: int, was: Floats, now: Floats) -> None:
        self.setup, self.name, self.t, self.was, self.now = setup, name, t, was, now
        self.J = setup.objective()
        rows = np.asarray(self.J.rows)
        # Of an objective of labels the rows are y·x.
        self.rows = rows if setup.squared else rows * setup.y[:, None]
        self.i = (t - 1) % len(setup.y)

    def words(self) -> str:
        before, after = (written(self.J.value(w)) for w in (self.was, self.now))
        fell = f"J goes from {before} to {after}."
        if self.name == "rls":
            return f"w is the best for the first {self.t} examples, with no rate to choose. {fell}"
        if self.name == "online":
            seen = f"it sees example {self.i + 1} alone"
            stays = np.array_equal(self.was, self.now)
            return f"{seen}, which is right: w stays." if stays else f"{seen}. {fell}"
        if self.name == "pa":
            return f"it sees example {self.i + 1} alone{self._strip()}"
        if self.name == "batch":
            return f"it sees all {len(self.rows)} examples, then goes down the slope. {fell}"
        return f"it goes down the slope to the lowest point of that line. {fell}"

    def _strip(self) -> str:
        """What became of the strip of weights that are within ε of the target."""
        if np.array_equal(self.was, self.now):
            return ", and is within ε of its target: w is in the strip, and stays."
        before, after = (written(self.J.value(w)) for w in (self.was, self.now))
        return (
            ", and is more than ε off its target: w goes to the nearest point of the strip. "
            f"J goes from {before} to {after}."
        )

    def equations(self) -> Equations:
        lines = Equations()
        lines.let("w", self.was)
        {"rls": self._solved, "online": self._one, "pa": self._projected}.get(self.name, self._all)(
            lines
        )
        return lines

    def _one(self, lines: Equations) -> None:
        """One example: LMS, or the perceptron."""
        setup, x, y = self.setup, self.rows[self.i], float(self.setup.y[self.i])
        score, eta = float(self.was @ x), setup.eta
        lines.say("w ← w + η·r·x,   r = y − w·x" if setup.squared else
                  f"w ← w + η·y·x when y·s ≤ {self._kink()}")  # fmt: skip
        names = "x₁, x₀" if setup.regress else "x₁, x₂"
        lines.say(f"x = ({names}) = {written(x)},   y = {written(y)}")
        lines.let("x", x)
        lines.let("y", y)
        lines.equal("s", "w·x", score)
        lines.let("η", eta)
        if setup.squared:
            lines.equal("r", "y − s", y - score)
            lines.becomes("w", "w + η·r·x", self.now)
            return
        lines.compared("y·s", y * score, "γ" if self._kink() else "0", float(self._kink()))
        if np.array_equal(self.was, self.now):
            lines.say("w stays")
        else:
            lines.becomes("w", "w + η·y·x", self.now)

    def _projected(self, lines: Equations) -> None:
        """Passive-aggressive regression: onto the strip |y − w·x| ≤ ε."""
        x, y = self.rows[self.i], float(self.setup.y[self.i])
        score, square = float(self.was @ x), float(x @ x)
        lines.say("w ← w + sgn(r)·τ·x,   r = y − w·x,   when |r| > ε")
        lines.say(f"x = (x₁, x₀) = {written(x)},   y = {written(y)}")
        lines.let("x", x)
        lines.let("y", y)
        lines.equal("s", "w·x", score)
        lines.equal("r", "y − s", y - score)
        lines.let("ε", self.setup.epsilon)
        loss = epsilon_insensitive(y - score, self.setup.epsilon)
        lines.equal("ℓ", "max(0, |r| − ε)", loss)
        if np.array_equal(self.was, self.now):
            lines.say("w stays")
            return
        lines.equal("‖x‖²", "x·x", square)
        lines.equal("τ", "ℓ/‖x‖²", pa(loss, square))
        lines.becomes("w", "w + sgn(r)·τ·x", self.now)

    def _kink(self) -> int:
        return 1 if self.setup.loss == "hinge" else 0

    def _all(self, lines: Equations) -> None:
        """All examples: down the gradient, by η or by the best step."""
        setup = self.setup
        slope = self.J.gradient(self.was)
        if setup.squared:
            g, said = -0.5 * slope, "g = (1/N)·Σ r·x,   r = y − w·x"
        else:
            g, said = -slope, f"g = (1/N)·Σ y·x of those with y·(w·x) ≤ {self._kink()}"
        lines.say(f"w ← w + η·g,   {said}")
        lines.let("N", len(self.rows), line=True)
        lines.let("g", g, line=True)
        eta = setup.eta
        if self.name == "line search" and (self.t > 1 or setup.loss != "perceptron"):
            eta = self.J.best_step(self.was, g)
            if setup.squared:
                q = np.asarray(self.rows.T @ (self.rows @ g)) / len(self.rows)
                lines.let("A·g", q, line=True)
                lines.equal("η", "g·g/(g·A·g)", eta)
                lines.lines[-1] = f"η = (g·g)/(g·(A·g)) = ({written(g)}·{written(g)})/(" \
                                  f"{written(g)}·{written(q)}) = {written(eta)}"  # fmt: skip
            else:
                lines.let("η", eta, line=True)
        else:
            lines.let("η", eta, line=True)
        lines.becomes("w", "w + η·g", self.now)

    def _solved(self, lines: Equations) -> None:
        """Least squares over the examples so far."""
        lines.say("A·w = c,   A = Σ x·xᵀ,   c = Σ y·x   of the examples so far")
        seen = [i % len(self.rows) for i in range(self.t)]
        rows, y = self.rows[seen], self.setup.y[seen]
        A, c = rows.T @ rows, rows.T @ y
        if np.linalg.matrix_rank(A) < 2:
            lines.say("A has no inverse yet: one of many w that fit")
            lines.let("w", self.now, line=True)
            return
        lines.let("A", A, line=True)
        lines.let("c", c, line=True)
        lines.let("w", self.now, line=True)
        lines.stated("A·w", c)
