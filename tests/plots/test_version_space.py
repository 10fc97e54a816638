"""Sizes of version spaces, of any length, and the learners that have them."""

import itertools

import numpy as np
import pytest

from plots.drawn import heights, is_complete, named
from thresher import Perceptron
from thresher.errors import InvalidInput
from thresher.plots import VersionSpaceDisplay

N = 4
BITS = np.random.default_rng(1).integers(0, 2, size=(40, N))
CONCEPTS = [c for r in range(N + 1) for c in itertools.combinations(range(N), r)]


def conjunction(variables, x):
    return all(x[i] for i in variables)


class Majority:
    """Halving over monotone conjunctions, by brute force."""

    def __init__(self):
        self.left = list(CONCEPTS)
        self.mistakes_ = 0

    def get_params(self, deep=True):
        return {}

    @property
    def version_space_size_(self):
        return len(self.left)

    def partial_fit(self, X, y):
        for x, label in zip(X, y, strict=True):
            votes = [conjunction(c, x) for c in self.left]
            self.mistakes_ += (2 * sum(votes) >= len(votes)) != label
            self.left = [c for c, v in zip(self.left, votes, strict=True) if v == label]
        return self


TRUTH = np.array([conjunction((0, 2), x) for x in BITS])


def test_sizes_and_mistakes_of_a_learner_are_drawn():
    display = VersionSpaceDisplay.from_estimator(Majority(), BITS, TRUTH).plot()
    for t, size in zip(display.examples, display.sizes, strict=True):
        seen = list(zip(BITS[:t], TRUTH[:t], strict=True))
        assert size == sum(all(conjunction(c, x) == v for x, v in seen) for c in CONCEPTS)
    line, marks, promised = display.ax_.lines
    assert heights(line) == pytest.approx(np.log2(display.sizes))
    assert len(marks.get_xdata()) <= display.mistakes[-1] <= np.log2(len(CONCEPTS))
    assert named(display.ax_)[0] == f"concepts left: {display.sizes[-1]}"
    # Halving promises one halving a mistake: the line is never above.
    assert (np.array(heights(line)) <= np.array(heights(promised)) + 1e-9).all()
    is_complete(display)


def test_a_learner_that_names_its_class_is_drawn_from_the_start():
    class OfClass(Majority):
        concepts = np.array(CONCEPTS, dtype=object)

    display = VersionSpaceDisplay.from_estimator(OfClass(), BITS, TRUTH)
    assert (display.examples[0], display.sizes[0], display.mistakes[0]) == (0, len(CONCEPTS), 0)
    rest = VersionSpaceDisplay.from_estimator(Majority(), BITS, TRUTH)
    assert (display.examples[1:], display.sizes[1:]) == (rest.examples, rest.sizes)


def test_a_history_begins_before_the_first_example():
    display = VersionSpaceDisplay.from_history([16, 8, 8, 2], [True, False, True]).plot()
    line, marks, promised = display.ax_.lines
    assert line.get_xdata().tolist() == [0, 1, 2, 3]
    assert heights(line) == [4, 3, 3, 1]
    assert marks.get_xydata().tolist() == [[1, 3], [3, 1]]
    assert heights(promised) == [4, 3, 3, 2]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["1", "2", "4", "8", "16"]


def test_sizes_beyond_any_float():
    display = VersionSpaceDisplay.from_history([3**2000, 3**1000, 1]).plot()
    assert heights(display.ax_.lines[0]) == pytest.approx([2000 * np.log2(3), 1000 * np.log2(3), 0])
    assert len(display.ax_.get_yticks()) < 12
    assert "$2^{" in display.ax_.get_yticklabels()[-1].get_text()
    is_complete(display)


def test_nothing_left_is_said():
    display = VersionSpaceDisplay.from_history([4, 1, 0]).plot()
    assert any("none left" in text.get_text() for text in display.ax_.texts)
    assert display.ax_.get_yticklabels()[0].get_text() == "0"
    assert display.ax_.get_ylim()[0] < -1
    is_complete(display)
    is_complete(VersionSpaceDisplay.from_history([1]).plot())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: VersionSpaceDisplay.from_history([]), "0 sizes"),
        (lambda: VersionSpaceDisplay.from_history([4, 5]), "never grow"),
        (lambda: VersionSpaceDisplay.from_history([4, -1]), "size -1"),
        (lambda: VersionSpaceDisplay.from_history([4, 2.5]), "size 2.5"),
        (lambda: VersionSpaceDisplay.from_history([4, float("nan")]), "size nan"),
        (lambda: VersionSpaceDisplay.from_history([4, 2], [True, True]), "as many of each"),
        (lambda: VersionSpaceDisplay.from_estimator(Perceptron(), BITS, TRUTH),
         "Perceptron has no version_space_size_"),
        (lambda: VersionSpaceDisplay.from_estimator(Majority(), BITS[:0], TRUTH[:0]), "0 sample"),
        (lambda: VersionSpaceDisplay.from_estimator(Majority(), BITS, TRUTH[:2]), "y has 2"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
