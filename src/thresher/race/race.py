"""`thresher.Race`: many learners, one pass, and the best of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from thresher.learners.base.classifier import _only
from thresher.learners.base.examples import read_rows, refuse_none
from thresher.learners.base.learner import FitOptions, Learner, fit_weights
from thresher.learners.base.protocol import Routed, not_learned, offered_if
from thresher.options import Parameters, whole
from thresher.race.field import RaceField
from thresher.race.files import FileRace
from thresher.race.runners import Runner, runners_of
from thresher.race.sharing import BLOCK

if TYPE_CHECKING:
    import numpy.typing as npt

    from thresher.learners.standing import Standing


def _by_the_best(name: str) -> Any:
    """A method of the leading learner; before there is one, all must have it."""

    def check(race: Race) -> None:
        for learner in race._entered() if race._field is None else [race.best_]:
            getattr(learner, name)

    def method(race: Race, *given: Any, **options: Any) -> Any:
        return getattr(race.best_, name)(*given, **options)

    method.__name__, method.__doc__ = name, f"``best_.{name}``."
    return offered_if(check)(method)


def _of_the_best(name: str) -> Any:
    """An attribute of a race that is the leading learner's."""
    return property(lambda race: getattr(race.best_, name), doc=f"``best_.{name}``.")


class Race(Routed, Parameters):
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
    holdout : if not 0, every n-th example is predicted and not learned, and the error on these
        decides.
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
        self.learners = learners if isinstance(learners, (Mapping, Sequence)) else list(learners)
        self.keep_all = keep_all
        self.holdout = whole("holdout", holdout, 0)
        self.threads = threads if threads is None else whole("threads", threads, 1)
        runners_of(self.learners)
        self._field: RaceField | None = None

    metadata: ClassVar = {"fit": ("sample_weight",), "score": ("sample_weight",)}

    def _entered(self) -> list[Learner]:
        learners = self.learners
        return list(learners.values() if isinstance(learners, Mapping) else learners)

    def _new_field(self) -> RaceField:
        return RaceField(runners_of(self.learners), self.keep_all, self.holdout, self.threads)

    def fit_file(
        self, path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> Race:
        """One pass over files, with the options of a learner's ``fit_file``."""
        from thresher.data.reader import BadLines
        from thresher.data.reading import reading_options
        from thresher.training import Plan

        plan = Plan(
            shuffle_buffer=options.pop("shuffle_buffer", 0),
            seed=options.pop("seed", 0),
            holdout=self.holdout,
            threads=self.threads,
        )
        policy, aside = options.pop("on_bad_line", "error"), options.pop("quarantine", None)
        bad = BadLines("quarantine" if aside else policy, aside)
        paths = [path] if isinstance(path, (str, os.PathLike)) else path
        reading = reading_options(**options)
        with FileRace(self.learners, paths, reading, plan, bad, self.keep_all) as race:
            for _ in race:
                pass
            race.check_learned()
        self._field = race.field
        return self

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Race:
        """One pass over an array, a sparse matrix or a table, row by row in its order.

        `sample_weight` may give each row an importance.
        """
        rows = read_rows(X)
        weights = fit_weights(_only(options, "sample_weight"), rows.size)
        race = self._new_field()
        lessons: dict[str, Any] = {}

        def begin_with(runner: Runner) -> None:
            lessons[runner.name] = runner.learner.begin_rows(rows, y, weights)

        race.each(begin_with, at_once=False)
        while race.examples < rows.size:
            begin, end = race.examples, min(rows.size, race.next_cut)
            if race.sharing:
                end = min(end, begin + BLOCK)

            def prepare(shared: Any, runner: Runner, begin: int = begin, end: int = end) -> Any:
                return lessons[runner.name].prepared(shared, begin, end, runner.progress)

            prepared = race.sharing.prepared(prepare)

            def learn(
                runner: Runner, begin: int = begin, end: int = end, prepared: Any = prepared
            ) -> None:
                if runner.name in prepared:
                    runner.learner.learn_prepared(prepared[runner.name], runner.progress)
                else:
                    lessons[runner.name](begin, end, runner.progress)

            race.each(learn)
            race.advance(end - begin)
        race.settle()
        self._field = race
        return self

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Continue with one example, predicted by all learners, then learned by all."""
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

    # -- results

    def _run(self) -> RaceField:
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
        """The learners that finished, by name."""
        return {runner.name: runner.own() for runner in self._run().running}

    classes_ = _of_the_best("classes_")
    n_features_in_ = _of_the_best("n_features_in_")
    feature_names_in_ = _of_the_best("feature_names_in_")
    predict = _by_the_best("predict")
    predict_one = _by_the_best("predict_one")
    predict_proba = _by_the_best("predict_proba")
    predict_log_proba = _by_the_best("predict_log_proba")
    predict_proba_one = _by_the_best("predict_proba_one")
    predict_file = _by_the_best("predict_file")
    decision_function = _by_the_best("decision_function")
    score_one = _by_the_best("score_one")
    explain_one = _by_the_best("explain_one")
    top_features = _by_the_best("top_features")
    save = _by_the_best("save")

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """``best_.score``."""
        return float(self.best_.score(X, y, sample_weight))

    # -- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return self._field is not None

    def __sklearn_tags__(self) -> Any:
        return self._entered()[0].__sklearn_tags__()
