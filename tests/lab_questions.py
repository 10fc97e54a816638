"""Questions of a page of the lab, drawn at random: legal ones of all sizes, and odd ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from thresher.lab.boolean.learners import KINDS
from thresher.lab.lessons.screens import lessons
from thresher.lab.plane.catalog import listed
from thresher.lab.serving.dispatch import QUESTIONS

ODD = [None, True, False, -1, 0, 1, 2, 2**53, 10**400, 1e300, 1e-320, -0.5, float("nan"),
       float("inf"), "x", "", "all", "rbf", "1/t", "\ud800", "x1" * 3000, [], {}, [[]],
       [[1, 2, 3]] * 3, {"learner": "pa"}, {"do": "add"}]  # fmt: skip
GARBAGE = ["", "null", "[]", "7", "{", '{"id":', '"' * 9, "[" * 5000, '{"stop":[]}']


# -- a place in a message, and the message with something else there


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a message: (), ("points",), ("points", 0), …"""
    yield at
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, item in value.items() if isinstance(value, dict) else ():
        yield from places(item, (*at, key))


def changed(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = changed(copy[at[0]], at[1:], new)
    return copy


# -- questions


class Draw:
    """Draws questions: the same ones from the same seed."""

    def __init__(self, seed: int, large: float = 0.1) -> None:
        self.random = random.Random(seed)
        self.large = large  # how many are as large as they may be
        self.learners = listed()["learners"]
        self.made: dict[str, Callable[[], Any]] = {
            "lessons.screen": self.screen, "plane.run": self.plane, "plane.bounds": self.plane,
            "plane.python": self.plane, "plane.proof": self.proved,
            "plane.field": self.field, "plane.explain": self.step,
            "plane.generate": self.kind, "plane.table": self.table, "runs.read": self.logs,
            "boolean.run": self.boolean, "boolean.bounds": self.boolean,
            "boolean.python": self.boolean, "boolean.target": self.target,
            "boolean.explain": self.boolean_step, "boolean.proof": self.boolean_proved,
            "boolean.ask": self.asked,
            "boolean.watch": lambda: {"n": self.whole(1, 64)}, "boolean.teach": self.taught,
            "boolean.protocol": self.protocol, "adversary.run": self.game,
            "adversary.python": self.game, "adversary.bury": self.buried,
            "adversary.line": self.lines, "adversary.line.python": self.lines,
        }  # fmt: skip

    def question(self) -> tuple[str, Any]:
        """What is asked, and about what."""
        name = self.random.choice(list(QUESTIONS))
        about = self.made.get(name, dict)()
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            about = changed(about, self.place(about), self.random.choice(ODD))
        return name, about

    def place(self, about: Any) -> tuple[Any, ...]:
        """Anywhere, but not only in the lists, which are most of a large question."""
        at: tuple[Any, ...] = ()
        while isinstance(about, (dict, list)) and about and self.random.random() < 0.8:
            keys = list(about) if isinstance(about, dict) else range(len(about))
            at = (*at, self.random.choice(keys))
            about = about[at[-1]]
        return at

    # -- numbers and words

    def whole(self, least: int, most: int) -> int:
        """Mostly small; now and then as large as may be."""
        if self.random.random() < self.large:
            return self.random.choice([most, max(least, most // 2)])
        return min(most, least + int(self.random.expovariate(0.15)))

    def some(self, n: int) -> list[int]:
        """Some of 1 … n."""
        return sorted(self.random.sample(range(1, n + 1), min(n, self.whole(0, n))))

    def coordinate(self) -> float:
        if self.random.random() < 0.9:
            return round(self.random.uniform(-1, 1), self.random.choice([1, 4, 17]))
        sizes = [0.0, 1e6, -1e6, 5e-324, 1e-300, 1e-9, 0.5, -0.5, 1 / 3]
        return self.random.choice(sizes)

    # -- the plane

    def panel(self) -> dict[str, Any]:
        learner = self.random.choice(self.learners)
        options = {}
        for option in learner["options"]:
            if self.random.random() < 0.2:
                usual = [option["default"], *option["choices"], 0.1, 1, 3]
                options[option["name"]] = self.random.choice([*usual, *usual, *ODD])
        return {"learner": learner["short"], "options": options}

    def plane(self) -> dict[str, Any]:
        size, slope = self.whole(0, 2000), self.random.uniform(-2, 2)
        points = [[self.coordinate(), self.coordinate(), 1] for _ in range(size)]
        rule = self.random.choice(["line", "noise", "turns", "one", "few"])
        if rule == "few":  # the same points again and again
            points = [list(self.random.choice(points[:3])) for _ in points]
        for i, point in enumerate(points):
            side = point[0] > slope * point[1] if rule == "line" else self.random.random() < 0.5
            positive = {"turns": i % 2 == 0, "one": True}.get(rule, side)
            point[2] = 1 if positive else -1
        return {
            "points": points,
            "panels": [self.panel() for _ in range(self.whole(0, 8))],
            "order": self.random.choice(["given", "shuffled", "worst"]),
            "epochs": self.whole(1, min(1000, 20_000 // max(1, size))),
            "seed": self.whole(0, 2**32 - 1),
        }

    def field(self) -> dict[str, Any]:
        state = self.plane()
        steps = len(state["points"]) * state["epochs"]
        return {"state": state, "panel": self.whole(0, max(0, len(state["panels"]) - 1)),
                "t": self.whole(0, steps), "window": [-1.0, 1.0, -1.0, 1.0]}  # fmt: skip

    def proved(self) -> dict[str, Any]:
        state = self.plane()
        return {"state": state, "panel": self.whole(0, max(0, len(state["panels"]) - 1))}

    def boolean_proved(self) -> dict[str, Any]:
        state = self.boolean()
        return {"state": state, "panel": self.whole(0, max(0, len(state["panels"]) - 1))}

    def step(self) -> dict[str, Any]:
        state = self.plane()
        size, most = len(state["points"]), len(state["panels"]) - 1
        sequence = [self.random.randrange(size) for _ in range(self.whole(1, 300))] if size else []
        return {"state": state, "panel": self.random.randint(0, max(0, most)), "sequence": sequence}

    def kind(self) -> dict[str, Any]:
        kinds = ["separable", "noisy", "xor", "circles", "drifting", "tight", "positive", "shares"]
        return {"kind": self.random.choice(kinds), "size": self.whole(1, 2000),
                "gamma": self.random.choice([0.0, 0.1, 0.9]), "seed": self.whole(0, 9)}  # fmt: skip

    def table(self) -> dict[str, Any]:
        cells = ["1", "-2.5", "a", "b", "1e300", "nan", "", '"x', " ", "\ufeff", "label", "x", "y"]
        mark = self.random.choice([",", ";", "\t"])
        rows = [mark.join(self.random.choice(cells) for _ in range(self.random.randint(1, 5)))
                for _ in range(min(5, self.whole(0, 5)))]  # fmt: skip
        good = f"{self.coordinate()}{mark}{self.coordinate()}{mark}a\n1{mark}2{mark}b\n"
        return {"text": "\n".join(rows) + good * self.whole(0, 20_000)}

    def screen(self) -> dict[str, Any]:
        lesson = self.random.choice(lessons())
        return {"lesson": lesson.name, "screen": self.random.randint(1, len(lesson.screens))}

    def logs(self) -> dict[str, Any]:
        return {"logs": [{"id": "0" * 16, "from": self.whole(0, 2**53), "mark": ""}]}

    # -- boolean concepts

    def formula(self, n: int, deep: int = 0) -> str:
        if deep > 4 or self.random.random() < 0.3:
            return f"{self.random.choice(['', '', '!'])}x{self.random.randint(1, n)}"
        if self.random.random() < 0.15:
            some = self.some(n) or [1]
            return f"{self.random.randint(1, len(some))} of ({', '.join(f'x{i}' for i in some)})"
        mark = self.random.choice([" | ", " & ", " ^ "])
        parts = [self.formula(n, deep + 1) for _ in range(self.random.randint(2, 3))]
        if deep == 0 and self.random.random() < self.large:
            parts = [f"x{i}" for i in range(1, min(n, 300) + 1)]
        text = mark.join(parts)
        return f"({text})" if deep else text

    def boolean_panel(self) -> dict[str, Any]:
        short = self.random.choice(list(KINDS))
        options = {name: self.random.choice([1.5, 2, 0.1, None, True, 1e9, -1])
                   for name in KINDS[short].options if self.random.random() < 0.3}  # fmt: skip
        return {"learner": short, "options": options}

    def boolean(self) -> dict[str, Any]:
        n = self.whole(1, self.random.choice([12, 20, 64, 1000]))
        return {
            "target": self.formula(n), "n": n,
            "examples": self.whole(1, min(5000, 200_000 // n)),
            "draw": self.random.choice(["uniform", "half"]),
            "density": self.random.choice([0.0, 0.1, 0.5, 1.0]), "seed": self.whole(0, 9),
            "panels": [self.boolean_panel() for _ in range(self.whole(0, 8))],
        }  # fmt: skip

    def boolean_step(self) -> dict[str, Any]:
        state = self.boolean()
        panel = self.random.randint(0, max(0, len(state["panels"]) - 1))
        return {"state": state, "panel": panel, "t": self.whole(1, max(1, state["examples"]))}

    def target(self) -> dict[str, Any]:
        return {"n": self.whole(1, 1000), "k": self.whole(1, 100), "m": self.whole(1, 100),
                "form": self.random.choice(["or", "and", "of", "xor"]),
                "negated": self.random.random() < 0.5, "seed": self.whole(0, 9)}  # fmt: skip

    def asked(self) -> dict[str, Any]:
        n = self.whole(1, 64)
        return {"n": n, "k": self.whole(0, n), "seed": self.whole(0, 9),
                "questions": [self.some(n) for _ in range(self.whole(0, 200))],
                "guess": self.random.choice([None, self.some(n)])}  # fmt: skip

    def taught(self) -> dict[str, Any]:
        n = self.whole(1, 64)
        return {"n": n, "target": self.some(n),
                "examples": [self.some(n) for _ in range(self.whole(0, 200))]}  # fmt: skip

    def protocol(self) -> dict[str, Any]:
        if self.random.random() < 0.5:
            return {"mode": "teach", **self.taught()}
        return {"mode": "ask", **self.asked()}

    # -- games

    def game(self) -> dict[str, Any]:
        n = self.whole(2, 128)
        inside: set[int] = set()
        moves: list[dict[str, Any]] = []
        for _ in range(self.whole(0, 3000)):
            does = self.random.choice(["change", "draw", "hard", "teach"])
            if does == "change":
                i = self.random.randint(1, n)
                moves.append({"do": "remove" if i in inside else "add", "i": i})
                inside ^= {i}
            elif does == "draw":
                moves.append({"do": "draw", "count": self.whole(1, 1000)})
            elif does == "hard":
                names = ["winnow", "winnow-r", "perceptron", "pa"]
                moves.append({"do": "hard", "against": self.random.choice(names)})
            else:
                moves.append({"do": "teach", "on": self.some(n)})
        return {"n": n, "seed": self.whole(0, 9), "moves": moves}

    def buried(self) -> dict[str, Any]:
        return {"n": self.whole(2, 128), "depth": self.whole(0, 40), "buried": self.whole(1, 40)}

    def lines(self) -> dict[str, Any]:
        moves: list[dict[str, Any]] = [{"do": "line", "angle": 30, "offset": 0.1}]
        for _ in range(self.whole(0, 999)):
            line = {"do": "line", "angle": self.random.uniform(-3600, 3600),
                    "offset": self.random.uniform(-0.8, 0.8)}  # fmt: skip
            moves.append(self.random.choice([line, {"do": "draw", "count": self.whole(1, 1000)}]))
        return {"seed": self.whole(0, 9), "moves": moves}
