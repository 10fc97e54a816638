"""LDA is the batch solution after every example: scikit-learn's, and the formula's."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from thresher import LDA
from thresher.errors import InvalidInput
from thresher.theory.audit import audit_files

seeds = st.integers(0, 2**32 - 1)


def blobs(seed, classes, rows=80, columns=4):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(classes), rng.integers(classes, size=rows - classes))
    mix = rng.normal(size=(columns, columns)) + 2.0 * np.eye(columns)
    X = rng.normal(size=(classes, columns))[y] * 2.0 + rng.normal(size=(rows, columns)) @ mix
    return X + rng.normal(size=columns) * 5.0, y


def formula(X, y, shrinkage=0.0, fit_prior=True, weights=None):
    """(1 − a)·Σ + a·tr(Σ)/p·I, inverted; w and b of each class."""
    weights = np.ones(len(y)) if weights is None else weights
    p, labels, total = X.shape[1], np.unique(y), weights.sum()
    means = np.array([np.average(X[y == k], axis=0, weights=weights[y == k]) for k in labels])
    centred = X - means[np.searchsorted(labels, y)]
    S = (centred * weights[:, None]).T @ centred / total
    S = (1 - shrinkage) * S + shrinkage * np.trace(S) / p * np.eye(p)
    w = np.linalg.solve(S, means.T).T
    shares = np.array([weights[y == k].sum() for k in labels]) / total
    b = -0.5 * (means * w).sum(axis=1)
    b += np.log(shares) if fit_prior else -np.log(len(labels))
    return (w[1:] - w[0], b[1:] - b[0]) if len(labels) == 2 else (w, b)


@pytest.mark.parametrize("classes", [2, 3, 5])
@given(seed=seeds, shrinkage=st.sampled_from([0.0, 0.1, 0.7, 1.0]))
@example(seed=1336, shrinkage=0.0)  # with five classes the covariance is all but singular
def test_it_is_that_of_scikit_learn(classes, seed, shrinkage):
    """As closely as rounding allows: solving Σw = μ multiplies it by the condition of Σ."""
    X, y = blobs(seed, classes)
    ours = LDA(shrinkage=shrinkage).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    spread = np.trace(theirs.covariance_) / X.shape[1] * np.eye(X.shape[1])
    solved = (1.0 - shrinkage) * theirs.covariance_ + shrinkage * spread
    error = max(1e-8, 16 * np.finfo(float).eps * np.linalg.cond(solved))
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=error, atol=error * size)
    scores = theirs.decision_function(X)  # their logarithms end where a probability rounds to 0
    scores = scores if classes > 2 else np.column_stack([np.zeros(len(scores)), scores])
    np.testing.assert_allclose(
        ours.predict_log_proba(X), log_softmax(scores, axis=1), rtol=100 * error, atol=100 * error
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=error)
    for name in ("means_", "priors_", "covariance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), err_msg=name)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("fit_prior", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@given(seed=seeds, shrinkage=st.sampled_from([0.0, 0.25]))
def test_it_is_the_formula_after_every_example(classes, fit_prior, seed, shrinkage):
    X, y = blobs(seed, classes, rows=40)
    weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], size=len(y))
    model = LDA(shrinkage=shrinkage, fit_prior=fit_prior)
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weights[i : i + 1])
        if i >= 15:
            part = slice(i + 1)
            w, b = formula(X[part], y[part], shrinkage, fit_prior, weights[part])
            size = np.abs(w).max()
            np.testing.assert_allclose(model.coef_, w, rtol=1e-6, atol=1e-6 * size)
            size = np.abs(b).max()
            np.testing.assert_allclose(model.intercept_, b, rtol=1e-6, atol=1e-6 * size)


@given(seed=seeds)
def test_the_order_of_the_examples_does_not_matter(seed):
    X, y = blobs(seed, 3)
    mixed = np.random.default_rng(seed).permutation(len(y))
    one, other = LDA().fit(X, y), LDA().fit(X[mixed], y[mixed])
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-9)


@given(seed=seeds)
def test_it_does_not_matter_what_columns_are_measured_in(seed):
    """Without shrinkage: the same probabilities in any units, from any origin of them."""
    X, y = blobs(seed, 2)
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-6, 7, size=4)
    moved = (X + rng.normal(size=4) * 100.0) * units
    expected = LDA().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(LDA().fit(moved, y).predict_proba(moved), expected, atol=1e-7)


def test_a_class_may_come_late():
    X, y = blobs(1, 3)
    order = np.argsort(y == 2, kind="stable")
    model = LDA()
    for i in order:
        model.learn_one(dict(enumerate(X[i].tolist())), int(y[i]))
        assert sum(model.predict_proba_one({0: 1.0}).values()) == pytest.approx(1.0)
    w, _ = formula(X, y)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-7, atol=1e-9)


@given(seed=seeds, classes=st.integers(2, 4), data=st.data())
def test_what_has_no_variance_has_no_weight(seed, classes, data):
    """Constants, copies, sums, columns that never came or are the same within each class."""
    X, y = blobs(seed, classes, columns=3)
    kinds = {
        "constant": np.full(len(y), 0.1),
        "copy": X[:, 0],
        "sum": X[:, 0] - X[:, 1],
        "never": np.zeros(len(y)),
        "label": y.astype(float),
    }
    chosen = data.draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4))
    singular = np.column_stack([*(kinds[kind] for kind in chosen), X])
    model = LDA().fit(singular, y)
    np.testing.assert_array_equal(model.coef_[:, : len(chosen)], 0.0)
    expected = LDA().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(singular), expected.predict_proba(X), atol=1e-7)
    shrunk = LDA(shrinkage=0.1).fit(singular, y)
    assert np.isfinite(shrunk.coef_).all() and np.isfinite(shrunk.predict_proba(singular)).all()


def test_too_few_examples_for_a_covariance():
    """One example of each class: only the prior speaks."""
    for options in ({}, {"shrinkage": 0.5}, {"shrinkage": 1.0}):
        model = LDA(**options).fit([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], ["a", "b", "c"])
        np.testing.assert_array_equal(model.coef_, 0.0)
        np.testing.assert_allclose(model.predict_proba([[1.0, 2.0]]), 1 / 3)
    lone = LDA().fit([[1.0], [2.0]], [1, 1])
    assert lone.predict([[7.0]]).tolist() == [1]
    assert lone.predict_proba([[7.0]]).tolist() == [[1.0]]


def test_weight_two_is_two_copies():
    X, y = blobs(2, 3)
    heavy = LDA().fit(X, y, sample_weight=np.full(len(y), 2.0))
    copies = LDA().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(heavy.coef_, copies.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("shrinkage", [-0.1, 1.1, float("nan"), "auto"])
def test_shrinkage_is_a_share(shrinkage):
    with pytest.raises(InvalidInput, match="shrinkage is"):
        LDA(shrinkage=shrinkage).fit([[1.0], [2.0]], [0, 1])


def test_shrinkage_may_change_at_any_time():
    """It is no part of what is learned."""
    X, y = blobs(3, 2)
    model = LDA().fit(X, y).set_params(shrinkage=0.4)
    np.testing.assert_array_equal(model.coef_, LDA(shrinkage=0.4).fit(X, y).coef_)


def test_it_counts_no_mistakes_and_says_so():
    model = LDA().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(AttributeError, match="LDA counts no mistakes"):
        model.mistakes_  # noqa: B018


def test_what_is_refused_leaves_no_trace():
    X, y = blobs(4, 2)
    model = LDA()
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one({f"x{j}": v for j, v in enumerate(row)}, label)
    before = model.__getstate__()["_model"], model.classes_.tolist()
    wide = {f"new {i}": 1.0 for i in range(9_997)}
    for x, words in (({"new": 1e200}, "overflows"), (wide, "10001 features; expected at most")):
        with pytest.raises(InvalidInput, match=words):
            model.learn_one(x, 7)
        assert (model.__getstate__()["_model"], model.classes_.tolist()) == before


def test_an_audit_offers_no_theorem(tmp_path):
    """Of arrays and of files, though there are no mistakes to follow."""
    X, y = blobs(5, 2)
    found = LDA().fit(X, y).audit(X, y)
    assert found.counts.mistakes is None and not found.applying
    path = tmp_path / "blobs.csv"
    rows = [",".join(map(str, [label, *row])) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(["label,a,b,c,d", *rows]))
    model = LDA().fit_file(path, label="label")
    np.testing.assert_array_equal(model.coef_, LDA().fit(X, y).coef_)
    found = audit_files(model, [path])
    assert found.counts.examples == len(y) and found.history == () and not found.applying
