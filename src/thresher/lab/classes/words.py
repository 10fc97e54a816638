"""A step of a learner of several classes in words, in equations, and as Python."""

from __future__ import annotations

import warnings
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.lab.classes.catalog import model
from thresher.lab.classes.trace import MOST_STEPS, ClassesSetup, ClassFollower, ClassStep
from thresher.lab.steps.equations import Equations, written
from thresher.reference.mira import smallest_change
from thresher.reference.rules import hinge

SUBSCRIPT = "₁₂₃₄₅₆₇₈"
PA = {"PA": "ℓ/{n}", "PA-I": "min(C, ℓ/{n})", "PA-II": "ℓ/({n} + 1/(2·C))"}


def explain(given: Any) -> dict[str, str]:
    """The last step of a run over the beginning of its sequence; that part is run again."""
    asked = check.fields("the request", given, ("state", "panel", "sequence"))
    setup = ClassesSetup(asked.get("state"))
    sequence = check.items(
        "sequence", asked.get("sequence"), MOST_STEPS,
        lambda name, v: check.whole(name, v, 0, len(setup.y) - 1),
    )  # fmt: skip
    if not sequence or not setup.panels:
        raise InvalidInput(
            "the state has no panels, or the sequence no points; expected a panel, and the points "
            "that it has seen up to the step to explain."
        )
    entry, options = setup.panels[
        check.whole("panel", asked.get("panel"), 0, len(setup.panels) - 1)
    ]
    follower = ClassFollower(entry, options, setup.classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        follower.skip(setup.X[sequence[:-1]], [setup.y[i] for i in sequence[:-1]])
        step = follower.learn(setup.X[sequence[-1]], setup.y[sequence[-1]])
    told = Told(step, entry.short, model(entry, options).get_params())
    return {"words": told.words(len(sequence), entry.name), "maths": str(told.equations()),
            "python": told.python()}  # fmt: skip


class Told:
    """A step, the name of its learner, and the options."""

    def __init__(self, step: ClassStep, short: str, options: dict[str, Any]) -> None:
        self.step, self.short, self.options = step, short, options
        self.rivals = [c for c in step.was if c != step.y]
        # With fewer than three classes there is one w, and its halves are the prototypes.
        self.many = len({*step.seen, step.y}) > 2
        self.all = self.many and short == "mira" and options["constraints"] == "all"

    @property
    def rival(self) -> int | None:
        """The strongest other class; on a tie the one that appeared first."""
        others = [c for c in self.step.seen if c != self.step.y]
        return max(others, key=lambda c: self.step.scores[c]) if others else None

    # -- in words

    def words(self, t: int, title: str) -> str:
        step = self.step
        text = f"Example {t}: x = {written(step.x[:2])}, class {step.y + 1}."
        if step.y not in step.seen:
            text += " The first of its class."
        if step.seen:
            scores = ", ".join(f"{c + 1}: {written(s)}" for c, s in step.scores.items())
            text += f" Scores {scores}: {'a mistake' if step.mistake else 'right'}"
        else:
            text += " There is nothing to compare it with"
        if not step.update:
            return f"{text}, and {title} stays as it is."
        if not step.mistake:
            text += ", but not by enough"
        pushed = [f"{c + 1} is pushed away by {written(-step.tau(c))}·x"
                  for c in step.moved if c != step.y]  # fmt: skip
        pulled = f"is pulled towards x by {written(step.tau(step.y))}·x"
        return f"{text}. Prototype {step.y + 1} {', '.join([pulled, *pushed])}."

    # -- in equations

    def equations(self) -> Equations:
        step, lines = self.step, Equations()
        lines.say(self._rule())
        n = 3 if step.x[2] else 2
        names = ("x₁", "x₂", "x₀")[:n]
        lines.say(f"x = ({', '.join(names)}) = {written(step.x[:n])},   class {step.y + 1}")
        lines.let("x", step.x[:n])
        for c, w in step.was.items():
            lines.let(_of("w", c), w[:n])
            lines.equal(_of("s", c), f"{_of('w', c)}·x", step.scores[c])
        if self.short != "perceptron":
            lines.equal("‖x‖²", "x·x", float(step.x @ step.x))
        moved = self._together(lines) if self.all else self._against_one(lines)
        if not moved:
            lines.say("all prototypes stay")
            return lines
        for c in sorted(moved):
            formula, now = f"{_of('w', c)} {moved[c]}", step.now[c][:n]
            lines.becomes(_of("w", c), formula, now)
        return lines

    def _rule(self) -> str:
        if self.all:
            return "w_y ← w_y + T·x,   w_r ← w_r − τ_r·x,   T = Σ τ_r:   the smallest change " \
                   "after which y leads all others by the margin"  # fmt: skip
        half = "" if self.many else "/2"
        return f"w_y ← w_y + τ·x{half},   w_r ← w_r − τ·x{half},   r: the strongest other class"

    def _against_one(self, lines: Equations) -> dict[int, str]:
        """The step against the strongest rival: what is added to each prototype."""
        step, y, r, options = self.step, self.step.y, self.rival, self.options
        if r is None:  # the rest of the world has −w
            lead, value = f"2·{_of('s', y)}", 2.0 * step.scores[y]
        else:
            lead, value = f"{_of('s', y)} − {_of('s', r)}", step.scores[y] - step.scores[r]
        lines.equal("m", lead, value)
        if self.short == "perceptron":
            lines.compared("m", value, "γ", float(options["margin"]))
            if not step.update:
                return {}
            lines.let("τ", float(options["learning_rate"]), line=True)
        else:
            aim, C = float(options.get("margin", 1.0)), float(options["C"])
            lines.let("a", aim, line=aim != 1.0)
            loss = hinge(value, aim)
            lines.equal("ℓ", "max(0, a − m)" if aim != 1.0 else "max(0, 1 − m)", loss)
            if not step.update:
                return {}
            lines.let("C", C)
            variant = options.get("variant", "PA-I")
            size = step.tau(y) * (1.0 if self.many else 2.0)
            lines.equal("τ", PA[variant].format(n="(2·‖x‖²)" if self.many else "‖x‖²"), size)
        half = "" if self.many else "/2"
        return {y: f"+ τ·x{half}"} | ({r: f"− τ·x{half}"} if r is not None else {})

    def _together(self, lines: Equations) -> dict[int, str]:
        """MIRA's step against all rivals at once."""
        step, y, options = self.step, self.step.y, self.options
        aim, C, square = float(options["margin"]), float(options["C"]), float(step.x @ step.x)
        lines.let("a", aim, line=aim != 1.0)
        goal = "a" if aim != 1.0 else "1"
        demands = {}
        for r in self.rivals:
            lead = step.scores[y] - step.scores[r]
            loss = hinge(lead, aim)
            lines.equal(_of("ℓ", r), f"max(0, {goal} − ({_of('s', y)} − {_of('s', r)}))", loss)
            if loss and step.update:
                demands[r] = loss / square
                lines.equal(_of("d", r), f"{_of('ℓ', r)}/‖x‖²", demands[r])
        if not step.update:
            return {}
        taus = smallest_change([d * square for d in demands.values()], square, C)
        active = [r for r, tau in zip(demands, taus, strict=True) if tau > 0.0]
        total = sum(demands[r] for r in active)
        summed = " + ".join(_of("d", r) for r in active)
        several = f"({summed})" if len(active) > 1 else summed
        lines.let("C", C)
        if total / (len(active) + 1) > C:
            lines.say(f"C stops it: T = C = {written(C)}")
            level, value = "ν", (total - C) / len(active)
            lines.equal("ν", f"({summed} − C)/{len(active)}", value)
        else:
            level, value = "T", total / (len(active) + 1)
            lines.equal("T", f"{several}/{len(active) + 1}", value)
        for r in demands:
            lines.equal(_of("τ", r), f"max(0, {_of('d', r)} − {level})",
                        max(0.0, demands[r] - value))  # fmt: skip
        lines.let("T", step.tau(y))
        return {y: "+ T·x"} | {r: f"− {_of('τ', r)}·x" for r in active}

    # -- as Python

    def python(self) -> str:
        """The step by the reference, from the prototypes before it."""
        step, y = self.step, self.step.y
        n = 3 if step.x[2] else 2
        rows = {c + 1: w[:n].tolist() for c, w in step.was.items()}
        call = self._call()
        return "\n".join(
            [
                *call[0],
                "",
                f"w = {rows}" + ("  # the last weight is that of x0" if n == 3 else ""),
                f"x, y = {step.x[:n].tolist()}, {y + 1}",
                "s = {c: sum(a * b for a, b in zip(w[c], x)) for c in w}",
                "sqnorm = sum(v * v for v in x)",
                *call[1],
                "for c, t in tau.items():",
                "    w[c] = [a + t * b for a, b in zip(w[c], x)]",
                "print(w)",
            ]
        )

    def _call(self) -> tuple[list[str], list[str]]:
        """What is imported, and the lines that decide τ of each class."""
        r, options = self.rival, self.options
        aim = float(options.get("margin", 1.0))
        if self.all:
            return (
                ["from thresher.reference.mira import smallest_change",
                 "from thresher.reference.rules import hinge"],
                ["rivals = [c for c in w if c != y]",
                 f"losses = [hinge(s[y] - s[c], {aim}) for c in rivals]",
                 f"gives = smallest_change(losses, sqnorm, cap={options['C']})",
                 "tau = {y: sum(gives), **{c: -g for c, g in zip(rivals, gives)}}"],
            )  # fmt: skip
        lead = "2 * s[y]" if r is None else f"s[y] - s[{r + 1}]"
        if self.short == "perceptron":
            name = "perceptron"
            size = f"perceptron({lead}, gamma={aim}, eta={options['learning_rate']})"
        else:
            name = {"PA": "pa", "PA-I": "pa1", "PA-II": "pa2"}[options.get("variant", "PA-I")]
            norm = "2 * sqnorm" if self.many else "sqnorm"
            size = f"{name}(hinge({lead}, {aim}), {norm}, C={options['C']})"
            name = f"hinge, {name}"
        if not self.many:
            size += " / 2  # one w so far: its halves are the prototypes"
        lines = [f"t = {size}", "tau = {y: t}" if r is None else f"tau = {{y: t, {r + 1}: -t}}"]
        return [f"from thresher.reference.rules import {name}"], lines


def _of(name: str, c: int) -> str:
    return name + SUBSCRIPT[c]
