"""Online, mistake-driven linear learning, one example at a time."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from thresher.version import __version__ as __version__

# The module of each public name. It is imported at first use, so that the command line, which needs
# few of them, starts fast.
_HOMES = {
    "AROW": "learners.linear.arow",
    "LDA": "learners.linear.lda",
    "LMS": "learners.linear.lms",
    "LMSStability": "learners.linear.lms",
    "LogisticRegression": "learners.linear.logistic",
    "MIRA": "learners.linear.passive_aggressive",
    "BalancedWinnow": "learners.linear.winnow",
    "Banditron": "learners.linear.banditron",
    "BatchPerceptron": "learners.linear.perceptron",
    "ConfidenceWeighted": "learners.linear.arow",
    "Consistent": "learners.boolean.version_spaces",
    "Elimination": "learners.boolean.elimination",
    "Experts": "learners.experts",
    "ExpertsRegressor": "learners.experts",
    "Halving": "learners.boolean.version_spaces",
    "StandardOptimal": "learners.boolean.version_spaces",
    "KernelPerceptron": "learners.kernel.perceptrons",
    "LabelEfficientPerceptron": "learners.linear.few_labels",
    "NaiveBayes": "learners.linear.naive_bayes",
    "PassiveAggressive": "learners.linear.passive_aggressive",
    "PassiveAggressiveRegressor": "learners.linear.passive_aggressive",
    "Perceptron": "learners.linear.perceptron",
    "PNormPerceptron": "learners.linear.pnorm",
    "Race": "race",
    "TruncatedPerceptron": "learners.linear.perceptron",
    "RecursiveLeastSquares": "learners.linear.least_squares",
    "VotedPerceptron": "learners.kernel.perceptrons",
    "ShiftingPerceptron": "learners.linear.few_labels",
    "Snow": "learners.linear.snow",
    "WeightedMajority": "learners.boolean.version_spaces",
    "SequencePerceptron": "learners.sequence",
    "Winnow": "learners.linear.winnow",
    "add_weights": "mixing",
    "audit": "theory.audit",
    "average_weights": "mixing",
    "lms_stability": "learners.linear.lms",
    "load": "model_file",
    "mix": "mixing",
    "read": "data",
    "read_svmlight": "data",
    "register_kernel": "learners.kernel.functions",
    "rule": "rules",
}

__all__ = [
    "AROW",
    "LDA",
    "LMS",
    "MIRA",
    "BalancedWinnow",
    "Banditron",
    "BatchPerceptron",
    "ConfidenceWeighted",
    "Consistent",
    "Elimination",
    "Experts",
    "ExpertsRegressor",
    "Halving",
    "KernelPerceptron",
    "LMSStability",
    "LabelEfficientPerceptron",
    "LogisticRegression",
    "NaiveBayes",
    "PNormPerceptron",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "Race",
    "RecursiveLeastSquares",
    "SequencePerceptron",
    "ShiftingPerceptron",
    "Snow",
    "StandardOptimal",
    "TruncatedPerceptron",
    "VotedPerceptron",
    "WeightedMajority",
    "Winnow",
    "add_weights",
    "audit",
    "average_weights",
    "concepts",
    "drift",
    "errors",
    "lms_stability",
    "load",
    "ltu",
    "mix",
    "read",
    "read_svmlight",
    "register_kernel",
    "rule",
]


# Modules of the public interface that can be imported without other packages; not so `river`.
_MODULES = (
    "client", "cluster", "concepts", "data", "drift", "errors", "evaluate", "export", "features",
    "lab", "ltu", "plots", "prepare", "reference", "reporting", "selection", "theory",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"thresher.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"thresher.{name}")
    else:
        from thresher.options import near

        hint = "" if name.startswith("_") else near(name, (*_HOMES, *_MODULES))
        raise AttributeError(f"module 'thresher' has no attribute {name!r}.{hint}", name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({"__version__", *__all__, *_MODULES})


if TYPE_CHECKING:
    from thresher import client as client
    from thresher import cluster as cluster
    from thresher import concepts, drift, errors, ltu
    from thresher import evaluate as evaluate
    from thresher import export as export
    from thresher import features as features
    from thresher import plots as plots
    from thresher import prepare as prepare
    from thresher import reference as reference
    from thresher import reporting as reporting
    from thresher import selection as selection
    from thresher import theory as theory
    from thresher.data import read, read_svmlight
    from thresher.learners.boolean.elimination import Elimination
    from thresher.learners.boolean.version_spaces import (
        Consistent,
        Halving,
        StandardOptimal,
        WeightedMajority,
    )
    from thresher.learners.experts import Experts, ExpertsRegressor
    from thresher.learners.kernel.functions import register_kernel
    from thresher.learners.kernel.perceptrons import KernelPerceptron, VotedPerceptron
    from thresher.learners.linear.arow import AROW, ConfidenceWeighted
    from thresher.learners.linear.banditron import Banditron
    from thresher.learners.linear.few_labels import LabelEfficientPerceptron, ShiftingPerceptron
    from thresher.learners.linear.lda import LDA
    from thresher.learners.linear.least_squares import RecursiveLeastSquares
    from thresher.learners.linear.lms import LMS, LMSStability, lms_stability
    from thresher.learners.linear.logistic import LogisticRegression
    from thresher.learners.linear.naive_bayes import NaiveBayes
    from thresher.learners.linear.passive_aggressive import (
        MIRA,
        PassiveAggressive,
        PassiveAggressiveRegressor,
    )
    from thresher.learners.linear.perceptron import BatchPerceptron, Perceptron, TruncatedPerceptron
    from thresher.learners.linear.pnorm import PNormPerceptron
    from thresher.learners.linear.snow import Snow
    from thresher.learners.linear.winnow import BalancedWinnow, Winnow
    from thresher.learners.sequence import SequencePerceptron
    from thresher.mixing import add_weights, average_weights, mix
    from thresher.model_file import load
    from thresher.race import Race
    from thresher.rules import rule
    from thresher.theory.audit import audit
