"""The kernel perceptrons agree with their twins in plain Python, mistake by mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams import Stream, case_id, exact_streams, real_streams
from thresher import reference
from thresher.learners.table import TABLE, Entry
from thresher.reference import kernel as plain

CASES = [(entry, options) for entry in TABLE if entry.kernel for options in entry.variants]
some = settings(max_examples=max(5, settings.default.max_examples // 3))
each = pytest.mark.parametrize(("entry", "options"), CASES, ids=case_id)


def twin(model: Any) -> Any:
    """The same learner in plain Python."""
    options = model.get_params()
    kinds = {
        "linear": lambda **_: plain.linear, "polynomial": plain.polynomial, "rbf": plain.rbf,
        "sigmoid": plain.sigmoid,
    }  # fmt: skip
    given = {k: options[k] for k in ("gamma", "coef0", "degree") if options[k] is not None}
    shared = ("prediction", "burn_in", "budget", "forget", "fit_intercept", "multiclass")
    chosen = {k: options[k] for k in (*shared, "max_hypotheses", "count_from") if k in options}
    seed = int(np.random.default_rng(options["random_state"]).integers(2**32))
    cls = getattr(reference, type(model).__name__)
    return cls(
        kinds[options["kernel"]](**given),
        **chosen,
        **({"choose": lambda gone, size: int(np.random.default_rng([seed, gone]).integers(size))}),
    )


def compare(fast: Any, slow: Any, questions: Stream) -> None:
    assert (fast.examples_, fast.mistakes_, fast.updates_) == (
        slow.examples, slow.mistakes, slow.updates,
    )  # fmt: skip
    assert fast.n_support_ == len(slow.support)
    labels = sorted(slow.labels)
    expected = [[m.moves.get(r, 0.0) for r in labels] for m in slow.support]
    assert fast.support_coef_.tolist() == expected
    assert fast.survived_.tolist() == [h.survived for h in slow.hypotheses]
    for x in questions.dicts():
        for prediction in ("last", "averaged", "voted"):
            fast.set_params(prediction=prediction)
            slow.prediction = prediction
            expected, found = slow.score(x), fast.score_one(x)
            if isinstance(expected, dict):
                assert list(found) == labels
                expected, found = [expected[r] for r in labels], list(found.values())
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            if clear(expected):
                assert fast.predict_one(x) == slow.predict(x)


def clear(scores: Any) -> bool:
    """No tie: neither of two classes nor of the best two of many."""
    best = np.sort(np.atleast_1d(scores))
    return abs(best[-1] - (best[-2] if len(best) > 1 else 0.0)) > 1e-6


@each
@some
@given(data=st.data())
def test_exact_streams(entry: Entry, options: dict[str, Any], data: Any) -> None:
    stream = data.draw(exact_streams(entry, options))
    fast = entry.cls(**options)
    slow = twin(fast)
    if not any(stream.importance):
        return
    for x, y, weight in stream.examples():
        slow.learn(x, y, weight)
    fast.fit(stream.X, stream.labels, sample_weight=stream.weights)
    compare(fast, slow, stream)


@each
@some
@given(data=st.data())
def test_real_streams(entry: Entry, options: dict[str, Any], data: Any) -> None:
    stream = data.draw(real_streams(entry))
    fast = entry.cls(**options)
    slow = twin(fast)
    for x, y, weight in stream.examples():
        slow.learn(x, y, weight)
        fast.learn_one(x, y, weight)
    if slow.examples:
        compare(fast, slow, stream)


def test_several_epochs() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    stream = Stream(X, y.tolist())
    for entry, options in CASES:
        fast = entry.cls(**options, max_epochs=3).fit(X, y)
        slow = twin(fast).fit([(x, label) for x, label, _ in stream.examples()], max_epochs=3)
        assert (fast.epochs_, fast.converged_) == (slow.epochs, slow.converged)
        compare(fast, slow, stream.part(slice(5)))
