"""The models that are mixed: opened one at a time, compared, their names and labels united."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from thresher import model_file
from thresher._core import NameUnion
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.classifier import Classifier
from thresher.learners.base.labels import Labels
from thresher.learners.base.learner import Learner
from thresher.learners.boolean.learner import BooleanLearner
from thresher.learners.sequence import SequenceLearner
from thresher.prepare import SCALERS, steps_of

if TYPE_CHECKING:
    Places: TypeAlias = "npt.NDArray[np.int64]"

Model: TypeAlias = "Learner | str | os.PathLike[str]"
DIFFERING = ("seed", "random_state")  # what learners that are trained alike may differ in

# Learners without a rule and a geometry: their counts and moments add up.
COUNTING = ("naive-bayes", "lda", "least-squares")

NUMBERING = {"conjunctions", "polynomial"}  # steps that number what they make as it comes

# Geometries whose state has no rule by which it could be mixed, and why.
REFUSED = {
    "snow": "which of its weights exist is itself learned, and differs from part to part",
    "committee": "its members were chosen by the losses of one run",
    "p-norm": "its weights are powers of sums over all features, to which no theorem about mixing "
    "applies",
    "shifting": "how far its weights have faded depends on the order of all mistakes",
    "scale-free": "each feature has a scale that depends on the order of the examples",
    "negations": "its negated literals share one factor, which differs from part to part; expected "
    "Winnow without negations, or BalancedWinnow",
}


def unmixable(learner: Any) -> str | None:
    """Why a learner cannot be mixed with others of its kind; None if it can."""
    name = type(learner).__name__
    if isinstance(learner, SequenceLearner):
        return (
            f"{name} cannot be mixed: it does not keep in how many parts each feature occurs, by "
            "which the next pass would have to be mixed."
        )
    if isinstance(learner, BooleanLearner):
        return (
            f"{name} is not learned in passes over shards; train it on each part, and `thresher "
            "mix` makes the model of all of them."
        )
    if not isinstance(learner, Learner):
        return f"{name} cannot be mixed: only models with weights of features are."
    options = learner._settled()
    why = REFUSED.get(options["geometry"])
    average, threshold = (getattr(learner, name, None) for name in ("average", "threshold"))
    kinds = [step.kind for step in steps_of(learner.prepare)]
    if numbering := NUMBERING.intersection(kinds):
        why = (
            f"{numbering.pop()!r} in prepare={learner.prepare!r} numbers products as they come, "
            "which differs from part to part"
        )
    elif "fourier" in kinds and set(kinds[kinds.index("fourier") :]) & set(SCALERS):
        why = f"prepare={learner.prepare!r} scales after fourier; expected scaling before it"
    elif getattr(learner, "learning_rate", None) == "auto":
        why = "its learning_rate='auto' follows the examples of one run; expected a number"
    elif average is not None and not isinstance(average, bool):
        why = f"average={average!r} depends on the order of all examples; expected True or False"
    elif threshold is not None:
        why = f"threshold={threshold!r} follows the scores of one run; expected None"
    elif options["geometry"] == "multiplicative" and options["theta"] is None:
        why = "its threshold θ is the number of features, which mixing changes; expected theta"
    return None if why is None else f"{name} cannot be mixed: {why}."


class Aligned(NamedTuple):
    """A model's state, as part of the mixed model."""

    state: dict[str, Any]
    rows: Places
    """The place of each of its weights."""
    inputs: Places
    """The place of each of its features, of which its steps may make others."""
    columns: list[int]
    """Which of its columns each of the mixed model's columns is."""
    codes: list[int]
    """The code of each of its labels, by its own code."""


class Parts:
    """Models that were trained alike, and what they started from."""

    def __init__(
        self, models: Iterable[Model], base: Model | None, names: Sequence[str] | None = None
    ) -> None:
        """`names` are what errors call the models; by default their paths, or numbers."""
        self.models, self._names = list(models), names
        if not self.models:
            raise InvalidInput("no learners; expected at least one.")
        self.base = None if base is None else opened(base, "the base")
        self.first: Learner = opened(self.models[0], self.name_of(0))
        if (why := unmixable(self.first)) is not None:
            raise InvalidInput(why)
        self.labels = self._united_labels()
        self.union = NameUnion()

    def __len__(self) -> int:
        return len(self.models)

    @property
    def geometry(self) -> str:
        return str(self.first._settled()["geometry"])

    @property
    def made_by_steps(self) -> int:
        """How many features the steps make, the same of every part; 0: those that come."""
        return sum(s.size for s in steps_of(self.first.prepare) if s.kind == "fourier")

    def refuse_exact(self, what: str) -> None:
        """Where weights are computed from counts or moments, only those add up."""
        if self.geometry in COUNTING:
            self.first._refuse_more_than_weights(what)

    def _united_labels(self) -> list[Any]:
        """The labels of all models, in the order of one machine."""
        labels = Labels()
        if isinstance(self.first, Classifier):
            if self.base is not None:
                labels.add(met_labels(self.base))
            for i, model in enumerate(self.models):
                met = met_labels(model) if i else met_labels(self.first)
                try:
                    labels.add(met)
                except InvalidInput as error:
                    raise InvalidInput(f"{self.name_of(i)}: {error}") from error
        return labels.values

    def name_of(self, i: int) -> str:
        if self._names is not None:
            return self._names[i]
        model = self.models[i]
        return os.fspath(model) if isinstance(model, (str, os.PathLike)) else f"learner {i}"

    def __iter__(self) -> Iterator[Learner]:
        """The models in turn, each compared with the first."""
        for i, model in enumerate(self.models):
            learner = opened(model, self.name_of(i)) if i else self.first
            self._check_alike(learner, self.name_of(i))
            yield learner

    def _check_alike(self, learner: Learner, which: str) -> None:
        first = self.first
        check_options(learner, first, which)
        if learner._learned().ledger() is not None:
            raise InvalidInput(
                f"{which} keeps a live audit, which is of one run from beginning to end; expected "
                "learners without audit='live'."
            )
        check_same(
            which,
            ("columns", learner._width, first._width),
            ("column names", column_names(learner), column_names(first)),
            ("a recipe", learner.reading_, first.reading_),
        )

    def checked_base(self) -> Learner | None:
        if self.base is not None:
            self._check_alike(self.base, "the base")
        return self.base

    def aligned(self, learner: Learner) -> Aligned:
        """Its state, in which all labels count as met, and where its features and labels go."""
        codes: list[int] = []
        columns = [0]
        if isinstance(learner, Classifier):
            learner = self._with_all_labels(learner)
            place = {label: code for code, label in enumerate(self.labels)}
            codes = [place[label] for label in learner._met()[0].labels.values]
            met = learner._met()[1]
            columns = [met.index(label) for label in self.labels] if len(met) > 2 else [0]
        model = learner._learned()
        state = model.state()
        if state["name_ends"]:
            rows = self.union.add(state["names"], state["name_ends"])
        else:  # by column, or hashed
            rows = np.arange(model.features)
        weights = np.arange(self.made_by_steps) if self.made_by_steps else rows
        return Aligned(state, weights, rows, columns, codes)

    def _with_all_labels(self, learner: Classifier) -> Classifier:
        if len(learner._met()[1]) == len(self.labels) or self.geometry in COUNTING:
            return learner
        learner = copy.copy(learner)
        model = learner._learned()
        learner._labels.add(self.labels)
        learner._share_labels(model)
        model.meet_labels()
        return learner

    def made(self) -> Learner:
        """A learner with the options of the models, that has learned nothing."""
        first = self.first
        made = first.fresh()
        made.reading_ = first.reading_
        made._begin()
        if isinstance(made, Classifier):
            made._labels = Labels(self.labels)
            made._share_labels(made._learned())
        if first._width is not None:
            made._settle_columns(first._width, column_names(first))
        return made

    def put_names(self, state: dict[str, Any], counts: Any) -> None:
        """The names of all models, and how often those without a number have occurred."""
        if len(self.union):
            state |= self.union.names()
        if counts is not None:
            state["name_counts"] = np.minimum(counts, 255).astype(np.uint8).tobytes()
        most = self.first.reading_.max_features if self.first.reading_ else None
        if most and len(self.union) > most:
            raise InvalidInput(
                f"the models have {len(self.union)} names together, and max_features={most}; "
                "expected parts with the same names, or no limit."
            )


def check_options(learner: Any, first: Any, which: str) -> None:
    """Whether it is of the class of the first, with the same options."""
    if type(learner) is not type(first):
        raise InvalidInput(
            f"{which} is a {type(learner).__name__}, the first a {type(first).__name__}; expected "
            "learners of one class."
        )
    for name, value in learner.get_params(deep=False).items():
        if name not in DIFFERING and value != getattr(first, name):
            raise InvalidInput(
                f"{which} has {name}={value!r}, the first {getattr(first, name)!r}; expected the "
                "same options."
            )


def check_same(which: str, *facts: tuple[str, Any, Any]) -> None:
    for what, found, expected in facts:
        if found != expected:
            raise InvalidInput(
                f"{which} has {what} {found!r}, the first {expected!r}; expected the same."
            )


def loaded(model: Model) -> Any:
    """The learner itself, or the one in a file."""
    return model_file.load(model) if isinstance(model, (str, os.PathLike)) else model


def opened(model: Model, which: str) -> Learner:
    """A learner with weights."""
    learner = loaded(model)
    if isinstance(learner, (BooleanLearner, SequenceLearner)):
        raise InvalidInput(f"{which}: {unmixable(learner)}")
    if not isinstance(learner, Learner):
        raise InvalidInput(
            f"{which} is {learner!r:.200}, which has no weights to be mixed; expected a linear "
            "learner."
        )
    learner._learned()
    return learner


def met_labels(model: Model) -> list[Any]:
    """The labels that a model has learned, in order of appearance."""
    if isinstance(model, (str, os.PathLike)):
        return model_file.labels_in(model)
    if not isinstance(model, Classifier):
        return []
    return model._met()[1]


def column_names(learner: Learner) -> list[str] | None:
    return None if learner._column_names is None else learner._column_names.tolist()
