"""Scales, products, Fourier features, hashes and crosses, as transformers."""

import pickle

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.utils import estimator_checks

from deviations import sklearn_checks
from thresher import Perceptron, Winnow
from thresher.errors import InvalidInput, ModelFileError, NotLearned
from thresher.features import (
    Conjunctions,
    Crosses,
    Hashing,
    Idf,
    MaxAbs,
    MinMax,
    Polynomial,
    RandomFourier,
    Standard,
    UnitNorm,
)
from thresher.selection import AlphaInvesting

SCALES = {
    "standard": (Standard(), StandardScaler()),
    "minmax": (MinMax(), MinMaxScaler()),
    "maxabs": (MaxAbs(), MaxAbsScaler()),
    "idf": (Idf(), TfidfTransformer(norm=None)),
    "unit": (UnitNorm(), Normalizer()),
}
STEPS = [
    Standard(), MinMax(), MaxAbs(), Idf(), UnitNorm(), Conjunctions(2), Polynomial(3),
    RandomFourier(9),
]  # fmt: skip
ALL = [*STEPS, Hashing(bits=8), Crosses()]


@pytest.mark.filterwarnings("ignore")
@sklearn_checks(*ALL)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


# What of scikit-learn's own checks is about tables that come out, which are not among those above.
TABLES_OUT = [
    getattr(estimator_checks, name)
    for name in dir(estimator_checks)
    if name.startswith(("check_set_output_", "check_global_output_", "check_global_set_output_"))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", TABLES_OUT, ids=lambda check: check.__name__)
@pytest.mark.parametrize("transformer", [*ALL, AlphaInvesting()], ids=repr)
def test_tables_come_out_where_they_are_asked_for(transformer, check):
    assert len(TABLES_OUT) >= 5
    if isinstance(transformer, Hashing):
        transformer = clone(transformer).set_params(bits=4)
        with pytest.raises(InvalidInput, match="no pandas table"):
            transformer.set_output(transform="pandas").fit_transform([[1.0]])
        return
    check(type(transformer).__name__, transformer)


def test_tables_in_a_pipeline_keep_their_rows_and_names():
    table = pandas.DataFrame({"a": [1.0, 3.0], "b": [4.0, 0.0]}, index=["first", "second"])
    steps = make_pipeline(MaxAbs(), Conjunctions(2)).set_output(transform="pandas")
    found = steps.fit_transform(table)
    assert found.columns.tolist() == ["a", "b", "a*b"]
    assert found.index.tolist() == ["first", "second"]
    np.testing.assert_allclose(found["a*b"], [1 / 3, 0.0])
    assert clone(steps).fit_transform(table).equals(found)
    polar = steps.set_output(transform="polars").fit_transform(table)
    assert polar.columns == found.columns.tolist()
    with pytest.raises(InvalidInput, match="expected one of 'default', 'pandas', 'polars'"):
        MaxAbs().set_output(transform="table")


@st.composite
def tables(draw, widest=6):
    """Numbers, many of them 0, some columns constant."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(scale=draw(st.sampled_from([1e-3, 1.0, 1e6])), size=(
        draw(st.integers(1, 20)), draw(st.integers(1, widest))))  # fmt: skip
    X += draw(st.sampled_from([0.0, 10.0]))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.5, 0.9]))] = 0.0
    X[:, rng.random(X.shape[1]) < 0.2] = draw(st.sampled_from([0.0, 0.1, -7.0]))
    return X


def rows_of(X):
    return [{f"x{j}": v for j, v in enumerate(row) if v} for row in X.tolist()]


# ------------------------------------------------------------------ what they compute


@given(X=tables())
def test_running_statistics_are_those_of_all_rows_seen(X):
    """Two passes over everything so far, after every row."""
    scale = Standard()
    for n in range(1, len(X) + 1):
        scale.partial_fit(X[n - 1 : n])
        seen = X[:n]
        mean, spread = seen.mean(axis=0), seen.std(axis=0)
        flat = np.ptp(seen, axis=0) == 0.0
        expected = np.where(flat, 0.0, (X - mean) / np.where(flat, 1.0, spread))
        np.testing.assert_allclose(scale.transform(X), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", SCALES)
@given(data=st.data())
def test_scales_are_those_of_scikit_learn(name, data):
    """Where there is spread; without it we give 0."""
    ours, theirs = SCALES[name]
    X, other = data.draw(tables()), None
    other = X[::-1] * 1.5
    expected = clone(theirs).fit(X).transform(other)
    if name == "idf":
        expected = expected.toarray()
    if name in ("standard", "minmax"):
        expected[:, np.ptp(X, axis=0) == 0.0] = 0.0
    if name in ("maxabs", "idf"):
        expected[:, ~X.any(axis=0)] = 0.0
    np.testing.assert_allclose(clone(ours).fit(X).transform(other), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("cls", [Conjunctions, Polynomial])
@given(X=tables(widest=5))
def test_products_are_those_of_scikit_learn(cls, degree, X):
    theirs = PolynomialFeatures(
        degree, interaction_only=cls is Conjunctions, include_bias=False
    ).fit(X)
    ours = cls(degree).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    spelled = [name.replace(" ", "*") for name in theirs.get_feature_names_out()]
    assert ours.get_feature_names_out().tolist() == spelled


@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_fourier_features_approach_the_gaussian_kernel(gamma):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4))
    z = RandomFourier(20_000, gamma=gamma, random_state=3).fit_transform(X)
    distances = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(z @ z.T, np.exp(-gamma * distances), atol=0.04)
    other = RandomFourier(20_000, gamma=gamma, random_state=4).fit_transform(X)
    assert np.abs(z - other).max() > 1e-3  # another seed, other features


def test_fourier_features_depend_on_names_not_on_their_order():
    one, other = RandomFourier(50), RandomFourier(50)
    first = one.transform_one({"a": 1.0, "b": -2.0})
    other.transform_one({"c": 5.0, "b": 1.0})
    assert other.transform_one({"b": -2.0, "a": 1.0}) == pytest.approx(first)


@pytest.mark.parametrize("step", STEPS, ids=repr)
@given(X=tables())
def test_dense_is_sparse_is_dict(step, X):
    dense = clone(step).fit(X)
    out = dense.transform(X)
    names = dense.get_feature_names_out()
    for csr in (sparse.csr_array(X), sparse.csr_matrix(X).astype(np.float64)):
        made = clone(step).fit(csr).transform(csr)
        assert sparse.issparse(made) and isinstance(made, sparse.sparray) == isinstance(
            csr, sparse.sparray
        )
        np.testing.assert_allclose(made.toarray(), out, rtol=1e-9, atol=1e-12)
    by_name = clone(step)
    for x in rows_of(X):
        by_name.learn_one(x)
    near = 1e-7 if isinstance(step, RandomFourier) else 1e-12  # cosines of large numbers
    for x, row in zip(rows_of(X), out, strict=True):
        made = by_name.transform_one(x)
        same = {canonical(name): value for name, value in made.items()}
        for name, value in zip(names, row, strict=True):
            assert same.get(canonical(name), 0.0) == pytest.approx(value, rel=1e-9, abs=near)


def canonical(name):
    return "*".join(sorted(name.split("*")))


# ------------------------------------------------------------------ with a learner


XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Conjunctions(2), "conjunctions(2)"),
        (Polynomial(3), "polynomial(3)"),
        (RandomFourier(50, gamma=0.5, random_state=3), "fourier(50, gamma=0.5, seed=3)"),
        (UnitNorm(), "unit"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_pipeline_learns_what_prepare_learns(step, text):
    """For every step without statistics."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    pipeline = Pipeline([("map", step), ("learner", Perceptron(max_epochs=3))]).fit(X, y)
    model = Perceptron(max_epochs=3, prepare=text).fit(X, y)
    np.testing.assert_allclose(
        pipeline.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-9
    )
    assert model.mistakes_ == pipeline[-1].mistakes_


@pytest.mark.parametrize("step", [Standard(), MinMax(), MaxAbs(), Idf()], ids=repr)
def test_row_by_row_a_scale_and_a_learner_are_prepare(step):
    """Every row is shown to the scale, scaled, and learned, before the next one comes."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(100, 3)) * [1.0, 100.0, 0.01] + [0.0, 50.0, 0.0]
    y = (X[:, 0] + (X[:, 1] - 50) / 100 > 0).astype(int)
    scale, learner = clone(step), Perceptron()
    for i in range(len(X)):
        learner.partial_fit(scale.partial_fit(X[i : i + 1]).transform(X[i : i + 1]), y[i : i + 1])
    model = Perceptron(prepare=step._written()).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), learner.decision_function(scale.transform(X)), rtol=1e-9
    )
    assert model.mistakes_ == learner.mistakes_


@pytest.mark.parametrize("step", [Conjunctions(2), Polynomial(2), RandomFourier(100)], ids=repr)
def test_xor_is_learned_in_a_pipeline(step):
    pipeline = Pipeline([("map", step), ("learner", Perceptron(max_epochs=100))]).fit(*XOR)
    assert pipeline.predict(XOR[0]).tolist() == XOR[1]


# ------------------------------------------------------------------ as estimators


def test_names_of_tables_are_kept():
    table = pandas.DataFrame({"size": [1.0, 2.0], "age": [3.0, 5.0]})
    step = Polynomial(2).fit(table)
    assert step.feature_names_in_.tolist() == ["size", "age"]
    assert step.get_feature_names_out().tolist() == ["size", "age", "size^2", "size*age", "age^2"]
    by_name = Polynomial(2).fit(table.to_numpy()).get_feature_names_out(["size", "age"])
    assert by_name.tolist() == step.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="feature names"):
        step.transform(table.rename(columns={"age": "years"}))
    assert step.transform_one({"size": 2.0}) == {"size": 2.0, "size^2": 4.0}


@pytest.mark.parametrize("step", ALL, ids=repr)
def test_a_copy_goes_on(step):
    X = np.random.default_rng(7).random((20, 3))
    fitted = clone(step).fit(X[:10])
    copied = pickle.loads(pickle.dumps(fitted))
    for one in (fitted, copied):
        one.partial_fit(X[10:])
    a, b = fitted.transform(X), copied.transform(X)
    np.testing.assert_array_equal(*(m.toarray() if sparse.issparse(m) else m for m in (a, b)))


def test_a_damaged_copy_is_refused():
    state = Standard().fit([[1.0], [2.0]]).__getstate__()
    state["_preparer"]["counts"]["step0.examples"] = 1
    with pytest.raises(ModelFileError, match="statistics"):
        Standard().__setstate__(state)


def test_other_options_forget():
    step = Polynomial(2).fit([[1.0, 2.0]])
    with pytest.raises(NotLearned):
        step.set_params(degree=3).transform([[1.0, 2.0]])
    assert step.fit([[1.0, 2.0]]).transform([[1.0, 2.0]]).shape == (1, 9)


def test_a_bad_row_leaves_the_rows_before_it():
    scale = MinMax().fit([[0.0], [2.0]])
    with pytest.raises(InvalidInput, match="row 1, feature 'x0': found NaN"):
        scale.partial_fit([[4.0], [np.nan], [100.0]])
    assert scale.transform([[4.0]]).tolist() == [[1.0]]
    unfitted = MinMax()
    with pytest.raises(InvalidInput):
        unfitted.partial_fit([[np.inf]])
    with pytest.raises(NotLearned):
        unfitted.transform([[1.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Conjunctions(0).fit([[1]]), "degree is 0; expected a whole number ≥ 1"),
        (lambda: Polynomial(2.5).fit([[1]]), "degree is 2.5"),
        (lambda: Polynomial(65).fit([[1]]), "from 1 to 64"),
        (lambda: RandomFourier(0).fit([[1]]), "components is 0"),
        (lambda: RandomFourier(gamma=0).fit([[1]]), "gamma is 0"),
        (lambda: RandomFourier(random_state="x").fit([[1]]), "random_state is 'x'"),
        (lambda: Hashing(31).transform([{"a": 1}]), "from 1 to 30"),
        (lambda: Crosses(["ab"]).fit([[1]]), "expected pairs of names"),
        (lambda: Crosses([("x0", "x9")]).fit([[1]]), "'x9', which is no column"),
        (lambda: Polynomial(6).fit(np.ones((1, 100))), "more than 10,000,000 products"),
        (lambda: Standard().fit([[1e200]]), "overflows"),
        (lambda: Polynomial(3).fit([[1e200]]), "overflows"),
    ],
)
def test_what_cannot_be(make, message):
    with pytest.raises(InvalidInput) as caught:
        make()
    assert message in str(caught.value)


# ------------------------------------------------------------------ hashing and crosses


def test_hashing_needs_no_names_announced():
    step = Hashing(bits=6)
    words = [["a", "b", "a"], {"a": 2.0, "b": 1.0}, {"b": 1, "c": 0.5}]
    out = step.transform(words)
    assert out.shape == (3, 64)
    np.testing.assert_array_equal(out.toarray()[0], out.toarray()[1])
    one = step.transform_one({"b": 1, "c": 0.5})
    row = {f"hash{j}": v for j, v in enumerate(out.toarray()[2]) if v}
    assert one == row
    table = pandas.DataFrame({"b": [1.0], "c": [0.5]})
    np.testing.assert_array_equal(Hashing(6).fit_transform(table).toarray()[0], out.toarray()[2])


def test_hashed_words_are_learned_in_a_pipeline():
    texts = [["cheap", "pills"], ["lunch", "noon"], ["cheap", "cash"], ["see", "noon"]]
    model = Pipeline([("hash", Hashing(12)), ("learner", Perceptron())])
    model.fit(texts, ["spam", "ham", "spam", "ham"])
    assert model.predict([["cheap"], ["noon"]]).tolist() == ["spam", "ham"]


def test_crosses_of_tables_and_dicts_agree():
    rng = np.random.default_rng(8)
    table = pandas.DataFrame(rng.normal(size=(5, 3)), columns=["a", "b", "c"])
    step = Crosses([("a", "b"), ("b", "c")]).fit(table)
    assert step.get_feature_names_out().tolist() == ["a", "b", "c", "a*b", "b*c"]
    out = step.transform(table)
    for row, made in zip(table.to_dict("records"), out, strict=True):
        assert list(Crosses([("a", "b"), ("b", "c")]).transform_one(row).values()) == (
            pytest.approx(made.tolist())
        )
    csr = sparse.csr_matrix(table.to_numpy())
    by_number = Crosses([("x0", "x1"), ("x1", "x2")]).fit_transform(csr)
    np.testing.assert_allclose(by_number.toarray(), out)


def test_winnow_learns_a_conjunction_of_two():
    rng = np.random.default_rng(9)
    X = (rng.random((300, 8)) < 0.5).astype(float)
    y = ((X[:, 0] * X[:, 3]) + (X[:, 5] * X[:, 6]) > 0).astype(int)  # no linear threshold function
    model = Pipeline([("map", Conjunctions(2)), ("learner", Winnow(max_epochs=None))]).fit(X, y)
    assert model.score(X, y) == 1.0


def test_a_feature_named_as_a_product_adds_to_it():
    made = Conjunctions().transform_one({"a": 1.0, "b": 2.0, "a*b": 5.0})
    assert made["a*b"] == 7.0
