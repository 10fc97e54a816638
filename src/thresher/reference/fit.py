"""Epochs: repeat the same stream until nothing changes, or the weights cycle."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self


class Epochs(ABC):
    """A learner that can go over a stream more than once.

    After `fit`: `epochs`, how many it took; `converged`, the last one made no update; `cycled`, the
    weights came back to where they had been. If no step was rounded (see rational.py), that proves
    that no hyperplane separates the data; else it proves nothing.
    """

    epochs = 0
    converged = False
    cycled = False
    detects_cycles = False  # do the weights at an epoch's end determine all that follows?

    @property
    @abstractmethod
    def updates(self) -> int:
        """How many examples have moved the weights."""

    @abstractmethod
    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        """Learn one example."""

    @abstractmethod
    def hypothesis(self) -> Any:
        """The weights now, not averaged."""

    def restless(self) -> int:
        """What an epoch must not add to, for `fit` to end."""
        return int(self.updates)

    def fit(self, stream: Iterable[tuple[Any, ...]], max_epochs: int | None = 1) -> Self:
        """Learn from (x, y) or (x, y, weight), `max_epochs` times, or (None) until an epoch without
        an update. The order is the order given. Learning continues from the current state.

        A cycle is found by Brent's method (1980): compare each epoch's end with the last one kept,
        and keep those of epochs 1, 2, 4, 8, …
        """
        examples = list(stream)
        kept: Any = None
        self.epochs, self.converged, self.cycled = 0, False, False
        while not (self.converged or self.cycled or self.epochs == max_epochs):
            before = self.restless()
            for example in examples:
                self.learn(*example)
            self.epochs += 1
            self.converged = self.restless() == before
            if self.detects_cycles and not self.converged:
                now = self.hypothesis()
                self.cycled = now == kept
                if self.epochs & (self.epochs - 1) == 0:
                    kept = now
        return self


class Around(Epochs):
    """A learner around a learner: other attributes are those of the inner one."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.detects_cycles = learner.detects_cycles

    def __getattr__(self, name: str) -> Any:
        if name == "learner":
            raise AttributeError(name)
        return getattr(self.learner, name)

    @property
    def updates(self) -> int:
        return int(self.learner.updates)

    def restless(self) -> int:
        return int(self.learner.restless())

    def hypothesis(self) -> Any:
        return self.learner.hypothesis()
