"""Online, mistake-driven linear learning, one example at a time."""

from thresher import errors
from thresher.data import read, read_svmlight
from thresher.learners.lms import LMS, LMSStability, lms_stability
from thresher.learners.passive_aggressive import (
    MIRA,
    PassiveAggressive,
    PassiveAggressiveRegressor,
)
from thresher.learners.perceptron import BatchPerceptron, Perceptron
from thresher.learners.winnow import BalancedWinnow, Winnow
from thresher.model_file import load
from thresher.race import Race
from thresher.rules import rule

__version__ = "0.1.0"

__all__ = [
    "LMS",
    "MIRA",
    "BalancedWinnow",
    "BatchPerceptron",
    "LMSStability",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "Race",
    "Winnow",
    "errors",
    "lms_stability",
    "load",
    "read",
    "read_svmlight",
    "rule",
]
