"""Which of the families of Perceptron and Winnow is promised fewer mistakes on a stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from thresher.learners.linear.perceptron import Perceptron
from thresher.learners.linear.winnow import BalancedWinnow, Winnow
from thresher.theory.audit.additive import trusted
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.monotone import monotone_view
from thresher.theory.audit.result import Favour, Least
from thresher.theory.bounds import (
    Bound,
    MonotoneMargins,
    balanced_winnow_on,
    noisy_hinge_on,
    noisy_squared_on,
    novikoff_on,
    winnow_disjunction,
    winnow_entropy_on,
    winnow_on,
)
from thresher.theory.signed import SignedExamples

STEPS = (2.0, 1.5, 1.2, 1.1, 1.05, 1.02, 1.01)  # α of Balanced Winnow; the best is chosen


@dataclass(frozen=True)
class FavourStream:
    """What the bounds of both families are computed from."""

    found: Sequence[Comparator]
    """The comparators that were tried, on examples with their constant feature."""
    plain: SignedExamples | None
    """The examples without it, if they are in memory."""
    features: int
    """Without the constant one."""
    passes: int
    bias: bool
    scaling: float
    inseparable: bool = False


def favour_of(stream: FavourStream) -> Favour | None:
    """The least bound of each family over all comparators; None if there is none to try."""
    if not stream.found or stream.found[0].margins.R == 0.0:
        return None
    margins = [trusted(c.margins, stream.inseparable) for c in stream.found]
    sure = replace(stream, found=[
        replace(c, margins=m) for c, m in zip(stream.found, margins, strict=True)
    ])  # fmt: skip
    return Favour(
        least_of(perceptron_bounds(sure)),
        least_of([*winnow_bounds(sure), *balanced_bounds(sure)]),
    )


Candidate = tuple[Bound, str, str]  # with the learner and the comparator


def least_of(candidates: Sequence[Candidate] | Iterator[Candidate]) -> Least | None:
    """Of those that apply and say something."""
    told = [
        Least(bound.value, learner, bound.theorem, comparator)
        for bound, learner, comparator in candidates
        if bound.applies and math.isfinite(bound.value)
    ]
    return min(told, key=lambda one: one.value, default=None)


def perceptron_bounds(stream: FavourStream) -> Iterator[Candidate]:
    scaling = stream.scaling if stream.bias else 1.0
    learner = repr(Perceptron(fit_intercept=stream.bias, intercept_scaling=scaling))
    for one in stream.found:
        yield novikoff_on(one.margins), learner, one.origin
        for make in (noisy_squared_on, noisy_hinge_on):
            bound = make(one.margins, passes=stream.passes)
            if math.isfinite(bound.quantities["gamma"]):  # else it is the number of examples
                yield bound, learner, one.origin


def balanced_bounds(stream: FavourStream) -> Iterator[Candidate]:
    if stream.bias and stream.scaling != 1.0:
        return  # its constant feature is 1
    d = stream.features + stream.bias
    for one in stream.found:
        for alpha in STEPS:
            scaled = one.margins.R_inf <= 1.0  # else the bound is that of steps as they are
            model = BalancedWinnow(alpha=alpha, fit_intercept=stream.bias, scaled=scaled)
            learner = repr(model)
            bound = balanced_winnow_on(one.margins, d, alpha=alpha, passes=stream.passes)
            yield bound, learner, one.origin


def winnow_bounds(stream: FavourStream) -> Iterator[Candidate]:
    """Over the features and over the literals, with α = 2 and with an α that suits the margin."""
    if stream.plain is None:
        return
    vectors = tuple(c for c in stream.found if len(c.u))
    for negations in (False, True):
        view = monotone_view(Winnow(negations=negations), stream.plain, vectors, 0)
        if not all(margins.unit for _, margins in view.comparators):
            return

        def named(alpha: float, d: int = view.d, negations: bool = negations) -> str:
            return repr(Winnow(alpha=alpha, theta=float(d), negations=negations))

        if view.disjunction.exists:
            k = len(view.disjunction.variables)
            yield winnow_disjunction(k, view.d), named(2.0), f"k = {k} of {view.d}"
        for origin, margins in view.comparators:
            for make in (winnow_on, noisy(stream.passes)):
                for alpha in (2.0, rounded(make(margins).quantities["alpha"])):
                    yield make(margins, alpha=alpha), named(alpha), origin


def noisy(passes: int) -> Callable[..., Bound]:
    def make(margins: MonotoneMargins, alpha: float | None = None) -> Bound:
        return winnow_entropy_on(margins, passes=passes, alpha=alpha)

    return make


def rounded(alpha: float) -> float:
    """α to two digits of α − 1: a number that one would choose."""
    return 1.0 + float(f"{alpha - 1.0:.1e}")
