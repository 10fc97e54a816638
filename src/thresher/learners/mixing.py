"""Weights of several learners as those of one: their mean, or their sum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.learners.base.classifier import Classifier
from thresher.learners.base.labels import Labels
from thresher.learners.base.learner import Floats, Learner
from thresher.learners.base.starting import matrix_of, meet_labels, put

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    from thresher.lazy import np

RANGE = ("low", "high")
DIFFERING = ("seed", "random_state")  # what learners that are trained alike may differ in


def average_weights(learners: Iterable[Learner], weights: npt.ArrayLike | None = None) -> Any:
    """A new learner whose weights are the mean of those of several that were trained alike.

    `weights` are the shares of the learners, each ≥ 0 with the sum 1; by default they are equal.
    Features are found by name, and are those of all learners together: the first one's, then the
    new ones of the second, and so on. A learner without a feature has the weight 0 for it.

    Both the weights that predict (``coef_``, which may be averages over time) and those that learn
    are combined; counters are added up, so that the learner goes on as one that has seen all the
    examples. A mean over parts of the data, from which the next pass over each part starts, is
    iterative parameter mixing (McDonald, Hall & Mann 2010).

    >>> from thresher import Perceptron, average_weights
    >>> parts = [Perceptron(average=False), Perceptron(average=False)]
    >>> for part, names in zip(parts, (["a", "b"], ["b", "c"])):
    ...     part.learn_one([names[0]], "no")
    ...     part.learn_one([names[1]], "yes")
    >>> mean = average_weights(parts)
    >>> dict(mean.top_features()), mean.examples_
    ({'a': -0.5, 'c': 0.5}, 4)
    """
    learners = _alike(learners)
    if weights is None:
        shares = np.full(len(learners), 1.0 / len(learners))
    else:
        shares = np.asarray(weights, np.float64)
        if shares.shape != (len(learners),) or not (shares >= 0.0).all():
            raise InvalidInput(
                f"weights is {weights!r}; expected {len(learners)} numbers ≥ 0, one for each "
                "learner."
            )
        if not abs(shares.sum() - 1.0) <= 1e-9:
            raise InvalidInput(f"weights add up to {shares.sum()}; expected 1.")
    return _combined(learners, shares)


def add_weights(learners: Iterable[Learner]) -> Any:
    """A new learner whose weights are the sums of those of several that were trained alike.

    Its score is the sum of their scores. Otherwise as `average_weights`.

    >>> from thresher import LMS, add_weights
    >>> parts = [LMS(learning_rate=0.5, fit_intercept=False).fit([[1.0]], [y]) for y in (1.0, 3.0)]
    >>> add_weights(parts).predict([[2.0]]).tolist()
    [4.0]
    """
    learners = _alike(learners)
    return _combined(learners, np.ones(len(learners)))


def _alike(learners: Iterable[Learner]) -> list[Learner]:
    """The learners, checked: of one class and one set of options, labels and columns, with nothing
    learned but weights."""
    listed = list(learners)
    if not listed:
        raise InvalidInput("no learners; expected at least one.")
    first = listed[0]
    for i, learner in enumerate(listed):
        if not isinstance(learner, Learner):
            raise InvalidInput(f"learner {i} is {learner!r}; expected a linear learner.")
        if type(learner) is not type(first):
            raise InvalidInput(
                f"learner {i} is a {type(learner).__name__}, learner 0 a {type(first).__name__}; "
                "expected learners of one class."
            )
        learner._learned()
        learner._refuse_more_than_weights("the mean or sum of weights")
        _refuse_other_statistics(learner)
        for name, value in learner.get_params(deep=False).items():
            if name not in DIFFERING and value != getattr(first, name):
                raise InvalidInput(
                    f"learner {i} has {name}={value!r}, learner 0 {getattr(first, name)!r}; "
                    "expected the same options."
                )
        for what, found, expected in (
            ("labels", _labels(learner), _labels(first)),
            ("columns", learner._width, first._width),
            ("column names", _column_names(learner), _column_names(first)),
            ("a recipe", learner.reading_, first.reading_),
        ):
            if found != expected:
                raise InvalidInput(
                    f"learner {i} has {what} {found!r}, learner 0 {expected!r}; expected the same."
                )
        if isinstance(learner, Classifier) and len(_labels(learner)) < 2:
            raise InvalidInput(
                f"learner {i} has seen the labels {_labels(learner)!r}; expected two or more."
            )
    return listed


def _labels(learner: Learner) -> list[Any]:
    """The labels learned, sorted."""
    return sorted(learner._met()[1]) if isinstance(learner, Classifier) else []


def _column_names(learner: Learner) -> list[str] | None:
    return None if learner._column_names is None else learner._column_names.tolist()


def _refuse_other_statistics(learner: Learner) -> None:
    found = [
        f"{name}={options[name]!r}"
        for options in [learner.get_params(deep=False)]
        for name, value in (("calibrate", True), ("class_weight", "balanced"),
                            ("learning_rate", "auto"))
        if options.get(name) == value
    ]  # fmt: skip
    average = getattr(learner, "average", False)
    if not isinstance(average, bool):
        found.append(f"average={average!r}")
    if found:
        raise InvalidInput(
            f"{type(learner).__name__} has {found[0]}, statistics of its own run, which weights "
            "alone do not combine; expected learners without."
        )


def _combined(learners: Sequence[Learner], shares: Floats) -> Any:
    first = learners[0]
    labels = first._met()[1] if isinstance(first, Classifier) else []
    states = [learner._learned().state() for learner in learners]

    mixed = first.fresh()
    mixed.reading_ = first.reading_
    model = mixed._begin()
    if isinstance(mixed, Classifier):
        mixed._labels = Labels(labels)
        mixed._share_labels(model)
    models = [learner._learned() for learner in learners]
    if first._width is not None:
        mixed._settle_columns(first._width, _column_names(first))
    if models[0].named:
        places = [model.ids(list(one.names())) for one in models]
    else:  # by column, or hashed
        model.grow(max(one.features for one in models))
        places = [list(range(one.features)) for one in models]

    shape = (model.features + 1, max(1, len(labels)) if len(labels) != 2 else 1)
    now, mean, clock = np.zeros(shape), np.zeros(shape), 0.0
    state = model.state()
    meet_labels(state, mixed._labels.ranks if mixed._labels is not None else [])
    counts, reals = state["counts"], state["reals"]
    for learner, one, place, share in zip(learners, states, places, shares, strict=True):
        w = matrix_of(one, "reading0.geometry.w")
        columns = _columns(learner, labels)
        rows = [0, *(i + 1 for i in place)]
        now[rows] += share * w[:, columns]
        time = one["reals"].get("reading0.average.clock", 0.0)
        past = matrix_of(one, "reading0.average.past") / time if time else np.zeros_like(w)
        mean[rows] += share * (w - past)[:, columns]
        clock += time
        for name in ("mistakes", "updates", "asked"):
            if (key := f"reading0.{name}") in counts:
                counts[key] += one["counts"][key]
        reals["reading0.examples"] += one["reals"]["reading0.examples"]
        largest = "reading0.largest_target"
        reals[largest] = max(reals[largest], one["reals"][largest])
    if not np.isfinite(now).all() or not np.isfinite(clock * (now - mean)).all():
        raise InvalidInput("the weights are too large to be added up.")
    if "targets.low" in reals:  # what predictions are clipped to
        ends = [np.array([one["reals"][f"targets.{end}"] for one in states]) for end in RANGE]
        is_mean = math.isclose(shares.sum(), 1.0)
        reals["targets.low"] = float(ends[0].min() if is_mean else shares @ ends[0])
        reals["targets.high"] = float(ends[1].max() if is_mean else shares @ ends[1])
    put(state, "reading0.geometry.w", now)
    if "reading0.average.clock" in reals:
        put(state, "reading0.average.past", clock * (now - mean))
        reals["reading0.average.clock"] = clock
    mixed._given_start = True
    mixed._begin_from(state)
    mixed.epochs_, mixed.converged_ = 0, False
    return mixed


def _columns(learner: Learner, labels: list[Any]) -> list[int]:
    """The column of each label in a learner that met them in its own order."""
    if len(labels) <= 2 or not isinstance(learner, Classifier):
        return [0]
    met = learner._met()[1]
    return [met.index(label) for label in labels]
