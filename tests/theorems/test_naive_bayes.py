"""Naive Bayes: equal to scikit-learn's, blind to the order of its examples, and exact by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from thresher import NaiveBayes
from thresher.errors import InvalidInput

PEERS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}


@st.composite
def counts(draw):
    """Rows of counts, with zeros and columns that never occur, labels and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    classes = draw(st.integers(2, 5))
    X = rng.poisson(draw(st.sampled_from([0.2, 2.0])), size=(draw(st.integers(5, 60)), 12))
    X[:, draw(st.integers(0, 11))] = 0
    y = rng.integers(classes, size=len(X))
    y[:classes] = range(classes)
    weights = rng.random(len(X)) + 0.1 if draw(st.booleans()) else np.ones(len(X))
    return X.astype(float), y, weights


@pytest.mark.parametrize("kind", PEERS)
@given(
    made=counts(), alpha=st.sampled_from([0.01, 0.5, 1.0, 3.0]), fit_prior=st.booleans(),
    cut=st.integers(5, 60),
)  # fmt: skip
def test_it_is_scikit_learns(kind, made, alpha, fit_prior, cut):
    """In parts, sparse or dense: probabilities, and the logarithms they are made of."""
    X, y, weights = made
    ours = NaiveBayes(kind, alpha=alpha, fit_prior=fit_prior)
    theirs = PEERS[kind](alpha=alpha, fit_prior=fit_prior)
    for part in slice(cut), slice(cut, None):
        if len(y[part]):
            ours.partial_fit(sparse.csr_array(X[part]), y[part], sample_weight=weights[part])
            theirs.partial_fit(X[part], y[part], np.unique(y), sample_weight=weights[part])
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12
    )
    for name in ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"):
        found, expected = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9
    )
    joint = theirs.predict_joint_log_proba(X)
    if len(ours.classes_) > 2:
        np.testing.assert_allclose(ours.decision_function(X), joint, rtol=1e-9)
    else:
        np.testing.assert_allclose(ours.decision_function(X), joint[:, 1] - joint[:, 0], atol=1e-9)
    scores = X if kind == "multinomial" else (X > 0).astype(float)
    linear = scores @ ours.coef_.T + ours.intercept_
    np.testing.assert_allclose(np.squeeze(linear), ours.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("kind", PEERS)
@given(made=counts(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_examples_does_not_matter(kind, made, seed):
    X, y, _ = made
    mixed = np.random.default_rng(seed).permutation(len(X))
    one, other = NaiveBayes(kind).fit(X, y), NaiveBayes(kind).fit(X[mixed], y[mixed])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-12)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", PEERS)
@given(made=counts())
def test_a_weight_of_two_is_two_copies(kind, made):
    X, y, _ = made
    heavy = NaiveBayes(kind).fit(X, y, sample_weight=np.full(len(X), 2.0))
    copies = NaiveBayes(kind).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(heavy.coef_, copies.coef_, rtol=1e-12)


def test_a_message_by_hand():
    """Four words, counts plus 1: θ(cheap) is (2 + 1)/(3 + 4) in spam, (0 + 1)/(2 + 4) in ham."""
    model = NaiveBayes()
    model.learn_one({"cheap": 2.0, "pills": 1.0}, "spam")
    model.learn_one(["lunch", "noon"], "ham")
    assert model.score_one(["cheap"]) == pytest.approx(math.log((3 / 7) / (1 / 6)))
    assert model.predict_proba_one(["cheap"])["spam"] == pytest.approx((3 / 7) / (3 / 7 + 1 / 6))
    assert model.score_one(["unheard", "of"]) == 0.0

    absence = NaiveBayes("bernoulli")
    absence.learn_one(["cheap", "pills"], "spam")
    absence.learn_one(["cheap", "lunch"], "ham")
    # cheap: 2/3 in both. No pills: 1/3 in spam, 2/3 in ham. Lunch: 1/3 in spam, 2/3 in ham.
    assert absence.score_one(["cheap", "lunch"]) == pytest.approx(math.log(1 / 4))


@pytest.mark.parametrize("alpha", [0.0, -1.0, math.nan, math.inf])
def test_smoothing_must_be_above_zero(alpha):
    with pytest.raises(InvalidInput, match=r"alpha is .*; expected a finite number > 0"):
        NaiveBayes(alpha=alpha).fit([[1.0], [0.0]], [0, 1])


def test_negative_counts():
    X = [[1.0, -2.0], [0.0, 1.0]]
    with pytest.raises(InvalidInput, match=r"row 0, feature 'x1': found -2\.0 .*kind='bernoulli'"):
        NaiveBayes().fit(X, [0, 1])
    model = NaiveBayes().fit(np.abs(X), [0, 1])
    with pytest.raises(InvalidInput, match="Negative values in data"):
        model.predict(X)
    absent = NaiveBayes("bernoulli").fit(X, [0, 1])
    np.testing.assert_array_equal(
        absent.coef_, NaiveBayes("bernoulli").fit(np.maximum(X, 0.0), [0, 1]).coef_
    )
