"""`thresher.Race`: many learners, one pass, and the best of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from thresher.errors import InvalidInput
from thresher.learners.base.classifier import _only
from thresher.learners.base.examples import read_rows, refuse_none
from thresher.learners.base.labels import warn_of_one_label
from thresher.learners.base.learner import FitOptions, Learner, warn_of_unread_columns
from thresher.learners.base.protocol import Routed, not_learned, offered_if
from thresher.learners.base.weights import fit_weights
from thresher.learners.criteria import Metric
from thresher.learners.standing import Standings
from thresher.options import Parameters, one_of, whole
from thresher.race.field import RaceField
from thresher.race.files import FileRace
from thresher.race.runners import Runner, runners_of
from thresher.race.sharing import BLOCK
from thresher.training import (
    Plan,
    columns_of_a_pipe,
    doubt_of_order,
    warn_of_columns,
    warn_of_wanting,
)

if TYPE_CHECKING:
    import numpy.typing as npt


def _by_the_best(name: str) -> Any:
    """A method of the learner that answers; before there is one, all must have it."""

    def check(race: Race) -> None:
        for learner in [race._answering()] if race._field else [r.learner for r in race._entered()]:
            getattr(learner, name)

    def method(race: Race, *given: Any, **options: Any) -> Any:
        return getattr(race._answering(), name)(*given, **options)

    method.__name__, method.__doc__ = name, f"``{name}`` of the learner that answers."
    return offered_if(check)(method)


def _of_the_best(name: str) -> Any:
    """An attribute of a race that is that of the learner that answers."""
    return property(lambda race: getattr(race._answering(), name))


class Race(Routed, Parameters):
    """Many learners, one pass, and the best of them.

    Each example is read once, predicted by all learners, then learned by all; each ends bit for bit
    as if it had been trained alone. The winner is the one with the smallest progressive error, or
    where another is clearly better over the last quarter of the examples, that one. A learner that
    cannot use the data leaves the race. So does, at 4,096 · 2^k examples, one that is surely worse
    than the leader: by four standard errors over all examples, and over their last quarter. While
    all are cheap none is dropped.

    Parameters
    ----------
    learners : a list of online learners, or a dict from names to them. They are taken as settings:
        the race begins with fresh copies.
    answer : who predicts: "best", the leader, or "experts", all learners by a vote, as `Experts`.
    metric : the figure by which they are ranked: "error", "log-loss", "auc", "f1", "balanced" or a
        dict of labels and the cost of a mistake on each; for numbers "error", "rmse" or "mae"
        (`thresher.learners.criteria`). By figures other than the error and its root none is
        dropped.
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
    most frequent label 0.51
    last label 1.0
    >>> race.predict_one({"a": 1, "b": 2})
    False
    """

    def __init__(
        self,
        learners: Iterable[Learner] | Mapping[str, Learner],
        *,
        answer: str = "best",
        metric: Metric = "error",
        keep_all: bool = False,
        holdout: int = 0,
        threads: int | None = None,
    ) -> None:
        self.learners = learners if isinstance(learners, (Mapping, Sequence)) else list(learners)
        self.answer = one_of("answer", answer, ("best", "experts"))
        self.metric = metric
        self.keep_all = keep_all
        self.holdout = whole("holdout", holdout, 0)
        self.threads = threads if threads is None else whole("threads", threads, 1)
        self._new_field()
        self._field: RaceField | None = None

    metadata: ClassVar = {"fit": ("sample_weight",), "score": ("sample_weight",)}

    @property
    def _votes(self) -> bool:
        return self.answer == "experts"

    def _entered(self) -> list[Runner]:
        """The learners; or a committee of them, which is in a race with nobody."""
        runners = runners_of(self.learners)
        if not self._votes:
            return runners
        from thresher.learners.experts import Experts, ExpertsRegressor

        committee = Experts if runners[0].learner.task == "classify" else ExpertsRegressor
        return runners_of([committee(self.learners, keep_all=self.keep_all, threads=self.threads,
                                     metric=self.metric)])  # fmt: skip

    def _new_field(self) -> RaceField:
        metric = "error" if self._votes else self.metric  # a committee has one of its own
        return RaceField(self._entered(), self.keep_all, self.holdout, self.threads, metric)

    def fit_file(
        self, path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> Race:
        """One pass over files, with the options of a learner's ``fit_file``."""
        from thresher.data.reader import BadLines
        from thresher.data.reading import reading_options
        from thresher.data.sniffing import with_means

        plan = Plan(
            shuffle_buffer=options.pop("shuffle_buffer", 0),
            seed=options.pop("seed", 0),
            holdout=self.holdout,
            threads=self.threads,
        )
        bad = BadLines(options.pop("on_bad_line", "error"), options.pop("quarantine", None))
        paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
        reading = with_means(paths, reading_options(**options))
        warn_of_columns(paths, reading, stacklevel=3)
        with FileRace(self._new_field(), paths, reading, plan, bad) as race:
            found = columns_of_a_pipe(race.training)
            for _ in race:
                warn_of_wanting(found, stacklevel=3)
            warn_of_wanting(found, stacklevel=3)
            race.check_learned()
        return self._end(race.field)

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Race:
        """One pass over an array, a sparse matrix or a table, row by row in its order.

        `sample_weight` may give each row an importance.
        """
        rows = read_rows(X, by_name=True)
        warn_of_unread_columns(rows, stacklevel=3)
        rows = replace(rows, wanting=())  # said once, and not by each learner
        weights = fit_weights(_only(options, "sample_weight"), rows.size)
        race = self._new_field()
        lessons: dict[str, Any] = {}

        def begin_with(runner: Runner) -> None:
            lessons[runner.name] = runner.learner.begin_rows(rows, y, weights)

        race.each(begin_with, at_once=False)
        race.table.see_rows(rows.core, race.table.first)
        while race.examples < rows.size:
            begin, end = race.examples, min(rows.size, race.table.next_look)
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
        return self._end(race)

    def _end(self, field: RaceField) -> Race:
        self._field = field
        if doubt := doubt_of_order(field.leader.progress):
            warnings.warn(f"{doubt}, and another learner may be best there.", stacklevel=3)
        best = field.leader.learner
        if not field.regress and not best.multi_label:
            warn_of_one_label(best.learned_labels(), stacklevel=4)
        return self

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Continue with one example, predicted by all learners, then learned by all."""
        refuse_none(x)
        if self.metric != "error" and not self._votes:
            raise InvalidInput(f"metric={self.metric!r} is for fit and fit_file.")
        if self._field is None:
            self._field = self._new_field()
        race = self._field

        def learn(runner: Runner) -> None:
            learner, progress = runner.own(), runner.progress
            predicted = learner.predict_one(x)
            loss = (predicted - y) ** 2 if race.regress else float(predicted != y)
            held_out = bool(self.holdout) and (progress.position + 1) % self.holdout == 0
            if not held_out:
                learner.learn_one(x, y, sample_weight)
            progress.position += 1
            progress.note(held_out, sample_weight, loss, race.truth_of(y))

        race.each(learn, at_once=False)
        if race.examples < race.table.first:
            race.table.see(len(x))
        race.advance(1)

    # -- results

    def _run(self) -> RaceField:
        if self._field is None:
            raise not_learned(
                "This Race instance is not fitted yet: it has seen no example. Call fit_file, fit "
                "or learn_one first."
            )
        return self._field

    def _answering(self) -> Any:
        return self._run().leader.own()

    @property
    def standings_(self) -> Standings:
        """All learners, the best first, those that left the race last."""
        return Standings(self._answering().standings_ if self._votes else self._run().standings())

    def _repr_html_(self) -> str:
        from thresher.learners.html import standings_html

        shown = standings_html(self.standings_) if self.__sklearn_is_fitted__() else ""
        return f"<div><b>{escape(repr(self))}</b>{shown}</div>"

    @property
    def best_(self) -> Any:
        """The learner that leads, ready to use."""
        return self._answering().best_ if self._votes else self._answering()

    @property
    def learners_(self) -> dict[str, Any]:
        """The learners that finished, by name."""
        if self._votes:
            return dict(self._answering().learners_)
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
        """``score`` of the learner that answers."""
        return float(self._answering().score(X, y, sample_weight))

    # -- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return self._field is not None

    def __sklearn_tags__(self) -> Any:
        return self._entered()[0].learner.__sklearn_tags__()
