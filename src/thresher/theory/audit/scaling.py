"""Whether the constant feature has a size that suits the rows.

With the constant s the separator (w, b) is u = (w, b/s) on rows (x, s): its margins are the same,
‖u‖² is ‖w‖² + b²/s², and R² is max ‖x‖² + s². A constant that is large beside the rows makes R
large, a small one makes u long. So any comparator gives a bound for every s, which the learner with
``intercept_scaling=s`` keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.result import shown
from thresher.theory.bounds import Margins, noisy_hinge_on, novikoff_on
from thresher.theory.bounds.margins import unit

WORTH = 2.0  # times as large a bound, and it is worth a word
STEPS = range(-8, 5)  # powers of 2 of the longest row that are tried


def with_constant(one: Comparator, now: float, s: float) -> Margins:
    """A comparator's margins where the constant feature is s instead of `now`."""
    u = unit(one.u)
    length = math.hypot(float(np.linalg.norm(u[:-1])), float(u[-1]) * now / s)
    rows = math.sqrt(max(0.0, one.margins.R**2 - now**2))
    return replace(one.margins, values=one.margins.values / length, R=math.hypot(rows, s))


def bound_of(margins: Margins, passes: int) -> float:
    bounds = (novikoff_on(margins), noisy_hinge_on(margins, passes=passes))
    return min(bound.value for bound in bounds if bound.applies)


def scaling_note(found: Sequence[Comparator], now: float, passes: int) -> tuple[str, ...]:
    """What another ``intercept_scaling`` would do for the perceptron's bound, if it is much."""
    vectors = [one for one in found if len(one.u)]
    if not vectors:
        return ()
    rows = math.sqrt(max(0.0, vectors[0].margins.R ** 2 - now**2))
    if rows == 0.0:
        return ()

    def best(s: float) -> float:
        return min(bound_of(with_constant(one, now, s), passes) for one in vectors)

    tried = {s: best(s) for s in (float(f"{rows * 2.0**k:.1g}") for k in STEPS)}
    s = min(tried, key=tried.__getitem__)
    before = best(now)
    if not before > WORTH * tried[s]:
        return ()
    return (
        f"the constant feature is {now:g} beside rows of length {rows:.3g} at most: with "
        f"intercept_scaling={s:g} the perceptron's bound would be {shown(tried[s])} in place of "
        f"{shown(before)}",
    )
