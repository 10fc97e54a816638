"""What a live audit says of a run, against the same computed from the whole of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import AROW, LMS, MIRA, PassiveAggressive, Perceptron, Winnow, load
from thresher.errors import InvalidInput
from thresher.learners.table import TABLE

LEARNERS = [
    lambda: Perceptron(average=False),
    lambda: Perceptron(margin=0.7),
    lambda: Perceptron(learning_rate=0.25, fit_intercept=False),
    lambda: PassiveAggressive(variant="PA"),
    lambda: PassiveAggressive(C=0.1),
    lambda: MIRA(constraints="one"),
]


def examples(seed, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    X[:, 1:][rng.random((60, 3)) < 0.3] = 0.0  # no row is all zero
    y = np.where(X @ rng.normal(size=4) + 0.3 > 0, 1, -1)
    y[rng.random(len(y)) < noise] *= -1
    y[:2] = -1, 1
    return X, y


@pytest.mark.parametrize("make", LEARNERS)
@given(seed=st.integers(0, 2**32 - 1), noise=st.sampled_from([0.0, 0.2]))
def test_it_says_what_the_whole_run_says(make, seed, noise):
    X, y = examples(seed, noise)
    model, plain = make(), make().set_params(average=False)
    bias = 1.0 if model.fit_intercept else 0.0
    Z = np.hstack([X, np.full((len(X), 1), bias)])
    w, taus, squared, since, moved = np.zeros(5), [], 0.0, 0, []
    for i, (row, sign) in enumerate(zip(X, y, strict=True)):
        score = w @ Z[i]
        squared += max(0.0, 1 - sign * score) ** 2
        model.partial_fit(row[None, :], [sign], audit="live" if i == 0 else None)
        plain.partial_fit(row[None, :], [sign])
        now = np.append(plain.coef_[0], plain.intercept_[0] * (1 if bias else 0))
        since += 1
        if np.any(now != w):
            taus.append(sign * (now - w) @ Z[i] / (Z[i] @ Z[i]))
            moved.append(i)
            since = 1
        w = now
    live = model.audit_
    assert (live.examples, live.mistakes, live.updates) == (60, model.mistakes_, model.updates_)
    assert pytest.approx(np.linalg.norm(Z, axis=1).max()) == live.R
    assert live.norm == pytest.approx(np.linalg.norm(w), rel=1e-9, abs=1e-9)
    assert live.squared_loss == pytest.approx(squared, rel=1e-9)
    assert live.survived == since
    margins = (y * (Z @ w))[-since:] / np.linalg.norm(w)
    assert live.margin == pytest.approx(margins.min(), rel=1e-8, abs=1e-9)
    assert live.margin_ceiling == pytest.approx(np.linalg.norm(w) / sum(taus), rel=1e-8)
    # No unit vector does better on the examples that moved w than the ceiling says.
    for u in np.random.default_rng(seed).normal(size=(20, 5)):
        assert (y * (Z @ u))[moved].min() / np.linalg.norm(u) <= live.margin_ceiling + 1e-9


@given(seed=st.integers(0, 2**32 - 1))
def test_after_an_epoch_without_a_mistake_the_bound_is_a_theorem(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    X = X[np.abs(X @ [1.0, -1.0, 0.5]) > 0.3]
    y = np.where(X @ [1.0, -1.0, 0.5] > 0, 1, -1)
    if len(set(y)) < 2:
        return
    model = Perceptron(max_epochs=None).fit(X, y, audit="live")
    live = model.audit_
    assert model.converged_ and live.survived >= len(X)
    assert live.mistakes <= live.bound < math.inf
    assert live.bound_at_least <= live.bound
    assert 0 < live.margin <= live.margin_ceiling


def test_the_ceiling_falls_where_nothing_separates():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 500), [0, 1, 1, 0] * 500
    live = Perceptron().fit(X, y, audit="live").audit_
    assert live.margin_ceiling < 0.01 and live.bound_at_least > 20_000
    assert "no separator has a margin above" in str(live)


def test_it_goes_on_in_another_process(tmp_path):
    X, y = examples(5, 0.1)
    whole = Perceptron().partial_fit(X, y, audit="live")
    half = Perceptron().partial_fit(X[:20], y[:20], audit="live")
    half.save(tmp_path / "half.model")
    gone_on = load(tmp_path / "half.model").partial_fit(X[20:], y[20:])
    assert gone_on.audit_ == whole.audit_


def test_named_examples_and_files(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1 2:0.5\n-1 1:-1\n1 2:2\n")
    from_file = PassiveAggressive().fit_file(path, audit="live").audit_
    model = PassiveAggressive()
    model.learn_one({"1": 1, "2": 0.5}, 1, audit="live")
    model.learn_one({"1": -1}, -1)
    model.learn_one({"2": 2}, 1)
    assert model.audit_ == from_file
    assert pytest.approx(math.sqrt(5.0)) == from_file.R


def test_it_changes_nothing():
    X, y = examples(3, 0.2)
    for make in LEARNERS:
        with_it, without = make().fit(X, y, audit="live"), make().fit(X, y)
        np.testing.assert_array_equal(with_it.coef_, without.coef_)


@pytest.mark.parametrize("entry", [e for e in TABLE if e.online], ids=lambda e: e.name)
def test_who_has_none_says_so(entry):
    additive = {"Perceptron", "PassiveAggressive", "MIRA"}
    if entry.name in additive or not entry.linear:
        return
    with pytest.raises(InvalidInput, match="audit"):
        entry.cls().fit_file(__file__, audit="live")


def test_bad_use():
    X, y = examples(1, 0.0)
    with pytest.raises(InvalidInput, match="audit is 'dead'; expected"):
        Perceptron().fit(X, y, audit="dead")
    model = Perceptron().partial_fit(X, y)
    with pytest.raises(InvalidInput, match="from the first example on; this learner has seen 60"):
        model.partial_fit(X, y, audit="live")
    with pytest.raises(AttributeError, match='begin with audit="live"'):
        model.audit_  # noqa: B018
    assert not hasattr(model, "audit_")
    for learner in AROW(), Winnow():
        with pytest.raises(InvalidInput, match="additive learners of two classes"):
            learner.partial_fit(abs(X) / 9, y, audit="live")
    with pytest.raises((InvalidInput, TypeError), match="audit"):
        LMS().fit(X, y, audit="live")
    three = Perceptron().fit(X, np.arange(60) % 3, audit="live")
    assert not hasattr(three, "audit_")
