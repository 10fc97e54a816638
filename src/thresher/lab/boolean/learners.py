"""The learners of boolean concepts that a panel can show, depending on the target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher import concepts
from thresher.concepts.concept import AtLeast, Parity
from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.lab.boolean import formula
from thresher.lab.boolean.formula import Bits, FormulaTarget
from thresher.lab.weight_changes import Floats

MOST_CONCEPTS = 2**20  # that Halving holds

PanelOptions = dict[str, Any]


@dataclass(frozen=True)
class LearnerKind:
    """A learner that a panel can show."""

    title: str
    bars: str  # what is drawn: log, signed, literals, space
    make: Callable[[FormulaTarget, PanelOptions], Any]
    options: tuple[str, ...] = ()
    multiplies: bool = False


def chosen_panel(name: str, value: Any) -> tuple[LearnerKind, PanelOptions]:
    given = check.fields(name, value, ("learner", "options"))
    kind = KINDS[check.word(f"{name}.learner", given.get("learner"), tuple(KINDS))]
    options = check.fields(f"{name}.options", given.get("options", {}), kind.options)
    for key, option in options.items():
        if option is not None and not isinstance(option, bool):
            check.number(f"{name}.options.{key}", option)
    return kind, dict(options)


# -- the learners


def negated(target: FormulaTarget) -> bool:
    """Whether a literal of the target is negated: then learners get the 2n literals."""
    return any(v < 0 for v in formula.literals_of(target))


def literal_count(target: FormulaTarget) -> int:
    return 2 * target.n if negated(target) else target.n


def _winnow(target: FormulaTarget, options: PanelOptions, **more: Any) -> Any:
    from thresher import Winnow

    theta = options.get("theta")
    settings = {k: v for k, v in options.items() if k != "theta"}
    return Winnow(theta=literal_count(target) if theta is None else theta, **more, **settings)


def _winnow_r(target: FormulaTarget, options: PanelOptions) -> Any:
    return _winnow(target, options, floor=0.5)


def _balanced(target: FormulaTarget, options: PanelOptions) -> Any:
    from thresher import BalancedWinnow

    return BalancedWinnow(**options)


def _perceptron(target: FormulaTarget, options: PanelOptions) -> Any:
    from thresher import Perceptron

    return Perceptron(average=False, **options)


def _elimination(target: FormulaTarget, options: PanelOptions) -> Any:
    from thresher import Elimination

    concept = target.concept()
    junction = "conjunction" if isinstance(concept, AtLeast) and concept.form == "and" else (
        "disjunction"
    )  # fmt: skip
    return Elimination(concept=junction, monotone=not negated(target), positive=True)


def _halving(target: FormulaTarget, options: PanelOptions) -> Any:
    from thresher import Halving

    return Halving(class_of(target), positive=True)


def class_of(target: FormulaTarget) -> concepts.ConceptClass:
    """The class that Halving holds: all of the target's form if they are few, else those of k."""
    n, concept = target.n, target.concept()
    monotone = not negated(target)
    held: list[concepts.ConceptClass] = []
    smaller = ""
    if isinstance(concept, Parity):
        held = [concepts.parities(n)]
        smaller = f"n = {int(math.log2(MOST_CONCEPTS))}"
    elif isinstance(concept, AtLeast):
        k = len(concept.literals)
        if concept.form == "of":
            if monotone:
                held.append(concepts.m_of_n(n, concept.m))
            held.append(concepts.m_of_n(n, concept.m, k=k, monotone=monotone))
        else:
            make = concepts.conjunctions if concept.form == "and" else concepts.disjunctions
            held.append(make(n, monotone=monotone))
            if k:
                held.append(make(n, monotone=monotone, k=k))
        smaller = _variables_that_fit(concept, monotone)
    for one in held:
        if one._places() <= MOST_CONCEPTS:
            return one
    if not held:
        raise InvalidInput(
            "Halving needs a class of concepts: the target is neither a conjunction, a "
            "disjunction, at least m of k literals, nor a parity."
        )
    raise InvalidInput(
        f"Halving holds every concept of its class, and there are {_many(held[-1].size)} "
        f"{held[-1].title}; the lab takes {MOST_CONCEPTS:,}. With {smaller} it would do."
    )


def _variables_that_fit(concept: AtLeast, monotone: bool) -> str:
    """The number of variables for which the class would be small enough."""
    k, base = len(concept.literals), 2 if monotone else 3
    n = int(math.log(MOST_CONCEPTS) / math.log(base))
    signs = 1 if monotone else 2**k
    while math.comb(n + 1, k) * signs <= MOST_CONCEPTS and n < concept.n:
        n += 1
    return f"n = {n}"


def _many(size: int) -> str:
    return f"{size:,}" if size < 10**15 else f"about 10^{math.log10(size):.0f}"


KINDS = {
    "winnow": LearnerKind("Winnow", "log", _winnow, ("alpha", "theta", "margin"), True),
    "balanced": LearnerKind("Balanced Winnow", "signed", _balanced, ("alpha", "margin"), True),
    "winnow-r": LearnerKind("Winnow-R", "log", _winnow_r, ("alpha", "theta"), True),
    "elimination": LearnerKind("Elimination", "literals", _elimination),
    "halving": LearnerKind("Halving", "space", _halving),
    "perceptron": LearnerKind("Perceptron", "signed", _perceptron, ("margin", "fit_intercept")),
}


def listed(_: Any = None) -> dict[str, Any]:
    """For the page: the learners, and their options."""
    usual = {"alpha": 2.0, "theta": None, "margin": 0.0, "fit_intercept": True}
    return {
        "learners": [
            {
                "short": short,
                "title": kind.title,
                "options": [
                    {"name": name, "default": 1.5 if (short, name) == ("balanced", "alpha")
                     else usual[name]}
                    for name in kind.options
                ],
            }
            for short, kind in KINDS.items()
        ]
    }  # fmt: skip


def literal_columns(target: FormulaTarget, X: Bits) -> Floats:
    """The input of a linear learner: the bits, or the 2n literals if some are negated."""
    return np.hstack([X, ~X] if negated(target) else [X]).astype(np.float64)
