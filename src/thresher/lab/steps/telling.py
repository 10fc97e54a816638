"""A step in words, in equations and as Python, for any learner."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thresher.lab.steps import adding, counting, kernels, multiplying, network
from thresher.lab.steps.equations import Equations, written
from thresher.lab.steps.watched import Support, Watched, constant_of

GEOMETRIES: dict[str, Callable[[Watched, Sequence[str], str], Equations]] = {
    **adding.GEOMETRIES,
    "multiplicative": multiplying.winnow,
    "balanced": multiplying.balanced,
    "naive-bayes": counting.naive_bayes,
    "lda": counting.lda,
    "snow": network.snow,
}


def rule_of(step: Watched) -> str:
    """The core's name of the rule that decides the size of a step."""
    return str(step.model._settled().get("rule"))


def geometry_of(step: Watched) -> str:
    """The core's name of how a step is made; negations are more columns of the same."""
    geometry = str(step.model._settled()["geometry"])
    return "multiplicative" if geometry == "negations" else geometry


def equations(step: Watched, names: Sequence[str], rule: str) -> str:
    """Line by line. A learner without equations here has `rule`, and weights before and after."""
    if isinstance(step.was, Support):
        return str(kernels.kernel(step))
    geometry, own = geometry_of(step), rule_of(step)
    known = geometry not in ("additive", "truncated", "diagonal") or own in adding.RULES
    if geometry in GEOMETRIES and known:
        return str(GEOMETRIES[geometry](step, names, own))
    return str(counting.plain(step, names, rule))


# -- in words


def words(step: Watched, title: str, averaged: bool = False) -> str:
    """`averaged`: the learner also keeps the average of its hypotheses."""
    at = written(step.x)
    seen = f"Example {step.t}: x = {at}, y = {'+1' if step.y > 0 else '−1'}."
    kernel = isinstance(step.was, Support)
    who = "The last hypothesis scores" if kernel or averaged else "The score is"
    verdict = f"{who} {written(step.score)}: {_verdict(step)}"
    if not step.update:
        told = f"{seen} {verdict}, and {title} stays as it is."
    else:
        told = f"{seen} {verdict}{_change(step)} On this example the score is now "
        told += f"{written(step.score_now)}."
    if not kernel:
        return told
    mode = step.options["prediction"]
    if mode == "last":
        return f"{told} The picture shows this hypothesis."
    return f"{told} The picture shows the {mode} hypothesis: its score here is now " \
           f"{written(step.now.predicting)}."  # fmt: skip


def _verdict(step: Watched) -> str:
    if not step.mistake:
        return "right"
    by_sign = isinstance(step.was, Support) or step.model.engine.geometry != "multiplicative"
    if step.score == 0.0 and by_sign:
        return "no idea, which counts as a mistake"
    return "a mistake"


def _change(step: Watched) -> str:
    """What the step did: the rest of the sentence after the verdict."""
    if isinstance(step.was, Support):
        full = len(step.was.a) == len(step.now.a)
        return f". The example joins the support{', and another leaves it' if full else ''}."
    label, other = ("+", "−") if step.y > 0 else ("−", "+")
    geometry = geometry_of(step)
    if rule_of(step) == "descent" or geometry == "adagrad":
        geometry = "ftrl"
    if geometry in ("additive", "truncated", "diagonal"):
        how = ", so w moves" if step.mistake else ", but not by enough, so w moves"
        return f"{how} {'towards' if step.y > 0 else 'away from'} x."
    said = {
        "ftrl": "w moves down the slope of the log loss",
        "scale-free": "w moves down the slope of the log loss, by a step that does not depend on "
        "the units of x",
        "naive-bayes": f"it is counted with the label {label}",
        "lda": f"the mean of the label {label} moves towards it",
        "balanced": f"w{'⁺' if step.y > 0 else '⁻'} is multiplied, the other divided",
        "snow": f"the node of {label} gains, or that of {other} loses",
    }
    if geometry == "multiplicative":
        down = "set to 0" if step.options["demotion"] == "eliminate" else "divided"
        said[geometry] = f"its weights are {'multiplied' if step.y > 0 else down}"
    near = not step.mistake and geometry in ("multiplicative", "balanced")
    enough = ", but not by enough" if near else ""
    return f"{enough}; {said.get(geometry, 'the weights change')}."


# -- as Python


def python(step: Watched, asked: str) -> str:
    """Python for this very step: by the reference if a rule of scalars determines it.

    `asked` is the learner of the panel, as Python.
    """
    call = _call(step)
    if call is None:
        example = {f"x{i}": float(v) for i, v in enumerate(step.x)}
        name = type(step.model).__name__
        return f"from thresher import {name}\n\nmodel = {asked}\n" \
               f"model.learn_one({example}, {step.y})  # after those before it"  # fmt: skip
    constant = constant_of(step.options)
    w, x = step.was.weights("w").tolist(), step.x.tolist()
    return "\n".join(
        [
            f"from thresher.reference.rules import {call[0]}",
            "",
            f"w = {w if constant else w[:-1]}" + ("  # the last is that of x0" if constant else ""),
            f"x, y = {[*x, constant] if constant else x}, {step.y}",
            "score = sum(a * b for a, b in zip(w, x))",
            "sqnorm = sum(v * v for v in x)",
            f"tau = {call[1]}",
            "w = [a + tau * y * b for a, b in zip(w, x)]",
            "print(w)",
        ]
    )


def _call(step: Watched) -> tuple[str, str] | None:
    """The functions of the reference that decide τ, and how they are called."""
    if isinstance(step.was, Support) or geometry_of(step) != "additive":
        return None
    options, rule = step.options, rule_of(step)
    if "b" in options:  # it may not have asked for the label: no rule of scalars says so
        return None
    if rule == "aggressive":
        return "aggressive", f"aggressive(y * score, sqnorm, gamma={options['margin']!r})"
    if rule == "perceptron":
        eta = options["learning_rate"]
        eta, also = (f"rate({eta!r}, {step.t})", ", rate") if isinstance(eta, str) else (eta, "")
        return f"perceptron{also}", f"perceptron(y * score, gamma={options['margin']!r}, eta={eta})"
    if rule == "descent":
        eta, clock = repr(options["learning_rate"]), options["step"]
        eta += "" if clock == "constant" else f" * rate({clock!r}, {step.t})"
        also = "" if clock == "constant" else ", rate"
        return f"log_loss_slope{also}", f"{eta} * log_loss_slope(y * score)"
    if rule == "passive-aggressive":
        pa = {"PA": "pa", "PA-I": "pa1", "PA-II": "pa2"}[options.get("variant", "PA-I")]
        aim, C = float(options.get("margin", 1.0)), float(options["C"])
        limit = repr(C) if float("inf") > C else 'float("inf")'
        return f"hinge, {pa}", f"{pa}(hinge(y * score, {aim}), sqnorm, C={limit})"
    return None
