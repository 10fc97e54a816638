"""The one table of learners: files, tests, documentation and command line all read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.learners.entry import Entry
from thresher.options import REQUIRED, near, parsed

WEIGHTS = {1: 2.0, -1: 0.5, "spam": 4.0, "a": 0.25}  # of some labels

LINEAR = (
    Entry(
        "Perceptron", "perceptron", "perceptron", "classify", "w += η·y·x when y·s ≤ γ",
        "Rosenblatt 1958",
        (
            {}, {"average": False}, {"margin": 0.7}, {"step": "aggressive", "margin": 1.0},
            {"learning_rate": "1/t"}, {"learning_rate": "1/sqrt(t)", "average": False},
            {"learning_rate": 0.25, "average": "tail"}, {"burn_in": 5}, {"fit_intercept": False},
            {"calibrate": True}, {"multiclass": "one-vs-rest", "average": 0.75},
            {"intercept_scaling": 0.25},
            {"class_weight": "balanced"}, {"prepare": "standard", "class_weight": "balanced"},
            {"prepare": "maxabs, conjunctions(2)"},
        ),
    ),
    Entry(
        "TruncatedPerceptron", "truncated", "perceptron", "classify",
        "w += η·y·x when y·s ≤ γ; then all but the B largest w_i = 0",
        "Wang et al. 2014",
        (
            {}, {"keep": 2}, {"keep": 1, "margin": 0.5, "learning_rate": 0.25},
            {"keep": 3, "l2": 0.25, "margin": 1.0, "learning_rate": 0.5},
            {"keep": 2, "learning_rate": "1/sqrt(t)", "fit_intercept": False},
            {"keep": 2, "calibrate": True, "intercept_scaling": 0.25},
            {"keep": 2, "l2": 0.01, "multiclass": "one-vs-rest", "class_weight": WEIGHTS},
        ),
    ),
    Entry(
        "PNormPerceptron", "p-norm", "p-norm", "classify",
        "v += η·y·x when y·s ≤ γ; w = ∇½‖v‖_p²",
        "Grove et al. 1997",
        (
            {}, {"p": 2.0}, {"p": 3.0, "margin": 0.5, "learning_rate": 0.25},
            {"p": 6.0, "fit_intercept": False, "multiclass": "one-vs-rest"},
            {"learning_rate": "1/sqrt(t)", "intercept_scaling": 0.25},
            {"calibrate": True, "p": 4.0}, {"class_weight": "balanced"}, {"prepare": "standard"},
        ),
    ),
    Entry(
        "LabelEfficientPerceptron", "label-efficient", "few-labels", "classify",
        "w += η·y·x when y·s ≤ γ and the label is asked for: with probability b/(b + |s|)",
        "Cesa-Bianchi et al. 2006",
        (
            {}, {"b": 0.1, "seed": 3, "average": False}, {"b": 8.0, "margin": 0.7, "burn_in": 4},
            {"learning_rate": 0.25, "fit_intercept": False, "multiclass": "one-vs-rest"},
            {"calibrate": True, "intercept_scaling": 0.25, "learning_rate": "1/sqrt(t)"},
            {"prepare": "standard"},
        ),
    ),
    Entry(
        "Banditron", "banditron", "few-labels", "classify",
        "w_r += x·(1[r = ỹ = y]/P(r) − 1[r = ŷ]); ỹ is played: ŷ, or any with probability γ",
        "Kakade et al. 2008",
        (
            {}, {"gamma": 0.5, "seed": 3}, {"gamma": 1.0, "fit_intercept": False},
            {"gamma": 0.25, "intercept_scaling": 0.25},
        ),
    ),
    Entry(
        "ShiftingPerceptron", "shifting", "few-labels", "classify",
        "w = (1 − λ_k)·w + λ_k·y·x when y·s ≤ 0, λ_k = λ/(λ + k)",
        "Cavallanti et al. 2007",
        (
            {}, {"lambda_": 1.5}, {"lambda_": 30.0, "fit_intercept": False},
            {"lambda_": 0.5, "intercept_scaling": 0.25}, {"calibrate": True},
            {"prepare": "standard"},
        ),
    ),
    Entry(
        "BatchPerceptron", "batch-perceptron", "perceptron", "classify",
        "w += (η/N)·Σ y·x over mistakes",
        "Duda & Hart 1973", ({}, {"fixed_increment": True}, {"fit_intercept": False},
                               {"learning_rate": "1/t"}, {"learning_rate": "1/sqrt(t)"}),
        online=False,
    ),
    Entry(
        "PassiveAggressive", "pa", "passive-aggressive", "classify", "w += τ·y·x, hinge loss to 0",
        "Crammer et al. 2006",
        (
            {}, {"variant": "PA"}, {"variant": "PA-II", "C": 0.5, "average": 0.9},
            {"C": 0.1, "average": False},
            {"burn_in": 3, "class_weight": WEIGHTS}, {"fit_intercept": False}, {"calibrate": True},
            {"multiclass": "one-vs-rest", "intercept_scaling": 0.5},
        ),
    ),
    Entry(
        "PassiveAggressiveRegressor", "pa-regressor", "passive-aggressive", "regress",
        "w += ±τ·x, to within ε of y",
        "Crammer et al. 2006",
        ({}, {"variant": "PA", "epsilon": 0.0, "average": "tail"},
         {"variant": "PA-II", "average": False}, {"C": 0.1, "fit_intercept": False},
         {"clip_predictions": False}),
    ),
    Entry(
        "MIRA", "mira", "passive-aggressive", "classify",
        "smallest change that ranks the class first",
        "Crammer & Singer 2003",
        ({}, {"constraints": "one"}, {"C": 0.05}, {"C": float("inf"), "margin": 2.0},
         {"average": False, "fit_intercept": False}, {"intercept_scaling": 0.25},
         {"calibrate": True, "class_weight": "balanced"}),
    ),
    Entry(
        "AROW", "arow", "arow", "classify", "w_i += τ·y·Σ_i·x_i, hinge loss; 1/Σ_i += x_i²/r",
        "Crammer et al. 2009",
        ({}, {"r": 0.1, "class_weight": "balanced"}, {"r": 10.0, "average": 0.75, "burn_in": 3},
         {"fit_intercept": False}, {"calibrate": True},
         {"multiclass": "one-vs-rest", "intercept_scaling": 0.5}),
    ),
    Entry(
        "ConfidenceWeighted", "cw", "arow", "classify",
        "w_i += α·y·Σ_i·x_i, right with probability η; 1/Σ_i += (αφ/√u)·x_i²",
        "Crammer et al. 2008",
        ({}, {"eta": 0.6, "class_weight": WEIGHTS}, {"eta": 0.95, "burn_in": 3}, {"average": False},
         {"fit_intercept": False}, {"calibrate": True},
         {"multiclass": "one-vs-rest", "intercept_scaling": 0.5}),
    ),
    Entry(
        "LogisticRegression", "logistic", "logistic", "classify",
        "w −= η·g, log loss; η = α/(β + √Σg²), constant or by t; l1, l2",
        "McMahan et al. 2013",
        (
            {}, {"learning_rate": 2.0, "beta": 0.3}, {"step": "constant", "learning_rate": 0.1},
            {"step": "1/sqrt(t)", "class_weight": "balanced"},
            {"step": "1/t", "average": True, "burn_in": 3},
            {"l1": 0.4, "l2": 0.1}, {"step": "constant", "l1": 0.3, "l2": 0.5},
            {"step": "1/sqrt(t)", "l1": 0.2, "average": "tail"}, {"fit_intercept": False},
            {"intercept_scaling": 0.5}, {"step": "scale-free"},
            {"step": "scale-free", "learning_rate": 2.0, "average": True, "intercept_scaling": 0.5},
        ),
    ),
    Entry(
        "NaiveBayes", "naive-bayes", "naive-bayes", "classify",
        "count; s = log P(+) − log P(−) + Σ x_i·log(θ_+i/θ_−i)",
        "Maron 1961; McCallum & Nigam 1998",
        ({}, {"alpha": 0.1, "class_weight": "balanced"}, {"fit_prior": False},
         {"kind": "bernoulli"},
         {"kind": "bernoulli", "alpha": 0.5, "fit_prior": False}),
    ),
    Entry(
        "LDA", "lda", "lda", "classify",
        "class means μ, one covariance Σ; s = x·Σ⁻¹(μ_+ − μ_−) + b",
        "Fisher 1936",
        ({}, {"shrinkage": 0.3, "class_weight": WEIGHTS}, {"shrinkage": 1.0, "fit_prior": False}),
        quadratic=True,
    ),
    Entry(
        "Winnow", "winnow", "winnow", "classify", "w_i *= α^(±x_i) on a mistake",
        "Littlestone 1988",
        (
            {}, {"alpha": 1.3, "theta": 2.0, "class_weight": "balanced"}, {"margin": 0.5},
            {"demotion": "eliminate"}, {"floor": 0.5}, {"negations": True},
            {"negations": True, "demotion": "eliminate"}, {"negations": True, "floor": 0.5},
            {"average": True},
            {"negations": True, "average": True, "burn_in": 3}, {"calibrate": True},
            {"negations": True, "average": 0.75},
            {"prepare": "minmax"},
        ),
    ),
    Entry(
        "BalancedWinnow", "balanced-winnow", "winnow", "classify",
        "w±_i *= α^(±y·x_i) when y·s ≤ 0",
        "Littlestone 1988",
        ({}, {"scaled": False}, {"alpha": 1.1, "theta": 0.5, "class_weight": WEIGHTS},
         {"margin": 0.5}, {"average": "tail", "burn_in": 2},
         {"fit_intercept": False}, {"calibrate": True}),
    ),
    Entry(
        "Snow", "snow", "snow", "classify",
        "by the rule of each node, over links seen with its label",
        "Roth 1998",
        (
            {}, {"multiclass": "one-vs-rest", "alpha": 1.35, "beta": 0.8, "margin": 0.0},
            {"theta": 1.0, "initial_weight": 0.25, "average": False},
            {"rule": "perceptron", "margin": 0.5, "learning_rate": 0.25, "burn_in": 3},
            {"rule": "passive-aggressive", "C": 0.5, "fit_intercept": False, "average": 0.75},
            {"multiclass": "one-vs-rest", "class_weight": "balanced"},
            {"rule": "naive-bayes", "smoothing": 0.5},
            {"rules": {1: "perceptron", 0: "naive-bayes", "a": "passive-aggressive"}},
            {"eligibility": 2, "prune": 0.9}, {"max_links": 12}, {"calibrate": True},
            {"rule": "perceptron", "multiclass": "one-vs-rest", "calibrate": True,
             "confidence": "sigmoid"},
        ),
    ),
    Entry(
        "LMS", "lms", "lms", "regress", "w += η·(y − s)·x", "Widrow & Hoff 1960",
        ({}, {"learning_rate": 0.01}, {"learning_rate": "1/sqrt(t)", "prepare": "unit"},
         {"learning_rate": "1/t", "normalized": True}, {"normalized": True},
         {"normalized": True, "learning_rate": 0.5, "average": 0.9}, {"fit_intercept": False},
         {"prepare": "standard"}, {"clip_predictions": False}, {"step": "scale-free"},
         {"step": "scale-free", "learning_rate": 0.1, "average": True, "fit_intercept": False}),
    ),
    Entry(
        "RecursiveLeastSquares", "rls", "least-squares", "regress",
        "w = argmin Σ (y − w·x)² over all examples so far", "Plackett 1950",
        ({}, {"l2": 0.5}, {"forgetting": 0.9}, {"l2": 2.0, "forgetting": 0.97},
         {"fit_intercept": False}, {"fit_intercept": False, "l2": 0.1, "forgetting": 0.5},
         {"l2": 1.0, "standardized": True}, {"clip_predictions": False}),
        quadratic=True,
    ),
)  # fmt: skip

COMMITTEES = (
    Entry(
        "Experts", "experts", "experts", "classify",
        "weights of learners: w_i *= e^(−η·mistake), then a share α is spread evenly",
        "Herbster & Warmuth 1998",
    ),
    Entry(
        "ExpertsRegressor", "experts-regressor", "experts", "regress",
        "weights of learners: w_i *= e^(−η·(y − s)²/B²), then a share α is spread evenly",
        "Herbster & Warmuth 1998",
    ),
)  # fmt: skip

# All learners, and the classes that model files name: what imports all of them is made on demand.
if TYPE_CHECKING:
    TABLE: tuple[Entry, ...]
    BY_NAME: dict[str, type[Any]]


def __getattr__(name: str) -> Any:
    if name not in ("TABLE", "BY_NAME"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from thresher.learners.sequence import SequencePerceptron
    from thresher.learners.table_of_others import OTHERS

    table = LINEAR + COMMITTEES + OTHERS
    classes = {entry.versioned_name: entry.cls for entry in table}
    # It learns from sequences, which is a different interface from all others.
    classes[f"SequencePerceptron.v{SequencePerceptron.version}"] = SequencePerceptron
    globals().update(TABLE=table, BY_NAME=classes)
    return globals()[name]


def by_short(short: str, races: bool = True) -> Entry:
    """The online learner of this short name; for a race, one that is a model of the core."""
    known = {entry.short: entry for entry in LINEAR + COMMITTEES if entry.online}
    if short in known:
        return known[short]
    from thresher.learners.table_of_others import OTHERS

    others = {entry.short: entry for entry in OTHERS}
    if short not in others:
        known |= {} if races else others
        raise InvalidInput(
            f"no learner {short!r}; expected one of {', '.join(known)}.{near(short, known)}"
        )
    if races:
        raise InvalidInput(
            f"{short} has no weights and cannot race; expected one of {', '.join(known)}. Train it "
            f"alone: thresher train --learner {short}."
        )
    return others[short]


def parse_settings(cls: type[Any], settings: Iterable[str]) -> dict[str, Any]:
    """Options written as text, ``["C=0.1", "variant=PA-II"]``, as values that `cls` takes.

    >>> from thresher import PassiveAggressive
    >>> parse_settings(PassiveAggressive, ["C=0.1", "average=no"])
    {'C': 0.1, 'average': False}
    """
    options = parsed(cls, settings)
    for name, option in cls.options.items():
        if option.default is REQUIRED and name not in options:
            raise InvalidInput(
                f"{cls.__name__} needs the option {name!r}: --set {name}=…, {option.typed}."
            )
    cls(**options).check_options()
    return options
