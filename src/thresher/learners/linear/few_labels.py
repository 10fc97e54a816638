"""Few labels, and targets that move: the label-efficient and the shifting perceptron."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.examples import refuse_none
from thresher.learners.base.groups import (
    Averaging,
    Calibration,
    Intercept,
    InterceptScaling,
    Passes,
    Preparation,
)
from thresher.learners.base.learner import Engine
from thresher.learners.linear.classifier import PlainLinearClassifier
from thresher.learners.linear.perceptron import Stepping
from thresher.options import count, real


class LabelEfficientPerceptron(Stepping, Averaging, PlainLinearClassifier):
    """The perceptron that asks for a label only where it is unsure (Cesa-Bianchi et al. 2006).

    It asks with probability b/(b + |s|); with three classes and more |s| is the lead of the best
    score over the next. Where it does not ask it learns nothing, not even probabilities, however
    often the label is given. `labels_asked_` counts; `mistakes_` counts all mistakes, asked or not.

    Whether it asks depends on the seed, on how many examples came before, and on the score: not on
    how a stream is cut into calls, nor on where a run was resumed.

    Examples
    --------
    >>> from thresher import LabelEfficientPerceptron
    >>> model = LabelEfficientPerceptron(b=0.1, average=False, max_epochs=100)
    >>> model = model.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> model.score([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    1.0
    >>> model.labels_asked_ < model.examples_
    True
    """

    rests_without = "mistakes"  # without updates: perhaps it only asked for no label
    engine = Engine("additive", "perceptron")

    b: float = real(
        default=1.0,
        above=0.0,
        doc="how willing it is to ask: the |s| at which it asks every second time. To be seen "
        "beside the scores, which grow with ‖x‖².",
    )
    seed: int = count(default=0, most=2**63 - 1, doc="of the numbers by which it decides.")

    def asks_one(self, x: Any) -> bool:
        """Whether it asks for the label of this example, if it is the next one that is learned.

        If so, `learn_one` with that label is the next call, else `skip_one`.
        """
        self._refuse_prepared()
        refuse_none(x)
        return self._model is None or self._model.asks_one(x)

    def skip_one(self, x: Any) -> None:
        """The next example, for whose label it does not ask.

        It learns nothing from it and counts it, as its coin goes by the number of the example.
        `mistakes_` counts none: whether it was one is unknown.
        """
        self._refuse_prepared()
        with self._turn():
            if self.asks_one(x):
                raise InvalidInput(
                    "it asks for the label of this example; expected learn_one(x, label)."
                )
            self.learn_one(x, self.predict_one(x))

    def _refuse_prepared(self) -> None:
        if self.prepare is not None:
            raise InvalidInput(
                f"prepare is {self.prepare!r}: whether it asks is decided when an example is "
                "learned, by statistics that the example changes; expected a learner without "
                "prepare. Prepare the rows first, with thresher.features."
            )

    @property
    def labels_asked_(self) -> int:
        """Labels that it asked for."""
        return int(self._learned().counters()["asked"])


class ShiftingPerceptron(
    Passes, Intercept, InterceptScaling, Calibration, Preparation, OnlineClassifier
):
    """A perceptron whose memory fades, for a target that moves (Cavallanti et al. 2007).

    On the k-th mistake w = (1 − λ_k)·w + λ_k·y·x, λ_k = λ/(λ + k): of the last examples that it was
    wrong on it remembers most, so it turns faster when the target does, and makes more mistakes
    while it stands still. With three classes and more there is one for each, against the rest.

    Examples
    --------
    >>> from thresher import ShiftingPerceptron
    >>> model = ShiftingPerceptron(lambda_=1.0, fit_intercept=False)
    >>> model.learn_one({"a": 1.0}, 1)
    >>> model.learn_one({"a": 0.5, "b": 3.0}, -1)
    >>> round(model.score_one({"a": 1.0}), 6), model.score_one({"b": 1.0})
    (0.166667, -1.0)
    """

    engine = Engine("shifting", "perceptron")

    lambda_: float = real(
        default=4.0,
        above=0.0,
        most=1e6,
        doc="λ, how fast it forgets: the example of mistake k counts by about k^{λ−1}. 1 remembers "
        "all alike, as the Perceptron does; larger ones the newest most.",
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options | {"multiclass": "one-vs-rest", "margin": 0.0, "learning_rate": 1.0}
