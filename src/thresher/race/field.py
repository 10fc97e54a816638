"""All runners of a race: learning at once, ranked, dropped."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Lexicon, Progress
from thresher._core import Standings as Table
from thresher.errors import InvalidInput, ThresherError
from thresher.learners.base.labels import plain_label
from thresher.learners.criteria import Metric, checked_metric, is_counted
from thresher.learners.standing import BASELINES, Standing, ranked, standing
from thresher.race.runners import Runner
from thresher.race.sharing import Sharing

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from thresher.data.reader import Batch
    from thresher.data.reading import Needs, ReadingOptions


class RaceField:
    """All runners: what a run over files teaches instead of one learner."""

    reacts = waits = False

    def __init__(
        self,
        runners: list[Runner],
        keep_all: bool,
        holdout: int,
        threads: int | None,
        metric: Metric = "error",
    ) -> None:
        self.runners = runners
        self.metric = checked_metric(metric, runners[0].learner.task)
        self.keep_all = keep_all or is_counted(metric)  # there is no rule for others
        # One more than processors: at the end of a batch, the remaining runners use free ones.
        self.threads = threads or (os.cpu_count() or 1) + 1
        self.task: str = runners[0].learner.task
        self.examples = 0
        self.table = Table(len(runners), self.regress)
        self.codes: dict[Any, int] = {}  # of labels, for the baselines
        self.sets = not self.regress and runners[0].learner.multi_label
        if metric != "error" and self.sets:
            raise InvalidInput(f"metric={metric!r} is for examples with one label each.")
        self._pool: ThreadPoolExecutor | None = None
        self._batch: Batch | None = None
        self.sharing = Sharing(runners)
        self._adds_repeats = False  # though some learners take a name that comes again once
        for runner in runners:
            runner.progress.hold_out_every = holdout
            runner.progress.keeps_outcomes = True
            runner.progress.figures.on = is_counted(metric) and not self.regress

    def __getstate__(self) -> dict[str, Any]:
        # Threads, and what is being read, are not copied: a copy continues with single examples.
        return {**self.__dict__, "_pool": None, "_batch": None, "lexicon": None}

    @property
    def regress(self) -> bool:
        return self.task == "regress"

    @property
    def running(self) -> list[Runner]:
        return [runner for runner in self.runners if runner.dropped_at is None]

    def truth_of(self, y: Any) -> float:
        """A target, or a code of a label, as the table knows it."""
        if self.regress:
            return float(y)
        return math.nan if self.sets else self.codes.setdefault(plain_label(y), len(self.codes))

    @property
    def leader(self) -> Runner:
        """The one with the least error, or with the least recent error where these disagree; or
        with the best figure of another kind."""
        if not is_counted(self.metric):
            return self.runners[self.table.leader]
        figures = [
            (one.figure(self.metric, self.table.distance(i)), one)
            for i, one in enumerate(self.runners)
            if one.dropped_at is None
        ]
        return min(figures, key=lambda found: (math.isnan(found[0]), found[0]))[1]

    def standings(self) -> list[Standing]:
        """The leader, the others by error, those that left; then the baselines."""
        runners = enumerate(self.runners)
        rows = [
            runner.standing(self.table.row(i), self.metric, self.table.distance(i))
            for i, runner in runners
        ]
        baselines = () if self.sets else BASELINES[self.task].items()
        return ranked(rows, self.runners.index(self.leader)) + [
            standing(name, self.table.row(getattr(self.table, key)), self.table.examples,
                     baseline=True)
            for key, name in baselines
        ]  # fmt: skip

    # -- the run

    def each(self, learn: Callable[[Runner], None], at_once: bool = True) -> None:
        """Let all runners do something, on all threads; one that fails is out.

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
        i = self.runners.index(runner)
        runner.dropped_at, runner.reason = at, reason
        runner.spread = self.table.row(i)["standard_error"]
        runner.learner = None  # frees its memory
        self.table.leave(i)

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
        """This many more examples were learned; those that are surely worse are dropped."""
        self.table.add([runner.progress if runner.learner else None for runner in self.runners])
        self.examples += examples
        worse = self.table.look(self.examples)
        for i in () if self.keep_all else worse:
            self._drop(self.runners[i], self.examples, f"surely worse than {self.leader.name}")

    # -- what a run requires (`thresher.learners.contract.Learning`)

    def begin_reading(self, how: ReadingOptions) -> None:
        """All read the same, and share the numbers of its names."""
        self.lexicon = Lexicon(how.hash_bits, how.min_count, how.max_features)
        for runner in self.runners:
            runner.learner.begin_reading(how, self.lexicon)
            runner.shares_names = True

    @property
    def counts_names(self) -> bool:
        return self.lexicon.counts

    def needs(self) -> Needs:
        needs: list[Needs] = [runner.learner.needs() for runner in self.runners]
        if all(need == needs[0] for need in needs):
            return needs[0]
        several = [r.name for r, need in zip(self.runners, needs, strict=True) if need.sets]
        if several and len(several) < len(needs):
            raise InvalidInput(
                f"{several[0]} learns sets of labels, others in this race do not, and all read the "
                "same. Race those that learn sets among themselves."
            )
        clipping = [r.name for r, need in zip(self.runners, needs, strict=True) if need.clip]
        if clipping:
            raise InvalidInput(
                f"{clipping[0]} clips the values that it reads, others in this race do not, and "
                "all read the same. Race it with others that clip, or without clip=True."
            )
        self._adds_repeats = len({need.once for need in needs}) > 1
        # Those that need [0, 1] check it.
        return replace(needs[0], unit=False, clip=False, once=False)

    def resolver(self, batch: Batch) -> Callable[[int, int], Examples]:
        """Names get their numbers once, for all models: between two batches no runner learns."""
        self._batch = batch
        if self._adds_repeats and batch.core.repeated is not None:
            self._drop_sets(batch.core.repeated)
        codes, starts = list[int](), list[int]()
        for runner in self.running:  # all give the same labels the same codes
            codes, starts = runner.learner.label_codes(batch)
        return lambda begin, end: self.lexicon.resolve(batch.core, codes, True, begin, end, starts)

    def _drop_sets(self, row: int) -> None:
        """A name came again in an example: it was counted, as most learners want it."""
        for runner in self.running:
            if runner.learner.needs().once:
                runner.failure = InvalidInput(
                    f"example {self.examples + row + 1:,} has a name twice, which "
                    f"{runner.name} would take once and others in this race count, and all read "
                    "the same. Race those that take names once among themselves."
                )
                self._drop(runner, self.examples, str(runner.failure))

    def learn_examples(
        self, examples: Examples, begin: int, end: int, progress: Progress, order: Any = None
    ) -> None:
        if (more := Table.first - self.examples) > 0:
            self.table.see_examples(examples, begin, min(end, begin + more), order)
        prepared = self.sharing.prepared(
            lambda shared, runner: shared.prepare(examples, begin, end, runner.progress, order)
        )

        def learn(runner: Runner) -> None:
            try:
                if runner.name in prepared:
                    runner.learner.learn_prepared(prepared[runner.name], runner.progress)
                else:
                    runner.learner.learn_examples(examples, begin, end, runner.progress, order)
            except ThresherError as error:
                if order is None and self._batch and error.where.example is not None:
                    self._batch.locate(error, error.where.example)
                raise

        self.each(learn)
        self.advance(end - begin)

    def learned_only(self, rows: int) -> None:
        """No runner can use the following rows: there is no winner to continue with."""

    def settle(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        if not self.regress:
            self.codes = dict(self.leader.learner._labels.codes)  # settling may change them
        for runner in self.running:
            runner.learner.settle()

    @property
    def examples_(self) -> int:
        """That the leader has learned."""
        return int(self.leader.learner.examples_)

    epochs_ = 0
