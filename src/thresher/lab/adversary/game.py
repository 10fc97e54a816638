"""A target that you change, each change at a cost of 1, against learners that follow it.

A game is replayed from its moves: variables that enter and leave a disjunction, rounds drawn at
random, an example that some learner is wrong about, an example that is shown until all are right.
All learners see the same rounds. (A line that moves in the plane: `line`.)
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab import check, progress
from thresher.lab.texts import wrapped
from thresher.lab.weight_changes import Floats, WeightChanges, rounded
from thresher.theory.bounds import winnow_r

FIELDS = ("n", "seed", "moves")
MOST_VARIABLES = 128
MOST_MOVES = 3000
MOST_ROUNDS = 3000
MOST_SHOWN = 400  # times that one example is shown until all learners are right
TITLES = {"winnow": "Winnow", "winnow-r": "Winnow-R", "perceptron": "Perceptron", "pa": "PA"}
LABELS = [False, True]
DOES = ("add", "remove", "draw", "hard", "teach")


def learners(n: int) -> dict[str, Any]:
    from thresher import PassiveAggressive, Perceptron, Winnow

    return {
        "winnow": Winnow(theta=n),
        "winnow-r": Winnow(theta=n, floor=0.5),
        "perceptron": Perceptron(average=False),
        "pa": PassiveAggressive(variant="PA", average=False),
    }


def bound(added: int, n: int) -> int:
    """The most mistakes of Winnow-R when so many variables were added.

    >>> bound(added=2, n=16)
    52
    """
    return int(winnow_r(added, n).value)


class GameSetup:
    """A game as the page sends it, checked as far as possible without playing it."""

    def __init__(self, given: Any) -> None:
        state = check.fields("the state", given, FIELDS)
        self.n = check.whole("n", state.get("n"), 2, MOST_VARIABLES)
        self.seed = check.whole("seed", state.get("seed", 0), 0, 2**32 - 1)
        self.moves = check.items("moves", state.get("moves"), MOST_MOVES, self._move)

    def _move(self, name: str, value: Any) -> tuple[str, Any]:
        move = check.fields(name, value, ("do", "i", "count", "against", "on"))
        does = check.word(f"{name}.do", move.get("do"), DOES)
        if does in ("add", "remove"):
            return does, check.whole(f"{name}.i", move.get("i"), 1, self.n)
        if does == "draw":
            return does, check.whole(f"{name}.count", move.get("count", 10), 1, 1000)
        if does == "hard":
            return does, check.word(f"{name}.against", move.get("against"), tuple(TITLES))
        on = check.items(f"{name}.on", move.get("on"), self.n,
                         lambda where, v: check.whole(where, v, 1, self.n))  # fmt: skip
        return does, on


class LabGame:
    """The rounds so far, and every learner after them."""

    def __init__(self, n: int, seed: int) -> None:
        self.n, self.seed = n, seed
        self.target: set[int] = set()
        self.cost = self.added = 0
        self.models = learners(n)
        self.examples: list[list[int]] = []
        self.labels: list[int] = []
        self.costs: list[int] = []  # what was paid before each round
        self.entered: list[int] = []  # how many variables were added before it
        self.targets: list[Any] = [[0, []]]  # first round, target
        self.starts: list[int] = []  # the round before which each move was made
        self.traces: dict[str, dict[str, list[Any]]] = {
            name: {"mistake": [], "update": [], "score": []} for name in self.models
        }
        blank = np.zeros((1, n))
        for model in self.models.values():
            model.partial_fit(blank, [False], classes=LABELS, sample_weight=[0.0])
        self.moved = {name: WeightChanges(weights(model)) for name, model in self.models.items()}

    def play(self, does: str, what: Any, number: int) -> None:
        self.starts.append(len(self.labels))
        if does in ("add", "remove"):
            self._change(does, what, number)
        elif does == "draw":
            self._draw(what, number)
        elif does == "hard":
            self._hard(what, number)
        else:
            self._teach(np.isin(np.arange(1, self.n + 1), what))

    def _change(self, does: str, i: int, number: int) -> None:
        if (i in self.target) == (does == "add"):
            is_in = "is in the target already" if does == "add" else "is not in the target"
            raise InvalidInput(f"move {number} would {does} x{i}, which {is_in}.")
        self.target ^= {i}
        self.cost += 1
        self.added += does == "add"
        now = [len(self.labels), sorted(self.target)]
        if self.targets[-1][0] == now[0]:
            self.targets.pop()
        self.targets.append(now)

    def _draw(self, count: int, number: int) -> None:
        """Half of them positive, as far as the target allows; other bits are on occasionally."""
        random = np.random.default_rng([self.seed, number])
        relevant = np.array(sorted(self.target), np.int64) - 1
        for _ in range(count):
            x = random.random(self.n) < 0.25
            positive = random.random() < 0.5
            x[relevant] = False
            if positive and len(relevant):
                x[random.choice(relevant)] = True
            self.round(x)

    def _hard(self, against: str, number: int) -> None:
        x = hardest(self.models[against], self.target)
        if x is None:
            raise InvalidInput(
                f"move {number}: {TITLES[against]} knows the target: there is no example that it "
                "is wrong about. Change the target first."
            )
        self.round(x)

    def _teach(self, x: Any) -> None:
        """The same example until all learners are right on it."""
        for _ in range(MOST_SHOWN):
            before = [model.mistakes_ for model in self.models.values()]
            self.round(x)
            if [model.mistakes_ for model in self.models.values()] == before:
                return

    def round(self, x: Any) -> None:
        if len(self.labels) == MOST_ROUNDS:
            raise InvalidInput(
                f"the game has more than {MOST_ROUNDS:,} rounds; begin a new one, or take fewer."
            )
        y = any(x[i - 1] for i in self.target)
        row = np.asarray(x, np.float64)[None, :]
        self.costs.append(self.cost)
        self.entered.append(self.added)
        self.examples.append(np.flatnonzero(x).tolist())
        self.labels.append(int(y))
        for name, model in self.models.items():
            trace, before = self.traces[name], (model.mistakes_, model.updates_)
            trace["score"].append(rounded(model.decision_function(row)[0] + theta_of(model)))
            model.partial_fit(row, [y], classes=LABELS)
            trace["mistake"].append(int(model.mistakes_ > before[0]))
            trace["update"].append(int(model.updates_ > before[1]))
            if trace["update"][-1]:
                self.moved[name].add(len(self.labels), weights(model))


def theta_of(model: Any) -> float:
    return float(getattr(model, "theta", 0.0))


def weights(model: Any) -> Floats:
    """w, and the intercept if it is learned."""
    w = np.array(np.ravel(model.coef_))
    return np.append(w, np.ravel(model.intercept_)) if "fit_intercept" in model.options else w


def hardest(model: Any, target: set[int]) -> Any:
    """The example that a linear learner is most wrong about; None if it is right about all 2^n.

    Negative examples have no variable of the target: the largest score is that of all others whose
    weight is positive. Positive ones have at least one: the smallest score is that of the target
    variable of smallest weight, together with every variable of negative weight.
    """
    w, constant = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    inside = np.isin(np.arange(1, len(w) + 1), sorted(target))
    negative = ~inside & (w > 0)
    found = [(float(w[negative].sum()) + constant, negative)]  # (how wrong, example)
    wrong = [found[0]] if found[0][0] >= 0 else []
    if target:
        lightest = np.where(inside, w, np.inf).argmin()
        positive = w < 0
        positive[lightest] = True
        score = float(w[positive].sum()) + constant
        if score < 0:
            wrong.append((-score, positive))
    return max(wrong, key=lambda one: one[0])[1] if wrong else None


def after_rounds(before_each: list[int], now: int) -> list[int]:
    """The cost after 0, 1, 2, … rounds, and by now: from the cost before each of them."""
    return [0, *before_each[:-1], now] if before_each else [now]


def run(given: Any) -> dict[str, Any]:
    """The whole game: every learner's mistakes, and the bound of Winnow-R."""
    setup = GameSetup(given)
    game = LabGame(setup.n, setup.seed)
    progress.stage("the moves of the game")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (does, what) in enumerate(setup.moves):
            progress.at(number, len(setup.moves))
            game.play(does, what, number)
        knows = {name: hardest(m, game.target) is None for name, m in game.models.items()}
    rate = float(np.log2(setup.n))
    costs = after_rounds(game.costs, game.cost)
    return {
        "examples": game.examples,
        "labels": game.labels,
        "targets": game.targets,
        "target": sorted(game.target),
        "starts": game.starts,
        "cost": costs,
        "bound": [bound(added, setup.n) for added in after_rounds(game.entered, game.added)],
        "rate": [rounded(cost * rate) for cost in costs],
        "panels": [
            {
                "short": name,
                "title": TITLES[name],
                "repr": repr(game.models[name]),
                "theta": theta_of(game.models[name]),
                "bars": "log" if name.startswith("winnow") else "signed",
                "constant": not name.startswith("winnow"),
                "moves": game.moved[name].out,
                "mistakes": int(game.models[name].mistakes_),
                "knows": knows[name],
                **game.traces[name],
            }
            for name in game.models
        ],
    }


def bury(given: Any) -> dict[str, Any]:
    """The moves of `thresher.theory.games.BuriedTarget`, to be played from the beginning.

    An example is shown until all learners are right on it, so that Winnow and Winnow-R make the
    mistakes that they make in that game.
    """
    asked = check.fields("the request", given, ("n", "depth", "buried"))
    n = check.whole("n", asked.get("n"), 2, MOST_VARIABLES)
    depth = check.whole("depth", asked.get("depth"), 0, 40)
    buried = check.whole("buried", asked.get("buried"), 1, 40)
    if buried >= n:
        raise InvalidInput(f"buried is {buried}; expected less than n = {n}.")
    everything = list(range(1, buried + 2))
    moves: list[dict[str, Any]] = [{"do": "teach", "on": []}, {"do": "add", "i": 1},
                                   {"do": "teach", "on": [1]}]  # fmt: skip
    for _ in range(depth):
        moves += [{"do": "remove", "i": 1}, {"do": "teach", "on": everything}]
        moves += [{"do": "add", "i": 1}, {"do": "teach", "on": [1]}]
    for other in everything[1:]:
        moves += [{"do": "add", "i": other}, {"do": "teach", "on": [other]}]
    return {"moves": moves}


def python(given: Any) -> dict[str, str]:
    """The rounds as they were played, for new learners: the same mistakes."""
    setup = GameSetup(given)
    trace = run(given)
    models = learners(setup.n)
    rounds = [[i + 1 for i in on] for on in trace["examples"]]
    lines = [
        "import numpy as np",
        "from thresher import PassiveAggressive, Perceptron, Winnow",
        "",
        f"n = {setup.n}",
        "# the variables that are 1 in each round, and its label",
        f"rounds = {wrapped(rounds)}",
        f"labels = {wrapped(trace['labels'])}",
        "X = np.array([[i in on for i in range(1, n + 1)] for on in map(set, rounds)], float)",
        "",
        f"for model in ({', '.join(map(repr, models.values()))}):",
        "    for x, y in zip(X, labels):",
        "        model.partial_fit([x], [bool(y)], classes=[False, True])",
        "    print(model, model.mistakes_)",
    ]
    return {"python": "\n".join(lines) + "\n"}
