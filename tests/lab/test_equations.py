"""What the lab prints of a step is true: equations are evaluated and compared with the weights."""

import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from printed_equations import check, printed, value_of
from thresher.errors import InvalidInput
from thresher.lab.boolean.learners import KINDS
from thresher.lab.boolean.trace import LABELS, BooleanSetup
from thresher.lab.boolean.words import explain as explain_bits
from thresher.lab.lessons.screens import screen
from thresher.lab.plane.catalog import entries, listed
from thresher.lab.plane.points import generate
from thresher.lab.plane.trace import bounds, field, run
from thresher.lab.plane.words import explain
from thresher.lab.steps import constant_of
from thresher.lab.texts import figure

# Some values of every option that a panel has. One that is missing here is not tested: see below.
VALUES = {
    "fit_intercept": [True, False],
    "intercept_scaling": [1.0, 2.0, 0.25, 10.0],
    "average": [True, False],
    "margin": [0.0, 0.5, 1.5],
    "learning_rate": [1.0, 0.25, "1/t", "1/sqrt(t)"],
    "step": ["fixed", "aggressive"],
    "keep": [1, 2, 1000],
    "l1": [0.0, 0.2],
    "l2": [0.0, 0.01, 0.5],
    "C": [1.0, 0.05, 3.0],
    "variant": ["PA", "PA-I", "PA-II"],
    "constraints": ["all", "one"],
    "r": [1.0, 0.1, 10.0],
    "eta": [0.9, 0.6],
    "beta": [1.0, 0.3],
    "alpha": [1.1, 2.0, 1.5],
    "fit_prior": [True, False],
    "shrinkage": [0.0, 0.3, 1.0],
    "theta": [None, 0.5, 2.0],
    "demotion": ["divide", "eliminate"],
    "floor": [None, 0.5, 2.0],
    "negations": [False, True],
    "clip": [False, True],
    "kernel": ["linear", "polynomial", "rbf", "sigmoid"],
    "gamma": [None, 0.5],
    "coef0": [None, 0.5],
    "degree": [None, 2],
    "prediction": ["averaged", "last", "voted"],
    "budget": [None, 2, 3],
    "forget": ["oldest", "smallest", "random"],
    "rule": ["winnow", "perceptron", "naive-bayes", "passive-aggressive"],
    "initial_weight": [1.0, 0.5],
    "smoothing": [0.01, 0.5],
    "eligibility": [1, 2],
    "prune": [0.0, 0.5],
    "max_links": [None, 2],
    "max_columns": [10_000, 5],
    "scaled": [True, False],
    "count_from": [1, 0],
    "p": ["auto", 2.0, 5.0],
    "b": [1.0, 0.1, 30.0],
    "seed": [0, 3],
    "lambda_": [4.0, 1.0, 30.0],
}
OF_ONE = {
    ("logistic", "step"): ["adagrad", "constant", "1/sqrt(t)", "1/t", "scale-free"],
    ("logistic", "learning_rate"): [0.5, 2.0],
    ("snow", "learning_rate"): [1.0, 0.25],
    ("snow", "beta"): [None, 0.8],
    ("balanced-winnow", "theta"): [0.0, 0.5],
    ("mira", "margin"): [1.0, 0.5, 2.0],
}
SHOWN = {e["short"]: [option["name"] for option in e["options"]] for e in listed()["learners"]}
NOT_NEGATIVE = ("naive-bayes", "winnow", "snow")


def test_every_option_of_a_panel_has_values():
    for short, names in SHOWN.items():
        for name in names:
            assert name in VALUES or (short, name) in OF_ONE, (short, name)


def options_of(short):
    return st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(OF_ONE.get((short, name), VALUES.get(name, [None])))
                      for name in SHOWN[short]},
    )  # fmt: skip


def points_of(short):
    numbers = st.integers(0, 100) if short in NOT_NEGATIVE else st.integers(-200, 200)
    value = numbers.map(lambda n: n / 100)
    point = st.tuples(value, value, st.sampled_from([1, -1])).map(list)
    return st.lists(point, min_size=1, max_size=8)


def told(short, options, points, order=None):
    state = {"points": points, "panels": [{"learner": short, "options": options}]}
    sequence = list(range(len(points))) if order is None else order
    return explain({"state": state, "panel": 0, "sequence": sequence})


def weights_of(model, options):
    """Those of the features, and of the constant feature, if there is one."""
    x0, theta = constant_of(options), options.get("theta") or 0.0
    return [*np.ravel(model.coef_), *((np.ravel(model.intercept_) + theta) / x0 if x0 else [])]


def near(value, expected):
    """Whether a number, or each of several, is printed so."""
    if len(np.atleast_1d(expected)) == 1 and not isinstance(value, list):
        expected = np.atleast_1d(expected)[0]
    if isinstance(value, list):
        return all(near(*pair) for pair in zip(value, expected, strict=True))
    return value.meets(printed_as(expected), "=")


def printed_as(number):
    text = figure(abs(float(number)))
    found = value_of(f"−{text}") if number < 0 else value_of(text)
    return found


def compare(short, options, points, last):
    """What a text gives for weights is what the library itself learns."""
    entry = entries()[short]
    if entry.kernel:
        return
    model = entry.cls(**{**options, **({"average": False} if "average" in SHOWN[short] else {})})
    X, y = np.array(points)[:, :2], np.array(points)[:, 2].astype(int)
    for row, label in zip(X, y, strict=True):  # one by one
        model.partial_fit([row], [label], classes=[-1, 1])
    params = model.get_params()
    w = weights_of(model, params)
    x = np.clip(X[-1], 0, 1) if params.get("clip") else X[-1]
    active = np.flatnonzero(np.append(x, constant_of(params)))
    if short == "winnow" and params["negations"]:
        return  # told by the weights of literals, of which these are differences
    descends = short == "logistic" and model._settled()["geometry"] == "additive"
    if short in ("winnow", "logistic") and not descends:
        w = [w[i] for i in active if i < len(w)]
    if short == "truncated":
        if "w₀" in last:
            assert near(last["w₀"], w[-1])
        w = w[:2]
    if short in ("naive-bayes", "lda") and "w" in last:
        assert near(last["b"], model.intercept_[0])
    if short != "snow" and "w" in last:
        assert near(last["w"], w), (last["w"], w)


def test_the_perceptron_of_the_notes():
    points = [[1, 0, -1], [0.8, 0.6, 1]]
    maths = told("perceptron", {"average": False, "fit_intercept": False}, points[:1])["maths"]
    assert "w ← w + η·y·x = (0, 0) + 1·(−1)·(1, 0) = (−1, 0)" in maths
    maths = told("perceptron", {"average": False, "fit_intercept": False}, points)["maths"]
    assert "s = w·x = (−1, 0)·(0.8, 0.6) = −0.8" in maths
    assert "= (−1, 0) + 1·1·(0.8, 0.6) = (−0.2, 0.6)" in maths


@pytest.mark.parametrize("short", list(entries()))
@given(data=st.data())
def test_every_equation_is_true(short, data):
    options, points = data.draw(options_of(short)), data.draw(points_of(short))
    try:
        text = told(short, options, points)["maths"]
    except InvalidInput:
        assume(False)  # options that contradict each other
    compare(short, options, points, check(text))


CASES = [
    (entry.short, {name: value for name, value in options.items() if name in SHOWN[entry.short]})
    for entry in entries().values()
    for options in ({}, *entry.variants)
]
NOISY = generate({"kind": "noisy", "size": 14, "noise": 0.15, "seed": 1})["points"]
CORNER = [[round((a + 1.5) / 3, 4), round((b + 1.5) / 3, 4), y] for a, b, y in NOISY]


@pytest.mark.parametrize(("short", "options"), CASES)
def test_each_step_of_a_run_is_told_truly(short, options):
    points = CORNER if short in NOT_NEGATIVE else NOISY
    state = {"points": points, "panels": [{"learner": short, "options": options}]}
    (panel,) = run(state)["panels"]
    moved = 0
    for t in range(1, len(points) + 1):
        text = told(short, options, points[:t])
        last = check(text["maths"])
        compare(short, options, points[:t], last)
        assert ("mistake" in text["words"]) == bool(panel["mistake"][t - 1])
        stays = "stays as it is" in text["words"]
        assert stays != bool(panel["update"][t - 1])
        moved += any(name in last for name in ("w", "w₊", "w₋", "w⁺", "s"))
        if "print(w)" in text["python"]:
            found = {}
            exec(text["python"].replace("print(w)", ""), found)
            w = learned_weights(short, options, points[:t])
            assert found["w"] == pytest.approx(w, rel=1e-9, abs=1e-12)
    assert moved


def learned_weights(short, options, points):
    cls = entries()[short].cls
    options = {**options, **({"average": False} if "average" in SHOWN[short] else {})}
    rows = np.array(points)
    model = cls(**options).partial_fit(rows[:, :2], rows[:, 2].astype(int), classes=[-1, 1])
    return weights_of(model, model.get_params())


def test_a_false_equation_is_found():
    check("s = w·x = (1, 2)·(3, 0.5) = 4")
    for wrong in (
        "w ← w − η·x = (0, 0, 0) − 0.5·(1, 0, 1) = (−1, 0, 0)",
        "τ = ℓ/‖x‖² = 1.42/1.312 = 1",
        "y·s = 1·0.42 = 0.42 ≤ γ = 0",
        "w ← w∘α^x = (0, 0)∘2^(1, 1) = (1.5, 1.5)",
    ):
        with pytest.raises(AssertionError, match="is false"):
            check(wrong)
    assert printed("0").low == printed("0").high == 0.0


# -- the hypothesis that is drawn


@pytest.mark.parametrize("short", [e.short for e in entries().values() if e.kernel])
@pytest.mark.parametrize("prediction", ["averaged", "last", "voted"])
@pytest.mark.parametrize("more", [{}, {"budget": 4}, {"kernel": "polynomial", "degree": 2}])
def test_the_picture_and_the_words_are_of_one_hypothesis(short, prediction, more):
    options = {"prediction": prediction, **more}
    if not options.keys() <= set(SHOWN[short]):
        return
    points = generate({"kind": "noisy", "size": 40, "noise": 0.2, "seed": 3})["points"]
    state = {"points": points, "panels": [{"learner": short, "options": options}]}
    (panel,) = run(state)["panels"]
    noun = {"averaged": "average", "voted": "vote", "last": "last"}[prediction]
    assert panel["drawn"] == f"shown: the {noun}"
    for t in range(1, len(points) + 1):
        words = told(short, options, points[:t])["words"]
        x1, x2, _ = points[t - 1]
        window = [x1, x1 + 1, x2, x2 + 1]  # the first number of the grid is that of the point
        drawn = field({"state": state, "panel": 0, "t": t, "window": window})["scores"][0]
        if prediction == "last":
            assert words.endswith("The picture shows this hypothesis.")
            number = words.split("score is now " if "now" in words else "scores ")[-1].split(" ")[0]
        else:
            assert f"The picture shows the {prediction} hypothesis: its score here is now " in words
            number = words.split(" ")[-1]
        assert near(value_of(number.rstrip(".:,")), drawn), (words, drawn)


# -- R, γ and what follows from them

CONSTANTS = [{}, {"fit_intercept": False}, {"intercept_scaling": 2.0}, {"intercept_scaling": 0.1}]
THROUGH_0 = [[1, 0.5, 1], [0.75, 1, 1], [-0.5, -1, -1], [-1, -0.25, -1], [0.5, 0.5, 1]]


@pytest.mark.parametrize("options", CONSTANTS)
def test_a_screen_has_one_bound(options):
    chosen = [{"learner": "perceptron", "options": {"average": False, **options}},
              {"learner": "perceptron", "options": {"average": False}}]  # fmt: skip
    state = {"points": THROUGH_0, "panels": chosen, "epochs": 3}
    for panel, rows in zip(run(state)["panels"], bounds(state)["panels"], strict=True):
        (novikoff,) = (row for row in rows if row["theorem"] == "Novikoff")
        data = panel["data"]
        assert (novikoff["value"], novikoff["most"]) == (data["bound"], data["most"])
        assert data["bound"] == pytest.approx((data["R"] / data["gamma"]) ** 2)
        assert sum(panel["mistake"]) <= data["most"]
    data = run(state)["panels"][0]["data"]
    x0 = constant_of({"fit_intercept": True, **options})
    Z = np.array([[a * y, b * y, x0 * y] for a, b, y in THROUGH_0])
    assert data["R"] == pytest.approx(np.sqrt((Z**2).sum(1).max()))
    w = np.array(data["separator"]) / [1, 1, x0 or 1]
    assert np.linalg.norm(w) == pytest.approx(1)
    assert (Z @ w).min() == pytest.approx(data["gamma"])
    turn = np.linspace(0, 2 * np.pi, 401)  # no other direction has more
    others = np.array([[np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)]
                       for a in turn for b in turn[::4]])  # fmt: skip
    assert (others @ Z.T).min(1).max() <= data["gamma"] + 1e-12


# -- boolean examples


WEIGHING = [name for name, kind in KINDS.items() if kind.bars in ("log", "signed")]


@pytest.mark.parametrize("learner", WEIGHING)
@given(data=st.data())
def test_equations_about_bits_are_true(learner, data):
    kind = KINDS[learner]
    options = data.draw(st.fixed_dictionaries({}, optional={
        name: st.sampled_from(VALUES[name]) for name in kind.options}))  # fmt: skip
    n = data.draw(st.integers(4, 14))  # of more than three, the bits that are 1 are shown
    target = data.draw(st.sampled_from(["x1 | x2", "x1 & !x3", "2 of x1 x2 x3"]))
    state = {
        "target": target, "n": n, "examples": 20, "seed": data.draw(st.integers(0, 9)),
        "density": data.draw(st.sampled_from([0.1, 0.9])),
        "panels": [{"learner": learner, "options": options}],
    }  # fmt: skip
    t = data.draw(st.integers(1, 20))
    told = explain_bits({"state": state, "panel": 0, "t": t})
    last = check(told["maths"])
    setup = BooleanSetup(state)
    model = kind.make(setup.target, options)
    columns = np.hstack([setup.X, ~setup.X]) if "!" in target else setup.X
    model.partial_fit(columns[:t].astype(float), setup.y[:t], classes=LABELS)
    w = [*np.ravel(model.coef_)[columns[t - 1]]][:8]
    if kind.bars == "log" and "w" in last:
        assert near(last["w"], w) if isinstance(last["w"], list) else near(last["w"], w[0])
    elif "w" in last and isinstance(last["w"], list):
        shown = [*w, *(np.ravel(model.intercept_) if model.fit_intercept else [])][:8]
        assert near(last["w"], shown)


# -- lessons


def test_the_equations_of_lessons_are_those_of_their_runs():
    def read(text):
        return text.replace("\xa0", " ")  # short equations do not break across lines

    shown = screen({"lesson": "step", "screen": 1})["question"]["reveal"]
    assert "w ← w + η·y·x = (0, 0) + 1·(−1)·(1, 0) = (−1, 0)." in read(shown)
    shown = screen({"lesson": "step", "screen": 2})
    assert "s = w·x = (−1, 0)·(0.8, 0.6) = −0.8." in read(shown["text"])
    assert "(−1, 0) + 1·1·(0.8, 0.6) = (−0.2, 0.6)" in read(shown["question"]["reveal"])


def test_the_equations_in_the_docs_are_true():
    page = (Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
    block = page.partition("```text\n  w ←")[2].partition("```")[0]
    assert {"s", "ℓ", "τ", "w"} <= check(textwrap.dedent(block)).keys()
