"""A step of a learner of boolean concepts in words, symbols and Python; a run as Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.concepts.concept import AtLeast
from thresher.errors import InvalidInput, ThresherError
from thresher.lab import check, steps
from thresher.lab.boolean.formula import FormulaTarget
from thresher.lab.boolean.learners import (
    LearnerKind,
    PanelOptions,
    class_of,
    literal_columns,
    literal_count,
    negated,
)
from thresher.lab.boolean.trace import LABELS, BooleanSetup, panel, theta_of
from thresher.lab.texts import figure, told_apart


def explain(given: Any) -> dict[str, str]:
    """Step t of a panel's run; the run is repeated up to it."""
    asked = check.fields("the request", given, ("state", "panel", "t"))
    setup = BooleanSetup(asked.get("state"))
    if not setup.panels:
        raise InvalidInput(
            "the state has no panels; expected the one whose step is to be explained."
        )
    index = check.whole("panel", asked.get("panel"), 0, len(setup.panels) - 1)
    return explained(setup, index, check.whole("t", asked.get("t"), 1, setup.count))


def explained(setup: BooleanSetup, index: int, t: int) -> dict[str, str]:
    """Step t of a panel's run."""
    setup = setup.until(t)
    kind, options = setup.panels[index]
    if kind.bars in ("log", "signed"):
        told = _weighed(setup, kind, options)
    else:
        told = _sorted_out(StepWords(setup, kind, panel(setup, kind, options)))
    return {**told, "python": _python(setup, kind, options)}


# -- learners with weights


def _weighed(setup: BooleanSetup, kind: LearnerKind, options: PanelOptions) -> dict[str, str]:
    X, signs = literal_columns(setup.target, setup.X), np.where(setup.y, 1, -1).tolist()
    step = steps.watch(kind.make(setup.target, options), X, signs, LABELS)
    names = [f"x{i + 1}" for i in range(setup.n)]
    names += [f"¬{name}" for name in names] if negated(setup.target) else []
    return {"words": _words(setup, kind, step), "maths": steps.equations(step, names, kind.title)}


def _words(setup: BooleanSetup, kind: LearnerKind, step: steps.Watched) -> str:
    theta = theta_of(step.model)
    says = int(step.score >= 0.0)
    score, sign = told_apart(step.score + theta, theta), "≥" if says else "<"
    told = f"{_seen(setup)} w·x = {score} {sign} θ = {figure(theta)}, so it says {says}: "
    if step.mistake and says == int(step.y > 0):
        told += "a score of 0 is no idea, which counts as a mistake"
    else:
        told += "a mistake" if step.mistake else "right"
    if not step.update:
        return f"{told}, and {kind.title} stays as it is."
    return f"{told}{'' if step.mistake else ', but not by enough'}. {_change_words(kind, step)}"


def _change_words(kind: LearnerKind, step: steps.Watched) -> str:
    changed = int((step.was.coef != step.now.coef).sum())
    many = "1 weight" if changed == 1 else f"{changed} weights"
    if not kind.multiplies:
        act = "1 is added to" if step.y > 0 else "1 is taken from"
        constant = ", and the constant" if step.options["fit_intercept"] else ""
        return f"{act} the weights of its bits{constant}: {many} changed."
    alpha = figure(step.model.alpha)
    if kind.bars == "signed":
        up, down = ("w⁺", "w⁻") if step.y > 0 else ("w⁻", "w⁺")
        return f"{up} of its bits is multiplied by {alpha}, {down} divided by it: {many} changed."
    if step.y > 0:
        return f"▲ {many} of its bits promoted: multiplied by {alpha}."
    floor = ", but none goes below ½" if step.options["floor"] else ""
    return f"▼ {many} of its bits demoted: divided by {alpha}{floor}."


# -- learners of concepts


class StepWords:
    """The last step of a traced run."""

    def __init__(self, setup: BooleanSetup, kind: LearnerKind, trace: dict[str, Any]) -> None:
        if "error" in trace:
            raise InvalidInput(trace["error"])
        self.setup, self.kind = setup, kind
        self.y, self.said = int(setup.y[-1]), int(trace["said"][-1])
        self.mistake, self.update = bool(trace["mistake"][-1]), bool(trace["update"][-1])
        self.true = trace["score"][-1] if kind.bars == "literals" else 0.0
        self.votes = trace["votes"][-1] if kind.bars == "space" else (0, 0)
        self.before, self.after = trace["size" if kind.bars == "space" else "left"][-2:]
        self.conjunction = trace.get("concept") == "conjunction"


def _sorted_out(step: StepWords) -> dict[str, str]:
    seen, verdict = _seen(step.setup), "a mistake" if step.mistake else "right"
    if step.kind.bars == "space":
        return {"words": f"{seen} {_halving_words(step, verdict)}", "maths": _halving_maths(step)}
    return {
        "words": f"{seen} {_elimination_words(step, verdict)}",
        "maths": _elimination_maths(step),
    }


def _elimination_words(step: StepWords, verdict: str) -> str:
    all_or_one = "all of them must be" if step.conjunction else "one is enough"
    says = (
        f"Of {step.before} literals left {figure(step.true)} are true in it; {all_or_one}, so it "
        f"says {step.said}: {verdict}."
    )
    if not step.update:
        return f"{says} Nothing is deleted."
    which = "false in a positive" if step.conjunction else "true in a negative"
    return f"{says} What is {which} example is not in the target: ▼ {step.before - step.after} " \
           f"deleted, {step.after} left."  # fmt: skip


def _elimination_maths(step: StepWords) -> str:
    which = "all of L true" if step.conjunction else "one of L true"
    return (
        f"x ∈ {{0,1}}ⁿ, L literals left; ŷ = [ {which} ]\n"
        f"|L| = {step.before} → {step.after},   ŷ = {step.said},   y = {step.y}"
    )


def _halving_words(step: StepWords, verdict: str) -> str:
    zero, one = step.votes
    if step.before == 1:
        gone = "" if step.after else " It goes, and none is left."
        return f"The one concept left says {step.said}: {verdict}.{gone}"
    says = f"Of {step.before:,} concepts left {one:,} say 1, {zero:,} say 0: {verdict}."
    if step.before == step.after:
        return f"{says} All of them agree with the label."
    half = ", at least half of them" if step.mistake else ""
    return f"{says} The {step.before - step.after:,} that were wrong go{half}; {step.after:,} left."


def _halving_maths(step: StepWords) -> str:
    zero, one = step.votes
    return (
        f"ŷ = [ |V₁| > |V₀| ],   |V₁| = {one:,},   |V₀| = {zero:,},   y = {step.y}\n"
        f"V ← V with c(x) = {step.y}:   {step.before:,} → {step.after:,}"
    )


# -- as Python


def _python(setup: BooleanSetup, kind: LearnerKind, options: PanelOptions) -> str:
    on = [i + 1 for i in np.flatnonzero(setup.X[-1]).tolist()]
    return "\n".join(
        [
            *_made(kind, setup.target, options),
            "…",
            f"x = [int(i in {{{', '.join(map(str, on))}}}) for i in range(1, {setup.n + 1})]"
            if on else f"x = [0] * {setup.n}",
            *(["x += [1 - v for v in x]  # the literals ¬x1, ¬x2, …"]
              if negated(setup.target) and kind.bars in ("log", "signed") else []),
            f"model.partial_fit([x], [{bool(setup.y[-1])}], classes=[False, True])",
        ]
    )  # fmt: skip


def _seen(setup: BooleanSetup) -> str:
    on = np.flatnonzero(setup.X[-1]).tolist()
    return f"Example {setup.count}: {_some(on)}, label {int(setup.y[-1])}."


def _some(on: list[int]) -> str:
    if not on:
        return "no bit is 1"
    shown = ", ".join(f"x{i + 1}" for i in on[:8])
    return f"{shown} {'are' if len(on) > 1 else 'is'} 1" if len(on) <= 8 else (
        f"{shown} and {len(on) - 8} more are 1"
    )  # fmt: skip


# -- a run as Python


def _made(kind: LearnerKind, target: FormulaTarget, options: dict[str, Any]) -> list[str]:
    model = kind.make(target, options)
    name = type(model).__name__
    lines = [f"from thresher import {name}" + (", concepts" if name == "Halving" else "")]
    if name == "Halving":
        return [*lines, f"model = Halving({_class_text(target)}, positive=True)"]
    return [*lines, f"model = {model!r}"]


def _class_text(target: FormulaTarget) -> str:
    """The class as a call of the public functions of `thresher.concepts`."""
    held: Any = class_of(target)
    settings = held.settings()
    n, k = settings["n"], settings.get("k")
    of_k = f", k={k}" if k is not None else ""
    concept = target.concept()
    if not isinstance(concept, AtLeast):
        return f"concepts.parities({n})"
    if concept.form == "of":
        signs = "" if settings.get("monotone", True) else ", monotone=False"
        return f"concepts.m_of_n({n}, {concept.m}{of_k}{signs})"
    kind = "conjunctions" if concept.form == "and" else "disjunctions"
    signs = ", monotone=True" if settings["monotone"] else ""
    return f"concepts.{kind}({n}{signs}{of_k})"


def python(given: Any) -> dict[str, str]:
    """The runs of all panels as lines that give the same numbers."""
    setup = BooleanSetup(given)
    usable = [(kind, options) for kind, options in setup.panels if _can(kind, setup, options)]
    made = [_made(kind, setup.target, options) for kind, options in usable]
    names = sorted({word for lines in made for word in lines[0][21:].split(", ")})
    lines = ["import numpy as np"]
    lines += [f"from thresher import {', '.join(names)}"] if names else []
    lines += ["", f"# {setup.target.text()}, {setup.count} examples of {setup.n} bits"]
    if setup.kind == "half":
        lines += ['rows = """', *("".join(map(str, row)) for row in setup.X.astype(int).tolist())]
        lines += ['""".split()', 'X = np.array([[c == "1" for c in row] for row in rows])']
    else:
        lines += [
            f"rng = np.random.default_rng({setup.seed})",
            f"X = rng.random(({setup.count}, {setup.n})) < {setup.density!r}",
        ]
    lines += [f"y = {setup.target.tree.python()}"]
    if literal_count(setup.target) > setup.n:
        lines += ["literals = np.hstack([X, ~X])  # x1, x2, …, then ¬x1, ¬x2, …"]
    for (kind, _), text in zip(usable, made, strict=True):
        linear = kind.bars in ("log", "signed")
        data = "literals" if linear and literal_count(setup.target) > setup.n else "X"
        read = f"{data}.astype(float)" if linear else data
        counts = 'model.mistakes_, "mistakes,", model.updates_, "updates"'
        lines += ["", *text[1:], f"model.partial_fit({read}, y, classes=[False, True])"]
        lines += [f'print("{kind.title}:", {counts})']
        lines += [f"print({'model.coef_, model.intercept_' if linear else 'model.hypothesis_'})"]
    return {"python": "\n".join(lines) + "\n"}


def _can(kind: LearnerKind, setup: BooleanSetup, options: dict[str, Any]) -> bool:
    """Whether the panel ran to its end: a refused one has no Python."""
    try:
        model = kind.make(setup.target, options)
        if kind.bars == "literals":
            model.partial_fit(setup.X, setup.y, classes=[False, True])
        return True
    except (ThresherError, ValueError, TypeError):
        return False
