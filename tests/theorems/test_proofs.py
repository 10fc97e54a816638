"""What a perceptron says when it stops is proved, or not said."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import BatchPerceptron, Perceptron
from thresher.errors import NotSeparableWarning, RoundingWarning
from thresher.theory import verify

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])


def fitted(model, *data, **options):
    """The model, and the warnings of its fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data, **options)
    return model, [w.category for w in caught]


def test_the_batch_perceptron_does_not_converge_on_xor():
    model, caught = fitted(BatchPerceptron(), *XOR)
    assert not model.converged_ and model.epochs_ == 1
    assert caught == [NotSeparableWarning]
    assert model.certificate_.rows == (0, 1, 2, 3) and set(model.certificate_.weights) == {1}
    assert verify(model.certificate_, *XOR)


def test_a_step_below_epsilon_is_not_convergence():
    X, y = 1e-9 * np.array([[1.0], [-1.0], [3.0]]), [1, 0, 1]
    model, caught = fitted(BatchPerceptron(fit_intercept=False), X, y)
    assert not model.converged_ and caught == [RoundingWarning] and model.certificate_ is None
    finer, caught = fitted(BatchPerceptron(fit_intercept=False, epsilon=1e-30), X, y)
    assert finer.converged_ and caught == []


def test_an_update_that_rounding_swallowed_proves_nothing():
    X, y = np.array([[1e16, 1e16], [-1.0, 1.0]]), [1, 0]
    model, caught = fitted(Perceptron(fit_intercept=False, max_epochs=None), X, y)
    assert ((X @ [1.0, 0.0] > 0) == y).all()  # which separates
    assert model.cycled_ and model.certificate_ is None
    assert caught == [RoundingWarning]


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({}, [0, 0, 1, 1]),
        ({"intercept_scaling": 3.0, "learning_rate": 0.1, "margin": 0.5}, ["a", "a", "b", "b"]),
        ({"class_weight": {0: 2.0, 1: 0.5}}, [0, 0, 1, 1]),
    ],
)
def test_a_cycle_has_its_certificate(options, labels):
    model, caught = fitted(Perceptron(max_epochs=500, **options), XOR[0], labels)
    assert caught == ([NotSeparableWarning] if model.cycled_ else [])
    assert bool(model.cycled_) == (model.certificate_ is not None)
    if model.cycled_:
        assert verify(model.certificate_, XOR[0], labels)
    assert model.cycled_ or "learning_rate" in options


def test_sample_weights_count_in_the_certificate():
    weights = [2.0, 2.0, 4.0, 4.0]
    model, _ = fitted(Perceptron(max_epochs=500), *XOR, sample_weight=weights)
    assert model.cycled_ and verify(model.certificate_, *XOR)
    batch, _ = fitted(BatchPerceptron(), *XOR, sample_weight=[2.0, 2.0, 2.0, 2.0])
    assert verify(batch.certificate_, *XOR)


@pytest.mark.parametrize("multiclass", ["ultraconservative", "one-vs-rest"])
def test_three_classes_that_cannot_be_ranked(multiclass):
    X, y = np.vstack([XOR[0], [[5.0, 5.0]]]), [0, 0, 1, 1, 2]
    model, caught = fitted(Perceptron(max_epochs=3000, multiclass=multiclass), X, y)
    assert model.cycled_ and caught == [NotSeparableWarning]
    assert model.certificate_ is None  # which is for two classes


def test_prepared_rows_are_what_must_cancel():
    model, caught = fitted(Perceptron(prepare="conjunctions(1)", max_epochs=None), *XOR)
    assert caught == [NotSeparableWarning]
    model, caught = fitted(Perceptron(prepare="conjunctions(2)", max_epochs=None), *XOR)
    assert model.converged_ and caught == []


VALUES = [0.0, 1.0, -1.0, 2.0, 0.1, -0.3, 1e16, -1e16, 3e15]


@given(data=st.data())
def test_no_claim_without_a_proof(data):
    n, size = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 6))
    row = st.lists(st.sampled_from(VALUES), min_size=n, max_size=n)
    X = np.array(data.draw(st.lists(row, min_size=size, max_size=size)))
    y = np.array(data.draw(st.lists(st.sampled_from([0, 1]), min_size=size, max_size=size)))
    bias = data.draw(st.booleans())
    for learner in (
        Perceptron(max_epochs=40, fit_intercept=bias, average=False),
        BatchPerceptron(max_epochs=40, fit_intercept=bias),
    ):
        model, caught = fitted(learner, X, y)
        if NotSeparableWarning in caught:
            assert verify(model.certificate_, X, y) and not model.converged_
        else:
            assert model.certificate_ is None
        if model.converged_:
            signs = np.where(y == 1, 1, -1)
            assert (signs * model.decision_function(X) > 0).all()
