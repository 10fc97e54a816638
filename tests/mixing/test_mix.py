"""Models of parts of the data as one: what is exact, what the theorems say, what is refused."""

import copy

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import thresher
from commands import Commands
from thresher import (
    AROW,
    LDA,
    LMS,
    BalancedWinnow,
    Consistent,
    Elimination,
    Halving,
    LogisticRegression,
    NaiveBayes,
    PassiveAggressive,
    Perceptron,
    RecursiveLeastSquares,
    SequencePerceptron,
    StandardOptimal,
    TruncatedPerceptron,
    WeightedMajority,
    Winnow,
    concepts,
    mix,
)
from thresher.errors import InvalidInput, ModelFileError
from thresher.learners.table import LINEAR
from thresher.reference import mixed, occurrences, passes_over_shards
from thresher.theory.audit import audit_shards
from thresher.theory.bounds import mixed_by_mean, mixed_by_occurrence

few = settings(max_examples=max(8, settings.default.max_examples // 4))
seeds = st.integers(0, 2**32 - 1)

SETTINGS = {"Winnow": {"theta": 2.0}, "LMS": {"learning_rate": 0.1}}
REFUSED = {"PNormPerceptron", "ShiftingPerceptron", "Snow", "Experts", "ExpertsRegressor"}
MIXED = [e for e in LINEAR if e.online and e.name not in REFUSED]


def examples_of(seed, shard, n=30, labels="ab", task="classify"):
    """Named examples, some of whose names only this shard has."""
    rng = np.random.default_rng([seed, shard])
    names = [f"f{j}" for j in range(6)] + [f"own{shard}.{j}" for j in range(3)]
    found = []
    for _ in range(n):
        chosen = rng.choice(len(names), 4, replace=False)
        x = {names[j]: float(rng.integers(1, 9)) / 8 for j in chosen}
        y = labels[rng.integers(len(labels))] if task == "classify" else float(rng.random())
        found.append((x, y))
    return found


def taught(model, examples):
    for x, y in examples:
        model.learn_one(x, y)
    return model


def hypothesis_of(model):
    """The weights that learn, by name."""
    plain = copy.copy(model)
    state = plain._learned().state()
    w = np.frombuffer(state["arrays"]["reading0.geometry.w.cells"])
    return dict(zip(["(bias)", *plain._learned().names()], w.tolist(), strict=True))


# ------------------------------------------------------------------ the reference


@few
@given(seed=seeds, shards=st.integers(2, 5), how=st.sampled_from(["occurrence", "mean"]))
def test_weights_move_as_the_reference_says(seed, shards, how):
    data = [examples_of(seed, i) for i in range(shards)]
    n = occurrences(data) if how == "occurrence" else {}
    n = {name: n.get(name, shards) for shard in data for x, _ in shard for name in x}
    n["(bias)"] = shards
    base, before = None, {}
    for _ in range(3):
        start = Perceptron(average=False) if base is None else base
        parts = [taught(copy.copy(start), shard) for shard in data]
        base = mix(parts, base=base, how=how)
        before = mixed(before, [hypothesis_of(part) for part in parts], n)
        assert hypothesis_of(base) == before  # name by name, in the same order
        assert list(hypothesis_of(base)) == list(before)


# ------------------------------------------------------------------ the theorems


def separable_shards(seed, shards, features=8, n=20):
    """Sparse rows with a margin, and the unit vector that separates them, the constant last."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=features + 1)
    u /= np.linalg.norm(u)
    found = []
    for _ in range(shards):
        own = rng.random(features) < 0.5
        shard = []
        for _ in range(n):
            x = np.where(own & (rng.random(features) < 0.6), rng.normal(size=features), 0.0)
            score = x @ u[:-1] + u[-1]
            if abs(score) > 0.02:
                row = {f"f{j}": v for j, v in enumerate(x.tolist()) if v}
                shard.append((row | {"(bias)": 1.0}, 1 if score > 0 else -1))
        found.append(shard)
    return found, {**{f"f{j}": u[j] for j in range(features)}, "(bias)": u[-1]}


def margins(shards, u):
    rows = [(x, y) for shard in shards for x, y in shard]
    R = max(sum(v * v for v in x.values()) ** 0.5 for x, _ in rows)
    gamma = min(y * sum(v * u[name] for name, v in x.items()) for x, y in rows)
    return R, gamma


@few
@given(seed=seeds, shards=st.integers(1, 6), passes=st.integers(1, 5))
def test_mistakes_stay_below_both_bounds(seed, shards, passes):
    data, u = separable_shards(seed, shards)
    assume(all(data))
    R, gamma = margins(data, u)
    n = occurrences(data)
    spread = sum(n.get(name, 0) * v * v for name, v in u.items())
    _, mistakes = passes_over_shards(data, passes, n)
    assert sum(map(sum, mistakes)) <= mixed_by_occurrence(R, gamma, spread).value
    everywhere = dict.fromkeys(u, shards)
    _, mistakes = passes_over_shards(data, passes, everywhere)
    assert sum(map(sum, mistakes)) <= mixed_by_mean(R, gamma, shards).value


def test_the_serial_bound_does_not_hold_for_a_mixed_run():
    """One feature for each shard of its own: together they make as many mistakes as there are
    shards in one pass, and the largest margin of all is that of one alone."""
    shards = [[({f"f{i}": 1.0}, 1)] * 2 for i in range(6)]
    same = [[({"f": 1.0}, 1)] * 2 for _ in range(6)]
    _, mistakes = passes_over_shards(same, 1, occurrences(same))
    assert sum(map(sum, mistakes)) == 6 > 1.0  # R = γ = 1: the serial bound is 1
    assert mixed_by_occurrence(1.0, 1.0, 6.0).value == 6.0
    _, mistakes = passes_over_shards(shards, 1, occurrences(shards))
    assert sum(map(sum, mistakes)) <= mixed_by_occurrence(1.0, 6**-0.5, 1.0).value + 1e-9


@few
@given(seed=seeds, shards=st.integers(1, 4), how=st.sampled_from(["occurrence", "mean"]))
def test_the_audit_of_shards_applies_their_bound_and_no_other(seed, shards, how):
    data, _ = separable_shards(seed, shards)
    assume(all(data))
    pairs = []
    for shard in data:
        X = [[x.get(f"f{j}", 0.0) for j in range(8)] for x, _ in shard]
        pairs.append((X, [y for _, y in shard]))
    assume(len({y for _, labels in pairs for y in labels}) == 2)
    found = audit_shards(Perceptron(), pairs, passes=2, how=how)
    (row,) = found.rows
    assert row.theorem.startswith("mixing by")
    assert row.applies and row.holds and row.figure <= row.value
    # The reference makes the same mistakes.
    n = occurrences(data) if how == "occurrence" else dict.fromkeys(
        ["(bias)", *(f"f{j}" for j in range(8))], shards)  # fmt: skip
    _, mistakes = passes_over_shards(data, 2, n)
    assert sum(map(sum, mistakes)) == row.figure


def test_a_mixed_model_is_not_audited_as_one_run():
    parts = [taught(Perceptron(), examples_of(0, i)) for i in range(2)]
    made = mix(parts)
    with pytest.raises(InvalidInput, match="audit_shards"):
        made.audit([[1.0] * 12], [1])
    inseparable = [([[0.0], [0.0]], [0, 1])] * 2
    (row,) = audit_shards(Perceptron(), inseparable).rows
    assert not row.applies and "y·(u·x)" in row.reason
    (row,) = audit_shards(PassiveAggressive(), [([[1.0], [-1.0]], [1, 0])] * 2).rows
    assert not row.applies and "a rule of its own" in row.reason


# ------------------------------------------------------------------ what is exact


def state_of(model):
    state = model._learned().state()
    return {name: state[name] for name in ("arrays", "reals", "names", "name_ends")}


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
@few
@given(seed=seeds, shards=st.integers(1, 4))
def test_naive_bayes_of_parts_is_that_of_all_bit_for_bit(kind, seed, shards):
    data = [examples_of(seed, i, labels="abc"[i % 2 :]) for i in range(shards)]
    if kind == "bernoulli":
        data = [[(dict.fromkeys(x, 1.0), y) for x, y in shard] for shard in data]
    parts = [taught(NaiveBayes(kind=kind), shard) for shard in data]
    whole = taught(NaiveBayes(kind=kind), [example for shard in data for example in shard])
    made = mix(parts)
    assert np.array_equal(made.coef_, whole.coef_)
    assert made.classes_.tolist() == whole.classes_.tolist()
    assert made._learned().names() == whole._learned().names()
    assert made._learned().order() == whole._learned().order()
    assert made.examples_ == whole.examples_
    again = [("own0.1", 1.0), ("f3", 0.5), ("new", 1.0)]
    assert made.learn_one(dict(again), "b") is whole.learn_one(dict(again), "b")
    assert np.array_equal(made.coef_, whole.coef_)


@few
@given(seed=seeds, shards=st.integers(1, 4))
def test_moments_of_parts_are_those_of_all(seed, shards):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 5)) * [1, 10, 0.1, 1, 1] + rng.normal(size=5)
    y = rng.integers(0, 3, 120)
    rows = np.arange(120) % shards
    for make, target in (
        (LDA, y), (lambda: LDA(shrinkage=0.1), y > 0),
        (RecursiveLeastSquares, X @ [1, 2, 3, 4, 5] + rng.normal(size=120)),
        (lambda: RecursiveLeastSquares(fit_intercept=False), X[:, 0]),
        (lambda: RecursiveLeastSquares(l2=1.0, standardized=True), X[:, 1]),
    ):  # fmt: skip
        parts = [make().fit(X[rows == i], target[rows == i]) for i in range(shards)]
        whole, made = make().fit(X, target), mix(parts)
        np.testing.assert_allclose(made.coef_, whole.coef_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(made.intercept_, whole.intercept_, rtol=1e-9, atol=1e-9)
        made.partial_fit(X, target), whole.partial_fit(X, target)
        np.testing.assert_allclose(made.coef_, whole.coef_, rtol=1e-9, atol=1e-9)


def test_moments_of_named_features_have_columns_of_their_own():
    data = [examples_of(3, i, n=60, task="regress") for i in range(3)]
    whole = taught(RecursiveLeastSquares(), [example for shard in data for example in shard])
    made = mix([taught(RecursiveLeastSquares(), shard) for shard in data])
    names = whole._learned().names()
    assert made._learned().names() == names
    np.testing.assert_allclose(made.coef_, whole.coef_, rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------ every learner


@pytest.mark.parametrize("entry", MIXED, ids=lambda e: e.name)
def test_every_learner_is_mixed_saved_and_goes_on(entry, tmp_path):
    """From learners and from files, with labels and names that not all of them have."""
    appeared: list[str] = []
    exact = entry.cls.engine.geometry in ("naive-bayes", "lda", "least-squares")
    base = None
    for turn in range(1 if exact else 2):
        parts = []
        for i, labels in enumerate(("ab", "bc", "c")):
            start = entry.cls(**SETTINGS.get(entry.name, {})) if base is None else copy.copy(base)
            data = examples_of(turn, i, labels=labels, task=entry.cls.task)
            appeared = list(dict.fromkeys([*appeared, *(y for _, y in data)]))
            parts.append(taught(start, data))
            parts[-1].save(tmp_path / f"{i}.model")
        files = [tmp_path / f"{i}.model" for i in range(3)]
        made = mix(parts, base=base)
        if base is not None:
            base.save(tmp_path / "base.model")
        other = mix(files, base=None if base is None else tmp_path / "base.model")
        assert state_of(made) == state_of(other)
        made.save(tmp_path / "made.model")
        assert state_of(thresher.load(tmp_path / "made.model")) == state_of(made)
        start = 0 if base is None else base.examples_
        assert made.examples_ == start + sum(part.examples_ - start for part in parts)
        assert np.isfinite(made.coef_).all()
        if entry.cls.task == "classify":
            assert made._met()[1] == appeared
            assert made.classes_.tolist() == ["a", "b", "c"]
        base = made
    taught(base, examples_of(9, 9, labels="abcd", task=entry.cls.task))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(
    "make", [PassiveAggressive, thresher.PassiveAggressiveRegressor], ids=lambda m: m.__name__
)
def test_of_the_mean_the_scores_are_the_mean(average, make):
    data = [examples_of(0, i, task=make.task) for i in range(3)]
    parts = [taught(make(average=average), shard) for shard in data]
    made = mix(parts, how="mean")

    def score(model, x):
        weights = dict(zip(model.feature_names_out_, np.ravel(model.coef_), strict=True))
        return np.ravel(model.intercept_)[0] + sum(weights.get(n, 0.0) * v for n, v in x.items())

    for x, _ in data[0]:
        expected = np.mean([score(part, x) for part in parts])
        assert score(made, x) == pytest.approx(expected, abs=1e-12)


def test_averages_go_on_with_what_the_base_has_summed_up():
    """Two parts of which one has moved nothing since: the mean over all the time is that of the
    other, halved where both have the feature."""
    base = taught(Perceptron(), [({"a": 1.0}, "x"), ({"b": 1.0}, "y")] * 3)
    parts = [taught(copy.copy(base), [({"a": 1.0}, "x")] * 4) for _ in range(2)]
    made = mix(parts, base=base, how="mean")
    clock = base.examples_ + 8
    for name in "ab":
        before = base.score_one({name: 1.0}) - base.intercept_[0]
        mean = parts[0].score_one({name: 1.0}) - parts[0].intercept_[0]
        # Each part has the mean over 6 + 4 hypotheses; the pass alone has that over 4.
        of_pass = (10 * mean - 6 * before) / 4
        expected = (6 * before + 8 * of_pass) / clock
        assert made.score_one({name: 1.0}) - made.intercept_[0] == pytest.approx(expected)


def test_winnow_is_mixed_by_logarithms_and_what_is_eliminated_stays_out():
    data = [
        [({"a": 1.0, "b": 1.0}, "y"), ({"a": 1.0}, "x")],
        [({"a": 1.0}, "y"), ({"c": 1.0}, "x")],
    ]
    parts = [taught(Winnow(theta=3.0), shard) for shard in data]
    made = mix(parts)
    weights = [dict(zip(p.feature_names_out_, p.coef_[0], strict=True)) for p in (*parts, made)]
    assert weights[2]["a"] == pytest.approx((weights[0]["a"] * weights[1]["a"]) ** 0.5)
    assert weights[2]["b"] == pytest.approx(weights[0]["b"])
    data = [[({"a": 1.0}, label), ({"b": 1.0}, "y")] for label in "xy"]
    made = mix([taught(Winnow(theta=1.0, demotion="eliminate"), shard) for shard in data])
    assert dict(zip(made.feature_names_out_, made.coef_[0], strict=True))["a"] == 0.0


def test_precisions_are_mixed_not_multiplied():
    data = [examples_of(1, i) for i in range(2)]
    parts = [taught(AROW(), shard) for shard in data]
    made = mix(parts)

    def variances(model):
        cells = np.frombuffer(
            model._learned().state()["arrays"]["reading0.geometry.variance.cells"]
        )
        return dict(zip(["(bias)", *model._learned().names()], cells, strict=True))

    found, (a, b) = variances(made), map(variances, parts)
    assert found["(bias)"] == pytest.approx(2 / (1 / a["(bias)"] + 1 / b["(bias)"]))
    assert found["own0.0"] == pytest.approx(a["own0.0"])


def test_ftrl_goes_on_from_the_mixed_weights():
    """An example of weight nearly 0 changes nothing: z belongs to the mixed weights."""
    data = [examples_of(1, i, n=100) for i in range(2)]
    for options in ({}, {"l1": 0.3}, {"l2": 0.1, "step": "constant"}):
        made = mix([taught(LogisticRegression(**options), shard) for shard in data])
        before = made.coef_.copy()
        made.learn_one(data[0][0][0], data[0][0][1], 1e-12)
        np.testing.assert_allclose(made.coef_, before, atol=1e-9)


def test_truncated_weights_are_cut_again():
    data = [examples_of(1, i, n=100) for i in range(3)]
    made = mix([taught(TruncatedPerceptron(keep=5), shard) for shard in data])
    assert np.count_nonzero(made.coef_) <= 5
    taught(made, data[0])
    assert np.count_nonzero(made.coef_) <= 5


def test_calibration_and_class_weights_are_mixed():
    data = [examples_of(1, i, n=200) for i in range(3)]
    made = mix([taught(Perceptron(calibrate=True), shard) for shard in data])
    assert 0.0 < made.predict_proba_one(data[0][0][0])["a"] < 1.0
    parts = [taught(Perceptron(class_weight="balanced"), shard) for shard in data]
    made, seen = mix(parts), {}
    for shard in data:
        for _, y in shard:
            seen[y] = seen.get(y, 0) + 1
    counted = np.frombuffer(made._learned().state()["arrays"]["class_weights.seen"])
    assert dict(zip(made._met()[1], counted, strict=True)) == seen


def test_of_one_model_it_is_that_model(tmp_path):
    for make in (Perceptron, AROW, BalancedWinnow, NaiveBayes):
        model = taught(make(), examples_of(0, 0))
        assert state_of(mix([model])) == state_of(model)


def test_a_second_pass_divides_by_what_the_first_has_counted():
    data = [examples_of(4, i, n=60) for i in range(3)]
    base = mix([taught(Perceptron(), shard) for shard in data])
    n = occurrences(data)
    counts = dict(zip(base._learned().names(), base._occurrence.counts.tolist(), strict=True))
    assert counts == n
    again = mix([taught(copy.copy(base), shard) for shard in data], base=base)
    counts = dict(zip(again._learned().names(), again._occurrence.counts.tolist(), strict=True))
    assert counts == n
    # Another number of parts is another division of the data: all features count as everywhere.
    other = mix([taught(copy.copy(base), shard) for shard in data[:2]], base=base)
    assert set(other._occurrence.counts.tolist()) == {2}


# ------------------------------------------------------------------ boolean concepts


def concepts_of_parts(learner, parts, base=None):
    """One learner for each part, begun with what the base knows."""
    made = []
    for X, y in parts:
        one = copy.copy(base) if base is not None else learner.fresh()
        made.append(one.partial_fit(X, y))
    return made


@pytest.mark.parametrize("learner", [
    Elimination(), Elimination(monotone=False), Elimination(concept="disjunction"),
    Halving(concepts.conjunctions(6)), Consistent(concepts.conjunctions(6), random_state=3),
    StandardOptimal(concepts.conjunctions(6, k=2)), WeightedMajority(concepts.parities(6)),
], ids=lambda one: f"{type(one).__name__}-{getattr(one, 'concept', '')}")  # fmt: skip
def test_concepts_of_all_parts_are_those_of_one_run(learner, tmp_path):
    """Two mixes, the second from the first: the literals, concepts or counts of one run."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(240, 6))
    any_of = getattr(learner, "concept", "") == "disjunction"
    y = (X[:, [1, 4]].any(axis=1) if any_of else X[:, [1, 4]].all(axis=1)).astype(int)
    if isinstance(learner, WeightedMajority):
        y = X[:, [1, 4]].sum(axis=1) % 2 ^ (rng.random(240) < 0.1)
    shards = [(X[i::4], y[i::4]) for i in range(4)]
    base = None
    for parts in (shards[:2], shards[2:]):
        models = concepts_of_parts(learner, parts, base)
        models[1].save(path := tmp_path / "1.model")
        before = [one.version_space_size_ for one in models]
        base = mix([models[0], path], base=base)
        assert [one.version_space_size_ for one in models] == before  # they stay as they were
    whole = learner.fresh()
    for part in shards:
        whole.partial_fit(*part)
    assert base.examples_ == whole.examples_ == 240
    assert base.version_space_size_ == whole.version_space_size_
    assert base.predict(X).tolist() == whole.predict(X).tolist()
    assert base.hypothesis_ == whole.hypothesis_
    base.save(tmp_path / "mixed.model")
    assert thresher.load(tmp_path / "mixed.model").hypothesis_ == whole.hypothesis_


def test_concepts_by_name_and_what_contradicts(tmp_path):
    for concept in ("conjunction", "disjunction"):
        parts = [Elimination(concept=concept, positive="yes") for _ in range(3)]
        whole = Elimination(concept=concept, positive="yes")
        for part, rows in zip(parts, ([("ab", "yes"), ("c", "no")], [("abd", "yes"), ("e", "no")],
                                      [("cf", "no")]), strict=True):  # fmt: skip
            for names, label in rows:
                part.learn_one(list(names), label)
                whole.learn_one(list(names), label)
        found = mix(parts)
        assert (found.hypothesis_, found.bound_) == (whole.hypothesis_, whole.bound_)
    spaces = [
        Halving(concepts.conjunctions(2, monotone=True)).partial_fit([x], [y], classes=[0, 1])
        for x, y in (([1, 0], 1), ([1, 0], 0))
    ]
    with pytest.raises(InvalidInput, match="no concept of the class agrees"):
        mix(spaces)
    with pytest.raises(InvalidInput, match="learner 1 is a Elimination, the first a Halving"):
        mix([spaces[0], parts[0]])
    with pytest.raises(InvalidInput, match="does not keep in how many parts"):
        mix([SequencePerceptron().fit([[["a"]]], [["x"]])] * 2)


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (thresher.Snow, "which of its weights exist is itself learned"),
        (thresher.PNormPerceptron, "powers of sums over all features"),
        (lambda: Perceptron(prepare="polynomial(2)"), "'polynomial' .* numbers products as they"),
        (lambda: Perceptron(prepare="fourier(4), standard"), "scales after fourier"),
        (LMS, "learning_rate='auto'"),
        (lambda: Perceptron(average="tail"), "average='tail' depends on the order"),
        (Winnow, "its threshold θ is the number of features"),
        (lambda: Winnow(theta=2.0, negations=True), "its negated literals share one factor"),
        (lambda: RecursiveLeastSquares(forgetting=0.9), "forgetting=0.9"),
        (lambda: RecursiveLeastSquares(l2=1.0), "l2=1.0, a penalty that each part has counted"),
        (lambda: LogisticRegression(step="scale-free"), "each feature has a scale"),
    ],
)
def test_what_cannot_be_mixed_says_why(make, why):
    task = make().task
    parts = [taught(make(), examples_of(0, i, task=task)) for i in range(2)]
    with pytest.raises(InvalidInput, match=why):
        mix(parts)


def test_what_does_not_belong_together_is_refused(tmp_path):
    parts = [taught(Perceptron(), examples_of(0, i)) for i in range(2)]
    for models, options, why in (
        (parts, {"how": "median"}, "how is 'median'"),
        ([parts[0], taught(AROW(), examples_of(0, 0))], {}, "learner 1 is a AROW"),
        ([*parts, thresher.VotedPerceptron().fit([[0.0], [1.0]], [0, 1])], {}, "no weights"),
        (parts, {"base": taught(Perceptron(margin=1.0), examples_of(0, 0))}, "the base has margin"),
        ([parts[0], taught(Perceptron(), [({"a": 1.0}, 1), ({"b": 1.0}, 2)])], {}, "mixed type"),
    ):
        with pytest.raises(InvalidInput, match=why):
            mix(models, **options)
    counts = [taught(NaiveBayes(), examples_of(0, i)) for i in range(2)]
    with pytest.raises(InvalidInput, match="would count what a base has seen once for each"):
        mix(counts, base=counts[0])
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(InvalidInput, match="keeps a live audit"):
        mix([Perceptron().fit(X, y, audit="live")] * 2)
    with pytest.raises(thresher.errors.NotLearned):
        mix([Perceptron(), parts[0]])
    parts[0].save(tmp_path / "a.model")
    taught(AROW(), examples_of(0, 0)).save(tmp_path / "b.model")
    with pytest.raises(InvalidInput, match=r"/b\.model is a AROW, the first a Perceptron"):
        mix([tmp_path / "a.model", tmp_path / "b.model"])
    text = bytearray((tmp_path / "a.model").read_bytes())
    text[-3] ^= 1
    (tmp_path / "b.model").write_bytes(text)
    with pytest.raises(ModelFileError, match="checksum"):
        mix([tmp_path / "a.model", tmp_path / "b.model"])


# ------------------------------------------------------------------ the command


def test_the_command_mixes_what_train_has_saved(tmp_path):
    with Commands() as commands:
        for i in range(2):
            lines = [
                f"{'+1' if y == 'a' else '-1'} | {' '.join(f'{n}:{v}' for n, v in x.items())}"
                for x, y in examples_of(0, i)
            ]
            (tmp_path / f"{i}.vw").write_text("\n".join([*lines, ""]))
        paths = [str(tmp_path / f"{i}.model") for i in range(2)]
        made = str(tmp_path / "made.model")
        for turn in range(2):
            start = ["--resume", made] if turn else ["--learner", "pa"]
            for i, path in enumerate(paths):
                done = commands.run(
                    "train", tmp_path / f"{i}.vw", "-m", path, "-q", "--learner", "pa", *start
                )
                assert done.code == 0, done.err
            base = thresher.load(made) if turn else None
            done = commands.run("mix", *paths, "-m", made, *(["--base", made] if turn else []))
            assert done.code == 0, done.err
            assert "2 models of" in done.out
            expected = mix([thresher.load(path) for path in paths], base=base)
            assert state_of(thresher.load(made)) == state_of(expected)
        done = commands.run("mix", paths[0], str(tmp_path / "none.model"), "-m", made)
        assert done.code == 1 and "none.model" in done.err


# ------------------------------------------------------------------ steps before a learner


@pytest.mark.parametrize("steps", ["standard", "minmax", "maxabs", "idf, unit", "unit",
                                   "fourier(8)", "standard, fourier(8)"])  # fmt: skip
def test_scales_of_parts_are_those_of_all_the_data(steps):
    """Whatever the number of passes: each part adds what it has seen since the base."""
    data = [examples_of(3, i, n=20 + 7 * i) for i in range(4)]
    one = taught(PassiveAggressive(prepare=steps), [e for shard in data for e in shard])
    expected = one._learned().state()
    base = None
    for passes in range(1, 4):
        start = PassiveAggressive(prepare=steps) if base is None else base
        base = mix([taught(copy.copy(start), shard) for shard in data], base=base)
        state = base._learned().state()
        assert state["names"] == expected["names"]
        assert state["arrays"]["prepare.came"] == expected["arrays"]["prepare.came"]
        for name in [name for name in state["arrays"] if name.endswith(".seen")]:
            found, whole = (
                np.frombuffer(s["arrays"][name]).reshape(-1, 3) for s in (state, expected)
            )
            assert (found[:, 0] == passes * whole[:, 0]).all()
            np.testing.assert_allclose(found[:, 1], whole[:, 1], rtol=1e-12)
            times = passes if steps.startswith("standard") else 1
            np.testing.assert_allclose(found[:, 2], times * whole[:, 2], rtol=1e-9, atol=1e-12)
    assert base.examples_ == 3 * one.examples_
    names = {name for shard in data for x, _ in shard for name in x}
    assert base._learned().features == len(names)


def test_theorem_b_is_met_with_equality_where_each_row_has_one_feature():
    rng = np.random.default_rng(1)
    labels = rng.choice([-1, 1], size=12)
    own = [np.flatnonzero(rng.random(12) < 0.5) for _ in range(6)]
    shards = [(np.eye(12)[rows], labels[rows]) for rows in own]
    found = audit_shards(Perceptron(average=False, fit_intercept=False), shards, passes=3,
                         comparator=labels / np.sqrt(12))  # fmt: skip
    assert found.counts.mistakes == sum(map(len, own)) == pytest.approx(found.rows[0].value)
    assert found.holds and found.counts.mistakes > 12  # the bound of one run
