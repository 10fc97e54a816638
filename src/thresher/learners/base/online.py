"""Learning from a stream: epochs over arrays, and when to stop."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from thresher._core import Model, PreparedRows, SharedPreparation
from thresher._core import Progress as Progress  # for callers that follow a pass
from thresher.errors import InvalidInput, ThresherError
from thresher.lazy import np, npt
from thresher.learners.base.examples import Rows, clipped
from thresher.learners.base.groups import goes_on_as
from thresher.learners.base.learner import FitOptions, Floats, Learner
from thresher.prepare import SCALERS, steps_of


class Cycle:
    """Brent's algorithm on the weights at the ends of epochs: one copy kept, compared exactly."""

    def __init__(self) -> None:
        self.kept, self.epoch = b"", 0

    def closed_by(self, hypothesis: bytes, epoch: int) -> int:
        """How many passes lead from the same weights to these; 0 if they are new."""
        if hypothesis == self.kept:
            return epoch - self.epoch
        if epoch & (epoch - 1) == 0:  # 1, 2, 4, 8 …: in the end one of these lies on the cycle
            self.kept, self.epoch = hypothesis, epoch
        return 0


@dataclass(frozen=True)
class RowLesson:
    """Rows of an array that a model is about to learn; called, it learns some of them."""

    model: Model
    core: Any
    lesson: dict[str, Any]

    def __call__(self, begin: int, end: int, progress: Progress) -> None:
        self.model.learn_rows(self.core, begin=begin, end=end, progress=progress, **self.lesson)

    def prepared(
        self, shared: SharedPreparation, begin: int, end: int, progress: Progress
    ) -> PreparedRows:
        """The same rows, prepared for several models at once."""
        return shared.prepare_rows(
            self.core, begin=begin, end=end, progress=progress, **self.lesson
        )


class Online(Learner):
    """A learner that takes its examples one by one."""

    # What a learner without these options does: one pass, in the order given.
    max_epochs: int | None = 1
    shuffle: bool = False
    random_state: Any = None
    warm_start: bool = False

    def _begun(self, options: FitOptions) -> Self:
        """What ``fit`` teaches and then takes over: a failure halfway leaves the learner as it was.

        A fresh learner; with ``warm_start``, unless weights to begin with are given, a copy.
        """
        given = options.get("coef_init") is not None or options.get("intercept_init") is not None
        if self.warm_start and self._model is not None and not given:
            self._require_idle()
            return copy.copy(self)
        fresh = self.fresh()
        fresh._begin()
        return fresh

    def _repeats_prove(self) -> bool:
        """Whether weights seen before at an epoch's end mean that it will cycle forever."""
        return False

    def _came_back(self, rows: Rows, epoch: int, passes: int, **lesson: Any) -> None:
        """After `epoch` the weights are those of `passes` passes before: say what that means."""

    def keep_audit(self, audit: str | None) -> None:
        if audit is not None:
            raise InvalidInput(f"audit is for classifiers; {type(self).__name__} is not one.")

    def set_params(self, **params: Any) -> Self:
        if "prepare" in params and self._model is not None:
            now = steps_of(self.prepare)
            if steps_of(params["prepare"]) != now:
                raise InvalidInput(
                    "prepare cannot change once learning has begun: it is "
                    f"{self.prepare!r}, found {params['prepare']!r}; start with a "
                    "fresh learner."
                )
        if "average" in params and self._model is not None:
            before = self.get_params()["average"]
            if not goes_on_as(before, params["average"]):
                raise InvalidInput(
                    f"average cannot change from {before!r} to {params['average']!r} once "
                    "learning has begun; start with a fresh learner."
                )
        return super().set_params(**params)

    rests_without: ClassVar[str] = "updates"
    """What an epoch must be without for `fit` to end: "updates", or "mistakes"."""

    def _moves_rows(self) -> bool:
        """Whether an example becomes a different row when it is repeated: statistics change."""
        return any(step.kind in SCALERS for step in steps_of(self.prepare))

    def _epochs(self, model: Model, rows: Rows, **lesson: Any) -> None:
        """Pass after pass, until an epoch changes nothing."""
        generator = generator_from(self.random_state) if self.shuffle else None
        may_cycle = (
            self._repeats_prove()
            and not self.shuffle
            and self.max_epochs != 1
            and not self._moves_rows()
        )
        cycle = Cycle() if may_cycle else None
        self.epochs_ = 0
        self.converged_ = False
        for epoch in itertools.count(1):
            before = model.counters()[self.rests_without]
            order = generator.permutation(rows.size) if generator is not None else None
            self._pass(model, rows, order=order, **lesson)
            self.epochs_ = epoch
            if model.counters()[self.rests_without] == before:
                self.converged_ = True
                return
            if cycle is not None and (passes := cycle.closed_by(model.hypothesis(), epoch)):
                self._came_back(rows, epoch, passes, **lesson)
                return
            if epoch == self.max_epochs:
                return

    def _lesson(self, y: Any, rows: int, weights: Floats | None) -> dict[str, Any]:
        """Labels or targets, and weights, as the core takes them."""
        raise NotImplementedError

    def begin_rows(self, rows: Rows, y: Any, weights: Floats | None = None) -> RowLesson:
        """Begin with rows of an array; the function returned learns those from one number to
        before another, each of which it predicts first. See `thresher.learners.contract.Racing`.
        """
        model = self._begin()
        self.epochs_, self.converged_ = 1, False
        lesson = self._lesson(y, rows.size, weights)
        core = self._admit_columns(clipped(rows) if self.clip else rows, model).core

        return RowLesson(model, core, lesson)

    def _started(self) -> Self:
        """This learner, or a fresh one if it has learned nothing, to take over from later."""
        if self._model is not None:
            return self
        fresh = self.fresh()
        fresh._begin()
        fresh.epochs_, fresh.converged_ = 0, False
        return fresh

    def _go_on(self, started: Self, rows: Rows, **lesson: Any) -> None:
        """One pass over more rows. Those before a bad one stay learned."""
        model = started._learned()
        before = model.counters()["examples"]
        try:
            started._pass(model, rows, **lesson)
        except ThresherError as error:
            error.advise("The rows before it have been learned.")
            raise
        except Exception as error:  # of a rule or a learning rate written by the user
            error.add_note("The rows before the one that raised this have been learned.")
            raise
        finally:
            started._drop_unmet()
            if started is not self and model.counters()["examples"] > before:
                self._take(started)
        if started is not self:
            self._take(started)


class OrderFree(Online):
    """A learner of sums over its examples: order does not matter, and weight two is two copies.

    There is only one pass: a second would count everything twice.
    """

    max_epochs = 1
    shuffle = False
    random_state = None

    def fit(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None, **options: Any
    ) -> Self:
        """Learn from an array, from scratch, in one pass.

        X is a NumPy array, a scipy sparse matrix, or a pandas, polars or Arrow table. A row of
        weight two counts as two copies of it.
        """
        learner: Any = super()
        learner.fit(X, y, sample_weight=sample_weight, **options)
        return self


def generator_from(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):  # what scikit-learn's helpers pass
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"random_state is {random_state!r}; expected None, a whole number ≥ 0, or a NumPy "
            "generator."
        ) from None
