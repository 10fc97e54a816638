"""Many learners in one pass: each example is read once, and predicted and learned by all of them.

A learner in a race ends as it would have ended alone, bit for bit; who wins is decided by
progressive error, every example being predicted before it is learned. At 1,024, 2,048, 4,096 …
examples those are sent home whose error is surely larger than the leader's: the lower end of the
interval around theirs (confidence 99.9 %) lies above the upper end of the leader's own.
"""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Lexicon, Model, Progress
from thresher.errors import InvalidInput, ThresherError
from thresher.learners.base import Learner, whole
from thresher.learners.examples import clipped, read_rows, refuse_none
from thresher.learners.online import Online
from thresher.learners.protocol import not_learned
from thresher.learners.table import TABLE, by_short

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy.typing as npt

    from thresher._core import Score
    from thresher.data.formats import Wanted
    from thresher.data.reader import BadLines, Batch, Recipe
    from thresher.training import Plan, Training

FIRST_CUT = 1024
END = object()
SHOWN = 1.959964  # the normal quantile of 95 %, two-sided
SURE = 3.290527  # of 99.9 %


@dataclass(frozen=True)
class Standing:
    """A line of the table: how a learner has done so far, or until it was dropped."""

    name: str
    error: float
    """The share of wrong labels, or the mean squared error; NaN without examples."""
    interval: tuple[float, float]
    """95 % confidence, Wilson's for labels, the normal one for squared errors."""
    examples: int
    dropped_at: int | None = None
    """After how many examples of the stream it left the race."""
    reason: str | None = None
    """Why it did."""
    failed: bool = False
    """Whether it could not use the data; otherwise it was worse than the leader."""
    rate: float = 0.0
    """Examples learned in a second of its own."""


def wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Where a probability lies that was seen as the share p of n cases (Wilson 1927)."""
    if n <= 0:
        return 0.0, 1.0
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def interval(score: Score, z: float, regress: bool) -> tuple[float, float]:
    """Where the true mean loss lies. Weights make examples count for fewer (Kish 1965)."""
    if score.weight <= 0:
        return 0.0, math.inf if regress else 1.0
    mean = score.loss / score.weight
    n = score.weight**2 / score.weight_squares
    if not regress:
        return wilson(min(1.0, mean), n, z)
    if n <= 1:
        return 0.0, math.inf
    variance = max(0.0, score.loss_squares / score.weight - mean * mean) / (n - 1)
    half = z * math.sqrt(variance)
    return max(0.0, mean - half), mean + half


@dataclass
class Runner:
    """A learner in the race."""

    name: str
    learner: Any
    progress: Progress = field(default_factory=Progress)
    shares_names: bool = False  # with the other runners: to be copied before it goes its own way
    seconds: float = 0.0
    last: float = 0.0  # seconds for its last piece
    dropped_at: int | None = None
    failure: Exception | None = None
    reason: str | None = None

    @property
    def score(self) -> Score:
        return self.progress.held_out if self.progress.hold_out_every else self.progress.learned

    @property
    def error(self) -> float:
        return self.score.loss / self.score.weight if self.score.weight > 0 else math.nan

    @property
    def met(self) -> int:
        """Examples of the stream that it has come past."""
        progress = self.progress
        return progress.learned.examples + progress.held_out.examples + progress.unlabelled

    def own(self) -> Any:
        """The learner, free to learn on without the others."""
        if self.shares_names:
            self.learner = copy.copy(self.learner)
            self.shares_names = False
        return self.learner


class Field:
    """All runners. To a training run it looks like one learner that reads once and learns often."""

    def __init__(
        self, runners: list[Runner], keep_all: bool, holdout: int, threads: int | None
    ) -> None:
        self.runners = runners
        self.keep_all = keep_all
        # One more than processors: at the end of a batch, those who are left share what is free.
        self.threads = threads or (os.cpu_count() or 1) + 1
        self.regress = task_of(runners[0].learner) == "regress"
        self.examples = 0
        self.next_cut = FIRST_CUT
        self._pool: ThreadPoolExecutor | None = None
        self._batch: Batch | None = None
        for runner in runners:
            runner.progress.hold_out_every = holdout

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
            runner.learner._model = Model(runner.learner._settled(), self.lexicon)
            runner.shares_names = True

    @property
    def _model(self) -> Field:
        return self

    def _reading_wishes(self) -> dict[str, bool]:
        wishes: list[dict[str, bool]] = [r.learner._reading_wishes() for r in self.runners]
        if all(wish == wishes[0] for wish in wishes):
            return wishes[0]
        clipping = [r.name for r, wish in zip(self.runners, wishes, strict=True) if wish["clip"]]
        if clipping:
            raise InvalidInput(
                f"{clipping[0]} clips the values that it reads, others in this race do not, and "
                "all read the same. Race it with others that clip, or without clip=True."
            )
        return {**wishes[0], "unit": False, "clip": False}  # who needs [0, 1] looks for itself

    def _codes_of_texts(self, batch: Batch) -> list[int]:
        self._batch = batch
        codes: list[int] = []
        for runner in self.running:  # all give the same labels the same codes
            codes = runner.learner._codes_of_texts(batch)
        return codes

    def learn_examples(
        self, examples: Examples, begin: int, end: int, progress: Progress, order: Any
    ) -> None:
        from thresher.training import located

        def learn(runner: Runner) -> None:
            try:
                model = runner.learner._model
                model.learn_examples(examples, begin, end, runner.progress, order)
            except ThresherError as error:
                where = self._batch if order is None else None
                error.args = (located(str(error), where),)
                raise

        self.each(learn)
        self.advance(end - begin)

    def _settle(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for runner in self.running:
            runner.learner._settle()

    epochs_ = 0


class FileRace:
    """A race over files. Iterate over it: it yields now and then, and may be left at any time."""

    def __init__(
        self,
        learners: Iterable[Learner] | Mapping[str, Learner],
        paths: Iterable[str | os.PathLike[str]],
        wanted: Wanted,
        recipe: Recipe,
        lexicon: dict[str, int],
        plan: Plan,
        bad: BadLines,
        keep_all: bool = False,
    ) -> None:
        from thresher.training import Training

        self.field = Field(runners_of(learners), keep_all, plan.holdout, plan.threads)
        self.field.begin(wanted, recipe, lexicon)
        self.bad = bad
        self.seconds = 0.0
        self._began = time.monotonic()
        self.training: Training = Training(
            self.field,  # type: ignore[arg-type]
            paths,
            wanted=wanted,
            recipe=recipe,
            plan=plan,
            bad=bad,
        )

    def __iter__(self) -> Iterator[None]:
        run = iter(self.training)
        while True:
            self.training.stop_at = self.field.next_cut
            if next(run, END) is END:
                return
            yield

    def standings(self) -> list[Standing]:
        return self.field.standings()

    @property
    def best(self) -> Any:
        """The learner that leads. It shares its names with the others while these run."""
        return self.field.ranking()[0].learner

    def close(self) -> None:
        """End the race where it is: the runners keep what they have learned."""
        self.training.close()
        self.seconds = time.monotonic() - self._began
        for runner in self.field.running:
            self.training.progress = runner.progress
            runner.learner.provenance_ = copy.deepcopy(self.training.provenance())
            runner.learner.epochs_ = self.training.at.number

    def __enter__(self) -> FileRace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _of_the_best(name: str) -> Any:
    """An attribute of a race that the leading learner answers."""
    return property(lambda race: getattr(race.best_, name), doc=f"``best_.{name}``.")


class Race:
    """Many learners, one pass, and the best of them.

    Each example is read once, predicted by all learners, then learned by all; each ends bit for bit
    as if it had been trained alone. The winner is the one with the smallest progressive error. A
    learner that cannot use the data leaves the race, and so does one that is surely worse than the
    leader: at 1,024 · 2^k examples, when the lower end of the 99.9 % interval of its error lies
    above the upper end of the leader's.

    Parameters
    ----------
    learners : a list of online learners, or a dict from names to them. They are taken as settings:
        the race begins with fresh copies.
    keep_all : let all learners run to the end.
    holdout : predict each so many-th example without learning it, and race by the error on these.
    threads : how many learners learn at once; by default about one for each processor. The result
        does not depend on it.

    Examples
    --------
    >>> from thresher import PassiveAggressive, Perceptron, Race
    >>> race = Race([Perceptron(), PassiveAggressive(C=0.1)])
    >>> for i in range(100):
    ...     race.learn_one({"a": i % 2, "b": i % 3}, i % 2 == 0)
    >>> for row in race.standings_:
    ...     print(row.name, row.error)
    pa C=0.1 0.05
    perceptron 0.06
    >>> race.predict_one({"a": 1, "b": 2})
    False
    """

    def __init__(
        self,
        learners: Iterable[Learner] | Mapping[str, Learner],
        *,
        keep_all: bool = False,
        holdout: int = 0,
        threads: int | None = None,
    ) -> None:
        self.learners = learners if isinstance(learners, Mapping) else list(learners)
        self.keep_all = keep_all
        self.holdout = whole("holdout", holdout, 0)
        self.threads = threads if threads is None else whole("threads", threads, 1)
        runners_of(self.learners)
        self._field: Field | None = None

    def _new_field(self) -> Field:
        return Field(runners_of(self.learners), self.keep_all, self.holdout, self.threads)

    def fit_file(
        self, path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> Race:
        """One pass over files, with the options of a learner's ``fit_file``."""
        from thresher.data.reader import BadLines
        from thresher.training import Plan, read_options

        plan = Plan(
            shuffle_buffer=options.pop("shuffle_buffer", 0),
            seed=options.pop("seed", 0),
            holdout=self.holdout,
            threads=self.threads,
        )
        policy, aside = options.pop("on_bad_line", "error"), options.pop("quarantine", None)
        bad = BadLines("quarantine" if aside else policy, aside)
        paths = [path] if isinstance(path, (str, os.PathLike)) else path
        settings = read_options(options)
        with FileRace(self.learners, paths, *settings, plan, bad, self.keep_all) as race:
            for _ in race:
                pass
        self._field = race.field
        return self

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Race:
        """One pass over an array, a sparse matrix or a table, row by row in its order."""
        rows = read_rows(X)
        race = self._new_field()
        lessons: dict[str, tuple[Any, Any, Any, Any]] = {}
        for runner in race.runners:
            learner = runner.learner
            weights = learner._weights(sample_weight, rows.size)
            model = learner._begin()
            learner.epochs_, learner.converged_ = 1, False
            codes = targets = None
            if race.regress:
                targets = learner._targets(y, rows.size)
            else:
                codes = learner._codes(y, rows.size, weights)
            own = clipped(rows) if getattr(learner, "clip", False) else rows
            lessons[runner.name] = learner._admit_columns(own, model).core, codes, targets, weights
        while race.examples < rows.size:
            begin, end = race.examples, min(rows.size, race.next_cut)

            def learn(runner: Runner, begin: int = begin, end: int = end) -> None:
                lesson = lessons[runner.name]
                runner.learner._model.learn_rows(*lesson, begin, end, runner.progress)

            race.each(learn)
            race.advance(end - begin)
        race._settle()
        self._field = race
        return self

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Go on with one example, predicted by all learners, then learned by all."""
        refuse_none(x)
        if self._field is None:
            self._field = self._new_field()
        race = self._field

        def learn(runner: Runner) -> None:
            learner, progress = runner.own(), runner.progress
            predicted = learner.predict_one(x)
            loss = (predicted - y) ** 2 if race.regress else float(predicted != y)
            progress.position += 1
            if self.holdout and progress.position % self.holdout == 0:
                progress.held_out.add(sample_weight, loss)
                return
            learner.learn_one(x, y, sample_weight)
            progress.learned.add(sample_weight, loss)

        race.each(learn, at_once=False)
        race.advance(1)

    # -- what came out

    def _run(self) -> Field:
        if self._field is None:
            raise not_learned(
                "This Race instance is not fitted yet: it has seen no example. Call fit_file, fit "
                "or learn_one first."
            )
        return self._field

    @property
    def standings_(self) -> list[Standing]:
        """All learners, the best first, those that left the race last."""
        return self._run().standings()

    @property
    def best_(self) -> Any:
        """The learner that leads, ready to use."""
        return self._run().ranking()[0].own()

    @property
    def learners_(self) -> dict[str, Any]:
        """The learners that came to the end, by name."""
        return {runner.name: runner.own() for runner in self._run().running}

    predict = _of_the_best("predict")
    predict_one = _of_the_best("predict_one")
    predict_proba = _of_the_best("predict_proba")
    predict_proba_one = _of_the_best("predict_proba_one")
    predict_file = _of_the_best("predict_file")
    decision_function = _of_the_best("decision_function")
    score = _of_the_best("score")
    score_one = _of_the_best("score_one")
    explain_one = _of_the_best("explain_one")
    top_features = _of_the_best("top_features")
    save = _of_the_best("save")


# -- who runs


def task_of(learner: Learner) -> str:
    return "classify" if hasattr(learner, "_codes") else "regress"


def name_of(learner: Learner) -> str:
    """As it is typed: the short name, then the settings that are not the default ones."""
    short = next((entry.short for entry in TABLE if entry.cls is type(learner)), None)
    if short is None:
        return repr(learner)
    defaults = type(learner)().get_params()
    settings = (
        f" {name}={value}"
        for name, value in learner.get_params().items()
        if value != defaults[name]
    )
    return short + "".join(settings)


def runners_of(learners: Iterable[Learner] | Mapping[str, Learner]) -> list[Runner]:
    """Fresh copies of the learners, checked."""
    if isinstance(learners, Mapping):
        named = list(learners.items())
    else:
        learners = list(learners)
        for learner in learners:
            _check_online(learner)
        named = [(name_of(learner), learner) for learner in learners]
    if not named:
        raise InvalidInput("a race needs learners; found none.")
    tasks: dict[str, str] = {}
    for name, learner in named:
        _check_online(learner)
        if [other for other, _ in named].count(name) > 1:
            raise InvalidInput(f"{name} runs twice; expected each learner once.")
        tasks.setdefault(task_of(learner), name)
    if len(tasks) > 1:
        raise InvalidInput(
            f"{tasks['classify']} predicts labels, {tasks['regress']} numbers; expected learners "
            "of one kind in a race."
        )
    return [Runner(name, learner._fresh()) for name, learner in named]


def _check_online(learner: Any) -> None:
    if not isinstance(learner, Online):
        raise InvalidInput(
            f"{learner!r} cannot race; expected online learners, such as thresher.Perceptron()."
        )


def portfolio(task: str) -> list[Learner]:
    """The learners behind ``--learner auto``: settings one of which does well on most data.

    Found by experiment (benchmarks/held_out.py). C and the margin go with the length of the rows:
    large for rows of length 1, small for counts. A small constant feature suits text. All average:
    a learner that does not can look better on a stream of related examples than it will do later.
    """
    if task not in PORTFOLIO:
        raise InvalidInput(f"task is {task!r}; expected 'classify' or 'regress'.")
    return [by_short(short).cls(**settings) for short, settings in PORTFOLIO[task]]


PORTFOLIO: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "classify": [
        ("arow", {"r": 1.0}),
        ("arow", {"r": 3.0}),
        ("arow", {"r": 10.0}),
        ("arow", {"r": 100.0}),
        ("arow", {"r": 1.0, "average": True}),
        ("arow", {"r": 10.0, "multiclass": "one-vs-rest"}),
        ("pa", {"C": 1.0}),
        ("pa", {"C": 0.3}),
        ("pa", {"C": 0.01}),
        ("pa", {"C": 0.1, "variant": "PA-II"}),
        ("pa", {"C": 3.0, "intercept_scaling": 0.1, "burn_in": 2000}),
        ("mira", {"C": 0.01}),
        ("mira", {"C": 0.005, "burn_in": 2000}),
        ("perceptron", {}),
        ("balanced-winnow", {"alpha": 1.1, "margin": 1.0, "average": True}),
        ("winnow", {"alpha": 1.2, "average": True}),
    ],
    "regress": [
        ("lms", {}),
        ("lms", {"average": True}),
        ("lms", {"normalized": True, "learning_rate": 0.01}),
        ("lms", {"normalized": True, "learning_rate": 0.1, "average": True}),
        ("pa-regressor", {"C": 0.001}),
        ("pa-regressor", {"C": 0.01}),
        ("pa-regressor", {"C": 0.1}),
        ("pa-regressor", {"C": 1.0}),
        ("pa-regressor", {"C": 10.0}),
        ("pa-regressor", {"C": 0.01, "variant": "PA-II"}),
        ("pa-regressor", {"C": 1.0, "variant": "PA-II"}),
        ("pa-regressor", {"variant": "PA"}),
    ],
}
