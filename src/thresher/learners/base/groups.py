"""Options that several learners share, in groups. A learner inherits its groups."""

from __future__ import annotations

import numbers
from typing import Any, TypeAlias

from thresher.errors import InvalidInput
from thresher.learners.base.class_weights import ClassWeight, class_weight_from, kind_of
from thresher.learners.base.thresholds import Threshold, threshold_from
from thresher.learners.base.thresholds import kind_of as threshold_kind
from thresher.options import FLAGS, Declared, choice, count, flag, real, special
from thresher.prepare import Written, steps_of

MULTICLASS = ("ultraconservative", "one-vs-rest")


Mean: TypeAlias = bool | str | float
"""False, True, "tail" or the β of a mean that fades."""


def mean_of(given: Any) -> Mean:
    """Which mean of its hypotheses a learner predicts with.

    >>> mean_of(True), mean_of("tail"), mean_of(0.999)
    (True, 'tail', 0.999)
    """
    if isinstance(given, bool) or getattr(given, "dtype", None) == "bool":
        return bool(given)
    if isinstance(given, str) and given == "tail":
        return given
    if isinstance(given, numbers.Real) and 0.0 < float(given) < 1.0:
        return float(given)
    raise InvalidInput(
        f"average is {given!r}; expected True or False, 'tail', or a number between 0 and 1."
    )


def _typed_mean(text: str) -> Mean:
    if (flag := FLAGS.get(text.lower())) is not None:
        return flag
    return text if text == "tail" else float(text)


def goes_on_as(before: Any, now: Any) -> bool:
    """Whether a learner that kept the mean `before` can go on with another: β may change, and a
    mean may be given up."""
    before, now = mean_of(before), mean_of(now)
    both_fade = isinstance(before, float) and isinstance(now, float)
    return now is False or before == now or both_fade


class Averaging(Declared):
    average: Mean = special(
        kw_only=True,
        default=True,
        check=mean_of,
        parse=_typed_mean,
        typed='true, false, "tail" or a number between 0 and 1',
        doc="predict with the mean of all hypotheses, each weighted by the examples it survived; "
        'or, where the target moves, with a mean that forgets: "tail" is that of the later ones, '
        "the last n/2 to 3n/4 of n; a number β such as 0.999 weighs a hypothesis by β once for "
        "each example since, about the last 1/(1 − β).",
    )
    burn_in: int = count(kw_only=True, default=0, doc="examples left out of the average.")


class Epochs(Declared):
    max_epochs: int | None = count(
        kw_only=True,
        default=1,
        none=True,
        least=1,
        core=False,
        doc="passes of ``fit``; None continues until an epoch without an update. Where repeated "
        "weights prove it, it also ends on data that is not separable.",
    )
    shuffle: bool = flag(
        kw_only=True,
        default=False,
        core=False,
        doc="take the rows in a new random order in each epoch of ``fit``.",
    )
    random_state: Any = special(
        kw_only=True,
        default=None,
        check=lambda seed: seed,
        parse=int,
        typed="a whole number",
        core=False,
        doc="the seed of that order.",
    )


class Passes(Epochs):
    warm_start: bool = flag(
        kw_only=True,
        default=False,
        core=False,
        doc="``fit`` goes on from all that was learned before, and does not begin anew.",
    )


class Intercept(Declared):
    fit_intercept: bool = flag(
        kw_only=True, default=True, doc="a constant feature, which counts in ‖x‖² like any other."
    )


class InterceptScaling(Declared):
    intercept_scaling: float = real(
        kw_only=True,
        default=1.0,
        above=0.0,
        doc="the value of the constant feature. Where rows have length 1, as is usual for text, "
        "0.1 keeps it from outweighing them.",
    )


class ClippedPredictions(Declared):
    clip_predictions: bool = flag(
        kw_only=True,
        default=True,
        doc="predictions are clipped to the range of the targets learned so far. Weights are "
        "learned from w·x itself, which is what ``coef_`` and ``intercept_`` give.",
    )


class PairsOfColumns(Declared):
    max_columns: int = count(
        kw_only=True,
        default=10_000,
        least=1,
        most=10_000,
        doc="refuse an example with which there would be more features than this: a step costs "
        "their square. In a race the learner then leaves.",
    )


class ManyClasses(Declared):
    multiclass: str = choice(
        *MULTICLASS,
        kw_only=True,
        default="ultraconservative",
        doc='from three classes on, "ultraconservative" moves the right class and its strongest '
        'rival; "one-vs-rest" keeps a two-class machine for each class.',
    )


class Calibration(Declared):
    calibrate: bool = flag(
        kw_only=True, default=False, doc="also learn probabilities, for ``predict_proba``."
    )


class Preparation(Declared):
    prepare: Written = special(
        kw_only=True,
        default=None,
        check=steps_of,
        parse=str,
        doc="steps that every row goes through first, learned and saved with the model: "
        '"standard", "minmax", "maxabs", "idf", "unit", "conjunctions(2)", "polynomial(2)", '
        '"fourier(500, gamma=0.1)", or several, "standard, polynomial(2)". `thresher.features` '
        "has the same steps as transformers.",
    )


class Thresholds(Declared):
    threshold: Threshold = special(
        kw_only=True,
        default=None,
        check=threshold_kind,
        parse=threshold_from,
        doc='where the score of two classes is cut, tuned on the stream instead of 0: "f1" for the '
        'largest F1 of the second label, "f1(spam)" for that of another, "balanced" for the '
        'smallest mean of the two error rates, a dict such as ``{"spam": 5.0, "ham": 1.0}`` for '
        "the smallest cost of mistakes on each. It does not change what is learned.",
    )


class ClassWeights(Declared):
    class_weight: ClassWeight = special(
        kw_only=True,
        default=None,
        check=kind_of,
        parse=class_weight_from,
        doc="a factor of the weight of each example, by class: a dict such as "
        '``{"spam": 5.0}``, the others counting 1; or "balanced", n/(K·n_k), with n the weight of '
        "the examples so far, n_k that of its class and K the number of classes, itself included. "
        "So rare classes count as much as frequent ones, in an array as in a stream.",
    )
