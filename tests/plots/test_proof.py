"""The picture of a proof: its lines are the sides of the inequalities."""

import numpy as np
import pytest

from plots.drawn import heights, is_complete, named
from thresher import Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.plots import ProofDisplay

RNG = np.random.default_rng(0)


def test_novikoff():
    X = RNG.normal(size=(200, 3))
    X = X[np.abs(X[:, 0]) > 0.1]
    y = (X[:, 0] > 0).astype(int)
    display = ProofDisplay.from_estimator(Perceptron(fit_intercept=False), X, y).plot()
    is_complete(display)
    proof = display.proof
    drawn = [heights(line) for line in display.ax_.lines]
    assert drawn == [v.tolist() for v in (proof.lower, proof.along, proof.norm, proof.upper)]
    assert len(named(display.ax_)) == 3 and all("keeps" in text for text in named(display.ax_))
    assert proof.loosest in display.ax_.get_legend().get_title().get_text()


def test_winnow():
    X = (RNG.random((300, 20)) < 0.2).astype(float)
    display = ProofDisplay.from_estimator(Winnow(), X, X[:, :2].any(axis=1)).plot()
    is_complete(display)
    assert len(display.ax_.lines) == 3 and len(named(display.ax_)) == 2


def test_nothing_to_draw():
    with pytest.raises(InvalidInput, match="expected what novikoff_proof"):
        ProofDisplay("a proof")
    with pytest.raises(InvalidInput, match="no mistakes"):
        ProofDisplay.from_estimator(Winnow(theta=1.0), [[0, 0], [1, 0]], [0, 1])
