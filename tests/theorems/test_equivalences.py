"""Learners that must agree: limits, special cases, and two ways of writing the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams import BITS, UNIT_EIGHTHS, Stream, labels
from thresher import (
    LMS,
    MIRA,
    BalancedWinnow,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Winnow,
)


@st.composite
def data_sets(draw, classes=None):
    """Real rows, labels of `classes` classes, weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    rows = draw(st.integers(4, 60))
    X = rng.normal(size=(rows, draw(st.integers(1, 20))))
    y = rng.integers(classes or draw(st.integers(2, 5)), size=rows)
    return X, y, rng.choice([0.5, 1.0, 2.0], size=rows)


def assert_same_model(one, other, exact=True, rel=1e-9):
    for name in ("coef_", "intercept_"):
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        if exact:
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=rel, atol=rel * max(1.0, np.abs(a).max()))
    assert one.updates_ == other.updates_
    assert getattr(one, "mistakes_", 0) == getattr(other, "mistakes_", 0)


# ------------------------------------------------------------------ limits and special cases


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@given(made=data_sets())
def test_without_a_cap_it_is_plain_passive_aggressive(variant, made):
    X, y, _ = made
    plain = PassiveAggressive(variant="PA").fit(X, y)
    assert_same_model(PassiveAggressive(variant=variant, C=1e15).fit(X, y), plain, exact=False)
    plain = PassiveAggressiveRegressor(variant="PA").fit(X, y)
    soft = PassiveAggressiveRegressor(variant=variant, C=1e15).fit(X, y)
    assert_same_model(soft, plain, exact=False)


@given(made=data_sets(), C=st.sampled_from([0.5, 1e-2, 1e-4]))
def test_pa2_comes_closer_to_plain_as_C_grows(made, C):
    X, y, _ = made
    plain = PassiveAggressive(variant="PA", average=False).fit(X[:1], y[:1]).coef_
    gaps = [
        np.linalg.norm(
            PassiveAggressive(variant="PA-II", C=c, average=False).fit(X[:1], y[:1]).coef_ - plain
        )
        for c in (C, 10 * C, 1e12)
    ]
    assert gaps[0] >= gaps[1] >= gaps[2] and gaps[2] < 1e-9


@given(made=data_sets())
def test_without_a_margin_it_is_the_plain_learner(made):
    X, y, weights = made
    plain = Perceptron().fit(X, y, sample_weight=weights)
    assert_same_model(Perceptron(margin=0.0).fit(X, y, sample_weight=weights), plain)
    tiny = Perceptron(margin=1e-300).fit(X, y, sample_weight=weights)
    assert_same_model(tiny, plain)
    unit = np.abs(X) / (1.0 + np.abs(X))
    assert_same_model(Winnow(margin=1e-300).fit(unit, y), Winnow().fit(unit, y))


@given(made=data_sets(classes=2), C=st.sampled_from([0.05, 1.0, 1e12]))
@pytest.mark.parametrize("constraints", ["all", "one"])
def test_mira_with_two_classes_is_pa1(constraints, made, C):
    X, y, weights = made
    pa = PassiveAggressive(variant="PA-I", C=C).fit(X, y, sample_weight=weights)
    mira = MIRA(C=C, constraints=constraints).fit(X, y, sample_weight=weights)
    assert_same_model(mira, pa)


@given(made=data_sets(), C=st.sampled_from([0.05, 1.0]))
def test_mira_with_one_constraint_is_pa1(made, C):
    X, y, weights = made
    pa = PassiveAggressive(variant="PA-I", C=C).fit(X, y, sample_weight=weights)
    assert_same_model(MIRA(C=C, constraints="one").fit(X, y, sample_weight=weights), pa)


@given(made=data_sets())
def test_passive_aggressive_is_the_aggressive_perceptron_of_margin_one(made):
    X, y, weights = made
    pa = PassiveAggressive(variant="PA").fit(X, y, sample_weight=weights)
    aggressive = Perceptron(step="aggressive", margin=1.0).fit(X, y, sample_weight=weights)
    assert_same_model(aggressive, pa)


@given(made=data_sets())
def test_regression_without_tolerance_is_normalised_lms(made):
    X, y, weights = made
    pa = PassiveAggressiveRegressor(variant="PA", epsilon=0.0, average=False)
    lms = LMS(normalized=True)
    pa.fit(X, y, sample_weight=weights)
    assert_same_model(pa, lms.fit(X, y, sample_weight=weights), exact=False)


@given(made=data_sets(), rate=st.sampled_from([0.25, 4.0]))
def test_a_constant_rate_only_scales_the_perceptron(made, rate):
    X, y, _ = made
    one, scaled = Perceptron().fit(X, y), Perceptron(learning_rate=rate).fit(X, y)
    np.testing.assert_array_equal(scaled.coef_, rate * one.coef_)  # a power of 2: exactly
    assert scaled.mistakes_ == one.mistakes_


@given(made=data_sets(), weight=st.integers(2, 5))
def test_a_whole_weight_counts_so_often_in_the_average(made, weight):
    """Where an example moves nothing, its weight is the number of times it was there."""
    X, y, _ = made
    heavy, often = Perceptron().fit(X[:1], y[:1]), Perceptron().fit(X[:1], y[:1])
    heavy.partial_fit(X[:1], y[:1], sample_weight=[weight])
    for _ in range(weight):
        often.partial_fit(X[:1], y[:1])
    assert_same_model(heavy, often)
    assert (heavy.examples_, often.examples_) == (2, 1 + weight)


# ------------------------------------------------------------------ two ways of writing the same


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("learner", [Perceptron, PassiveAggressive, MIRA, BalancedWinnow])
@given(made=data_sets())
def test_the_bias_is_a_constant_feature(learner, fit_intercept, made):
    X, y, weights = made
    if not fit_intercept:
        X = np.hstack([X, np.ones((len(X), 1))])
    model = learner(fit_intercept=fit_intercept).fit(X, y, sample_weight=weights)
    other = learner(fit_intercept=True)
    wide = X if fit_intercept else X[:, :-1]
    other.fit(wide, y, sample_weight=weights)
    coef = model.coef_ if fit_intercept else model.coef_[:, :-1]
    bias = model.intercept_ if fit_intercept else model.coef_[:, -1]
    np.testing.assert_allclose(coef, other.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(bias, other.intercept_, rtol=1e-9, atol=1e-9)


WINNOWS = [
    dict(options)
    for options in itertools.chain(
        [()],
        [(("demotion", "eliminate"),), (("floor", 0.5),), (("margin", 1.0),), (("theta", 3.0),)],
        [(("average", True), ("burn_in", b), ("demotion", d)) for b in (0, 3) for d in
         ("divide", "eliminate")],
        [(("average", True), ("floor", 0.5), ("margin", 0.5))],
    )
]  # fmt: skip


@st.composite
def literals(draw, values, classes=labels):
    width, length = draw(st.integers(1, 5)), draw(st.integers(1, 25))
    row = st.lists(st.sampled_from(values), min_size=width, max_size=width)
    X = np.array(draw(st.lists(row, min_size=length, max_size=length)))
    return Stream(X, draw(classes(length)))


def two_classes(length):
    return st.lists(st.sampled_from(["no", "yes"]), min_size=length, max_size=length)


@pytest.mark.parametrize("options", WINNOWS, ids=str)
@given(stream=literals(BITS))
def test_negations_are_winnow_on_twice_the_columns(options, stream):
    """The 2n literals written out as columns. With bits and α = 2 all sums are exact: the same
    decisions, the same counts, the same function."""
    both = np.hstack([stream.X, 1.0 - stream.X])
    short = Winnow(negations=True, **options).fit(stream.X, stream.labels)
    long = Winnow(**options).fit(both, stream.labels)
    n = stream.columns
    assert (short.mistakes_, short.updates_) == (long.mistakes_, long.updates_)
    w, v = long.coef_[:, :n], long.coef_[:, n:]
    size = max(1.0, np.abs(long.coef_).max())
    np.testing.assert_allclose(short.coef_, w - v, rtol=1e-9, atol=1e-12 * size)
    constant = long.intercept_ + v.sum(axis=1)
    np.testing.assert_allclose(short.intercept_, constant, rtol=1e-9, atol=1e-12 * size)
    np.testing.assert_allclose(
        short.decision_function(stream.X), long.decision_function(both), rtol=1e-9, atol=1e-9 * size
    )


@pytest.mark.parametrize("options", WINNOWS, ids=str)
@given(stream=literals(UNIT_EIGHTHS, two_classes))
def test_negations_of_degrees_between_false_and_true(options, stream):
    """Values between 0 and 1: α^x is not exact, so an endless margin decides every step (and there
    are two classes, or rounding would choose among rivals)."""
    options = options | {"margin": 1e300, "alpha": 1.25}
    both = np.hstack([stream.X, 1.0 - stream.X])
    short = Winnow(negations=True, **options).fit(stream.X, stream.labels)
    long = Winnow(**options).fit(both, stream.labels)
    w, v = np.hsplit(long.coef_, 2)
    np.testing.assert_allclose(short.coef_, w - v, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        short.intercept_, long.intercept_ + v.sum(axis=1), rtol=1e-9, atol=1e-9
    )


@given(made=data_sets())
@pytest.mark.parametrize(
    "learner",
    [Perceptron, PassiveAggressive, MIRA, BalancedWinnow, LMS, PassiveAggressiveRegressor],
)
def test_the_last_weights_are_the_online_hypothesis(learner, made):
    """average=False shows the hypothesis after the last example; the averaged learner has the same
    one underneath, and shows it as long as all examples belong to the burn-in."""
    X, y, weights = made
    last = learner(average=False).fit(X, y, sample_weight=weights)
    hidden = learner(average=True, burn_in=10**6).fit(X, y, sample_weight=weights)
    assert_same_model(last, hidden)


@given(made=data_sets(classes=2))
def test_the_dual_perceptron(made):
    """w = Σ α_i·y_i·x_i with α_i the mistakes on example i: the perceptron of a linear kernel."""
    X, y, _ = made
    x, signs = np.hstack([X, np.ones((len(X), 1))]), np.where(y == 1, 1, -1)
    kernel, alpha = x @ x.T, np.zeros(len(X))
    for i in range(len(X)):
        alpha[i] += signs[i] * ((alpha * signs) @ kernel[i]) <= 0.0
    model = Perceptron(average=False).fit(X, y)
    if len(set(y.tolist())) == 2:
        assert model.mistakes_ == alpha.sum()
        w = (alpha * signs) @ x
        np.testing.assert_allclose(model.coef_[0], w[:-1], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(model.intercept_[0], w[-1], rtol=1e-12, atol=1e-12)


@given(made=data_sets(), order=st.randoms(use_true_random=False))
def test_the_names_of_the_labels_do_not_matter(made, order):
    """Two classes: swapping the labels turns the sign. More: renaming permutes the rows."""
    X, y, _ = made
    names = list(range(6))
    order.shuffle(names)
    renamed = np.array(names)[y]
    one, other = Perceptron().fit(X, y), Perceptron().fit(X, renamed)
    assert one.mistakes_ == other.mistakes_
    if len(one.classes_) > 2:
        rows = [other.classes_.tolist().index(names[label]) for label in one.classes_]
        np.testing.assert_array_equal(other.coef_[rows], one.coef_)
    elif len(one.classes_) == 2:
        turned = names[one.classes_[0]] > names[one.classes_[1]]
        np.testing.assert_allclose(other.coef_, -one.coef_ if turned else one.coef_)
