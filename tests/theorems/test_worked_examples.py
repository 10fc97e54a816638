"""Small examples worked by hand, on the engine."""

import itertools

import numpy as np
import pytest

from thresher import MIRA, BatchPerceptron, Perceptron, Winnow


def test_winnow_finds_a_disjunction():
    """Target x1 ∨ x2, θ = 2, α = 2: every example is a mistake."""
    steps = [
        ((0, 0, 1, 1), -1, (1, 1, 0.5, 0.5)),
        ((1, 0, 1, 0), +1, (2, 1, 1, 0.5)),
        ((0, 1, 0, 1), +1, (2, 2, 1, 1)),
    ]
    model = Winnow(alpha=2.0, theta=2.0)
    for x, y, after in steps:
        model.partial_fit([x], [y])
        assert model.coef_[0].tolist() == list(after)
        assert model.intercept_.tolist() == [-2.0]
    assert model.mistakes_ == model.updates_ == model.examples_ == 3


def test_perceptron_without_a_bias():
    model = Perceptron(average=False, fit_intercept=False)
    model.partial_fit([[1.0, 0.0]], [-1])
    assert model.coef_[0].tolist() == [-1.0, 0.0]
    model.partial_fit([[0.8, 0.6]], [+1])
    np.testing.assert_allclose(model.coef_[0], [-0.2, 0.6], atol=1e-15)


def test_a_zero_score_is_a_mistake():
    """A perceptron that waited for y·s < 0 would never leave w = 0."""
    for label in (+1, -1):
        model = Perceptron(average=False).fit([[1.0, 1.0]], [label])
        assert model.mistakes_ == model.updates_ == 1
        assert model.coef_[0].tolist() == [label, label]


POINTS = [[1.0, 1.0], [0.5, 3.0], [2.0, 2.0]]
SIGNS = [+1, +1, -1]


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(average=False, max_epochs=None),
        Perceptron(average=False, margin=0.5, max_epochs=None),
        Perceptron(average=False, learning_rate=0.1, max_epochs=None),
        Perceptron(average=False, step="aggressive", margin=1.0, max_epochs=1000),
        BatchPerceptron(),
        BatchPerceptron(fixed_increment=True),
        BatchPerceptron(learning_rate=0.3),
    ],
    ids=repr,
)
def test_three_points_are_separated(model):
    model.fit(POINTS, SIGNS)
    assert model.predict(POINTS).tolist() == SIGNS


def test_batch_perceptron_by_hand():
    """From w = 0 all three points are mistakes: Σ y·x = (−0.5, 2) and 1 for the bias."""
    fixed = BatchPerceptron(fixed_increment=True, max_epochs=1).fit(POINTS, SIGNS)
    assert fixed.coef_[0].tolist() == [-0.5, 2.0] and fixed.intercept_.tolist() == [1.0]
    mean = BatchPerceptron(learning_rate=0.5, max_epochs=1).fit(POINTS, SIGNS)
    np.testing.assert_allclose(mean.coef_[0], [-0.25 / 3, 1.0 / 3], rtol=1e-15)


def truth_table(n):
    return np.array(list(itertools.product([0.0, 1.0], repeat=n)))


@pytest.mark.parametrize(
    ("concept", "weights", "threshold"),
    [
        (lambda x: x[:, 0] * x[:, 1] * x[:, 3] == 1, (1, 1, 0, 1), 3),
        (lambda x: x[:, [0, 2, 3]].sum(axis=1) >= 2, (1, 0, 1, 1), 2),
    ],
    ids=["x1 ∧ x2 ∧ x4", "at least 2 of x1, x3, x4"],
)
def test_threshold_functions_are_learned(concept, weights, threshold):
    X = truth_table(4)
    y = concept(X)
    assert (X @ weights >= threshold).tolist() == y.tolist()
    model = Perceptron(average=False, max_epochs=None).fit(X, y)
    assert model.converged_ and model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize(
    "concept",
    [
        lambda x: x[:, 0] != x[:, 1],
        lambda x: (x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3]) > 0,
    ],
    ids=["x1 ⊕ x2", "(x1 ∧ x2) ∨ (x3 ∧ x4)"],
)
@pytest.mark.filterwarnings("ignore::thresher.errors.NotSeparableWarning")
def test_what_is_no_threshold_function_makes_the_weights_cycle(concept):
    X = truth_table(4)
    model = Perceptron(max_epochs=None).fit(X, concept(X))
    assert model.cycled_ and not model.converged_


def test_ultraconservative_step_by_hand():
    model = Perceptron(average=False, fit_intercept=False)
    model.learn_one({"p"}, "a")
    model.learn_one({"q"}, "b")
    model.learn_one({"p"}, "c")  # ahead is a: w_c gains, w_a loses, w_b stays
    assert {label: dict(top) for label, top in model.top_features().items()} == {
        "a": {"q": -1.0},
        "b": {"p": -1.0, "q": 1.0},
        "c": {"p": 1.0},
    }
    assert model.mistakes_ == 3


def test_mira_moves_two_rivals_at_once():
    """Equal rivals share the step: with ℓ = 1 for both and ‖x‖² = 1, τ = ⅓ each and ⅔ for y."""
    model = MIRA(C=1.0, average=False, fit_intercept=False)
    for name, label in (("p", "a"), ("q", "b"), ("r", "c")):
        model.learn_one({name}, label)
    weights = {label: dict(top).get("r", 0.0) for label, top in model.top_features().items()}
    assert weights == pytest.approx({"a": -1 / 3, "b": -1 / 3, "c": 2 / 3})
