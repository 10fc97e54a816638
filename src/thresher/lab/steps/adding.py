"""Steps of learners that add: a rule decides how much, a geometry decides how.

A rule prints how it finds the size of the step and returns the symbol of that size; None if nothing
moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np

from thresher.lab.steps.equations import Equations
from thresher.lab.steps.shown import Shown
from thresher.lab.steps.watched import Floats, Watched
from thresher.reference import rules

# -- how much


def perceptron(shown: Shown, norm: float) -> str | None:
    step, lines = shown.step, shown.lines
    lines.compared("y·s", step.y * step.score, "γ", float(step.options["margin"]))
    if not step.update:
        return None
    rate = step.options["learning_rate"]
    eta = rules.rate(rate, step.t)
    if isinstance(rate, str):
        lines.let("t", step.t)
        lines.equal("η", {"1/t": "1/t", "1/sqrt(t)": "1/√t"}[rate], eta)
    else:
        lines.let("η", eta, line=True)
    return "η"


def aggressive(shown: Shown, norm: float) -> str | None:
    step, lines, gamma = shown.step, shown.lines, float(shown.step.options["margin"])
    lines.compared("y·s", step.y * step.score, "γ", gamma)
    if not step.update:
        return None
    lines.let("γ", gamma)
    r = rules.aggressive(step.y * step.score, norm, gamma=gamma)
    lines.equal("r", "(γ − y·s)/‖x‖²", r)
    return "r"


def passive_aggressive(shown: Shown, norm: float) -> str | None:
    step, lines, options = shown.step, shown.lines, shown.step.options
    aim, C = float(options.get("margin", 1.0)), float(options["C"])  # MIRA has a margin of its own
    if "margin" in options:
        lines.let("m", aim, line=True)
    loss = rules.hinge(step.y * step.score, aim)
    lines.equal("ℓ", "max(0, m − y·s)" if "margin" in options else "max(0, 1 − y·s)", loss)
    if not step.update:
        return None
    lines.let("C", C)
    variant = options.get("variant", "PA-I")
    lines.equal("τ", PA[variant], rules.PASSIVE_AGGRESSIVE[variant](loss, norm, C=C, weight=1.0))
    return "τ"


PA = {"PA": "ℓ/‖x‖²", "PA-I": "min(C, ℓ/‖x‖²)", "PA-II": "ℓ/(‖x‖² + 1/(2·C))"}


def arow(shown: Shown, norm: float) -> str | None:
    step, lines = shown.step, shown.lines
    loss = rules.hinge(step.y * step.score)
    lines.equal("ℓ", "max(0, 1 − y·s)", loss)
    if not step.update:
        return None
    r = float(step.options["r"])
    lines.let("r", r)
    lines.equal("τ", "ℓ/(V + r)", rules.arow(loss, norm, r=r))
    return "τ"


def confidence_weighted(shown: Shown, norm: float) -> str | None:
    step, lines = shown.step, shown.lines
    phi, M = NormalDist().inv_cdf(float(step.options["eta"])), step.y * step.score
    lines.let("φ", phi, line=True)
    lines.equal("M", "y·s", M)
    lines.compared("φ·√V", phi * math.sqrt(norm), "M", M)
    if not step.update:
        return None
    alpha = rules.confidence_weighted(M, norm, phi=phi)
    lines.equal("ζ", "1 + φ·φ", 1.0 + phi * phi)
    lines.equal("α", "(√(M·M·φ·φ·φ·φ/4 + V·φ·φ·ζ) − M·(1 + φ·φ/2))/(V·ζ)", alpha)
    shift = alpha * norm * phi
    lines.equal("q", "(√(α·V·φ·α·V·φ + 4·V) − α·V·φ)/2",
                0.5 * (math.sqrt(shift * shift + 4.0 * norm) - shift))  # fmt: skip
    lines.equal("g", "α·φ/q", rules.confidence_gain(alpha, norm, phi=phi))
    return "α"


def descent(shown: Shown, norm: float) -> str | None:
    step, lines = shown.step, shown.lines
    if not step.update:
        return None
    eta = _clock(shown)
    lines.equal("τ", "η/(1 + exp(y·s))", eta * rules.log_loss_slope(step.y * step.score))
    return "τ"


CLOCKS = {"constant": "η₀", "1/sqrt(t)": "η₀/√t", "1/t": "η₀/t"}


def _clock(shown: Shown) -> float:
    """Print η by the clock, and return it."""
    options, t = shown.step.options, shown.step.t
    eta = float(options["learning_rate"])
    shown.lines.let("η₀", eta)
    shown.lines.let("t", t)
    eta /= {"constant": 1.0, "1/sqrt(t)": math.sqrt(t), "1/t": t}[options["step"]]
    shown.lines.equal("η", CLOCKS[options["step"]], eta)
    return eta


RULES: dict[str, Callable[[Shown, float], str | None]] = {
    "perceptron": perceptron,
    "aggressive": aggressive,
    "passive-aggressive": passive_aggressive,
    "arow": arow,
    "confidence-weighted": confidence_weighted,
    "descent": descent,
}
# In symbols, for every geometry that adds.
SAID = {
    "perceptron": "η when y·s ≤ γ",
    "aggressive": "(γ − y·s)/‖x‖² when y·s ≤ γ",
    "passive-aggressive": "τ when ℓ > 0",
    "arow": "τ when ℓ > 0",
    "confidence-weighted": "α when φ·√V > y·s",
    "descent": "η/(1 + exp(y·s))",
}


# -- how


def additive(step: Watched, names: Sequence[str], rule: str) -> Equations:
    shown = Shown(step, names)
    w, after = (shown.cut(inside.weights("w")) for inside in (step.was, step.now))
    shown.open(f"w ← w + step·y·x,   step = {SAID[rule]}", "w·x", w=w)
    if not len(w):
        return _rests(shown)
    norm = float(shown.x @ shown.x)
    if rule not in ("perceptron", "descent"):  # which do not ask for it
        if shown.whole:
            shown.lines.equal("‖x‖²", "x·x", norm)
        else:
            shown.lines.let("‖x‖²", norm, line=True)
    size = RULES[rule](shown, norm)
    if size is None:
        return _rests(shown)
    shown.lines.becomes("w", f"w + {size}·y·x", after)
    return shown.with_intercept()


def _rests(shown: Shown) -> Equations:
    shown.lines.say("w stays" if shown.x.any() else "w stays: x is 0")
    return shown.lines


def truncated(step: Watched, names: Sequence[str], rule: str) -> Equations:
    """All but the largest weights become 0, and the others may shrink; except that of x₀."""
    shown = Shown(step, names)
    lines, keep, l2 = shown.lines, step.options["keep"], float(step.options["l2"])
    w, after = (shown.cut(inside.weights("w")) for inside in (step.was, step.now))
    said = f"v = {'f·w' if l2 else 'w'} + step·y·x,   step = {SAID[rule]}"
    shown.open(f"{said},   w ← the {keep} largest of v", "w·x", w=w)
    if RULES[rule](shown, 0.0) is None:
        return _rests(shown)
    n, eta = len(step.x), rules.rate(step.options["learning_rate"], step.t)
    lines.let("x", step.x)
    lines.let("w", w[:n])
    factor = max(0.0, 1.0 - l2 * eta)
    if l2:
        lines.let("l2", l2)
        lines.equal("f", "max(0, 1 − l2·η)", factor)
    v = factor * w[:n] + eta * step.y * step.x
    lines.equal("v", "f·w + η·y·x" if l2 else "w + η·y·x", v)
    length = math.sqrt(l2) * float(np.linalg.norm(v))
    if l2:
        lines.compared("√l2·√(v·v)", length, "1", 1.0)
        if length > 1.0:
            v = v / length
            lines.becomes("v", "v/(√l2·√(v·v))", v)
    lines.let("kept", after[:n] != 0.0)
    lines.becomes("w", "v∘kept", after[:n])
    if shown.constant:
        lines.let("w₀", w[-1])
        lines.let("x₀", shown.constant)
        lines.becomes("w₀", "w₀ + η·y·x₀", after[-1])
    return shown.with_intercept()


def diagonal(step: Watched, names: Sequence[str], rule: str) -> Equations:
    """Weights with variances Σ: they move by as much as they are unsure, and become surer."""
    shown = Shown(step, names)
    lines = shown.lines
    w, after = (shown.cut(inside.weights("w")) for inside in (step.was, step.now))
    sigma, surer = (shown.cut(inside.weights("variance")) for inside in (step.was, step.now))
    gain = "x∘x/r" if rule == "arow" else "g·x∘x"
    shown.open(f"w ← w + step·y·Σ∘x,   step = {SAID[rule]},   1/Σ ← 1/Σ + {gain}", "w·x", w=w)
    lines.let("Σ", sigma, line=True)
    norm = float(sigma @ shown.x**2)
    lines.equal("V", "(Σ∘x)·x", norm)
    size = RULES[rule](shown, norm)
    if size is None:
        return _rests(shown)
    lines.becomes("w", f"w + {size}·y·Σ∘x", after)
    lines.becomes("Σ", f"1/(1/Σ + {gain})", surer)
    return shown.with_intercept()


def ftrl(step: Watched, names: Sequence[str], rule: str) -> Equations:
    """Down the slope of the log loss, by a rate for each weight or for all; l1 and l2 pull to 0."""
    options = step.options
    penalised = bool(options["l1"] or options["l2"])
    shown = Shown(step, names, active=True)  # other weights stay as they are
    lines, inside = shown.lines, (step.was, step.now)
    w, after = (shown.cut(one.weights("w")) for one in inside)
    slope, leader = "−y·x/(1 + exp(y·s))", "−sgn(z)∘max(0, |z| − l1)/(1/η + l2)"
    shown.open(f"g = {slope},   " + ("z ← z + g − (1/η − r)∘w,   r: 1/η before,   "
               f"w ← {leader}" if penalised else "w ← w − η·g"), "w·x", w=w)  # fmt: skip
    if not len(w):
        return _rests(shown)
    x = shown.x[shown.places]
    lines.equal("g", slope, -step.y * rules.log_loss_slope(step.y * step.score) * x)
    r = _rate(shown)
    if penalised:
        z, z_now = (shown.cut(one.weights("z")) for one in inside)
        pays = shown.places < len(step.x)  # the constant's weight does not
        for name, value in (("z", z), ("r", r), ("l1", options["l1"] * pays),
                            ("l2", options["l2"] * pays)):  # fmt: skip
            lines.let(name, value, line=True)
        lines.becomes("z", "z + g − (1/η − r)∘w", z_now)
        lines.becomes("w", leader, after)
    else:
        lines.becomes("w", "w − η∘g", after)
    return shown.with_intercept()


def _rate(shown: Shown) -> Floats:
    """Print η; returns 1/η of each weight when it last moved."""
    step, lines, options = shown.step, shown.lines, shown.step.options
    past, past_now = (shown.cut(one.weights("past")) for one in (step.was, step.now))
    if options["step"] in CLOCKS:
        _clock(shown)
        return past
    eta, beta = float(options["learning_rate"]), float(options["beta"])
    for name, value in (("n", past), ("α", eta), ("β", beta)):
        lines.let(name, value)
    lines.becomes("n", "n + g∘g", past_now)
    lines.equal("η", "α/(β + √n)", eta / (beta + np.sqrt(past_now)))
    return (beta + np.sqrt(past)) / eta


def scale_free(step: Watched, names: Sequence[str], rule: str) -> Equations:
    """Weights v of x/m, where m has the largest value of each feature so far: their steps do not
    depend on its unit."""
    shown = Shown(step, names, active=True)  # other weights stay as they are
    lines, inside = shown.lines, (step.was, step.now)
    v, v_now = (shown.cut(one.weights("w")) for one in inside)
    n, n_now = (shown.cut(one.weights("past")) for one in inside)
    m = shown.cut(np.append(step.now.weights("scale")[:-1], 1.0))  # the constant is not scaled
    slope, descent = "−y·x/(1 + exp(y·s))", "v − η·√(t/N)·g/√n"
    said = f"g = {slope},   n ← n + g∘g,   v ← {descent},   w = v/m,   m: the largest |x| so far"
    shown.open(said, "(v/m)·x", v=v, m=m)
    if not len(v):
        return _rests(shown)
    x = shown.x[shown.places]
    lines.equal("g", slope, -step.y * rules.log_loss_slope(step.y * step.score) * x)
    for name, value in (("n", n), ("η", float(step.options["learning_rate"])),
                        ("t", step.now.real("t")), ("N", step.now.real("norms"))):  # fmt: skip
        lines.let(name, value)
    lines.becomes("n", "n + g∘g", n_now)
    lines.becomes("v", descent, v_now)
    lines.equal("w", "v/m", v_now / m)
    return shown.with_intercept()


GEOMETRIES: dict[str, Callable[[Watched, Sequence[str], str], Equations]] = {
    "additive": additive,
    "truncated": truncated,
    "diagonal": diagonal,
    "adagrad": ftrl,
    "ftrl": ftrl,
    "scale-free": scale_free,
}
