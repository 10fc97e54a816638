"""The longest survivor: its count, and its guarantee over many runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.theory import longest_survivor, run_length
from thresher.theory.bounds import survivor_examples


class Threshold:
    """Learns x ≥ target over {0, …, n − 1}: any threshold that fits all examples it was taught.
    Like CON it makes at most n mistakes."""

    def __init__(self, n, rng):
        self.low, self.high, self.rng = 0, n, rng
        self.guess = int(rng.integers(self.low, self.high + 1))

    def predict_one(self, x):
        return x >= self.guess

    def learn_one(self, x, y):
        if y:
            self.high = min(self.high, x)
        else:
            self.low = max(self.low, x + 1)
        self.guess = int(self.rng.integers(self.low, self.high + 1))


@pytest.mark.parametrize(("delta", "known"), [(0.2, True), (0.2, False), (0.5, True)])
def test_the_guarantee_fails_no_more_often_than_it_says(delta, known):
    """Runs of random length over a finite class; the error of the survivor is known exactly."""
    rng = np.random.default_rng(7)
    n, runs, failed = 30, 3000, 0
    for _ in range(runs):
        target = int(rng.integers(n + 1))
        xs = rng.integers(n, size=int(rng.integers(5, 120))).tolist()
        kept = longest_survivor(Threshold(n, rng), ((x, x >= target) for x in xs))
        epsilon = kept.guarantee(delta, mistake_bound=n if known else None).epsilon
        error = abs(kept.learner.guess - target) / n
        failed += error > epsilon
    assert failed / runs <= delta


@given(seed=st.integers(0, 2**32 - 1), s=st.integers(1, 40))
def test_within_so_many_examples_one_survives(seed, s):
    rng = np.random.default_rng(seed)
    n = 20
    target = int(rng.integers(n + 1))
    stream = ((x, x >= target) for x in iter(lambda: int(rng.integers(n)), None))
    kept = longest_survivor(Threshold(n, rng), stream, s)
    assert kept.survived == s
    assert kept.examples <= survivor_examples(kept.mistakes, s).value
    assert kept.examples <= survivor_examples(n, s).value


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(average=False),
        PassiveAggressive(average=False),
        Winnow(theta=4.0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_what_is_kept_is_the_hypothesis_that_survived(learner):
    """Against a run that keeps a copy of every hypothesis' answers."""
    rng = np.random.default_rng(1)
    rows = (rng.random((400, 8)) < 0.4).astype(float)
    stream = [({f"x{j}": v for j, v in enumerate(x)}, int(x[:2].any())) for x in rows]
    kept = longest_survivor(learner, stream)
    assert kept.examples == len(stream)
    answers = [kept.learner.predict_one(x) == y for x, y in stream]
    longest = run = 0
    for right in answers:
        run = run + 1 if right else 0
        longest = max(longest, run)
    assert longest >= kept.survived > 20
    assert 1 <= kept.number <= kept.mistakes + 1
    # The first example only tells the labels; additive learners count it as a mistake.
    assert learner.mistakes_ - kept.mistakes in (0, 1)


def test_the_first_hypothesis_may_be_the_one():
    class Right:
        def predict_one(self, x):
            return x

        def learn_one(self, x, y):
            raise AssertionError("it is never wrong")

    kept = longest_survivor(Right(), [(True, True)] * 1000)
    assert (kept.survived, kept.number, kept.mistakes, kept.examples) == (1000, 1, 0, 1000)
    assert kept.guarantee(0.05, mistake_bound=0).epsilon == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert longest_survivor(Right(), []).guarantee(0.05).epsilon == 1.0


@given(epsilon=st.floats(0.001, 0.5), delta=st.floats(0.001, 0.9), M=st.integers(0, 10_000))
def test_the_run_length_is_the_least_that_suffices(epsilon, delta, M):
    s = run_length(epsilon, delta, M)
    assert (M + 1) * (1 - epsilon) ** s <= delta * (1 + 1e-9)
    assert s == 1 or (M + 1) * (1 - epsilon) ** (s - 1) > delta * (1 - 1e-9)


def test_bad_input_is_named():
    with pytest.raises(InvalidInput, match="average=True"):
        longest_survivor(Perceptron(average=True), [])
    stream = [({"a": 1.0}, label) for label in (0, 1) * 9]  # no function at all
    kept = longest_survivor(Perceptron(average=False), stream)
    with pytest.raises(InvalidInput, match="does not apply"):
        kept.guarantee(0.05, mistake_bound=1)
    with pytest.raises(InvalidInput, match=r"delta is 1\.5"):
        kept.guarantee(1.5)
    with pytest.raises(InvalidInput, match="s is 0"):
        longest_survivor(Threshold(5, np.random.default_rng(0)), [], 0)
