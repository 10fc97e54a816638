"""Steps of kernel learners: support vectors in place of weights."""

from __future__ import annotations

import numpy as np

from thresher.lab.steps.equations import Equations, written
from thresher.lab.steps.watched import Watched

MOST = 4  # terms of a sum that are written out

KERNELS = {
    "linear": "x·z",
    "polynomial": "(γ·x·z + c)^d",
    "rbf": "exp(−γ·‖x − z‖²)",
    "sigmoid": "tanh(γ·x·z + c)",
}


def kernel(step: Watched) -> Equations:
    """The equations are about the last hypothesis, which learns, whichever one predicts."""
    lines, was, now = Equations(), step.was, step.now
    bias = " + 1" if step.options["fit_intercept"] else ""
    of = KERNELS.get(str(step.options["kernel"]), "a function of two examples")
    lines.say(f"s(x) = Σ a_j·K(x_j, x),   y·s ≤ 0: x joins with a = y,   K(x, z) = {of}{bias}")
    lines.say(f"x = (x₁, x₂) = {written(step.x)},   y = {written(step.y)}")
    if 0 < len(was.a) <= MOST:
        terms = " + ".join(f"{written(a) if a >= 0 else f'({written(a)})'}·{_factor(K)}"
                           for a, K in zip(was.a, was.K, strict=True))  # fmt: skip
        lines.say(f"s = Σ a_j·K(x_j, x) = {terms} = {written(step.score)}")
    else:
        many = f", the sum over {len(was.a):,} support vectors" if len(was.a) else ""
        lines.say(f"s = {written(step.score)}{many}")
    lines.let("y", step.y)
    lines.let("s", step.score)
    lines.compared("y·s", step.y * step.score, "0", 0.0)
    if not step.update:
        lines.say("the support stays")
        return lines
    own = float(now.K[-1])
    lines.let("K(x, x)", own)
    formula, score = "s + y·K(x, x)", step.score + step.y * own
    if len(now.a) == len(was.a):
        gone = _gone(step)
        lines.let("a_j", was.a[gone])
        lines.let("K(x_j, x)", was.K[gone])
        formula, score = f"{formula} − a_j·K(x_j, x)", score - was.a[gone] * was.K[gone]
        lines.say("the budget is full: one support vector, j, goes")
    lines.becomes("s", formula, now.last)
    return lines


def _factor(value: float) -> str:
    text = written(value)
    return f"({text})" if text.startswith("−") else text


def _gone(step: Watched) -> int:
    """Which support vector was dropped for the new one."""
    was, now = step.was, step.now
    for j in range(len(was.a)):
        same = (np.array_equal(np.delete(one, j), other[:-1])
                for one, other in ((was.a, now.a), (was.K, now.K)))  # fmt: skip
        if all(same):
            return j
    raise AssertionError("no support vector is missing, and yet one was dropped")
