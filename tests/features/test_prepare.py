"""Rows prepared inside a learner: what is learned, what is kept, what is refused."""

import json
import pickle
import re

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import thresher
from commands import Commands
from thresher import (
    AROW,
    LMS,
    MIRA,
    BalancedWinnow,
    ConfidenceWeighted,
    LogisticRegression,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Race,
    Winnow,
)
from thresher.errors import DivergenceError, InvalidInput, ModelFileError
from thresher.prepare import steps_of

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
STEPS = (
    "standard", "minmax", "maxabs", "idf, unit", "conjunctions(2)", "polynomial(3)", "fourier(20)",
    "standard, polynomial(2)", "maxabs, fourier(30, gamma=0.1, seed=3)", "polynomial(2), standard",
)  # fmt: skip
CLASSIFIERS = (
    Perceptron, PassiveAggressive, MIRA, AROW, ConfidenceWeighted, LogisticRegression,
    BalancedWinnow,
)  # fmt: skip
UNEQUAL = np.random.default_rng(2).normal(size=(400, 3)) * [1.0, 1000.0, 0.001] + [0.0, 500.0, 0.1]
SIDES = (UNEQUAL[:, 0] + (UNEQUAL[:, 1] - 500) / 1000 + (UNEQUAL[:, 2] - 0.1) / 0.001 > 0).astype(
    int
)


def state(model):
    kept = pickle.loads(pickle.dumps(model)).__getstate__()["_model"]
    return {k: v for k, v in kept.items() if k not in ("names", "name_ends")}


# ------------------------------------------------------------------ what is learned


@pytest.mark.parametrize("prepare", ["conjunctions(2)", "polynomial(2)", "fourier(100)"])
def test_xor(prepare):
    model = Perceptron(prepare=prepare, max_epochs=None).fit(*XOR)
    assert model.converged_ and model.predict(XOR[0]).tolist() == XOR[1]
    by_name = Perceptron(prepare=prepare)
    for _ in range(30):
        for (a, b), y in zip(*XOR, strict=True):
            by_name.learn_one({"a": a, "b": b}, y)
    assert [by_name.predict_one({"a": a, "b": b}) for a, b in XOR[0]] == XOR[1]


def test_xor_has_no_line_however_scaled():
    with pytest.warns(thresher.errors.NotSeparableWarning):
        model = Perceptron(prepare="conjunctions(1)", max_epochs=None).fit(*XOR)
    assert model.cycled_
    # Statistics go on moving, so weights that come back prove nothing.
    scaled = Perceptron(prepare="standard", max_epochs=200).fit(*XOR)
    assert not scaled.converged_ and not scaled.cycled_ and scaled.epochs_ == 200


@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_columns_of_unequal_size_are_learned_when_scaled(cls):
    """Three columns count alike, one is a million times another: only scaled all are seen."""
    scaled = cls(prepare="standard").fit(UNEQUAL, SIDES).score(UNEQUAL, SIDES)
    plain = cls().fit(UNEQUAL, SIDES).score(UNEQUAL, SIDES)
    assert scaled > 0.88 and scaled > plain + 0.05


@pytest.mark.parametrize("cls", [LMS, PassiveAggressiveRegressor])
def test_regressors_scale_too(cls):
    y = UNEQUAL[:, 0] + (UNEQUAL[:, 2] - 0.1) / 0.001
    model = cls(prepare="standard", max_epochs=20).fit(UNEQUAL, y)
    assert model.score(UNEQUAL, y) > 0.95


@pytest.mark.parametrize("prepare", ["standard", "minmax", "maxabs", "idf"])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_speak_of_the_features_where_rows_are_only_scaled(prepare, classes):
    y = np.digitize(UNEQUAL[:, 0], [-0.5, 0.5][: classes - 1])
    model = PassiveAggressive(prepare=prepare).fit(UNEQUAL, y)
    far = UNEQUAL * 3 - 7  # also beyond the range that was seen
    found = far @ model.coef_.T + model.intercept_
    expected = model.decision_function(far).reshape(len(far), -1)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    assert model.feature_names_out_.tolist() == ["x0", "x1", "x2"]
    x = {f"x{j}": v for j, v in enumerate(far[0])}
    assert sum(model.explain_one(x, 0).values()) == pytest.approx(
        model.score_one(x)[0] if classes == 3 else -model.score_one(x)
    )


def test_names_of_what_is_made_of_features():
    model = Perceptron(prepare="polynomial(2)", average=False)
    model.learn_one({"a": 2.0, "b": 1.0}, 1)
    model.learn_one({"a": 1.0}, 0)
    names = ["a", "a^2", "a*b", "b", "b^2"]
    assert sorted(model.feature_names_out_) == sorted(names)
    assert dict(model.top_features(10)).keys() <= set(names)
    assert model.coef_.shape == (1, 5) and model.n_features_used_ <= 5
    found = model.explain_one({"a": 2.0, "b": 1.0})
    assert found.keys() - {"(intercept)"} == set(names)
    assert sum(found.values()) == pytest.approx(model.score_one({"a": 2.0, "b": 1.0}))


@given(
    width=st.integers(1, 4), data=st.data(), prepare=st.sampled_from(STEPS),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_dense_is_sparse_is_dict_bit_for_bit(width, data, prepare, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(data.draw(st.integers(1, 15)), width))
    X[rng.random(X.shape) < 0.5] = 0.0
    X[0] = rng.normal(size=width)  # so that names are met in the order of the columns
    y = rng.integers(0, data.draw(st.sampled_from([2, 3])), size=len(X)).tolist()
    dense = Perceptron(prepare=prepare).fit(X, y)
    csr = Perceptron(prepare=prepare).fit(sparse.csr_array(X), y)
    named = Perceptron(prepare=prepare)
    for row, label in zip(X.tolist(), y, strict=True):
        items = [(f"x{j}", v) for j, v in enumerate(row) if v]
        named.learn_one(dict(items if not named.__dict__.get("_model") else items[::-1]), label)
    assert state(dense) == state(csr) == state(named)
    np.testing.assert_array_equal(dense.decision_function(X), csr.decision_function(X))


# ------------------------------------------------------------------ what is kept


@pytest.mark.parametrize("prepare", STEPS)
def test_a_prediction_changes_nothing(prepare):
    model = Perceptron(prepare=prepare).fit(UNEQUAL[:20], SIDES[:20])
    before = state(model)
    model.predict(UNEQUAL * 100)
    model.predict_one({"x0": 1e6})
    model.explain_one({"x1": -3.0})
    assert state(model) == before


@pytest.mark.parametrize("prepare", STEPS)
def test_a_name_never_learned_counts_as_absent(prepare):
    """Whether there is a column for it or not."""
    named = Perceptron(prepare=prepare)
    for x, y in [({"x0": 1.0}, 0), ({"x0": 3.0}, 1), ({"x0": -1.0}, 0)]:
        named.learn_one(x, y)
    column = Perceptron(prepare=prepare).fit([[1.0, 0.0], [3.0, 0.0], [-1.0, 0.0]], [0, 1, 0])
    alone = named.score_one({"x0": 2.0})
    assert named.score_one({"x0": 2.0, "x1": 9.0}) == alone
    assert column.decision_function([[2.0, 9.0]])[0] == alone


@pytest.mark.parametrize("prepare", STEPS)
def test_a_refused_example_leaves_no_trace(prepare):
    model = Perceptron(prepare=prepare).fit(UNEQUAL[:20], SIDES[:20])
    before = state(model)
    bad = UNEQUAL[:1].copy()
    for value in (np.nan, np.inf):
        bad[0, 2] = value
        with pytest.raises(InvalidInput, match="row 0, feature 'x2'"):
            model.partial_fit(bad, [1])
    with pytest.raises(InvalidInput):
        model.partial_fit(UNEQUAL[:1], [1], sample_weight=[-1.0])
    model.partial_fit(UNEQUAL[20:40], SIDES[20:40], sample_weight=np.zeros(20))
    assert state(model) == before


def test_what_a_rule_refuses_is_taken_back():
    """The statistics have the example already when the learner inside finds that it diverges."""
    for prepare in ("standard", "polynomial(2)", "maxabs, polynomial(2), standard"):
        model = LMS(learning_rate=1e9, prepare=prepare)
        other = LMS(learning_rate=1e9, prepare=prepare)
        for one in (model, other):
            one.learn_one({"a": 1.0}, 0.0)
        assert model.examples_ == 1
        with pytest.raises(DivergenceError):
            model.learn_one({"a": 2.0, "b": 3.0}, 1.0)
        statistics = [k for k in state(model)["arrays"] if k.startswith("prepare.step")]
        for key in statistics:
            mine, theirs = (np.frombuffer(state(m)["arrays"][key]) for m in (model, other))
            assert not mine[len(theirs) :].any()
            np.testing.assert_array_equal(mine[: len(theirs)], theirs)
        copy = pickle.loads(pickle.dumps(model))
        assert copy.predict_one({"a": 1.0}) == model.predict_one({"a": 1.0})


def test_huge_values_are_refused_before_statistics_overflow():
    model = Perceptron(prepare="standard").fit([[1.0], [2.0]], [0, 1])
    before = state(model)
    with pytest.raises(InvalidInput, match=r"row 0, feature 'x0': .*overflows"):
        model.partial_fit([[1e200]], [1])
    with pytest.raises(InvalidInput, match="overflows"):
        Perceptron(prepare="polynomial(2)").learn_one({"a": 1e200}, 1)
    assert state(model) == before


@pytest.mark.parametrize("prepare", STEPS)
def test_saved_and_loaded_it_goes_on(prepare, tmp_path):
    whole = Perceptron(prepare=prepare).fit(UNEQUAL, SIDES)
    half = Perceptron(prepare=prepare).fit(UNEQUAL[:200], SIDES[:200])
    half.save(tmp_path / "half.model")
    loaded = thresher.load(tmp_path / "half.model")
    loaded.partial_fit(UNEQUAL[200:], SIDES[200:])
    assert state(loaded) == state(whole)
    assert loaded.feature_names_out_.tolist() == whole.feature_names_out_.tolist()


def test_a_list_of_steps_is_saved_as_text(tmp_path):
    model = Perceptron(prepare=["standard", "polynomial(2)"]).fit(*XOR)
    model.save(tmp_path / "a.model")
    assert thresher.load(tmp_path / "a.model").prepare == "standard, polynomial(2)"


def spoiled(kept, change):
    kept = pickle.loads(pickle.dumps(kept))
    change(kept["_model"])
    return kept


def cells(name, *values):
    return lambda kept: kept["arrays"].update({name: np.array(values, float).tobytes()})


@pytest.mark.parametrize(
    ("prepare", "change"),
    [
        ("standard", lambda kept: kept["arrays"].pop("prepare.step0.seen")),
        ("standard", lambda kept: kept["counts"].pop("prepare.step0.examples")),
        ("standard", lambda kept: kept["counts"].update({"prepare.step0.examples": 1})),
        ("standard", lambda kept: kept["counts"].update({"prepare.step0.examples": 2**60})),
        ("standard", lambda kept: kept["counts"].update({"prepare.features": 2**40})),
        ("standard", lambda kept: kept["counts"].update({"prepare.features": 1})),
        ("standard", cells("prepare.step0.seen", 2.0, 0.5, -1.0, 2.0, 0.5, 1.0)),
        ("standard", cells("prepare.step0.seen", 1.5, 0.5, 1.0, 2.0, 0.5, 1.0)),
        ("standard", cells("prepare.step0.seen", 2.0, np.nan, 1.0, 2.0, 0.5, 1.0)),
        ("standard", cells("prepare.came", 1.0, 0.5)),
        ("standard", cells("prepare.came", 1.0)),
        ("minmax", cells("prepare.step0.seen", 2.0, 1.0, 0.5, 2.0, 0.5, 1.0)),
        ("idf", cells("prepare.step0.seen", 2.0, 0.5, 0.0, 2.0, 0.0, 0.0)),
        ("maxabs", cells("prepare.step0.seen", 2.0, -1.0, 0.0, 2.0, 0.5, 0.0)),
        ("polynomial(2)", lambda kept: kept["counts"].update({"prepare.step0.products": 2**40})),
        ("polynomial(2)", cells("prepare.step0.parts", 0, 0, 1, 0, 1, 0, 0, 1, 4, 1)),
        ("polynomial(2)", cells("prepare.step0.parts", 0, 7, 1, 0, 1, 1, 0, 1, 4, 1)),
        ("polynomial(2)", cells("prepare.step0.parts", 9, 0, 1, 0, 1, 1, 0, 1, 4, 1)),
        ("polynomial(2)", cells("prepare.step0.parts", 0, 0, 1, 0, 2, 1, 0, 1, 4, 1)),
        ("polynomial(2)", cells("prepare.step0.parts", 0, 0.5, 1, 0, 1, 1, 0, 1, 4, 1)),
        ("fourier(20)", lambda kept: kept["counts"].pop("prepare.features")),
    ],
)
def test_a_damaged_model_is_refused(prepare, change):
    model = Perceptron(prepare=prepare).fit([[1.0, 2.0], [3.0, 1.0]], [0, 1])
    kept = model.__getstate__()
    with pytest.raises(ModelFileError):
        Perceptron().__setstate__(spoiled(kept, change))
    Perceptron().__setstate__(spoiled(kept, lambda kept: None))


def test_fewer_weights_than_products_are_refused():
    wide = Perceptron(prepare="polynomial(2)").fit([[1.0, 2.0]], [1]).__getstate__()
    narrow = Perceptron(prepare="polynomial(2)").fit([[1.0, 0.0]], [1]).__getstate__()
    for name in ("prepare.step0.parts",):
        narrow["_model"]["arrays"][name] = wide["_model"]["arrays"][name]
    narrow["_model"]["counts"]["prepare.step0.products"] = 5
    with pytest.raises(ModelFileError, match="fewer weights"):
        Perceptron().__setstate__(narrow)


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        ("standart", "no step 'standart'; expected one of standard, .* Did you mean 'standard'"),
        ("", "expected a step such as 'standard'"),
        ("standard,", "expected a step such as"),
        ("standard polynomial(2)", "with a comma between steps"),
        ("polynomial(2", "expected a step"),
        ("polynomial(0)", "degree of polynomial is 0; expected a whole number from 1 to 64"),
        ("conjunctions(two)", "degree of conjunctions is two"),
        ("polynomial(2, 3)", "polynomial was given '3'; expected degree=2"),
        ("fourier(0)", "components of fourier is 0"),
        ("fourier(10, gamma=nan)", "gamma of fourier is nan; expected a finite number > 0"),
        ("fourier(10, gamma=-1)", "expected a finite number > 0"),
        ("fourier(10, sigma=1)", "expected components=100, gamma=1.0, seed=0"),
        ("fourier(10, components=5)", "fourier was given 'components=5'"),
        ("fourier(10, seed=-1)", "seed of fourier is -1"),
        ("standard(3)", "expected nothing in brackets"),
        ("standard, standard", "undoes it"),
        ("standard, minmax", "minmax straight after standard undoes it"),
        ("unit, unit", "unit twice"),
        ("polynomial(2), conjunctions(2)", "expected one map of features at most"),
        ("fourier(5), polynomial(2)", "expected one map"),
        (3, "prepare is 3; expected a text such as 'standard'"),
        (["standard", 3], "expected a text"),
    ],
)  # fmt: skip
def test_steps_that_cannot_be(prepare, message):
    with pytest.raises(InvalidInput, match=r"prepare is") as caught:
        Perceptron(prepare=prepare).fit(*XOR)
    assert re.search(message.replace("(", r"\("), str(caught.value))


def test_steps_in_words():
    assert steps_of("standard + polynomial(2)") == steps_of(["standard", "polynomial(degree=2)"])
    assert steps_of("fourier(gamma=2, components=7)") == steps_of("fourier(7, 2.0, 0)")
    assert steps_of("standard, polynomial(2), standard") and steps_of(None) == ()


def test_steps_cannot_change_once_learning_has_begun():
    model = Perceptron(prepare="standard").fit(*XOR)
    for other in ("minmax", None, "standard, polynomial(2)"):
        with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
            model.set_params(prepare=other)
    model.set_params(prepare=["standard"], margin=1.0).partial_fit(*XOR)
    plain = Perceptron().fit(*XOR)
    with pytest.raises(InvalidInput):
        plain.set_params(prepare="standard")


def test_winnow_takes_steps_that_lead_to_its_range():
    X = np.random.default_rng(3).normal(size=(200, 4)) * 10
    y = (X[:, 0] > 0).astype(int)
    model = Winnow(prepare="minmax", max_epochs=5).fit(X, y)
    model.predict(X * 100)  # beyond the range seen: held in [0, 1]
    counts = np.abs(X).round()
    Winnow(prepare="idf, unit").fit(counts, y).predict(counts * 9)
    Winnow(prepare="maxabs, conjunctions(2)").fit(counts, y).predict(counts * 9)
    with pytest.raises(InvalidInput, match=r"feature 'x0': found -1.0 .*maxabs or unit"):
        Winnow(prepare="maxabs").fit([[-1.0]], [1])
    with pytest.raises(InvalidInput, match=r"found 2.0; expected a value in \[0, 1\] for Winnow"):
        Winnow(prepare="conjunctions(2)").fit([[2.0]], [1])
    with pytest.raises(InvalidInput, match=r"found 2.0; expected a value in \[0, 1\] for Winnow"):
        Winnow(prepare="conjunctions(2)").learn_one({"a": 2.0}, 1)
    for refused in ("standard", "fourier(5)", "minmax, unit, standard", "standard, unit"):
        with pytest.raises(InvalidInput, match="which standard, idf and fourier leave"):
            Winnow(prepare=refused).fit(X, y)
    with pytest.raises(InvalidInput, match="expected one of the two"):
        Winnow(prepare="minmax", clip=True).fit(X, y)


def test_audits_speak_of_rows_as_they_are_given(tmp_path):
    model = Perceptron(prepare="standard").fit(*XOR)
    with pytest.raises(InvalidInput, match="audit a learner without prepare"):
        model.audit(*XOR)
    with pytest.raises(InvalidInput, match="without prepare"):
        Perceptron(prepare="standard").fit(*XOR, audit="live")


def test_too_many_products_of_one_example():
    with pytest.raises(InvalidInput, match="5000 features have more than 10,000,000 products"):
        Perceptron(prepare="conjunctions(2)").learn_one([f"w{i}" for i in range(5000)], 1)


# ------------------------------------------------------------------ races and commands


def test_prepared_learners_race_on_one_stream():
    race = Race([Perceptron(), Perceptron(prepare="standard")]).fit(UNEQUAL, SIDES)
    assert race.best_.prepare == "standard"
    alone = Perceptron(prepare="standard").fit(UNEQUAL, SIDES)
    np.testing.assert_array_equal(
        race.best_.decision_function(UNEQUAL), alone.decision_function(UNEQUAL)
    )


@pytest.fixture(scope="module")
def run():
    """thresher … in a process of its own."""
    with Commands() as commands:
        yield commands.run


@pytest.fixture
def xor_file(tmp_path):
    rng = np.random.default_rng(4)
    bits = rng.integers(0, 2, size=(400, 2))
    lines = [f"{a ^ b},{a},{b}" for a, b in bits]
    (tmp_path / "xor.csv").write_text("y,a,b\n" + "\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    "steps",
    [
        ["--prepare", "conjunctions(2)"],
        ["--prepare", "standard", "--prepare", "polynomial(2)"],
        ["--set", "prepare=fourier(50)"],
    ],
    ids=" ".join,
)
def test_xor_from_the_command_line(run, xor_file, steps):
    train = ["train", "xor.csv", "--label", "y", "-m", "m", "--learner", "perceptron", "-q"]
    assert run(*train, *steps, folder=xor_file).code == 0
    seen = run("evaluate", "xor.csv", "-m", "m", "--json", folder=xor_file)
    assert json.loads(seen.out)["accuracy"] == 1.0
    plain = run(*train, folder=xor_file)
    assert plain.code == 0
    seen = run("evaluate", "xor.csv", "-m", "m", "--json", folder=xor_file)
    assert json.loads(seen.out)["accuracy"] < 0.8


def test_commands_on_a_prepared_model(run, xor_file):
    train = ["train", "xor.csv", "--label", "y", "-q", "--learner", "perceptron", "--prepare",
             "maxabs,conjunctions(2)"]  # fmt: skip
    assert run(*train, "-m", "m", folder=xor_file).code == 0
    model = thresher.load(xor_file / "m")
    assert sorted(model.feature_names_out_) == ["a", "a*b", "b"]
    facts = json.loads(run("inspect", "m", "--json", folder=xor_file).out)
    assert facts["top_features"][0]["features"][0]["name"] == "a*b"
    audit = run("audit", "xor.csv", "-m", "m", folder=xor_file)
    assert audit.code != 0 and "prepare" in audit.err
    wrong = run(*train, "-m", "n", "--prepare", "zzz", folder=xor_file)
    assert wrong.code != 0 and "no step 'zzz'" in wrong.err
    other = run(*train, "--resume", "m", "--prepare", "unit", "-m", "n", folder=xor_file)
    assert other.code != 0 and "cannot change" in other.err
    grid = "perceptron:prepare=conjunctions(2),maxabs+fourier(50, seed=2)"
    race = run("race", "xor.csv", "--label", "y", "--grid", grid, "-m", "r", "--json",
                            folder=xor_file)  # fmt: skip
    assert race.code == 0, race.err
    assert "prepare=conjunctions(2)" in race.out and "maxabs+fourier(50,seed=2)" in race.out


def test_files_arrays_and_dicts_learn_the_same(xor_file):
    rows = [line.split(",") for line in (xor_file / "xor.csv").read_text().split()[1:]]
    X, y = np.array([[float(a), float(b)] for _, a, b in rows]), [int(c) for c, _, _ in rows]
    table = pandas.DataFrame(X, columns=["a", "b"])
    for prepare in STEPS:
        from_file = Perceptron(prepare=prepare).fit_file(xor_file / "xor.csv", label="y")
        array = Perceptron(prepare=prepare).fit(table, y)
        expected = array.predict(table[:20]).tolist()
        assert from_file.predict_file(xor_file / "xor.csv", label="y")[:20] == expected
        dicts = [{"a": a, "b": b} for a, b in X[:20].tolist()]
        assert [from_file.predict_one(x) for x in dicts] == expected
