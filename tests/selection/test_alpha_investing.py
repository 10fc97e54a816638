"""Alpha-investing: what it promises of false selections, what it finds, and what it refuses."""

import copy
import itertools
import pickle
import tracemalloc

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from deviations import sklearn_checks
from thresher import Perceptron, reference
from thresher.errors import InvalidInput
from thresher.selection import AlphaInvesting

STRICT = {"wealth": 0.05, "delta": 0.05}


def planted(seed, rows=300, columns=60, relevant=(4, 11, 37), classes=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = X[:, list(relevant)].sum(axis=1) + rng.normal(size=rows)
    return X, y > 0 if classes else y


# ------------------------------------------------------------------ the promise


@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize(("wealth", "delta"), [(0.5, 0.5), (0.1, 0.1), (0.5, 0.0)])
def test_on_noise_alone_few_are_selected(kind, wealth, delta):
    """E[false] ≤ wealth + delta·E[false], so ≤ wealth/(1 − delta), over streams of 100 columns."""
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=30) if kind == "numbers" else rng.permutation(np.arange(30) % 2)
        selector = AlphaInvesting(wealth, delta).begin(y)
        found.append(sum(selector.consider(rng.normal(size=30)) for _ in range(100)))
    mean, error = np.mean(found), np.std(found) / np.sqrt(len(found))
    assert mean <= wealth / (1 - delta) + 3 * error
    assert mean > 0  # the tests are made, and are not so strict that nothing ever passes


def test_the_marginal_false_discovery_rate_is_below_wealth():
    """mFDR = E[false]/(E[selected] + 1) ≤ ½, with signals among the noise."""
    false, selected = 0, 0
    for seed in range(200):
        X, y = planted(seed, rows=100, columns=100, relevant=range(0, 100, 10))
        chosen = AlphaInvesting().fit(X, y).get_support(indices=True)
        false, selected = false + np.sum(chosen % 10 != 0), selected + len(chosen)
    assert selected / 200 > 5
    assert (false / 200) / (selected / 200 + 1) <= 0.5


def test_p_values_of_noise_are_uniform():
    """Exactly so, whatever was selected before: normal columns, labels of two classes."""
    rng = np.random.default_rng(0)
    p = []
    for _ in range(40):
        selector = AlphaInvesting(wealth=1.0, delta=1.0).begin(rng.permutation(np.arange(25) % 2))
        for _ in range(12):
            selector.consider(rng.normal(size=25))
            p.append(selector.last_p_value_)
    assert stats.kstest(p, "uniform").pvalue > 0.001


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_planted_model_is_found(seed, classes):
    X, y = planted(seed, rows=800, classes=classes)
    selector = AlphaInvesting(**STRICT).fit(X, y)
    assert {4, 11, 37} <= set(selector.selected_)
    assert len(selector.selected_) <= 5


@given(seed=st.integers(0, 2**32 - 1), wealth=st.floats(0.01, 1), delta=st.floats(0, 1))
def test_wealth_is_what_was_earned_and_spent_and_never_below_0(seed, wealth, delta):
    X, y = planted(seed, rows=40, columns=40)
    selector, left = AlphaInvesting(wealth, delta).begin(y), wealth
    for i, column in enumerate(X.T, start=1):
        level = left / (2 * i)
        taken = selector.consider(column)
        assert selector.last_level_ == level and taken == (selector.last_p_value_ < level)
        left = left - level + delta * taken
        assert selector.wealth_ == pytest.approx(left) and selector.wealth_ > 0
        left = selector.wealth_
    assert np.all(selector.p_values_ < selector.levels_)
    assert len(selector.selected_) == len(selector.p_values_)


def test_the_order_is_the_given_one_and_matters():
    """Of two columns that say the same, the one that comes first is taken."""
    X, y = planted(0)
    X[:, 12] = X[:, 11] + 0.01 * X[:, 0]
    first = AlphaInvesting(**STRICT).fit(X, y).selected_
    back = AlphaInvesting(**STRICT).fit(X[:, ::-1], y).selected_
    assert 11 in first and 12 not in first
    assert 59 - 12 in back and 59 - 11 not in back


def test_a_stream_without_end_in_bounded_memory():
    rng = np.random.default_rng(1)
    y = rng.normal(size=500)
    selector = AlphaInvesting(wealth=0.05, delta=0.0).begin(y)
    columns = (rng.normal(size=500) for _ in itertools.count())
    for column in itertools.islice(columns, 200):
        selector.consider(column)
    tracemalloc.start()
    try:
        for column in itertools.islice(columns, 3000):  # 12 MB of columns
            selector.consider(column)
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()
    assert selector.considered_ == 3200 and len(pickle.dumps(selector)) < 200_000


# ------------------------------------------------------------------ the test itself


@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_it_is_the_reference(seed, data):
    """Decisions, levels and p-values, with columns that repeat, are constant, or far from 0."""
    rng = np.random.default_rng(seed)
    rows, columns = data.draw(st.integers(4, 30)), data.draw(st.integers(1, 12))
    X = rng.normal(size=(rows, columns))
    X[rng.random(X.shape) < data.draw(st.sampled_from([0.0, 0.6]))] = 0.0
    y = X[:, 0] + data.draw(st.sampled_from([0.3, 3.0])) * rng.normal(size=rows)
    X[:, -1] = X[:, 0] + 2.0
    X[:, columns // 2] += data.draw(st.sampled_from([0.0, 1000.0]))
    dense, thin = AlphaInvesting().begin(y), AlphaInvesting().begin(y)
    plain = reference.AlphaInvesting(y.tolist())
    for j, column in enumerate(X.T):
        level = plain.wealth / (2 * (j + 1))
        expected = plain.consider(column.tolist(), j)
        if abs(plain.p_value / level - 1) < 1e-6:
            return  # too close to call
        assert (
            dense.consider(column) == thin.consider(sparse.csc_array(column[:, None])) == expected
        )
        for found in (dense, thin):
            assert found.last_level_ == pytest.approx(plain.level)
            assert found.last_p_value_ == pytest.approx(plain.p_value, rel=1e-5, abs=1e-12)
    assert dense.selected_ == plain.selected


def test_it_is_the_t_test_of_a_regression():
    X, y = planted(3, rows=50)
    selector = AlphaInvesting().begin(y)
    selector.consider(X[:, 4])
    assert selector.last_p_value_ == pytest.approx(stats.linregress(X[:, 4], y).pvalue)
    labels = (y > 0).astype(int)
    t = stats.ttest_ind(X[labels == 0, 1], X[labels == 1, 1])
    selector.begin(labels).consider(X[:, 1])
    assert selector.last_p_value_ == pytest.approx(t.pvalue)  # two classes: Student's t


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_scale_of_a_column_and_of_y_changes_nothing(scale):
    X, y = planted(0)
    expected = AlphaInvesting().fit(X, y)
    found = AlphaInvesting().fit(X * scale, y * scale)
    assert found.selected_ == expected.selected_
    np.testing.assert_allclose(found.p_values_, expected.p_values_)


def test_what_says_nothing_new_is_left():
    X, y = planted(0)
    selector = AlphaInvesting().begin(y)
    assert selector.consider(X[:, 4] + X[:, 11] + X[:, 37])
    for column in (np.zeros(300), np.full(300, 7.0), 3 * (X[:, 4] + X[:, 11] + X[:, 37]) - 1):
        assert not selector.consider(column)
        assert selector.last_p_value_ == 1.0
    assert AlphaInvesting().begin(y).consider(y)  # the truth itself
    perfect = AlphaInvesting().begin(y)
    perfect.consider(y)
    assert not perfect.consider(X[:, 4])  # nothing is left to explain


# ------------------------------------------------------------------ tables, and scikit-learn


@pytest.mark.filterwarnings("ignore:no feature was selected")
@sklearn_checks(AlphaInvesting())
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "form",
    [np.asfortranarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_array, np.float32],
    ids=lambda form: form.__name__,
)
def test_dense_is_sparse_is_one_by_one(form):
    X, y = planted(5)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0.0
    X = X.astype(np.float32).astype(float)
    dense, other = AlphaInvesting().fit(X, y), AlphaInvesting().fit(form(X), y)
    single = AlphaInvesting().begin(y)
    for j, column in enumerate(X.T):
        single.consider((column, sparse.coo_array(column), pandas.Series(column))[j % 3])
    assert other.selected_ == dense.selected_ == single.selected_
    np.testing.assert_allclose(other.p_values_, dense.p_values_, rtol=1e-6)
    kept = other.transform(form(X))
    assert sparse.issparse(kept) == sparse.issparse(form(X))
    kept = kept.toarray() if sparse.issparse(kept) else kept
    np.testing.assert_array_equal(kept, X[:, dense.get_support()])
    assert single.transform(X).shape == kept.shape


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_tables_have_names(make):
    X, y = planted(0, columns=40)
    table = make({f"f{j}": X[:, j] for j in range(40)})
    selector = AlphaInvesting(**STRICT).fit(table, y)
    assert {"f4", "f11", "f37"} <= set(selector.selected_)
    assert selector.get_feature_names_out().tolist() == selector.selected_
    assert selector.transform(table).shape == (300, len(selector.selected_))
    with pytest.raises(InvalidInput, match="feature names should match"):
        selector.transform(make({f"g{j}": X[:, j] for j in range(40)}))
    # more columns, later
    with pytest.raises(InvalidInput, match="without a name"):
        selector.consider(y)
    assert selector.consider(y, "the truth")
    later = make({**{f"f{j}": X[:, j] for j in range(40)}, "the truth": y})
    assert selector.get_feature_names_out()[-1] == "the truth"
    np.testing.assert_array_equal(selector.transform(later)[:, -1], y)


def test_names_out_follow_the_input():
    X, y = planted(0, columns=40)
    selector = AlphaInvesting(**STRICT).fit(X, y)
    assert {"x4", "x11", "x37"} <= set(selector.get_feature_names_out())
    given = [f"n{j}" for j in range(40)]
    assert "n11" in selector.get_feature_names_out(given)
    with pytest.raises(InvalidInput, match="should have length"):
        selector.get_feature_names_out(given[:3])


def test_in_a_pipeline():
    X, y = planted(0, classes=True)
    labels = np.where(y, "yes", "no")
    pipeline = make_pipeline(AlphaInvesting(**STRICT), Perceptron())
    assert cross_val_score(pipeline, X, labels, cv=3).mean() > 0.75
    assert clone(pipeline).get_params()["alphainvesting__wealth"] == 0.05


def test_copies_go_their_own_way():
    X, y = planted(0)
    selector = AlphaInvesting().fit(X[:, :20], y)
    for other in (copy.deepcopy(selector), pickle.loads(pickle.dumps(selector))):
        for column in X[:, 20:].T:
            other.consider(column)
        assert other.selected_ == AlphaInvesting().fit(X, y).selected_
    assert selector.considered_ == 20


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wealth": 0.0}, "wealth is 0.0; expected a finite number > 0"),
        ({"wealth": -1.0}, "wealth is -1.0; expected"),
        ({"wealth": 1.5}, "wealth is 1.5; expected at most 1"),
        ({"wealth": True}, "wealth is True; expected a number"),
        ({"wealth": float("nan")}, "wealth is nan; expected"),
        ({"delta": -0.1}, "delta is -0.1; expected a finite number ≥ 0"),
        ({"delta": "half"}, "delta is 'half'; expected a number"),
        ({"delta": 2}, "delta is 2; expected at most 1"),
    ],
)
def test_options_out_of_range(options, words):
    with pytest.raises(InvalidInput, match=words):
        AlphaInvesting(**options).begin([1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1.0, 1.0, 1.0, 1.0], "y is 1 in all rows; expected two values"),
        (["a", "a", "a"], "y is 1 in all rows; expected two values"),
        (["a", "b", "c"], "y has 3 labels; expected numbers, or two labels"),
        ([1.0, float("nan"), 2.0], r"y contains NaN \(entry \[1\]\)"),
        ([1.0, float("inf"), 2.0], r"y contains infinity"),
        ([1.0, 2.0], "n_samples=2; expected at least 3"),
        ([[1.0, 2.0], [2.0, 1.0]], "y should be a 1d array"),
        (3.0, "y should be a 1d array"),
        ([1j, 2j, 3j], "Complex data not supported"),
    ],
)
def test_targets_that_cannot_be(y, words):
    with pytest.raises(InvalidInput, match=words):
        AlphaInvesting().begin(y)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ((1.0, 2.0), r"column 'age' has shape \(2,\); expected \(4,\)"),
        (np.ones((4, 2)), r"has shape \(4, 2\)"),
        (5.0, r"has shape \(\)"),
        ([1.0, 2.0, float("nan"), 3.0], r"column 'age' contains NaN \(entry \[2\]\)"),
        ([1.0, 2.0, float("-inf"), 3.0], "contains infinity"),
        (["a", "b", "c", "d"], "holds .*; expected numbers"),
        (sparse.csc_array(np.ones((3, 1))), "has 3 values; expected 4"),
        (sparse.csc_array(np.ones((4, 2))), r"shape \(4, 2\); expected one column"),
        (sparse.csc_array([[1.0], [0.0], [np.nan], [2.0]]), "contains NaN"),
    ],
)
def test_a_column_that_cannot_be_leaves_no_trace(column, words):
    selector = AlphaInvesting().begin([1.0, 2.0, 4.0, 3.0])
    with pytest.raises(InvalidInput, match=words):
        selector.consider(column, "age")
    assert selector.considered_ == 0 and selector.wealth_ == 0.5


def test_names_that_cannot_be():
    y = np.arange(20.0) ** 2
    selector = AlphaInvesting().begin(y)
    assert selector.consider(y, "age")
    with pytest.raises(InvalidInput, match="'age' has been selected already"):
        selector.consider(y**2, "age")
    with pytest.raises(InvalidInput, match=r"name is \['age'\]; expected"):
        selector.consider(y**2, ["age"])
    with pytest.raises(InvalidInput, match="column names repeat"):
        AlphaInvesting().fit(pandas.DataFrame(np.ones((5, 2)), columns=["a", "a"]), np.arange(5))


def test_before_it_has_begun():
    for ask in (
        lambda s: s.consider([1.0]),
        lambda s: s.transform([[1.0]]),
        lambda s: s.get_support(),
        lambda s: s.p_values_,
    ):
        with pytest.raises(NotFittedError, match="Call fit or begin first"):
            ask(AlphaInvesting())


def test_a_failed_fit_leaves_what_was_learned():
    X, y = planted(0)
    selector = AlphaInvesting().fit(X, y)
    before = selector.selected_
    X[3, 50] = np.nan
    with pytest.raises(InvalidInput, match="column 50 contains NaN"):
        selector.fit(X, y)
    assert selector.selected_ == before and selector.considered_ == 60
