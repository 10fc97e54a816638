"""Steps of SNoW: two nodes, each linked to the features that came with its label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.lab.steps.counting import SIGNS, plain
from thresher.lab.steps.equations import Equations
from thresher.lab.steps.shown import Shown
from thresher.lab.steps.watched import Floats, Inside, Watched
from thresher.reference import rules

RULE = {
    "winnow": "on a mistake or when y·s < γ:   w of the label ← w∘α^x,   w of the other ← w∘β^x",
    "perceptron": "y·s ≤ γ:   w of the label ← w + η·x,   w of the other ← w − η·x",
    "passive-aggressive": "ℓ > 0:   w of the label ← w + τ·x,   w of the other ← w − τ·x",
    "naive-bayes": "links count what came with their label",
}


def snow(step: Watched, names: Sequence[str], rule: str) -> Equations:
    """`rule` is that of all nodes."""
    options = step.options
    # With these options the state before and after does not show which links took part.
    simple = options["eligibility"] == 1 and not options["prune"] and options["max_links"] is None
    if not simple or rule == "naive-bayes" or not step.both:
        return plain(step, names, RULE[rule])
    shown = Shown(step, names)
    lines, k = shown.lines, int(step.y > 0)
    before = [_node(step.was, step.first, i, shown) for i in (0, 1)]
    after = [_node(step.now, step.first, i, shown) for i in (0, 1)]
    shown.open(RULE[rule], "(w₊ − w₋)·x", **{f"w{SIGNS[i]}": np.nan_to_num(before[i])
                                             for i in (0, 1)})  # fmt: skip
    start = float(options["initial_weight"]) if rule == "winnow" else 0.0
    size = _size(shown, rule, after)
    new = np.isnan(before[k]) & ~np.isnan(after[k]) & (shown.x != 0.0)
    if new.any():
        lines.let("start", start)
        lines.let("new", new.astype(float))
        before[k] = np.where(new, start, before[k])
        lines.becomes(f"w{SIGNS[k]}", f"w{SIGNS[k]} + start·new", np.nan_to_num(before[k]))
    if size is None:
        lines.say("the nodes stay" if not new.any() else "the nodes stay but for new links")
        return lines
    for i, sign in ((k, 1), (1 - k, -1)):
        name, linked = f"w{SIGNS[i]}", ~np.isnan(after[i])
        lines.let("x", np.where(linked, shown.x, 0.0))  # a node moves only where it has links
        formula = {1: f"{name}∘α^x", -1: f"{name}∘β^x"} if rule == "winnow" else \
            {1: f"{name} + {size}·x", -1: f"{name} − {size}·x"}  # fmt: skip
        lines.becomes(name, formula[sign], np.nan_to_num(after[i]))
    return lines


def _node(inside: Inside, first: int, which: int, shown: Shown) -> Floats:
    """The weights of the links of a node, NaN where there is none; the constant's last."""
    target = float(which != int(first > 0))  # nodes stand in the order of appearance
    lengths = inside.array("network.lengths").astype(int)
    out = np.full(len(lengths) + 1, np.nan)
    of = np.repeat(np.arange(len(lengths)), lengths)
    mine = inside.array("network.targets") == target
    out[of[mine]] = inside.array("network.weights")[mine]
    out[-1] = inside.array("network.bias")[int(target)]
    return shown.cut(out)


def _size(shown: Shown, rule: str, after: list[Floats]) -> str | None:
    """The size of the step, printed; None if no node moves."""
    step, lines, options = shown.step, shown.lines, shown.step.options
    margin, gamma = step.y * step.score, float(options["margin"])
    if rule == "passive-aggressive":
        loss = rules.hinge(margin)
        lines.equal("ℓ", "max(0, 1 − y·s)", loss)
        norm = sum(float((shown.x[~np.isnan(node)] ** 2).sum()) for node in after)
        if loss == 0.0 or norm == 0.0:
            return None
        lines.let("C", float(options["C"]))
        lines.let("q", norm)
        lines.say("q is ‖x‖² over the links of both nodes")
        lines.equal("τ", "min(C, ℓ/q)", rules.pa1(loss, norm, C=float(options["C"])))
        return "τ"
    lines.compared("y·s", margin, "γ", gamma)
    if rule == "perceptron":
        if margin > gamma:
            return None
        lines.let("η", float(options["learning_rate"]), line=True)
        return "η"
    if margin > 0.0 and margin >= gamma:
        return None
    alpha, beta = float(options["alpha"]), options["beta"]
    lines.let("α", alpha, line=True)
    if beta is None:
        lines.equal("β", "α^(−1.2)", alpha**-1.2)
    else:
        lines.let("β", float(beta), line=True)
    return "α"
