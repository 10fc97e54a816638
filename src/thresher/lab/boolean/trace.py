"""Boolean concepts: the same examples for Winnow, Elimination, Halving and others, side by side.

A run is a function of its state: the target, how examples are drawn, the learners. What the page
draws (predictions, weights, what is left of a version space, bounds) is the library's own.
"""

from __future__ import annotations

import copy
import math
import warnings
from typing import Any

import numpy as np

from thresher.errors import InvalidInput, NotRealizable, ThresherError
from thresher.lab import check, progress
from thresher.lab.boolean import formula
from thresher.lab.boolean.formula import Bits
from thresher.lab.boolean.learners import (
    LearnerKind,
    PanelOptions,
    chosen_panel,
    literal_columns,
    literal_count,
)
from thresher.lab.texts import figure, most, told_apart
from thresher.lab.weight_changes import Floats, WeightChanges, rounded

FIELDS = ("target", "n", "examples", "draw", "density", "seed", "panels")
MOST_VARIABLES = 1000
MOST_EXAMPLES = 5000
MOST_CELLS = 200_000  # n times examples
MOST_PANELS = 8
LISTED = 6  # concepts left that are named one by one
DRAWS = ("uniform", "half")
LABELS = [False, True]


class BooleanSetup:
    """What a page asks to see, checked."""

    def __init__(self, given: Any) -> None:
        state = check.fields("the state", given, FIELDS)
        self.n = check.whole("n", state.get("n"), 1, MOST_VARIABLES)
        text = check.word("target", state.get("target"), most=formula.MOST_LETTERS)
        self.target = formula.read(text, self.n)
        self.count = check.whole("examples", state.get("examples"), 1, MOST_EXAMPLES)
        if self.n * self.count > MOST_CELLS:
            raise InvalidInput(
                f"{self.count:,} examples of {self.n} bits are {self.n * self.count:,} bits; "
                f"expected at most {MOST_CELLS:,}: take {MOST_CELLS // self.n:,} examples."
            )
        self.kind = check.word("draw", state.get("draw", "uniform"), DRAWS)
        self.density = check.number("density", state.get("density", 0.5), 0.0, 1.0)
        self.seed = check.whole("seed", state.get("seed", 0), 0, 2**32 - 1)
        self.panels = check.items("panels", state.get("panels"), MOST_PANELS, chosen_panel)
        self.X: Bits = formula.draw(self.target, self.count, self.kind, self.density, self.seed)
        self.y: Bits = self.target.values(self.X)

    def until(self, t: int) -> BooleanSetup:
        """The same with no more than the first t examples."""
        part = copy.copy(self)
        part.count, part.X, part.y = t, self.X[:t], self.y[:t]
        return part


# -- a run


def run(given: Any) -> dict[str, Any]:
    """Every panel's run over the same examples."""
    setup = BooleanSetup(given)
    concept = setup.target.concept()
    return {
        "text": str(concept) if concept is not None else setup.target.text(),
        "literals": formula.literals_of(setup.target),
        "columns": literal_count(setup.target),
        "examples": [np.flatnonzero(row).tolist() for row in setup.X],
        "labels": setup.y.astype(int).tolist(),
        "panels": [panel(setup, *chosen) for chosen in setup.panels],
    }


def panel(setup: BooleanSetup, kind: LearnerKind, options: PanelOptions) -> dict[str, Any]:
    out: dict[str, Any] = {"title": kind.title, "bars": kind.bars}
    progress.stage(f"the run of {kind.title}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = kind.make(setup.target, options)
            out["repr"] = repr(model)
            trace = {"literals": _eliminate, "space": _halve}.get(kind.bars, _weigh)
            out |= trace(setup, model)
    except (ThresherError, ValueError, TypeError, OverflowError) as error:
        out["error"] = str(error)
    return out


def _weigh(setup: BooleanSetup, model: Any) -> dict[str, Any]:
    """A linear learner: w·x and θ at each step, and the weights whenever they change."""
    X = literal_columns(setup.target, setup.X)
    model.partial_fit(X[:1], setup.y[:1], classes=LABELS, sample_weight=[0.0])  # not learned
    theta = theta_of(model)
    constant = bool(getattr(model, "fit_intercept", False))

    def weights() -> Floats:
        w = np.ravel(model.coef_)
        if not constant:
            return np.array(w)
        return np.append(w, np.ravel(model.intercept_) + theta)

    moves = WeightChanges(weights())
    scores: list[float] = []
    sums: list[str] = []
    said, mistakes, updates = [], [], []
    for t in range(setup.count):
        progress.at(t, setup.count)
        x, y = X[t : t + 1], setup.y[t : t + 1]
        before = model.mistakes_, model.updates_
        score = float(model.decision_function(x)[0])
        scores.append(rounded(score + theta))
        said.append(int(score >= 0.0))
        sign = "≥" if said[-1] else "<"
        sums.append(f"w·x = {told_apart(scores[-1], theta)} {sign} {figure(theta)}")
        model.partial_fit(x, y, classes=LABELS)
        mistakes.append(int(model.mistakes_ > before[0]))
        updates.append(int(model.updates_ > before[1]))
        if updates[-1]:
            moves.add(t + 1, weights())
    return {
        "score": scores, "sum": sums, "theta": theta, "said": said,
        "mistake": mistakes, "update": updates, "moves": moves.out, "constant": constant,
    }  # fmt: skip


def theta_of(model: Any) -> float:
    """θ of a learner that has one."""
    return float(model.get_params().get("theta") or 0.0)


class Told:
    """A learner of concepts that gets one example at a time."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.counts = (0, 0)

    def tell(self, x: Bits, y: bool, said: bool) -> tuple[bool, bool, str]:
        """Whether it was a mistake, whether anything changed, and what contradicts it."""
        try:
            self.model.learn_one(x, y)
        except NotRealizable as error:
            return said != y, False, error.why
        before, self.counts = self.counts, (self.model.mistakes_, self.model.updates_)
        return self.counts[0] > before[0], self.counts[1] > before[1], ""


def _eliminate(setup: BooleanSetup, model: Any) -> dict[str, Any]:
    """Literals left as weights of 1, deleted ones as 0; the hypothesis is true when enough of
    them are."""
    n, size = setup.n, literal_count(setup.target)
    conjunction = model.concept == "conjunction"
    both = literal_columns(setup.target, setup.X)
    w = np.ones(size)
    moves = WeightChanges(w)
    out: dict[str, Any] = {"score": [], "said": [], "mistake": [], "update": [], "left": [size],
                           "note": "", "concept": model.concept}  # fmt: skip
    thetas, told = [], Told(model)
    for t in range(setup.count):
        progress.at(t, setup.count)
        score, theta = float(both[t] @ w), float(w.sum()) if conjunction else 1.0
        said = score >= theta
        mistake, update, problem = told.tell(setup.X[t], bool(setup.y[t]), said)
        if problem and not out["note"]:
            out["note"] = f"Example {t + 1} contradicts it: {problem}."
        if update:
            w = np.zeros(size)
            w[[v - 1 if v > 0 else n - v - 1 for v in model.literals_]] = 1.0
            moves.add(t + 1, w)
        thetas.append(theta)
        for name, value in (("score", score), ("said", int(said)), ("mistake", int(mistake)),
                            ("update", int(update)), ("left", int(w.sum()))):  # fmt: skip
            out[name].append(value)
    left = out["left"]
    sums = [f"{s:.0f} of {size} true" for s, size in zip(out["score"], left, strict=False)]
    return out | {
        "sum": sums, "kept": [f"{size} literals" for size in left], "moves": moves.out,
        "theta": thetas if conjunction else 1.0, "constant": False,
    }  # fmt: skip


def _halve(setup: BooleanSetup, model: Any) -> dict[str, Any]:
    """How many concepts say 1 and 0 at each step, and how many are left; the last few by name."""
    space = model.concepts.version_space()
    out: dict[str, Any] = {
        "class": f"{model.concepts.size:,} {model.concepts.title} of x1 … x{setup.n}",
        "size": [space.size], "votes": [], "voted": [], "said": [], "mistake": [], "update": [],
    }  # fmt: skip
    told = Told(model)
    names: list[Any] = []  # (steps, names)
    for t in range(setup.count):
        progress.at(t, setup.count)
        zero, one = space.votes(setup.X[t])
        mistake, update, _ = told.tell(setup.X[t], bool(setup.y[t]), one > zero)
        space.keep(setup.X[t], bool(setup.y[t]))
        out["votes"].append([zero, one])
        out["voted"].append([f"{zero:,} say 0", f"{one:,} say 1"])
        for name, value in (("said", one > zero), ("mistake", mistake), ("update", update)):
            out[name].append(int(value))
        out["size"].append(space.size)
        if update and space.size <= LISTED:
            names.append([t + 1, [str(c) for c in space]])
    return out | {"names": names, "kept": [f"{size:,}" for size in out["size"]]}


# -- what theory says


def bounds(given: Any) -> dict[str, Any]:
    """For every panel the theorem about it, from the audit of the library; or why there is none."""
    setup = BooleanSetup(given)
    return {"bounds": [_bound(setup, *chosen) for chosen in setup.panels]}


# What theorems bound, in the order of a lecture.
PREFERRED = ("Winnow, disjunctions", "Winnow-R", "Winnow", "Novikoff", "Halving", "ELIM")


def _bound(setup: BooleanSetup, kind: LearnerKind, options: PanelOptions) -> dict[str, Any]:
    progress.stage(f"the theorem about {kind.title}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = kind.make(setup.target, options)
            linear = kind.bars in ("log", "signed")
            X = literal_columns(setup.target, setup.X) if linear else setup.X
            if linear:
                model.partial_fit(X, setup.y, classes=LABELS)
            else:
                try:
                    model.partial_fit(X, setup.y, classes=LABELS)
                except NotRealizable as error:
                    if error.where.row == 0:
                        raise
            rows = [row for row in model.audit(X, setup.y).rows if not row.about]
    except (ThresherError, ValueError, TypeError, OverflowError) as error:
        return {"value": None, "why": str(error)}
    found = [row for row in rows if row.applies and row.compared in ("mistakes", "updates")
             and math.isfinite(row.value)]  # fmt: skip
    rank = {name: i for i, name in enumerate(PREFERRED)}
    found.sort(key=lambda row: rank.get(row.theorem, len(rank)))
    if found:
        row = found[0]
        return {
            "value": row.value, "most": most(row.value), "theorem": row.theorem,
            "statement": row.statement, "comparator": row.comparator, "compared": row.compared,
            "holds": row.holds,
        }  # fmt: skip
    rows.sort(key=lambda row: not row.theorem.startswith(kind.title))  # its own theorem first
    why = next((row.reason for row in rows if row.reason), "no theorem is offered for it")
    return {"value": None, "why": why}


def target(given: Any) -> dict[str, str]:
    """A random target, as text."""
    asked = check.fields("the request", given, ("n", "k", "form", "m", "negated", "seed"))
    n = check.whole("n", asked.get("n"), 1, MOST_VARIABLES)
    return {
        "target": formula.chosen(
            n,
            check.whole("k", asked.get("k", 3), 1, 100),
            check.word("form", asked.get("form", "or"), ("or", "and", "of", "xor")),
            check.whole("m", asked.get("m", 1), 1, 100),
            check.flag("negated", asked.get("negated", False)),
            check.whole("seed", asked.get("seed", 0), 0, 2**32 - 1),
        )
    }
