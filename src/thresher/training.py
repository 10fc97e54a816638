"""A training run over files: passes, shuffling, holding out, and where to go on after a stop.

Every example is predicted before it is learned (progressive validation), so the error shown is an
honest one on the first pass. What is learned depends on the examples and their order alone: not on
threads, chunks, or how often the run was stopped and resumed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Lexicon, Progress
from thresher.data.formats import Wanted
from thresher.data.reader import BadLines, Batch, Position, Reader, Recipe
from thresher.data.sources import expand
from thresher.errors import InvalidInput, ThresherError

if TYPE_CHECKING:
    from thresher.learners.online import Online


@dataclass(frozen=True)
class Plan:
    """What a run does, besides the learner and the data."""

    passes: int = 1
    shuffle_buffer: int = 0
    seed: int = 0
    holdout: int = 0  # each so many-th example is predicted, never learned
    threads: int | None = None
    chunk: int = 1 << 20
    cache: bool = True  # later passes read parsed examples from a temporary file


@dataclass
class Checkpoint:
    """How far a run has come; kept in the model, so that it can go on in another process."""

    files: list[str]
    number: int = 0  # of the pass
    position: Position = field(default_factory=Position)
    in_pass: int = 0  # examples met in this pass
    examples: int = 0  # in all passes
    done: bool = False
    scores: list[list[float]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Checkpoint:
        known = dict(stored)
        known["position"] = Position(**known["position"])
        return cls(**known)


class Training:
    """Iterate over it: it yields after each piece that was learned, and may be left at any time."""

    def __init__(
        self,
        learner: Online,
        paths: Iterable[str | os.PathLike[str]],
        *,
        wanted: Wanted | None = None,
        recipe: Recipe | None = None,
        plan: Plan | None = None,
        bad: BadLines | None = None,
        resume: Checkpoint | None = None,
    ) -> None:
        self.learner = learner
        self.wanted = wanted or Wanted()
        self.recipe = recipe or Recipe()
        self.plan = plan or Plan()
        self.bad = bad or BadLines()
        self.progress = Progress()
        self.progress.hold_out_every = self.plan.holdout
        self.stop_at: int | None = None  # the next piece ends with this example, counted in all
        self.at = resume or Checkpoint(expand(paths))
        self.reader = self._open(self.at.position)
        if resume:
            self._restore_scores(resume.scores)
        self.stopped = False
        self._cache: Cache | None = None

    def stop(self) -> None:
        """End the run with the piece at hand: may be called by a signal handler."""
        self.stopped = True
        self.reader.stop()

    # -- what can be asked while it runs

    @property
    def examples(self) -> int:
        return self.at.examples

    def checkpoint(self) -> Checkpoint:
        """What `resume` takes. Together with the learner, all there is to know."""
        self.at.scores = [
            [score.examples, score.weight, score.loss]
            for score in (self.progress.learned, self.progress.held_out)
        ] + [[self.progress.unlabelled, 0.0, 0.0]]
        return self.at

    def _restore_scores(self, scores: list[list[float]]) -> None:
        for score, stored in zip(
            (self.progress.learned, self.progress.held_out), scores, strict=False
        ):
            score.examples, score.weight, score.loss = int(stored[0]), stored[1], stored[2]
        if len(scores) > 2:
            self.progress.unlabelled = int(scores[2][0])

    def close(self) -> None:
        self.reader.close()
        if self._cache:
            self._cache.close()
        self.learner._settle()

    def __enter__(self) -> Training:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the run

    def _open(self, start: Position) -> Reader:
        return Reader(
            self.at.files,
            self.wanted,
            self.recipe,
            bad=self.bad,
            threads=self.plan.threads,
            chunk=self.plan.chunk,
            start=start,
            **self.learner._reading_wishes(),
        )

    def __iter__(self) -> Iterator[None]:
        while self.at.number < self.plan.passes:
            self.progress.position = self.at.in_pass
            yield from self._one_pass()
            if self.stopped:
                return
            self.at.number += 1
            self.at.position, self.at.in_pass = Position(), 0
            self.learner.epochs_ = self.at.number
        self.at.done = True

    def _one_pass(self) -> Iterator[None]:
        if self.plan.shuffle_buffer:
            yield from self._shuffled(self._portions())
            return
        for portion in self._portions():
            yield from self._learn(portion)
            if self.stopped:
                return
            if portion.batch:
                self.at.position = portion.batch.end

    def _portions(self) -> Iterator[Portion]:
        """All examples of a pass: from the files, or as they were parsed in an earlier pass."""
        if self._cache and self._cache.complete:
            for examples in self._cache:
                yield Portion(examples, len(examples))
                if self.stopped:
                    return
            return
        later = self.plan.passes - self.at.number > 1
        lexicon = self.learner._model.lexicon
        if later and self.plan.cache and self.at.in_pass == 0 and not lexicon.counts:
            self._cache = Cache()
        if self.reader.position != self.at.position:
            self.reader.close()
            self.reader = self._open(self.at.position)
        for batch in self.reader:
            codes = self.learner._codes_of_texts(batch)
            if lexicon.counts:
                yield Portion(None, len(batch), batch, codes, lexicon)
                continue
            examples = lexicon.resolve(batch.core, codes, True)
            if self._cache:
                self._cache.add(examples, len(batch))
            yield Portion(examples, len(batch), batch)
        if self._cache and not self.stopped:
            self._cache.finish()

    def _learn(self, portion: Portion) -> Iterator[None]:
        """Piece by piece, up to where somebody wants to look."""
        begin = 0
        while begin < portion.size:
            end = portion.size
            if self.stop_at is not None and self.stop_at > self.at.examples:
                end = min(end, begin + self.stop_at - self.at.examples)
            examples, first, last = portion.rows(begin, end)
            self._learn_rows(examples, first, last, None, portion.batch, begin - first)
            if portion.batch:
                self.at.position = portion.batch.after(end)
            begin = end
            yield
            if self.stopped:
                return

    def _learn_rows(
        self, examples: Examples, begin: int, end: int, order: Any, batch: Batch | None,
        before: int = 0,
    ) -> None:  # fmt: skip
        try:
            self.learner._model.learn_examples(examples, begin, end, self.progress, order)
        except ThresherError as error:
            error.args = (located(str(error), batch, before),)
            raise
        self.at.examples += end - begin
        self.at.in_pass += end - begin

    def _shuffled(self, portions: Iterator[Portion]) -> Iterator[None]:
        """Blocks of so many examples, each in an order that depends on its place alone."""
        size, block = self.plan.shuffle_buffer, Examples()
        after = self.at.position
        for portion in portions:
            taken, batch = 0, portion.batch
            while taken < portion.size:
                part = min(size - len(block), portion.size - taken)
                block.append(*portion.rows(taken, taken + part))
                taken += part
                after = batch.after(taken) if batch else after
                if len(block) == size:
                    yield from self._learn_block(block, after)
                    block = Examples()
                if self.stopped:
                    return
            after = batch.end if batch else after
        if len(block):
            yield from self._learn_block(block, after)

    def _learn_block(self, block: Examples, after: Position) -> Iterator[None]:
        from numpy.random import default_rng

        place = self.at.in_pass // self.plan.shuffle_buffer
        order = default_rng([self.plan.seed, self.at.number, place]).permutation(len(block))
        self._learn_rows(block, 0, len(block), order.astype("int64"), None)
        self.at.position = after
        yield


class Portion:
    """Some examples in order: ready to learn from, or to be numbered as they are learned."""

    def __init__(
        self, examples: Examples | None, size: int, batch: Batch | None = None,
        codes: list[int] | None = None, lexicon: Lexicon | None = None,
    ) -> None:  # fmt: skip
        self.examples, self.size, self.batch = examples, size, batch
        self.codes, self.lexicon = codes, lexicon

    def rows(self, begin: int, end: int) -> tuple[Examples, int, int]:
        """Examples, and which rows of them are these. A lexicon that counts sees no name before
        its example is learned, or a run that is stopped would count it twice."""
        if self.examples is not None:
            return self.examples, begin, end
        assert self.batch is not None and self.lexicon is not None and self.codes is not None
        part = self.lexicon.resolve(self.batch.core, self.codes, True, begin, end)
        return part, 0, end - begin


def located(message: str, batch: Batch | None, before: int = 0) -> str:
    """The core counts examples of a batch; people count lines of a file."""
    found = re.match(r"example (\d+), ", message)
    if not found:
        return message
    where = batch.place_of(int(found[1]) + before) if batch else "one of the examples"
    return f"{where}: {message[found.end() :]}"


class Cache:
    """Parsed examples in a temporary file without a name, for the passes after the first."""

    def __init__(self) -> None:
        import tempfile

        self._file = tempfile.TemporaryFile(prefix="thresher-")  # noqa: SIM115 (closed in close)
        self.complete = False
        self.failed = False

    def add(self, examples: Examples, rows: int) -> None:
        if self.failed:
            return
        try:
            examples.write(self._file.fileno(), rows)
        except OSError:  # a full disk: then later passes read the files again
            self.failed = True
            self._file.truncate(0)

    def finish(self) -> None:
        self.complete = not self.failed

    def __iter__(self) -> Iterator[Examples]:
        self._file.seek(0)
        while (examples := Examples.read(self._file.fileno())) is not None:
            yield examples

    def close(self) -> None:
        self._file.close()


def fit_files(
    learner: Any,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    passes: int = 1,
    shuffle_buffer: int = 0,
    holdout: int = 0,
    seed: int = 0,
    threads: int | None = None,
    on_bad_line: str = "error",
    quarantine: str | None = None,
    **options: Any,
) -> None:
    """What `learner.fit_file` does: a whole run, then the learner has learned all or nothing."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    wanted, recipe, lexicon = read_options(options)
    fresh = learner._fresh()
    begin(fresh, wanted, recipe, lexicon)
    plan = Plan(passes, shuffle_buffer, seed, holdout, threads)
    bad = BadLines("quarantine" if quarantine else on_bad_line, quarantine)
    with Training(fresh, paths, wanted=wanted, recipe=recipe, plan=plan, bad=bad) as training:
        for _ in training:
            pass
        fresh.provenance_ = training.checkpoint().as_dict()
    learner._take(fresh)


def begin(learner: Any, wanted: Wanted, recipe: Recipe, lexicon: dict[str, int]) -> None:
    """A fresh learner that will read its examples by this recipe."""
    learner.recipe_ = {
        "label": wanted.label,
        "weight": wanted.weight,
        "text": list(recipe.text),
        "categorical": list(recipe.categorical),
        "ngrams": recipe.ngrams,
        "cross": [list(pair) for pair in recipe.cross],
        **lexicon,
    }
    learner._begin()
    learner.epochs_, learner.converged_ = 0, False


def read_options(options: dict[str, Any]) -> tuple[Wanted, Recipe, dict[str, int]]:
    """The keywords of `fit_file` and `read`, sorted by who wants to know them."""
    from thresher.data import read_settings

    known = dict(options)
    lexicon = {
        "hash_bits": known.pop("hash_bits", None) or 0,
        "min_count": known.pop("min_count", 1),
        "max_features": known.pop("max_features", None) or 0,
    }
    if not 0 <= lexicon["hash_bits"] <= 30 or not 1 <= lexicon["min_count"] <= 255:
        raise InvalidInput("hash_bits goes up to 30, min_count from 1 to 255.")
    if not 0 <= lexicon["max_features"] < 2**31:
        raise InvalidInput("max_features goes from 1 to 2^31 − 1.")
    wanted, recipe = read_settings(**known)
    return wanted, recipe, lexicon
