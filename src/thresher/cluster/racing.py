"""A race whose settings are spread over workers, with the standings of a race on one machine.

A learner in a race ends as it would have ended alone, so any group of them can run anywhere. What
cannot be spread is who leaves: that depends on the losses of all. So a worker reports the loss of
every example for each of its learners, and the losses are put together here, in the order of the
stream, by the same table and at the same examples as in a race on one machine. Workers run ahead
of that: in heats, each of which begins anew and is sixteen times as long as the last, so that the
learners that are out cost little, and a heat is a function of its arguments.
"""

from __future__ import annotations

import math
import os
import socket
import uuid
import zlib
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from thresher._core import Progress
from thresher._core import Standings as Table
from thresher.cluster.engine import Engine, tell
from thresher.cluster.manifest import Shard, readable
from thresher.cluster.tasks import Answer, Lesson, refusal, saved, versions
from thresher.data.reader import BadLines
from thresher.errors import ClusterError, InvalidInput, ThresherError
from thresher.lazy import np
from thresher.learners.criteria import Metric, is_counted
from thresher.learners.standing import BASELINES, Standing, ranked, standing
from thresher.race import FileRace, RaceField, runners_of
from thresher.race.runners import Runner
from thresher.training import doubt_of_order

if TYPE_CHECKING:
    from thresher.data.reading import Needs

FIRST_HEAT, LONGER = 1 << 16, 16  # examples, and by which factor the next heat is longer
ROWS = 1 << 16  # of the table, at a time
TELL_EXAMPLES = 1 << 14  # after each doubling up to these, and then after each so many


@dataclass(frozen=True)
class Heat:
    """What all groups of a race have in common."""

    lesson: Lesson
    files: tuple[Shard, ...]
    learners: tuple[Any, ...]
    metric: Metric
    needs: Needs
    adds_repeats: bool
    since: int = 0
    """Outcomes before this one were reported in the last heat."""
    stop: int | None = None
    """After how many examples it ends."""
    topic: str = ""
    """On which groups tell how far they are."""


@dataclass
class Report:
    """How a runner has done, on a worker."""

    losses: bytes = b""
    whole: bool = True
    """Whether each loss is 0 or 1, and one byte."""
    examples: int = 0
    error: float = 0.0
    figure: float = 0.0
    rate: float = 0.0
    left: tuple[int, int, str] | None = None
    """Before which outcome, after which example and why it failed."""
    model: bytes | None = None


@dataclass
class Stretch:
    """The stream as a group has seen it: the outcomes' weights, and where pieces ended."""

    held_out: bytes = b""
    weights: bytes = b""
    truths: bytes = b""
    marks: list[tuple[int, int]] = field(default_factory=list)  # examples, outcomes
    width: float = 0.0
    is_over: bool = True
    doubt: str | None = None
    runners: dict[int, Report] = field(default_factory=dict)


class NobodyLeft(Exception):
    """All runners of this group have failed; those of others may go on."""


class RecordedField(RaceField):
    """The runners of a group, whose outcomes are kept; nobody is dropped for being worse."""

    def __init__(self, heat: Heat, runners: dict[int, Runner]) -> None:
        plan = heat.lesson.plan
        super().__init__(list(runners.values()), True, plan.holdout, plan.threads, heat.metric)
        self.heat, self.numbers = heat, {r.name: i for i, r in runners.items()}
        self._adds_repeats = heat.adds_repeats
        self.outcomes = 0
        self.found = Stretch()
        self.kept: dict[str, list[Any]] = {name: [] for name in self.numbers}
        self.stream: list[tuple[Any, Any, Any]] = []
        self.left: dict[str, tuple[int, int, str]] = {}
        self.next_tell = 1

    def needs(self) -> Needs:
        return self.heat.needs

    def settle(self) -> None:
        if self.running:
            super().settle()
        elif self._pool is not None:
            self._pool.shutdown()

    def _nobody_left(self, failed: list[Runner]) -> Exception:
        for runner in failed:
            self._drop(runner, runner.met, str(runner.failure))
        return NobodyLeft()

    def _drop(self, runner: Runner, at: int, reason: str) -> None:
        self.left[runner.name] = (self.outcomes, at, reason)
        super()._drop(runner, at, reason)

    def advance(self, examples: int) -> None:
        first = True
        for runner in self.running:
            held, weights, losses, truths = runner.progress.outcomes
            if first:
                first = False
                rows = np.frombuffer(held, np.uint8)
                skip = max(0, min(len(rows), self.heat.since - self.outcomes))
                self.outcomes += len(rows)
                self.stream.append((rows[skip:], np.frombuffer(weights)[skip:],
                                    np.frombuffer(truths)[skip:]))  # fmt: skip
            found = np.frombuffer(losses)[skip:]
            small = found.astype(np.uint8)
            self.kept[runner.name].append(small if (small == found).all() else found)
        self.examples += examples
        self.found.marks.append((self.examples, self.outcomes))
        self._tell()

    def _tell(self) -> None:
        """Pieces end at the same examples in every group, so what groups tell can be compared."""
        if self.examples < self.next_tell:
            return
        while self.next_tell <= self.examples:
            self.next_tell += min(self.next_tell, TELL_EXAMPLES)
        scores = [(self.numbers[r.name], r.score.weight, r.score.loss) for r in self.running]
        tell(self.heat.topic, {"group": list(self.numbers.values()), "examples": self.examples,
                               "scores": scores})  # fmt: skip

    def report(self) -> Stretch:
        found = self.found
        for name, column in zip(("held_out", "weights", "truths"), zip(*self.stream, strict=True),
                                strict=False):  # fmt: skip
            setattr(found, name, _packed(np.concatenate(column)))
        found.width = self.table.width
        found.doubt = doubt_of_order(self.runners[0].progress)
        for runner in self.runners:
            parts = self.kept[runner.name]
            losses = np.concatenate(parts) if parts else np.zeros(0, np.uint8)
            found.runners[self.numbers[runner.name]] = Report(
                _packed(losses), losses.dtype == np.uint8, runner.score.examples, runner.error,
                runner.figure(self.metric, float("nan")),
                runner.progress.learned.examples / runner.seconds if runner.seconds else 0.0,
                self.left.get(runner.name),
            )  # fmt: skip
        return found


def _packed(values: Any) -> bytes:
    return zlib.compress(np.ascontiguousarray(values).tobytes(), 1)


def run_group(heat: Heat, group: tuple[int, ...], _: Any) -> Answer:
    """A group of learners over the whole stream, or its beginning."""
    answer = Answer(worker=f"{socket.gethostname()}:{os.getpid()}")
    for file in heat.files:
        if (why := refusal(heat.lesson, file, "")) is not None:
            answer.error = why
            return answer
    try:
        _race(heat, group, answer)
    except ThresherError as error:
        answer.error = str(error)  # it says where
    except OSError as error:
        answer.fail(heat.files[0], error)
    return answer


def _race(heat: Heat, group: tuple[int, ...], answer: Answer) -> None:
    runners = dict(zip(group, runners_of([heat.learners[i] for i in group]), strict=True))
    field = RecordedField(heat, runners)
    bad = BadLines(heat.lesson.on_bad_line)
    reading = heat.lesson.reading
    formats = {file.format for file in heat.files}
    if len(formats) == 1 and (format := formats.pop()) is not None:
        reading = replace(reading, format=format)
    with ExitStack() as open_files:
        paths = [open_files.enter_context(readable(file)) for file in heat.files]
        with FileRace(field, paths, reading, heat.lesson.plan, bad) as race:
            try:
                for _ in race:
                    if heat.stop is not None and field.examples >= heat.stop:
                        field.found.is_over = False
                        break
                race.check_learned()
            except NobodyLeft:
                pass
        answer.content = field.report()
        answer.bad_lines, answer.first_bad = bad.count, bad.first
        if field.found.is_over:
            for runner in field.running:
                field.found.runners[field.numbers[runner.name]].model = saved(runner.own())


# ------------------------------------------------------------------ here


# Called with a number of examples, and weight and loss of each runner after these; also on threads
# of the engine.
Watch = Callable[[int, dict[int, tuple[float, float]]], None]


class ClusterRace:
    """The standings of a race whose runners are elsewhere."""

    def __init__(
        self,
        engine: Engine,
        files: list[Shard],
        lesson: Lesson,
        learners: list[Any],
        *,
        metric: Metric = "error",
        keep_all: bool = False,
    ) -> None:
        runners = runners_of(learners)
        whole = RaceField(runners, keep_all, lesson.plan.holdout, lesson.plan.threads, metric)
        lesson = replace(lesson, versions=versions())
        self.heat = Heat(lesson, tuple(files), tuple(learners), metric, whole.needs(),
                         whole._adds_repeats)  # fmt: skip
        self.engine, self.names = engine, [runner.name for runner in runners]
        self.keep_all, self.task, self.sets = whole.keep_all, whole.task, whole.sets
        self.table = Table(len(runners), whole.regress)
        self.passes = [Progress() for _ in runners]
        for progress in self.passes:
            progress.hold_out_every = lesson.plan.holdout
        self.out: dict[int, Standing] = {}
        self.reports: dict[int, Report] = {}
        self.examples = self.outcomes = 0
        self.bad_lines, self.first_bad = 0, list[str]()
        self.doubt: str | None = None  # about the order of the data
        self.decided: list[Standing] = []  # after the last heat
        self.watch: Watch | None = None

    def run(self) -> None:
        """All heats."""
        stop: int | None = None if self.keep_all else FIRST_HEAT
        while True:
            topic = f"thresher-{uuid.uuid4().hex}" if self.watch else ""
            heat = replace(self.heat, since=self.outcomes, stop=stop, topic=topic)
            stretches = self._one_heat(heat)
            self._put_together(stretches)
            self.decided = self.standings()
            if self.watch is not None:
                scores = {i: (s.weight, s.loss) for i, s in enumerate(map(self._score, self.passes))
                          if i not in self.out}  # fmt: skip
                self.watch(self.examples, scores)
            if all(found.is_over for found in stretches):
                return
            assert stop is not None
            stop *= LONGER

    def _one_heat(self, heat: Heat) -> list[Stretch]:
        running = [i for i in range(len(self.names)) if i not in self.out]
        groups = [tuple(running[k :: self.engine.workers]) for k in range(self.engine.workers)]
        tasks = [(heat, group) for group in groups if group]
        found: dict[int, Stretch] = {}
        hear = self._hearer(len(tasks))
        with self.engine.listening(heat.topic, hear) if heat.topic else nullcontext():
            for k, answer in self.engine.run(run_group, tasks, None):
                if answer.error is not None:
                    raise ClusterError(answer.error)
                found[k] = answer.content
                self.bad_lines, self.first_bad = answer.bad_lines, answer.first_bad
        return [found[k] for k in sorted(found)]

    def _hearer(self, groups: int) -> Callable[[dict[str, Any]], None]:
        """Hands on what all groups have told about the same examples."""
        told: dict[int, dict[int, dict[int, tuple[float, float]]]] = {}
        reached = self.examples

        def hear(one: dict[str, Any]) -> None:
            nonlocal reached
            if one["examples"] <= reached or self.watch is None:
                return
            there = told.setdefault(one["examples"], {})
            there[one["group"][0]] = {i: (weight, loss) for i, weight, loss in one["scores"]}
            if len(there) == groups:
                reached = one["examples"]
                for examples in [n for n in told if n <= reached]:
                    del told[examples]
                self.watch(reached, {i: s for part in there.values() for i, s in part.items()})

        return hear

    def _put_together(self, stretches: list[Stretch]) -> None:
        """The losses of all, piece by piece of the stream."""
        self.reports = {i: one for found in stretches for i, one in found.runners.items()}
        stream = max(stretches, key=lambda found: len(found.marks))
        self.doubt = stream.doubt
        if self.examples == 0:
            self.table.see(stream.width * Table.first)
        columns = [np.frombuffer(zlib.decompress(packed), kind) if packed else np.zeros(0, kind)
                   for packed, kind in ((stream.held_out, np.uint8), (stream.weights, np.float64),
                                        (stream.truths, np.float64))]  # fmt: skip
        losses = {
            i: np.frombuffer(zlib.decompress(one.losses), np.uint8 if one.whole else np.float64)
            for i, one in self.reports.items()
        }
        since = self.outcomes
        for examples, outcomes in stream.marks:
            if examples <= self.examples:
                continue
            self._leave()
            self._add(columns, losses, self.outcomes - since, outcomes - since)
            self.examples, self.outcomes = examples, outcomes
            worse = self.table.look(examples)
            for i in () if self.keep_all else worse:
                leader = self.names[self.table.leader]
                self._drop(i, examples, f"surely worse than {leader}", failed=False)
        self._leave()

    def _leave(self) -> None:
        """Those that failed on what comes next."""
        failed = {
            i: one.left
            for i, one in self.reports.items()
            if i not in self.out and one.left is not None and one.left[0] <= self.outcomes
        }
        running = set(self.reports) - set(self.out)
        if failed and set(failed) == running:
            reasons = {self.names[i]: left[2] for i, left in failed.items()}
            if len(set(reasons.values())) == 1:
                raise InvalidInput(reasons.popitem()[1])
            told = "\n".join(f"  {name}: {reason}" for name, reason in reasons.items())
            raise InvalidInput(f"no learner of the race can use this data.\n{told}")
        for i, (_, at, reason) in failed.items():
            self._drop(i, at, reason, failed=True)

    def _add(self, columns: list[Any], losses: dict[int, Any], begin: int, end: int) -> None:
        for a in range(begin, end, ROWS):
            b = min(end, a + ROWS)
            held, weights, truths = (column[a:b].tobytes() for column in columns)
            given: list[Progress | None] = []
            for i, progress in enumerate(self.passes):
                if i in self.out:
                    given.append(None)
                    continue
                own = losses[i][a:b].astype(np.float64)
                progress.set_outcomes(held, weights, own.tobytes(), truths)
                counts = columns[0][a:b] == (progress.hold_out_every > 0)
                self._count(progress, columns[1][a:b][counts], own[counts])
                given.append(progress)
            self.table.add(given)

    @staticmethod
    def _score(progress: Progress) -> Any:
        return progress.held_out if progress.hold_out_every else progress.learned

    def _count(self, progress: Progress, weights: Any, losses: Any) -> None:
        """Summed up one after the other, as by the learner itself."""
        score = self._score(progress)
        score.examples += len(losses)
        score.weight = float(np.cumsum(np.r_[score.weight, weights])[-1])
        score.loss = float(np.cumsum(np.r_[score.loss, weights * losses])[-1])

    def _drop(self, i: int, at: int, reason: str, *, failed: bool) -> None:
        one, score = self.reports[i], self._score(self.passes[i])
        # One that failed in a piece has learned a part of it; one that is worse ends with a piece.
        error = one.error if failed else score.loss / score.weight
        spread = self.table.row(i)["standard_error"]
        found = {"error": error, "recent": None, "standard_error": spread}
        examples = one.examples if failed else score.examples
        self.out[i] = standing(self.names[i], found, examples, dropped_at=at, reason=reason,
                               failed=failed, rate=one.rate, figure=one.figure)  # fmt: skip
        self.table.leave(i)

    # -- what was found

    @property
    def leader(self) -> int:
        if not is_counted(self.heat.metric):
            return self.table.leader
        running = [i for i in range(len(self.names)) if i not in self.out]
        return min(running, key=lambda i: (math.isnan(self._figure(i)), self._figure(i)))

    def _figure(self, i: int) -> float:
        """Absolute errors are those of the table, which has seen all outcomes."""
        return self.table.distance(i) if self.heat.metric == "mae" else self.reports[i].figure

    def standings(self) -> list[Standing]:
        rows = [
            self.out.get(i)
            or standing(name, self.table.row(i), self.reports[i].examples,
                        rate=self.reports[i].rate, figure=self._figure(i))
            for i, name in enumerate(self.names)
        ]  # fmt: skip
        baselines = () if self.sets else BASELINES[self.task].items()
        return ranked(rows, self.leader) + [
            standing(name, self.table.row(getattr(self.table, key)), self.table.examples,
                     baseline=True)
            for key, name in baselines
        ]  # fmt: skip

    @property
    def best(self) -> bytes:
        """The winner's model."""
        model = self.reports[self.leader].model
        assert model is not None
        return model
