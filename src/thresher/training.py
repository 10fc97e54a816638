"""A training run over files: passes, shuffling, holding out, and where to resume after a stop.

Every example is predicted before it is learned (progressive validation), so the error shown is an
honest one on the first pass. What is learned depends only on the examples and their order: not on
threads, chunks, or how often the run was stopped and resumed.
"""

from __future__ import annotations

import math
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Progress
from thresher.checkpoint import Checkpoint
from thresher.data.reader import BadLines, Batch, Position, Reader
from thresher.data.reading import ReadingOptions, reading_options
from thresher.data.sources import expand, name_of
from thresher.errors import InvalidInput, ThresherError, Where
from thresher.late import AT_ONCE, Clock, Delay, delay_of
from thresher.options import one_of
from thresher.options import whole as whole_number
from thresher.parsed_examples import ParsedExamples, new_cache
from thresher.reporting import Report, Reporting

if TYPE_CHECKING:
    from thresher.data.sniffing import Wanting
    from thresher.drift import Detector
    from thresher.drifting import Drift
    from thresher.learners.contract import Learning, Trainable


@dataclass(frozen=True)
class Plan:
    """What a run does, besides the learner and the data."""

    passes: int = 1
    shuffle_buffer: int = 0
    seed: int = 0
    holdout: int = 0  # every n-th example is predicted and never learned; 0: none
    threads: int | None = None
    chunk: int = 1 << 20
    cache: bool = True  # later passes read parsed examples from a temporary file
    delay: Delay = AT_ONCE  # when a label is learned
    on_drift: str | None = None  # what to do when the error rises: report, reset, forget
    drift_detector: str | Detector = "adwin"

    def __post_init__(self) -> None:
        if not self.delay:
            return
        several = self.passes if self.delay.time and self.passes > 1 else 0
        for name, value, why in (
            ("shuffle_buffer", self.shuffle_buffer, "labels that come late come in the order of "
             "time"),
            ("on_drift", self.on_drift, "a detector would see errors before their labels come"),
            ("passes", several, "times go by once"),
        ):  # fmt: skip
            if value:
                raise InvalidInput(f"delay and {name}={value!r} contradict each other: {why}.")


@dataclass
class Piece:
    """A group of examples: from a batch, or as they were parsed in an earlier pass."""

    size: int
    batch: Batch | None
    resolve: Callable[[int, int], Examples]
    examples: Examples | None = None

    def rows(self, begin: int, end: int) -> tuple[Examples, int]:
        """Examples, and where among them those from `begin` to before `end` start."""
        if self.examples is None:
            return self.resolve(begin, end), 0
        return self.examples, begin


class Training:
    """Iterate over it: it yields after each piece that was learned, and may be left at any time."""

    def __init__(
        self,
        learner: Learning,
        paths: Iterable[str | os.PathLike[str]],
        *,
        reading: ReadingOptions | None = None,
        plan: Plan | None = None,
        bad: BadLines | None = None,
        resume: Checkpoint | None = None,
    ) -> None:
        self.learner = learner
        self.reading = reading or ReadingOptions()
        self.plan = plan or Plan()
        self.bad = bad or BadLines()
        self.progress = Progress()
        self.progress.hold_out_every = self.plan.holdout
        self.on_first_batch: Callable[[Batch], None] | None = None  # before it is learned
        self.stop_at: int | None = None  # the next piece ends with this example, counted in all
        self.at = resume or Checkpoint(expand(paths))
        self.formats: set[str] = set()
        self.decimal_comma = False  # in one of the tables
        self.missing = 0  # values that were said to be missing, in what was read of the first pass
        self._counts_names = learner.counts_names
        if self.plan.delay and not learner.waits:
            raise InvalidInput(
                "delay is for linear learners and committees of them; "
                f"{type(learner).__name__} learns each example before the next is predicted."
            )
        if self.plan.on_drift and not learner.reacts:
            raise InvalidInput(
                "on_drift is for learners that learn one example after the other; "
                f"{type(learner).__name__} does not."
            )
        if self.plan.delay and self._counts_names:
            raise InvalidInput(
                "delay and min_count or max_features contradict each other: names would be counted "
                "twice where a run is resumed."
            )
        self._clock = Clock(self.plan.delay) if self.plan.delay.time else None
        if self.plan.delay.time:
            self.reading = replace(self.reading, keep=(self.plan.delay.time,))
        self.progress.delay, self.progress.waiting = self._longest_wait, self.at.waiting
        self.drift: Drift | None = None
        if self.plan.on_drift:
            from thresher.drifting import Drift

            self.drift = Drift(self.plan.on_drift, self.plan.drift_detector, learner, self.at.drift)
            self.progress.show(self.drift.watch)
        self._reads_once = any(not os.path.isfile(path) for path in self.at.files)
        if self._reads_once and self._counts_names and self.plan.passes > 1:
            raise InvalidInput(
                "a pipe can be read only once, and min_count needs to read the data in each pass; "
                "give files, or one pass."
            )
        if resume:
            self._restore_scores(resume.scores)
            self._cut_back(resume.aside)
            if self._reads_once and self.plan.passes - self.at.number > 1:
                # All of it is parsed again, for later passes.
                self.at.position, self.at.behind = Position(), self.at.in_pass
        self._to_pass_over = self.at.behind
        self.goes_on = resume is not None
        self._learned_before = learner.examples_
        self.reader = self._open(self.at.position)
        self.stopped = False
        self.is_torn = False  # bad lines of what was learned were not written: no place to resume
        self._cache: ParsedExamples | None = None

    @property
    def _longest_wait(self) -> int:
        """In examples; by a clock any number may wait."""
        return self.plan.delay.examples if self._clock is None else 2**62

    def stop(self) -> None:
        """End the run with the current piece: may be called by a signal handler."""
        self.stopped = True
        self.reader.stop()

    # -- what is known while it runs

    @property
    def examples(self) -> int:
        return self.at.examples

    @property
    def nothing_learned(self) -> bool:
        """Whether there is nothing to save. A resumed run may have been at its end before."""
        learned, went_on = self.learner.examples_, self.goes_on and self.at.examples > 0
        return learned == 0 or (learned == self._learned_before and not went_on)

    def why_nothing_learned(self) -> InvalidInput:
        """What was found instead of examples to learn from."""
        progress = self.progress
        found = [
            f"{count:,} {what}{'s' * (count > 1)}{which}"
            for count, what, which in (
                (self.bad.count, "bad line", " left out"),
                (progress.unlabelled, "example", " without a label"),
                (progress.held_out.examples, "example", " held out"),
                (progress.learned.examples, "example", " of weight 0"),
            )
            if count
        ]
        names = map(name_of, self.at.files[:5])
        more = f" and {len(self.at.files) - 5:,} more" if len(self.at.files) > 5 else ""
        error = InvalidInput(
            f"nothing was learned; found {', '.join(found) or 'no examples'}, expected at least "
            "one example to learn from.",
            where=Where(f"{', '.join(names)}{more}"),
        )
        for told in self.bad.first:
            error.add_note(told)
        return error

    def checkpoint(self) -> Checkpoint:
        """What `resume` takes. With the learner, it is the complete state."""
        self._look_back()
        self.at.scores = [
            [score.examples, score.weight, score.loss if math.isfinite(score.loss) else None]
            for score in (self.progress.learned, self.progress.held_out)
        ] + [[self.progress.unlabelled, 0.0, 0.0]]
        self.at.waiting = self.progress.waiting
        self.at.drift = self.drift.state() if self.drift else {}
        if path := self.bad.quarantine:
            self.at.aside = [path, os.path.getsize(path) if os.path.exists(path) else 0]
        return self.at

    def provenance(self) -> dict[str, Any]:
        """What a model keeps about its run; enough to resume."""
        return {
            "run": self.checkpoint().as_dict(),
            "formats": sorted(self.formats),
            **({"decimal_comma": True} if self.decimal_comma else {}),
            "bad_lines": self.bad.count,
            **({"drift": self.drift.report(self.progress)} if self.drift else {}),
        }

    def _restore_scores(self, scores: list[list[Any]]) -> None:
        for score, stored in zip(
            (self.progress.learned, self.progress.held_out), scores, strict=False
        ):
            score.examples, score.weight = int(stored[0]), stored[1]
            score.loss = math.inf if stored[2] is None else stored[2]
        if len(scores) > 2:
            self.progress.unlabelled = int(scores[2][0])

    def _cut_back(self, aside: list[Any]) -> None:
        """Bad lines that were written after the model was saved will be met again."""
        path = self.bad.quarantine
        if path and aside and aside[0] == path and os.path.exists(path):
            os.truncate(path, min(aside[1], os.path.getsize(path)))

    def close(self) -> None:
        self._look_back()
        self.reader.close()
        if self._cache:
            self._cache.close()
        self.learner.settle()

    def __enter__(self) -> Training:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the run

    def _open(self, start: Position) -> Reader:
        return Reader(
            self.at.files,
            replace(self.reading, needs=self.learner.needs()),
            bad=self.bad,
            leave_out_at_once=False,
            threads=self.plan.threads,
            chunk=self.plan.chunk,
            start=start,
            before=self.at.before,
        )

    def __iter__(self) -> Iterator[None]:
        while self.at.number < self.plan.passes:
            self.progress.position = self.at.in_pass
            yield from self._one_pass()
            if self.stopped:
                return
            self._look_back()
            self.at.number += 1
            self.at.position, self.at.behind, self.at.in_pass = Position(), 0, 0
            self.learner.epochs_ = self.at.number
        self.at.done = True

    def _one_pass(self) -> Iterator[None]:
        if self.plan.shuffle_buffer:
            yield from self._shuffled()
            return
        if self.progress.delay or self.progress.waiting:
            yield from self._delayed()
            return
        for piece, begin in self._pieces():
            yield from self._learn(piece, begin)
            if self.stopped:
                return
            self._passed(piece, piece.size, piece.size, whole=True)

    def _pieces(self) -> Iterator[tuple[Piece, int]]:
        """All examples of a pass, in pieces, each with the first one that is new."""
        for piece in self._parsed() if self._cache and self._cache.complete else self._read():
            met = min(self._to_pass_over, piece.size)
            self._to_pass_over -= met
            if met < piece.size or not self._to_pass_over:
                yield piece, met
            if self.stopped:
                return
            if piece.batch is not None and piece.batch.failure:
                raise piece.batch.failure

    def _parsed(self) -> Iterator[Piece]:
        """As they were parsed in an earlier pass."""
        assert self._cache is not None
        for examples in self._cache:
            yield Piece(len(examples), None, _not_again, examples)

    def _read(self) -> Iterator[Piece]:
        later = self.plan.passes - self.at.number > 1
        # Names that are counted may pass min_count in a later pass: then the files are read again.
        if later and self.plan.cache and self.at.in_pass == self.at.behind:
            self._cache = None if self._counts_names else new_cache()
        if self.reader.position != self.at.position:
            self.reader.close()
            self.reader = self._open(self.at.position)
        for batch in self.reader:
            self._note_shapes()
            if self.at.number == 0:
                self.missing += batch.core.missing
            if self.on_first_batch and len(batch):
                self.on_first_batch(batch)
                self.on_first_batch = None
            yield self._resolved(batch)
        self._note_shapes()
        if self._cache and not self.stopped:
            self._cache.finish()

    def _note_shapes(self) -> None:
        self.formats.update(self.reader.formats)
        self.decimal_comma |= self.reader.decimal_comma

    def _resolved(self, batch: Batch) -> Piece:
        resolve = self.learner.resolver(batch)
        if self._counts_names:  # each row only when it is learned
            return Piece(len(batch), batch, resolve)
        examples = resolve(0, len(batch))
        if self._cache:
            self._cache.add(examples, len(batch))
        return Piece(len(batch), batch, resolve, examples)

    def _passed(self, piece: Piece, begin: int, end: int, whole: bool = False) -> None:
        """The run has reached the end of these examples, or of the whole piece."""
        batch = piece.batch
        if batch is None:
            self.at.behind += end - begin
            return
        position = batch.end if whole else batch.after(end)
        if position.file != self.at.position.file:
            self._look_back()
            for file in range(self.at.position.file, position.file):
                self.reader.leave(file)
        self.at.position = position
        self.at.behind = 0
        if self.at.number == 0:
            try:
                self.reader.leave_out(batch, begin, end + whole)
            except OSError:
                self.is_torn = True
                raise

    def _look_back(self) -> None:
        """Note what was read of the current file. A later pass over its beginning adds nothing."""
        seen, known = self.reader.seen(self.at.position), self.at.before.seen
        file = self.at.position.file
        # Of a file of which nothing was read there is nothing to know, opened or not.
        if seen and seen.bytes and (file not in known or seen.bytes >= known[file].bytes):
            known[file] = seen

    def _learn(self, piece: Piece, begin: int) -> Iterator[None]:
        """Piece by piece, up to where the caller wants to stop."""
        while begin < piece.size:
            end = self._end_of(piece, begin)
            examples, first = piece.rows(begin, end)
            try:
                self._learn_rows(examples, first, first + end - begin, None)
            except ThresherError as error:
                self._failed(error, piece, begin, first)
                raise
            self._passed(piece, begin, end)
            begin = end
            yield
            if self.stopped:
                return

    def _end_of(self, piece: Piece, begin: int) -> int:
        """Up to where a piece is learned at once."""
        if self.stop_at is None or self.stop_at <= self.at.examples:
            return piece.size
        return min(piece.size, begin + self.stop_at - self.at.examples)

    def _learn_rows(self, examples: Examples, begin: int, end: int, order: Any) -> None:
        learned = begin
        while learned < end:
            if self.drift:
                self.drift.react()
            self.learner.learn_examples(examples, learned, end, self.progress, order)
            learned = self.progress.ended_at or end
            if self.drift and self.progress.ended_at:
                self.drift.found(self.at.examples + learned - begin, self.progress)
        self.at.examples += end - begin
        self.at.in_pass += end - begin

    def _failed(self, error: ThresherError, piece: Piece, begin: int, first: int) -> None:
        """Those before the example that failed are learned."""
        if error.where.example is None:
            return
        done = error.where.example - first
        self._locate(error, piece, begin + done, self.at.examples + done)
        self.at.examples += done
        self.at.in_pass += done
        self._passed(piece, begin, begin + done)
        if self._counts_names:
            self.learner.learned_only(done)

    def _locate(self, error: ThresherError, piece: Piece, row: int, example: int) -> None:
        """The core counts the examples that it was given; users count lines of a file."""
        error.where.example = example
        if piece.batch is not None:
            piece.batch.locate(error, row)

    def _delayed(self) -> Iterator[None]:
        """Labels come late: predicted examples wait in a queue, the oldest of which is learned
        next. A run that is resumed reads those again that were waiting."""
        queue = Queue()
        for piece, begin in self._pieces():
            while begin < piece.size:
                end = self._end_of(piece, begin)
                examples, first = piece.rows(begin, end)
                if self._clock:
                    self._read_times(self._clock, piece, begin, end)
                queue.add(piece, begin, end, examples, first)
                begin = end
                if len(queue) >= self.progress.waiting:
                    yield from self._learn_from(queue)
                if self.stopped:
                    return
            queue.end(piece)
        if not self.stopped:
            self.progress.delay = 0  # what is left is learned
            yield from self._learn_from(queue)
            self.progress.delay = self._longest_wait

    def _read_times(self, clock: Clock, piece: Piece, begin: int, end: int) -> None:
        assert piece.batch is not None
        for row, (text,) in enumerate(piece.batch.kept(1)[begin:end], begin):
            try:
                clock.add(text)
            except InvalidInput as error:
                self._locate(error, piece, row, self.at.examples + row - begin)
                raise

    def _learn_from(self, queue: Queue) -> Iterator[None]:
        """Predict what is new in the queue, learn what has waited for long enough."""
        before, begin = self.progress.waiting, queue.begin
        if self._clock:
            self.progress.let_wait(self._clock.may_wait(before))
        try:
            self.learner.learn_examples(queue.examples, begin, queue.size, self.progress)
        except ThresherError as error:
            if error.where.example is not None:
                row = error.where.example - begin
                example = self.at.examples - before + row
                self._locate(error, *queue.place_of(row), example)
            raise
        finally:
            taught = self.progress.taught
            predicted = self.progress.waiting - before + taught
            self.at.examples += predicted
            self.at.in_pass += predicted
            if self._clock:
                self._clock.drop(taught)
            for passed in queue.drop(taught):
                self._passed(*passed)
        yield

    def _shuffled(self) -> Iterator[None]:
        """Blocks of `shuffle_buffer` examples, each in an order that depends only on its place."""
        size, block = self.plan.shuffle_buffer, Queue()
        for piece, begin in self._pieces():
            while begin < piece.size:
                end = min(piece.size, begin + size - len(block))
                examples, first = piece.rows(begin, end)
                block.add(piece, begin, end, examples, first)
                begin = end
                if len(block) == size:
                    yield from self._learn_block(block)
                if self.stopped:
                    return
            block.end(piece)
        if not self.stopped:
            yield from self._learn_block(block)

    def _learn_block(self, block: Queue) -> Iterator[None]:
        from numpy.random import default_rng

        if len(block):
            place = self.at.in_pass // self.plan.shuffle_buffer
            order = default_rng([self.plan.seed, self.at.number, place]).permutation(len(block))
            try:
                self._learn_rows(block.examples, 0, len(block), order.astype("int64"))
            except ThresherError as error:
                if (row := error.where.example) is not None:
                    self._locate(error, *block.place_of(row), self.at.examples + row)
                raise
        for passed in block.drop(len(block)):
            self._passed(*passed)
        yield


class Queue:
    """Examples that wait to be learned, the oldest first, and where they were read."""

    def __init__(self) -> None:
        self.examples = Examples()
        self.begin = 0  # those before it are gone
        self._read: deque[tuple[Piece, int, int, bool]] = deque()

    @property
    def size(self) -> int:
        return len(self.examples)

    def __len__(self) -> int:
        return len(self.examples) - self.begin

    def add(self, piece: Piece, begin: int, end: int, examples: Examples, first: int) -> None:
        if self.begin > len(self.examples) // 2:  # each is moved once or so
            left = Examples()
            left.append(self.examples, self.begin, len(self.examples))
            self.examples, self.begin = left, 0
        self.examples.append(examples, first, first + end - begin)
        self._read.append((piece, begin, end, False))

    def end(self, piece: Piece) -> None:
        """All of this piece has been added."""
        self._read.append((piece, piece.size, piece.size, True))

    def place_of(self, row: int) -> tuple[Piece, int]:
        """The piece of the row-th that waits, and its row there."""
        for piece, begin, end, _ in self._read:
            if row < end - begin:
                return piece, begin + row
            row -= end - begin
        raise IndexError("no such row")

    def drop(self, rows: int) -> Iterator[tuple[Piece, int, int, bool]]:
        """The oldest are learned: what was passed in the files."""
        self.begin += rows
        while self._read and (rows or self._read[0][3]):
            piece, begin, end, whole = self._read.popleft()
            taken = min(rows, end - begin)
            rows -= taken
            if begin + taken < end:
                self._read.appendleft((piece, begin + taken, end, whole))
            yield piece, begin, begin + taken, whole


def _not_again(begin: int, end: int) -> Examples:
    raise AssertionError("parsed examples are resolved")


def fit_files(
    learner: Trainable,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    passes: int = 1,
    shuffle_buffer: int = 0,
    holdout: int = 0,
    seed: int = 0,
    threads: int | None = None,
    delay: int | float | str = 0,
    time: str | None = None,
    on_drift: str | None = None,
    drift_detector: str | Detector = "adwin",
    audit: str | None = None,
    on_bad_line: str = "error",
    quarantine: str | None = None,
    on_report: Callable[[Report], object] | None = None,
    report_every: int = 0,
    **options: Any,
) -> None:
    """A whole run of a learner that has learned nothing yet: what its ``fit_file`` does."""
    from thresher.data.sniffing import with_means
    from thresher.drifting import ACTIONS

    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    paths = list(paths)
    reading = with_means(paths, reading_options(**options))
    warn_of_columns(paths, reading, stacklevel=4)
    learner.begin_reading(reading)
    learner.keep_audit(audit)
    plan = Plan(
        passes, shuffle_buffer, seed, holdout, threads,
        delay=delay_of(delay, time),
        on_drift=on_drift if on_drift is None else one_of("on_drift", on_drift, ACTIONS),
        drift_detector=drift_detector,
    )  # fmt: skip
    bad = BadLines(on_bad_line, quarantine)
    with Training(learner, paths, reading=reading, plan=plan, bad=bad) as training:
        report = None
        if on_report is not None:
            report = Reporting(training, on_report, whole_number("report_every", report_every, 0))
        found = columns_of_a_pipe(training)
        for _ in training:
            warn_of_wanting(found, stacklevel=4)
            if report:
                report.look()
        warn_of_wanting(found, stacklevel=4)
        if training.nothing_learned:
            raise training.why_nothing_learned()
        if report:
            report.end()
        learner.provenance_ = training.provenance()
    if doubt := doubt_of_order(training.progress):
        warnings.warn(
            f"{doubt}; shuffle it, or let shuffle_buffer hold a large part of it.", stacklevel=3
        )


def warn_of_columns(
    paths: list[str | os.PathLike[str]], reading: ReadingOptions, stacklevel: int
) -> None:
    """Of columns of a file that look like text, dates or names of rows."""
    from thresher.data.sniffing import wanting_columns

    warn_of_wanting(wanting_columns(paths, reading), stacklevel + 1)


def warn_of_wanting(columns: list[Wanting], stacklevel: int) -> None:
    """Once: they are taken out."""
    from thresher.data.sniffing import in_python, warning_of

    while columns:
        warnings.warn(warning_of(columns.pop(0), in_python), stacklevel=stacklevel)


def columns_of_a_pipe(training: Training) -> list[Wanting]:
    """What `warn_of_columns` finds in files. A pipe can be read only once, so they come into this
    list when its first examples are there."""
    from thresher.data.sniffing import TABLES, wanting_in

    found: list[Wanting] = []

    def look(batch: Batch) -> None:
        if training.reader.formats[0] in TABLES:
            found.extend(wanting_in(batch, training.reading))

    if not any(map(os.path.isfile, training.at.files)):
        training.on_first_batch = look
    return found


# Labels that change this much less often than in random order are sorted, or nearly.
SELDOM = 0.1
FEWEST_CHANGES = 20.0


def doubt_of_order(progress: Progress) -> str | None:
    """A file sorted by label makes errors before learning look small: each is a long run of one."""
    changes, expected = progress.label_order
    if expected < FEWEST_CHANGES or changes >= SELDOM * expected:
        return None
    return (
        f"The labels come in long runs: they changed {changes:,} time{'s' * (changes != 1)}, in "
        f"random order it would be about {expected:,.0f}. Where the data is sorted, the error of "
        "new examples will be larger"
    )
