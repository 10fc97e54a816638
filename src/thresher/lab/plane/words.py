"""One step of a learner in words, in symbols, and as Python."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.lab.plane.catalog import learner
from thresher.lab.texts import figure
from thresher.learners.entry import Entry

FIELDS = ("panel", "t", "x", "y", "score", "before", "after", "mistake", "update")

# What a family does with an example; for the others it is in the table of learners.
RULES = {
    "perceptron": "w ← w + η·y·x  when  y·s ≤ γ",
    "passive-aggressive": "w ← w + τ·y·x,   τ = ℓ/‖x‖²,   ℓ = max(0, 1 − y·s)",
    "arow": "w_i ← w_i + τ·y·Σ_i·x_i",
    "logistic": "w ← w + η·y·x/(1 + exp(y·s))",
    "winnow": "w_i ← w_i·α^(±x_i)",
    "naive-bayes": "counts of x are added to those of y",
    "kernel": "s(·) ← s(·) + y·K(x, ·)",
}

PA_RULES = {"PA": "pa", "PA-I": "pa1", "PA-II": "pa2"}


def explain(given: Any) -> dict[str, Any]:
    """What happened in a step that a run has shown; the numbers are those of the run."""
    step = check.fields("the step", given, FIELDS)
    entry, options = learner("panel", step.get("panel"))
    t = check.whole("t", step.get("t"), 1, 10**6)
    x = _numbers("x", step.get("x"), 2)
    y = 1 if check.number("y", step.get("y"), -1, 1) > 0 else -1
    score = check.number("score", step.get("score"), -1e300, 1e300)
    mistake, update = (check.flag(n, step.get(n)) for n in ("mistake", "update"))
    before, after = (
        None if step.get(n) is None else _numbers(n, step[n], 3) for n in ("before", "after")
    )
    return {
        "words": _words(entry, t, x, y, score, mistake, update, before, after),
        "maths": _maths(entry, x, y, score, update, before, after),
        "python": _python(entry, options, t, x, y, before),
    }


def _numbers(name: str, value: Any, count: int) -> list[float]:
    found = check.items(name, value, count, lambda n, v: check.number(n, v, -1e300, 1e300))
    if len(found) != count:
        raise InvalidInput(f"{name} has {len(found)} numbers; expected {count}.")
    return found


def _words(
    entry: Entry, t: int, x: list[float], y: int, score: float, mistake: bool, update: bool,
    before: list[float] | None, after: list[float] | None,
) -> str:  # fmt: skip
    at = f"({figure(x[0])}, {figure(x[1])})"
    seen = f"Example {t}: x = {at}, y = {_sign(y)}. The score is {figure(score)}"
    if mistake:
        verdict = "a mistake" if score else "no idea, which counts as a mistake"
    else:
        verdict = "right"
    if not update:
        return f"{seen}: {verdict}, and {entry.name} stays as it is."
    if entry.kernel:
        return f"{seen}: {verdict}. The example joins the support."
    moved = ""
    if before and after:
        score_after = after[0] * x[0] + after[1] * x[1] + after[2]
        moved = f" On this example the score is now {figure(score_after)}."
    how = "so w moves" if mistake else "but not by enough, so w moves"
    return f"{seen}: {verdict}, {how} {'towards' if y > 0 else 'away from'} x.{moved}"


def _maths(
    entry: Entry, x: list[float], y: int, score: float, update: bool,
    before: list[float] | None, after: list[float] | None,
) -> str:  # fmt: skip
    lines = [RULES.get(entry.family, entry.update)]
    lines.append(f"s = w·x = {figure(score)},   y·s = {figure(y * score)}")
    if before and after and update:
        change = [a - b for a, b in zip(after, before, strict=True)]
        if entry.family in ("perceptron", "passive-aggressive"):
            whole = [*x, 1.0]
            tau = y * sum(c * v for c, v in zip(change, whole, strict=True))
            tau /= sum(v * v for v in whole)
            lines.append(
                f"({_list(before)}) {'+' if y > 0 else '−'} {figure(abs(tau))}·({_list(whole)}) = "
                f"({_list(after)})"
            )
        else:
            lines.append(f"({_list(before)}) → ({_list(after)})")
    elif before:
        lines.append(f"(w₁, w₂, b) = ({_list(before)})")
    return "\n".join(lines)


def _python(
    entry: Entry, options: dict[str, Any], t: int, x: list[float], y: int,
    before: list[float] | None,
) -> str:  # fmt: skip
    """Python for this very step: by the reference if a rule of scalars determines it."""
    rule = before and _rule(entry.cls(**options).get_params(), entry.name, t)
    if not rule:
        example = f"{{'x0': {x[0]!r}, 'x1': {x[1]!r}}}"
        return f"from thresher import {entry.name}\n\nmodel = {entry.cls(**options)!r}\n" \
               f"model.learn_one({example}, {y})  # after those before it"  # fmt: skip
    names, call, bias = rule
    return "\n".join(
        [
            f"from thresher.reference.rules import {names}",
            "",
            f"w = {before}  # the last is the bias",
            f"x, y = {[*x, bias]}, {y}",
            "score = sum(a * b for a, b in zip(w, x))",
            "sqnorm = sum(v * v for v in x)",
            f"tau = {call}",
            "w = [a + tau * y * b for a, b in zip(w, x)]",
            "print(w)",
        ]
    )


def _rule(options: dict[str, Any], name: str, t: int) -> tuple[str, str, float] | None:
    """The function of the reference that decides τ, how it is called, and the value of x0."""
    bias = options.get("intercept_scaling") if options.get("fit_intercept") else 0.0
    if bias not in (0.0, 1.0):  # then b is not the weight of x0 itself
        return None
    if name == "Perceptron":
        gamma = f"gamma={options['margin']!r}"
        if options["step"] == "aggressive":
            return "aggressive", f"aggressive(y * score, sqnorm, {gamma})", bias
        eta = options["learning_rate"]
        eta = repr(eta) if isinstance(eta, (int, float)) else f"rate({eta!r}, {t})"
        names = "perceptron, rate" if eta.startswith("rate") else "perceptron"
        return names, f"perceptron(y * score, {gamma}, eta={eta})", bias
    if name == "PassiveAggressive" and options["variant"] in PA_RULES:
        rule = PA_RULES[options["variant"]]
        call = f"{rule}(hinge(y * score), sqnorm, C={options['C']!r})"
        return f"hinge, {rule}", call, bias
    return None


def _sign(y: int) -> str:
    return "+1" if y > 0 else "−1"


def _list(values: list[float]) -> str:
    return ", ".join(map(figure, values))
