"""Options that several learners share, in groups. A learner inherits its groups."""

from __future__ import annotations

from typing import Any

from thresher.learners.base.class_weights import ClassWeight, class_weight_from, kind_of
from thresher.options import Declared, choice, count, flag, real, special
from thresher.prepare import Written, steps_of

MULTICLASS = ("ultraconservative", "one-vs-rest")


class Averaging(Declared):
    average: bool = flag(
        kw_only=True,
        default=True,
        doc="predict with the mean of all hypotheses, each weighted by the examples it survived.",
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
        '"standard", "minmax", "maxabs", "unit", "conjunctions(2)", "polynomial(2)", '
        '"fourier(500, gamma=0.1)", or several, "standard, polynomial(2)". `thresher.features` '
        "has the same steps as transformers.",
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
