"""A run over points of several classes: the prototypes whenever they change, and by how much.

A learner meets its classes one by one. With one or two it keeps a single w, which its `coef_` shows
as prototypes w/2 and −w/2; the third class splits it (`begun`). From then on each step adds τ·x to
the prototype of the right class and takes as much from its rivals.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput, ThresherError
from thresher.lab import check, progress
from thresher.lab.classes.catalog import learner, model
from thresher.lab.classes.points import MOST_CLASSES, MOST_POINTS
from thresher.learners.entry import Entry

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FIELDS = ("points", "panels", "order", "epochs", "seed")
MOST_PANELS = 4
MOST_STEPS = 5000
ORDERS = ("given", "shuffled")
REFUSED = (ThresherError, ValueError, TypeError, OverflowError)


class ClassesSetup:
    """What a page asks to see, checked."""

    def __init__(self, given: Any) -> None:
        state = check.fields("the state", given, FIELDS)
        points = check.items("points", state.get("points"), MOST_POINTS, _point)
        self.X: Floats = np.array([p[:2] for p in points], np.float64).reshape(-1, 2)
        self.y: list[int] = [p[2] for p in points]
        self.classes = max(2, *(c + 1 for c in self.y)) if self.y else 2
        self.panels = check.items("panels", state.get("panels"), MOST_PANELS, learner)
        self.order = check.word("order", state.get("order", "given"), ORDERS)
        self.epochs = check.whole("epochs", state.get("epochs", 1), 1, 1000)
        self.seed = check.whole("seed", state.get("seed", 0), 0, 2**32 - 1)
        steps = len(points) * self.epochs
        if steps > MOST_STEPS:
            raise InvalidInput(
                f"{len(points):,} points in {self.epochs:,} epochs are {steps:,} steps; expected "
                f"at most {MOST_STEPS:,}: take fewer epochs."
            )

    def sequence(self) -> list[int]:
        size = len(self.y)
        if self.order == "given" or not size:
            return list(range(size)) * self.epochs
        random = np.random.default_rng(self.seed)
        return [int(i) for _ in range(self.epochs) for i in random.permutation(size)]


def _point(name: str, value: Any) -> tuple[float, float, int]:
    point = check.items(name, value, 3, lambda n, v: check.number(n, v, -1e6, 1e6))
    if len(point) != 3 or point[2] not in range(MOST_CLASSES):
        raise InvalidInput(
            f"{name} is {check.short(value)}; expected [x1, x2, class], the class from 0 to "
            f"{MOST_CLASSES - 1}."
        )
    return point[0], point[1], int(point[2])


@dataclass(frozen=True)
class ClassStep:
    """One example: the prototypes, w₁, w₂ and b of each class, before and after it."""

    x: Floats
    """With the constant feature, 0 if there is none."""
    y: int
    seen: tuple[int, ...]
    """The classes met before, in their order of appearance."""
    was: dict[int, Floats]
    """Of the classes met so far, with that of the example: what the step starts from."""
    now: dict[int, Floats]
    scores: dict[int, float]
    mistake: bool
    update: bool

    def tau(self, c: int) -> float:
        """How far the prototype of a class has moved along x."""
        along = float((self.now[c] - self.was[c]) @ self.x)
        return along / float(self.x @ self.x) if self.update and c in self.moved else 0.0

    @property
    def moved(self) -> list[int]:
        return [c for c in self.now if not np.array_equal(self.now[c], self.was[c])]


class ClassFollower:
    """A learner, example by example."""

    def __init__(self, entry: Entry, options: dict[str, Any], classes: int) -> None:
        self.model = model(entry, options)
        self.doubles = entry.short == "perceptron"
        self.constant = float(self.model.get_params()["fit_intercept"])
        self.labels = list(range(classes))
        self.seen: list[int] = []

    def prototypes(self) -> dict[int, Floats]:
        if not self.seen:
            return {}
        rows = np.column_stack([self.model.coef_, np.ravel(self.model.intercept_)])
        if len(rows) == 1:  # two classes in all: one w
            rows = np.vstack([-rows / 2.0, rows / 2.0])
        return {c: np.array(rows[c]) for c in sorted(self.seen)}

    def begun(self, y: int) -> dict[int, Floats]:
        """The prototypes at the start of a step: with a new class, and ±w once there are three."""
        found = self.prototypes()
        if y in found:
            return found
        if len(self.seen) < 2:
            found[y] = -found[self.seen[0]] if self.seen else np.zeros(3)
        else:
            double = 2.0 if len(self.seen) == 2 and self.doubles else 1.0
            found = {c: double * w for c, w in found.items()} | {y: np.zeros(3)}
        return dict(sorted(found.items()))

    def skip(self, X: Floats, y: list[int]) -> None:
        """Learn examples of which nothing is told."""
        if y:
            self.model.partial_fit(X, y, classes=self.labels)
            self.seen = list(dict.fromkeys(y))

    def learn(self, point: Floats, y: int) -> ClassStep:
        seen, was = tuple(self.seen), self.begun(y)
        x = np.append(point, self.constant)
        before = self._counts()
        self.model.partial_fit(point[None], [y], classes=self.labels)
        if y not in self.seen:
            self.seen.append(y)
        after = self._counts()
        scores = {c: float(w @ x) for c, w in was.items()}
        return ClassStep(x, y, seen, was, self.prototypes(), scores, after[0] > before[0],
                         after[1] > before[1])  # fmt: skip

    def _counts(self) -> tuple[int, int]:
        return (self.model.mistakes_, self.model.updates_) if self.seen else (0, 0)


def run(given: Any) -> dict[str, Any]:
    """Every panel's run over the same sequence of points."""
    setup = ClassesSetup(given)
    sequence = setup.sequence()
    panels = [_panel(setup, sequence, *chosen) for chosen in setup.panels]
    return {"sequence": sequence, "classes": setup.classes, "panels": panels}


def _panel(
    setup: ClassesSetup, sequence: list[int], entry: Entry, options: dict[str, Any]
) -> dict[str, Any]:
    out: dict[str, Any] = {"name": entry.name, "short": entry.short}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return out | _trace(setup, sequence, entry, options)
    except REFUSED as error:
        return out | {"error": str(error)}


def _trace(
    setup: ClassesSetup, sequence: list[int], entry: Entry, options: dict[str, Any]
) -> dict[str, Any]:
    """Mistakes and updates; at each change the prototypes, what moved by how much, and how many
    points are wrong now."""
    follower = ClassFollower(entry, options, setup.classes)
    out: dict[str, Any] = {"repr": repr(follower.model), "mistake": [], "update": []}
    moves: dict[str, list[Any]] = {"at": [0], "W": [{}], "from": [{}], "tau": [{}],
                                   "wrong": [len(setup.y)]}  # fmt: skip
    progress.stage(f"the run of {entry.name}")
    for t, i in enumerate(sequence, 1):
        progress.at(t, len(sequence))
        step = follower.learn(setup.X[i], setup.y[i])
        out["mistake"].append(int(step.mistake))
        out["update"].append(int(step.update))
        if step.update or setup.y[i] not in step.seen:
            said = follower.model.predict(setup.X)
            moves["at"].append(t)
            moves["W"].append({c: [_short(v) for v in w] for c, w in step.now.items()})
            moves["from"].append({c: [_short(v) for v in step.was[c]] for c in step.moved})
            moves["tau"].append({c: _short(step.tau(c)) for c in step.moved})
            moves["wrong"].append(int(np.sum(said != np.array(setup.y))))
    return out | {"moves": moves}


def _short(value: float) -> float:
    return float(f"{value:.9g}")
