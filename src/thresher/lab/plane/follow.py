"""A learner followed example by example: its prediction, its mistakes, its hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.learners.entry import Entry

Floats = npt.NDArray[np.float64]


class Follower:
    """A learner of two labels, −1 and 1, in the plane."""

    def __init__(self, entry: Entry, model: Any) -> None:
        self.model = model
        self.linear = entry.linear
        self.begun = False
        if self.linear:  # weight 0: not learned, but there are weights from the start
            self.model.partial_fit([[0.0, 0.0]], [1], classes=[-1, 1], sample_weight=[0.0])
            self.begun = True
        # Mistakes and updates of a learner that does not count them itself.
        self.own = None if counts_mistakes(entry) else [0, 0]

    def score(self, x: Floats) -> float:
        """The score by the hypothesis so far; 0 before there is one."""
        if self.linear:
            return float(self.model.score_one(_named(x)))
        return float(self.scores(x[None, :])[0])

    def scores(self, X: Floats) -> Floats:
        if not self.begun:
            return np.zeros(len(X))
        return np.asarray(self.model.decision_function(X), np.float64)

    def learn(self, x: Floats, y: int) -> None:
        if self.own:
            self.own = [self.own[0] + (y * self.score(x) <= 0.0), self.own[1] + 1]
        if self.linear:  # by name, which is the fast path into the engine
            self.model.learn_one(_named(x), y)
        else:
            self.model.partial_fit(x[None, :], [y], classes=[-1, 1])
            self.begun = True

    @property
    def counts(self) -> tuple[int, int]:
        """Mistakes and updates so far."""
        if self.own:
            return self.own[0], self.own[1]
        if not self.begun:
            return 0, 0
        return self.model.mistakes_, self.model.updates_

    def weights(self) -> list[float]:
        """w1, w2 and b of the predicting hypothesis: the score is w1·x1 + w2·x2 + b."""
        w = np.ravel(self.model.coef_)
        return [float(f"{v:.9g}") for v in (w[0], w[1], np.ravel(self.model.intercept_)[0])]


def that_learns(entry: Entry, options: dict[str, Any]) -> tuple[Any, bool]:
    """The learner without its average, so that its scores are those of the hypothesis that learns;
    and whether it was asked to average."""
    asked = entry.cls(**options)
    averaged = bool(asked.get_params().get("average"))
    return entry.cls(**learning_options(entry, options)), averaged


def learning_options(entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    """The options of the hypothesis that learns: without an average."""
    averaged = bool(entry.cls(**options).get_params().get("average"))
    return {**options, "average": False} if averaged else options


def counts_mistakes(entry: Entry) -> bool:
    """Whether a learner counts them; one that solves for its weights on demand does not."""
    return not entry.quadratic


def _named(x: Floats) -> dict[str, float]:
    return {"x0": float(x[0]), "x1": float(x[1])}
