"""Mistake bounds, one function per theorem, each a number with its assumptions.

Functions of plain numbers (`novikoff(R, gamma)`) trust the caller that they are those of the
stream. Functions that end in `_on` measure a stream with a comparator (`Margins`) and choose the
scale at which the bound is smallest.
"""

from thresher.theory.bounds.balanced_winnow import balanced_winnow, balanced_winnow_on
from thresher.theory.bounds.banditron import banditron
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.classes import (
    consistent,
    elimination,
    halving,
    standard_optimal,
    survivor_examples,
    weighted_majority,
)
from thresher.theory.bounds.experts import experts, experts_squares
from thresher.theory.bounds.label_efficient import label_efficient
from thresher.theory.bounds.margins import Margins, joined
from thresher.theory.bounds.mixed import mixed_by_mean, mixed_by_occurrence
from thresher.theory.bounds.passive_aggressive import (
    pa,
    pa_i,
    pa_i_on,
    pa_ii,
    pa_ii_on,
    pa_noisy,
    pa_noisy_on,
    pa_on,
)
from thresher.theory.bounds.perceptron import (
    batch_perceptron,
    batch_perceptron_on,
    noisy_hinge,
    noisy_hinge_on,
    noisy_squared,
    noisy_squared_on,
    novikoff,
    novikoff_on,
)
from thresher.theory.bounds.pnorm import pnorm, pnorm_on
from thresher.theory.bounds.regression import (
    lms,
    nlms,
    pa_i_regression,
    pa_ii_regression,
    pa_regression,
    pa_regression_noisy,
)
from thresher.theory.bounds.shifting import shifting
from thresher.theory.bounds.winnow import (
    winnow,
    winnow_disjunction,
    winnow_r,
    winnow_r_demotions,
)
from thresher.theory.bounds.winnow_noise import (
    MonotoneMargins,
    winnow_entropy,
    winnow_entropy_on,
    winnow_on,
)

__all__ = [
    "Assumption",
    "Bound",
    "Margins",
    "MonotoneMargins",
    "balanced_winnow",
    "balanced_winnow_on",
    "banditron",
    "batch_perceptron",
    "batch_perceptron_on",
    "consistent",
    "elimination",
    "experts",
    "experts_squares",
    "halving",
    "joined",
    "label_efficient",
    "lms",
    "mixed_by_mean",
    "mixed_by_occurrence",
    "nlms",
    "noisy_hinge",
    "noisy_hinge_on",
    "noisy_squared",
    "noisy_squared_on",
    "novikoff",
    "novikoff_on",
    "pa",
    "pa_i",
    "pa_i_on",
    "pa_i_regression",
    "pa_ii",
    "pa_ii_on",
    "pa_ii_regression",
    "pa_noisy",
    "pa_noisy_on",
    "pa_on",
    "pa_regression",
    "pa_regression_noisy",
    "pnorm",
    "pnorm_on",
    "shifting",
    "standard_optimal",
    "survivor_examples",
    "weighted_majority",
    "winnow",
    "winnow_disjunction",
    "winnow_entropy",
    "winnow_entropy_on",
    "winnow_on",
    "winnow_r",
    "winnow_r_demotions",
]
