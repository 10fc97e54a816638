"""Where a step lands: the property that defines each learner, on the engine."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher import (
    AROW,
    LMS,
    MIRA,
    ConfidenceWeighted,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
)

LANDED = 1e-12


@st.composite
def rows(draw, least=2, longest=40):
    """A matrix without a pattern, with zeros in it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    X = rng.normal(size=(draw(st.integers(least, longest)), draw(st.integers(1, 20))))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.5]))] = 0.0
    return X, rng


def steps(model, X, y):
    """Learn row by row; tell for each row whether the weights moved, and the score it has now."""
    for row, target in zip(X, y, strict=True):
        before = model.updates_ if model._model is not None else 0
        model.partial_fit(row[None, :], [target])
        score = model.decision_function if hasattr(model, "classes_") else model.predict
        yield row, target, model.updates_ > before, score(row[None, :])[0]


@given(made=rows())
def test_passive_aggressive_lands_on_margin_one(made):
    X, rng = made
    y = rng.choice([-1, 1], size=len(X))
    model = PassiveAggressive(variant="PA", average=False)
    for _, sign, moved, score in steps(model, X, y):
        assert sign * score == pytest.approx(1.0, abs=LANDED) if moved else sign * score >= 1.0


@given(made=rows())
def test_without_a_bias_too(made):
    """Nothing holds ‖x‖ away from 0 then: weights may be huge, and rounding is as large as they."""
    X, rng = made
    X = X[np.abs(X).sum(axis=1) > 0]
    y = rng.choice([-1, 1], size=len(X))
    model = PassiveAggressive(variant="PA", average=False, fit_intercept=False)
    largest = 1.0
    for row, sign, moved, score in steps(model, X, y):
        largest = max(largest, np.abs(model.coef_[0]).max())
        room = LANDED * largest * np.abs(row).sum()
        assert sign * score == pytest.approx(1.0, abs=room) if moved else sign * score >= 1.0


@given(made=rows(), margin=st.floats(0.01, 10.0))
def test_aggressive_perceptron_lands_on_its_margin(made, margin):
    X, rng = made
    y = rng.choice([-1, 1], size=len(X))
    model = Perceptron(step="aggressive", margin=margin, average=False)
    for _, sign, moved, score in steps(model, X, y):
        if moved:
            assert sign * score == pytest.approx(margin, abs=LANDED, rel=LANDED)
        else:
            assert sign * score >= margin


@given(made=rows())
def test_normalised_lms_hits_its_target(made):
    X, rng = made
    for _, target, _, score in steps(LMS(normalized=True), X, rng.normal(scale=10, size=len(X))):
        assert score == pytest.approx(target, abs=1e-11)


@given(made=rows(), epsilon=st.sampled_from([0.0, 0.1, 2.0]))
def test_regressor_lands_within_epsilon(made, epsilon):
    X, rng = made
    y = rng.normal(scale=10, size=len(X))
    model = PassiveAggressiveRegressor(
        variant="PA", epsilon=epsilon, average=False, clip_predictions=False
    )
    for _, target, moved, score in steps(model, X, y):
        if moved:
            assert abs(score - target) == pytest.approx(epsilon, abs=1e-11)
        else:
            assert abs(score - target) <= epsilon


@given(made=rows(), C=st.sampled_from([0.01, 0.3, 2.0]))
def test_the_cap_of_pa1_and_the_softness_of_pa2(made, C):
    """PA-I: τ ≤ C. PA-II: the loss that is left is τ/(2C), its stationarity condition."""
    X, rng = made
    y = rng.choice([-1, 1], size=len(X))
    for variant in ("PA-I", "PA-II"):
        model = PassiveAggressive(variant=variant, C=C, average=False)
        bias = 0.0
        for _, sign, moved, score in steps(model, X, y):
            tau = sign * (model.intercept_[0] - bias)  # the bias feature is 1
            bias = model.intercept_[0]
            if not moved:
                continue
            loss = 1.0 - sign * score
            if variant == "PA-I":
                assert tau <= C + LANDED
                assert tau == pytest.approx(C) or loss == pytest.approx(0.0, abs=LANDED)
            else:
                assert loss == pytest.approx(tau / (2.0 * C), rel=1e-9, abs=LANDED)


# ------------------------------------------------------------------ MIRA


def scores_of(model, row):
    return dict(zip(model.classes_.tolist(), model.decision_function(row[None, :])[0], strict=True))


@given(made=rows(least=6), margin=st.sampled_from([0.5, 1.0, 3.0]), classes=st.integers(3, 6))
def test_mira_without_a_cap_meets_every_constraint(made, margin, classes):
    X, rng = made
    y = np.concatenate([np.arange(classes), rng.integers(classes, size=len(X))])[: len(X)]
    model = MIRA(C=math.inf, margin=margin, average=False)
    for t, (row, label) in enumerate(zip(X, y, strict=True)):
        model.partial_fit(row[None, :], [label])
        if t >= 2:
            scores = scores_of(model, row)
            own = scores.pop(label)
            assert own - max(scores.values()) >= margin - 1e-11


@given(made=rows(least=8), C=st.sampled_from([0.02, 0.3, 5.0]), classes=st.integers(3, 6))
def test_mira_meets_the_optimality_conditions(made, C, classes):
    """Of  min ½Σ‖Δw_r‖² + C·ξ  s.t.  s'_y − s'_r ≥ 1 − ξ, ξ ≥ 0  (Karush, Kuhn and Tucker):
    Δw_r = −τ_r·x, Δw_y = Στ·x, 0 ≤ τ, Στ ≤ C, and a constraint with τ_r > 0 is tight."""
    X, rng = made
    y = np.concatenate([np.arange(classes), rng.integers(classes, size=len(X))])[: len(X)]
    model = MIRA(C=C, average=False).fit(X[:classes], y[:classes])
    for row, label in zip(X[classes:], y[classes:], strict=True):
        place = model.classes_.tolist().index(label)
        before, bias = model.coef_.copy(), model.intercept_.copy()
        model.partial_fit(row[None, :], [label])
        moved = model.intercept_ - bias  # the bias is a feature of value 1: its change is the step
        np.testing.assert_allclose(model.coef_ - before, np.outer(moved, row), atol=1e-11)
        tau = -np.delete(moved, place)
        assert (tau >= 0).all()
        assert tau.sum() == pytest.approx(moved[place], abs=1e-11)
        assert tau.sum() <= C + LANDED
        scores = model.decision_function(row[None, :])[0]
        leads = scores[place] - np.delete(scores, place)
        slack = max(0.0, 1.0 - leads.min())
        assert leads[tau > 1e-9] == pytest.approx(1.0 - slack, abs=1e-10)
        if slack > 1e-9:  # slack costs C for each unit, so it is only taken at the cap
            assert tau.sum() == pytest.approx(C, rel=1e-9)


@pytest.mark.parametrize("C", [0.1, 0.5, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_mira_against_a_general_solver(C, seed):
    minimize = pytest.importorskip("scipy.optimize").minimize
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 2)), np.concatenate([np.arange(4), rng.integers(4, size=11)])
    model = MIRA(C=C, average=False, fit_intercept=False).fit(X, y)
    before = model.coef_.copy()
    x, label = rng.normal(size=2), 2

    def leads(v):
        scores = (before + v[:-1].reshape(4, 2)) @ x
        return np.delete(scores[label] - scores, label) - 1.0 + v[-1]

    solved = minimize(
        lambda v: 0.5 * v[:-1] @ v[:-1] + C * v[-1],
        np.append(np.zeros(8), 1.0),
        jac=lambda v: np.append(v[:-1], C),
        constraints=[{"type": "ineq", "fun": leads}, {"type": "ineq", "fun": lambda v: v[-1]}],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert solved.success
    model.partial_fit(x[None, :], [label])
    np.testing.assert_allclose((model.coef_ - before).ravel(), solved.x[:-1], atol=1e-5)


# ------------------------------------------------------------------ averages


AVERAGED = [
    Perceptron(),
    Perceptron(burn_in=7, learning_rate="1/sqrt(t)"),
    PassiveAggressive(variant="PA-II"),
    MIRA(burn_in=3),
    thresher.Winnow(average=True, clip=True),
    thresher.Winnow(average=True, clip=True, negations=True, burn_in=4),
    thresher.Winnow(average=True, clip=True, negations=True, demotion="eliminate"),
    thresher.Winnow(average=True, clip=True, negations=True, floor=0.5),
    thresher.BalancedWinnow(average=True, burn_in=2),
    PassiveAggressiveRegressor(),
    LMS(average=True, burn_in=5),
]


@pytest.mark.parametrize("average", AVERAGED, ids=repr)
@pytest.mark.parametrize("classes", [2, 4])
@given(made=rows(least=5))
def test_averaged_is_the_mean_of_the_trajectory(average, classes, made):
    """Every hypothesis of the plain learner, added up by hand with the weight of its example."""
    X, rng = made
    y = np.concatenate([np.arange(classes), rng.integers(classes, size=len(X))])[: len(X)]
    weights = rng.choice([0.5, 1.0, 3.0], size=len(X))
    options = average.get_params()
    plain = type(average)(**options | {"average": False})
    coef, intercept, clock = 0.0, 0.0, 0.0
    # Once all classes are there the shape of the weights is settled: from then on they are added.
    averaged = type(average)(**options | {"burn_in": max(classes, options["burn_in"])})
    for t in range(len(X)):
        plain.partial_fit(X[t : t + 1], y[t : t + 1], sample_weight=weights[t : t + 1])
        if t >= averaged.burn_in:
            clock += weights[t]
            coef = coef + weights[t] * plain.coef_
            intercept = intercept + weights[t] * np.asarray(plain.intercept_)
    averaged.fit(X, y, sample_weight=weights)
    if clock == 0.0:
        coef, intercept, clock = plain.coef_, np.asarray(plain.intercept_), 1.0
    size = max(1.0, np.abs(coef / clock).max(), np.abs(intercept / clock).max())
    np.testing.assert_allclose(averaged.coef_, coef / clock, rtol=1e-9, atol=1e-9 * size)
    np.testing.assert_allclose(averaged.intercept_, intercept / clock, rtol=1e-9, atol=1e-9 * size)


@pytest.mark.parametrize("average", AVERAGED, ids=repr)
def test_averaging_does_not_touch_what_is_learned(average):
    """Mistakes are those of the online hypothesis, so an average changes none of the counts."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 6)), rng.integers(4, size=60)
    plain = type(average)(**average.get_params() | {"average": False}).fit(X, y)
    averaged = type(average)(**average.get_params()).fit(X, y)
    assert averaged.updates_ == plain.updates_
    assert getattr(averaged, "mistakes_", 0) == getattr(plain, "mistakes_", 0)


def belief(model):
    """The means of the weights and their variances, the bias first."""
    arrays = model._model.state()["arrays"]
    return [np.frombuffer(arrays[f"reading0.geometry.{part}.cells"]) for part in ("w", "variance")]


def arow_objective(mean, variance, old_mean, old_variance, x, sign, r):
    """KL(new ‖ old) + ℓ²/(2r) + xᵀΣx/(2r), for normal distributions with diagonal variance."""
    kl = 0.5 * np.sum(
        np.log(old_variance / variance) - 1.0 + variance / old_variance
        + (mean - old_mean) ** 2 / old_variance
    )  # fmt: skip
    loss = max(0.0, 1.0 - sign * mean @ x)
    return kl + (loss**2 + variance @ x**2) / (2.0 * r)


@given(made=rows(longest=12), r=st.sampled_from([0.1, 1.0, 30.0]))
def test_arow_steps_to_the_nearest_belief_that_is_less_wrong(made, r):
    """No small change of the new means or variances makes the objective of the paper smaller."""
    X, rng = made
    y = rng.choice([-1, 1], size=len(X))
    y[:2] = -1, 1
    model = AROW(r=r).fit(X[:2], y[:2])
    for row, sign in zip(X[2:], y[2:], strict=True):
        x, n = np.concatenate(([1.0], row)), len(row)
        old = belief(model)
        updates = model.updates_
        model.partial_fit(row[None, :], [sign])
        new = belief(model)
        if model.updates_ == updates:
            assert sign * old[0] @ x >= 1.0
            continue
        reached = arow_objective(*new, *old, x, sign, r)
        for _ in range(20):
            mean = new[0] + rng.normal(scale=1e-3, size=n + 1)
            variance = new[1] * np.exp(rng.normal(scale=1e-3, size=n + 1))
            assert arow_objective(mean, variance, *old, x, sign, r) >= reached - 1e-12


@given(made=rows(), r=st.sampled_from([0.1, 1.0, 30.0]))
def test_arow_mends_what_it_is_unsure_of(made, r):
    """After a step on x the loss left is ℓ·r/(xᵀΣx + r), and 1/Σ has grown by x²/r."""
    X, rng = made
    y = rng.choice([-1, 1], size=len(X))
    y[:2] = -1, 1
    model = AROW(r=r).fit(X[:2], y[:2])
    for row, sign in zip(X[2:], y[2:], strict=True):
        x, (mean, variance) = np.concatenate(([1.0], row)), belief(model)
        loss, unsure = max(0.0, 1.0 - sign * mean @ x), variance @ x**2
        model.partial_fit(row[None, :], [sign])
        left = 1.0 - sign * model.decision_function(row[None, :])[0]
        if loss > 0.0:
            assert left == pytest.approx(loss * r / (unsure + r), rel=1e-9, abs=1e-9)
            np.testing.assert_allclose(1.0 / belief(model)[1], 1.0 / variance + x**2 / r, rtol=1e-9)
        else:
            np.testing.assert_array_equal(belief(model), [mean, variance])


def divergence(mean, variance, old_mean, old_variance):
    """KL(N(mean, variance) ‖ N(old_mean, diag(old_variance))), for a full matrix of variances."""
    _, size = np.linalg.slogdet(variance)
    return 0.5 * (
        np.log(old_variance).sum() - size - len(mean) + np.trace(variance / old_variance[:, None])
        + np.sum((mean - old_mean) ** 2 / old_variance)
    )  # fmt: skip


@given(made=rows(longest=12), eta=st.sampled_from([0.55, 0.75, 0.9, 0.999]))
def test_confidence_weighted_steps_to_the_nearest_belief_that_is_sure_enough(made, eta):
    """Right with probability η exactly, and every other belief that is lies further away.

    That is so of the matrix of the paper, of which the learner keeps the diagonal of the inverse.
    """
    X, rng = made
    y = rng.choice([-1, 1], size=len(X))
    y[:2] = -1, 1
    phi = NormalDist().inv_cdf(eta)
    model = ConfidenceWeighted(eta=eta, average=False).fit(X[:2], y[:2])
    for row, sign in zip(X[2:], y[2:], strict=True):
        x, old, updates = np.concatenate(([1.0], row)), belief(model), model.updates_
        V = old[1] @ x**2
        model.partial_fit(row[None, :], [sign])
        mean, kept = belief(model)
        if model.updates_ == updates:
            assert sign * old[0] @ x >= phi * math.sqrt(V) * (1.0 - 1e-12)
            continue
        if kept.min() < 1e-60:
            return  # frozen by contradiction, near the floor of variances
        most = np.argmax(old[1] * x**2)  # where the growth of 1/Σ loses the fewest digits
        gain = (1.0 / kept[most] - 1.0 / old[1][most]) / x[most] ** 2
        np.testing.assert_allclose(1.0 / kept, 1.0 / old[1] + gain * x**2, rtol=1e-6)
        full = np.diag(old[1]) - np.outer(old[1] * x, old[1] * x) * gain / (1.0 + gain * V)
        spread = math.sqrt(V / (1.0 + gain * V))  # √(xᵀ·full·x)
        rounding = 1e-13 * np.abs(mean * x).sum()  # large weights that nearly cancel
        assert sign * mean @ x == pytest.approx(phi * spread, rel=1e-6, abs=rounding)

        reached = divergence(mean, full, *old)
        for _ in range(20):
            root = np.eye(len(x)) + rng.normal(scale=1e-3, size=full.shape)
            other = root @ full @ root.T
            shifted = mean + rng.normal(scale=1e-3, size=len(x)) * np.sqrt(old[1])
            lacks = phi * math.sqrt(x @ other @ x) - sign * shifted @ x
            shifted += max(0.0, lacks) / V * sign * old[1] * x  # the nearest that is sure enough
            assert divergence(shifted, other, *old) >= reached - 1e-7 * max(1.0, reached)


@given(value=st.floats(0.01, 100.0), eta=st.sampled_from([0.55, 0.9, 0.999]), data=st.data())
def test_confidence_weighted_of_one_feature_is_as_sure_as_asked(value, eta, data):
    """With one feature the diagonal is all there is: what the learner keeps is sure by η."""
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=10))
    model = ConfidenceWeighted(eta=eta, average=False, fit_intercept=False)
    model.partial_fit([[0.0], [0.0]], [-1, 1])
    for sign in signs:
        updates = model.updates_
        model.partial_fit([[value]], [sign])
        mean, variance = (part[1] for part in belief(model))
        right = NormalDist().cdf(sign * mean / math.sqrt(variance))
        sure = pytest.approx(eta, rel=1e-9)
        assert right == sure or (model.updates_ == updates and right > eta)


def test_confidence_weighted_outlives_endless_contradiction():
    """Each flip makes it surer by a factor: variances would be 0 after some hundred of them."""
    model = ConfidenceWeighted(average=False)
    for sign in [-1, 1] * 3000:
        model.learn_one({"a": 1.0, "b": 0.5}, sign)
    assert model.updates_ == 6000
    assert np.isfinite(list(model.explain_one({"a": 1.0, "b": 0.5}).values())).all()
    model.learn_one({"new": 1.0}, 1)
    assert model.predict_one({"new": 1.0}) == 1
