"""Bad input is refused with an error that says where and what, and harms nothing."""

import inspect
import math
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pytest
import scipy.sparse as sparse

import thresher
from cases import looped
from thresher import (
    LMS,
    MIRA,
    BalancedWinnow,
    BatchPerceptron,
    KernelPerceptron,
    NaiveBayes,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    TruncatedPerceptron,
    Winnow,
    lms_stability,
)
from thresher.errors import DivergenceError, InvalidInput, NotLearned, ThresherError
from thresher.learners.table import LINEAR
from thresher.model_file import describe

X = [[0.5, 1.0, 0.0], [1.0, 0.0, 0.25], [0.0, 1.0, 1.0], [0.75, 0.0, 0.0]]
Y = [0, 1, 0, 1]
NAN, INF = math.nan, math.inf

each_learner = pytest.mark.parametrize("cls", [e.cls for e in LINEAR], ids=lambda c: c.__name__)
ONLINE = [e.cls for e in LINEAR if e.online]
each_online = pytest.mark.parametrize("cls", ONLINE, ids=lambda c: c.__name__)


def refused(words, kind=InvalidInput):
    return pytest.raises(kind, match=words)


def bits(model):
    """All that a model knows."""
    tensors, about = describe(model)
    return {name: tensor["data"] for name, tensor in tensors.items()}, about


def learned(cls):
    """A learner of a few examples with names, and one of a small array."""
    by_name = cls()
    for row, y in zip(X, Y, strict=True):
        by_name.learn_one(dict(zip("abc", row, strict=True)), y)
    return by_name, cls().fit(X, Y)


# -- values


BAD_VALUES = {"NaN": (NAN, "NaN"), "inf": (INF, "inf"), "-inf": (-INF, "-inf")}
INFINITE = {name: case for name, case in BAD_VALUES.items() if case[0] == case[0]}
FORMS = {
    "array": np.array,
    "float32": lambda rows: np.array(rows, np.float32),
    "Fortran": np.asfortranarray,
    "lists": list,
    "object": lambda rows: np.array(rows, object),
    "csr": lambda rows: sparse.csr_array(np.array(rows)),
    "csc float32": lambda rows: sparse.csc_array(np.array(rows, np.float32)),
    "pandas": lambda rows: pandas.DataFrame(rows, columns=["x0", "x1", "x2"]),
    "polars": lambda rows: polars.DataFrame(rows, schema=["x0", "x1", "x2"], orient="row"),
    "pyarrow": lambda rows: pyarrow.table(
        dict(zip(["x0", "x1", "x2"], np.array(rows).T, strict=True))
    ),
}


@looped("form", FORMS.values(), ids=FORMS)
@looped(("value", "word"), BAD_VALUES.values(), ids=BAD_VALUES)
@each_learner
def test_values_that_are_not_finite(cls, value, word, form):
    rows = [list(row) for row in X]
    rows[2][1] = value
    words = rf"row 2, feature 'x1': found {word}; expected a finite number \(no NaN, no inf\)"
    with refused(words):
        cls().fit(form(rows), Y)
    model = cls().fit(form(X), Y)
    with refused(words):
        model.predict(form(rows))


@looped(("value", "word"), BAD_VALUES.values(), ids=BAD_VALUES)
@looped("clip", [False, True])
def test_clipping_hides_no_nan_and_no_infinity(value, word, clip):
    for form in (np.array, sparse.csr_array):
        with refused(rf"row 0, feature 'x1': found {word}; expected a finite number"):
            Winnow(clip=clip).fit(form([[1.0, value], [0.0, 1.0]]), [0, 1])
    if value == value:  # by name, NaN is a missing value
        with refused(rf"feature 'a': found {word}; expected a finite number"):
            Winnow(clip=clip).learn_one({"a": value}, 1)


@looped(("value", "word"), INFINITE.values(), ids=INFINITE)  # NaN is a missing value
@each_online
def test_named_values_that_are_not_finite(cls, value, word):
    for model in (cls(), learned(cls)[0]):
        for number in (value, np.float32(value)):
            with refused(rf"feature 'b': found {word}; expected a finite number"):
                model.learn_one({"a": 1.0, "b": number}, 1)
    with refused(rf"feature 'new': found {word}; expected a finite number"):
        learned(cls)[0].predict_one({"new": value})
    with refused(rf"feature 1: found {word}; expected|feature 'x1': found {word}; expected"):
        learned(cls)[1].predict_one({1: value})


def test_missing_values_of_tables():
    for table in (
        pandas.DataFrame({"a": [1.0, None]}),
        pandas.DataFrame({"a": pandas.array([1, None], "Int64")}),
        polars.DataFrame({"a": [1, None]}),
        polars.DataFrame({"a": [True, None]}),
        pyarrow.table({"a": [1, None]}),
    ):
        with refused("row 1, feature 'a': found NaN"):
            Perceptron().fit(table, [0, 1])
    masked = np.ma.masked_array(X, mask=np.eye(4, 3))
    with refused("X has masked values"):
        Perceptron().fit(masked, Y)


@looped("value", [-0.5, 1.5, 1 + 1e-9])
def test_winnow_takes_values_between_0_and_1(value):
    rows = [[1.0, 0.0], [0.5, value]]
    words = rf"feature '.*': found {value}.*; expected a value in \[0, 1\] .*clip=True.*Balanced"
    for form in (np.array, sparse.csr_array, pandas.DataFrame):
        for negations in (False, True):
            with refused(r"row 1, " + words):
                Winnow(negations=negations).fit(form(rows), [0, 1])
            with refused(r"row 0, " + words):
                Winnow(negations=negations).fit(X, Y).predict(form([[value, 0.0, 0.0]]))
    with refused(words):
        Winnow().learn_one({"a": value}, 1)
    with refused(words):
        learned(Winnow)[0].predict_one({"new": value})


@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
@looped("size", [1e200, 1e308])
@looped(
    "model",
    [
        Perceptron(),
        Perceptron(step="aggressive", margin=1.0),
        Perceptron(calibrate=True),
        BatchPerceptron(),
        PassiveAggressive(),
        PassiveAggressive(variant="PA-II"),
        PassiveAggressiveRegressor(),
        MIRA(),
        BalancedWinnow(scaled=False),
        LMS(),
        LMS(normalized=True),
    ],
    ids=repr,
)
def test_values_too_large_to_reckon_with(model, size):
    rows = [[size, -size], [size, size], [-size, size], [size, size]]
    for form in (np.array, sparse.csr_array):
        with refused(r"row \d.*: .*(overflows a double .*need scaling|too large to be kept)"):
            model.fit(form(rows), [0, 1, 1, 0])
    with refused("overflows a double|too large to be kept"):
        model.fit(np.array(rows), [0, 1, 2, 0])


def test_numbers_too_large_for_a_double():
    for number in (10**400, 10**5000):
        with refused("feature 'a': found inf"):
            Perceptron().learn_one({"a": number}, 1)
    with refused("feature '1': found inf"):
        Perceptron().learn_one({"1": 1e308, 1: 1e308}, 1)


# -- arrays


NOT_NUMBERS = {
    "strings": ([["a", "b"], ["c", "d"]], "X holds <U1 values; expected numbers.*learn_one"),
    "a string among numbers": ([[1.0, "b"], [2.0, 3.0]], "X holds <U.* values; expected numbers"),
    "digits": ([["1", "2"], ["3", "4"]], "X holds <U1 values; expected numbers"),
    "object string": (np.array([[1, "b"], [2, 3]], object), "X holds the string 'b'"),
    "bytes": (np.array([[1, b"b"], [2, 3]], object), "X holds the string b'b'"),
    "dates": (np.array([["2020"], ["2021"]], "M8[D]"), r"X holds datetime64\[D\] values"),
    "records": (np.zeros((2, 1), [("a", float)]), "X holds .* values; expected numbers"),
    "complex": ([[1j], [2]], "Complex data not supported: X"),
    "complex csr": (sparse.csr_array([[1j], [2]]), "Complex data not supported: X"),
    "lists": (np.array([[[1], 2], [2, 3]], object), "X holds values that are not numbers"),
    "ragged": ([[1.0, 2.0], [3.0]], "X is not a table of numbers: .*inhomogeneous"),
    "pyarrow lists": (pyarrow.table({"a": [[1], [2]]}), "column 'a' holds values that are not"),
}


@looped(("rows", "words"), NOT_NUMBERS.values(), ids=NOT_NUMBERS)
@each_learner
def test_arrays_of_other_things(cls, rows, words):
    with refused(words):
        cls().fit(rows, [0, 1])


def test_objects_that_are_no_numbers():
    """scikit-learn wants a TypeError here."""
    with refused(r"float\(\) argument must be.*not 'dict'", TypeError):
        Perceptron().fit(np.array([[{}], [2]], object), [0, 1])


SHAPES = {
    "1d": ([1.0, 2.0], r"Expected 2D array, got 1D array instead.*reshape\(-1, 1\)"),
    "0d": (3.0, "Expected 2D array, got 0D array"),
    "None": (None, "X is of the type NoneType; expected a 2D array"),
    "a generator": ((row for row in [[1.0]]), "X is of the type generator; expected a 2D array"),
    "a set": ({1.0, 2.0}, "X is of the type set; expected a 2D array"),
    "polars, lazy": (
        polars.LazyFrame({"a": [1.0, 2.0]}),
        r"of the type polars.LazyFrame, .* its collect\(\) first",
    ),
    "an Arrow dataset": (
        pyarrow.dataset.dataset(pyarrow.table({"a": [1.0, 2.0]})),
        r"pyarrow.*to_table\(\) first",
    ),
    "a pandas series": (pandas.Series([1.0, 2.0]), "Expected 2D array, got 1D array"),
    "a polars series": (polars.Series([1.0, 2.0]), "Expected 2D array, got 1D array"),
    "an Arrow column": (pyarrow.chunked_array([[1.0, 2.0]]), "Expected 2D array, got 1D array"),
    "an Arrow array": (pyarrow.array([1.0, 2.0]), "Expected 2D array, got 1D array"),
    "text": ("abc", "Expected 2D array, got 0D array"),
    "3d": (np.ones((2, 2, 2)), "Expected 2D array, got 3D array"),
    "1d sparse": (sparse.coo_array([1.0, 2.0]), "Expected 2D array, got 1D sparse array"),
    "a list of texts": (["a b", "c"], r"Expected 2D array.*CountVectorizer.*learn_one\(text.split"),
    "a list of dicts": ([{"a": 1.0}, {"b": 2.0}], "Expected 2D array.*learn_one"),
    "a dict": ({"a": [1.0, 2.0]}, "Expected 2D array.*learn_one"),
    "no rows": (np.ones((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1"),
    "no columns": (np.ones((2, 0)), r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1"),
    "no rows, csr": (sparse.csr_array((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no columns, csr": (sparse.csr_array((2, 0)), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    "no rows, pandas": (pandas.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
    "no columns, pandas": (pandas.DataFrame(index=[0, 1]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    "no columns, polars": (polars.DataFrame(), r"0 sample\(s\) \(shape=\(0, 0\)\)"),
    "nothing": ([], "Expected 2D array, got 1D array"),
}


@looped(("rows", "words"), SHAPES.values(), ids=SHAPES)
@each_learner
def test_shapes(cls, rows, words):
    with refused(words):
        cls().fit(rows, [0, 1])
    with refused(words):
        cls().fit(X, Y).predict(rows)


@looped("cls", [Perceptron, LMS])
def test_labels_that_are_not_here_yet(cls):
    y = polars.LazyFrame({"y": [0, 1]})
    with refused(r"y is of the type polars.LazyFrame, .* call its collect\(\) first"):
        cls().fit(np.eye(2), y)
    cls().fit(np.eye(2), y.collect()["y"])


@each_learner
def test_another_number_of_columns(cls):
    model = cls().fit(X, Y)
    for rows in ([[1.0, 0.0]], sparse.csr_array((1, 4)), np.ones((1, 4))):
        words = rf"X has {np.shape(rows)[1]} features, but {cls.__name__} is expecting 3 features"
        with refused(words):
            model.predict(rows)
        if hasattr(model, "partial_fit"):
            with refused(words):
                model.partial_fit(rows, [1])


@each_learner
def test_columns_of_other_names(cls):
    table = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = cls().fit(table, Y)
    for columns, words in (
        (["a", "b", "d"], r"(?s)unseen at fit time:\n- d\n.*yet now missing:\n- c\n"),
        (["b", "a", "c"], "must be in the same order as they were in fit"),
        (["a", "b"], r"yet now missing:\n- c\n"),
    ):
        other = pandas.DataFrame(np.ones((1, len(columns))), columns=columns)
        with refused(words):
            model.predict(other)
        if hasattr(model, "partial_fit"):
            with refused(words):
                model.partial_fit(other, [1])
    with refused("column names repeat"):
        cls().fit(table.set_axis(["a", "b", "a"], axis=1), Y)
    with refused("Feature names are only supported if all.*\\['int', 'str'\\]", TypeError):
        cls().fit(table.set_axis(["a", "b", 3], axis=1), Y)
    names = pandas.Index(["a", "b", "\ud800"], dtype=object)
    with refused("feature name '.ud800' is not valid text"):
        cls().fit(table.set_axis(names, axis=1), Y)


@each_learner
def test_columns_beyond_31_bits(cls):
    parts = ([1.0], np.array([2**32]), np.array([0, 1]))
    for wide in (sparse.csr_array((1, 2**33)), sparse.csr_array(parts, shape=(1, 2**33))):
        with refused("X has 8589934592 columns; expected at most 2147483646.*learn_one"):
            cls().fit(wide, [1])
    for column in (2**31 - 1, 2**31, 2**32, 2**62, -1, -(2**32)):
        bad = sparse.csr_array(X)
        bad.indices = bad.indices.astype(np.int64)
        cls().fit(bad, Y)
        bad.indices[-1] = column
        with refused(f"column number {column}"):
            cls().fit(bad, Y)


CORRUPT = {
    "row end beyond the data": ("indptr", 1, 1000),
    "last row end beyond the data": ("indptr", 4, 1000),
    "row end far beyond the data": ("indptr", 2, 2**31 - 1),
    "row end below 0": ("indptr", 1, -5),
    "row end before its start": ("indptr", 2, 0),
    "column below 0": ("indices", 0, -1),
    "column beyond the matrix": ("indices", -1, 5),
    "column far beyond the matrix": ("indices", 2, 2**31 - 1),
}


@looped(("part", "place", "value"), CORRUPT.values(), ids=CORRUPT)
@looped("form", ["csr", "csc", "coo"])
@each_learner
def test_corrupt_sparse_matrices(cls, part, place, value, form):
    """Made by writing to the arrays, which scipy does not check again."""
    good = sparse.csr_array(X).asformat(form)
    bad = good.copy()
    if form == "coo":
        part = {"indptr": "row", "indices": "col"}[part]
        value = value or -(2**31)  # the number 0 of a row is good
    array = getattr(bad, part)
    array[place % len(array)] = value
    words = r"row \d: (the row pointers|column number)|arrays of the sparse matrix do not fit"
    options = [{}, {"clip": True}] if cls is Winnow else [{}]
    for settings in options:
        with refused(words):
            cls(**settings).fit(bad, Y)
        with refused(words):
            cls(**settings).fit(good, Y).predict(bad)


def test_sparse_matrices_with_arrays_of_other_lengths():
    for part, size in (("data", 3), ("indices", 3), ("indptr", 3)):
        bad = sparse.csr_array(X)
        setattr(bad, part, getattr(bad, part)[:size])
        with refused("arrays of the sparse matrix do not fit"):
            Perceptron().fit(bad, Y)


# -- labels, targets, weights


CLASSIFIERS = [e.cls for e in LINEAR if e.task == "classify"]
REGRESSORS = [e.cls for e in LINEAR if e.task == "regress"]
each_classifier = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda c: c.__name__)
each_regressor = pytest.mark.parametrize("cls", REGRESSORS, ids=lambda c: c.__name__)

LABELS = {
    "NaN": ([0, 1, NAN, 1], "y contains NaN"),
    "inf": ([0, 1, INF, 1], "y contains NaN or inf"),
    "object NaN": (np.array(["a", "b", NAN, "a"], object), "y contains NaN"),
    "continuous": ([0.5, 1.0, 0.0, 1.0], r"Unknown label type: continuous \(found 0.5\).*LMS"),
    "mixed": ([0, "a", 1, "b"], r"mixed type: found 'a' \(str\) among labels such as 0 \(int\)"),
    "mixed objects": (np.array(["a", 0, 1, 0], object), r"mixed type: found 0 \(int\).*'a'"),
    "None among them": ([0, 1, None, 1], r"Unknown label type: NoneType"),
    "bytes": ([b"a", b"b", b"a", b"b"], r"Unknown label type: bytes"),
    "dates": (np.array(["2020"] * 4, "M8[D]"), r"Unknown label type: date"),
    "tuples": (np.array([(1, 2), (3, 4), None, None], object), r"Unknown label type: tuple"),
    "complex": ([1j, 2, 3, 4], "Complex data not supported: y"),
    "too few": ([0, 1], "inconsistent numbers of samples: X has 4 rows, y has 2"),
    "too many": ([0] * 5, "inconsistent numbers of samples: X has 4 rows, y has 5"),
    "two columns": (np.zeros((4, 2)), r"y should be a 1d array, got an array of shape \(4, 2\)"),
    "sparse": (sparse.csr_array([[0, 1, 0, 1]]), "y is a sparse matrix"),
    "a number": (1, r"y should be a 1d array, got an array of shape \(\)"),
}


@looped(("y", "words"), LABELS.values(), ids=LABELS)
@each_classifier
def test_labels(cls, y, words):
    with refused(words):
        cls().fit(X, y)


@each_learner
def test_no_labels(cls):
    with refused(f"{cls.__name__} requires y to be passed, but the target y is None", ValueError):
        cls().fit(X)


def test_labels_of_another_type_later():
    for first, later in ((Y, ["a", "b", "a", "b"]), (["a", "b", "a", "b"], Y)):
        model = Perceptron().fit(X, first)
        with refused("labels of mixed type"):
            model.partial_fit(X, later)
        with refused("labels of mixed type"):
            model.learn_one({"x0": 1.0}, later[0])
        with refused("labels of mixed type"):
            model.partial_fit(X, first, classes=later)
        assert model.classes_.tolist() == sorted(set(first))


@looped(
    ("label", "words"),
    [
        ([1], r"Unknown label type: list \(\[1\]\)"),
        ({"a": 1}, "Unknown label type: dict"),
        ((1, 2), "Unknown label type: tuple"),
        (None, "Unknown label type: NoneType"),
        (b"a", "Unknown label type: bytes"),
        (0.5, "Unknown label type: continuous"),
        (NAN, "y contains NaN"),
        (INF, "y contains NaN or inf"),
        (1j, "Unknown label type: complex"),
        (np.array([1]), "Unknown label type: ndarray"),
        (object, "Unknown label type: type"),
    ],
    ids=repr,
)
def test_odd_labels_of_one_example(label, words):
    for model in (Perceptron(), learned(Perceptron)[0]):
        with refused(words):
            model.learn_one({"a": 1.0}, label)


@each_classifier
def test_one_class_only_is_fine(cls):
    for label in (1, 0, "only", True):
        model = cls().fit(X, [label] * 4)
        assert model.predict(X).tolist() == [label] * 4
        assert model.classes_.tolist() == [label]
        assert model.decision_function(X).shape == (4,)
        assert model.score(X, [label] * 4) == 1.0


@looped(
    ("y", "words"),
    [
        ([1.0, NAN, 2.0, 3.0], "y contains NaN or inf: row 1 is nan"),
        ([1.0, 2.0, 3.0, -INF], "y contains NaN or inf: row 3 is -inf"),
        (["1", "2", "3", "4"], "y holds the string '1'; expected numbers"),
        (np.array(["1", "2", "3", "4"]), "y holds <U1 values; expected numbers"),
        ([1.0, None, 2.0, 3.0], "y contains NaN or inf: row 1"),
        ([1.0], "inconsistent numbers of samples"),
    ],
    ids=repr,
)
@each_regressor
def test_targets(cls, y, words):
    with refused(words):
        cls().fit(X, y)
    with refused(words):
        cls().fit(X, [1.0] * 4).score(X, y)


@each_regressor
def test_one_target(cls):
    for model in (cls(), learned(cls)[0]):
        for y, words in (
            (NAN, "target y is NaN; expected a finite number"),
            (INF, "target y is inf; expected a finite number"),
            ("1", "y is '1'; expected a number"),
            (None, "y is None; expected a number"),
            ([1.0], r"y is \[1.0\]; expected a number"),
        ):
            with refused(words):
                model.learn_one({"a": 1.0}, y)


@looped(
    ("weights", "words"),
    [
        ([1, 1, NAN, 1], r"sample_weight\[2\] is nan; expected a finite number ≥ 0"),
        ([1, INF, 1, 1], r"sample_weight\[1\] is inf; expected a finite number ≥ 0"),
        ([1, 1, 1, -1], r"sample_weight\[3\] is -1.0; expected a finite number ≥ 0"),
        (-1.0, r"sample_weight\[0\] is -1.0; expected a finite number ≥ 0"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        ([[1, 1, 1, 1]], "Sample weights must be 1D array or scalar, got 2D array"),
        (["1", "1", "1", "1"], "sample_weight holds <U1 values; expected numbers"),
        ([1, 1, None, 1], r"sample_weight\[2\] is nan"),
    ],
    ids=repr,
)
@each_learner
def test_weights(cls, weights, words):
    with refused(words):
        cls().fit(X, Y, sample_weight=weights)
    model = cls().fit(X, Y)
    with refused(words):
        model.score(X, Y, sample_weight=weights)
    if hasattr(model, "partial_fit"):
        with refused(words):
            model.partial_fit(X, Y, sample_weight=weights)


@each_online
def test_weight_of_one_example(cls):
    for model in (cls(), learned(cls)[0]):
        for weight, words in (
            (-1.0, "sample_weight is -1.0; expected a finite number ≥ 0"),
            (NAN, "sample_weight is NaN; expected a finite number ≥ 0"),
            (INF, "sample_weight is inf; expected a finite number ≥ 0"),
            ("1", "sample_weight is '1'; expected a number"),
            (None, "sample_weight is None; expected a number"),
        ):
            with refused(words):
                model.learn_one({"a": 1.0}, 1, weight)


# -- one example


NO_EXAMPLES = {
    "a text": ("some words", r"found str \(split the text into words first\)"),
    "None": (None, "found None"),
    "a number": (3, "found int"),
    "bytes": (b"abc", "found bytes"),
    "an array": (np.ones(3), "found ndarray"),
    "a generator": ((n for n in "ab"), "found generator"),
}


@looped(("x", "words"), NO_EXAMPLES.values(), ids=NO_EXAMPLES)
@each_online
def test_things_that_are_no_example(cls, x, words):
    for model in (cls(), *learned(cls)):
        with refused(f"an example is a dict of named features, or a list or set of names; {words}"):
            model.learn_one(x, 1)
    for ask in (model.predict_one, model.score_one, model.explain_one):
        with refused(f"an example is a dict of named features, or a list or set of names; {words}"):
            ask(x)


@looped(
    ("x", "words"),
    [
        ({"\ud800": 1.0}, r"feature name '.ud800' is not valid text \(a lone surrogate"),
        ({"a": "\ud800"}, r"feature name '.ud800' is not valid text \(a lone surrogate"),
        (["a", "\udfff"], r"feature name '.udfff' is not valid text \(a lone surrogate"),
        ({b"a": 1.0}, "feature names are strings; found b'a' of type bytes"),
        ({None: 1.0}, "feature names are strings; found None of type NoneType"),
        ({True: 1.0}, "feature names are strings; found True of type bool"),
        ({1.5: 1.0}, "feature names are strings; found 1.5 of type float"),
        ({("a", 1): 1.0}, r"feature names are strings; found \('a', 1\) of type tuple"),
        ([["a"]], r"feature names are strings; found \['a'\] of type list"),
        ({"a": [1.0]}, r"feature 'a': found \[1.0\] of type list; expected a number, a boolean"),
        ({"a": {}}, "feature 'a': found {} of type dict; expected a number, a boolean, a string"),
        ({"a": 1j}, "feature 'a': found 1j of type complex"),
        ({"a": b"x"}, "feature 'a': found b'x' of type bytes"),
        ({"a": np.ones(3)}, r"feature 'a': found array\(.* of type ndarray"),
    ],
    ids=repr,
)
@each_online
def test_odd_names_and_values(cls, x, words):
    for model in (cls(), learned(cls)[0]):
        with refused(words):
            model.learn_one(x, 1)
    with refused(words):
        learned(cls)[0].predict_one(x)


@each_online
def test_columns_that_an_array_did_not_have(cls):
    model = cls().fit(X, Y)
    for name in ("x3", "x", "x-1", "x1e0", "y", "", 3, -1, 10**30, "color"):
        with refused("trained on arrays without names; expected a column number 0 to 2"):
            model.learn_one({name: 1.0}, 1)
        with refused("trained on arrays without names"):
            model.predict_one({name: 1.0})
    with refused(r"feature 'x0=red'.*trained on arrays without names"):
        model.learn_one({"x0": "red"}, 1)


class Meddler:
    """A number that empties its dict while it is asked for its value."""

    def __init__(self, of):
        self.of = of

    def __float__(self):
        self.of.clear()
        return 1.0


def test_a_dict_that_changes_while_it_is_read():
    for _ in range(20):
        x = {f"name {i}": float(i) for i in range(100)}
        x["name 50"] = Meddler(x)
        model = Perceptron()
        model.learn_one(x, 1)
        assert model.examples_ == 1


def test_an_error_in_a_number_arrives():
    class Broken:
        def __float__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Perceptron().learn_one({"a": Broken()}, 1)


# -- questions before anything was learned


@each_learner
def test_asking_before_learning(cls):
    model = cls()
    for ask in (
        lambda: model.predict(X),
        lambda: model.score(X, Y),
        lambda: model.coef_,
        lambda: model.intercept_,
        lambda: model.updates_,
        lambda: model.examples_,
        lambda: model.top_features(),
        lambda: model.explain_one({"a": 1.0}),
    ):
        with refused(f"This {cls.__name__} instance is not fitted yet", NotLearned):
            ask()
    for name in ("classes_", "n_features_in_", "epochs_", "converged_"):
        assert not hasattr(model, name)


def test_predictions_before_learning_follow_the_protocol_of_streams():
    assert Perceptron().predict_one({"a": 1.0}) is None
    assert PassiveAggressive(calibrate=True).predict_proba_one({"a": 1.0}) == {}
    assert LMS().predict_one({"a": 1.0}) == 0.0


def test_probabilities_that_were_not_asked_for():
    model = Perceptron().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="learns no probabilities: pass calibrate=True"):
        model.predict_proba(X)
    with pytest.raises(NotImplementedError, match="learns no probabilities: pass calibrate=True"):
        model.predict_proba_one({"x0": 1.0})


def test_labels_that_were_never_learned():
    for model in (Perceptron().fit(X, Y), Perceptron().fit(X, [0, 1, 2, 1])):
        with refused(r"label 'spam' is not one of those learned: \[0, 1"):
            model.top_features(3, label="spam")
        with refused(r"label 7 is not one of those learned"):
            model.explain_one({"x0": 1.0}, label=7)


def test_stability_of_bad_arrays():
    for rows, words in (
        ([[NAN]], "NaN or inf"),
        ([["a"]], "expected numbers"),
        ([1.0], "Expected 2D array"),
        (np.ones((0, 2)), r"0 sample\(s\)"),
    ):
        with refused(words):
            lms_stability(rows)


# -- options


NUMBERS = ("large", None, [1.0], NAN, True)
WRONG_BY_TYPE = {
    bool: ("yes", 1, None, [], 0.0),
    int: (-1, 1.5, "3", None, True, NAN),
    float: NUMBERS,
    str: ("nonsense", 3, None, ""),
}


def bad_options():
    """Every option of every learner with values of a wrong type, by the type of its default."""
    for entry in LINEAR:
        may_be_none = {"theta", "floor", "prepare", "class_weight", "threshold"} | (
            {"max_epochs"} if entry.online else set()
        )
        if entry.name == "Snow":
            may_be_none |= {"rules", "multiclass", "beta", "max_links", "confidence"}
        if entry.name == "Banditron":
            may_be_none ^= {"classes", "max_epochs"}
        for name, parameter in inspect.signature(entry.cls).parameters.items():
            if name == "random_state":  # looked at only where rows are shuffled
                continue
            kind = float if parameter.default is None else type(parameter.default)
            for value in WRONG_BY_TYPE[kind]:
                good = value is None and name in may_be_none
                good |= value == 3 and name in ("learning_rate", "p")  # a number or a word
                if not good:
                    yield entry.cls, name, value


@looped(("cls", "name", "value"), bad_options())
def test_options_of_a_wrong_type(cls, name, value):
    model = cls(**{name: value})  # options are looked at when they are used
    with refused(rf"{name} is .*; expected"):
        model.fit(X, Y)
    if hasattr(model, "learn_one"):
        with refused(rf"{name} is .*; expected"):
            model.learn_one({"a": 1.0}, 1)
        assert "_model" not in vars(model)


@looped(
    ("cls", "options", "words"),
    [
        (Perceptron, {"margin": -0.1}, "margin is -0.1; expected a finite number ≥ 0"),
        (Perceptron, {"margin": INF}, "margin is inf; expected a finite number ≥ 0"),
        (Perceptron, {"learning_rate": 0.0}, "learning_rate is 0.0; expected a finite number > 0"),
        (Perceptron, {"learning_rate": "1/n"}, r"learning_rate is '1/n'; expected.*'1/t'"),
        (Perceptron, {"step": "aggressive"}, "step='aggressive' needs margin > 0"),
        (Perceptron, {"max_epochs": 0}, "max_epochs is 0; expected a whole number ≥ 1"),
        (Perceptron, {"shuffle": True, "random_state": -1}, "random_state is -1; expected None"),
        (Perceptron, {"shuffle": True, "random_state": "x"}, "random_state is 'x'; expected None"),
        (TruncatedPerceptron, {"keep": 0}, "keep is 0; expected a whole number ≥ 1"),
        (TruncatedPerceptron, {"keep": -3}, "keep is -3; expected a whole number ≥ 1"),
        (TruncatedPerceptron, {"keep": True}, "keep is True; expected a whole number ≥ 1"),
        (TruncatedPerceptron, {"l2": -1.0}, "l2 is -1.0; expected a finite number ≥ 0"),
        (TruncatedPerceptron, {"l2": 2.0, "learning_rate": 0.5}, "l2·learning_rate is 1; expected"),
        (TruncatedPerceptron, {"max_epochs": None}, "max_epochs is None; expected a whole number"),
        (BatchPerceptron, {"epsilon": 0.0}, "epsilon is 0.0; expected a finite number > 0"),
        (BatchPerceptron, {"max_epochs": None}, "max_epochs is None; expected a whole number ≥ 1"),
        (PassiveAggressive, {"C": 0.0}, "C is 0.0; expected a finite number > 0"),
        (PassiveAggressive, {"C": INF}, "C is inf; expected a finite number > 0"),
        (PassiveAggressive, {"variant": "PA-3"}, "variant is 'PA-3'; expected one of 'PA', 'PA-I'"),
        (PassiveAggressiveRegressor, {"epsilon": -1.0}, "epsilon is -1.0; expected a finite.* ≥ 0"),
        (MIRA, {"C": -INF}, "C is -inf; expected a finite number > 0"),
        (MIRA, {"margin": 0.0}, "margin is 0.0; expected a finite number > 0"),
        (MIRA, {"constraints": "two"}, "constraints is 'two'; expected one of 'all', 'one'"),
        (Winnow, {"alpha": 1.0}, "alpha is 1.0; expected a finite number > 1"),
        (Winnow, {"theta": INF}, "theta is inf; expected a finite number"),
        (Winnow, {"floor": 0.0}, "floor is 0.0; expected a finite number > 0"),
        (Winnow, {"floor": 0.5, "demotion": "eliminate"}, "'eliminate' .* cannot have a floor"),
        (Winnow, {"demotion": "halve"}, "demotion is 'halve'; expected one of 'divide'"),
        (BalancedWinnow, {"alpha": 0.5}, "alpha is 0.5; expected a finite number > 1"),
        (LMS, {"learning_rate": "fast"}, "learning_rate is 'fast'; expected a number or 'auto'"),
        (LMS, {"learning_rate": -1.0}, "learning_rate is -1.0; expected a finite number > 0"),
    ],
    ids=repr,
)
def test_options_out_of_range(cls, options, words):
    with refused(words):
        cls(**options).fit(X, Y)


def test_names_that_others_have():
    with pytest.raises(TypeError, match=r"argument 'max_iter'. Did you mean 'max_epochs'\?"):
        Perceptron(max_iter=5)
    with pytest.raises(AttributeError, match="Did you mean 'PassiveAggressive'"):
        _ = thresher.PassiveAggressiveClassifier


@each_learner
def test_options_that_do_not_exist(cls):
    with pytest.raises(TypeError, match="unexpected keyword argument 'zeta'"):
        cls(zeta=1.0)
    with pytest.raises(ValueError, match="Invalid parameter 'zeta'"):
        cls().set_params(zeta=1.0)


@looped(
    ("value", "words"),
    [(None, "None"), ("0.5", "'0.5'"), ([1.0], r"\[1.0\]"), (1j, "1j")],
    ids=repr,
)
def test_learning_rates_that_return_no_number(value, words):
    model = Perceptron(margin=100.0, learning_rate=lambda t: value if t > 2 else 1.0)
    with refused(f"learning_rate returned {words}; expected a number"):
        model.fit(X, Y)
    with refused(f"learning_rate returned {words}.*The rows before it have been learned"):
        model.partial_fit(X, Y)
    assert model.examples_ == 2


# -- rules


mood = {"answer": 0.5}


@thresher.rule(jit=False)
def moody(margin, y):
    """A rule that does as it is told."""
    answer = mood["answer"]
    if isinstance(answer, Exception):
        raise answer
    return answer


@thresher.rule(jit=True)
def divides(sqnorm):
    """Compiled, and no good for an example of nothing."""
    return 1.0 / sqnorm


@looped(
    ("answer", "words"),
    [
        (None, "rule moody returned None; expected a number"),
        ("0.5", "rule moody returned '0.5'; expected a number"),
        ([0.5], r"rule moody returned \[0.5\]; expected a number"),
        (1j, "rule moody returned 1j; expected a number"),
        (NAN, "the update rule returned NaN; expected a finite step"),
        (INF, "the update rule returned -?inf; expected a finite step"),
        (10**400, "too large"),
    ],
    ids=lambda v: repr(v)[:20],
)
def test_rules_that_return_no_number(answer, words, monkeypatch):
    kind = OverflowError if answer == 10**400 else InvalidInput
    model = moody().fit(X, Y)
    before = bits(model)
    monkeypatch.setitem(mood, "answer", answer)
    for learn in (
        lambda: model.learn_one({"x0": 1.0}, 1),
        lambda: model.fit(X, Y),
        lambda: model.partial_fit(X, Y),
    ):
        with refused(words, kind):
            learn()
        assert bits(model) == before
    monkeypatch.setitem(mood, "answer", np.float32(0.5))
    assert model.partial_fit(X, Y).examples_ == 8


def test_rules_that_raise(monkeypatch):
    model = moody()
    monkeypatch.setitem(mood, "answer", LookupError("mine"))
    with pytest.raises(LookupError, match="mine"):
        model.learn_one({"a": 1.0}, 1)
    with pytest.raises(NotLearned):
        model.score_one({"a": 1.0})
    monkeypatch.setitem(mood, "answer", 0.5)
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"b": 1.0}, 0)
    before = bits(model)
    monkeypatch.setitem(mood, "answer", LookupError("mine"))
    with pytest.raises(LookupError, match="mine"):
        model.learn_one({"a": 1.0}, 1)
    assert bits(model) == before
    with pytest.raises(LookupError, match="mine") as caught:
        model.partial_fit(pandas.DataFrame({"a": [1.0], "b": [0.0]}), [1])
    assert "have been learned" in caught.value.__notes__[0]
    assert bits(model) == before
    monkeypatch.setitem(mood, "answer", 0.5)
    model.learn_one({"a": 1.0}, 1)
    assert model.examples_ == 3


@pytest.mark.nosanitize  # compiles
def test_compiled_rules_that_raise():
    """An exception cannot cross a C function: it comes as a step of NaN."""
    model = divides(fit_intercept=False).fit([[1.0, 0.0], [0.0, 2.0]], [1, 0])
    before = bits(model)
    with refused("the update rule returned NaN; expected a finite step"):
        model.partial_fit([[0.0, 0.0]], [1])
    assert bits(model) == before


@pytest.mark.nosanitize  # compiles
def test_rules_that_cannot_be_compiled():
    def prints(margin):
        return {"a": object()}["a"]

    model = thresher.rule(jit=True)(prints)()
    with refused("rule prints cannot be compiled"):
        model.fit(X, Y)
    with (
        pytest.warns(
            UserWarning, match="rule prints cannot be compiled by Numba and runs as plain"
        ),
        refused("rule prints returned <object"),
    ):
        thresher.rule(jit="auto")(prints)().fit(X, Y)


def test_functions_that_are_no_rules():
    for function, words in (
        (lambda x: 1.0, "parameter 'x' is neither one of margin, sqnorm, y, score, t, weight nor"),
        (lambda margin, *, C: 1.0, "parameter 'C' is neither"),
        (lambda *margins: 1.0, "parameter 'margins' is neither"),
        (
            lambda margin, *, average=1: 1.0,
            "option 'average' is one that every learner has already",
        ),
    ):
        with refused(words):
            thresher.rule()(function)
    with refused("geometry is 'round'; expected one of 'additive'"):
        thresher.rule(geometry="round")
    with refused("jit is 'maybe'; expected 'auto', True or False"):
        thresher.rule(jit="maybe")
    with pytest.raises(TypeError, match="unexpected keyword argument 'C'"):
        moody(C=1.0)


# -- a failing call leaves the learner usable and as it was


BAD_CALLS = {
    "NaN": lambda m: m.fit([[NAN, 0.0, 0.0]], [1]),
    "NaN in the last row": lambda m: m.fit([*X, [0.0, 0.0, NAN]], [*Y, 1]),
    "other columns": lambda m: m.predict([[1.0]]),
    "strings": lambda m: m.fit([["a", "b", "c"]], [1]),
    "no rows": lambda m: m.fit(np.ones((0, 3)), []),
    "too few labels": lambda m: m.fit(X, [1]),
    "NaN in y": lambda m: m.fit(X, [0, 1, NAN, 1]),
    "negative weight": lambda m: m.fit(X, Y, sample_weight=[1, 1, 1, -1]),
    "NaN asked": lambda m: m.predict([[NAN, 0.0, 0.0]]),
}
BAD_MORE = {
    "columns": lambda m: m.partial_fit([[1.0]], [1]),
    "NaN in the first row": lambda m: m.partial_fit([[NAN, 0.0, 0.0]], [1]),
    "NaN with a new label": lambda m: m.partial_fit([[NAN, 0.0, 0.0]], [7]),
    "strings": lambda m: m.partial_fit([["a", "b", "c"]], [1]),
    "too few labels": lambda m: m.partial_fit(X, [1]),
    "NaN in y": lambda m: m.partial_fit(X, [0, 1, 2, NAN]),
    "mixed labels": lambda m: m.partial_fit(X, [0, 1, 2, "a"]),
    "negative weight": lambda m: m.partial_fit(X, [0, 1, 2, 3], sample_weight=[1, 1, 1, -1]),
    "corrupt": lambda m: m.partial_fit(
        sparse.csr_array(([1.0], [2], [0, 1]), shape=(1, 3), copy=True) * NAN, [5]
    ),
}
BAD_ONES = {
    "infinity": lambda m: m.learn_one({"new": 1.0, "a": INF}, 1),
    "infinity with a new label": lambda m: m.learn_one({"new": 1.0, "a": INF}, 9),
    "a bad label": lambda m: m.learn_one({"new": 1.0}, [1]),
    "a label of another type": lambda m: m.learn_one({"new": 1.0}, "text"),
    "a bad name": lambda m: m.learn_one({"new": 1.0, None: 1.0}, 1),
    "a surrogate": lambda m: m.learn_one(["new", "\ud800"], 1),
    "a bad value": lambda m: m.learn_one({"new": 1.0, "a": [1]}, 1),
    "a negative weight": lambda m: m.learn_one({"a": 1.0}, 1, -1.0),
    "no example": lambda m: m.learn_one("text", 1),
    "infinity asked": lambda m: m.predict_one({"new": INF}),
    "an array": lambda m: m.predict([[1.0]]),
    "a table with NaN": lambda m: m.predict(pandas.DataFrame({"other": [NAN]})),
}


@looped("call", BAD_CALLS.values(), ids=BAD_CALLS)
@each_learner
def test_fit_is_all_or_nothing(cls, call):
    fresh, model = cls(), cls().fit(X, Y)
    before = bits(model)
    for subject in (fresh, model):
        with pytest.raises(ThresherError):
            call(subject)
    assert vars(fresh) == vars(cls())
    assert bits(model) == before
    assert model.predict(X).shape == (4,)
    assert bits(fresh.fit(X, Y)) == bits(cls().fit(X, Y))


@looped("call", BAD_MORE.values(), ids=BAD_MORE)
@each_online
def test_partial_fit_that_learns_nothing_changes_nothing(cls, call):
    model = cls().fit(X, Y)
    before = bits(model)
    with pytest.raises(ThresherError):
        call(model)
    assert bits(model) == before
    twin = cls().fit(X, Y)
    assert bits(model.partial_fit(X, Y)) == bits(twin.partial_fit(X, Y))


@looped("call", BAD_ONES.values(), ids=BAD_ONES)
@each_online
def test_learn_one_that_fails_changes_nothing(cls, call):
    fresh = cls()
    model, twin = learned(cls)[0], learned(cls)[0]
    before = bits(model)
    with pytest.raises(ThresherError):
        call(model)
    assert bits(model) == before
    with_new = {"a": 1.0, "new": 0.5}
    for m in (model, twin):
        m.learn_one(with_new, 1)
    assert bits(model) == bits(twin)
    try:
        call(fresh)
    except ThresherError:
        assert vars(fresh) == vars(cls())


@each_online
def test_partial_fit_keeps_the_rows_before_a_bad_one(cls):
    rows, y = np.array(X), [0, 1, 2, 3]
    rows[2, 1] = NAN
    begun, fresh = cls().fit(X, Y), cls()
    for model, expected in (
        (begun, cls().fit(X, Y).partial_fit(X[:2], y[:2])),
        (fresh, cls().partial_fit(X[:2], y[:2])),
    ):
        with refused(r"row 2, feature 'x1': found NaN.*The rows before it have been learned\."):
            model.partial_fit(rows, y)
        assert bits(model) == bits(expected)
        model.partial_fit(X[2:], y[2:])
        expected.partial_fit(X[2:], y[2:])
        assert bits(model) == bits(expected)


def test_divergence_keeps_the_last_good_weights():
    rows = np.array([[1.0], [2.0], [100.0], [100.0], [100.0], [1.0]])
    y = [1.0, 2.0, 3.0, 2.0, 1.0, 0.0]
    words = r"row \d: the weights diverge: the residual grew to .*lms_stability.*'auto'"
    for learn in ("fit", "partial_fit"):
        model = LMS(learning_rate=0.5)
        with refused(words, DivergenceError):
            getattr(model, learn)(rows, y)
        good = model.examples_
        assert 2 <= good < 6
        expected = LMS(learning_rate=0.5).partial_fit(rows[:good], y[:good])
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        assert np.isfinite(model.predict(rows)).all()
    stream = LMS(learning_rate=0.5)
    with refused("the weights diverge", DivergenceError):
        for row, target in zip(rows.tolist(), y, strict=True):
            stream.learn_one({"x0": row[0]}, target)
    assert stream.predict_one({"x0": 1.0}) == pytest.approx(float(model.predict([[1.0]])[0]))


def test_warnings_are_not_errors_in_disguise():
    """Nothing above depends on warnings: as errors they must not hide the message."""
    with warnings.catch_warnings(action="error"), refused("found NaN"):
        Winnow().fit([[NAN, 1.0]], [1])


@pytest.mark.parametrize("cls", [Perceptron, NaiveBayes, KernelPerceptron, BatchPerceptron])
def test_one_label_is_said(cls, tmp_path):
    X, path = [[0.0], [1.0]], tmp_path / "one.csv"
    with pytest.warns(UserWarning, match="same label, 'b': there is nothing to tell apart") as said:
        assert cls().fit(X, ["b", "b"]).predict(X).tolist() == ["b", "b"]
    assert said[0].filename == __file__
    path.write_text("label,x\nb,0\nb,1\n")
    if cls is not BatchPerceptron:  # which has no stream to learn
        with pytest.warns(UserWarning, match="same label, 'b'"):
            cls().fit_file(path)
