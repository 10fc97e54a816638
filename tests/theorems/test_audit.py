"""No run exceeds a bound that its audit says applies: every learner, every option, any stream."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import MIRA, PassiveAggressive, Perceptron, Winnow

# That a run cycled is one of the ways in which it may end.
pytestmark = pytest.mark.filterwarnings("ignore::thresher.errors.NotSeparableWarning")

LINEAR = [
    (Perceptron, {}),
    (Perceptron, {"average": False, "fit_intercept": False}),
    (Perceptron, {"margin": 0.7, "learning_rate": 0.3}),
    (Perceptron, {"learning_rate": 0.25, "intercept_scaling": 0.2}),
    (Perceptron, {"step": "aggressive", "margin": 0.5}),
    (PassiveAggressive, {"variant": "PA"}),
    (PassiveAggressive, {"variant": "PA-I", "C": 0.2}),
    (PassiveAggressive, {"variant": "PA-II", "C": 2.0, "fit_intercept": False}),
    (MIRA, {"C": 0.5, "margin": 2.0}),
]
WINNOW = [
    {},
    {"alpha": 1.3, "theta": 3.0},
    {"demotion": "eliminate"},
    {"negations": True},
    {"negations": True, "alpha": 1.5, "theta": 5.0},
    {"floor": 0.5},
    {"floor": 0.5, "negations": True},
]


@st.composite
def points(draw, classes=2):
    """Rows and labels of a linear target, some of them wrong, with zero rows and repeats."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n, rows = draw(st.integers(1, 8)), draw(st.integers(2, 80))
    X = rng.normal(size=(rows, n)) * draw(st.sampled_from([0.1, 1.0, 20.0]))
    if draw(st.booleans()):
        X = X.round()
    target = rng.normal(size=(classes, n))
    y = (X @ target.T).argmax(axis=1)
    wrong = rng.random(rows) < draw(st.sampled_from([0.0, 0.0, 0.05, 0.5]))
    y[wrong] = rng.integers(classes, size=int(wrong.sum()))
    return X, y


@st.composite
def bits(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n, rows = draw(st.sampled_from([2, 5, 20])), draw(st.integers(2, 120))
    X = (rng.random((rows, n)) < draw(st.sampled_from([0.1, 0.4]))).astype(float)
    kind = draw(st.sampled_from(["disjunction", "literals", "threshold", "coin"]))
    if kind == "disjunction":
        y = X[:, : draw(st.integers(1, min(3, n)))].any(axis=1)
    elif kind == "literals":
        y = (X[:, 0] > 0) | (X[:, 1] == 0)
    elif kind == "threshold":
        y = X.sum(axis=1) >= 2
    else:
        y = rng.random(rows) < 0.5
    y = y ^ (rng.random(rows) < draw(st.sampled_from([0.0, 0.0, 0.05])))
    scale = draw(st.sampled_from([1.0, 1.0, 0.7]))
    return X * scale, y.astype(int)


def check(model, X, y):
    found = model.audit(X, y)
    assert found.holds, str(found)
    for row in found.applying:
        assert row.figure is not None
        assert row.figure <= row.value * (1 + 1e-9) + 1e-9
    assert found.counts.mistakes == model.mistakes_
    assert found.counts.updates == model.updates_
    return found


@pytest.mark.parametrize(("cls", "options"), LINEAR)
@given(made=points(), passes=st.sampled_from([1, 1, 4]))
def test_linear_learners(cls, options, made, passes):
    X, y = made
    found = check(cls(max_epochs=passes, **options).fit(X, y), X, y)
    exact = "PA" if "step" in options or options.get("variant") == "PA" else "Novikoff"
    if found.realizable and not found[exact].about:
        assert found[exact].applies
    if np.any(X) or options.get("fit_intercept", True):
        noisy = [row for row in found.applying if "noise" in row.theorem or "I" in row.theorem]
        assert noisy or not X.any(axis=1).all()  # a theorem for noise always applies


@pytest.mark.parametrize("options", WINNOW)
@given(made=bits(), passes=st.sampled_from([1, 1, 3]))
def test_winnow(options, made, passes):
    X, y = made
    check(Winnow(max_epochs=passes, **options).fit(X, y), X, y)


def test_a_margin_that_only_rounding_leaves():
    """The α that suits it is 1 to the last bit: no bound follows from it, and nothing raises."""
    for rows, y in (
        ([[1, 1, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]], [1, 1, 0]),
        ([[1.0], [np.nextafter(1.0, 0.0)]], [1, 0]),
    ):
        X = np.array(rows, float)
        check(Winnow(negations=True).fit(X, y), X, y)


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (Perceptron, {}),
        (Perceptron, {"margin": 0.4, "learning_rate": 0.5}),
        (Perceptron, {"step": "aggressive", "margin": 0.5}),
        (PassiveAggressive, {"variant": "PA"}),
        (MIRA, {"C": float("inf"), "constraints": "one"}),
    ],
)
@given(made=points(classes=4), passes=st.sampled_from([1, 3]))
def test_many_classes(cls, options, made, passes):
    X, y = made
    check(cls(max_epochs=passes, **options).fit(X, y), X, y)
