"""A step of a learner of boolean concepts in words, symbols and Python; a run as Python."""

from __future__ import annotations

from typing import Any

from thresher.concepts.concept import AtLeast
from thresher.errors import ThresherError
from thresher.lab import check
from thresher.lab.boolean import formula
from thresher.lab.boolean.formula import Target
from thresher.lab.boolean.learners import Kind, chosen_panel, class_of, literal_count, negated
from thresher.lab.boolean.trace import MOST_VARIABLES, BooleanSetup
from thresher.lab.texts import figure

FIELDS = ("panel", "target", "n", "t", "on", "y", "said", "score", "theta", "mistake", "update",
          "changed", "votes", "size", "left")  # fmt: skip


def explain(given: Any) -> dict[str, str]:
    """What happened in a step that a run has shown; the numbers are those of the run."""
    step = Step(given)
    return {"words": _words(step), "maths": _maths(step), "python": _python(step)}


class Step:
    """A step as the page sends it back, checked."""

    def __init__(self, given: Any) -> None:
        step = check.fields("the step", given, FIELDS)
        self.n = check.whole("n", step.get("n"), 1, MOST_VARIABLES)
        text = check.word("target", step.get("target"), most=formula.MOST_LETTERS)
        self.target = formula.read(text, self.n)
        self.kind, self.options = chosen_panel("panel", step.get("panel"))
        self.t = check.whole("t", step.get("t"), 1, 10**6)
        self.on = check.items("on", step.get("on"), self.n,
                              lambda name, v: check.whole(name, v, 0, self.n - 1))  # fmt: skip
        self.y, self.said, self.mistake, self.update = (
            check.flag(name, step.get(name)) for name in ("y", "said", "mistake", "update")
        )
        self.score = check.number("score", step.get("score", 0), -1e300, 1e300)
        self.theta = check.number("theta", step.get("theta", 0), -1e300, 1e300)
        self.changed = check.whole("changed", step.get("changed", 0), 0, 2 * MOST_VARIABLES + 1)
        self.votes, self.size, self.left = (
            check.items(name, step.get(name, [0, 0]), 2, lambda n, v: check.whole(n, v, 0, 2**32))
            for name in ("votes", "size", "left")
        )
        for pair in (self.votes, self.size, self.left):
            pair += [0] * (2 - len(pair))

    @property
    def model(self) -> Any:
        return self.kind.make(self.target, self.options)


def _words(step: Step) -> str:
    seen = f"Example {step.t}: {_some(step.on)}, label {int(step.y)}."
    verdict = "a mistake" if step.mistake else "right"
    if step.kind.bars == "space":
        return f"{seen} {_halving_words(step, verdict)}"
    if step.kind.bars == "literals":
        return f"{seen} {_elimination_words(step, verdict)}"
    sign = "≥" if step.score >= step.theta else "<"
    score, theta = figure(step.score), figure(step.theta)
    says = f"w·x = {score} {sign} θ = {theta}, so it says {int(step.said)}"
    if step.mistake and step.said == step.y:
        verdict = "a score of 0 is no idea, which counts as a mistake"
    if not step.update:
        return f"{seen} {says}: {verdict}, and {step.kind.title} stays as it is."
    return f"{seen} {says}: {verdict}. {_change_words(step)}"


def _change_words(step: Step) -> str:
    many = "1 weight" if step.changed == 1 else f"{step.changed} weights"
    if not step.kind.multiplies:
        act = "1 is added to" if step.y else "1 is taken from"
        return f"{act} the weights of its bits, and the constant: {many} changed."
    alpha = figure(check.number("panel.options.alpha", step.model.alpha))
    if step.kind.bars == "signed":
        up, down = ("w⁺", "w⁻") if step.y else ("w⁻", "w⁺")
        return f"{up} of its bits is multiplied by {alpha}, {down} divided by it: {many} changed."
    if step.y:
        return f"▲ {many} of its bits promoted: multiplied by {alpha}."
    floor = ", but none goes below ½" if step.kind.title == "Winnow-R" else ""
    return f"▼ {many} of its bits demoted: divided by {alpha}{floor}."


def _elimination_words(step: Step, verdict: str) -> str:
    before, after = step.left
    conjunction = step.model.concept == "conjunction"
    all_or_one = "all of them must be" if conjunction else "one is enough"
    says = (
        f"Of {before} literals left {figure(step.score)} are true in it; {all_or_one}, so it says "
        f"{int(step.said)}: {verdict}."
    )
    if not step.update:
        return f"{says} Nothing is deleted."
    which = "false in a positive" if conjunction else "true in a negative"
    return f"{says} What is {which} example is not in the target: ▼ {before - after} deleted, " \
           f"{after} left."  # fmt: skip


def _halving_words(step: Step, verdict: str) -> str:
    zero, one = step.votes
    before, after = step.size
    says = f"{one:,} of the {before:,} concepts left say 1, {zero:,} say 0: {verdict}."
    if before == after:
        return f"{says} All of them agree with the label."
    half = ", at least half of them" if step.mistake else ""
    return f"{says} The {before - after:,} that were wrong go{half}; {after:,} left."


def _maths(step: Step) -> str:
    y, title = int(step.y), step.kind.title
    if step.kind.bars == "space":
        zero, one = step.votes
        before, after = step.size
        lines = [f"ŷ = [ |V₁| > |V₀| ],   |V₁| = {one:,},   |V₀| = {zero:,},   y = {y}"]
        lines.append(f"V ← V with c(x) = {y}:   {before:,} → {after:,}")
        return "\n".join(lines)
    if step.kind.bars == "literals":
        rule = "x ∈ {0,1}ⁿ, L literals left; ŷ = [ "
        rule += "all of L true ]" if step.model.concept == "conjunction" else "one of L true ]"
        return f"{rule}\n|L| = {step.left[0]} → {step.left[1]},   ŷ = {int(step.said)},   y = {y}"
    score = (
        f"w·x = {figure(step.score)},   θ = {figure(step.theta)},   ŷ = {int(step.said)},   y = {y}"
    )
    if not step.kind.multiplies:
        rule = "w ← w + (2y − 1)·x   when   ŷ ≠ y"
    elif step.kind.bars == "signed":
        rule = "w⁺ ← w⁺·α^(±x),   w⁻ ← w⁻·α^(∓x),   w = w⁺ − w⁻   when   ŷ ≠ y"
    else:
        rule = "w_i ← w_i·α^x_i  when ŷ = 0, y = 1;   w_i ← w_i/α^x_i  when ŷ = 1, y = 0"
        rule += ",   w_i ≥ ½" if title == "Winnow-R" else ""
    return f"{rule}\n{score}"


def _python(step: Step) -> str:
    on = [i + 1 for i in step.on]
    return "\n".join(
        [
            *_made(step.kind, step.target, step.options),
            "…",
            f"x = [int(i in {{{', '.join(map(str, on))}}}) for i in range(1, {step.n + 1})]"
            if on else f"x = [0] * {step.n}",
            *(["x += [1 - v for v in x]  # the literals ¬x1, ¬x2, …"]
              if negated(step.target) and step.kind.bars in ("log", "signed") else []),
            f"model.partial_fit([x], [{step.y}], classes=[False, True])",
        ]
    )  # fmt: skip


def _some(on: list[int]) -> str:
    if not on:
        return "no bit is 1"
    shown = ", ".join(f"x{i + 1}" for i in on[:8])
    return f"{shown} {'are' if len(on) > 1 else 'is'} 1" if len(on) <= 8 else (
        f"{shown} and {len(on) - 8} more are 1"
    )  # fmt: skip


# -- a run as Python


def _made(kind: Kind, target: Target, options: dict[str, Any]) -> list[str]:
    model = kind.make(target, options)
    name = type(model).__name__
    lines = [f"from thresher import {name}" + (", concepts" if name == "Halving" else "")]
    if name == "Halving":
        return [*lines, f"model = Halving({_class_text(target)}, positive=True)"]
    return [*lines, f"model = {model!r}"]


def _class_text(target: Target) -> str:
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


def _can(kind: Kind, setup: BooleanSetup, options: dict[str, Any]) -> bool:
    """Whether the panel ran to its end: a refused one has no Python."""
    try:
        model = kind.make(setup.target, options)
        if kind.bars == "literals":
            model.partial_fit(setup.X, setup.y, classes=[False, True])
        return True
    except (ThresherError, ValueError, TypeError):
        return False
