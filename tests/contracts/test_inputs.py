"""The same examples in any accepted form make the same model."""

import array
import collections
import decimal
import fractions
import types

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse as sparse
from sklearn.base import clone

from cases import looped
from thresher import (
    LMS,
    Elimination,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    SequencePerceptron,
    VotedPerceptron,
    Winnow,
)
from thresher.errors import InvalidInput
from thresher.features import MaxAbs

ROWS, COLUMNS = 40, 6
# Small whole numbers, exact in every type and in every order of summation.
RANDOM = np.random.default_rng(0)
COUNTS = (RANDOM.integers(0, 6, (ROWS, COLUMNS)) * (RANDOM.random((ROWS, COLUMNS)) < 0.6)).astype(
    float
)
FLAGS = (COUNTS > 0).astype(float)
LABELS = RANDOM.integers(0, 3, ROWS)
NAMES = [f"feature {j}" for j in range(COLUMNS)]

LEARNERS = [Perceptron(), PassiveAggressive(variant="PA-II"), LMS(learning_rate=2.0**-9)]


def weights(model, X, y=LABELS, **options):
    """Learned in one call and in two, and asked again in the same form."""
    model = type(model)(**model.get_params())
    model.fit(X, y, **options)
    assert model.predict(X).shape == (ROWS,)
    return model.coef_, model.intercept_, model.predict(X)


def same(model, X, expected, exact=True, **options):
    for found, wanted in zip(weights(model, X, **options), expected, strict=True):
        if exact:
            np.testing.assert_array_equal(found, wanted)
        else:  # the order of summation may differ
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


each_learner = pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
TYPES = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64", "longdouble", ">f8", ">f4", ">i4", "object",
]  # fmt: skip


@each_learner
@looped("dtype", TYPES)
def test_numeric_types(model, dtype):
    same(model, COUNTS.astype(dtype), weights(model, COUNTS))


@each_learner
def test_booleans(model):
    same(model, FLAGS.astype(bool), weights(model, FLAGS))
    same(model, sparse.csr_array(FLAGS.astype(bool)), weights(model, FLAGS), exact=False)


def layouts():
    wide = np.zeros((2 * ROWS, 3 * COLUMNS))
    wide[::2, 1::3] = COUNTS
    frozen = COUNTS.copy()
    frozen.flags.writeable = False
    yield "Fortran order", np.asfortranarray(COUNTS)
    yield "every other row and every third column", wide[::2, 1::3]
    yield "backwards", COUNTS[::-1, ::-1].copy()[::-1, ::-1]
    yield "transposed", COUNTS.T.copy().T
    yield "read-only", frozen
    yield "float32 slices", wide.astype(np.float32)[::2, 1::3]
    yield (
        "unaligned",
        np.frombuffer(b"\0" + COUNTS.tobytes(), np.uint8)[1:].view(float).reshape(COUNTS.shape),
    )
    yield "lists", COUNTS.tolist()
    yield "lists of whole numbers", COUNTS.astype(int).tolist()
    yield "tuples", tuple(map(tuple, COUNTS.tolist()))
    yield "list of arrays", list(COUNTS)
    yield "array.array", [array.array("d", row) for row in COUNTS.tolist()]
    yield "memoryview", memoryview(COUNTS)
    yield "unmasked", np.ma.masked_array(COUNTS)


LAYOUTS = dict(layouts())


@each_learner
@looped("X", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(model, X):
    same(model, X, weights(model, COUNTS))


def sparse_forms():
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
        for kind in ("array", "matrix"):
            X = getattr(sparse, f"{form}_{kind}")(COUNTS)
            yield f"{form}_{kind}", X
            for index in (np.int32, np.int64):
                if form in ("csr", "csc", "bsr"):
                    wide = X.copy()
                    wide.indptr, wide.indices = X.indptr.astype(index), X.indices.astype(index)
                    yield f"{form}_{kind} {index.__name__}", wide
    for dtype in TYPES[:11]:
        if dtype != "float16":  # scipy has no such matrices
            yield f"csr {dtype}", sparse.csr_array(COUNTS.astype(dtype))
    coo = sparse.coo_array(COUNTS)
    coo.coords = tuple(c.astype(np.int64) for c in coo.coords)
    yield "coo int64", coo
    frozen = sparse.csr_array(COUNTS)
    for part in (frozen.data, frozen.indices, frozen.indptr):
        part.flags.writeable = False
    yield "read-only csr", frozen
    strided = sparse.csr_array(COUNTS)
    strided.data = np.repeat(strided.data, 2)[::2]
    strided.indices = np.repeat(strided.indices, 3)[::3]
    yield "csr of slices", strided
    spare = sparse.csr_array(COUNTS)
    spare.data, spare.indices = np.append(spare.data, [9.0] * 3), np.append(spare.indices, [0] * 3)
    yield "csr with spare room", spare


SPARSE = dict(sparse_forms())


@each_learner
@looped("X", SPARSE.values(), ids=SPARSE)
def test_sparse_forms(model, X):
    same(model, X, weights(model, COUNTS), exact=False)


def tangled(X, dtype=np.int32):
    """The same matrix with its entries out of order, split into parts, and with zeros stored."""
    generator = np.random.default_rng(1)
    starts, columns, values = [0], [], []
    for row in X:
        entries = [(j, v - 1) for j, v in enumerate(row) if v] + [
            (j, 1) for j, v in enumerate(row) if v
        ]
        entries += [(j, 0.0) for j, v in enumerate(row) if not v]
        for k in generator.permutation(len(entries)):
            columns.append(entries[k][0])
            values.append(entries[k][1])
        starts.append(len(columns))
    parts = (np.array(values, float), np.array(columns, dtype), np.array(starts, dtype))
    return sparse.csr_array(parts, shape=X.shape)


@each_learner
@looped("index", [np.int32, np.int64])
@looped("value", [np.float32, np.float64])
def test_unsorted_and_repeated_indices_add_up(model, index, value):
    X = tangled(COUNTS, index)
    X.data = X.data.astype(value)
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    same(model, X, weights(model, COUNTS), exact=False)
    for part, kept in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, kept)
    same(model, sparse.coo_array(X), weights(model, COUNTS), exact=False)


@looped("length", [2, 8, 16, 17, 18, 32, 33, 34, 50])
def test_one_index_out_of_place_is_found_anywhere_in_a_row(length):
    """The core looks at sixteen indices at once, and the last sixteen may overlap those before."""
    values, starts = np.ones(length), np.array([0, length], np.int32)
    for place in range(1, length):
        repeated = 2 * np.arange(length, dtype=np.int32)
        repeated[place] = repeated[place - 1]
        X = sparse.csr_array((values, repeated, starts), shape=(1, 2 * length))
        expected = np.bincount(repeated, minlength=2 * length)
        model = Perceptron(average=False).partial_fit(X, [1], classes=[0, 1])
        np.testing.assert_array_equal(model.coef_[0], expected)
        for outside in (-1, 2 * length):
            wrong = 2 * np.arange(length, dtype=np.int32)
            wrong[place] = outside
            X.indices[:] = wrong
            with pytest.raises(InvalidInput, match="does not exist in this matrix"):
                Perceptron().partial_fit(X, [1], classes=[0, 1])


def test_repeats_add_up_before_they_are_clipped():
    X = tangled(COUNTS)  # sums of 0 to 5, of parts that may be 0 to 4
    expected = Winnow(clip=True).fit(COUNTS, LABELS).coef_
    np.testing.assert_array_equal(Winnow(clip=True).fit(X, LABELS).coef_, expected)
    np.testing.assert_array_equal(Winnow().fit(FLAGS, LABELS).coef_, expected)
    parts = sparse.csr_array(([0.75, 0.75, -0.5], [0, 0, 0], [0, 3]), shape=(1, 1))
    np.testing.assert_array_equal(
        Winnow(clip=True).fit(parts, [0]).decision_function(parts),
        Winnow(clip=True).fit([[1.0]], [0]).decision_function([[1.0]]),
    )


@pytest.mark.parametrize("model", [Perceptron(), Winnow(clip=True)], ids=repr)
def test_inputs_are_not_changed(model):
    X = np.asfortranarray(COUNTS - 1.0)
    S = sparse.csr_array(X)
    y, w = LABELS.copy(), np.ones(ROWS)
    model.fit(X, y, sample_weight=w)
    model.fit(S, y, sample_weight=w)
    model.predict(S)
    np.testing.assert_array_equal(X, COUNTS - 1.0)
    np.testing.assert_array_equal(S.toarray(), COUNTS - 1.0)
    np.testing.assert_array_equal(y, LABELS)
    assert (w == 1.0).all()


def tables():
    columns = dict(zip(NAMES, COUNTS.T, strict=True))
    whole = {name: column.astype(int) for name, column in columns.items()}
    yield "pandas", pandas.DataFrame(columns)
    yield "pandas with another index", pandas.DataFrame(columns, index=range(100, 100 + ROWS))
    yield "pandas int16", pandas.DataFrame(whole).astype("int16")
    yield "pandas float32", pandas.DataFrame(columns).astype("float32")
    yield "pandas nullable", pandas.DataFrame(whole).astype("Int64")
    yield "pandas nullable float", pandas.DataFrame(columns).astype("Float64")
    yield "pandas arrow", pandas.DataFrame(whole).astype("int64[pyarrow]")
    yield "pandas mixed", pandas.DataFrame(whole).astype({NAMES[0]: "float32", NAMES[1]: "object"})
    yield "pandas slices", pandas.DataFrame(np.repeat(COUNTS, 2, axis=0), columns=NAMES)[::2]
    yield "polars", polars.DataFrame(columns)
    yield "polars UInt8", polars.DataFrame(whole).cast(polars.UInt8)
    yield "polars Float32", polars.DataFrame(columns).cast(polars.Float32)
    yield "pyarrow", pyarrow.table(columns)
    yield (
        "pyarrow int8",
        pyarrow.table({n: pyarrow.array(c, pyarrow.int8()) for n, c in whole.items()}),
    )
    yield (
        "pyarrow chunks",
        pyarrow.concat_tables(
            [pyarrow.table(columns).slice(0, 7), pyarrow.table(columns).slice(7)]
        ),
    )
    yield "pyarrow batch", pyarrow.RecordBatch.from_pydict(columns)


TABLES = dict(tables())


@each_learner
@looped("X", TABLES.values(), ids=TABLES)
def test_tables(model, X):
    same(model, X, weights(model, COUNTS))


def test_any_arrow_stream():
    """A class of which we know nothing but that it speaks Arrow's interface."""

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return TABLES["pyarrow"].__arrow_c_stream__(requested_schema)

    same(Perceptron(), Stream(), weights(Perceptron(), COUNTS))


@each_learner
def test_boolean_tables(model):
    columns = dict(zip(NAMES, FLAGS.astype(bool).T, strict=True))
    for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        same(model, make(columns), weights(model, FLAGS))
    same(model, pandas.DataFrame(columns).astype("boolean"), weights(model, FLAGS))


def test_a_table_without_text_names_is_an_array():
    model = Perceptron().fit(pandas.DataFrame(COUNTS), LABELS)
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_array_equal(model.predict(COUNTS), model.predict(pandas.DataFrame(COUNTS)))


TEXTS = np.array(["ham", "spam", "eggs"])[LABELS]
Y_FORMS = {
    "list": LABELS.tolist(),
    "tuple": tuple(LABELS.tolist()),
    **{dtype: LABELS.astype(dtype) for dtype in TYPES},
    "slices": np.repeat(LABELS, 2)[::2],
    "pandas": pandas.Series(LABELS, index=range(ROWS)[::-1]),
    "pandas nullable": pandas.Series(LABELS).astype("Int64"),
    "polars": polars.Series(LABELS),
    "pyarrow": pyarrow.array(LABELS),
    "pyarrow chunks": pyarrow.chunked_array([LABELS[:9], LABELS[9:]]),
}
TEXT_FORMS = {
    "list": TEXTS.tolist(),
    "array": TEXTS,
    "object": TEXTS.astype(object),
    "pandas": pandas.Series(TEXTS),
    "pandas object": pandas.Series(TEXTS.astype(object), dtype=object),
    "pandas category": pandas.Series(TEXTS, dtype="category"),
    "polars": polars.Series(TEXTS.tolist()),
    "pyarrow": pyarrow.array(TEXTS.tolist()),
}


@looped("y", Y_FORMS.values(), ids=Y_FORMS)
@each_learner
def test_labels_and_targets(model, y):
    same(model, COUNTS, weights(model, COUNTS), y=y)


@looped("y", TEXT_FORMS.values(), ids=TEXT_FORMS)
def test_texts_as_labels(y):
    model = Perceptron().fit(COUNTS, y)
    np.testing.assert_array_equal(model.coef_, Perceptron().fit(COUNTS, TEXTS).coef_)
    assert model.classes_.tolist() == ["eggs", "ham", "spam"]
    assert type(model.predict(COUNTS).tolist()[0]) is str
    assert model.score(COUNTS, y) == model.score(COUNTS, TEXTS)


def test_a_column_of_labels_is_taken_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector y was passed when a 1d array"):
        model = Perceptron().fit(COUNTS, LABELS[:, None])
    np.testing.assert_array_equal(model.coef_, Perceptron().fit(COUNTS, LABELS).coef_)


@each_learner
def test_sample_weights(model):
    w = 1.0 + LABELS  # not all equal, none 0
    expected = weights(model, COUNTS, sample_weight=w)
    for form in (
        w.tolist(), tuple(w), w.astype(int), w.astype("float32"), w.astype("uint8"),
        np.repeat(w, 2)[::2], pandas.Series(w), polars.Series(w), pyarrow.array(w),
    ):  # fmt: skip
        same(model, COUNTS, expected, sample_weight=form)
    same(model, COUNTS, weights(model, COUNTS, sample_weight=np.full(ROWS, 2.0)), sample_weight=2)


# -- one example at a time


class Text(str):
    """A string of the user's."""


def learned(xs):
    model = Perceptron()
    for x, y in zip(xs, LABELS.tolist(), strict=False):
        model.learn_one(x, y)
    return {label: dict(top) for label, top in model.top_features(100).items()}, model.examples_


def dicts(X):
    return [{n: v for n, v in zip(NAMES, row, strict=True) if v} for row in X.tolist()]


MAPPINGS = {
    "Counter": lambda d: collections.Counter({k: int(v) for k, v in d.items()}),
    "OrderedDict": collections.OrderedDict,
    "defaultdict": lambda d: collections.defaultdict(float, d),
    "UserDict": collections.UserDict,
    "proxy": types.MappingProxyType,
    "whole numbers": lambda d: {k: int(v) for k, v in d.items()},
    "float32": lambda d: {k: np.float32(v) for k, v in d.items()},
    "uint8": lambda d: {k: np.uint8(v) for k, v in d.items()},
    "fractions": lambda d: {k: fractions.Fraction(v) for k, v in d.items()},
    "decimals": lambda d: {k: decimal.Decimal(v) for k, v in d.items()},
    "zeros": lambda d: dict.fromkeys(NAMES, 0.0) | d,
    "None for what is not there": lambda d: dict.fromkeys(NAMES) | d,
    "texts of NumPy": lambda d: {np.str_(k): v for k, v in d.items()},
    "a subclass of str": lambda d: {Text(k): v for k, v in d.items()},
    "new strings each time": lambda d: {"".join(list(k)): v for k, v in d.items()},
    "another order": lambda d: dict(reversed(list(d.items()))),
    "bag": lambda d: [k for k, v in d.items() for _ in range(int(v))],
    "bag as tuple": lambda d: tuple(k for k, v in d.items() for _ in range(int(v))),
}


@looped("form", MAPPINGS.values(), ids=MAPPINGS)
def test_forms_of_one_example(form):
    assert learned(map(form, dicts(COUNTS))) == learned(dicts(COUNTS))


@looped("form", [set, frozenset, list, tuple])
def test_sets_of_names(form):
    flags = dicts(FLAGS)
    assert learned(form(d) for d in flags) == learned(flags)
    assert learned([dict.fromkeys(d, True) for d in flags]) == learned(flags)
    assert learned([dict.fromkeys(d, np.True_) for d in flags]) == learned(flags)


def test_dicts_equal_arrays():
    expected = Perceptron().fit(COUNTS, LABELS)
    model = Perceptron()
    for x, y in zip(dicts(COUNTS), LABELS.tolist(), strict=True):
        model.learn_one(x, y)
    found = {label: dict(model.top_features(COLUMNS, label)) for label in (0, 1, 2)}
    for label, row in enumerate(expected.coef_):
        assert found[label] == {n: w for n, w in zip(NAMES, row.tolist(), strict=True) if w}
    np.testing.assert_array_equal(model.intercept_, expected.intercept_)


def test_texts_as_values_are_names():
    one, other = Perceptron(), Perceptron()
    for x, z, y in (
        ({"color": "red", "size": 2}, {"color=red": 1.0, "size": 2.0}, 1),
        ({"color": "blue", "size": True}, {"color=blue": 1.0, "size": 1.0}, 0),
        ({"color": None, "size": False}, {}, 1),
        ({"color": np.str_("red"), 7: "x"}, ["color=red", "7=x"], 0),
        ({"color": ""}, {"color="}, 1),
    ):
        one.learn_one(x, y)
        other.learn_one(z, y)
        assert one.score_one(x) == other.score_one(z)
    assert one.top_features(10) == other.top_features(10)


def test_numbers_as_names():
    one, other = Perceptron(), Perceptron()
    for x, z, y in (
        ({3: 2.0, 10: 1.0}, {"3": 2.0, "10": 1.0}, 1),
        ({np.int64(3): 1.0, np.uint8(4): 1.0}, {"3": 1.0, "4": 1.0}, 0),
        ([3, 3, -1], {"3": 2.0, "-1": 1.0}, 1),
        ({10**30: 1.0}, {"1" + "0" * 30: 1.0}, 0),
        ({"3": 1.0, 3: 1.5}, {"3": 2.5}, 1),
    ):
        one.learn_one(x, y)
        other.learn_one(z, y)
        assert one.score_one(x) == other.score_one(z)
    assert one.top_features(10) == other.top_features(10)


WITH_TUPLES = {("new", "york"): 2.0, "c": 1.0, ("single",): 1.0, ("", "x"): 1.0}
AS_TEXT = {"new york": 2.0, "c": 1.0, "single": 1.0, " x": 1.0}


@pytest.mark.parametrize("hash_bits", [0, 6])
def test_tuples_of_words_are_names_with_spaces(tmp_path, hash_bits):
    """As n-grams of files are spelled; with what is spelled alike they are one feature."""
    path = tmp_path / "some.vw"
    path.write_text("1 | c\n-1 | d\n")
    models = []
    for x, y in ((WITH_TUPLES, AS_TEXT), (AS_TEXT, WITH_TUPLES)):
        model = Perceptron().fit_file(path, hash_bits=hash_bits)
        model.learn_one(x, -1)
        models.append((model.score_one(y), model.coef_.tolist(), model.feature_names_out_.tolist()))
    assert models[0] == models[1]
    both = Perceptron()
    both.learn_one({("a", "b"): 1.0, "a b": 2.0, "c": 1.0}, 1)
    assert dict(both.top_features()) == {"a b": 3.0, "c": 1.0}
    names = Perceptron()
    names.learn_one([("a", "b"), "c"], 1)
    assert dict(names.top_features()) == {"a b": 1.0, "c": 1.0}


@pytest.mark.parametrize("model", [KernelPerceptron(), VotedPerceptron()], ids=repr)
def test_tuples_are_names_for_kernels_too(model):
    other = clone(model)
    for learner, x in ((model, WITH_TUPLES), (other, AS_TEXT)):
        learner.learn_one(x, 1)
        learner.learn_one({"c": -1.0}, 0)
    assert model.score_one(AS_TEXT) == other.score_one(WITH_TUPLES) == model.score_one(WITH_TUPLES)


def test_tuples_are_names_for_transformers_sequences_and_concepts():
    scale = MaxAbs()
    scale.learn_one(WITH_TUPLES)
    assert scale.transform_one({("new", "york"): 1.0}) == {"new york": 0.5}
    tagger = SequencePerceptron().fit([[{("a", "b"): 1.0}, ["c"]]], [["X", "Y"]])
    assert tagger.predict_one([["a b"], ["c"]]) == ["X", "Y"]
    concept = Elimination()
    concept.learn_one({("a", "b"), "c"}, 1)
    concept.learn_one({("a", "b"): 1, "c": 0}, 1)
    assert concept.hypothesis_ == "a b"


def test_columns_of_an_array_by_number_or_name():
    model = Perceptron().fit(COUNTS, LABELS)
    for row in COUNTS.tolist():
        expected = model.score_one({f"x{j}": v for j, v in enumerate(row)})
        assert model.score_one(dict(enumerate(row))) == expected
        assert model.score_one({np.int32(j): v for j, v in enumerate(row)}) == expected
        assert model.predict([row])[0] == model.predict_one(dict(enumerate(row)))
    by_name, by_row = Perceptron().fit(COUNTS, LABELS), Perceptron().fit(COUNTS, LABELS)
    by_name.learn_one({0: 1.0, "x3": 2.0, "x0": 0.5}, 2)
    by_row.partial_fit([[1.5, 0, 0, 2.0, 0, 0]], [2])
    np.testing.assert_array_equal(by_name.coef_, by_row.coef_)


def test_any_name_is_a_name():
    names = ["", " ", "a\0b", "a\0c", "é", "e\u0301", "☃", "𝄞", "x" * 10_000, "a=b", "\n", "x0"]
    model = Perceptron()
    for i, name in enumerate(names):
        model.learn_one({name: 1.0 + i}, i % 2)
    assert model.examples_ == len(names)
    assert model._names() == names
    assert Perceptron().learn_one({}, 1) is None
    assert Perceptron().learn_one([], 1) is None
