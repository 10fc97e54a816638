"""Online, mistake-driven linear learning, one example at a time."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives. It is imported when it is first asked for, so that the command line,
# which needs few of them, starts fast.
_HOMES = {
    "AROW": "learners.arow",
    "LDA": "learners.lda",
    "LMS": "learners.lms",
    "LMSStability": "learners.lms",
    "LogisticRegression": "learners.logistic",
    "MIRA": "learners.passive_aggressive",
    "BalancedWinnow": "learners.winnow",
    "BatchPerceptron": "learners.perceptron",
    "ConfidenceWeighted": "learners.arow",
    "Consistent": "learners.version_spaces",
    "Elimination": "learners.elimination",
    "Halving": "learners.version_spaces",
    "KernelPerceptron": "learners.kernel",
    "NaiveBayes": "learners.naive_bayes",
    "PassiveAggressive": "learners.passive_aggressive",
    "PassiveAggressiveRegressor": "learners.passive_aggressive",
    "Perceptron": "learners.perceptron",
    "Race": "race",
    "TruncatedPerceptron": "learners.perceptron",
    "RecursiveLeastSquares": "learners.least_squares",
    "VotedPerceptron": "learners.kernel",
    "Snow": "learners.snow",
    "WeightedMajority": "learners.version_spaces",
    "SequencePerceptron": "learners.sequence",
    "Winnow": "learners.winnow",
    "audit": "theory.audit",
    "lms_stability": "learners.lms",
    "load": "model_file",
    "read": "data",
    "read_svmlight": "data",
    "register_kernel": "learners.kernels",
    "rule": "rules",
}

__all__ = [
    "AROW",
    "LDA",
    "LMS",
    "MIRA",
    "BalancedWinnow",
    "BatchPerceptron",
    "ConfidenceWeighted",
    "Consistent",
    "Elimination",
    "Halving",
    "KernelPerceptron",
    "LMSStability",
    "LogisticRegression",
    "NaiveBayes",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "Race",
    "RecursiveLeastSquares",
    "SequencePerceptron",
    "Snow",
    "TruncatedPerceptron",
    "VotedPerceptron",
    "WeightedMajority",
    "Winnow",
    "audit",
    "concepts",
    "errors",
    "lms_stability",
    "load",
    "ltu",
    "read",
    "read_svmlight",
    "register_kernel",
    "rule",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"thresher.{_HOMES[name]}"), name)
    elif name in ("concepts", "errors", "ltu", "reference", "selection", "theory"):
        value = importlib.import_module(f"thresher.{name}")
    else:
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if TYPE_CHECKING:
    from thresher import concepts, errors, ltu
    from thresher import selection as selection
    from thresher import theory as theory
    from thresher.data import read, read_svmlight
    from thresher.learners.arow import AROW, ConfidenceWeighted
    from thresher.learners.elimination import Elimination
    from thresher.learners.kernel import KernelPerceptron, VotedPerceptron
    from thresher.learners.kernels import register_kernel
    from thresher.learners.lda import LDA
    from thresher.learners.least_squares import RecursiveLeastSquares
    from thresher.learners.lms import LMS, LMSStability, lms_stability
    from thresher.learners.logistic import LogisticRegression
    from thresher.learners.naive_bayes import NaiveBayes
    from thresher.learners.passive_aggressive import (
        MIRA,
        PassiveAggressive,
        PassiveAggressiveRegressor,
    )
    from thresher.learners.perceptron import BatchPerceptron, Perceptron, TruncatedPerceptron
    from thresher.learners.sequence import SequencePerceptron
    from thresher.learners.snow import Snow
    from thresher.learners.version_spaces import Consistent, Halving, WeightedMajority
    from thresher.learners.winnow import BalancedWinnow, Winnow
    from thresher.model_file import load
    from thresher.race import Race
    from thresher.rules import rule
    from thresher.theory.audit import audit
