"""Learning curves are those of progressive validation."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import SGDClassifier, SGDRegressor

from plots.drawn import heights, is_complete, named
from thresher import LMS, MIRA, BatchPerceptron, PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.evaluate import progressive
from thresher.plots import LearningCurvesDisplay, ProgressDisplay

RNG = np.random.default_rng(6)
X = RNG.normal(size=(1000, 5))
y = np.where(X @ [1, -1, 2, 0, 0] + RNG.normal(size=1000) > 0, 1, 0)


def by_dicts(model, truth):
    stream = zip((dict(enumerate(row)) for row in X.tolist()), truth, strict=True)
    return [(r.examples, r.loss, r.recent) for r in progressive(model, stream)]


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize(
    ("model", "truth"),
    [
        (Perceptron(), y), (PassiveAggressive(C=0.1, average=False), y),
        (MIRA(), np.argmax(X[:, :3], axis=1)), (LMS(), X @ [1.0, 2, 3, 4, 5]),
    ],
)  # fmt: skip
def test_points_are_those_of_progressive_validation(form, model, truth):
    display = LearningCurvesDisplay.from_estimator(model, form(X), truth)
    ((points,),) = [display.curves.values()]
    expected = by_dicts(type(model)(**model.get_params()), truth.tolist())
    assert [point[:3] for point in points] == [pytest.approx(point) for point in expected]


def test_lines_and_names_of_several_learners():
    models = {"ours": Perceptron(), "theirs": SGDClassifier(random_state=0)}
    display = LearningCurvesDisplay.from_estimators(models, X, y).plot()
    ours, lately, theirs, _ = display.ax_.lines
    assert heights(ours) == [point[1] for point in display.curves["ours"]]
    assert heights(lately) == [point[2] for point in display.curves["ours"]]
    assert ours.get_color() == lately.get_color() != theirs.get_color()
    wrong = 0
    other = SGDClassifier(random_state=0)
    for i in range(1000):
        wrong += i == 0 or other.predict(X[i : i + 1])[0] != y[i]
        other.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    assert theirs.get_ydata()[-1] == pytest.approx(wrong / 1000)
    ends = (ours.get_ydata()[-1], wrong / 1000)
    assert named(display.ax_) == [f"ours  {ends[0]:.4g}", f"theirs  {ends[1]:.4g}"]
    assert display.ax_.get_xscale() == "log"
    is_complete(display)


def test_names_are_those_of_a_race_and_reports_can_be_given():
    models = [Perceptron(), Perceptron(average=False)]
    display = LearningCurvesDisplay.from_estimators(models, X, y)
    assert list(display.curves) == ["perceptron", "perceptron average=False"]
    stream = [(dict(enumerate(row)), label) for row, label in zip(X.tolist(), y, strict=True)]
    reports = {"a": progressive(Perceptron(), stream)}
    assert LearningCurvesDisplay.from_reports(reports).curves["a"] == display.curves["perceptron"]


def test_a_regressor_of_somebody_else():
    target = X @ [1.0, 2, 3, 4, 5]
    display = LearningCurvesDisplay.from_estimators(
        [LMS(), SGDRegressor(random_state=0)], X[:50], target[:50]
    )
    assert display.kind == "squared error"
    theirs = list(display.curves.values())[1]
    assert theirs[0][:2] == pytest.approx((1, target[0] ** 2))


def test_progress_of_one_learner():
    display = ProgressDisplay.from_estimator(Perceptron(), X, y).plot()
    assert (
        display.points
        == LearningCurvesDisplay.from_estimator(Perceptron(), X, y).curves["perceptron"]
    )
    assert ProgressDisplay.from_estimator(LMS(), X, X[:, 0]).kind == "squared error"
    is_complete(display)


def test_clip_and_one_row():
    LearningCurvesDisplay.from_estimator(Winnow(clip=True), X, y)
    is_complete(LearningCurvesDisplay.from_estimator(Perceptron(), X[:1], y[:1]).plot())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LearningCurvesDisplay.from_estimators([], X, y), "one learner at least"),
        (lambda: LearningCurvesDisplay.from_estimators([LMS(), Perceptron()], X, y), "one kind"),
        (lambda: LearningCurvesDisplay.from_estimators([MIRA(), MIRA()], X, y), "mira comes twice"),
        (lambda: LearningCurvesDisplay.from_estimators([BatchPerceptron()], X, y), "row by row"),
        (lambda: LearningCurvesDisplay.from_estimators([MIRA()], X[:0], y[:0]), "0 sample"),
        (lambda: LearningCurvesDisplay.from_estimators([MIRA()], X, y[:2]), "y has 2"),
        (lambda: LearningCurvesDisplay.from_estimators([Winnow()], X, y), "expected a value in"),
        (lambda: LearningCurvesDisplay({"a": []}), "no points"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
