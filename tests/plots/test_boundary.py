"""Boundaries are where the scores of the library are 0, in the plane of two features and others."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression

from plots.drawn import is_complete, named, with_gid
from thresher import LMS, MIRA, BatchPerceptron, PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.plots import DecisionBoundaryDisplay
from thresher.plots.boundary import MOST_POINTS
from thresher.plots.plane import widest_across
from thresher.plots.style import BLUE, ORANGE

RNG = np.random.default_rng(11)
POINTS = RNG.normal(size=(150, 2))
SIDE = POINTS @ [1.0, 2.0] - 0.7
X = POINTS[np.abs(SIDE) > 0.3]
y = np.where(SIDE[np.abs(SIDE) > 0.3] > 0, "yes", "no")
WIDE = RNG.normal(size=(400, 12)) * np.linspace(3, 0.5, 12) + 1
SIGNS = np.where(WIDE @ RNG.normal(size=12) + RNG.normal(size=400) > 1, 1, -1)


def separated():
    return Perceptron(average=False, max_epochs=None).fit(X, y)


def ends(line):
    """Two points of a line without ends."""
    return np.array([line.get_xy1(), line.get_xy2()])


def test_the_boundary_is_where_the_score_is_zero_and_the_margin_where_the_nearest_row_is():
    model = separated()
    display = DecisionBoundaryDisplay.from_estimator(model, X, y).plot()
    (line,) = with_gid(display.ax_, "boundary")
    assert model.decision_function(ends(line)) == pytest.approx([0, 0], abs=1e-9)
    distances = model.decision_function(X) / np.linalg.norm(model.coef_)
    assert display.margin == pytest.approx(np.abs(distances).min())
    edges = with_gid(display.ax_, "edge")
    scores = [model.decision_function(ends(edge)) / np.linalg.norm(model.coef_) for edge in edges]
    assert np.array(scores) == pytest.approx(
        np.array([[-display.margin] * 2, [display.margin] * 2]), abs=1e-9
    )
    assert f"margin {display.margin:.3g}" in named(display.ax_)
    is_complete(display)


def test_points_have_the_colour_of_their_class_and_mistakes_a_ring():
    flipped = y.copy()
    flipped[::10] = np.where(flipped[::10] == "yes", "no", "yes")
    model = PassiveAggressive(C=0.05).fit(X, flipped)
    display = DecisionBoundaryDisplay.from_estimator(model, X, flipped).plot()
    no, yes, rings = display.ax_.collections
    assert (no.get_label(), yes.get_label()) == ("no", "yes")
    assert np.asarray(yes.get_offsets()).tolist() == X[flipped == "yes"].tolist()
    wrong = model.predict(X) != flipped
    assert np.asarray(rings.get_offsets()).tolist() == X[wrong].tolist()
    from matplotlib.colors import to_rgb

    assert tuple(yes.get_facecolor()[0][:3]) == to_rgb(BLUE)
    assert tuple(no.get_facecolor()[0][:3]) == to_rgb(ORANGE)
    assert f"{model.score(X, flipped):.1%} of {len(X)} rows" in display.ax_.get_title(loc="left")
    # Passive-Aggressive aims at |s| = 1.
    assert display.margin == pytest.approx(1 / np.linalg.norm(model.coef_))


def test_a_thick_separator_shows_its_own_margin_and_a_model_with_mistakes_none():
    thick = Perceptron(margin=0.5, max_epochs=20).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(thick, X, y)
    assert display.margin == pytest.approx(0.5 / np.linalg.norm(thick.coef_))
    assert DecisionBoundaryDisplay.from_estimator(thick, X, y, margin=0.2).margin == 0.2
    wrong = DecisionBoundaryDisplay.from_estimator(separated(), X, y[::-1]).plot()
    assert wrong.margin is None
    assert with_gid(wrong.ax_, "edge") == []
    without = DecisionBoundaryDisplay.from_estimator(thick, X, y, margin=0).plot()
    assert with_gid(without.ax_, "edge") == []


def test_the_arrow_is_w_and_the_path_is_that_of_training():
    model = separated()
    display = DecisionBoundaryDisplay.from_estimator(model, X, y).plot()
    stepped, weights = Perceptron(average=False), [np.zeros(2)]
    for _ in range(model.epochs_):
        for i in range(len(X)):
            stepped.partial_fit(X[i : i + 1], y[i : i + 1], classes=["no", "yes"])
            weights.append(stepped.coef_[0])
    assert np.unique(display.path, axis=0).tolist() == np.unique(weights, axis=0).tolist()
    (arrow,), (path,) = with_gid(display.ax_, "w"), with_gid(display.ax_, "path")
    start, tip = np.array(arrow.xyann), np.array(arrow.xy)
    drawn = tip - start
    assert np.cross([*drawn, 0], [*model.coef_[0], 0])[2] == pytest.approx(0, abs=1e-9)
    assert drawn @ model.coef_[0] > 0
    assert model.decision_function([start]) == pytest.approx([0], abs=1e-9)
    assert path.get_xydata()[0] == pytest.approx(start)
    assert path.get_xydata()[-1] == pytest.approx(tip)
    assert display.ax_.get_aspect() == 1


def test_a_path_that_does_not_lead_to_the_model_is_not_drawn():
    model = separated()
    assert DecisionBoundaryDisplay.from_estimator(model, X[::-1], y[::-1]).path is None
    assert DecisionBoundaryDisplay.from_estimator(model, X, y, path=False).path is None
    with pytest.raises(InvalidInput, match="other weights than those of the model"):
        DecisionBoundaryDisplay.from_estimator(model, X[::-1], y[::-1], path=True)
    with pytest.raises(InvalidInput, match="does not learn row by row"):
        batch = BatchPerceptron().fit(X, y)
        DecisionBoundaryDisplay.from_estimator(batch, X, y, path=True)
    assert DecisionBoundaryDisplay.from_estimator(BatchPerceptron().fit(X, y), X, y).path is None


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array, pd.DataFrame])
def test_more_features_are_seen_along_w_and_across_it(form):
    table = form(WIDE)
    if isinstance(table, pd.DataFrame):
        table.columns = [f"feature {i}" for i in range(12)]
    model = PassiveAggressive(C=0.01).fit(table, SIGNS)
    display = DecisionBoundaryDisplay.from_estimator(model, table, SIGNS).plot()
    w = model.coef_[0]
    distances = model.decision_function(table) / np.linalg.norm(w)
    assert display.points[:, 0] == pytest.approx(distances, abs=1e-9)
    # Across: the first principal direction of what is left when w is taken out.
    e = w / np.linalg.norm(w)
    left = WIDE - WIDE.mean(axis=0)
    left = left - np.outer(left @ e, e)
    widest = np.linalg.svd(left, full_matrices=False)[2][0]
    seen = display.points[:, 1] - display.points[:, 1].mean()
    assert np.abs(seen) == pytest.approx(np.abs(left @ widest), abs=1e-7)
    (line,) = with_gid(display.ax_, "boundary")
    assert ends(line)[:, 0].tolist() == [0.0, 0.0]
    edges = [ends(edge)[:, 0].tolist() for edge in with_gid(display.ax_, "edge")]
    assert edges == [[-display.margin] * 2, [display.margin] * 2]
    assert display.path[-1] == pytest.approx([np.linalg.norm(w), 0], abs=1e-9)
    is_complete(display)


def test_the_widest_direction_is_a_unit_vector_orthogonal_to_w_whatever_the_rows():
    for rows in (
        np.zeros((6, 4)),
        np.ones((1, 4)),
        np.outer([1, 2, 3], [1.0, 0, 0, 0]),
        RNG.normal(size=(9, 4)),
    ):
        for e in (np.eye(4)[0], np.full(4, 0.5)):
            direction = widest_across(rows, e)
            assert widest_across(scipy.sparse.csr_array(rows), e) == pytest.approx(direction)
            assert np.linalg.norm(direction) == pytest.approx(1)
            assert direction @ e == pytest.approx(0, abs=1e-12)


def test_the_widest_direction_of_more_features_than_rows():
    rows, e = RNG.normal(size=(20, 50)), np.eye(50)[3]
    left = rows - rows.mean(axis=0)
    left[:, 3] = 0
    widest = np.linalg.svd(left, full_matrices=False)[2][0]
    assert abs(widest_across(rows, e) @ widest) == pytest.approx(1)
    assert abs(widest_across(scipy.sparse.csr_array(rows), e) @ widest) == pytest.approx(1)


def test_a_large_cloud_is_thinned_but_all_rows_are_counted():
    many = RNG.normal(size=(5000, 3))
    side = np.where(many.sum(axis=1) + RNG.normal(size=5000) > 0, 1, 0)
    model = Perceptron().fit(many, side)
    display = DecisionBoundaryDisplay.from_estimator(model, many, side).plot()
    assert len(display.points) == MOST_POINTS
    assert display.rows == 5000
    assert display.errors == (model.predict(many) != side).sum()
    assert all(cloud.get_rasterized() for cloud in display.ax_.collections)


def test_three_classes_are_drawn_as_regions():
    k = RNG.integers(0, 3, 90)
    points = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 4.0]])[k] + RNG.normal(size=(90, 2))
    labels = np.array(["red", "green", "blue"])[k]
    model = MIRA(max_epochs=5).fit(pd.DataFrame(points, columns=["width", "height"]), labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = pd.DataFrame(points, columns=["width", "height"])
        display = DecisionBoundaryDisplay.from_estimator(model, table, labels).plot()
    (image,) = display.ax_.images
    left, right, low, high = image.get_extent()
    shown = np.asarray(image.get_array())
    last = len(shown) - 1
    for i, j in RNG.integers(0, len(shown), size=(50, 2)):
        at = [[left + (right - left) * j / last, low + (high - low) * i / last]]
        said = model.predict(pd.DataFrame(at, columns=["width", "height"]))[0]
        assert display.classes[shown[i, j]] == said
    assert named(display.ax_)[:3] == ["blue", "green", "red"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("width", "height")
    is_complete(display)


def test_other_linear_models_are_drawn_too():
    theirs = LogisticRegression().fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(theirs, X, y).plot(alpha=0.3)
    (line,) = with_gid(display.ax_, "boundary")
    assert theirs.decision_function(ends(line)) == pytest.approx([0, 0], abs=1e-9)
    assert display.path is None
    assert display.ax_.collections[0].get_alpha() == 0.3


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_features_of_very_different_sizes_fill_the_picture(scale):
    unequal = X * [1.0, 1000.0] * scale
    display = DecisionBoundaryDisplay.from_estimator(BatchPerceptron().fit(unequal, y), unequal, y)
    ax = display.plot().ax_
    for (low, high), column in zip((ax.get_xlim(), ax.get_ylim()), unequal.T, strict=True):
        assert low < column.min() < column.max() < high
        assert high - low < 1.2 * np.ptp(column)
    assert ax.get_aspect() == "auto"
    assert len(with_gid(ax, "boundary")) == 1
    assert with_gid(ax, "w") == [], "a right angle would not look like one"
    is_complete(display)


def test_winnow_starts_at_one():
    bits = RNG.random((60, 2)).round()
    labels = bits[:, 0].astype(int)
    display = DecisionBoundaryDisplay.from_estimator(Winnow().fit(bits, labels), bits, labels)
    assert display.path[0].tolist() == [1, 1]
    is_complete(display.plot())


def test_little_is_drawn_as_well():
    one = DecisionBoundaryDisplay.from_estimator(Perceptron().fit([[1.0, 2.0]], ["a"]),
                                                 [[1.0, 2.0]], ["a"]).plot()  # fmt: skip
    is_complete(one)
    low, high = one.ax_.get_xlim()
    assert low < 1 < high
    assert high - low > 0.1
    assert one.ax_.get_title(loc="left").endswith("of 1 row right")
    column = DecisionBoundaryDisplay.from_estimator(
        Perceptron(max_epochs=None).fit(X[:, :1], X[:, 0] > 0), X[:, :1], X[:, 0] > 0
    ).plot()
    (line,) = with_gid(column.ax_, "boundary")
    assert ends(line)[0, 0] == ends(line)[1, 0]
    assert len(column.ax_.get_yticks()) == 0
    is_complete(column)
    zero = Perceptron(fit_intercept=False).fit(0 * X, y)
    nothing = DecisionBoundaryDisplay.from_estimator(zero, X, y).plot()
    assert with_gid(nothing.ax_, "boundary") == []
    is_complete(nothing)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: (MIRA().fit(WIDE, np.arange(400) % 3), WIDE, np.arange(400) % 3),
         "12 features and there are 3 classes; expected 2 features"),
        (lambda: (MIRA().fit(X, np.arange(len(X)) % 7), X, np.arange(len(X)) % 7), "at most 6"),
        (lambda: (LMS().fit(X, X[:, 0]), X, y), "trained linear classifier"),
        (lambda: (separated(), X[:0], y[:0]), "0 sample"),
        (lambda: (separated(), WIDE, SIGNS), "12 features, but Perceptron is expecting 2"),
        (lambda: (separated(), X, y[:3]), "y has 3"),
        (lambda: (Perceptron(fit_intercept=False).fit(0 * WIDE, SIGNS), WIDE, SIGNS),
         "all 12 weights are 0"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        DecisionBoundaryDisplay.from_estimator(*call())


def test_bad_data_is_refused():
    with pytest.raises(InvalidInput, match=r"points have shape \(0, 2\)"):
        DecisionBoundaryDisplay(np.empty((0, 2)), [], [])
    with pytest.raises(InvalidInput, match=r"points have shape \(4, 3\)"):
        DecisionBoundaryDisplay(np.zeros((4, 3)), [0] * 4, [0] * 4)
    with pytest.raises(InvalidInput, match=r"labels have shape \(3,\); expected \(4,\)"):
        DecisionBoundaryDisplay(np.zeros((4, 2)), [0] * 3, [0] * 4)
    with pytest.raises(InvalidInput, match="margin is -1"):
        DecisionBoundaryDisplay.from_estimator(separated(), X, y, margin=-1)


def test_a_bent_boundary_is_drawn_as_regions():
    """Products bend it: XOR has a region in each corner. A scale does not."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    bent = Perceptron(prepare="conjunctions(2)", max_epochs=None).fit(corners, [0, 1, 1, 0])
    display = DecisionBoundaryDisplay.from_estimator(bent, corners, [0, 1, 1, 0])
    assert display.w is None and display.errors == 0
    assert display.regions(corners).argmax(axis=1).tolist() == [0, 1, 1, 0]
    is_complete(display.plot())
    scaled = Perceptron(prepare="standard").fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(scaled, X, y)
    np.testing.assert_allclose(display.w, scaled.coef_[0])
    with pytest.raises(InvalidInput, match="2 features"):
        DecisionBoundaryDisplay.from_estimator(
            Perceptron(prepare="unit").fit(WIDE, SIGNS), WIDE, SIGNS
        )
