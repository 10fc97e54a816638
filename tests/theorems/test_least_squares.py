"""Recursive least squares are the batch solution, after every example and to the last digits."""

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import LDA, LMS, Race, RecursiveLeastSquares
from thresher.errors import InvalidInput, ModelFileError

seeds = st.integers(0, 2**32 - 1)


def batch(X, y, weights=None, l2=0.0, intercept=True):
    """By one QR of everything (numpy.linalg.lstsq): rows times √weight, √l2 of each feature."""
    n, p = X.shape
    root = np.sqrt(np.ones(n) if weights is None else weights)[:, None]
    A = np.hstack([X, np.ones((n, 1))]) * root if intercept else X * root
    penalty = np.sqrt(l2) * np.eye(p, A.shape[1])
    A, b = np.vstack([A, penalty]), np.concatenate([y * root[:, 0], np.zeros(p)])
    scale = np.linalg.norm(A, axis=0)
    w = np.linalg.lstsq(A / np.where(scale, scale, 1.0), b, rcond=None)[0]
    return w / np.where(scale, scale, 1.0)


def found(model, intercept=True):
    return np.append(model.coef_, model.intercept_) if intercept else model.coef_


def stream(seed, rows, columns):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) + 10.0 * rng.normal(size=columns)
    X *= 10.0 ** rng.integers(-6, 7, size=columns)  # whatever the columns are measured in
    return X, rng.normal(size=rows), rng.choice([0.3, 1.0, 2.0], size=rows)


@given(seed=seeds, intercept=st.booleans(), l2=st.sampled_from([0.0, 0.01, 3.0]))
def test_it_is_the_batch_solution_after_every_example(seed, intercept, l2):
    X, y, weights = stream(seed, 40, 4)
    model = RecursiveLeastSquares(l2=l2, fit_intercept=intercept)
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weights[i : i + 1])
        if i >= 8:
            expected = batch(X[: i + 1], y[: i + 1], weights[: i + 1], l2, intercept)
            size = np.append(X.std(axis=0), 1.0)[: len(expected)]
            close = np.testing.assert_allclose
            close(found(model, intercept) * size, expected * size, rtol=1e-8, atol=1e-8)


@given(seed=seeds, forgetting=st.sampled_from([0.99, 0.9, 0.5]), l2=st.sampled_from([0.0, 2.0]))
def test_forgetting_weights_the_past_and_the_penalty(seed, forgetting, l2):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    model = RecursiveLeastSquares(l2=l2, forgetting=forgetting).fit(X, y)
    weights = forgetting ** np.arange(49.0, -1.0, -1.0)
    expected = batch(X, y, weights, l2 * forgetting**50)
    np.testing.assert_allclose(found(model), expected, rtol=1e-6, atol=1e-9)


def test_it_follows_a_target_that_changes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3))
    y = np.where(np.arange(2_000) < 1_000, X @ [1.0, 2.0, 3.0], X @ [3.0, -1.0, 0.0])
    model = RecursiveLeastSquares(forgetting=0.95).fit(X, y)
    np.testing.assert_allclose(model.coef_, [3.0, -1.0, 0.0], atol=1e-9)
    never = RecursiveLeastSquares().fit(X, y)
    assert np.abs(never.coef_ - [3.0, -1.0, 0.0]).max() > 0.5


@given(seed=seeds)
def test_fewer_examples_than_features_are_met_exactly(seed):
    """Without a penalty each prefix is fitted exactly, with as many weights as needed."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(6, 9)), rng.normal(size=6)
    model = RecursiveLeastSquares()
    for i in range(1, 7):
        model.partial_fit(X[i - 1 : i], y[i - 1 : i])
        np.testing.assert_allclose(model.predict(X[:i]), y[:i], rtol=1e-6, atol=1e-7)
        assert np.count_nonzero(model.coef_) == i - 1  # and the intercept


@given(seed=seeds, data=st.data())
def test_features_that_others_determine_have_weight_zero(seed, data):
    """Copies, sums, constants, columns that never came: the residual is that of the batch."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(60, 3)) * 10.0 ** rng.integers(-1, 2, size=3)
    kinds = {
        "copy": base[:, 0],
        "sum": base[:, 0] + base[:, 1],
        "constant": np.full(60, 7.3),
        "never": np.zeros(60),
        "shifted": 5.0 * np.abs(base[:, 2]).max() - base[:, 2],
    }
    chosen = data.draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4))
    X = np.column_stack([base, *(kinds[kind] for kind in chosen)])
    X = X[:, rng.permutation(X.shape[1])]
    y = rng.normal(size=60)
    model = RecursiveLeastSquares().fit(X, y)
    full = np.hstack([X, np.ones((60, 1))])
    residual = y - full @ batch(X, y)
    np.testing.assert_allclose(y - model.predict(X), residual, rtol=1e-5, atol=1e-6)
    assert np.isfinite(found(model)).all()
    assert np.count_nonzero(model.coef_) <= 3


def test_dummies_and_an_intercept_over_a_long_stream():
    """The first dummy is the one to compare with. Rounding must not make it look independent."""
    rng = np.random.default_rng(1)
    k = rng.integers(5, size=300_000)
    X = np.column_stack([np.eye(5)[k], rng.normal(size=(len(k), 2))])
    y = k + X[:, 5] + rng.normal(size=len(k))
    model = RecursiveLeastSquares().fit(X, y)
    assert model.coef_[0] == 0.0
    np.testing.assert_allclose(found(model)[1:], batch(X[:, 1:], y), rtol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    ("file", "target"),
    [("california-housing.csv.gz", "median_house_value"), ("casp.csv.gz", "RMSD")],
)
def test_on_real_data_as_it_is(shared_data, file, target, intercept):
    """Condition numbers of 5e5 and 7e7, whose squares the normal equations would have."""
    with gzip.open(shared_data / file, "rt") as lines:
        head, *rows = csv.reader(lines)
    names = [name for name in head if name not in (target, "ocean_proximity")]
    complete = [row for row in rows if "" not in row]
    table = {name: [float(row[i]) for row in complete] for i, name in enumerate(head)
             if name != "ocean_proximity"}  # fmt: skip
    X, y = np.column_stack([table[name] for name in names]), np.array(table[target])
    model = RecursiveLeastSquares(fit_intercept=intercept).fit(X, y)
    A = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
    expected = np.linalg.lstsq(A, y, rcond=None)[0]
    np.testing.assert_allclose(found(model, intercept), expected, rtol=1e-9)


def test_weight_two_is_two_copies():
    X, y, _ = stream(3, 30, 3)
    heavy = RecursiveLeastSquares().fit(X, y, sample_weight=np.full(30, 2.0))
    copies = RecursiveLeastSquares().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(found(heavy), found(copies), rtol=1e-9)


def test_a_feature_that_comes_late_was_zero_before():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 4)), rng.normal(size=40)
    X[:20, 2], X[:30, 3] = 0.0, 0.0
    for options in ({}, {"l2": 0.5}, {"l2": 0.5, "forgetting": 0.9}):
        whole = RecursiveLeastSquares(**options).fit(X, y)
        named = RecursiveLeastSquares(**options)
        for row, target in zip(X.tolist(), y.tolist(), strict=True):
            named.learn_one({f"x{j}": v for j, v in enumerate(row) if v}, target)
        np.testing.assert_array_equal(named.coef_, whole.coef_)


# ------------------------------------------------------------------ what it refuses


@pytest.mark.parametrize(
    ("x", "y", "weight"),
    [
        ({"new": 1e200}, 1.0, 1.0),
        ({"new": 1.0}, 1e200, 1.0),
        ({"new": 1e100}, 1.0, 1e200),
        ({}, 0.1, 1.795e308),
    ],
)
def test_squares_that_overflow_leave_no_trace(x, y, weight):
    model = RecursiveLeastSquares()
    model.learn_one({"a": 1.0}, 2.0, 1e300)
    before = model.__getstate__()["_model"]
    with pytest.raises(InvalidInput, match=r"overflows|too large to be kept"):
        model.learn_one(x, y, weight)
    assert model.__getstate__()["_model"] == before


def test_more_features_than_fit_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"10001 features; expected at most 10,000.*Use LMS"):
        RecursiveLeastSquares().fit(np.ones((2, 10_001)), [1.0, 2.0])
    model = RecursiveLeastSquares()
    model.learn_one({"a": 1.0}, 1.0)
    before = model.__getstate__()["_model"]
    with pytest.raises(InvalidInput, match="10001 features"):
        model.learn_one({f"b{i}": 1.0 for i in range(10_000)}, 1.0)
    assert model.__getstate__()["_model"] == before
    path = tmp_path / "wide.svm"
    wide = " ".join(f"{i}:1" for i in range(1, 10_002))
    path.write_text(f"1 1:1\n2 2:1\n3 {wide}\n")
    with pytest.raises(InvalidInput, match=r"wide\.svm, line 3: .*10001 features"):
        RecursiveLeastSquares().fit_file(path)


def test_who_is_too_narrow_leaves_the_race():
    X = np.eye(3, 10_001)
    race = Race([LMS(), RecursiveLeastSquares()]).fit(X, [1.0, 2.0, 3.0])
    out = race.standings_[1]
    assert out.name == "rls" and out.failed and "at most 10,000" in out.reason
    assert type(race.best_) is LMS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"l2": -1.0}, "l2 is -1.0; expected a finite number ≥ 0"),
        ({"forgetting": 0.0}, "forgetting is 0.0; expected a finite number > 0"),
        ({"forgetting": 1.5}, "expected a finite number > 0 and ≤ 1"),
    ],
)
def test_options_that_cannot_be(options, words):
    with pytest.raises(InvalidInput, match=words):
        RecursiveLeastSquares(**options).fit([[1.0]], [1.0])


def test_the_penalty_cannot_change_later_but_forgetting_can():
    model = RecursiveLeastSquares(l2=1.0).fit([[1.0], [2.0]], [1.0, 3.0])
    with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
        model.set_params(l2=2.0)
    model.set_params(forgetting=0.5)
    assert model.l2 == 1.0 and model.forgetting == 0.5


def test_a_column_not_seen_for_ages_is_forgotten():
    """λ^n leaves the range of numbers in the end; the weight is then 0, never NaN."""
    model = RecursiveLeastSquares(forgetting=0.1, fit_intercept=False)
    model.learn_one({"old": 2.0, "a": 1.0}, 4.0)
    model.learn_one({"old": 1.0}, 1.0)
    for i in range(800):
        model.learn_one({"a": 1.0}, 2.0)
        assert np.isfinite(model.coef_).all()
        if i < 100:
            assert model.coef_[0] == pytest.approx(1.0, rel=1e-6)
    assert model.coef_.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("cls", [RecursiveLeastSquares, LDA], ids=lambda cls: cls.__name__)
def test_a_state_that_cannot_be_is_refused(cls):
    model = cls().fit(np.eye(3), [0.0, 1.0, 2.0])
    good = model._model.state()

    def tampered(kind, name, value):
        return good | {kind: good[kind] | {name: value}}

    cells = np.frombuffer(good["arrays"]["triangle.cells"]).copy()
    cells[-1] = -1.0
    sizes = np.full(len(np.frombuffer(good["arrays"]["triangle.sizes"])), -1.0)
    mass = ("reals", "mass", -1.0) if cls is RecursiveLeastSquares else (
        "arrays", "masses", np.zeros(3).tobytes())  # fmt: skip
    bad = [
        tampered("counts", "triangle.columns", 2**60),
        tampered("counts", "triangle.columns", 2),
        tampered("counts", "classes", 2),
        tampered("arrays", "triangle.cells", cells.tobytes()),
        tampered("arrays", "triangle.cells", cells[:-1].tobytes()),
        tampered("arrays", "triangle.sizes", sizes.tobytes()),
        tampered(*mass),
    ]
    for state in bad:
        with pytest.raises(ModelFileError):
            model._begin_from(state)
    model._begin_from(good)


@pytest.mark.parametrize("forgetting", [0.5, 0.9])
def test_a_feature_that_stops_coming_is_forgotten_and_nothing_worse(forgetting):
    rng, n = np.random.default_rng(0), 15_000
    X = np.zeros((n, 3))
    X[:, 0] = rng.normal(size=n)
    X[:50, 1] = rng.random(50) < 0.5
    X[:, 2] = 1 - X[:, 1]
    y = X[:, 0] + 3 * X[:, 1]
    model = RecursiveLeastSquares(forgetting=forgetting)
    for i in range(0, n, 50):
        model.partial_fit(X[i : i + 50], y[i : i + 50])
        assert np.abs(model.coef_).max() < 10
