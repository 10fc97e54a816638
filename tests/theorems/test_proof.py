"""Every inequality of the proofs holds after every mistake; the numbers are those of the run."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import AROW, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.theory import novikoff_proof, winnow_proof

seeds = st.integers(0, 2**32 - 1)


def planted(seed, size=80):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    u = rng.normal(size=n)
    X = rng.normal(size=(size, n))
    y = np.where(X @ u >= 0, 1, -1)
    X += 0.1 * y[:, None] * u / np.linalg.norm(u)
    y[:2] = np.where(X[:2] @ u >= 0, 1, -1)
    return X, y


@given(
    seed=seeds, bias=st.booleans(), rate=st.sampled_from([1.0, 0.25]),
    margin=st.sampled_from([0.0, 0.5]), passes=st.integers(1, 3), shuffle=st.booleans(),
)  # fmt: skip
def test_novikoff(seed, bias, rate, margin, passes, shuffle):
    X, y = planted(seed)
    if len(set(y.tolist())) < 2:
        return
    model = Perceptron(
        average=False, fit_intercept=bias, learning_rate=rate, margin=margin, max_epochs=passes,
        shuffle=shuffle, random_state=5,
    ).fit(X, y)  # fmt: skip
    proof = novikoff_proof(model, X, y)
    assert len(proof.at) == model.updates_ <= proof.bound * (1 + 1e-9)
    assert (proof.slacks >= -1e-9 * proof.upper[:, None]).all()
    w = np.append(model.coef_[0], model.intercept_[0] if bias else 0.0) / rate
    assert proof.norm[-1] == pytest.approx(np.linalg.norm(w))
    assert math.prod(proof.kept) == pytest.approx(len(proof.at) / proof.bound)
    assert (proof.cosine > 0).all() and (proof.cosine <= 1 + 1e-12).all()
    assert proof.kept[proof.NAMES.index(proof.loosest)] == min(proof.kept)
    assert proof.loosest in str(proof)


def test_which_inequality_is_loose():
    """Orthogonal examples of one length meet the last two; one direction meets all three."""
    proof = novikoff_proof(Perceptron(fit_intercept=False), np.eye(8), [1, 0] * 4)
    assert proof.kept == pytest.approx((1.0, 1.0, 1.0))
    X = np.array([[1.0, 0.0], [-5.0, 0.0], [0.1, 3.0]])  # the first step is far shorter than R
    proof = novikoff_proof(Perceptron(fit_intercept=False), X, [1, 0, 1])
    assert proof.loosest == "‖w‖ ≤ R·√k"


@given(seed=seeds, passes=st.integers(1, 3), alpha=st.sampled_from([1.5, 2.0]))
def test_winnow(seed, passes, alpha):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(1, 3))
    X = (rng.random((150, n)) < rng.choice([0.05, 0.3])).astype(float)
    y = X[:, :k].any(axis=1).astype(int)
    if len(set(y.tolist())) < 2:
        return
    model = Winnow(alpha=alpha, max_epochs=passes).fit(X, y)
    w_star = np.zeros(n)
    w_star[:k] = 1.0
    for given_target in (None, w_star):
        proof = winnow_proof(model, X, y, given_target)
        assert len(proof.at) == model.mistakes_ <= proof.bound * (1 + 1e-9)
        if len(proof.at):
            assert proof.promotions[-1] + proof.demotions[-1] == model.mistakes_
            assert proof.total[-1] == pytest.approx(model.coef_.sum())
            assert (proof.slacks >= -1e-9 * proof.most_total.max()).all()
            assert proof.loosest in str(proof)


def test_what_the_proofs_ask_for():
    X, y = planted(1)
    with pytest.raises(InvalidInput, match="expected a Perceptron"):
        novikoff_proof(AROW(), X, y)
    with pytest.raises(InvalidInput, match="1/t"):
        novikoff_proof(Perceptron(learning_rate="1/t"), X, y)
    with pytest.raises(InvalidInput, match="not separable"):
        novikoff_proof(Perceptron(), [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    with pytest.raises(InvalidInput, match="row"):
        novikoff_proof(Perceptron(fit_intercept=False), X, y, -np.ones(X.shape[1]))
    bits = (X > 0).astype(float)
    for wrong in (Winnow(margin=1.0), Winnow(negations=True), Winnow(floor=0.5)):
        with pytest.raises(InvalidInput, match="expected Winnow without"):
            winnow_proof(wrong, bits, y)
    with pytest.raises(InvalidInput, match="disjunction"):
        winnow_proof(Winnow(), [[1, 0], [1, 0]], [0, 1])
    with pytest.raises(InvalidInput, match="weights ≥ 0"):
        winnow_proof(Winnow(), [[1, 0], [0, 1]], [0, 1], [-1.0, 1.0])
