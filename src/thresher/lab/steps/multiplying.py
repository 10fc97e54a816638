"""Steps of learners that multiply: Winnow, with negations or a floor, and Balanced Winnow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.lab.steps.equations import Equations
from thresher.lab.steps.shown import Shown
from thresher.lab.steps.watched import Floats, Inside, Watched

LARGEST, SMALLEST = 1e150, 1e-150  # weights are held between them


def winnow(step: Watched, names: Sequence[str], rule: str) -> Equations:
    options, negations = step.options, bool(step.options["negations"])
    more = 1.0 - step.x if negations else None
    literals = [*names, *(f"¬{name}" for name in names)] if negations else names
    shown = Shown(step, literals, more=more, active=True)
    lines = shown.lines
    w, after = (_literals(one, negations)[shown.places] for one in (step.was, step.now))
    theta = options["theta"]
    lines.let("θ", len(literals) if theta is None else theta)
    floor, eliminates = options["floor"], options["demotion"] == "eliminate"
    down = "0" if eliminates else "w/α^x" if floor is None else "max(floor, w/α^x)"
    shown.open(f"on a mistake{_or_near(step)}:   y = 1: w ← w∘α^x,   y = −1: w ← {down}",
               "w·x − θ", w=w)  # fmt: skip
    _verdict(shown)
    if not step.update or not len(w):
        lines.say("w stays")
        return lines
    lines.let("α", float(options["alpha"]))
    formula = "w∘α^x" if step.y > 0 else "w/α^x"
    if eliminates and step.y < 0:
        formula = "0·w"
    elif (after == LARGEST).any():
        lines.let("most", LARGEST)
        formula = f"min(most, {formula})"
    elif (after == SMALLEST).any():
        lines.let("least", SMALLEST)
        formula = f"max(least, {formula})"
    if floor is not None and step.y < 0:
        lines.let("floor", float(floor))
        formula = f"max(floor, {formula})"
    lines.becomes("w", formula, after)
    return lines


def _literals(inside: Inside, negations: bool) -> Floats:
    """The weights of the features, and of their negations, which share a scale."""
    w = inside.weights("w")[:-1]
    if not negations:
        return w
    return np.append(w, inside.real("shared0.scale") * inside.weights("u")[:-1])


def balanced(step: Watched, names: Sequence[str], rule: str) -> Equations:
    shown = Shown(step, names)
    lines = shown.lines
    plus, minus = (shown.cut(step.was.weights(name)) for name in ("plus", "minus"))
    plus_now, minus_now = (shown.cut(step.now.weights(name)) for name in ("plus", "minus"))
    lines.let("θ", float(step.options["theta"]))
    largest = float(np.abs(step.x).max(initial=1.0))
    scaled = bool(step.options.get("scaled")) and largest > 1.0
    power = "α^(y·x/m)" if scaled else "α^(y·x)"
    shown.open(
        f"on a mistake{_or_near(step)}:   w⁺ ← w⁺∘{power},   w⁻ ← w⁻/{power},   w = w⁺ − w⁻",
        "(w⁺ − w⁻)·x − θ", **{"w⁺": plus, "w⁻": minus},
    )  # fmt: skip
    _verdict(shown)
    if not step.update or not len(plus):
        lines.say("w⁺ and w⁻ stay")
        return lines
    lines.let("α", float(step.options["alpha"]))
    if scaled:
        lines.say("m is the largest |x_i|")
        lines.let("m", largest, line=True)
    for name, now, formula in (("w⁺", plus_now, f"w⁺∘{power}"), ("w⁻", minus_now, f"w⁻/{power}")):
        held = (now == LARGEST) | (now == SMALLEST)
        if held.any():
            lines.let("least", SMALLEST)
            lines.let("most", LARGEST)
            formula = f"min(most, max(least, {formula}))"
        lines.becomes(name, formula, now)
    lines.equal("w", "w⁺ − w⁻", plus_now - minus_now)
    if shown.constant and step.options["theta"]:
        lines.let("w₀", step.now.intercept + float(step.options["theta"]))
        lines.equal("b", "w₀ − θ", step.now.intercept)
    return lines


def _or_near(step: Watched) -> str:
    return " or when y·s < γ" if step.options["margin"] else ""


def _verdict(shown: Shown) -> None:
    """How y·s lies of what decides."""
    step, lines = shown.step, shown.lines
    gamma = float(step.options["margin"])
    if step.mistake or not gamma:
        lines.stated("y·s", step.y * step.score)
        lines.say("a mistake" if step.mistake else "right")
    else:  # right, but perhaps not by enough
        lines.let("γ", gamma)
        lines.stated("y·s − γ", step.y * step.score - gamma)
        lines.say("right by less than γ" if step.update else "right by γ or more")
