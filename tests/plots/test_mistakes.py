"""Mistakes and their bounds: the counts of the learner itself, and no bound that fails."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from plots.drawn import heights, is_complete, named, with_gid
from thresher import LMS, BalancedWinnow, BatchPerceptron, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.plots import MistakesDisplay
from thresher.theory.replay import MOST_MOMENTS, Replay, moments

RNG = np.random.default_rng(3)
X = RNG.choice([-1.0, 1.0], size=(2500, 30))
y = np.where(X[:, :3].sum(axis=1) > 0, "heads", "tails")
NOVIKOFF = 30 * 3  # R² = 30, γ = 1/√3


def bound(theorem, value, applies=True):
    return SimpleNamespace(theorem=theorem, value=value, applies=applies)


def counted(model, rows):
    """The mistakes after each row, one call a row."""
    counts = []
    for i in range(rows):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        counts.append(model.mistakes_)
    return counts


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array, np.ndarray.tolist])
def test_the_counts_are_those_of_the_learner_row_by_row(form):
    model = Perceptron(fit_intercept=False)
    display = MistakesDisplay.from_estimator(model, form(X[:200]), y[:200], NOVIKOFF).plot()
    expected = counted(Perceptron(fit_intercept=False), 200)
    (run,) = with_gid(display.ax_, "run")
    assert run.get_xdata().tolist() == list(range(201))
    assert heights(run) == [0, *expected]
    assert named(display.ax_) == [f"Perceptron  {expected[-1]}", "bound  90"]
    assert expected[-1] <= NOVIKOFF
    assert not hasattr(model, "mistakes_"), "the learner given has learned nothing"
    is_complete(display)


def test_a_long_run_is_looked_at_often_enough_for_both_kinds_of_axes():
    display = MistakesDisplay.from_estimator(Perceptron(fit_intercept=False), X, y)
    counts = counted(Perceptron(fit_intercept=False), 2500)
    assert display.mistakes.tolist() == [counts[t - 1] for t in display.examples]
    assert len(display.examples) <= MOST_MOMENTS
    assert display.examples[0] == 1
    assert display.examples[-1] == 2500
    assert np.diff(display.examples).max() < 2500 / 150
    assert set(range(1, 8)) <= set(display.examples.tolist())


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_fitted_model_is_replayed_with_all_its_passes(shuffle):
    model = Perceptron(max_epochs=7, shuffle=shuffle, random_state=4).fit(X[:300, 1:], y[:300])
    display = MistakesDisplay.from_estimator(model, X[:300, 1:], y[:300])
    assert display.examples[-1] == 2100 == model.examples_
    assert display.mistakes[-1] == model.mistakes_
    assert MistakesDisplay.from_estimator(model, X[:300], y[:300], passes=2).examples[-1] == 600


def test_looking_on_does_not_use_up_a_generator_of_the_user():
    generator = np.random.default_rng(5)
    before = generator.bit_generator.state
    model = Perceptron(shuffle=True, random_state=generator)
    MistakesDisplay.from_estimator(model, X[:50], y[:50])
    assert generator.bit_generator.state == before


def test_a_bound_that_does_not_apply_is_named_and_not_drawn():
    bounds = [bound("Novikoff", 5.0, applies=False), bound("noisy", 400.0), bound("free", np.inf)]
    display = MistakesDisplay.from_estimator(Perceptron(), X[:200], y[:200], bounds).plot()
    made = display.mistakes[-1]
    assert named(display.ax_) == [
        f"Perceptron  {made}", "noisy  400", "Novikoff: does not apply", "free: says nothing (∞)",
    ]  # fmt: skip
    lines = {line.get_label(): line for line in display.ax_.lines}
    assert heights(lines["noisy  400"]) == [400.0, 400.0]
    assert heights(lines["Novikoff: does not apply"]) == []
    assert not any(5.0 in heights(line)[-1:] for line in display.ax_.lines)
    is_complete(display)


def test_a_bound_that_does_not_apply_may_have_no_number():
    display = MistakesDisplay([1], [1], bound("Novikoff", float("nan"), applies=False)).plot()
    assert named(display.ax_)[1] == "Novikoff: does not apply"


def test_a_bound_that_is_exceeded_says_so():
    display = MistakesDisplay.from_history([True, False, True, True], {"hope": 2}).plot()
    assert named(display.ax_) == ["mistakes  3", "hope  2, exceeded"]
    assert MistakesDisplay.from_history([1, 0, 1], 2).plot().ax_.get_ylim()[1] > 2


def test_axes_are_logarithmic_where_that_helps():
    near = MistakesDisplay.from_history([1, 0, 1, 0], 3).plot().ax_
    assert (near.get_xscale(), near.get_yscale()) == ("linear", "linear")
    far = MistakesDisplay.from_history([1, 0, 1, 0] * 500, 1e6).plot().ax_
    assert (far.get_xscale(), far.get_yscale()) == ("log", "log")
    assert far.get_ylim()[1] > 1e6


def test_several_runs_in_one_picture_are_all_inside_it():
    first = MistakesDisplay.from_estimator(Perceptron(fit_intercept=False), X, y, 90).plot()
    other = BalancedWinnow(alpha=1.2, fit_intercept=False)
    second = MistakesDisplay.from_estimator(other, X[:600], y[:600], {"Winnow's": 2000})
    second.plot(first.ax_, linewidth=5)
    one, two = with_gid(first.ax_, "run")
    assert one.get_color() != two.get_color()
    assert two.get_linewidth() == 5
    assert first.ax_.get_ylim()[1] > 2000
    assert first.ax_.get_xlim()[1] == 2500
    assert first.ax_.get_yscale() == "log"
    is_complete(second)


def test_one_row_is_a_run():
    display = MistakesDisplay.from_estimator(Winnow(), [[1.0, 0.0]], ["a"]).plot()
    assert display.examples.tolist() == [1]
    is_complete(display)


def test_a_bad_row_is_found():
    bad = ((X + 1) / 2).tolist()
    bad[70][3] = 7.0
    with pytest.raises(InvalidInput, match=r"feature 'x3': found 7\.0") as raised:
        MistakesDisplay.from_estimator(Winnow(), bad[:100], y[:100])
    assert raised.value.where.row == 70


def test_moments_ascend_and_end_with_the_last():
    for total in (1, 2, 399, 400, 401, 10**6):
        times = moments(total)
        assert times[0] == 1
        assert times[-1] == total
        assert np.all(np.diff(times) > 0)
        assert len(times) <= MOST_MOMENTS


def test_a_run_shows_where_a_learner_starts():
    for model, start in ((Perceptron(), 0.0), (Winnow(), 1.0)):
        run = Replay(model, (X + 1) / 2, y)
        seen = [run.learner.coef_[0].copy() for _ in run.at([0, 100])]
        assert seen[0].tolist() == [start] * 30
        plain = type(model)().partial_fit((X[:100] + 1) / 2, y[:100])
        assert seen[1].tolist() == plain.coef_[0].tolist()
        assert run.learner.mistakes_ == plain.mistakes_


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MistakesDisplay.from_estimator(LMS(), X, X[:, 0]), "LMS counts no mistakes"),
        (lambda: MistakesDisplay.from_estimator(BatchPerceptron(), X, y), "row by row"),
        (lambda: MistakesDisplay.from_estimator(Perceptron(), X[:0], y[:0]), "0 sample"),
        (lambda: MistakesDisplay.from_estimator(Perceptron(), X, y[:9]), "y has 9"),
        (lambda: MistakesDisplay.from_estimator(Perceptron(), X[0], y[:1]), "Expected 2D array"),
        (lambda: MistakesDisplay.from_estimator(Perceptron(), X, y, passes=0), "passes is 0"),
        (lambda: MistakesDisplay.from_estimator(Perceptron(), X[:2], [1, "a"]), "mixed type"),
        (lambda: MistakesDisplay.from_estimator(Perceptron(), X[:2], [0.5, 1]), "continuous"),
        (lambda: MistakesDisplay.from_history([]), "0 examples"),
        (lambda: MistakesDisplay.from_history([0, 1, 2]), "True or False"),
        (lambda: MistakesDisplay([1, 2], [1]), "two columns of one length"),
        (lambda: MistakesDisplay([1], [1], "Novikoff"), "expected a number, or an object with"),
        (lambda: MistakesDisplay([1], [1], -1), "expected a number ≥ 0"),
        (lambda: MistakesDisplay([1], [1], float("nan")), "expected a number ≥ 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
