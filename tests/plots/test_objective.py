"""The surface of an objective is drawn where the paths are, with the values that J has there."""

from __future__ import annotations

import numpy as np
import pytest

from plots.drawn import is_complete, named
from thresher.errors import InvalidInput
from thresher.plots import ObjectiveDisplay
from thresher.theory import Objective, descend

X, Y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 1.0]], [1, 1, 0, 0]


def test_the_surface_is_that_of_j() -> None:
    display = ObjectiveDisplay.from_data(X, Y, "hinge", start=[-1.0, 1.0], steps=20).plot()
    is_complete(display)
    J = Objective(X, Y, "hinge", fit_intercept=False)
    for i, j in ((0, 0), (60, 7), (80, 80)):
        assert display.values[i, j] == pytest.approx(J.value([display.w1[j], display.w2[i]]))
    for descent in display.descents:  # all paths are within it
        assert (descent.path[:, 0] >= display.w1[0]).all()
        assert (descent.path[:, 1] <= display.w2[-1]).all()


def test_the_paths_are_those_of_the_descents() -> None:
    display = ObjectiveDisplay.from_data(X, Y, "squared", learning_rate=0.05, steps=9).plot()
    lines = display.ax_.get_lines()[:3]
    J = Objective(X, Y, "squared", fit_intercept=False)
    for line, how in zip(lines, ("batch", "line search", "online"), strict=True):
        way = descend(J, how, steps=9, learning_rate=0.05)
        assert np.array_equal(np.stack(line.get_data(), axis=1), way.path)
    assert [text.split(":")[0] for text in named(display.ax_)] == ["batch", "line search", "online"]


def test_a_feature_and_the_bias_are_two_weights() -> None:
    display = ObjectiveDisplay.from_data([[1.0], [-1.0]], [1, 0], fit_intercept=True).plot()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("w₁", "b")


def test_other_numbers_of_weights_are_refused() -> None:
    with pytest.raises(InvalidInput, match="J has 3 weights; expected two"):
        ObjectiveDisplay.from_data(X, Y, fit_intercept=True)
    J = Objective(X, Y, fit_intercept=False)
    with pytest.raises(InvalidInput, match="nothing to draw"):
        ObjectiveDisplay(J, [], ("a", "b"))
