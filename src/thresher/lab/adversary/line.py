"""A line in the plane that you move, and learners whose lines follow it."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab import check, progress
from thresher.lab.adversary.game import after_rounds
from thresher.lab.texts import wrapped
from thresher.lab.weight_changes import rounded

FIELDS = ("seed", "moves")
MOST_MOVES = 1000
MOST_ROUNDS = 3000
GAP = 0.06  # no point is nearer to the line at its time
TITLES = {"perceptron": "Perceptron", "pa": "PA", "balanced": "Balanced Winnow", "arow": "AROW"}


def learners() -> dict[str, Any]:
    from thresher import AROW, BalancedWinnow, PassiveAggressive, Perceptron

    return {
        "perceptron": Perceptron(average=False),
        "pa": PassiveAggressive(variant="PA", average=False),
        "balanced": BalancedWinnow(),
        "arow": AROW(average=False),
    }


def line_of(angle: float, offset: float) -> list[float]:
    """w1, w2, b of the line: positive on the side it points to, `offset` from the origin."""
    turn = math.radians(angle)
    return [rounded(math.cos(turn)), rounded(math.sin(turn)), rounded(-offset)]


def _move(name: str, value: Any) -> tuple[str, Any]:
    move = check.fields(name, value, ("do", "angle", "offset", "count"))
    if check.word(f"{name}.do", move.get("do"), ("line", "draw")) == "draw":
        return "draw", check.whole(f"{name}.count", move.get("count", 10), 1, 1000)
    angle = check.number(f"{name}.angle", move.get("angle"), -3600, 3600)
    return "line", line_of(angle, check.number(f"{name}.offset", move.get("offset", 0), -0.8, 0.8))


def run(given: Any) -> dict[str, Any]:
    """The whole game: the points and their labels, the target's lines, every learner's lines."""
    state = check.fields("the state", given, FIELDS)
    seed = check.whole("seed", state.get("seed", 0), 0, 2**32 - 1)
    moves = check.items("moves", state.get("moves"), MOST_MOVES, _move)
    if not moves or moves[0][0] != "line":
        raise InvalidInput("moves: expected a line first, such as {do: line, angle: 30}.")
    total = sum(what for does, what in moves if does == "draw")
    if total > MOST_ROUNDS:
        raise InvalidInput(f"{total:,} rounds; expected at most {MOST_ROUNDS:,}: begin a new game.")
    points: list[list[float]] = []
    lines: list[Any] = []  # first round, line
    costs: list[int] = []
    cost = -1  # the first line is free
    for number, (does, what) in enumerate(moves):
        if does == "line":
            cost += 1
            lines.append([len(points), what])
            continue
        random = np.random.default_rng([seed, number])
        for _ in range(what):
            points.append(_point(random, lines[-1][1]))
            costs.append(cost)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        panels = [_follow(name, model, points) for name, model in learners().items()]
    return {"points": points, "lines": lines, "cost": after_rounds(costs, cost), "panels": panels}


def _point(random: np.random.Generator, line: list[float]) -> list[float]:
    """Anywhere except too near the line."""
    while True:
        x = random.uniform(-1, 1, 2)
        score = float(line[0] * x[0] + line[1] * x[1] + line[2])
        if abs(score) >= GAP:
            return [round(float(x[0]), 4), round(float(x[1]), 4), 1 if score > 0 else -1]


def _follow(name: str, model: Any, points: list[list[float]]) -> dict[str, Any]:
    out: dict[str, Any] = {"short": name, "title": TITLES[name], "repr": repr(model),
                           "mistake": [], "update": []}  # fmt: skip
    moves: dict[str, list[Any]] = {"at": [0], "w": [[0.0, 0.0, 0.0]]}
    progress.stage(f"the rounds of {TITLES[name]}")
    for t, (x1, x2, y) in enumerate(points):
        progress.at(t, len(points))
        before = (model.mistakes_, model.updates_) if t else (0, 0)
        model.partial_fit([[x1, x2]], [y], classes=[-1, 1])
        out["mistake"].append(int(model.mistakes_ > before[0]))
        out["update"].append(int(model.updates_ > before[1]))
        if out["update"][-1]:
            moves["at"].append(t + 1)
            w = [*np.ravel(model.coef_), *np.ravel(model.intercept_)]
            moves["w"].append([rounded(v) for v in w])
    return out | {"moves": moves, "mistakes": int(model.mistakes_) if points else 0}


def python(given: Any) -> dict[str, str]:
    """The points as they came, for new learners: the same mistakes."""
    models = learners()
    lines = [
        f"from thresher import {', '.join(sorted(type(m).__name__ for m in models.values()))}",
        "",
        f"points = {wrapped(run(given)['points'])}",
        "",
        f"for model in ({', '.join(map(repr, models.values()))}):",
        "    for x1, x2, y in points:",
        "        model.partial_fit([[x1, x2]], [y], classes=[-1, 1])",
        "    print(model, model.mistakes_)",
    ]
    return {"python": "\n".join(lines) + "\n"}
