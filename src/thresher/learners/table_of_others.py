"""The rows of learners that are not a single linear model."""

from __future__ import annotations

from thresher.concepts import conjunctions, decision_lists, disjunctions, m_of_n, parities
from thresher.learners.entry import Entry

OTHERS = (
    Entry(
        "KernelPerceptron", "kernel-perceptron", "kernel", "classify",
        "keep x; s(x) += y·K(x_j, x) on a mistake", "Aizerman et al. 1964",
        (
            {}, {"kernel": "linear"}, {"kernel": "linear", "prediction": "last"},
            {"kernel": "polynomial", "degree": 2, "prediction": "voted", "burn_in": 3},
            {"kernel": "sigmoid", "gamma": 0.1, "coef0": 0.5, "fit_intercept": False},
            {"gamma": 0.5, "budget": 5}, {"gamma": 0.5, "budget": 4, "forget": "smallest"},
            {"budget": 3, "forget": "random", "random_state": 1, "prediction": "voted"},
            {"gamma": 0.5, "budget": 4, "multiclass": "one-vs-rest", "burn_in": 3},
            {"gamma": 0.5, "multiclass": "one-vs-rest"},
        ),
        kernel=True,
    ),
    Entry(
        "VotedPerceptron", "voted-perceptron", "kernel", "classify", "sgn Σ c_i·sgn(v_i·x)",
        "Freund & Schapire 1999",
        (
            {}, {"kernel": "rbf", "gamma": 0.5}, {"max_hypotheses": 3}, {"burn_in": 4},
            {"kernel": "polynomial", "coef0": 0.5, "fit_intercept": False},
            {"multiclass": "one-vs-rest"}, {"prediction": "averaged"},
            {"count_from": 0},
        ),
        kernel=True,
    ),
    Entry(
        "Elimination", "elimination", "boolean", "classify",
        "delete the literals that an example rules out",
        "Valiant 1984",
        ({}, {"monotone": False}, {"concept": "disjunction"},
         {"concept": "disjunction", "monotone": False}),
        boolean=True,
    ),
    Entry(
        "Consistent", "consistent", "boolean", "classify",
        "keep the concepts that agree; one of them predicts",
        "Mitchell 1982", ({"concepts": conjunctions(4), "random_state": 3},), boolean=True,
    ),
    Entry(
        "Halving", "halving", "boolean", "classify", "keep the concepts that agree; most predict",
        "Littlestone 1988",
        ({"concepts": conjunctions(4)}, {"concepts": disjunctions(4, monotone=True)},
         {"concepts": m_of_n(4, 2)}, {"concepts": parities(4)}, {"concepts": decision_lists(4)}),
        boolean=True,
    ),
    Entry(
        "StandardOptimal", "standard-optimal", "boolean", "classify",
        "keep the concepts that agree; those hardest to tell apart predict",
        "Littlestone 1988",
        ({"concepts": conjunctions(4)}, {"concepts": disjunctions(4, monotone=True)}),
        boolean=True,
    ),
    Entry(
        "WeightedMajority", "weighted-majority", "boolean", "classify",
        "w_f *= β for each concept f that is wrong",
        "Littlestone & Warmuth 1994",
        ({"concepts": conjunctions(4)}, {"concepts": m_of_n(4, 2), "beta": 0.8}), boolean=True,
    ),
)  # fmt: skip
