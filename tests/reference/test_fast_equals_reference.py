"""The engine against thresher.reference: every learner, every variant, every form of input.

Besides the weights, scores and probabilities, the counts must be equal: they tell of each single
decision, so a tie that is decided the other way, or a step too many, cannot hide.
"""

import contextlib

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from streams import (
    ARRAYS,
    BINARY,
    CASES,
    ONES,
    ONLINE,
    Stream,
    case_id,
    exact_options,
    exact_streams,
    learn,
    real_streams,
)
from thresher import reference as ref
from thresher.learners.table import TABLE
from thresher.reference import BIAS
from thresher.reference.calibration import Scale

# A share of what the profile asks for: there are hundreds of such tests.
some = settings(max_examples=max(8, settings.default.max_examples // 5))
few = settings(max_examples=max(5, settings.default.max_examples // 8))

ENTRY = {entry.name: entry for entry in TABLE}
# Where η itself is estimated, a residual of 0 is 0 only up to rounding: not a stream for counting.
DECIDED = [
    (entry, options)
    for entry, options in ONLINE
    if entry.name != "LMS" or options.keys() & {"learning_rate", "normalized"}
]
BATCH = [(entry, options) for entry, options in CASES if not entry.online]
CLOSE = 1e-9


def reference_for(entry, options, columns=None):
    """The learner in plain Python. Winnow needs to know how many columns there are, if there are."""
    extra = {"n_features": columns} if entry.name == "Winnow" and columns is not None else {}
    return getattr(ref, entry.name)(**options, **extra)


def learned(reference, stream):
    for example in stream.examples():
        reference.learn(*example)
    return reference


def close(found, expected, tolerance=CLOSE):
    """Up to rounding, measured by the largest number of the vector."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    finite = np.abs(expected[np.isfinite(expected)])
    size = max(1.0, finite.max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size)


def by_class(value):
    """One vector for two classes, one for each label, in sorted order, for more."""
    if isinstance(value, dict) and any(isinstance(v, dict) for v in value.values()):
        return [value[label] for label in sorted(value)]
    return [value]


def assert_same(model, reference, stream, form):
    classifies = hasattr(reference, "labels")
    assert model.examples_ == reference.examples
    assert model.updates_ == reference.updates
    if classifies:
        assert model.mistakes_ == reference.mistakes
        assert model.classes_.tolist() == sorted(reference.labels)
    if hasattr(model, "clamped_"):
        assert model.clamped_ == reference.clamped
    assert_same_weights(model, reference, stream, form)
    assert_same_predictions(model, reference, stream, form, classifies)


def assert_same_weights(model, reference, stream, form):
    expected = by_class(reference.weights())
    close(np.ravel(model.intercept_), [w.get(BIAS, 0.0) for w in expected])
    if form in ARRAYS:
        names = [f"x{j}" for j in range(stream.columns)]
        assert model.n_features_in_ == len(names)
        close(np.atleast_2d(model.coef_), [[w.get(name, 0.0) for name in names] for w in expected])
        return
    top = model.top_features(10**6)
    found = [top[label] for label in sorted(top)] if isinstance(top, dict) else [top]
    for weights, w in zip(map(dict, found), expected, strict=True):
        names = sorted(w.keys() - {BIAS})
        assert weights.keys() <= set(names)
        close([weights.get(name, 0.0) for name in names], [w[name] for name in names])


def assert_same_predictions(model, reference, stream, form, classifies):
    for row, x in zip(ARRAYS["dense"](stream), stream.dicts(), strict=True):
        if form in ARRAYS:
            row = ARRAYS[form](Stream(row[None, :], [0]))
            scores = (model.decision_function if classifies else model.predict)(row)
            predicted = model.predict(row)[0]
        else:
            scores, predicted = model.score_one(ONES[form](x)), model.predict_one(ONES[form](x))
        assert_same_scores(scores, predicted, reference, x, classifies)
    if form in ONES:  # a name never seen before
        x = {"x0": 1.0, "unheard of": 1.0}
        scores, predicted = model.score_one(ONES[form](x)), model.predict_one(ONES[form](x))
        assert_same_scores(scores, predicted, reference, x, classifies)


def assert_same_scores(scores, predicted, reference, x, classifies):
    expected = reference.score(x)
    if not isinstance(expected, dict):
        close(np.ravel(scores), [expected])
        clear = abs(expected) > 1e-6
    else:
        if isinstance(scores, dict):
            assert scores.keys() == expected.keys()
            scores = [scores[label] for label in sorted(scores)]
        close(np.ravel(scores), [expected[label] for label in sorted(expected)])
        first, second, *_ = sorted(expected.values(), reverse=True)
        clear = first - second > 1e-6 * max(1.0, abs(first))
    if classifies and clear:
        assert predicted == reference.predict(x)


def assert_same_probabilities(model, reference, stream, form):
    for row, x in zip(stream.X, stream.dicts(), strict=True):
        expected = reference.predict_proba(x)
        if form in ARRAYS:
            row = ARRAYS[form](Stream(row[None, :], [0]))
            found = dict(zip(model.classes_.tolist(), model.predict_proba(row)[0], strict=True))
        else:
            found = model.predict_proba_one(ONES[form](x))
        assert found.keys() == expected.keys()
        close([found[k] for k in expected], list(expected.values()), 1e-6)


@contextlib.contextmanager
def no_vanishing_scale():
    """Give up on a stream whose first scores are 0 up to rounding: divided by their own size they
    are 1 for one engine and 0 for another."""
    plain = Scale.learn

    def watched(self, square):
        plain(self, square)
        assume(self.m2 > 1e-12 or (self.t == 1 and self.m2 == 0.0))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scale, "learn", watched)
        yield


def check(entry, options, stream, form, exact):
    reference = reference_for(entry, options, stream.columns if form in ARRAYS else None)
    calibrated = options.get("calibrate", False)
    with no_vanishing_scale() if calibrated and exact else contextlib.nullcontext():
        learned(reference, stream)
    model = learn(entry.cls(**options), stream, form)
    assert_same(model, reference, stream, form)
    if calibrated:
        assert_same_probabilities(model, reference, stream, form)


@pytest.mark.parametrize("form", [*ARRAYS, *ONES])
@pytest.mark.parametrize(("entry", "options"), DECIDED, ids=case_id)
@some
@given(data=st.data())
def test_streams_full_of_ties(entry, options, form, data):
    options = exact_options(entry, options)
    stream = data.draw(exact_streams(entry, options, binary=form in BINARY))
    check(entry, options, stream, form, exact=True)


@pytest.mark.parametrize("form", ["dense", "csr", "csr float32", "dict"])
@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
@few
@given(data=st.data())
def test_streams_of_real_numbers(entry, options, form, data):
    check(entry, options, data.draw(real_streams(entry)), form, exact=False)
