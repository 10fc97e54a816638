"""Many learners and one answer from all of them: experts whose weights follow their losses."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

from thresher._core import Lexicon, Model
from thresher.errors import InvalidInput
from thresher.faults import error_of
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.groups import ClassWeights
from thresher.learners.base.learner import Engine
from thresher.learners.base.online import Online
from thresher.learners.base.regressor import OnlineRegressor
from thresher.learners.criteria import (
    Metric,
    checked_metric,
    criterion,
    is_counted,
    metric_from,
    of_numbers,
)
from thresher.learners.standing import BASELINES, Standing, Standings, ranked, standing
from thresher.options import Declared, count, flag, real, special

# Why a member left, as the core numbers it.
STAYS, WORSE, UNSUITABLE, FAILED, DEAR = range(5)
WHY_LEFT = {
    WORSE: "surely worse than {leader}",
    UNSUITABLE: "not for data like this",
    FAILED: "cannot use this data",
    DEAR: "in the worse half, where rows are wide",
}
WHAT = {"classify": "labels", "regress": "numbers"}


class Member(NamedTuple):
    """A learner of the committee, and the data that it is for."""

    name: str
    learner: Online
    dense: bool = False
    most_features: int = 0
    sparse: bool = False


def members_of(given: Any) -> Any:
    """The learners as they were given, checked; None stands for the portfolio."""
    if given is None:
        return None
    named = given.items() if isinstance(given, Mapping) else ((None, one) for one in given)
    members: list[Member] = []
    for name, learner in named:
        if isinstance(learner, Member):  # of a portfolio
            members.append(learner)
            continue
        if not isinstance(learner, Online) or isinstance(learner, Committee):
            raise InvalidInput(
                f"{learner!r} cannot be a member; expected online learners, such as "
                "thresher.Perceptron()."
            )
        members.append(Member(_name_of(learner) if name is None else str(name), learner))
    names = [member.name for member in members]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{twice} is a member twice; expected each learner once.")
    if not members:
        raise InvalidInput("learners is empty; expected at least one learner.")
    return members


def _name_of(learner: Online) -> str:
    from thresher.learners.portfolio import name_of

    return name_of(learner)


class Voting(Declared):
    """The options of a committee."""

    learners: Any = special(
        default=None,
        check=members_of,
        core=False,
        doc="online learners, a list or a dict from names to them, taken as settings: the "
        "committee begins with fresh copies. None is a portfolio of settings one of which does "
        "well on most data.",
    )
    eta: float = real(
        default=0.5, above=0.0, most=100.0, doc="η: how fast a loss reduces a weight, e^(−η·loss)."
    )
    share: float = real(
        default=0.001,
        above=0.0,
        below=1.0,
        doc="α: the part of all weight that is spread evenly after each example, so that a member "
        "that was bad for long can lead again when the target moves.",
    )
    metric: Metric = special(
        kw_only=True,
        default="error",
        check=checked_metric,
        parse=metric_from,
        core=False,
        doc="by which figure the best member leads: 'error', for labels also 'log-loss', 'auc', "
        "'f1', 'balanced' or a dict of labels and the cost of a mistake on each, for numbers "
        "'rmse' or 'mae'. The weights follow the errors. With figures other than the error and its "
        "root no member is dropped for being worse.",
    )
    keep_all: bool = flag(
        kw_only=True,
        default=False,
        doc="keep members that are surely worse than the leader to the end.",
    )
    baselines: bool = flag(
        kw_only=True,
        default=True,
        doc="let two more vote that learn next to nothing, the most frequent label (the mean) so "
        "far and the last label (target), so that the answer is never much worse than theirs.",
    )
    threads: int | None = count(
        kw_only=True,
        default=None,
        least=1,
        core=False,
        doc="how many members learn at once; by default one for each processor. The result does "
        "not depend on it.",
    )


class Committee(Voting, Online):
    """What experts for labels and experts for numbers share."""

    engine = Engine("committee")
    of_all: ClassVar[tuple[str, ...]] = ()
    """Options that hold for every member."""
    members_: list[Member] | None = None

    def _begin(self, lexicon: Lexicon | None = None) -> Model:
        self.members_ = self._chosen()  # a later version may have another portfolio
        return super()._begin(lexicon)

    def set_params(self, **params: Any) -> Self:
        for name in {"learners", "baselines", "metric"} & params.keys() if self.members_ else ():
            raise InvalidInput(
                f"{name} cannot change once learning has begun; start with a fresh committee."
            )
        return super().set_params(**params)

    def _members(self) -> list[Member]:
        return self._chosen() if self.members_ is None else self.members_

    def _chosen(self) -> list[Member]:
        given = members_of(self.learners)
        if given is None:
            from thresher.learners.portfolio import portfolio

            return portfolio(self.task)
        for member in given:
            if member.learner.task != self.task:
                raise InvalidInput(
                    f"{member.name} predicts {WHAT[member.learner.task]}, {type(self).__name__} "
                    f"{WHAT[self.task]}; expected learners of one kind."
                )
        return list(given)

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        members = []
        for member in self._members():
            settled = member.learner._settled()
            if settled.get("multi_label"):
                raise InvalidInput(f"{member.name} learns sets of labels; a vote is for one label.")
            for name in ("class_weight", "threshold", "clip"):
                if settled.pop(name, None):
                    raise InvalidInput(
                        f"{member.name}: {name} cannot be set for a single member: all see the "
                        "same examples with the same weights, and give one answer."
                    )
            if member.learner.get_params(deep=False).get("classes") is not None:
                raise InvalidInput(
                    f"{member.name}: classes cannot be set for a single member: all meet labels as "
                    "they come."
                )
            settled.pop("once", None)
            members.append(settled | dict(zip(Member._fields[2:], member[2:], strict=True)))
        counted = is_counted(checked_metric(self.metric, self.task))
        return options | {
            "members": members,
            "threads": self.threads or os.cpu_count() or 1,
            "keep_all": self.keep_all or counted,
            "figures": counted,
        }

    # -- what was learned

    def _weightless(self) -> Any:
        raise AttributeError(
            f"{type(self).__name__} has no weights of features, its members have: see best_."
        )

    coef_ = intercept_ = property(_weightless)
    top_features = explain_one = property(_weightless)
    n_features_used_ = feature_names_out_ = property(_weightless)

    @property
    def standings_(self) -> Standings:
        """The leader, the other members by error, those that left; then the baselines."""
        found = self._learned().committee()
        members = self._members()
        leader = self._leader(found)
        rows = [
            _standing(member.name, row, found["examples"], members[leader].name, self._figure(row))
            for member, row in zip(members, found["members"], strict=True)
        ]
        baselines = [
            standing(
                name, found[key], found["examples"], baseline=True, weight=found[key]["weight"]
            )
            for key, name in BASELINES[self.task].items()
        ]
        return Standings([*ranked(rows, leader), *baselines])

    def _repr_html_(self) -> str:
        from html import escape

        from thresher.learners.html import standings_html

        if self._model is None:
            return super()._repr_html_()
        return f"<div><b>{escape(repr(self))}</b>{standings_html(self.standings_)}</div>"

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each member that is left, and of the baselines, the largest first."""
        left = {row.name: row.weight for row in self.standings_ if row.weight > 0.0}
        return dict(sorted(left.items(), key=lambda item: -item[1]))

    def in_words(self) -> str:
        """What was learned, in one line."""
        weights = self.weights_
        shown = ", ".join(f"{name} ({w:.2f})" for name, w in list(weights.items())[:5])
        more = f" and {len(weights) - 5} more" if len(weights) > 5 else ""
        return f"{len(weights)} votes and their weights: {shown}{more}"

    @property
    def best_(self) -> Any:
        """The leader, as a learner of its own: as it would be had it learned alone."""
        return self._member(self._leader(self._learned().committee()))

    def _leader(self, found: dict[str, Any]) -> int:
        """By the figure that decides, where any member has it."""
        figures = [math.inf if row["left"] else self._figure(row) for row in found["members"]]
        known = [i for i, figure in enumerate(figures) if figure < math.inf]
        if not is_counted(self.metric) or not known:
            return int(found["leader"])
        return min(known, key=figures.__getitem__)

    def _figure(self, row: dict[str, Any]) -> float:
        """What decides about a member where that is not the error; else NaN."""
        if self.metric == "error" or row["error"] is None:
            return math.nan
        if self.task == "regress":
            return of_numbers(self.metric, row["error"], row["distance"])
        codes = {} if self._labels is None else self._labels.codes
        return criterion(self.metric, row["figures"], codes)

    @property
    def learners_(self) -> dict[str, Any]:
        """The members that are left, by name, each as a learner of its own."""
        rows = self._learned().committee()["members"]
        names = [member.name for member in self._members()]
        return {names[i]: self._member(i) for i, row in enumerate(rows) if not row["left"]}

    def _member(self, i: int) -> Any:
        state = self._learned().member_state(i)
        learner: Any = self._members()[i].learner.fresh()
        learner.epochs_, learner.converged_ = self.epochs_, self.converged_
        learner.reading_, learner.provenance_ = self.reading_, self.provenance_
        learner._width, learner._column_names = self._width, self._column_names
        if self._labels is not None:
            learner._labels = self._labels.copy()
        for name in self.of_all:
            setattr(learner, name, getattr(self, name))
        learner._begin_from(state)
        return learner


def _standing(
    name: str, row: dict[str, Any], examples: int, leader: str, figure: float
) -> Standing:
    left = row["left"]
    if left:
        examples = row["left_at"]
        row = row | {"standard_error": 0.0, "error": row["error"] if examples else None}
    reason = WHY_LEFT[left].format(leader=leader) if left else None
    if row["fault"]:
        kind, value, limit, weight, grows, feature = row["fault"]
        where = {} if feature is None else {"feature": feature}
        reason = str(error_of(kind, value, limit, weight, grows, where))
    return standing(
        name,
        row,
        examples,
        dropped_at=examples if left else None,
        reason=reason,
        failed=left == FAILED,
        rate=examples / row["seconds"] if row["seconds"] else 0.0,
        weight=row["weight"],
        figure=figure,
    )


class Experts(Committee, ClassWeights, OnlineClassifier):
    """Many learners, and one answer: a vote in which those that were right lately weigh most.

    Every member sees every example and ends bit for bit as if it had learned alone. Its weight
    shrinks with each of its mistakes, and a share of all weight is spread evenly, so that the vote
    follows the best learner, and the best sequence of learners when the target moves: fixed share
    (Herbster & Warmuth 1998). With M the mistakes of the vote, m those of any that has one, N of
    them and T examples, M ≤ (η·m + ln N + T·ln(1/(1 − α)))/ln(2/(1 + e^−η)), whatever the data. The
    most frequent label so far and the last label have a vote, too.

    After 4,096 · 2^k examples a member is dropped if it is surely worse than the leader, over the
    whole stream and over its last quarter, and weighs less than 1 %. Where rows are wide (32
    features or more that are not 0) the worse half leaves each time, and once after 2,048 examples,
    unless the leader's error rises. One that cannot use the data leaves at once.

    Examples
    --------
    >>> from thresher import Experts, PassiveAggressive, Perceptron
    >>> model = Experts([Perceptron(), PassiveAggressive(C=0.1)])
    >>> for i in range(100):
    ...     model.learn_one({"a": i % 2, "b": i % 3}, i % 2 == 0)
    >>> model.predict_one({"a": 1, "b": 2})
    False
    """

    learned = (*OnlineClassifier.learned, "members_")
    of_all = ("class_weight",)


class ExpertsRegressor(Committee, OnlineRegressor):
    """Many learners, and one answer: the mean of their predictions, by weights.

    As `Experts`, for numbers; the baselines are the mean of the targets so far and the last one.
    The predictions are clipped to the range of the targets seen. The rate at which squares reduce
    weights begins high; it is halved, and the weights start over, when the answers have lost more
    than ln N/rate beyond what the weights account for, down to η/B², where B is the span of the
    targets, rounded up to a power of two. The sum of squares exceeds that of any member by at most
    Σ gaps + Σ ln N/rate over the starts + Σ ln(1/(1 − α))/rate.

    Examples
    --------
    >>> from thresher import ExpertsRegressor, LMS, PassiveAggressiveRegressor
    >>> model = ExpertsRegressor([LMS(), PassiveAggressiveRegressor()])
    >>> for i in range(200):
    ...     model.learn_one({"a": i % 3, "b": i % 5}, 2.0 * (i % 3))
    >>> round(model.predict_one({"a": 1}), 1)
    2.0
    """

    learned = (*OnlineRegressor.learned, "members_")
