"""Points in the plane, learners side by side: a whole run in, what the page draws out.

A run is a function of its state: points, panels, order, epochs, seed. The page keeps the state, so
shared links, second tabs and pages that outlive a restart of the server need no memory here.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput, ThresherError
from thresher.lab import check, progress
from thresher.lab.plane.catalog import learner
from thresher.lab.plane.exact import ExactFollower, check_exact_steps
from thresher.lab.plane.follow import Follower, learning_options, that_learns
from thresher.lab.plane.points import generate
from thresher.lab.steps import constant_of
from thresher.lab.texts import most
from thresher.learners.entry import Entry
from thresher.options import one_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FIELDS = ("points", "panels", "order", "epochs", "seed", "exact")
MOST_POINTS = 2000
MOST_PANELS = 8
MOST_STEPS = 20_000  # of one panel
MOST_KERNEL_STEPS = 6000  # of one whose every step uses all that it has learned
MOST_KERNEL_LOOKS = 500_000  # scores of points that might be the worst, by such a learner
ORDERS = ("given", "shuffled", "worst")
# What learners raise for options and points that they cannot take.
REFUSED = (ThresherError, ValueError, TypeError, OverflowError)
REMEDY = {"size": 40, "gamma": 0.08, "noise": 0.1, "seed": 7}  # as the page begins with
GRID = 56  # a curved boundary is drawn from GRID × GRID scores
NOUNS = {"averaged": "average", "voted": "vote", "last": "last"}  # hypotheses of a kernel learner


class PlaneSetup:
    """What a page asks to see, checked."""

    def __init__(self, given: Any) -> None:
        state = check.fields("the state", given, FIELDS)
        points = check.items("points", state.get("points"), MOST_POINTS, _point)
        self.X: Floats = np.array([p[:2] for p in points], np.float64).reshape(-1, 2)
        self.y: Ints = np.array([p[2] for p in points], np.int64)
        self.panels = check.items("panels", state.get("panels"), MOST_PANELS, learner)
        self.order = check.word("order", state.get("order", "given"), ORDERS)
        self.epochs = check.whole("epochs", state.get("epochs", 1), 1, 1000)
        self.seed = check.whole("seed", state.get("seed", 0), 0, 2**32 - 1)
        self.exact = check.flag("exact", state.get("exact", False))
        if len(points) * self.epochs > MOST_STEPS:
            raise InvalidInput(
                f"{len(points):,} points in {self.epochs:,} epochs are "
                f"{len(points) * self.epochs:,} steps; expected at most {MOST_STEPS:,}: take fewer "
                "epochs."
            )
        if self.order == "worst" and self.panels and self.panels[0][0].kernel:
            looks = len(points) * (len(points) + 1) // 2 * self.epochs
            if looks > MOST_KERNEL_LOOKS:
                raise InvalidInput(
                    f"order is 'worst': {self.panels[0][0].name} would look at all points left "
                    f"before each step, {looks:,} times in {len(points):,} points and "
                    f"{self.epochs:,} epochs; expected at most {MOST_KERNEL_LOOKS:,}: take fewer "
                    "points or epochs, another order, or a first learner without a kernel."
                )


def _point(name: str, value: Any) -> tuple[float, float, int]:
    point = check.items(name, value, 3, lambda n, v: check.number(n, v, -1e6, 1e6))
    if len(point) != 3 or point[2] not in (-1.0, 1.0):
        raise InvalidInput(
            f"{name} is {check.short(value)}; expected [x1, x2, label], the label 1 or -1."
        )
    return point[0], point[1], int(point[2])


def run(given: Any) -> dict[str, Any]:
    """Every panel's run over the same sequence of points, and what theory says about it."""
    setup = PlaneSetup(given)
    sequence = sequence_of(setup)
    known = functools.cache(functools.partial(facts, setup))
    panels = [panel(setup, sequence, *chosen, known) for chosen in setup.panels]
    return {"sequence": sequence.tolist(), "panels": panels}


# -- the order


def sequence_of(setup: PlaneSetup) -> Ints:
    size = len(setup.X)
    if not size:
        return np.zeros(0, np.int64)
    if setup.order == "given":
        return np.tile(np.arange(size), setup.epochs)
    if setup.order == "shuffled":
        random = np.random.default_rng(setup.seed)
        return np.concatenate([random.permutation(size) for _ in range(setup.epochs)])
    return _worst(setup)


def _worst(setup: PlaneSetup) -> Ints:
    """In each epoch, next is always the point that the first learner is most wrong about."""
    given = np.tile(np.arange(len(setup.X)), setup.epochs)
    if not setup.panels:
        return given
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            entry, options = setup.panels[0]
            return _worst_for(Follower(entry, entry.cls(**options)), setup)
    except REFUSED:  # its panel says why
        return given


def _worst_for(follower: Follower, setup: PlaneSetup) -> Ints:
    out: list[int] = []
    total = len(setup.X) * setup.epochs
    progress.stage("the order, worst first")
    for _ in range(setup.epochs):
        left = np.arange(len(setup.X))
        while len(left):
            worst = np.argmin(setup.y[left] * follower.scores(setup.X[left]))
            chosen, left = int(left[worst]), np.delete(left, worst)
            out.append(chosen)
            follower.learn(setup.X[chosen], int(setup.y[chosen]))
            progress.at(len(out), total)
    return np.array(out, np.int64)


# -- one panel


def panel(
    setup: PlaneSetup,
    sequence: Ints,
    entry: Entry,
    options: dict[str, Any],
    known: Callable[[float], dict[str, Any]],
) -> dict[str, Any]:
    """The run of one learner; `known` has what theory says of points with a constant feature."""
    out: dict[str, Any] = {"name": entry.name, "short": entry.short, "curved": entry.kernel}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = known(constant_feature(entry, options))
            return out | {"data": data} | _trace(setup, sequence, entry, options)
    except REFUSED as error:
        return out | {"data": known(1.0), "error": str(error)} | _remedy(setup, entry, options)


def _remedy(setup: PlaneSetup, entry: Entry, options: dict[str, Any]) -> dict[str, str]:
    """The kind of set that a learner can take and learn, if negative features are in its way."""
    if not (setup.X < 0).any():
        return {}
    for kind in ("positive", "shares"):
        rows = np.array(generate({"kind": kind, **REMEDY})["points"])
        X, y = rows[:, :2], rows[:, 2].astype(np.int64)
        try:
            model = entry.cls(**options)
            for _ in range(5):
                model.partial_fit(X, y, classes=[-1, 1])
            if np.mean(model.predict(X) == y) >= 0.8:
                return {"remedy": kind}
        except REFUSED:
            return {}
    return {}


def _trace(
    setup: PlaneSetup, sequence: Ints, entry: Entry, options: dict[str, Any]
) -> dict[str, Any]:
    """Score, mistake and update of each step; the hypothesis whenever it changes."""
    check_steps(entry, len(sequence))
    asked = entry.cls(**options)
    # The scores are those of the hypothesis that decides on mistakes and updates: the last.
    learning, averaged = that_learns(entry, options)
    if entry.kernel:
        learning = entry.cls(**{**options, "prediction": "last"})
    follower: Follower | ExactFollower
    mean: Follower | ExactFollower | None
    if setup.exact:
        check_exact_steps(len(sequence))
        follower = ExactFollower(entry, learning_options(entry, options))
        mean = ExactFollower(entry, options) if averaged else None
    else:
        follower = Follower(entry, learning)
        mean = Follower(entry, asked) if averaged else None
    out: dict[str, Any] = {"repr": repr(asked), "score": [], "mistake": [], "update": []}
    if entry.kernel:
        out["drawn"] = f"shown: the {NOUNS[one_of('prediction', asked.prediction, tuple(NOUNS))]}"
    moves: dict[str, list[Any]] = {"at": [], "w": []}  # steps; w1, w2, b after them
    if entry.linear:
        moves = {"at": [0], "w": [follower.weights()]}
    means: list[Any] = []
    progress.stage(f"the run of {entry.name}")
    for t, i in enumerate(sequence.tolist(), 1):
        progress.at(t, len(sequence))
        x, y = setup.X[i], int(setup.y[i])
        mistakes, updates = follower.counts
        out["score"].append(round(float(follower.score(x)), 6))
        follower.learn(x, y)
        after = follower.counts
        out["mistake"].append(after[0] - mistakes)
        out["update"].append(after[1] - updates)
        if mean is not None:
            mean.learn(x, y)
            means.append(mean.weights())
        # Snow links a feature when it first occurs, which changes weights but is no update.
        if entry.linear and (after[1] > updates or entry.family == "snow"):
            moves["at"].append(t)
            moves["w"].append(follower.weights())
    if entry.linear:
        rope = asked.get_params().get("variant") == "PA-I"  # its step is at most C
        out |= {"moves": moves, "means": means or None, "aim": aim(entry, options), "rope": rope}
    return out


def check_steps(entry: Entry, steps: int) -> None:
    if entry.kernel and steps > MOST_KERNEL_STEPS:
        raise InvalidInput(
            f"{entry.name} would take {steps:,} steps, each of which looks at all examples that it "
            f"keeps; expected at most {MOST_KERNEL_STEPS:,}: take fewer points or epochs."
        )


def aim(entry: Entry, options: dict[str, Any]) -> float:
    """The score that a learner wants each example to have at least; 0 if it wants only a sign."""
    if entry.name in ("PassiveAggressive", "AROW"):
        return 1.0
    if entry.family in ("perceptron", "passive-aggressive", "winnow"):
        return float(entry.cls(**options).get_params().get("margin", 0.0))
    return 0.0


# -- what theory says


def constant_feature(entry: Entry, options: dict[str, Any]) -> float:
    """x₀ of a panel's learner; 1, a line with a bias, for those that have no such option."""
    asked = entry.cls(**options).get_params()
    return constant_of(asked) if "fit_intercept" in asked and not entry.kernel else 1.0


def facts(setup: PlaneSetup, constant: float) -> dict[str, Any]:
    """R, and the exact margin of the points or the proof that there is none, with the constant
    feature x₀ part of each point. Everything shown about R, γ and R²/γ² comes from here."""
    from thresher.theory import Separable, separability
    from thresher.theory.bounds import novikoff

    if not len(setup.X):
        return {"points": 0, "constant": constant}
    rows = np.column_stack([setup.X, np.full(len(setup.X), constant)]) if constant else setup.X
    R = float(np.hypot(np.hypot(setup.X[:, 0], setup.X[:, 1]), constant).max())
    progress.stage(f"the largest margin of {len(setup.X):,} points")
    found = separability(rows, setup.y, fit_intercept=False)
    out: dict[str, Any] = {
        "points": len(setup.X),
        "positive": int((setup.y > 0).sum()),
        "constant": constant,
        "R": R,
        "separable": found.separable,
    }
    if isinstance(found, Separable):
        bound = novikoff(R, found.margin).value
        w1, w2, *w0 = found.weights.tolist()
        return out | {
            "gamma": found.margin,
            "separator": [w1, w2, constant * sum(w0)],
            "bound": bound,
            "most": most(bound),
            "support": list(found.support),
        }
    doubt = {} if found.certificate.exact else {"undecided": found.doubt()}
    return out | doubt | {"conflict": list(found.certificate.rows)}


def bounds(given: Any) -> dict[str, Any]:
    """For each panel every theorem about its learner; separate, so that a run is drawn first."""
    setup = PlaneSetup(given)
    if setup.exact:  # the audit is of the engine's run
        return {"panels": [[] for _ in setup.panels]}
    sequence = sequence_of(setup)
    return {"panels": [_bounds(*chosen, setup, sequence) for chosen in setup.panels]}


def _bounds(
    entry: Entry, options: dict[str, Any], setup: PlaneSetup, sequence: Ints
) -> list[dict[str, Any]]:
    """By the audit of the library."""
    if entry.kernel or not len(sequence) or len(np.unique(setup.y)) < 2:
        return []
    X, y = setup.X[sequence], setup.y[sequence]
    progress.stage(f"the theorems about {entry.name}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            audit = entry.cls(**options).partial_fit(X, y, classes=[-1, 1]).audit(X, y)
    except (ThresherError, ValueError, TypeError):
        return []  # the panel says what is wrong
    return [_row(row, setup, entry, options) for row in audit.rows if not row.about]


def _row(row: Any, setup: PlaneSetup, entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    value = row.value if row.applies and np.isfinite(row.value) else None
    if value is not None and row.theorem == "Novikoff" and row.compared == "mistakes":
        value = facts(setup, constant_feature(entry, options)).get("bound", value)
    return {
        "theorem": row.theorem,
        "statement": row.statement,
        "value": value,
        "most": None if value is None else most(value),
        "reason": row.reason,
        "compared": row.compared,
        "comparator": row.comparator,
        "figure": row.figure,
    }


# -- a curved boundary


def field(given: Any) -> dict[str, Any]:
    """Scores of one panel after t steps, on a grid over a window; they change sign at its
    boundary."""
    asked = check.fields("the request", given, ("state", "panel", "t", "window"))
    setup = PlaneSetup(asked.get("state"))
    sequence = sequence_of(setup)
    if not setup.panels:
        raise InvalidInput("the state has no panels; expected the one whose boundary is asked for.")
    index = check.whole("panel", asked.get("panel"), 0, len(setup.panels) - 1)
    t = check.whole("t", asked.get("t"), 0, len(sequence))
    window = check.items("window", asked.get("window"), 4, check.number)
    if len(window) != 4 or not (window[0] < window[1] and window[2] < window[3]):
        raise InvalidInput("window: expected [left, right, bottom, top].")
    entry, options = setup.panels[index]
    check_steps(entry, t)
    model, done = entry.cls(**options), sequence[:t]
    progress.stage(f"the boundary of {entry.name} after {t:,} steps")
    if t:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(setup.X[done], setup.y[done], classes=[-1, 1])
    xs = np.linspace(window[0], window[1], GRID)
    ys = np.linspace(window[2], window[3], GRID)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    values = model.decision_function(grid) if t else np.zeros(len(grid))
    return {"size": GRID, "t": t, "scores": [float(f"{v:.4g}") for v in values]}
