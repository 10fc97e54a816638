"""Steps of learners that count or solve: Naive Bayes, discriminant analysis; and of any other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.lab.steps.equations import Equations, written
from thresher.lab.steps.shown import Shown
from thresher.lab.steps.watched import Watched

SIGNS = ("₋", "₊")


def plain(step: Watched, names: Sequence[str], rule: str) -> Equations:
    """For a learner without equations of its own: its rule, and its weights before and after."""
    shown = _opened(step, names, rule)
    _arrow(shown)
    return shown.lines


def _opened(step: Watched, names: Sequence[str], rule: str) -> Shown:
    """The score from w and b."""
    shown = Shown(step, names, constant=False)
    shown.lines.let("b", step.was.intercept)
    shown.open(rule, "w·x + b", w=step.was.coef[shown.places])
    return shown


def _arrow(shown: Shown) -> None:
    was, now = (written([*one.coef[shown.places], one.intercept])
                for one in (shown.step.was, shown.step.now))  # fmt: skip
    shown.lines.say(f"(w, b): {was} → {now}" if was != now else f"(w, b) stays {now}")


def naive_bayes(step: Watched, names: Sequence[str], rule: str) -> Equations:
    shown = _opened(step, names, "N and c of the label grow by 1 and x,   θ = (c + α)/(T + n·α),   "
                                 "T = Σc,   w = ln(θ₊/θ₋),   b = ln(N₊/N₋)")  # fmt: skip
    lines, k = shown.lines, int(step.y > 0)
    (seen, counts), (seen_now, counts_now) = step.was.counts, step.now.counts
    for i, sign in enumerate(SIGNS):
        lines.let(f"N{sign}", seen[i])
        lines.let(f"c{sign}", counts[i])
    lines.becomes(f"N{SIGNS[k]}", f"N{SIGNS[k]} + 1", seen_now[k])
    lines.becomes(f"c{SIGNS[k]}", f"c{SIGNS[k]} + x", counts_now[k])
    if not seen_now.all():
        lines.say("only one label has come: w and b stay 0")
        return lines
    alpha = float(step.options["alpha"])
    lines.let("α", alpha)
    lines.let("n", len(step.x))
    for i, sign in enumerate(SIGNS):
        total = counts_now[i].sum()
        lines.let(f"T{sign}", total)
        share = (counts_now[i] + alpha) / (total + len(step.x) * alpha)
        lines.equal(f"θ{sign}", f"(c{sign} + α)/(T{sign} + n·α)", share)
    lines.equal("w", "ln(θ₊/θ₋)", step.now.coef)
    if step.options["fit_prior"]:
        lines.equal("b", "ln(N₊/N₋)", step.now.intercept)
    else:
        lines.let("b", step.now.intercept, line=True)
    return lines


def lda(step: Watched, names: Sequence[str], rule: str) -> Equations:
    shown = _opened(step, names, "μ of the label ← mean of its examples,   Σ·w = μ₊ − μ₋,   "
                                 "b = ln(N₊/N₋) − w·(μ₊ + μ₋)/2")  # fmt: skip
    lines, k, model = shown.lines, int(step.y > 0), step.model
    (seen, means), (seen_now, means_now) = step.was.counts, step.now.counts
    mean = f"μ{SIGNS[k]}"
    lines.let(mean, means[k] if seen[k] else np.zeros(len(step.x)))
    lines.let("N", seen_now[k], line=True)
    lines.becomes(mean, f"{mean} + (x − {mean})/N", means_now[k])
    if not seen_now.all():
        lines.say("only one label has come: w and b stay 0")
        return lines
    spread, w, apart = model.covariance_, step.now.coef, means_now[1] - means_now[0]
    if not np.allclose(spread @ w, apart, rtol=1e-6, atol=0.0):
        lines.say("Σ has no inverse yet: a feature without variance, or that others determine, "
                  "has weight 0")  # fmt: skip
        _arrow(shown)
        return lines
    for i, sign in enumerate(SIGNS):
        lines.let(f"μ{sign}", means_now[i])
        lines.let(f"N{sign}", seen_now[i])
    lines.equal("d", "μ₊ − μ₋", apart)
    lines.let("Σ", spread, line=True)
    lines.let("w", w, line=True)
    lines.equal("d", "Σ·w", apart)
    prior = "ln(N₊/N₋) − " if step.options["fit_prior"] else "−"
    lines.equal("b", f"{prior}w·(μ₊ + μ₋)/2", step.now.intercept)
    return lines
