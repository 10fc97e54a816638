"""Detectors of drift: each against its paper's formulas on all raw values, and against River's."""

import copy
import math
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.drift import ADWIN, DDM, PageHinkley, by_name
from thresher.errors import InvalidInput, ModelFileError


class PlainADWIN:
    """The window as lists of raw values, one list a bucket, all sums taken anew at each test."""

    def __init__(self, delta=0.002, clock=32, max_buckets=5):
        self.delta, self.clock, self.most = delta, clock, max_buckets
        self.buckets = []  # from the oldest
        self.seen = 0

    def update(self, value):
        self.buckets.append([value])
        size = 1
        while len(same := [b for b in self.buckets if len(b) == size]) > self.most:
            at = self.buckets.index(same[0])
            self.buckets[at : at + 2] = [same[0] + same[1]]
            size *= 2
        self.seen += 1
        changed = False
        if self.seen % self.clock == 0:
            while (cut := self.cut()) is not None:
                if not changed:
                    self.found = cut
                changed = True
                del self.buckets[0]
        return changed

    def cut(self):
        values = [v for bucket in self.buckets for v in bucket]
        n = len(values)
        for k in range(1, len(self.buckets)):
            older = [v for bucket in self.buckets[:k] for v in bucket]
            newer = values[len(older) :]
            mu0, mu1, mu = (sum(part) / len(part) for part in (older, newer, values))
            variance = sum((v - mu) ** 2 for v in values) / n
            m = 1 / (1 / len(older) + 1 / len(newer))
            ln = math.log(2 / (self.delta / math.log(n)))
            if abs(mu0 - mu1) >= math.sqrt(2 / m * variance * ln) + 2 / (3 * m) * ln:
                return mu0, mu1, len(older), len(newer)
        return None


class PlainDDM:
    def __init__(self, drift=3.0, warm_start=30):
        self.drift, self.warm_start, self.values, self.best = drift, warm_start, [], []

    def update(self, value):
        self.values.append(value)
        n = len(self.values)
        p = sum(self.values) / n
        s = math.sqrt(p * (1 - p) / n)
        if n <= self.warm_start:
            return False
        self.best.append((p, s))
        p_min, s_min = min(self.best, key=lambda ps: ps[0] + ps[1])
        changed = p + s >= p_min + self.drift * s_min and p + s > p_min + s_min
        if changed:
            self.values, self.best = [], []
        return changed


class PlainPageHinkley:
    def __init__(self, delta=0.005, threshold=50.0, warm_start=30):
        self.delta, self.threshold, self.warm_start = delta, threshold, warm_start
        self.values = []

    def update(self, value):
        self.values.append(value)
        sums, total = [], 0.0
        for t in range(1, len(self.values) + 1):
            mean = sum(self.values[:t]) / t
            total += self.values[t - 1] - mean - self.delta
            sums.append(total)
        changed = len(self.values) >= self.warm_start and sums[-1] - min(sums) > self.threshold
        if changed:
            self.values = []
        return changed


@st.composite
def errors(draw, most=400):
    """0s and 1s whose rate changes a few times."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    parts = draw(st.lists(st.tuples(st.integers(1, most // 3), st.floats(0, 1)), max_size=3))
    return [int(rng.random() < rate) for size, rate in parts for _ in range(size)]


def found_by(detector, values):
    return [t for t, value in enumerate(values) if detector.update(value)]


@settings(max_examples=30)
@given(values=errors(), clock=st.sampled_from([1, 8, 32]), buckets=st.sampled_from([2, 5]))
def test_adwin_is_that_of_the_paper(values, clock, buckets):
    options = {"delta": 0.05, "clock": clock, "max_buckets": buckets}
    fast, plain = ADWIN(**options), PlainADWIN(**options)
    assert found_by(fast, values) == found_by(plain, values)
    kept = [v for bucket in plain.buckets for v in bucket]
    assert fast.width == len(kept)
    assert not kept or fast.mean == pytest.approx(sum(kept) / len(kept))
    if fast.evidence:
        seen = fast.evidence
        assert (seen.older_size, seen.newer_size) == plain.found[2:]
        assert (seen.older_mean, seen.newer_mean) == pytest.approx(plain.found[:2])
        assert seen.statistic >= seen.threshold


@settings(max_examples=30)
@given(values=errors(), drift=st.sampled_from([1.0, 3.0]), warm=st.sampled_from([0, 5, 30]))
def test_ddm_is_that_of_the_paper(values, drift, warm):
    fast, plain = DDM(drift=drift, warm_start=warm), PlainDDM(drift, warm)
    assert found_by(fast, values) == found_by(plain, values)


@settings(max_examples=20)
@given(
    values=st.lists(st.sampled_from([0.0, 0.25, 1.0, 4.0]), max_size=120),
    threshold=st.sampled_from([2.0, 10.0]),
    warm=st.sampled_from([1, 30]),
)
def test_page_hinkley_is_that_of_the_papers(values, threshold, warm):
    options = {"delta": 0.25, "threshold": threshold, "warm_start": warm}
    assert found_by(PageHinkley(**options), values) == found_by(PlainPageHinkley(**options), values)


def a_stream(seed, n=3000):
    """Three rates, one after the other."""
    rng = random.Random(seed)
    return [int(rng.random() < (0.1, 0.4, 0.2)[3 * t // n]) for t in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_the_same_changes_as_rivers_where_it_follows_the_papers(seed):
    from river import drift as river

    def by_river(detector, values):
        out = []
        for t, value in enumerate(values):
            detector.update(value)
            if detector.drift_detected:
                out.append(t)
        return out

    values = a_stream(seed)
    # Its ADWIN counts four values less on either side of a cut, unless it is told not to, and
    # forgets the whole window after a change.
    theirs, ours, found = (
        river.ADWIN(delta=0.01, min_window_length=1, grace_period=1),
        ADWIN(delta=0.01),
        [],
    )
    for t, value in enumerate(values):
        if ours.update(value):
            found.append(t)
            ours.reset()
    assert found == by_river(theirs, values) != []
    assert found_by(DDM(), values) == by_river(river.binary.DDM(), values) != []
    theirs = river.PageHinkley(mode="up", alpha=1.0, threshold=30.0)
    assert found_by(PageHinkley(threshold=30.0), values) == by_river(theirs, values) != []


@pytest.mark.parametrize("detector", [ADWIN(), DDM(), PageHinkley(threshold=20.0)])
def test_pickled_copied_and_reset_anywhere(detector):
    values = a_stream(1)
    whole = found_by(copy.copy(detector), values)
    parts = []
    for t, value in enumerate(values):
        if t % 300 == 299:
            detector = pickle.loads(pickle.dumps(detector))
        if detector.update(value):
            parts.append(t)
    assert parts == whole != []
    assert detector.evidence.newer_size > 0
    detector.reset()
    assert detector.width == 0 and detector.evidence is None and not detector.detected
    assert found_by(detector, values) == whole


def test_what_a_detector_does_not_take():
    with pytest.raises(InvalidInput, match=r"the value is 1\.5; ADWIN expects numbers from 0 to 1"):
        ADWIN().update(1.5)
    with pytest.raises(InvalidInput, match=r"the value is 0\.5; DDM expects 0 or 1"):
        DDM().update(0.5)
    with pytest.raises(InvalidInput, match="the value is nan; PageHinkley expects finite"):
        PageHinkley().update(math.nan)
    with pytest.raises(InvalidInput, match="delta is 2; expected a finite number > 0 and < 1"):
        ADWIN(delta=2).update(0)
    with pytest.raises(InvalidInput, match=r"'adwine' is no detector.*Did you mean 'adwin'"):
        by_name("adwine")
    state = ADWIN().__getstate__()
    with pytest.raises(ModelFileError, match="levels"):
        ADWIN().__setstate__({**state, "state": {**state["state"], "buckets": 3}})
