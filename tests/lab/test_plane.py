"""The plane in numbers: what a page is shown is what the library itself learns."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import looped
from thresher import KernelPerceptron, Perceptron
from thresher.errors import InvalidInput
from thresher.lab.plane.as_python import python
from thresher.lab.plane.catalog import entries, listed
from thresher.lab.plane.follow import counts_mistakes
from thresher.lab.plane.points import generate
from thresher.lab.plane.trace import (
    GRID,
    MOST_KERNEL_STEPS,
    MOST_PANELS,
    MOST_POINTS,
    bounds,
    field,
    run,
)
from thresher.lab.plane.words import explain
from thresher.theory import separability

NOISY = generate({"kind": "noisy", "size": 40, "noise": 0.15, "seed": 1})["points"]
APART = generate({"kind": "separable", "size": 40, "gamma": 0.1, "seed": 2})["points"]


def state(points, *panels, **more):
    shown = [{"learner": short, "options": options} for short, options in panels]
    return {"points": points, "panels": shown, **more}


def arrays(points, sequence):
    rows = np.array(points)[sequence]
    return rows[:, :2], rows[:, 2].astype(int)


# Some learners take no negative numbers.
CORNER = [[round((a + 1.5) / 3, 4), round((b + 1.5) / 3, 4), y] for a, b, y in NOISY]
NOT_NEGATIVE = ("naive-bayes", "winnow", "snow")


def last(model):
    """The last hypothesis is what a panel draws; its average is drawn besides."""
    if model.get_params().get("average"):
        model.set_params(average=False)
    return model


SHOWN = {e["short"]: {option["name"] for option in e["options"]} for e in listed()["learners"]}
CASES = [
    (entry.short, {name: value for name, value in options.items() if name in SHOWN[entry.short]})
    for entry in entries().values()
    for options in ({}, *entry.variants)
]


@pytest.mark.parametrize(("short", "options"), CASES)
@looped("order", ["given", "shuffled"])
def test_a_panel_shows_what_the_learner_does(short, options, order):
    points = CORNER if short in NOT_NEGATIVE else NOISY
    shown = run(state(points, (short, options), order=order, epochs=2, seed=3))
    (panel,) = shown["panels"]
    assert "error" not in panel
    X, y = arrays(points, shown["sequence"])
    if options.get("forget") == "random":
        options = {**options, "random_state": 0}
    model = last(entries()[short].cls(**options)).partial_fit(X, y, classes=[-1, 1])
    if counts_mistakes(entries()[short]):
        assert sum(panel["mistake"]) == model.mistakes_
        assert sum(panel["update"]) == model.updates_
    # What is told of a step is of the hypothesis that decides on it.
    margins = np.array(panel["score"]) * y
    wrong = np.array(panel["mistake"], bool)
    if short != "snow":  # it takes in new features first, and then decides
        assert (margins[wrong] <= 1e-6).all()
        assert (margins[~wrong] >= -1e-6).all()
    if panel["curved"]:
        return
    assert panel["moves"]["w"][-1] == pytest.approx(
        [*np.ravel(model.coef_), *np.ravel(model.intercept_)], rel=1e-8, abs=1e-12
    )
    if options.get("step") == "scale-free":
        return  # before a row is predicted, the weights follow its scales
    # The score of each step is that of the hypothesis before it.
    at, w = np.array(panel["moves"]["at"]), np.array(panel["moves"]["w"])
    before = w[np.searchsorted(at, np.arange(len(y)), side="right") - 1]
    assert panel["score"] == pytest.approx((before[:, :2] * X).sum(1) + before[:, 2], abs=2e-6)


@pytest.mark.parametrize(("short", "options"), CASES)
def test_beyond_the_dashed_band_nothing_moves(short, options):
    far = [[5 * a, 5 * b, y] for a, b, y in NOISY]
    (panel,) = run(state(CORNER if short in NOT_NEGATIVE else far, (short, options)))["panels"]
    if not panel.get("aim"):  # it aims at none: the band goes to the nearest point
        return
    margins = np.array(panel["score"]) * [y for _, _, y in NOISY]
    assert not np.array(panel["update"])[margins > panel["aim"] + 1e-6].any()


@pytest.mark.parametrize("short", [e.short for e in entries().values() if e.linear])
def test_the_averaged_line_is_that_of_the_averaging_learner(short):
    cls = entries()[short].cls
    points = CORNER if short in NOT_NEGATIVE else NOISY
    shown = run(state(points, (short, {}), epochs=2))
    (panel,) = shown["panels"]
    if not cls().get_params().get("average"):
        assert panel["means"] is None
        return
    for t in (1, 7, len(shown["sequence"])):
        X, y = arrays(points, shown["sequence"][:t])
        model = cls().partial_fit(X, y, classes=[-1, 1])
        expected = [*np.ravel(model.coef_), *np.ravel(model.intercept_)]
        assert panel["means"][t - 1] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_gamma_and_the_bound_are_exact():
    asked = state(APART, ("perceptron", {"average": False}), epochs=20)
    shown = run(asked)
    X, y = arrays(APART, range(len(APART)))
    found = separability(X, y)
    R = math.sqrt((X**2).sum(1).max() + 1)
    data = shown["panels"][0]["data"]
    assert (data["gamma"], data["R"]) == (found.margin, pytest.approx(R))
    assert data["bound"] == pytest.approx(R**2 / found.margin**2)
    assert sum(shown["panels"][0]["mistake"]) <= data["bound"]
    novikoff = next(b for b in bounds(asked)["panels"][0] if b["theorem"] == "Novikoff")
    assert novikoff["figure"] == sum(shown["panels"][0]["mistake"])
    assert novikoff["value"] == pytest.approx(data["bound"], rel=1e-6)
    # The separator keeps what it promises, and those that decide it lie at the margin.
    w = np.array(data["separator"])
    margins = y * (X @ w[:2] + w[2]) / np.linalg.norm(w)
    assert margins.min() == pytest.approx(found.margin, rel=1e-9)
    assert margins[data["support"]] == pytest.approx(found.margin, rel=1e-6)


def test_points_that_no_line_separates_come_with_a_proof():
    shown = run(state(NOISY, ("perceptron", {})))
    assert shown["panels"][0]["data"]["separable"] is False
    assert "gamma" not in shown["panels"][0]["data"]
    X, y = arrays(NOISY, shown["panels"][0]["data"]["conflict"])
    assert not separability(X, y).separable


def test_what_floats_cannot_tell_is_undecided():
    shown = run(state([[1.0, 1.0, -1], [1.0, 1.0 + 1e-15, 1]], ("perceptron", {})))
    data = shown["panels"][0]["data"]
    assert data["separable"] is None
    assert "perhaps a smaller one" in data["undecided"]


def test_equal_points_with_opposite_labels_are_such_a_proof():
    shown = run(state([[0.3, 0.4, 1], [0.9, 0.1, 1], [0.3, 0.4, -1]], ("pa", {})))
    assert sorted(shown["panels"][0]["data"]["conflict"]) == [0, 2]


@pytest.mark.parametrize("short", list(entries()))
@looped("points", [[], [[0.2, 0.3, 1]], [[0.2, 0.3, -1]] * 3, [[0, 0, 1], [0, 0, -1]]])
@looped("order", ["given", "shuffled", "worst"])
def test_few_points_or_one_class_are_shown_too(short, points, order):
    shown = run(state(points, (short, {}), epochs=3, order=order))
    assert "error" not in shown["panels"][0]
    assert len(shown["panels"][0]["score"]) == 3 * len(points)


def test_all_of_one_class_is_separable():
    assert run(state([[0.2, 0.3, 1], [0.5, 0.1, 1]], ("pa", {})))["panels"][0]["data"]["separable"]


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_every_epoch_has_every_point_once(seed, epochs):
    for order in ("given", "shuffled", "worst"):
        shown = run(state(APART[:9], ("perceptron", {}), order=order, epochs=epochs, seed=seed))
        sequence = np.array(shown["sequence"]).reshape(epochs, 9)
        assert (np.sort(sequence, axis=1) == np.arange(9)).all()


def test_the_worst_order_asks_next_what_the_learner_is_most_wrong_about():
    shown = run(state(APART, ("perceptron", {"average": False}), order="worst"))
    X, y = arrays(APART, range(len(APART)))
    model = Perceptron(average=False)
    model.partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
    left = set(range(len(APART)))
    for i in shown["sequence"]:
        margins = {k: y[k] * model.decision_function(X[[k]])[0] for k in left}
        assert margins[i] == pytest.approx(min(margins.values()))
        left.remove(i)
        model.partial_fit(X[[i]], y[[i]])


def test_an_option_that_is_wrong_is_said_in_its_panel_and_the_others_run():
    for order in ("given", "worst"):
        shown = run(state(APART, ("pa", {"C": -1}), ("pa", {"C": 1}), order=order))
        assert "C" in shown["panels"][0]["error"]
        assert len(shown["panels"][1]["score"]) == len(APART)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"points": [[0, 0, 1]] * (MOST_POINTS + 1)}, "2,001 items"),
        ({"points": [[0, 0, 0]]}, "label 1 or -1"),
        ({"points": [[0, 0]]}, r"expected \[x1, x2, label\]"),
        ({"points": [[2e6, 0, 1]]}, "from -1e"),
        ({"points": None}, "points is None"),
        ({"panels": [{"learner": "perceptron"}] * (MOST_PANELS + 1)}, "at most 8"),
        ({"panels": [{"learner": "forest"}]}, "'forest'; expected one of"),
        ({"panels": [{"learner": "pa", "options": {"D": 1}}]}, "'D'"),
        ({"epochs": 0}, "epochs is 0"),
        ({"epochs": 1000}, "20,000"),
        ({"order": "random"}, "'random'; expected one of"),
        ({"seed": -1}, "seed is -1"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_what_is_wrong_with_a_state_is_said(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        run({**state(APART, ("perceptron", {})), **wrong})


# -- curved boundaries


def test_more_steps_than_a_kernel_can_take_are_refused_in_its_panel_alone():
    points = APART * (MOST_KERNEL_STEPS // 40)
    asked = state(points[:1000], ("perceptron", {}), ("kernel-perceptron", {}), epochs=7)
    linear, curved = run(asked)["panels"]
    assert len(linear["score"]) == 7000
    assert "KernelPerceptron would take 7,000 steps" in curved["error"]
    with pytest.raises(InvalidInput, match="expected at most 6,000: take fewer points or epochs"):
        field({"state": asked, "panel": 1, "t": 7000, "window": [-1, 1, -1, 1]})
    within = {"state": asked, "panel": 1, "t": 40, "window": [-1, 1, -1, 1]}
    assert len(field(within)["scores"]) == GRID**2


def test_the_worst_for_a_kernel_is_looked_for_among_few_points():
    many = state(APART * 25, ("voted-perceptron", {}), order="worst")
    with pytest.raises(InvalidInput, match="look at all points left before each step, 500,500 tim"):
        run(many)
    few = state(APART, ("voted-perceptron", {}), order="worst", epochs=2)
    assert sorted(run(few)["sequence"][:40]) == list(range(40))
    other_first = state(APART * 25, ("perceptron", {}), ("voted-perceptron", {}), order="worst")
    assert len(run(other_first)["sequence"]) == 1000


def test_a_boundary_of_no_panel_is_refused():
    with pytest.raises(InvalidInput, match="the state has no panels"):
        field({"state": state(APART), "panel": 0, "t": 0, "window": [-1, 1, -1, 1]})


def test_a_field_holds_the_scores_of_the_learner_on_a_grid():
    points = generate({"kind": "circles", "size": 40, "seed": 1})["points"]
    asked = state(points, ("kernel-perceptron", {"kernel": "rbf"}), epochs=2)
    found = field({"state": asked, "panel": 0, "t": 50, "window": [-1, 1, -2, 2]})
    X, y = arrays(points, (list(range(40)) * 2)[:50])
    model = KernelPerceptron(kernel="rbf").partial_fit(X, y, classes=[-1, 1])
    xs, ys = np.linspace(-1, 1, GRID), np.linspace(-2, 2, GRID)
    for i, j in ((0, 0), (GRID - 1, 0), (0, GRID - 1), (20, 33)):
        expected = model.decision_function([[xs[i], ys[j]]])[0]
        assert found["scores"][j * GRID + i] == pytest.approx(expected, rel=1e-3)
    assert min(found["scores"]) < 0 < max(found["scores"])


# -- in words, and as Python


def told(points, short, options):
    about = {"state": state(points, (short, options)), "panel": 0}
    return explain({**about, "sequence": list(range(len(points)))})


def test_words_say_what_a_step_did():
    step = told([[0.5, 0.25, 1], [0.5, -0.25, -1]], "perceptron", {"average": False})
    assert step["words"] == (
        "Example 2: x = (0.5, −0.25), y = −1. The score is 1.188: a mistake, so w moves away from "
        "x. On this example the score is now −0.125."
    )
    assert "w + η·y·x = (0.5, 0.25, 1) + 1·(−1)·(0.5, −0.25, 1) = (0, 0.5, 0)" in step["maths"]
    done = subprocess.run([sys.executable, "-c", step["python"]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.strip().splitlines()[-1].strip("[]").split(",")
    assert [float(v) for v in printed] == pytest.approx([0, 0.5, 0])


def test_maths_shows_the_step_of_passive_aggressive():
    step = told([[0.6, 0.0, 1]], "pa", {"variant": "PA"})
    assert f"τ = ℓ/‖x‖² = 1/1.36 = {1 / 1.36:.3f}" in step["maths"]
    assert "The last hypothesis scores 0: no idea" in step["words"]
    assert step["words"].endswith("the score is now 1.")


@pytest.mark.parametrize("order", ["given", "shuffled", "worst"])
def test_python_that_is_copied_gives_the_same_numbers(order):
    asked = state(
        NOISY, ("perceptron", {}), ("pa", {"C": 0.5, "average": False}), ("kernel-perceptron", {}),
        order=order, epochs=2, seed=4,
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", python(asked)["python"]], capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    assert done.returncode == 0, done.stderr
    for panel in run(asked)["panels"]:
        counts = f"{sum(panel['mistake'])} mistakes, {sum(panel['update'])} updates"
        assert f"{panel['name']}: {counts}" in done.stdout


def test_python_of_nothing_runs():
    code = python(state([]))["python"]
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


# -- on fractions

# With η = 0.1 scores that are 0 on paper come out as 3e-17: ties that rounding breaks.
TIES = [[-3, 3, -1], [-3, 2, 1], [2, 3, -1], [1, 0, 1], [-2, 2, 1]]
TENTH = ("perceptron", {"learning_rate": 0.1, "average": False})


def test_on_fractions_ties_and_cycles_are_those_on_paper():
    rounded = run(state(TIES, TENTH, epochs=6))["panels"][0]
    exact = run(state(TIES, TENTH, epochs=6, exact=True))["panels"][0]
    whole = run(state(TIES, ("perceptron", {"average": False}), epochs=6))["panels"][0]
    assert exact["mistake"] == whole["mistake"] != rounded["mistake"]  # η changes nothing on paper
    assert exact["score"] == pytest.approx(np.array(whole["score"]) / 10, abs=1e-6)
    assert exact["moves"]["at"] == whole["moves"]["at"]
    assert np.allclose(exact["moves"]["w"], np.array(whole["moves"]["w"]) / 10)


@pytest.mark.parametrize(("short", "options"), CASES)
def test_on_fractions_a_run_is_that_of_the_engine_or_is_refused(short, options):
    """Where no score is near 0, rounding decides nothing."""
    points = CORNER if short in NOT_NEGATIVE else NOISY
    given = state(points[:12], (short, options))
    engine, exact = run(given)["panels"][0], run({**given, "exact": True})["panels"][0]
    if "error" in exact:
        assert "error" in engine or exact["error"].startswith("exact: ")
        known = short in ("perceptron", "pa", "mira", "arow")
        assert not known or "sqrt" in str(options) or "inf" in str(options)
        return
    assert exact["mistake"] == engine["mistake"] and exact["update"] == engine["update"]
    assert np.allclose(exact["score"], engine["score"], atol=1e-5)
    assert np.allclose(exact["moves"]["w"], engine["moves"]["w"], atol=1e-7)
    assert np.allclose(exact["means"] or 0.0, engine["means"] or 0.0, atol=1e-7)


def test_on_fractions_a_step_is_told_in_fractions():
    given = state(TIES, TENTH, exact=True)
    told = explain({"state": given, "panel": 0, "sequence": [0, 1, 2, 3]})
    assert told["words"] == (
        "Example 4: x = (1, 0), y = +1. The score is exactly 0: no idea, which counts as a "
        "mistake, and the weights become (1/10, −1/10), b = 1/10."
    )
    assert told["maths"].splitlines()[1:] == [
        "x = (x₁, x₂) = (1, 0),   y = 1",
        "w = (0, −1/10),   b = 0",
        "s = 0",
        "w ← (1/10, −1/10),   b ← 1/10",
    ]
    printed = subprocess.run(
        [sys.executable, "-c", told["python"]], check=True, capture_output=True, text=True
    ).stdout
    assert printed == subprocess.run(
        [sys.executable, "-c", python(given | {"points": TIES[:4]})["python"]],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert len(printed.splitlines()) == 4
    assert bounds(given) == {"panels": [[]]}


def test_fractions_have_their_limits():
    many = [[k / 7, 1.0, 1 if k % 2 else -1] for k in range(101)]
    (panel,) = run(state(many, TENTH, epochs=5, exact=True))["panels"]
    assert "exact: 505 steps on fractions" in panel["error"]
    with pytest.raises(InvalidInput, match="exact is 1; expected true or false"):
        run(state(TIES, TENTH, exact=1))
