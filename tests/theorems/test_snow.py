"""Snow: what its nodes are, what its links cost, and the bounds that it keeps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher import PassiveAggressive, Perceptron, Snow
from thresher import reference as ref
from thresher.errors import InvalidInput

few = settings(max_examples=max(10, settings.default.max_examples // 4))


# ------------------------------------------------------------------ Winnow nodes


@few
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([20, 100, 400]),
    k=st.integers(1, 5),
    alpha=st.sampled_from([1.1, 1.5, 2.0]),
)
def test_winnow_nodes_keep_the_mistake_bound(seed, n, k, alpha):
    """A disjunction of k features out of n, θ = n, initial weight 1, β = 1/α.

    Promotions. Only they change the weight of a relevant feature, and a relevant feature that is
    linked and whose weight has reached θ makes a mistake impossible: u ≤ k·(1 + ⌈log_α θ⌉).
    Demotions. Each takes (1 − β)·θ at least off the weights. Linking has added n in all, and a
    promotion adds at most (α − 1) times what was there, θ and new links:
    v ≤ (n + (α − 1)·(u·θ + n)) / ((1 − β)·θ).
    """
    rng = np.random.default_rng(seed)
    relevant = rng.choice(n, k, replace=False)
    X = rng.random((1500, n)) < rng.choice([0.5 / k, 0.1])
    truth = X[:, relevant].any(axis=1)
    options = {"alpha": alpha, "beta": 1 / alpha, "theta": float(n), "margin": 0.0}
    model = Snow(multi_label=True, average=False, fit_intercept=False, **options)
    model.partial_fit(X.astype(float), [{"yes"} if y else set() for y in truth])
    u = k * (1 + math.ceil(math.log(n, alpha)))
    v = (n + (alpha - 1) * (u * n + n)) / ((1 - 1 / alpha) * n)
    assert 0 < model.mistakes_ <= u + v


def test_winnow_nodes_find_the_disjunction():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 1000)) < 0.02
    truth = X[:, :5].any(axis=1)
    model = Snow(multi_label=True, alpha=2.0, theta=1000.0, margin=0.0, average=False)
    model.partial_fit(X.astype(float), [{"yes"} if y else set() for y in truth])
    before = model.mistakes_
    model.partial_fit(X.astype(float), [{"yes"} if y else set() for y in truth])
    assert model.mistakes_ - before < 0.01 * len(X)
    assert {name for name, _ in model.top_features(5)} == {f"x{j}" for j in range(5)}


# ------------------------------------------------------------------ additive nodes


def streams(seed, classes):
    """First all features with each class, so that every link is there; then anything."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(120, 6)) * 4) / 4
    X[:classes] = 1.0
    y = rng.integers(classes, size=len(X))
    y[:classes] = np.arange(classes)
    return X, y


@few
@given(seed=st.integers(0, 2**32 - 1), classes=st.integers(1, 5))
def test_with_all_links_perceptron_nodes_are_one_vs_rest_perceptrons(seed, classes):
    X, y = streams(seed, classes)
    options = {"rule": "perceptron", "multiclass": "one-vs-rest", "margin": 0.0, "average": False}
    model = Snow(**options).fit(X, y)
    for k in range(classes):  # a node begins when its class appears
        alone = Perceptron(average=False).fit(X[k:], y[k:] == k)
        assert dict(model.predict_top(X[-1:], classes)[0])[k] == pytest.approx(
            alone.decision_function(X[-1:])[0], abs=1e-12
        )
    if classes >= 3:
        assert model.coef_[0].tolist() == Perceptron(average=False).fit(X, y == 0).coef_[0].tolist()


@few
@given(seed=st.integers(0, 2**32 - 1), C=st.sampled_from([0.1, 1.0, 1e6]))
def test_one_node_of_a_kind_is_the_learner_of_that_kind(seed, C):
    X, y = streams(seed, 1)
    y = np.random.default_rng(seed).random(len(X)) < 0.5
    y[0] = True
    sets = [{"yes"} if label else set() for label in y]
    for average in (False, True):
        node = Snow(rule="perceptron", margin=0.0, multi_label=True, average=average).fit(X, sets)
        alone = Perceptron(average=average).fit(X, y)
        np.testing.assert_allclose(node.coef_, alone.coef_, rtol=1e-9, atol=1e-9)
        assert node.mistakes_ <= alone.mistakes_ + 1  # of a score of 0 a perceptron learns as well
        node = Snow(rule="passive-aggressive", C=C, multi_label=True, average=average).fit(X, sets)
        alone = PassiveAggressive(C=C, average=average).fit(X, y)
        np.testing.assert_allclose(node.coef_, alone.coef_, rtol=1e-9, atol=1e-9)


@few
@given(seed=st.integers(0, 2**32 - 1))
def test_a_passive_aggressive_node_lands_on_the_margin(seed):
    """Also where few features are linked: the norm is that of what the node can see."""
    rng = np.random.default_rng(seed)
    model = Snow(rule="passive-aggressive", C=1e9, multiclass="one-vs-rest", average=False)
    for _ in range(60):
        x = {f"f{i}": float(v) for i, v in zip(rng.integers(30, size=4), rng.normal(size=4))}  # noqa: B905
        y = str(rng.integers(4))
        model.learn_one(x, y)
        scores = dict(model.predict_top_one(x, 4))
        assert scores[y] >= 1 - 1e-9
        assert all(s <= -1 + 1e-9 for label, s in scores.items() if label != y)


# ------------------------------------------------------------------ naive Bayes


@few
@given(seed=st.integers(0, 2**32 - 1), s=st.sampled_from([0.1, 1.0]))
def test_naive_bayes_nodes_are_log_odds_of_counts(seed, s):
    rng = np.random.default_rng(seed)
    X = (rng.random((80, 7)) < 0.4).astype(float)
    y = rng.integers(3, size=len(X))
    y[:3] = range(3)
    model = Snow(rule="naive-bayes", smoothing=s).fit(X, y)
    expected = np.zeros((len(X), 3))
    for k in range(3):
        ours, rest = X[y == k], X[y != k]
        odds = np.log((ours.sum(0) + s) / (len(ours) + 2 * s))
        odds -= np.log((rest.sum(0) + s) / (len(rest) + 2 * s))
        expected[:, k] = np.log((len(ours) + s) / (len(rest) + s)) + X @ odds
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------ links


def test_a_link_is_made_by_examples_of_its_label_alone():
    model = Snow()
    model.learn_one(["a", "b"], "x")
    model.learn_one(["b", "c"], "y")
    model.learn_one(["a", "d"], "z")
    assert model.links_ == 6
    linked = {label: {name for name, _ in top} for label, top in model.top_features(9).items()}
    assert linked == {"x": {"a", "b"}, "y": {"b", "c"}, "z": {"a", "d"}}


def test_a_link_takes_part_when_it_is_eligible():
    model = Snow(eligibility=3, average=False, fit_intercept=False)
    for times in range(1, 5):
        model.learn_one(["a"], "x")
        model.learn_one(["b"], "y")
        assert model.links_ == 2
        assert (model.score_one(["b"]) != 0.0) == (times >= 3)


def test_pruning_drops_what_an_update_left_small():
    for prune, left in ((0.0, 4), (0.85, 4), (0.95, 2)):  # α^−1.2 is 0.89
        model = Snow(average=False, prune=prune)
        model.learn_one(["a", "b"], "x")
        model.learn_one(["a", "b"], "y")  # demotes both links of x
        assert model.links_ == left
        model.learn_one(["a"], "x")  # a pruned link comes back as a new one
        assert model.links_ == min(4, left + 1)


@pytest.mark.parametrize("rule", ["winnow", "perceptron", "naive-bayes", "passive-aggressive"])
def test_the_cap_is_never_exceeded_on_an_endless_stream(rule):
    """Each example brings names that never come again; the few that do come again are kept."""
    model = Snow(rule=rule, max_links=300)
    for i in range(4000):
        label = "ab"[i % 2]
        model.learn_one([f"{label} sure", f"{label}{i % 6}", f"once {i}", f"only {i}"], label)
        assert model.links_ <= 300
        assert len(model._names()) <= 2 * 300 + 1024 + 4
    assert model.predict_one(["a sure"]) == "a" and model.predict_one(["b sure"]) == "b"
    kept = {name for name, _ in model.top_features(10**6)}
    assert {"a sure", "b sure"} <= kept


def test_the_least_useful_links_go_first():
    model = Snow(max_links=8, average=False, rule="perceptron", multiclass="one-vs-rest")
    for _ in range(3):
        model.learn_one(["useful", "also"], "yes")
        model.learn_one(["useless"], "no")
    model.learn_one(["x1", "x2", "x3", "x4", "x5"], "no")
    assert model.links_ == 8
    model.learn_one(["new"], "yes")  # one has to go: of those seen once the first
    names = {name for name, _ in model.top_features(99)}
    assert "x1" not in names and {"useful", "also", "useless", "x2", "x5"} <= names


def test_an_example_larger_than_the_cap_is_linked_as_far_as_there_is_room():
    model = Snow(max_links=3)
    model.learn_one([f"f{i}" for i in range(10)], "a")
    assert model.links_ == 3
    model.learn_one([f"g{i}" for i in range(10)], "b")
    assert model.links_ == 3


# ------------------------------------------------------------------ many labels, the best few


def test_many_labels():
    model = Snow(multi_label=True)
    stream = [({"goal", "vote"}, {"sport", "news"}), ({"goal"}, {"sport"}), ({"vote"}, ("news",)),
              ({"rain"}, [])] * 100  # fmt: skip
    for x, y in stream:
        model.learn_one(x, y)
    assert [model.predict_one(x) for x, _ in stream[:4]] == [set(y) for _, y in stream[:4]]
    X = np.eye(3)[[0, 1, 2, 0]]
    Y = [{1}, {2}, set(), [1]] * 50
    arrays = Snow(multi_label=True, calibrate=True).fit(np.tile(X, (50, 1)), Y)
    assert arrays.predict(X) == [{1}, {2}, set(), {1}]
    assert arrays.score(X, Y[:4]) == 1.0
    p = arrays.predict_proba(X)
    assert p.shape == (4, 2) and p[0, 0] > 0.5 > p[0, 1] and p[2].max() < 0.5
    assert arrays.predict_proba_one({"x0": 1.0}) == pytest.approx({1: p[0, 0], 2: p[0, 1]})


@few
@given(data=st.data())
def test_many_labels_equal_the_reference(data):
    rule = data.draw(st.sampled_from(["winnow", "perceptron", "naive-bayes", "passive-aggressive"]))
    options = {"rule": rule, "multi_label": True, "calibrate": True, "margin": 0.3}
    options["max_links"] = data.draw(st.sampled_from([None, 9]))
    options["eligibility"] = data.draw(st.sampled_from([1, 2]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    model, reference = Snow(**options), ref.Snow(**options)
    for _ in range(25):
        x = {f"f{i}": float(rng.random()) for i in rng.choice(8, 3, replace=False)}
        y = sorted({"abcd"[i] for i in rng.integers(4, size=rng.integers(3))})
        model.learn_one(x, y)
        reference.learn(x, y)
        if reference.labels:
            assert model.score_one(x) == pytest.approx(reference.score(x), abs=1e-9)
            assert model.predict_proba_one(x) == pytest.approx(reference.predict_proba(x), abs=1e-6)
    assert (model.links_, model.mistakes_) == (reference.links, reference.mistakes)


def test_the_best_few():
    model = Snow()
    for i in range(60):
        model.learn_one([f"f{i % 4}", "all"], "abcd"[i % 4])
    best = model.predict_top_one(["f2", "all"], 3)
    assert len(best) == 3 and best[0][0] == "c" == model.predict_one(["f2", "all"])
    assert [s for _, s in best] == sorted((s for _, s in best), reverse=True)
    assert len(model.predict_top_one(["f2"], 99)) == 4
    with pytest.raises(InvalidInput, match="k is 0"):
        model.predict_top_one(["f2"], 0)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rule": "oracle"}, "rule is 'oracle'; expected one of 'winnow'"),
        ({"rules": {"a": "oracle"}}, r"rules\['a'\] is 'oracle'"),
        ({"rules": "winnow"}, "rules is 'winnow'; expected a dict"),
        ({"alpha": 1.0}, "alpha is 1.0"),
        ({"beta": 1.0}, "beta is 1.0; expected a finite number > 0 and < 1"),
        ({"max_links": 0}, "max_links is 0"),
        ({"eligibility": 0}, "eligibility is 0"),
        ({"multi_label": True, "multiclass": "ultraconservative"},
         "multi_label=True and multiclass='ultraconservative' contradict"),
        ({"multi_label": True, "confidence": "softmax"}, "confidence='softmax' contradict"),
        ({"rule": "naive-bayes", "prune": 0.1}, "prune=0.1 and rule='naive-bayes' contradict"),
        ({"rule": "perceptron", "clip": True}, "clip=True is for nodes"),
    ],
)  # fmt: skip
def test_options_that_cannot_be(options, words):
    with pytest.raises(InvalidInput, match=words):
        Snow(**options).learn_one(["a"], ["x"] if "multi_label" in options else "x")


def test_a_cap_too_small_for_the_classes():
    model = Snow(max_links=2)
    model.learn_one(["a"], "x")
    model.learn_one(["b"], "y")
    with pytest.raises(InvalidInput, match="max_links=2 is too small"):
        model.learn_one(["c"], "z")
    assert model.classes_.tolist() == ["x", "y"] and model.examples_ == 2
    sets = Snow(max_links=2, multi_label=True)
    with pytest.raises(InvalidInput, match="max_links=2 is too small"):
        sets.learn_one(["c"], ["x", "y", "z"])
    sets.learn_one(["c"], ["x", "y"])


def test_sets_where_single_labels_were_begun_and_the_reverse():
    model = Snow()
    model.learn_one(["a"], "x")
    for y in ({"x"}, ["x", "y"], ("x",), set()):
        with pytest.raises(InvalidInput, match="multi_label=False; expected one label"):
            model.learn_one(["a"], y)
    with pytest.raises(InvalidInput, match="row 0: y is"):
        Snow().fit([[1.0], [0.0]], [{"a"}, {"b"}])
    sets = Snow(multi_label=True)
    sets.learn_one(["a"], {"x"})
    for learn in (lambda: sets.learn_one(["a"], "x"), lambda: sets.partial_fit([[1.0]], ["x"])):
        with pytest.raises(InvalidInput, match="expected a set, list or tuple"):
            learn()
    assert model.examples_ == sets.examples_ == 1


@pytest.mark.parametrize("rule", ["winnow", "perceptron", "naive-bayes", "passive-aggressive"])
def test_an_empty_bag_of_features(rule):
    model = Snow(rule=rule)
    assert model.predict_one([]) is None
    model.learn_one([], "x")
    model.learn_one({}, "y")
    assert model.predict_one([]) in ("x", "y") and model.links_ == 0
    model.learn_one(["a"], "x")
    assert model.examples_ == 3


def test_a_label_never_seen():
    model = Snow()
    model.learn_one(["a"], "x")
    with pytest.raises(InvalidInput, match="label 'z' is not one of those learned"):
        model.top_features(3, "z")
    assert model.score(_table(["a"]), ["z"]) == 0.0


def _table(names):
    import pandas

    return pandas.DataFrame({name: [1.0] for name in names})


def test_rules_come_back_from_a_file(tmp_path):
    import thresher

    model = Snow(rules={1: "perceptron", "b": "naive-bayes"})
    for i in range(9):
        model.learn_one([f"f{i % 3}"], "abc"[i % 3])
    model.save(tmp_path / "model")
    loaded = thresher.load(tmp_path / "model")
    assert loaded.rules == model.rules
    for m in (model, loaded):
        m.learn_one(["f0", "new"], "b")
    assert loaded.score_one(["f0"]) == model.score_one(["f0"])


def endless(i):
    label = "abc"[i % 3]
    return [f"{label} sure", f"{label}{i % 5}", f"once {i}", f"only {i}"], label


def test_forgetting_names_does_not_show(tmp_path):
    """Resumed = uninterrupted; and the same is learned as by a model that keeps all names."""
    import thresher

    whole, resumed, keeps = (Snow(max_links=200) for _ in range(3))
    for i in range(1500):
        x, label = endless(i)
        whole.learn_one(x, label)
        resumed.learn_one(x, label)
        if i % 250 == 0:
            resumed.save(tmp_path / "model")
            resumed = thresher.load(tmp_path / "model")
        keeps.learn_one(x, label)
        keeps._model.set_forgetting(False)
    assert len(keeps._names()) > 3000 > len(whole._names())
    assert whole._names() == resumed._names()
    for i in range(1500, 1600):
        x, _ = endless(i)
        assert whole.score_one(x) == resumed.score_one(x) == keeps.score_one(x)


def test_columns_are_never_forgotten(tmp_path):
    import pandas

    import thresher

    table = pandas.DataFrame(np.eye(4), columns=["w", "x", "y", "z"])
    model = Snow(max_links=50).fit(table, list("abcd"))
    for i in range(1500):
        x, label = endless(i)
        model.learn_one(x, label)
        if i == 700:
            model.save(tmp_path / "model")
            model = thresher.load(tmp_path / "model")
    assert model.n_features_in_ == 4 and model._names()[:4] == ["w", "x", "y", "z"]
    assert model.score_one({"z": 1.0})["d"] == model.decision_function(table)[3, 3]


def test_files_teach_what_dicts_teach(tmp_path):
    path = tmp_path / "stream.feats"
    rows = [(f"w{i % 5} v{i * i % 7} s{i % 3}", "abc"[i % 3]) for i in range(200)]
    path.write_text("".join(f"{label}\t{names}\n" for names, label in rows))
    for options in ({}, {"rule": "naive-bayes", "max_links": 20}, {"rules": {"b": "perceptron"}}):
        by_file, by_name = Snow(**options).fit_file(path), Snow(**options)
        for names, label in rows:
            by_name.learn_one(dict.fromkeys(names.split(), 1.0), label)
        assert by_file.links_ == by_name.links_ and by_file.mistakes_ == by_name.mistakes_
        assert by_file.top_features(99) == by_name.top_features(99)
        assert by_file.predict_file(path) == [
            by_name.predict_one(dict.fromkeys(names.split(), 1.0)) for names, _ in rows
        ]
