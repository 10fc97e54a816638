"""What the learners of boolean concepts promise: inputs, labels, errors, files, copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from sklearn.base import clone

import thresher
from thresher import (
    Consistent,
    Elimination,
    Halving,
    StandardOptimal,
    WeightedMajority,
    concepts,
)
from thresher.errors import InvalidInput, ModelFileError, NotLearned, NotRealizable
from thresher.learners.table import TABLE

CASES = [
    pytest.param(entry.cls, options, id=f"{entry.name}{options}")
    for entry in TABLE
    if entry.boolean
    for options in entry.variants
]
each = pytest.mark.parametrize(("cls", "options"), CASES)

X = np.array([[1, 0, 1, 1], [1, 1, 1, 0], [0, 1, 1, 0], [1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]])


def labels(cls: Any, options: dict[str, Any]) -> np.ndarray:
    """x1, which is of every class here but 'at least 2 of'."""
    C = options.get("concepts")
    if C is not None and C.kind == "subsets_at_least":
        return (X[:, :2].sum(axis=1) >= 2).astype(int)
    return X[:, 0].copy()


def told(model: Any) -> tuple[Any, ...]:
    """All that there is to see of a model."""
    return (
        model.examples_, model.mistakes_, model.updates_, model.hypothesis_, model.bound_,
        model.version_space_size_, model.classes_.tolist(), str(model.threshold_unit_),
        model.no_unit_because_, model.n_features_in_,
        getattr(model, "feature_names_in_", np.array([])).tolist(),
    )  # fmt: skip


@each
def test_every_way_to_give_examples_is_the_same(cls: Any, options: dict[str, Any]) -> None:
    y = labels(cls, options)
    names = ["x1", "x2", "x3", "x4"]
    expected = told(cls(**options).fit(X, y))
    forms = [
        X.astype(bool), X.astype(float), X.tolist(), np.asfortranarray(X),
        scipy.sparse.csr_array(X), scipy.sparse.csc_matrix(X), scipy.sparse.coo_array(X),
        scipy.sparse.csr_array(X.astype(bool)),
    ]  # fmt: skip
    for form in forms:
        assert told(cls(**options).fit(form, y)) == expected
    for table in (pandas.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        assert told(cls(**options).fit(table, y))[:-1] == expected[:-1]
    one_by_one, by_parts = cls(**options), cls(**options)
    for row, label in zip(X, y, strict=True):
        one_by_one.learn_one(row, label)
        by_parts.partial_fit(row[None], [label], classes=[0, 1])
    assert told(one_by_one) == told(by_parts) == expected
    if "concepts" in options:
        by_name = cls(**options)
        for row, label in zip(X, y, strict=True):
            by_name.learn_one({f"x{i + 1}" for i in np.flatnonzero(row)}, label)
        assert told(by_name) == expected


@each
def test_saved_and_loaded_goes_on_as_if_nothing_had_happened(
    cls: Any, options: dict[str, Any], tmp_path: Any
) -> None:
    y = labels(cls, options)
    table = pandas.DataFrame(X, columns=list("abcd"))
    whole = cls(**options).fit(table, y)
    half = cls(**options).fit(table[:3], y[:3])
    half.save(tmp_path / "half")
    for again in (
        thresher.load(tmp_path / "half"),
        pickle.loads(pickle.dumps(half)),
        copy.copy(half),
        copy.deepcopy(half),
    ):
        assert told(again) == told(half)
        again.partial_fit(table[3:], y[3:])
        assert told(again) == told(whole)
        assert again.predict(table).tolist() == whole.predict(table).tolist()
        assert cls is WeightedMajority or again.predict(table).tolist() == y.tolist()
    assert told(half) == told(cls(**options).fit(table[:3], y[:3]))  # the copies learned alone
    cls(**options).save(tmp_path / "new")
    assert told(thresher.load(tmp_path / "new").fit(table, y)) == told(whole)


def test_other_things_are_saved_too(tmp_path: Any) -> None:
    tables = Halving(concepts.truth_tables(np.eye(4, dtype=int))).fit([[0, 1], [1, 1]], [0, 1])
    tables.save(tmp_path / "tables")
    assert told(thresher.load(tmp_path / "tables")) == told(tables)
    for concept in ("conjunction", "disjunction"):
        named = Elimination(concept)
        for on in ({"red", "round"}, {"red", "sweet"}, {"blue"}):
            named.learn_one(on, "red" in on)
        named.save(tmp_path / "named")
        again = thresher.load(tmp_path / "named")
        for model in (again, pickle.loads(pickle.dumps(named))):
            assert model.hypothesis_ == named.hypothesis_
            assert (model.bound_, model.mistakes_) == (named.bound_, named.mistakes_)
            assert model.predict_one({"red"}) is True
    listed = Halving(concepts.predicates([all, any], n=2)).fit([[0, 1]], [0])
    with pytest.raises(InvalidInput, match=r"predicates cannot be written.*truth_tables"):
        listed.save(tmp_path / "listed")


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Halving(concepts.parities(3)), lambda about: about["packed"]["counts"]
         .update(mistakes=9)),
        (Halving(concepts.parities(3)), lambda about: about["packed"].update(columns=4)),
        (Halving(concepts.parities(3)), lambda about: about["options"]["concepts"]["settings"]
         .update(n=4)),
        (Halving(concepts.parities(3)), lambda about: about["options"]["concepts"]["settings"]
         .update(n=10**9)),
        (Halving(concepts.parities(3)), lambda about: about["options"]["concepts"]
         .update(concepts="other")),
        (Halving(concepts.parities(3)), lambda about: about["packed"].update(labels=[["a", 1]])),
        (WeightedMajority(concepts.parities(3)), lambda about: about["packed"]["counts"]
         .update(examples=0, mistakes=0, updates=0)),
        (Elimination(), lambda about: about["packed"].update(columns=2)),
        (Elimination(), lambda about: about["packed"].update(names=["a"])),
        (Consistent(concepts.parities(3)), lambda about: about["packed"].update(seed=-1)),
    ],
)  # fmt: skip
def test_a_file_is_not_trusted(model: Any, change: Any, tmp_path: Any) -> None:
    """A description that was changed, with a checksum to match."""
    from thresher import model_file

    model.fit([[1, 0, 1], [0, 1, 1]], [1, 0])
    tensors, about = model_file.describe(model)
    change(about)
    with pytest.raises((ModelFileError, ValueError, LookupError, TypeError)):
        model_file._restore(tensors, about)


@each
def test_options_and_clones(cls: Any, options: dict[str, Any]) -> None:
    model = cls(**options)
    assert clone(model).get_params() == model.get_params()
    model.note = "mine"
    model.fit(X, labels(cls, options))
    assert model.note == "mine"
    fresh = clone(model)
    assert not hasattr(fresh, "classes_") and not hasattr(fresh, "n_features_in_")
    with pytest.raises(InvalidInput, match="positive cannot change once learning has begun"):
        model.set_params(positive=0)
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        model.set_params(alpha=2)


@each
def test_before_anything_is_learned(cls: Any, options: dict[str, Any]) -> None:
    model = cls(**options)
    assert model.predict_one([0, 1, 0, 1]) is None
    for name in ("mistakes_", "bound_", "hypothesis_", "threshold_unit_", "version_space_size_"):
        with pytest.raises(NotLearned):
            getattr(model, name)
    with pytest.raises(NotLearned):
        model.predict(X)


# ------------------------------------------------------------ labels


@pytest.mark.parametrize(
    ("pair", "positive"),
    [((0, 1), None), ((-1, 1), None), ((False, True), None), (("ham", "spam"), None),
     ((1, 2), None), (("yes", "no"), "yes"), ((5, 3), 3)],
)  # fmt: skip
def test_any_two_labels(pair: tuple[Any, Any], positive: Any) -> None:
    truth = X[:, 0] == 1
    true = positive if positive is not None else pair[1]
    false = pair[0] if pair[1] == true else pair[1]
    y = np.where(truth, true, false)
    model = Elimination(positive=positive).fit(X, y)
    assert model.hypothesis_ == "x1"
    assert model.predict(X).tolist() == y.tolist()
    assert model.score(X, y) == 1.0
    assert model.classes_.tolist() == sorted(pair)
    assert type(model.predict_one(X[0])) is type(y.tolist()[0])


def test_labels_that_are_not_two() -> None:
    for bad, message in (
        ([0, 1, 2, 0, 1, 0], r"labels 0, 1, 2; expected two"),
        ([0, "a", 0, 0, 1, 0], "mixed type"),
        ([0.5, 1, 1, 1, 1, 1], "continuous"),
        (["a"] * 6, r"'a' is the only label so far.*positive='a'"),
    ):
        with pytest.raises(InvalidInput, match=message):
            Elimination().fit(X, np.array(bad, dtype=object))
    with pytest.raises(InvalidInput, match=r"labels are 0 and 1; positive is 'yes'|mixed type"):
        Elimination(positive="yes").fit(X, X[:, 0])
    model = Elimination()
    model.learn_one([1, 0], 1)
    with pytest.raises(
        InvalidInput, match=r"label 1 came first and was taken for True.*positive=2"
    ):
        model.learn_one([1, 1], 2)
    assert model.examples_ == 1 and model.classes_.tolist() == [1]
    model.learn_one([0, 1], 0)
    assert model.classes_.tolist() == [0, 1]


def test_labels_announced_or_named_before_they_come() -> None:
    model = Halving(concepts.parities(2)).partial_fit([[1, 0]], ["no"], classes=["no", "yes"])
    assert model.classes_.tolist() == ["no", "yes"]
    model.learn_one([0, 1], "yes")
    assert model.predict_one([1, 1]) == "yes"
    model = Halving(concepts.parities(2), positive="yes")
    model.learn_one([0, 1], "yes")
    model.learn_one([1, 0], "no")
    assert model.hypothesis_ == "x2"


# ------------------------------------------------------------ bad input

CONCEPTS = concepts.conjunctions(4)
LEARNERS = [Elimination(), Consistent(CONCEPTS), Halving(CONCEPTS), StandardOptimal(CONCEPTS),
            WeightedMajority(CONCEPTS)]  # fmt: skip
each_learner = pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)


@each_learner
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1, 0, 1], [0, 2, 0, 1]], "row 1, column 1 is 2; expected 0 or 1"),
        ([[0, 1, 0, 0.5]], r"row 0, column 3 is 0\.5"),
        ([[0, -1, 0, 1]], "column 1 is -1"),
        ([[0, float("nan"), 0, 1]], "column 1 is nan"),
        ([["a", "b", "c", "d"]], "expected numbers"),
        ([0, 1, 0, 1], "Expected 2D array"),
        (np.zeros((0, 4)), "0 sample"),
        (np.zeros((1, 0)), "0 feature"),
        (scipy.sparse.csr_array([[0, 1, 0, 0], [0, 0, 3, 0]]), "row 1, column 2 is 3"),
        (scipy.sparse.csr_array(([1, 1], [2, 2], [0, 2]), shape=(1, 4)), "row 0, column 2 has two"),
        (pandas.DataFrame([[0, 1, 0, 7]], columns=list("abcd")), r"column 3 \('d'\) is 7"),
    ],
)
def test_rows_that_are_not_bits(model: Any, rows: Any, message: str) -> None:
    model = clone(model)
    size = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(InvalidInput, match=message):
            learn(rows, [0, 1][:size])
    assert not hasattr(model, "classes_")


def test_broken_sparse_matrices() -> None:
    for indices, indptr in (([9], [0, 1]), ([-1], [0, 1]), ([0], [0, 2]), ([0, 1], [1, 2])):
        broken = scipy.sparse.csr_array((1, 4))
        broken.indices = np.array(indices, dtype=np.int32)
        broken.data = np.ones(len(indices))
        broken.indptr = np.array(indptr, dtype=np.int32)
        with pytest.raises(InvalidInput, match=r"does not exist|do not fit"):
            Elimination().fit(broken, [1])


@each_learner
def test_dimensions_that_do_not_match(model: Any) -> None:
    model = clone(model).fit(X, X[:, 0])
    seen = told(model)
    for ask in (lambda: model.predict(X[:, :3]), lambda: model.partial_fit(X[:, :3], X[:, 0])):
        with pytest.raises(InvalidInput, match=r"X has 3 features, but .* is expecting 4"):
            ask()
    for wrong, message in (
        ([1, 0, 1], r"shape \(3,\); expected 4 values"),
        ([1, 0, 1, 5], "variable x4 is 5"),
        ({"x1": 1, "z": 1}, "no variable is named 'z'"),
        ({"x1": 0.5}, r"'x1': found 0\.5; expected 0 or 1"),
        ({3: 1}, "no variable is named '3'"),
        ("x1", "found str"),
        (None, "found None"),
    ):
        with pytest.raises(InvalidInput, match=message):
            model.learn_one(wrong, 1)
        with pytest.raises(InvalidInput, match=message):
            model.predict_one(wrong)
    with pytest.raises(InvalidInput, match="inconsistent numbers of samples"):
        model.fit(X, [0, 1])
    assert told(model) == seen


def test_arrays_that_do_not_fit_the_concepts() -> None:
    with pytest.raises(InvalidInput, match="X has 4 features, but the concepts are of 5 variables"):
        Halving(concepts.parities(5)).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Halving("conjunctions"), "concepts is 'conjunctions'; expected a class"),
        (Halving(concepts.conjunctions(40)), r"12157665459056928801 conjunctions.*Elimination"),
        (WeightedMajority(concepts.parities(30)), r"1073741824 parities, four bytes each"),
        (WeightedMajority(CONCEPTS, beta=1.0), "beta is 1.0; expected a finite number > 0 and < 1"),
        (WeightedMajority(CONCEPTS, beta=0), "beta is 0; expected"),
        (WeightedMajority(CONCEPTS, beta="half"), "beta is 'half'"),
        (Elimination("parity"), "concept is 'parity'; expected one of"),
        (Elimination(monotone=2), "monotone is 2; expected True or False"),
        (Consistent(CONCEPTS, random_state="x"), "random_state is 'x'"),
    ],
)
def test_options_that_cannot_be(model: Any, message: str) -> None:
    n = getattr(getattr(model, "concepts", None), "n", 4)
    with pytest.raises(InvalidInput, match=message):
        model.fit(np.ones((1, n)), [1])
    with pytest.raises(InvalidInput, match=message):
        model.learn_one([1] * n, 1)
    assert model.predict_one([1] * n) is None


# ------------------------------------------------------------ examples that contradict the class


@pytest.mark.parametrize(
    "model", [Elimination(), Consistent(CONCEPTS, 0), Halving(CONCEPTS)], ids=repr
)
def test_a_contradiction_is_reported_with_its_example(model: Any) -> None:
    rows = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]])
    y = np.array(
        ["in", "in", "not", "in"]
    )  # no conjunction holds of the first two, not of the third
    model = clone(model).set_params(positive="in")
    with pytest.raises(NotRealizable, match=r"row 2: \[0 1 0 0\] is labelled 'not'") as caught:
        model.fit(rows, y)
    assert caught.value.where.row == 2 and caught.value.label == "not"
    assert caught.value.example.tolist() == [0, 1, 0, 0]
    assert not hasattr(model, "classes_")  # fit: all or nothing
    with pytest.raises(NotRealizable, match="The rows before it have been learned") as caught:
        model.partial_fit(rows, y)
    seen = told(model)
    assert seen == told(clone(model).fit(rows[:2], y[:2]))
    assert model.examples_ == 2
    with pytest.raises(NotRealizable, match=r"^\[0, 1, 0, 0\] is labelled .not.") as caught:
        model.learn_one([0, 1, 0, 0], "not")
    assert caught.value.example == [0, 1, 0, 0]
    assert told(model) == seen
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.example == [0, 1, 0, 0] and str(again) == str(caught.value)


def test_fit_looks_back_where_elimination_forgets() -> None:
    """The negative example comes first: when it came, nothing stood against it."""
    rows, y = [[0, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]], [0, 1, 1]
    with pytest.raises(NotRealizable, match="row 0") as caught:
        Elimination().fit(rows, y)
    assert caught.value.where.row == 0


def test_names_are_for_monotone_concepts() -> None:
    with pytest.raises(InvalidInput, match="monotone=True"):
        Elimination(monotone=False).learn_one({"red", "round"}, True)
    model = Elimination()
    model.learn_one({"color": "red", "round": 1, "heavy": False}, True)
    assert model.hypothesis_ == "color=red ∧ round"
    assert model.threshold_unit_ is None and "no fixed number" in model.no_unit_because_
    with pytest.raises(InvalidInput, match="trained on named features"):
        model.partial_fit([[0, 1]], [1])
    with pytest.raises(InvalidInput, match="trained on named features"):
        model.learn_one([0, 1], 1)
    with pytest.raises(NotRealizable):
        model.learn_one({"color": "red", "round": True, "green": True}, False)
    assert model.examples_ == 1


def test_a_predicate_that_raises_leaves_what_was_learned_before() -> None:
    def picky(x: np.ndarray) -> bool:
        if x.all():
            raise KeyError("all on")
        return bool(x[0])

    model = Halving(concepts.predicates([picky, lambda x: bool(x[1])], n=2))
    with pytest.raises(KeyError):
        model.partial_fit([[1, 0], [1, 1]], [1, 1])
    assert (model.examples_, model.hypothesis_) == (1, "picky")
    with pytest.raises(KeyError):
        model.learn_one([1, 1], 1)
    assert model.examples_ == 1


def test_threshold_units_of_what_was_learned() -> None:
    model = Elimination(monotone=False).fit(X, X[:, 0] & X[:, 2])
    assert model.threshold_unit_.truth_table().tolist() == [
        bool(model.predict_one([r >> i & 1 for i in range(4)])) for r in range(16)
    ]
    parity = Halving(concepts.parities(2)).fit([[1, 0], [0, 1]], [1, 1])
    assert parity.hypothesis_ == "x1 ⊕ x2" and parity.threshold_unit_ is None
    assert "not linearly separable" in parity.no_unit_because_
    undecided = Halving(concepts.parities(2)).fit([[1, 0]], [1])
    assert undecided.no_unit_because_ == "it is the majority of 2 concepts"
