"""What the kernel perceptrons promise: inputs, files, copies, the budget, errors."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher
from deviations import sklearn_checks
from streams import case_id
from thresher import KernelPerceptron, VotedPerceptron
from thresher.errors import InvalidInput, ModelFileError, NotLearned
from thresher.learners.kernel import functions as kernels
from thresher.learners.kernel import machine as kernel_machine
from thresher.learners.table import TABLE, Entry

CASES = [(entry, options) for entry in TABLE if entry.kernel for options in entry.variants]
each = pytest.mark.parametrize(("entry", "options"), CASES, ids=case_id)
CLASSES = [entry.cls for entry in TABLE if entry.kernel]
each_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
some = settings(max_examples=max(5, settings.default.max_examples // 5))


def data(seed: int = 0, rows: int = 150, classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Values without a pattern, many zeros; one class for a while, then two, then all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 7)) * (rng.random((rows, 7)) < 0.6)
    y = rng.integers(classes, size=rows)
    y[:3], y[3:20] = classes - 2, y[3:20] % 2 + classes - 2
    return X, np.array(list("dcbaef"))[y]


def state(model: Any) -> Any:
    """Every number that a learner keeps, to the last bit."""
    arrays, facts = model._pack()
    return {name: values.tobytes() for name, values in arrays.items()}, facts


def bare(model: Any) -> Any:
    """The same without what depends on names."""
    arrays, facts = state(model)
    kept = {k: v for k, v in facts.items() if k not in ("names", "columns", "width", "epochs")}
    return arrays, kept


# ------------------------------------------------------------ batch = stream


@each
@some
@given(data=st.data())
def test_the_cuts_of_a_stream_change_nothing(entry: Entry, options: Any, data: Any) -> None:
    rows = data.draw(st.integers(1, 150), label="rows")
    X, y = globals()["data"](data.draw(st.integers(0, 999)), rows)
    weights = np.random.default_rng(rows).choice([0.0, 0.5, 1.0], size=rows)
    weights[0] = 1.0
    whole = entry.cls(**options).partial_fit(X, y, sample_weight=weights)
    chunks = entry.cls(**options)
    cuts = sorted(data.draw(st.sets(st.integers(1, rows))) | {rows})
    for begin, end in zip([0, *cuts[:-1]], cuts, strict=True):
        chunks.partial_fit(X[begin:end], y[begin:end], sample_weight=weights[begin:end])
    assert state(chunks) == state(whole)


@each
def test_rows_blocks_and_forms_change_nothing(
    entry: Entry, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data()
    whole = entry.cls(**options).partial_fit(X, y)
    csr, arrays, dicts = (entry.cls(**options) for _ in range(3))
    csr.partial_fit(scipy.sparse.csr_array(X), y)
    dicts.partial_fit(X[:1], y[:1])
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        arrays.learn_one(x, label)
        if i:
            dicts.learn_one({j: v for j, v in enumerate(x.tolist()) if v}, label)
    assert state(csr) == state(whole) == state(arrays) == state(dicts)
    expected = whole.decision_function(X)
    for block in (1, 5, 1000):
        monkeypatch.setattr(kernel_machine, "BLOCK", block)
        monkeypatch.setattr(kernel_machine, "CELLS", block)
        assert state(entry.cls(**options).partial_fit(X, y)) == state(whole)
        np.testing.assert_array_equal(whole.decision_function(X), expected)
    np.testing.assert_array_equal(whole.decision_function(scipy.sparse.csc_array(X)), expected)
    one = [whole.predict_one(dict(enumerate(x))) for x in X.tolist()]
    assert whole.predict(X).tolist() == one == [whole.predict_one(x) for x in X]


@each
def test_names_alone(entry: Entry, options: Any) -> None:
    """A model that knows names only, told all of them by its first example."""
    X, y = data()
    X[0] = np.arange(1.0, 8.0)
    whole, named = entry.cls(**options).partial_fit(X, y), entry.cls(**options)
    dicts = [{f"n{j}": v for j, v in enumerate(x) if v} for x in X.tolist()]
    for x, label in zip(dicts, y, strict=True):
        named.learn_one(x, label)
    assert bare(named) == bare(whole)
    asked = state(named)
    questions = [x | {"new": 1.5} for x in dicts[:9]]
    table = pandas.DataFrame(questions).fillna(0.0)
    assert named.predict(table).tolist() == [named.predict_one(x) for x in questions]
    assert state(named) == asked  # a question teaches no names
    with pytest.raises(InvalidInput, match="trained on named features"):
        named.predict(X)


@each
def test_saved_copied_and_pickled_it_goes_on(entry: Entry, options: Any, tmp_path: Any) -> None:
    X, y = data()
    whole = entry.cls(**options).partial_fit(X, y)
    for cut in (1, 3, 4, 25, 100):
        half = entry.cls(**options).partial_fit(X[:cut], y[:cut])
        half.save(tmp_path / "half")
        before = state(half)
        for again in (
            thresher.load(tmp_path / "half"), pickle.loads(pickle.dumps(half)), copy.copy(half),
            copy.deepcopy(half),
        ):  # fmt: skip
            assert state(again) == before
            again.partial_fit(X[cut:], y[cut:])
            assert state(again) == state(whole)
        assert state(half) == before
    named = entry.cls(**options)
    for text in ("cheap pills", "lunch at noon", "cheap lunch", "noon"):
        named.learn_one(text.split(), "pills" in text)
    named.save(tmp_path / "named")
    assert state(thresher.load(tmp_path / "named")) == state(named)
    entry.cls(**options).save(tmp_path / "new")
    assert state(thresher.load(tmp_path / "new").partial_fit(X, y)) == state(whole)


def test_tables_and_their_names(tmp_path: Any) -> None:
    X, y = data(classes=3)
    names = list("abcdefg")
    for table in (pandas.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        model = KernelPerceptron().fit(table, y)
        assert model.feature_names_in_.tolist() == names
        model.save(tmp_path / "model")
        again = thresher.load(tmp_path / "model")
        assert again.feature_names_in_.tolist() == names
        assert again.predict(table).tolist() == model.predict(table).tolist()
        assert again.predict_one(dict(zip(names, X[3], strict=True))) == model.predict(table)[3]
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict(X)


# ------------------------------------------------------------ scikit-learn


@sklearn_checks(*(cls() for cls in CLASSES), KernelPerceptron(budget=50))
def test_check_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


@each_class
def test_pipelines_and_searches(cls: Any) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=150)
    X = np.eye(3)[y] + rng.normal(scale=0.3, size=(150, 3))
    pipeline = make_pipeline(StandardScaler(), cls())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    step = pipeline.steps[-1][0]
    search = GridSearchCV(pipeline, {f"{step}__kernel": ["linear", "rbf"]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.8
    gram = GridSearchCV(cls(kernel="precomputed"), {"max_epochs": [1, 3]}, cv=3)
    assert gram.fit(X @ X.T, y).best_score_ > 0.8


@each
def test_clones_and_options(entry: Entry, options: Any) -> None:
    model = entry.cls(**options)
    model.note = "mine"
    X, y = data()
    model.fit(X, y)
    assert model.note == "mine"
    assert clone(model).get_params() == entry.cls(**options).get_params()
    assert not hasattr(clone(model), "classes_")
    with pytest.raises(InvalidInput, match="fit_intercept cannot change once learning has begun"):
        model.set_params(fit_intercept=not model.fit_intercept)
    with pytest.raises(
        InvalidInput, match="prediction is 'best'; expected one of 'averaged', 'last'"
    ):
        model.set_params(prediction="best")
    assert model.prediction == entry.cls(**options).prediction
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        model.fit(X, y, weights=y)


def test_shuffling_is_by_seed() -> None:
    X, y = data()
    one, two, other = (
        VotedPerceptron(max_epochs=2, shuffle=True, random_state=s).fit(X, y) for s in (1, 1, 2)
    )
    assert state(one) == state(two) != state(other)
    weights = np.arange(len(y)) % 3.0
    kept = VotedPerceptron().fit(X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    assert state(VotedPerceptron().fit(X, y, sample_weight=weights)) == state(kept)


@pytest.mark.parametrize("cls", [KernelPerceptron, VotedPerceptron])
def test_nothing_but_weight_0_is_nothing(cls):
    model = cls().partial_fit([[1.0, 2.0]], [1], classes=[-1, 1], sample_weight=[0.0])
    for question in (model.predict, model.decision_function):
        with pytest.raises(NotLearned, match="has seen no example"):
            question([[1.0, 2.0]])
    assert model.predict_one([1.0, 2.0]) is None


# ------------------------------------------------------------ the budget


@pytest.mark.parametrize("forget", ["oldest", "smallest", "random"])
def test_a_budget_bounds_memory_on_an_endless_stream(forget: str) -> None:
    """New names all the time, labels that are noise: every size that there is stays small."""
    rng = np.random.default_rng(0)
    model = KernelPerceptron(budget=10, forget=forget, random_state=0, prediction="voted")
    most = 0
    for t in range(1500):
        x = {f"word{t}-{k}": 1.0 for k in range(3)} | {"length": float(rng.normal())}
        model.learn_one(x, int(rng.integers(3)))
        assert model.n_support_ <= 10 and model._machine.past.size <= 9
        if t > 100:
            most = max(most, len(pickle.dumps(model)))
    assert model.updates_ > 500 and model.n_support_ == 10
    assert len(model._names.ids) <= 2 * (19 * 3 + 1) + 64 + 3
    assert len(model.survived_) == 10 and most < 25_000
    assert sum(model.score_one({"length": 0.5}).values()) == pytest.approx(1.0)
    model.learn_one({"length": 1.0}, 1)


def test_what_is_forgotten() -> None:
    """w goes 3, 2, 0, so all four are mistakes, and 1 is the shortest."""
    X, y = [[3.0], [1.0], [2.0], [5.0]], [1, 0, 0, 1]
    seed = int(np.random.default_rng(8).integers(2**32))
    drawn = int(np.random.default_rng([seed, 0]).integers(3))
    for forget, gone in (("oldest", 0), ("smallest", 1), ("random", drawn)):
        model = KernelPerceptron(
            kernel="linear", budget=3, forget=forget, random_state=8, fit_intercept=False
        ).fit(X, y)
        left = [x for i, (x,) in enumerate(X) if i != gone]
        assert model._machine.support.rows.values.tolist() == left, forget
        assert model.mistakes_ == 4
    assert KernelPerceptron(budget=1).fit(X, y).n_support_ == 1


# ------------------------------------------------------------ kernels


def test_a_precomputed_gram_is_the_kernel() -> None:
    X, y = data()
    rbf = KernelPerceptron(gamma=0.5, max_epochs=3).fit(X, y)
    K = kernels.settled("rbf", {"gamma": 0.5}, False)
    from thresher.learners.base.examples import read_rows
    from thresher.learners.kernel.sparse_rows import sparse_of

    rows = sparse_of(read_rows(X))
    gram = KernelPerceptron(kernel="precomputed", max_epochs=3).fit(K(rows, rows), y)
    assert (gram.mistakes_, gram.epochs_) == (rbf.mistakes_, rbf.epochs_)
    np.testing.assert_array_equal(gram.decision_function(K(rows, rows)), rbf.decision_function(X))
    assert gram.predict_one(K(rows, rows)[0]) == rbf.predict_one(X[0])
    shuffled = [
        KernelPerceptron(shuffle=True, random_state=1, **o).fit(Z, y)
        for o, Z in (({"gamma": 0.5}, X), ({"kernel": "precomputed"}, K(rows, rows)))
    ]
    assert shuffled[0].mistakes_ == shuffled[1].mistakes_
    for method in ("partial_fit", "learn_one"):
        with pytest.raises(InvalidInput, match=f"'precomputed' has no {method}"):
            getattr(gram, method)(X, y)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    ("gram", "message"),
    [
        (np.ones((2, 3)), r"X has shape \(2, 3\). Expected a square matrix"),
        ([[1.0, 0.5], [0.4, 1.0]], r"not symmetric: X\[0, 1\] is 0.5 and X\[1, 0\] is 0.4"),
        ([[1.0, np.nan], [np.nan, 1.0]], "NaN: row 0, column 1"),
    ],
)
def test_grams_that_are_none(cls: Any, gram: Any, message: str) -> None:
    model = cls(kernel="precomputed")
    with pytest.raises(InvalidInput, match=message):
        model.fit(gram, [0, 1])
    model.fit(np.eye(2), [0, 1])
    with pytest.raises(InvalidInput, match=r"X has 3 features, but .* is expecting 2"):
        model.predict(np.eye(3))


def histogram(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.minimum(A[:, None], B[None]).sum(axis=2)


def test_kernels_of_ones_own(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_registered", {})
    X, y = data()
    X = np.abs(X)
    own = KernelPerceptron(kernel=histogram).fit(X, y)
    for rows in (scipy.sparse.csr_array(X), X):
        chunks = KernelPerceptron(kernel=histogram)
        for part in (slice(0, 50), slice(50, None)):
            chunks.partial_fit(rows[part], y[part])
        assert chunks.mistakes_ == own.mistakes_
    linear = KernelPerceptron(kernel=lambda A, B: A @ B.T).fit(X, y)
    assert linear.mistakes_ == KernelPerceptron(kernel="linear").fit(X, y).mistakes_
    assert copy.deepcopy(linear).kernel is linear.kernel
    with pytest.raises(InvalidInput, match=r"holds no code.*register_kernel"):
        own.save(tmp_path / "own")
    thresher.register_kernel("histogram", histogram)
    own.save(tmp_path / "own")
    again = thresher.load(tmp_path / "own")
    assert again.kernel == "histogram" and state(again) == state(own)
    assert again.predict(X).tolist() == own.predict(X).tolist()
    monkeypatch.setattr(kernels, "_registered", {})
    with pytest.raises(ModelFileError, match=r"kernel 'histogram'.*register it before loading"):
        thresher.load(tmp_path / "own")
    for name, function, message in (
        ("rbf", histogram, "is a built-in kernel"), ("", histogram, "expected a string"),
        ("mine", 3, "expected a function"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=message):
            thresher.register_kernel(name, function)


@each_class
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda A, B: A[:, :1] @ B[:, :1].T * np.nan, "row 0: the kernel is nan"),
        (lambda A, B: np.ones(3), r"shape \(3,\) for 3 and 0 rows; expected \(3, 0\)"),
        (lambda A, B: np.ones((len(A), len(B)), complex), "complex128 values; expected real"),
        (lambda A, B: np.add.outer(A[:, 0], 2 * B[:, 0]), "not symmetric"),
    ],
)
def test_kernels_that_are_none(cls: Any, kernel: Any, message: str) -> None:
    X = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, -1.0]])
    model = cls(kernel=kernel)
    with pytest.raises(InvalidInput, match=message):
        model.fit(X, [0, 1, 0])
    assert not hasattr(model, "classes_")


def test_a_kernel_that_raises_leaves_the_rows_before() -> None:
    def picky(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        K = A @ B.T
        K[A[:, 0] == 7] = np.nan
        return K

    X = np.array([[1.0], [2.0], [7.0], [3.0]])
    model = KernelPerceptron(kernel=picky)
    with pytest.raises(InvalidInput, match=r"row 2: .*The rows before it have been learned"):
        model.partial_fit(X, ["a", "b", "c", "d"])
    assert model.examples_ == 2 and model.classes_.tolist() == ["a", "b"]
    assert state(model) == state(KernelPerceptron(kernel=picky).partial_fit(X[:2], ["a", "b"]))


# ------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelPerceptron(budget=0), "budget is 0; expected a whole number ≥ 1"),
        (KernelPerceptron(budget=2.5), r"budget is 2.5; expected a whole number"),
        (KernelPerceptron(forget="random"), "forget='random' and budget=None contradict"),
        (KernelPerceptron(budget=3, forget="worst"), "forget is 'worst'; expected one of"),
        (KernelPerceptron(degree=2), "degree=2 has no part in kernel='rbf': its options are gamma"),
        (VotedPerceptron(gamma=2.0), "gamma=2.0 has no part in kernel='linear'"),
        (KernelPerceptron(kernel=histogram, coef0=1.0), "coef0=1.0 has no part in kernel=<func"),
        (KernelPerceptron(gamma=0.0), "gamma is 0.0; expected a finite number > 0"),
        (KernelPerceptron(kernel="polynomial", degree=0), "degree is 0; expected a whole number"),
        (KernelPerceptron(kernel="cubic"), "kernel is 'cubic'; expected one of 'linear'"),
        (KernelPerceptron(kernel=3), "kernel is 3; expected a name, or a function"),
        (KernelPerceptron(prediction="mean"), "prediction is 'mean'; expected one of"),
        (KernelPerceptron(multiclass="all"), "multiclass is 'all'"),
        (KernelPerceptron(random_state="x", budget=2, forget="random"), "random_state is 'x'"),
        (VotedPerceptron(max_hypotheses=0), "max_hypotheses is 0; expected a whole number ≥ 1"),
        (VotedPerceptron(burn_in=-1), "burn_in is -1"),
        (VotedPerceptron(max_epochs=0), "max_epochs is 0"),
        (VotedPerceptron(fit_intercept="yes"), "fit_intercept is 'yes'; expected True or False"),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", repr(value)),
)
def test_options_that_cannot_be(model: Any, message: str) -> None:
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(InvalidInput, match=message):
            learn([[1.0], [2.0]], [0, 1])
    with pytest.raises(InvalidInput, match=message):
        model.learn_one({"a": 1.0}, 0)
    assert model.predict_one({"a": 1.0}) is None


@each_class
@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": float("inf")}, "feature 'a': found inf; expected a finite number"),
        ({"a": [1.0]}, r"feature 'a': found \[1.0\] of type list"),
        ({2.5: 1.0}, "names are strings; found 2.5"),
        ("abc", r"found str \(split the text into words first\)"),
        (None, "found None"),
        (7, "a list or set of names; found int"),
        (np.array([1.0, 2.0]), "X has 2 features, but .* is expecting 3"),
    ],
)
def test_examples_that_cannot_be(cls: Any, x: Any, message: str) -> None:
    model = cls().fit([[1.0, 0.0, 2.0], [0.0, 1.0, 2.0]], [0, 1])
    before = state(model)
    with pytest.raises(InvalidInput, match=message):
        model.learn_one(x, 1)
    with pytest.raises(InvalidInput, match=message):
        model.predict_one(x)
    assert state(model) == before


@each_class
def test_rows_and_labels_that_cannot_be(cls: Any) -> None:
    model = cls().fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    before = state(model)
    for X, y, message in (
        ([[1.0, np.inf]], [1], "infinity: row 0, column 1"),
        (scipy.sparse.csr_array([[0.0, np.nan]]), [1], "NaN: row 0, column 1"),
        ([[1.0, 2.0]], [0.5], "Unknown label type"),
        ([[1.0, 2.0]], ["a"], "labels of mixed type"),
        ([[1.0, 2.0]], [0, 1], "inconsistent numbers of samples"),
        ([[1e200, 2.0], [1e200, 0.0]], [2, 1], r"row 0: the (kernel|score) is"),
    ):
        with pytest.raises(InvalidInput, match=message):
            cls(kernel="polynomial").partial_fit(X, y) if "row 0: the" in message else (
                model.partial_fit(X, y)
            )
    with pytest.raises(InvalidInput, match=r"sample_weight\[0\] is -1"):
        model.partial_fit([[1.0, 2.0]], [1], sample_weight=[-1.0])
    with pytest.raises(InvalidInput, match="sample_weight is -2"):
        model.learn_one({"x0": 1.0}, 1, sample_weight=-2.0)
    model.learn_one({"x0": 1.0}, 5, sample_weight=0.0)  # as if it had not been there
    assert state(model) == before


@each_class
def test_labels_that_come_late_or_never(cls: Any) -> None:
    model = cls(kernel="rbf", prediction="last", fit_intercept=False)
    with pytest.raises(NotLearned):
        model.predict([[1.0]])
    model.partial_fit([[1.0, 0.0]], ["b"], classes=["a", "b", "z"])
    assert model.classes_.tolist() == ["a", "b", "z"] and model.predict([[0.0, 5.0]]) == ["b"]
    scores = model.decision_function([[1.0, 0.0]])
    assert scores[0, 0] == scores[0, 2] == -np.inf < scores[0, 1]
    model.learn_one({"x1": 1.0}, "c")
    assert model.classes_.tolist() == ["a", "b", "c", "z"]
    assert model.predict_one({"x1": 2.0}) == "c"
    model.learn_one({"x0": -2.0}, "a")
    assert model.predict([[1.0, 0.0], [0.0, 1.0], [-2.0, 0.0]]).tolist() == ["b", "c", "a"]
    assert set(model.score_one({"x0": 1.0})) == {"a", "b", "c"}


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about["packed"]["counts"].update(mistakes=-1),
        lambda about: about["packed"]["counts"].pop("updates"),
        lambda about: about["packed"].update(order=[0, 1]),
        lambda about: about["packed"].update(order=[0, 1, 1]),
        lambda about: about["packed"].update(width=1),
        lambda about: about["packed"].update(width=10**12),
        lambda about: about["packed"].update(labels=["a"]),
        lambda about: about["packed"].update(met=[1, 1]),
        lambda about: about["packed"].update(met=[1, 1, -1]),
        lambda about: about["packed"]["counts"].update(updates=9),
        lambda about: about["packed"].update(columns=99),
        lambda about: about["packed"].update(names=["a"]),
        lambda about: about["packed"].update(seed=-1),
        lambda about: about["options"].update(budget=1),
        lambda about: about["options"].update(kernel="unheard"),
    ],
)
def test_a_file_is_not_trusted(change: Any) -> None:
    from thresher import model_file

    X, y = data(classes=3)
    tensors, about = model_file.describe(KernelPerceptron(budget=20).fit(X, y))
    change(about)
    with pytest.raises((ModelFileError, ValueError, LookupError, TypeError)):
        model_file._restore(tensors, about)


def test_arrays_of_a_file_are_not_trusted() -> None:
    from thresher import model_file

    X, y = data(classes=3)
    model = KernelPerceptron(budget=20, forget="smallest").fit(X, y)
    tensors, about = model_file.describe(model)
    assert model._machine.past.size
    for name in tensors:
        cut = {**tensors, name: model_file._tensor(tensors[name]["dtype"], b"")}
        with pytest.raises((ModelFileError, ValueError, LookupError, TypeError)):
            model_file._restore(cut, about)
    for name in ("index", "past_index", "born", "past_until"):
        turned = np.frombuffer(tensors[name]["data"], "<u8")[::-1].tobytes()
        with pytest.raises((ModelFileError, ValueError)):
            model_file._restore({**tensors, name: model_file._tensor("uint64", turned)}, about)
