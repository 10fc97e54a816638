"""Exact arithmetic: the learners on fractions, so that traces, ties and cycles are those on paper.

In floating point 0.1 + 0.2 is not 0.3, so a score that is 0 on paper may come out as 5e-17, and the
step that a zero score asks for is not made. On fractions nothing is rounded:

    >>> from thresher.reference import Perceptron
    >>> learner = exact(Perceptron, learning_rate=0.1, average=False)
    >>> for step in trace(learner, [({"a": 1, "b": 2}, 1), ({"a": 3}, -1), ({"b": 1}, -1)]):
    ...     print(step)
    1  a=1, b=2  is 1  s = 0  update  a=1/10, b=1/5, (bias)=1/10
    2  a=3  is -1  s = 2/5  update  a=-1/5, b=1/5, (bias)=0
    3  b=1  is -1  s = 1/5  update  a=-1/5, b=1/10, (bias)=-1/10

A learner that is given `Fraction`s of the standard library computes with them as well. `exact`
reads every number as a fraction, options included: 0.1 is 1/10.
"""

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, Self

from .regression import Regressor
from .vectors import Exact

__all__ = ["Exact", "RationalStep", "as_written", "exact", "trace"]


def as_written(value: Any) -> Any:
    """A number as the fraction that its digits say; other values stay as they are.

    >>> as_written(0.1), as_written(2), as_written(Decimal("1.50"))
    (1/10, 2, 3/2)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, Decimal)):
        return value
    if not math.isfinite(value):
        raise ValueError(f"{value} is no fraction: exact arithmetic needs finite numbers")
    return Exact(str(value) if isinstance(value, float) else value)


def option(value: Any, annotation: Any) -> Any:
    """An option as a learner that computes with fractions takes it: counts stay whole numbers."""
    kinds = typing.get_args(annotation) or (annotation,)
    if value == "1/t" and float in kinds:  # a learning rate
        return lambda t: Exact(1, t)
    return as_written(value) if float in kinds else value


def exact(learner: Callable[..., Any], **options: Any) -> "InFractions":
    """A learner of this package, made with these options, that computes with fractions.

    Every number that it is given, options included, is read as the fraction that its digits say.
    A step that needs a root or an exponential (learning_rate="1/sqrt(t)", calibrate=True, an RBF
    kernel, α^x for an x that is not whole) leaves the fractions, and is an error.

    >>> from thresher.reference import PassiveAggressive
    >>> learner = exact(PassiveAggressive, variant="PA", average=False)
    >>> learner.learn({"a": 0.3}, +1)
    >>> learner.weights(), learner.score({"a": 0.3})
    ({'a': 30/109, '(bias)': 100/109}, 1)
    """
    parameters = inspect.signature(learner).parameters
    given = {name: p.default for name, p in parameters.items() if isinstance(p.default, float)}
    kinds = {name: p.annotation for name, p in parameters.items()}
    made = {name: option(value, kinds.get(name)) for name, value in (given | options).items()}
    return InFractions(learner(**made))


class InFractions:
    """A wrapper around a learner: numbers go in as fractions and come out as fractions."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def __getattr__(self, name: str) -> Any:
        if name == "learner":
            raise AttributeError(name)
        return getattr(self.learner, name)

    def learn(self, x: Mapping[str, Any], y: Any, weight: Any = 1) -> None:
        """Learn one example."""
        self.learner.learn(*self._read(x, y, weight))

    def fit(self, stream: Iterable[tuple[Any, ...]], **options: Any) -> Self:
        """Learn from (x, y) or (x, y, weight), as the wrapped learner does."""
        self.learner.fit([self._read(*example) for example in stream], **options)
        return self

    def _read(self, x: Mapping[str, Any], y: Any, weight: Any = 1) -> tuple[Any, Any, Any]:
        target = as_written(y) if isinstance(self.learner, Regressor) else y
        return all_written(x), target, as_written(weight)

    def score(self, x: Mapping[str, Any]) -> Any:
        """As the wrapped learner does."""
        return all_written(self.learner.score(all_written(x)))

    def predict(self, x: Mapping[str, Any]) -> Any:
        """As the wrapped learner does."""
        return self.learner.predict(all_written(x))

    def weights(self) -> Any:
        """As the wrapped learner does."""
        return all_written(self.learner.weights())

    def hypothesis(self) -> Any:
        """As the wrapped learner does."""
        return all_written(self.learner.hypothesis())


def all_written(value: Any) -> Any:
    """`as_written` of each number in a dict, or in a dict of dicts."""
    if isinstance(value, Mapping):
        return {name: all_written(part) for name, part in value.items()}
    return as_written(value)


class RationalStep(NamedTuple):
    """One step of a run, as a slide shows it."""

    t: int
    x: Mapping[str, Any]
    y: Any
    score: Any  # that the prediction is made from, before the step
    updated: bool
    weights: Any  # after the step, not averaged

    def __str__(self) -> str:
        change = "update" if self.updated else "no update"
        s, w = shown(self.score), shown(self.weights)
        return f"{self.t}  {shown(self.x)}  is {self.y}  s = {s}  {change}  {w}"


def shown(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = [f"{name}={shown(part)}" for name, part in value.items()]
        nested = any(isinstance(part, Mapping) for part in value.values())
        return ("; " if nested else ", ").join(parts) or "nothing"
    return f"{value:g}" if isinstance(value, float) else str(value)


def trace(
    learner: Any, stream: Iterable[tuple[Any, ...]], max_epochs: int = 1
) -> list[RationalStep]:
    """Teach a learner that has weights, example by example, and return each step.

    It may be any of this package, exact or not. One that averages scores with its average.

    >>> from thresher.reference import Winnow
    >>> for step in trace(exact(Winnow, alpha=1.5, theta=2), [({"a": 1, "b": 1}, 0)] * 2):
    ...     print(step)
    1  a=1, b=1  is 0  s = 0  update  a=2/3, b=2/3, (bias)=-2
    2  a=1, b=1  is 0  s = -2/3  no update  a=2/3, b=2/3, (bias)=-2
    """
    steps: list[RationalStep] = []
    for x, y, *weight in list(stream) * max_epochs:
        score, before = learner.score(x), learner.updates
        learner.learn(x, y, *weight)
        updated = learner.updates > before
        steps.append(RationalStep(len(steps) + 1, x, y, score, updated, learner.hypothesis()))
    return steps
