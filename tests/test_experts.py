"""Experts: each member ends as if alone, the answer is fixed share's, and the bounds hold."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import thresher
from thresher import (
    AROW,
    LMS,
    Experts,
    ExpertsRegressor,
    LogisticRegression,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Winnow,
    reference,
)
from thresher.errors import InvalidInput, ModelFileError
from thresher.theory import bounds

MEMBERS = {
    "plain": Perceptron(average=False),
    "averaged": Perceptron(),
    "pa": PassiveAggressive(C=0.1, prepare="standard"),
    "arow": AROW(r=2.0),
    "logistic": LogisticRegression(prepare="standard"),
}
NUMBERS = {
    "lms": LMS(learning_rate=0.05),
    "pa": PassiveAggressiveRegressor(C=0.1, prepare="standard"),
    "nlms": LMS(normalized=True, prepare="standard"),
}


def stream(n, classes=3, seed=0):
    """Dicts of a few names, a label and a number; the target changes in the middle."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(2, classes, 12))
    for t in range(n):
        names = rng.choice(12, rng.integers(2, 6), replace=False)
        values = rng.normal(size=len(names)).round(2)
        scores = w[int(t > n // 2)][:, names] @ values
        yield (
            {f"x{i}": float(v) for i, v in zip(names, values, strict=True)},
            f"c{np.argmax(scores)}",
            float(scores[0].round(3)),
        )


class Alone:
    """A fast learner with the interface of the reference."""

    def __init__(self, learner):
        self.learner = learner

    def predict(self, x):
        return self.learner.predict_one(x)

    def learn(self, x, y, weight=1.0):
        self.learner.learn_one(x, y, weight)


def alone(learners):
    return [Alone(thresher_copy(one)) for one in learners.values()]


def thresher_copy(learner):
    return type(learner)(**learner.get_params())


def votes_of(model, members):
    """In the order of the reference: the members, then the baselines."""
    baselines = [row.name for row in model.standings_ if row.baseline]
    return [model.weights_[name] for name in (*members, *baselines)]


@given(st.integers(0, 1000), st.sampled_from([2, 3, 5]), st.sampled_from([0.1, 0.5, 2.0]))
def test_the_vote_is_that_of_the_reference(seed, classes, eta):
    plain = reference.Experts(alone(MEMBERS), eta=eta, share=0.01)
    fast = Experts(MEMBERS, eta=eta, share=0.01)
    for t, (x, label, _) in enumerate(stream(60, classes, seed)):
        assert fast.predict_one(x) == plain.predict(x)
        weight = (1.0, 2.5, 0.0)[t % 3]
        plain.learn(x, label, weight)
        fast.learn_one(x, label, weight)
    assert fast.mistakes_ == plain.mistakes
    assert votes_of(fast, MEMBERS) == pytest.approx(plain.weights, rel=1e-12)


@given(st.integers(0, 1000), st.sampled_from([0.1, 0.5]))
def test_the_mean_is_that_of_the_reference(seed, eta):
    plain = reference.ExpertsRegressor(alone(NUMBERS), eta=eta, share=0.01)
    fast = ExpertsRegressor(NUMBERS, eta=eta, share=0.01)
    for x, _, y in stream(60, 3, seed):
        assert fast.predict_one(x) == pytest.approx(plain.predict(x), rel=1e-9, abs=1e-9)
        plain.learn(x, y)
        fast.learn_one(x, y)
    assert votes_of(fast, NUMBERS) == pytest.approx(plain.weights, rel=1e-9)


def rows(n, seed=0, classes=3):
    """Arrays of the same stream."""
    found = list(stream(n, classes, seed))
    X = np.array([[x.get(f"x{i}", 0.0) for i in range(12)] for x, _, _ in found])
    return X, np.array([label for _, label, _ in found]), np.array([y for _, _, y in found])


def state_of(model):
    return model._model.state()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_one_by_one_in_pieces_and_at_once(form):
    X, labels, numbers = rows(3000)
    for cls, members, y in ((Experts, MEMBERS, labels), (ExpertsRegressor, NUMBERS, numbers)):
        whole = cls(members, threads=3).fit(form(X), y)
        pieces = cls(members, threads=1)
        for begin, end in ((0, 1), (1, 40), (40, 1500), (1500, 3000)):
            pieces.partial_fit(form(X)[begin:end], y[begin:end])
        assert state_of(whole) == state_of(pieces)


def test_each_member_ends_as_if_alone():
    X, labels, numbers = rows(2000)
    for cls, members, y in ((Experts, MEMBERS, labels), (ExpertsRegressor, NUMBERS, numbers)):
        model = cls(members, keep_all=True).fit(X, y)
        for name, learner in model.learners_.items():
            assert state_of(learner) == state_of(thresher_copy(members[name]).fit(X, y)), name
        assert model.best_.get_params() in [one.get_params() for one in members.values()]


def test_saved_and_loaded_at_any_time(tmp_path):
    X, labels, numbers = rows(5000)
    for cls, members, y in ((Experts, MEMBERS, labels), (ExpertsRegressor, NUMBERS, numbers)):
        for stop in (1, 20, 500, 4200):
            model = cls(members).partial_fit(X[:stop], y[:stop])
            model.save(tmp_path / "model")
            again = thresher.load(tmp_path / "model")
            assert state_of(again) == state_of(model)
            assert state_of(pickle.loads(pickle.dumps(model))) == state_of(model)
            for one in (model, again):
                one.partial_fit(X[stop:], y[stop:])
            assert state_of(again) == state_of(model)
            assert [row.name for row in again.standings_] == [row.name for row in model.standings_]


def test_the_portfolio_is_saved_with_its_model(tmp_path):
    X, labels, _ = rows(100)
    model = Experts().fit(X, labels)
    model.save(tmp_path / "model")
    again = thresher.load(tmp_path / "model")
    assert again.learners is None
    assert again.weights_ == model.weights_


def test_members_that_cannot_use_the_data_leave():
    X, labels, _ = rows(300)
    model = Experts({"winnow": Winnow(), "perceptron": Perceptron()}).fit(X, labels)
    rows_ = {row.name: row for row in model.standings_}
    assert rows_["winnow"].failed and "[0, 1]" in rows_["winnow"].reason
    assert model.weights_.keys() == {"perceptron", "most frequent label", "last label"}
    with pytest.raises(InvalidInput, match=r"row 0.*\[0, 1\]"):
        Experts({"a": Winnow(), "b": Winnow(alpha=1.5)}).fit(X, labels)


def test_a_bad_example_leaves_no_trace():
    X, labels, _ = rows(300)
    model = Experts(MEMBERS).partial_fit(X, labels)
    before = state_of(model)
    good = Experts(MEMBERS).partial_fit(X, labels)
    assert state_of(good) == before
    for rows_, at in ((5, 3), (200, 150)):  # few are prepared by each member, more once for all
        bad = X[:rows_].copy()
        bad[at, 2] = np.nan
        with pytest.raises(InvalidInput, match=rf"row {at}.*(NaN|nan)"):
            model.partial_fit(bad, labels[:rows_])
        good.partial_fit(bad[:at], labels[:at])
        assert state_of(good) == state_of(model)
    with pytest.raises(InvalidInput):
        model.learn_one({"x0": math.inf}, "c0")
    assert state_of(good) == state_of(model)


def least_loss(found):
    return min(row["loss"] for row in (*found["members"], found["usual"], found["last"]))


@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.5, 3.0]))
def test_the_bound_on_mistakes(seed, eta):
    n = 400
    X, labels, _ = rows(n, seed)
    model = Experts(MEMBERS, eta=eta, share=0.01, keep_all=True).fit(X, labels)
    found = model._model.committee()
    least = least_loss(found)
    assert found["charged"] <= eta * least + found["allowed"] + 1e-9
    (row,) = [row for row in model.audit(X, labels).rows if row.applies]
    assert row.theorem == "experts" and row.holds and row.figure == model.mistakes_
    assert row.value == bounds.experts(least, 7, n, eta, 0.01).value


@given(st.integers(0, 10_000), st.sampled_from([0.5, 3.0]))
def test_the_bound_for_a_sequence_that_changes_once(seed, eta):
    members = alone(MEMBERS)
    wrong = []
    for x, label, _ in stream(200, 3, seed):
        wrong.append([member.predict(x) != label for member in members])
        for member in members:
            member.learn(x, label)
    before = np.vstack([np.zeros(5), np.cumsum(wrong, axis=0)])
    least = (before.min(axis=1) + (before[-1] - before).min(axis=1)).min()
    X, labels, _ = rows(200, seed)
    model = Experts(MEMBERS, eta=eta, share=0.01).fit(X, labels)
    assert model.mistakes_ <= bounds.experts(least, 7, 200, eta, 0.01, changes=1).value


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.5]))
def test_the_bound_on_squares(seed, eta):
    n = 400
    X, _, y = rows(n, seed)
    y = y * np.geomspace(0.01, 10, n)  # the range keeps growing
    model = ExpertsRegressor(NUMBERS, eta=eta, share=0.01, keep_all=True).fit(X, y)
    found = model._model.committee()
    least = least_loss(found)
    assert found["loss"] - found["first"] <= least + found["allowed"] * (1 + 1e-12)
    (row,) = [row for row in model.audit(X, y).rows if row.applies]
    assert row.theorem == "experts, squares" and row.holds


def test_baselines_and_standings():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)), np.where(rng.random(3000) < 0.8, "a", "b")  # no relation
    model = Experts().fit(X, y)
    rows_ = {row.name: row for row in model.standings_}
    assert abs(rows_["most frequent label"].error - np.mean(y == "b")) < 0.01
    assert rows_["most frequent label"].baseline and rows_["last label"].error > 0.25
    assert model.standings_[0].name == next(iter(model.learners_)) or model.standings_[0].weight > 0


@pytest.mark.parametrize(
    ("learners", "words"),
    [
        ([], "empty"),
        ([Perceptron(), Perceptron()], "twice"),
        ([LMS()], "predicts numbers"),
        (["pa"], "cannot be a member"),
        ([Experts()], "cannot be a member"),
        ([Perceptron(class_weight="balanced")], "class_weight cannot be set"),
    ],
)
def test_learners_that_cannot_be_members(learners, words):
    with pytest.raises(InvalidInput, match=words):
        Experts(learners).fit(np.eye(2), [0, 1])


def test_wide_arrays_are_not_for_members_of_few_features():
    X = sparse.random_array((60, 20_000), density=0.01, rng=np.random.default_rng(0), format="csr")
    y = np.arange(60) % 2
    model = Experts().fit(X, y)
    rows_ = {row.name: row for row in model.standings_}
    assert rows_["lda"].dropped_at == 0 and not rows_["lda"].failed
    assert model.predict(X).shape == (60,)


@pytest.mark.parametrize("weight", [1e3, 1e9])
def test_an_example_may_be_as_important_as_can_be(weight, tmp_path):
    """Its weight underflows nothing: a member that was wrong about it stays, and can be saved."""
    plain, model = reference.Experts(alone(MEMBERS)), Experts(MEMBERS)
    for t, (x, label, _) in enumerate(stream(40)):
        importance = weight if t % 10 == 9 else 1.0
        plain.learn(x, label, importance)
        model.learn_one(x, label, importance)
    assert votes_of(model, MEMBERS) == plain.weights
    model.save(tmp_path / "model")
    assert thresher.load(tmp_path / "model").weights_ == model.weights_


@pytest.mark.parametrize("size", [1e150, 1e200, 1e299])
def test_targets_of_any_size_are_saved_or_refused(size, tmp_path):
    model = ExpertsRegressor({"pa": PassiveAggressiveRegressor(), "lms": LMS(normalized=True)})
    for i in range(30):
        try:
            model.learn_one({"a": i % 3 - 1.0, "b": 1.0}, size * (i % 5 - 2))
        except InvalidInput:
            continue
    model.save(tmp_path / "model")
    assert state_of(thresher.load(tmp_path / "model")) == state_of(model)


def test_weights_that_cannot_be_added_up_are_refused_before_the_row_is_learned():
    members = {"a": Perceptron(average=False), "b": Perceptron(average=False, margin=0.5)}
    X, y, heavy = np.eye(3), [0, 1, 0], [1.0, 9e299, 9e299]
    model = Experts(members)
    with pytest.raises(InvalidInput, match=r"row 2.*sum of the sample weights"):
        model.partial_fit(X, y, sample_weight=heavy)
    first = Experts(members).partial_fit(X[:2], y[:2], sample_weight=heavy[:2])
    assert state_of(model) == state_of(first)


def test_a_damaged_state_is_refused():
    X, labels, _ = rows(100)
    model = Experts(MEMBERS).fit(X, labels)
    for kind, name, value in (
        ("counts", "next_cut", 5000), ("counts", "next_cut", 2**60), ("counts", "codes", 1),
        ("counts", "member0.left", 7), ("counts", "history.size", 0), ("counts", "baselines", 1),
        ("reals", "usual", 3.0), ("reals", "last", 0.5),
    ):  # fmt: skip
        state = state_of(model)
        if name == "next_cut" and value == 5000:
            state["counts"]["examples"] = 6000
        state[kind][name] = value
        with pytest.raises(ModelFileError):
            model.fresh()._begin_from(state)


def test_learners_for_tables_leave_when_columns_never_end():
    """At 32 examples there are few columns; later they would cost a step over all of them."""
    model = Experts()
    for i in range(200):
        model.learn_one({f"x{i}": 1.0}, i % 2)
    left = {row.name: row.dropped_at for row in model.standings_ if "standard" in row.name}
    assert len(left) > 5 and {*left.values()} == {64}


def test_no_worse_than_no_change(tmp_path):
    """Where the last label or target is best, the answer is soon close to it, also once loaded."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    steps = np.cumsum(rng.random(2000) < 0.02) % 4  # seldom another label
    walk = 40.0 + np.cumsum(rng.normal(scale=0.1, size=2000))
    for cls, members, y in ((Experts, MEMBERS, steps), (ExpertsRegressor, NUMBERS, walk)):
        model = cls(members).fit(X, y)
        found = model._model.committee()
        lost = found["loss"] - found["first"]
        assert lost < 1.2 * found["last"]["loss"] + 4
        assert model.predict(X[:5]) == pytest.approx([y[-1]] * 5, abs=0.5)
        model.save(tmp_path / "model")
        assert np.array_equal(thresher.load(tmp_path / "model").predict(X), model.predict(X))
        plain = cls(members, baselines=False).fit(X, y)
        found = plain._model.committee()
        assert found["loss"] - found["first"] > 2 * lost
        assert plain.weights_.keys() == members.keys()


def test_a_model_from_before_baselines_voted_goes_on_without_them():
    X, labels, numbers = rows(600)
    for cls, members, y in ((Experts, MEMBERS, labels), (ExpertsRegressor, NUMBERS, numbers)):
        plain = cls(members, baselines=False).fit(X, y)
        state = state_of(plain)
        del state["counts"]["baselines"], state["reals"]["usual"]
        for name in ("rate", "gap"):
            state["reals"].pop(name, None)
        old = cls(members)
        old._labels = getattr(plain, "_labels", None)
        old._begin_from(state)
        assert old.weights_ == plain.weights_
        old.partial_fit(X, y)


def test_members_for_names_once_leave_where_names_come_again(tmp_path):
    """All see the same rows, in which a name that comes again counts: such members say why."""
    path = tmp_path / "words.vw"
    path.write_text("".join(f"{i % 2} | a b w{i % 5}\n" for i in range(50)) + "1 | a a b\n" * 9)
    members = {"winnow": Winnow(), "snow": thresher.Snow(), "perceptron": Perceptron()}
    model = Experts(members).fit_file(path)
    for row in model.standings_:
        if row.name in ("winnow", "snow"):
            assert row.failed and row.dropped_at == 50 and "found 2.0" in row.reason
    assert set(model.learners_) == {"perceptron"}


def wide_rows(n, seed=0, noise=0.2):
    """More than 32 features a row; the label is that of a plane, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(scale=0.3, size=(n, 40)).round(2)
    y = X @ rng.normal(size=40) + rng.normal(size=n)
    return X, np.where(rng.random(n) < noise, rng.random(n) < 0.5, y > 0), y.round(3)


WIDE = {
    "labels": (Experts, {
        **MEMBERS, "twin": AROW(r=2.0), "slow": LogisticRegression(learning_rate=0.01),
        "winnow": thresher.BalancedWinnow(prepare="minmax"),
    }),
    "numbers": (ExpertsRegressor, {
        **NUMBERS, "twin": LMS(learning_rate=0.05), "slow": LMS(learning_rate=1e-5),
        "averaged": LMS(learning_rate=0.01, average=True),
    }),
}  # fmt: skip


def losses_of(members, X, y):
    """Of each member that learns alone, before each example."""
    rows_ = [{f"x{i}": v for i, v in enumerate(x)} for x in X.tolist()]
    found = []
    for learner in map(thresher_copy, members.values()):
        pairs = [
            (learner.predict_learn_one(x, t), t) for x, t in zip(rows_, y.tolist(), strict=True)
        ]
        labels = y.dtype == bool
        found.append([float(a is not t) if labels else (a - t) ** 2 for a, t in pairs])
    return found


@pytest.mark.parametrize("kind", WIDE)
def test_where_rows_are_wide_the_worse_half_leaves(kind):
    cls, members = WIDE[kind]
    X, labels, numbers = wide_rows(5000)
    y = labels if kind == "labels" else numbers
    losses = losses_of(members, X[:4096], y[:4096])
    left, gone = list(members), {}
    for look in (2048, 4096):
        worse = reference.worse_half([losses[list(members).index(name)][:look] for name in left])
        gone |= {left[i]: look for i in worse}
        left = [name for i, name in enumerate(left) if i not in worse]
    model = cls(members).fit(X, y)
    rows_ = {row.name: row for row in model.standings_ if not row.baseline}
    assert {name: row.dropped_at for name, row in rows_.items() if row.dropped_at} == gone
    assert gone["twin" if "twin" in gone else "arow" if kind == "labels" else "lms"] == 2048
    assert len(left) == 2 and set(model.learners_) == set(left)  # of 8 or 6
    assert all("worse half" in rows_[name].reason for name in gone)
    assert set(cls(members, keep_all=True).fit(X, y).learners_) == set(members)
    narrow = cls(members).fit(X[:, :20], y)  # nearly free
    assert set(narrow.learners_) == set(members)


def test_a_half_leaves_however_the_stream_is_cut(tmp_path):
    X, labels, numbers = wide_rows(9000)
    for (cls, members), y in zip(WIDE.values(), (labels, numbers), strict=True):
        whole = cls(members, threads=3).fit(X, y)
        pieces = cls(members, threads=1)
        for begin, end in pairwise((0, 31, 2048, 4095, 4097, 8192, 9000)):
            pieces.partial_fit(X[begin:end], y[begin:end])
            pieces.save(tmp_path / "model")
            pieces = thresher.load(tmp_path / "model")
            pieces.set_params(threads=2)
        assert state_of(pieces) == state_of(whole)
        for row in whole.audit(X, y).rows:
            assert row.holds or not row.applies


def test_nobody_has_to_leave_where_the_target_moves():
    X, labels, _ = wide_rows(2048, noise=0.0)
    labels[1600:] = ~labels[1600:]
    model = Experts(MEMBERS).fit(X, labels)
    assert set(model.learners_) == set(MEMBERS)


def test_a_value_that_one_member_cannot_use_is_answered_by_the_others():
    """Winnow takes values in [0, 1]; if it were asked to learn such an example, it would leave."""
    rng = np.random.default_rng(3)
    X = rng.random((300, 5))
    y = X[:, 0] > 0.5
    model = Experts().fit(X, y)
    names = [member.name for member in model.standings_ if member.weight > 0]
    assert any("winnow" in name for name in names)
    far = np.vstack([X[:3], [[2.0, 0.1, 0.1, 0.1, 0.1]], X[3:6]])
    assert model.predict(far).tolist() == [*y[:3], True, *y[3:6]]
    scores = model.decision_function(far)
    assert (np.abs(scores) <= 1 + 1e-9).all()
    np.testing.assert_array_equal(scores[[0, 1, 2, 4, 5, 6]], model.decision_function(X[:6]))
    assert model.predict_one({"x0": 2.0}) and model.predict_one({0: 2.0})
    sure = Experts({"winnow": Winnow(), "pa": PassiveAggressive()}, share=1e-20).fit(X, y)
    assert np.abs(sure.decision_function(far)).max() <= 1.0
    with pytest.raises(InvalidInput, match=r"in \[0, 1\]"):  # nobody else is there to answer
        Experts(learners={"winnow": Winnow()}, baselines=False).fit(X, y).predict(far)
