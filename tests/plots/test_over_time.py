"""Weights over time are the weights that the learner had."""

import numpy as np
import pytest
import scipy.sparse

from plots.drawn import is_complete, named
from thresher import PassiveAggressive, Winnow
from thresher.errors import InvalidInput
from thresher.plots import WeightsOverTimeDisplay
from thresher.plots.over_time import MARKED, MOST_LINES

RNG = np.random.default_rng(8)
BITS = (RNG.random((300, 100)) < 0.1).astype(float)
TARGET = BITS[:, :3].any(axis=1).astype(int)


def height_at(path, time):
    """The height of a line of steps just after a time."""
    points = path.vertices
    return points[np.flatnonzero(points[:, 0] <= time)[-1], 1]


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_each_line_is_the_weight_of_its_feature(form):
    display = WeightsOverTimeDisplay.from_estimator(Winnow(), form(BITS), TARGET, range(3)).plot()
    grey, blue = display.ax_.collections
    assert display.features[:3] == display.relevant == [0, 1, 2]
    model = Winnow()
    for t in range(300):
        model.partial_fit(BITS[t : t + 1], TARGET[t : t + 1])
        if t % 60 == 59:
            w = model.coef_[0]
            assert [height_at(path, t + 1) for path in blue.get_paths()] == w[:3].tolist()
            others = w[display.features[3:]].tolist()
            assert [height_at(path, t + 1) for path in grey.get_paths()] == others
    assert [path.vertices[0].tolist() for path in blue.get_paths()] == [[0, 1]] * 3
    assert display.theta == 100
    assert display.ax_.lines[0].get_ydata() == [100, 100]
    assert named(display.ax_) == ["other (97)", "relevant (3)", "θ = 100"]
    assert display.ax_.get_yscale() == "log"
    is_complete(display)


def test_of_many_features_the_largest_are_drawn():
    display = WeightsOverTimeDisplay.from_estimator(Winnow(), BITS, TARGET)
    final = Winnow().fit(BITS, TARGET).coef_[0]
    assert len(display.features) == MARKED + MOST_LINES
    left_out = np.delete(final, display.features)
    assert final[display.features].min() >= left_out.max()
    assert display.total == 100
    assert "largest in the end (5)" in named(display.plot().ax_)


def test_an_eliminated_weight_ends_its_line():
    X, y = [[1, 1], [0, 1], [1, 0]], [1, 0, 1]
    display = WeightsOverTimeDisplay.from_estimator(
        Winnow(theta=1, demotion="eliminate"), X, y, [0]
    ).plot()
    grey, _ = display.ax_.collections
    assert display.weights[:, 1].tolist() == [1, 1, 0, 0]
    assert np.isnan(grey.get_paths()[0].vertices[-1, 1])
    is_complete(display)


def test_additive_weights_have_a_linear_axis_and_no_theta():
    X = RNG.normal(size=(1500, 4))
    model = PassiveAggressive()
    display = WeightsOverTimeDisplay.from_estimator(model, X, X[:, 0] > X[:, 1], [0, 1]).plot()
    assert display.theta is None
    assert display.ax_.get_yscale() == "linear"
    assert display.ax_.get_xscale() == "log", "a long run"
    fitted = PassiveAggressive().fit(X, X[:, 0] > X[:, 1])
    assert display.weights[-1].tolist() == fitted.coef_[0][display.features].tolist()
    low, high = display.ax_.get_ylim()
    assert low < display.weights.min() < display.weights.max() < high
    is_complete(display)


def test_one_row():
    is_complete(WeightsOverTimeDisplay.from_estimator(Winnow(), [[1.0, 0.0]], [1], [0]).plot())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WeightsOverTimeDisplay.from_estimator(Winnow(), BITS, TARGET, [100]),
         "column 100; expected 0 to 99"),
        (lambda: WeightsOverTimeDisplay.from_estimator(Winnow(), BITS, np.arange(300) % 3),
         "3 labels; expected two"),
        (lambda: WeightsOverTimeDisplay.from_estimator(Winnow(), BITS[:0], TARGET[:0]), "0 sample"),
        (lambda: WeightsOverTimeDisplay.from_estimator(Winnow(), BITS * 2, TARGET), "2"),
        (lambda: WeightsOverTimeDisplay([0, 1], [[1.0]]), "expected 2 rows"),
        (lambda: WeightsOverTimeDisplay([], np.empty((0, 3))), "no weights"),
        (lambda: WeightsOverTimeDisplay([0], [[1.0, 2.0]], [5]), "the relevant ones among them"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_features_that_are_made_as_they_come_are_refused():
    with pytest.raises(InvalidInput, match="makes features as they come"):
        WeightsOverTimeDisplay.from_estimator(Winnow(prepare="conjunctions(2)"), BITS, TARGET)
