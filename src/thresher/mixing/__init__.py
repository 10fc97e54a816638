"""One model of several that were trained apart: on other machines, or on parts of the data."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.starting import matrix_of, put
from thresher.learners.boolean.learner import BooleanLearner
from thresher.mixing.concepts import mix_concepts
from thresher.mixing.machines import mix_machines
from thresher.mixing.moments import EXACT
from thresher.mixing.parts import Model, Parts, loaded, unmixable

__all__ = ["add_weights", "average_weights", "mix", "restarted", "unmixable"]

WAYS = ("occurrence", "mean")


def mix(
    models: Iterable[Model],
    *,
    base: Model | None = None,
    how: str = "occurrence",
    names: Sequence[str] | None = None,
) -> Any:
    """A new learner made of several that were trained alike, each on a part of the data.

    `models` are learners or paths of model files, of which one at a time is in memory. `base` is
    what all of them started from; by default they started from nothing. `names` are what errors
    call the models, instead of their paths. Each weight moves by what the models moved it,

        w_j = base_j + (1/n_j)·Σ_i (w_ij − base_j)

    where n_j is with `how="occurrence"` the number of parts whose data contain feature j, and with
    `how="mean"` the number of models, which makes it the plain mean. A name that no `base` knows
    occurs in the models that know it; what the first mix counted is kept in the model, for the
    next. Columns of arrays and hashed features count as occurring in every part.

    Winnow's weights are mixed as logarithms, the variances of AROW and Confidence-Weighted as
    precisions. `NaiveBayes` adds up its counts, `LDA` and `RecursiveLeastSquares` their moments:
    the result is that of one run over all the data. Names and classes are those of all models, in
    the order of one machine that reads the parts one after the other. Counters are added up.
    Learners of boolean concepts keep the literals or concepts that every part has left, and
    `WeightedMajority` adds up the mistakes of each concept: what one run over all would keep.
    Learners with a state that cannot be mixed are refused with the reason.

    >>> from thresher import Perceptron, mix
    >>> parts = [Perceptron(average=False), Perceptron(average=False)]
    >>> for part, names in zip(parts, (["a", "b"], ["b", "c"])):
    ...     part.learn_one([names[0]], "no")
    ...     part.learn_one([names[1]], "yes")
    >>> dict(mix(parts).top_features())
    {'a': -1.0, 'c': 1.0}
    """
    if how not in WAYS:
        raise InvalidInput(f"how is {how!r}; expected one of {', '.join(map(repr, WAYS))}.")
    given = list(models)
    if given and isinstance(first := loaded(given[0]), BooleanLearner):
        return mix_concepts(first, given[1:], base)
    return _mixed(Parts(given, base, names), None, by_occurrence=how == "occurrence")


def average_weights(models: Iterable[Model], weights: npt.ArrayLike | None = None) -> Any:
    """A new learner whose weights are the mean of those of several that were trained alike.

    `weights` are the shares of the learners, each ≥ 0 with the sum 1; by default they are equal,
    and the result is that of ``mix(models, how="mean")``. A learner without a feature has its
    starting weight for it.

    A mean over parts of the data, from which the next pass over each part starts, is iterative
    parameter mixing (McDonald, Hall & Mann 2010).

    >>> from thresher import Perceptron, average_weights
    >>> parts = [Perceptron(average=False), Perceptron(average=False)]
    >>> for part, names in zip(parts, (["a", "b"], ["b", "c"])):
    ...     part.learn_one([names[0]], "no")
    ...     part.learn_one([names[1]], "yes")
    >>> mean = average_weights(parts)
    >>> dict(mean.top_features()), mean.examples_
    ({'a': -0.5, 'c': 0.5}, 4)
    """
    parts = Parts(models, None)
    parts.refuse_exact("a mean of weights")
    if weights is None:
        return _mixed(parts, None, by_occurrence=False)
    given = np.asarray(weights, np.float64)
    shares: list[float] = given.tolist()
    if given.shape != (len(parts),) or not all(share >= 0.0 for share in shares):
        raise InvalidInput(
            f"weights is {weights!r}; expected {len(parts)} numbers ≥ 0, one for each learner."
        )
    if not abs(sum(shares) - 1.0) <= 1e-9:
        raise InvalidInput(f"weights add up to {sum(shares)}; expected 1.")
    return _mixed(parts, shares, by_occurrence=False)


def add_weights(models: Iterable[Model]) -> Any:
    """A new learner whose weights are the sums of those of several that were trained alike.

    Its score is the sum of their scores. For learners that only add to their weights.

    >>> from thresher import LMS, add_weights
    >>> parts = [LMS(learning_rate=0.5, fit_intercept=False).fit([[1.0]], [y]) for y in (1.0, 3.0)]
    >>> add_weights(parts).predict([[2.0]]).tolist()
    [4.0]
    """
    parts = Parts(models, None)
    parts.first._refuse_more_than_weights("the sum of weights")
    return _mixed(parts, [1.0] * len(parts), by_occurrence=False)


def restarted(learner: Any) -> Any:
    """A copy whose average begins anew: the mean of the next pass is of that pass alone."""
    made = copy.copy(learner)
    state = made._learned().state()
    for key in [key for key in state["counts"] if key.endswith(".average.past.rows")]:
        name = key.removesuffix(".rows")
        put(state, name, np.zeros_like(matrix_of(state, name)))
        state["reals"][name.removesuffix("past") + "clock"] = 0.0
    made._begin_from(state)
    return made


def _mixed(parts: Parts, shares: list[float] | None, *, by_occurrence: bool) -> Any:
    if len(parts) == 1:
        return copy.copy(parts.first)
    exact = EXACT.get(parts.geometry)
    if exact is not None:
        return exact(parts)
    return mix_machines(parts, shares, by_occurrence)
