"""All runners of a race: learning at once, ranked, sent home."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Lexicon, Model, Progress
from thresher.errors import InvalidInput, ThresherError
from thresher.race.runners import Runner
from thresher.race.standing import SHOWN, SURE, Standing, interval

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from thresher.data.formats import Wanted
    from thresher.data.reader import Batch, Recipe

FIRST_CUT = 1024


class Field:
    """All runners. To a training run it looks like one learner that reads once and learns often."""

    def __init__(
        self, runners: list[Runner], keep_all: bool, holdout: int, threads: int | None
    ) -> None:
        self.runners = runners
        self.keep_all = keep_all
        # One more than processors: at the end of a batch, those who are left share what is free.
        self.threads = threads or (os.cpu_count() or 1) + 1
        self.regress = runners[0].learner.task == "regress"
        self.examples = 0
        self.next_cut = FIRST_CUT
        self._pool: ThreadPoolExecutor | None = None
        self._batch: Batch | None = None
        for runner in runners:
            runner.progress.hold_out_every = holdout

    def __getstate__(self) -> dict[str, Any]:
        # Threads, and what is being read, stay behind: a copy goes on by single examples.
        return {**self.__dict__, "_pool": None, "_batch": None, "lexicon": None}

    @property
    def running(self) -> list[Runner]:
        return [runner for runner in self.runners if runner.dropped_at is None]

    def ranking(self) -> list[Runner]:
        """Who still runs first, by error; then who came furthest; who failed last."""

        def key(runner: Runner) -> tuple[bool, float, float]:
            came = math.inf if runner.dropped_at is None else runner.dropped_at
            error = math.inf if math.isnan(runner.error) else runner.error
            return runner.failure is not None, -came, error

        return sorted(self.runners, key=key)

    def standings(self) -> list[Standing]:
        return [
            Standing(
                runner.name,
                runner.error,
                interval(runner.score, SHOWN, self.regress),
                runner.score.examples,
                runner.dropped_at,
                runner.reason,
                runner.failure is not None,
                runner.progress.learned.examples / runner.seconds if runner.seconds else 0.0,
            )
            for runner in self.ranking()
        ]

    # -- the run

    def each(self, learn: Callable[[Runner], None], at_once: bool = True) -> None:
        """Let all runners do something, on all threads; one that cannot is out.

        If none of them can, it is not the runners' fault: all stay in, and the error is raised.
        """

        def timed(runner: Runner) -> None:
            begun = time.perf_counter()
            try:
                learn(runner)
            except Exception as error:  # also of a rule that the user wrote
                runner.failure = error
            runner.last = time.perf_counter() - begun
            runner.seconds += runner.last

        running = sorted(self.running, key=lambda runner: -runner.last)  # the slowest begins
        if not at_once or self.threads == 1 or len(running) == 1:
            for runner in running:
                timed(runner)
        else:
            list(self._threads().map(timed, running))
        failed = [runner for runner in running if runner.failure is not None]
        if len(failed) == len(running):
            raise self._nobody_left(failed)
        for runner in failed:
            self._drop(runner, runner.met, str(runner.failure))

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self.threads, "thresher-race")
        return self._pool

    def _drop(self, runner: Runner, at: int, reason: str) -> None:
        runner.dropped_at, runner.reason = at, reason
        runner.learner = None  # its memory is for the others

    def _nobody_left(self, failed: list[Runner]) -> Exception:
        reasons = {runner.name: runner.failure for runner in failed}
        for runner in failed:
            runner.failure = None
        first = next(error for error in reasons.values() if error is not None)
        if len({str(error) for error in reasons.values()}) == 1:
            return first
        told = "\n".join(f"  {name}: {error}" for name, error in reasons.items())
        return InvalidInput(f"no learner of the race can use this data.\n{told}")

    def advance(self, examples: int) -> None:
        """So many more were learned."""
        self.examples += examples
        if self.examples >= self.next_cut:
            while self.examples >= self.next_cut:
                self.next_cut *= 2
            if not self.keep_all:
                self.cut()

    def cut(self) -> None:
        """Send home who is surely worse than the leader."""
        leader = self.ranking()[0]
        best = interval(leader.score, SURE, self.regress)[1]
        for runner in self.running:
            if interval(runner.score, SURE, self.regress)[0] > best:
                self._drop(runner, self.examples, f"surely worse than {leader.name}")

    # -- what a training run asks of its learner

    def begin(self, wanted: Wanted, recipe: Recipe, lexicon: dict[str, int]) -> None:
        from thresher.training import begin

        self.lexicon = Lexicon(lexicon["hash_bits"], lexicon["min_count"], lexicon["max_features"])
        for runner in self.runners:
            begin(runner.learner, wanted, recipe, lexicon)
            model = Model(runner.learner._settled(), self.lexicon)
            runner.learner._share_labels(model)
            runner.learner._model = model
            runner.shares_names = True

    @property
    def _model(self) -> Field:
        return self

    def resolve(self, *batch: Any) -> Examples:
        """Names get their numbers once, for all models: between two batches nobody learns."""
        return self.lexicon.resolve(*batch)

    def take_back_resolved(self, learned: int) -> None:
        """Nobody is left who could go on."""

    def _reading_wishes(self) -> dict[str, bool]:
        wishes: list[dict[str, bool]] = [r.learner._reading_wishes() for r in self.runners]
        if all(wish == wishes[0] for wish in wishes):
            return wishes[0]
        several = [r.name for r, wish in zip(self.runners, wishes, strict=True) if wish["sets"]]
        if several and len(several) < len(wishes):
            raise InvalidInput(
                f"{several[0]} learns sets of labels, others in this race do not, and all read the "
                "same. Race those that learn sets among themselves."
            )
        clipping = [r.name for r, wish in zip(self.runners, wishes, strict=True) if wish["clip"]]
        if clipping:
            raise InvalidInput(
                f"{clipping[0]} clips the values that it reads, others in this race do not, and "
                "all read the same. Race it with others that clip, or without clip=True."
            )
        return {**wishes[0], "unit": False, "clip": False}  # who needs [0, 1] looks for itself

    def _codes_of_texts(self, batch: Batch) -> tuple[list[int], list[int]]:
        self._batch = batch
        codes: tuple[list[int], list[int]] = [], []
        for runner in self.running:  # all give the same labels the same codes
            codes = runner.learner._codes_of_texts(batch)
        return codes

    def learn_examples(
        self, examples: Examples, begin: int, end: int, progress: Progress, order: Any
    ) -> None:
        def learn(runner: Runner) -> None:
            try:
                model = runner.learner._model
                model.learn_examples(examples, begin, end, runner.progress, order)
            except ThresherError as error:
                if order is None and self._batch and error.where.example is not None:
                    self._batch.locate(error, error.where.example)
                raise

        self.each(learn)
        self.advance(end - begin)

    def _settle(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for runner in self.running:
            runner.learner._settle()

    @property
    def examples_(self) -> int:
        """That the leader has learned."""
        return int(self.ranking()[0].learner.examples_)

    epochs_ = 0
