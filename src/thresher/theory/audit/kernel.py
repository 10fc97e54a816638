"""Kernel learners as the theorems see them: perceptrons in the feature space of the kernel.

There ‖x‖² is K(x, x), and a comparator is a vector of the span, u = Σ a_j·φ(x_j): y·(u·x) is
y·Σ a_j·K(x_j, x), and ‖u‖² is Σ a_i·a_j·K(x_i, x_j). Nothing else of the space is needed.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.learners.kernel.functions import Kernel
from thresher.learners.kernel.learner import KernelLearner
from thresher.learners.kernel.sparse_rows import units
from thresher.theory.audit.comparators import HARD, Comparator
from thresher.theory.bounds import Assumption, Margins
from thresher.theory.signed import Floats

MOST_ROWS = 3000  # of which all kernel values are held at once
EPS = 2.0**-52
INDEFINITE = 1e-10  # of the largest eigenvalue: less than this is rounding


@dataclass(frozen=True)
class InFeatureSpace:
    """Examples measured by a kernel."""

    R: float
    comparators: tuple[Comparator, ...]
    inner_product: Assumption


def measured(learner: KernelLearner, X: Any, y: Floats) -> InFeatureSpace:
    """The rows of a run that is over, with what the learner ended with as comparator."""
    machine, rows = learner._question(X)
    precomputed = learner.kernel == "precomputed"
    if rows.size > MOST_ROWS:
        text = f"K is computed for all pairs of at most {MOST_ROWS:,} examples"
        return InFeatureSpace(math.nan, (), Assumption(text, False, f"there are {rows.size:,}"))
    K = machine.kernel(rows, units(0, rows.size, rows.size) if precomputed else rows)
    support = machine.support.rows
    if precomputed:
        to_support, among = K[:, support.index], K[np.ix_(support.index, support.index)]
    else:
        to_support, among = machine.kernel(rows, support), machine.kernel(support, support)
    R = math.sqrt(max(0.0, float(np.diagonal(K).max(initial=0.0))))
    positive = machine.a[:, learner._by_label()[-1]] if machine.order else np.zeros(0)
    votes = np.cumsum(machine.c[::-1])[::-1]
    span = [("the learner's last hypothesis", positive, to_support, among)]
    if len(votes) and votes[0] > 0.0:
        mean = positive * votes / votes[0]
        span.append(("the learner's averaged hypothesis", mean, to_support, among))
    if (machine_of := support_vectors(K, y, R)) is not None:
        span.append(("support vector machine with this kernel", machine_of, K, K))
    found = [
        Comparator(origin, np.zeros(0), margins)
        for origin, a, values, gram in span
        if (margins := margins_of(a, values, gram, y, R)) is not None
    ]
    return InFeatureSpace(R, tuple(found), inner_product(machine.kernel, K))


def margins_of(a: Floats, values: Floats, gram: Floats, y: Floats, R: float) -> Margins | None:
    """y·(u·x)/‖u‖ of each example, less what rounding may have added; None if u is 0."""
    squared = float(a @ gram @ a) if len(a) else 0.0
    doubt = (len(a) + 4) * EPS * float(np.abs(a).sum()) * R * R  # of a sum Σ a_j·K(x_j, x)
    length = math.sqrt(max(0.0, squared + doubt * float(np.abs(a).sum())))
    if not length > 0.0 or not math.isfinite(length) or R == 0.0:
        return None
    return Margins((y * (values @ a) - doubt) / length, R)


def support_vectors(K: Floats, y: Floats, R: float) -> Floats | None:
    """a of a support vector machine, if scikit-learn is there and both labels are."""
    if len(set(y.tolist())) < 2 or R == 0.0:
        return None
    try:
        from sklearn.svm import SVC
    except ImportError:
        return None
    fitted = SVC(kernel="precomputed", C=HARD / (R * R), max_iter=100_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence: any u will do
        fitted.fit(K, y)
    a = np.zeros(len(y))
    a[fitted.support_] = fitted.dual_coef_[0]
    return a


def inner_product(kernel: Kernel, K: Floats) -> Assumption:
    """Whether K is one on these examples: no combination of them has a negative square."""
    text = "K is an inner product (positive semidefinite) on the examples"
    if kernel.kind in ("linear", "rbf") or (kernel.kind == "polynomial" and kernel.coef0 >= 0.0):
        return Assumption(text, True, f"every {kernel.kind} kernel is")
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2.0)
    low, high = float(eigenvalues[0]), float(np.abs(eigenvalues).max())
    return Assumption(text, low >= -INDEFINITE * high, f"the least eigenvalue is {low:.3g}")
