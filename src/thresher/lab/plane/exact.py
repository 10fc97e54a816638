"""The plane on fractions: nothing is rounded, so ties and cycles are those on paper.

A run is that of `thresher.reference`, in which every number is the fraction that its digits say.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thresher import reference
from thresher.errors import InvalidInput
from thresher.lab import progress
from thresher.lab.texts import wrapped
from thresher.learners.entry import Entry
from thresher.reference.multiclass import Classifier

MOST_EXACT_STEPS = 500  # the digits of a fraction grow with each step


class ExactFollower:
    """A learner of two labels, −1 and 1, in the plane; see `Follower`."""

    def __init__(self, entry: Entry, options: dict[str, Any]) -> None:
        kind = getattr(reference, entry.name)
        if not issubclass(kind, Classifier):
            raise InvalidInput(
                f"exact: {entry.name} takes no steps that could be made on fractions; expected a "
                "learner that moves its weights, such as Perceptron, or exact off."
            )
        extra = {"n_features": 2} if entry.name in ("Winnow", "PNormPerceptron") else {}
        self.name = entry.name
        with self._on_fractions():
            self.learner = reference.exact(kind, **{**options, **extra})
        geometry = self.learner.geometry
        geometry.see(geometry.example({"x0": 0, "x1": 0}))  # there are weights from the start

    def score(self, x: Any) -> Any:
        """As a fraction."""
        with self._on_fractions():
            return self.learner.score(named(x))

    def learn(self, x: Any, y: int) -> None:
        with self._on_fractions():
            self.learner.learn(named(x), y)

    @property
    def counts(self) -> tuple[int, int]:
        """Mistakes and updates so far."""
        return self.learner.mistakes, self.learner.updates

    def exact_weights(self) -> list[Any]:
        """w1, w2 and b of the predicting hypothesis, as fractions."""
        with self._on_fractions():
            w = self.learner.weights()
        return [w.get(name, 0) for name in ("x0", "x1", reference.BIAS)]

    def weights(self) -> list[float]:
        """The same, to be drawn."""
        return [float(f"{float(v):.9g}") for v in self.exact_weights()]

    @contextmanager
    def _on_fractions(self) -> Iterator[None]:
        """What no fraction can be is refused."""
        try:
            yield
        except (ArithmeticError, ValueError) as error:
            raise InvalidInput(
                f"exact: {self.name}: {error}; expected other options or points, or exact off."
            ) from None


def check_exact_steps(steps: int) -> None:
    if steps > MOST_EXACT_STEPS:
        raise InvalidInput(
            f"exact: {steps:,} steps on fractions, which grow longer with each; expected at most "
            f"{MOST_EXACT_STEPS}: take fewer points or epochs, or exact off."
        )


def named(x: Any) -> dict[str, float]:
    return {"x0": float(x[0]), "x1": float(x[1])}


def explain(
    entry: Entry, learning: dict[str, Any], points: list[tuple[Any, int]]
) -> dict[str, str]:
    """The last of these steps, by the hypothesis that learns."""
    check_exact_steps(len(points))
    follower = ExactFollower(entry, learning)
    progress.stage(f"the run of {entry.name} on fractions")
    for t, (x, y) in enumerate(points[:-1], 1):
        progress.at(t, len(points))
        follower.learn(x, y)
    x, y = points[-1]
    w, score, counts = follower.exact_weights(), follower.score(x), follower.counts
    follower.learn(x, y)
    mistake, update = (now > before for before, now in zip(counts, follower.counts, strict=True))
    now = follower.exact_weights()
    example = written(reference.as_written(v) for v in named(x).values())
    told = "a mistake" if mistake else "right"
    if mistake and score == 0:
        told = "no idea, which counts as a mistake"
    label = "+1" if y > 0 else "−1"
    words = f"Example {len(points)}: x = {example}, y = {label}. The score is exactly " \
            f"{_number(score)}: {told}"  # fmt: skip
    words += f", and the weights become {written(now[:2])}, b = {_number(now[2])}." if update else (
        f", and {entry.name} stays as it is.")  # fmt: skip
    maths = [
        entry.update,
        f"x = (x₁, x₂) = {example},   y = {_number(y)}",
        f"w = {written(w[:2])},   b = {_number(w[2])}",
        f"s = {_number(score)}",
        f"w ← {written(now[:2])},   b ← {_number(now[2])}" if update else "w stays",
    ]
    return {"words": words, "maths": "\n".join(maths), "python": python(entry, learning, points)}


def python(entry: Entry, learning: dict[str, Any], points: list[tuple[Any, int]]) -> str:
    """The run on fractions, printed step by step."""
    options = "".join(f", {name}={value!r}" for name, value in learning.items())
    stream = [(named(x), y) for x, y in points]
    return (
        f"from thresher.reference import {entry.name}, exact, trace\n\n"
        f"stream = {wrapped(stream)}\n"
        f"for step in trace(exact({entry.name}{options}), stream):\n    print(step)\n"
    )


def written(values: Any) -> str:
    return f"({', '.join(map(_number, values))})"


def _number(value: Any) -> str:
    return str(value).replace("-", "−")
