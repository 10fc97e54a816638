"""Margins are distances, counted once each."""

import numpy as np
import pytest
import scipy.sparse

from plots.drawn import is_complete, named
from thresher import LMS, MIRA, PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.plots import MarginDisplay
from thresher.plots.style import BLUE, ORANGE

RNG = np.random.default_rng(2)
X = RNG.normal(size=(300, 5))
y = np.where(X @ [1, -1, 2, 0, 0] + RNG.normal(size=300) > 0.5, "spam", "ham")


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_margins_are_signed_distances_from_the_boundary(form):
    model = PassiveAggressive(C=0.05).fit(X, y)
    display = MarginDisplay.from_estimator(model, form(X), y)
    w, b = model.coef_[0], model.intercept_[0]
    foot = X - np.outer((X @ w + b) / (w @ w), w)  # the nearest point of the boundary
    assert np.abs(display.margins) == pytest.approx(np.linalg.norm(X - foot, axis=1))
    assert ((display.margins > 0) == (model.predict(X) == y)).all()
    assert display.wrong == pytest.approx(1 - model.score(X, y))


def test_bars_count_the_rows_of_each_class_and_the_line_all_of_them():
    model = PassiveAggressive(C=0.05).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y).plot()
    ham, spam = display.ax_.containers
    assert sum(bar.get_height() for bar in ham) == (y == "ham").sum()
    assert sum(bar.get_height() for bar in spam) == (y == "spam").sum()
    left = [bar for bar in [*ham, *spam] if bar.get_x() + bar.get_width() <= 1e-12]
    assert sum(bar.get_height() for bar in left) == (model.predict(X) != y).sum()
    tops = [bar.get_y() for bar in spam]
    assert tops == [bar.get_height() for bar in ham], "the second class stands on the first"
    from matplotlib.colors import to_rgb

    assert ham[0].get_facecolor()[:3] == to_rgb(ORANGE)
    assert spam[0].get_facecolor()[:3] == to_rgb(BLUE)
    (line,) = display.ax_right_.lines
    for at, share in line.get_xydata()[::20]:
        assert share == pytest.approx((display.margins <= at).mean())
    assert line.get_ydata()[-1] == 1
    assert named(display.ax_) == ["ham", "spam", "share up to here"]
    assert display.ax_.get_title(loc="right") == f"{display.wrong:.1%} wrong"
    is_complete(display)


def test_with_several_classes_it_is_the_nearest_plane_that_counts():
    k = np.argmax(X[:, :3], axis=1)
    model = MIRA().fit(X, k)
    display = MarginDisplay.from_estimator(model, X, k).plot()
    scores, w = model.decision_function(X), model.coef_
    for i in range(0, 300, 17):
        own = k[i]
        planes = [
            (scores[i, own] - scores[i, r]) / np.linalg.norm(w[own] - w[r])
            for r in range(3)
            if r != own
        ]
        assert display.margins[i] == pytest.approx(min(planes))
    assert ((display.margins > 0) == (model.predict(X) == k)).all()
    assert len(display.ax_.containers) == 3
    is_complete(display)


def test_classes_beyond_the_colours_are_counted_together():
    k = np.arange(300) % 9
    display = MarginDisplay.from_estimator(MIRA().fit(X, k), X, k).plot()
    (bars,) = display.ax_.containers
    assert sum(bar.get_height() for bar in bars) == 300
    assert named(display.ax_)[0] == "all"


def test_one_row_and_winnow():
    bits = (X > 0).astype(float)
    labels = np.where(bits[:, 0] + bits[:, 1] > 0, 1, 0)
    model = Winnow().fit(bits, labels)
    one = MarginDisplay.from_estimator(model, bits[:1], labels[:1]).plot()
    distance = model.decision_function(bits[:1])[0] / np.linalg.norm(model.coef_)
    assert abs(one.margins[0]) == pytest.approx(abs(distance))
    is_complete(one)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MarginDisplay.from_estimator(LMS().fit(X, X[:, 0]), X, y), "linear classifier"),
        (lambda: MarginDisplay.from_estimator(Perceptron().fit(X, y), X[:0], y[:0]), "0 sample"),
        (lambda: MarginDisplay.from_estimator(Perceptron().fit(X, y), X, y[:5]), "y has 5"),
        (lambda: MarginDisplay.from_estimator(Perceptron().fit(X, y), X[:, :2], y), "expecting 5"),
        (lambda: MarginDisplay.from_estimator(Perceptron().fit(X, y), X, ["ham", "eggs"] * 150),
         "'eggs', which the model has not met"),
        (lambda: MarginDisplay.from_estimator(Perceptron().fit(X, ["a"] * 300), X, ["a"] * 300),
         "has met one class"),
        (lambda: MarginDisplay.from_estimator(Perceptron(fit_intercept=False).fit(0 * X, y), X, y),
         "all weights are 0"),
        (lambda: MarginDisplay([], []), "no rows"),
        (lambda: MarginDisplay([1.0, np.nan], [0, 1]), "NaN"),
        (lambda: MarginDisplay([1.0, 2.0], [0]), "one of each"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_a_bent_boundary_has_no_distances():
    model = Perceptron(prepare="polynomial(2)").fit(X, y)
    with pytest.raises(InvalidInput, match="bends the boundary"):
        MarginDisplay.from_estimator(model, X, y)
