"""Logistic regression: its step is the slope of its loss, its weights minimise what they should,
and its regret stays below the bounds of online gradient descent and AdaGrad."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from thresher import LogisticRegression, reference
from thresher.errors import InvalidInput

STEPS = ("adagrad", "constant", "1/sqrt(t)", "1/t")


def log_loss(w, X, y):
    return np.logaddexp(0.0, -y * (X @ w))


@st.composite
def streams(draw, longest=40):
    """Sparse rows, and signs that a noisy linear function gives them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n = draw(st.integers(1, 6))
    X = rng.normal(size=(draw(st.integers(3, longest)), n))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.5]))] = 0.0
    y = np.where(X @ rng.normal(size=n) + 0.5 * rng.normal(size=len(X)) > 0.0, 1, -1)
    y[:2] = -1, 1
    return X, y


def trajectory(model, X, y):
    """The weights before each example, and after the last."""
    path = [np.zeros(X.shape[1])]
    for row, sign in zip(X, y, strict=True):
        model.partial_fit(row[None, :], [sign])
        path.append(model.coef_[0])
    return np.array(path)


def gradients(path, X, y):
    """g_t at the weights of that moment."""
    scores = np.sum(path[:-1] * X, axis=1)
    return -(y / (1.0 + np.exp(y * scores)))[:, None] * X


def inverse_rates(step, g, eta, beta):
    """1/η for each example and weight."""
    t = np.arange(1.0, len(g) + 1.0)[:, None]
    if step == "adagrad":
        return (beta + np.sqrt(np.cumsum(g**2, axis=0))) / eta
    growth = {"constant": np.ones_like(t), "1/sqrt(t)": np.sqrt(t), "1/t": t}[step]
    return np.broadcast_to(growth / eta, g.shape)


@given(made=streams(), eta=st.sampled_from([0.05, 0.5, 2.0]))
def test_a_step_goes_down_the_slope_of_the_loss(made, eta):
    """(w − w′)/η is the derivative of the log loss, taken numerically."""
    X, y = made
    path = trajectory(LogisticRegression("constant", eta, fit_intercept=False), X, y)
    for before, after, row, sign in zip(path[:-1], path[1:], X, y, strict=True):
        slope = optimize.approx_fprime(before, lambda w, x=row, s=sign: log_loss(w, x, s), 1e-7)
        np.testing.assert_allclose((before - after) / eta, slope, atol=1e-5)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(3, 5))
def test_with_many_classes_too(seed, k):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.integers(k, size=30)
    y[:k] = range(k)
    model = LogisticRegression("constant", 0.5, fit_intercept=False).partial_fit(X[:k], y[:k])

    def loss(flat, x, label):
        scores = flat.reshape(k, 3) @ x
        return np.log(np.sum(np.exp(scores))) - scores[label]

    for row, label in zip(X[k:], y[k:], strict=True):
        before = model.coef_.ravel()
        model.partial_fit(row[None, :], [label])
        slope = optimize.approx_fprime(before, loss, 1e-7, row, label)
        np.testing.assert_allclose((before - model.coef_.ravel()) / 0.5, slope, atol=1e-5)
        p = model.predict_proba(row[None, :])[0]
        assert -math.log(p[label]) == pytest.approx(loss(model.coef_.ravel(), row, label))


@pytest.mark.parametrize("step", STEPS)
@given(
    made=streams(longest=12),
    l1=st.sampled_from([0.0, 0.1, 0.5]),
    l2=st.sampled_from([0.0, 0.3]),
    eta=st.sampled_from([0.2, 1.0]),
)
def test_weights_minimise_what_the_paper_says(step, made, l1, l2, eta):
    """w′ = argmin Σ g_s·w + ½·Σ σ_s·(w − w_s)² + l1·|w| + ½·l2·w², by a search over w.

    The sum is over all examples, also those without the feature: that the learner leaves these out
    must make no difference.
    """
    X, y = made
    beta = 0.7
    model = LogisticRegression(step, eta, beta=beta, l1=l1, l2=l2, fit_intercept=False)
    path = trajectory(model, X, y)
    g = gradients(path, X, y)
    r = inverse_rates(step, g, eta, beta)
    sigma = np.diff(r, axis=0, prepend=0.0)
    for t in range(len(X)):
        for i in range(X.shape[1]):

            def objective(w, t=t, i=i):
                near = sigma[: t + 1, i] @ (w - path[: t + 1, i]) ** 2
                return g[: t + 1, i].sum() * w + near / 2 + l1 * abs(w) + l2 * w * w / 2

            found = optimize.minimize_scalar(objective, bounds=(-30.0, 30.0), method="bounded",
                                             options={"xatol": 1e-9})  # fmt: skip
            assert path[t + 1, i] == pytest.approx(found.x, abs=1e-5)
            assert objective(path[t + 1, i]) <= found.fun + 1e-12 * max(1.0, abs(found.fun))


@pytest.mark.parametrize("step", STEPS)
@given(made=streams(), eta=st.sampled_from([0.1, 0.5, 2.0]), penalty=st.sampled_from([0.0, 0.2]))
def test_regret_stays_below_its_bound(step, made, eta, penalty):
    """For any u, with r_i = 1/η of weight i at the end and D_i the farthest it has been from u_i:

        Σ ℓ_t(w_t) − Σ ℓ_t(u) ≤ Σ_i ½·r_i·D_i² + ½·Σ_t Σ_i g_ti²/r_ti + l1·‖u‖₁ + ½·l2·‖u‖²

    (McMahan 2017, theorem 2). With 1/√t that is the O(√T) of online gradient descent (Zinkevich
    2003), with AdaGrad's rate Σ_i (½·D_i²·(β + √Σg²)/α + α·√Σg²) (Duchi et al. 2011). u is the best
    weights in hindsight of length 5 or less.
    """
    X, y = made
    model = LogisticRegression(step, eta, l1=penalty, l2=penalty, fit_intercept=False)
    path = trajectory(model, X, y)
    best = optimize.minimize(lambda w: log_loss(w, X, y).sum(), np.zeros(X.shape[1])).x
    best *= min(1.0, 5.0 / max(1e-12, np.linalg.norm(best)))
    g = gradients(path, X, y)
    r = inverse_rates(step, g, eta, 1.0)
    regret = sum(log_loss(w, x, s) for w, x, s in zip(path[:-1], X, y, strict=True))
    regret -= log_loss(best, X, y).sum()
    farthest = np.abs(path[:-1] - best).max(axis=0)
    bound = 0.5 * np.sum(r[-1] * farthest**2) + 0.5 * np.sum(g**2 / r)
    penalties = penalty * (np.abs(best).sum() + best @ best / 2)
    assert regret <= bound + penalties + 1e-9
    if step == "adagrad":
        roots = np.sqrt(np.sum(g**2, axis=0))
        assert np.sum(g**2 / r) / 2 <= eta * roots.sum() + 1e-9


@pytest.mark.parametrize("step", STEPS)
def test_more_l1_fewer_features(step):
    """Of 200 features five matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 200))
    y = (X[:, :5].sum(axis=1) + rng.normal(size=2000) > 0).astype(int)
    used = []
    for l1 in (0.0, 20.0, 60.0):
        model = LogisticRegression(step, 0.1, l1=l1).fit(X, y)
        used.append(model.n_features_used_)
        assert model.n_features_used_ == np.count_nonzero(model.coef_)
        assert np.count_nonzero(model.coef_[0, :5]) == 5
    assert used[0] == 200 > used[1] > used[2]


@pytest.mark.parametrize("step", ["adagrad", "1/sqrt(t)"])
def test_many_passes_end_at_the_maximum_of_the_likelihood(step):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 4))
    y = np.where(X @ [2.0, -1.0, 0.0, 0.5] + 0.7 + rng.logistic(size=100) > 0, 1, -1)
    ones = np.column_stack([X, np.ones(100)])
    best = optimize.minimize(lambda w: log_loss(w, ones, y).sum(), np.zeros(5)).x
    model = LogisticRegression(step, 1.0, average=True, burn_in=10_000, max_epochs=400).fit(X, y)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], best, atol=0.02)


@pytest.mark.parametrize("step", STEPS)
def test_more_l2_shorter_weights(step):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 5))
    y = (X.sum(axis=1) > 0).astype(int)
    lengths = [
        np.linalg.norm(LogisticRegression(step, 0.5, l2=l2).fit(X, y).coef_)
        for l2 in (0.0, 1.0, 10.0, 100.0)
    ]
    assert lengths == sorted(lengths, reverse=True) and lengths[-1] < 0.5 * lengths[0]


def test_probabilities_are_those_of_the_model():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    model = LogisticRegression().fit(X, rng.integers(2, size=50))
    p = 1.0 / (1.0 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X), np.stack([1 - p, p], axis=1), rtol=1e-12)
    model.fit(X, rng.integers(3, size=50))
    powers = np.exp(model.decision_function(X))
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)


@pytest.mark.parametrize("step", STEPS)
def test_a_third_class_changes_no_probability_of_the_first_two(step):
    """Odds of the two known classes are what they were, up to the step of the new example."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60)
    X[:, 3] = 0.0
    model = LogisticRegression(step, 0.5, l1=0.1, l2=0.2, fit_intercept=False).fit(X, y)
    odds = model.decision_function(X)
    model.partial_fit([[0.0, 0.0, 0.0, 1.0]], [2])  # touches a feature that the others do not have
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], odds, rtol=1e-12, atol=1e-14)


def rows_of_classes(count, seed=0):
    rng = np.random.default_rng(seed)
    for i in range(max(4 * count, 60)):
        names = rng.choice(12, size=rng.integers(1, 12), replace=False)
        yield (
            {f"x{j}": float(rng.normal()) for j in names},
            int(i if i < count else rng.integers(count)),
        )


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("count", "options"),
    [
        (2, {}),
        (2, {"l1": 0.3, "l2": 0.1, "learning_rate": 0.3}),
        (2, {"average": True}),
        (2, {"fit_intercept": False, "average": "tail"}),
        (17, {"l1": 0.3, "l2": 0.1}),
        (20, {"average": True}),
        (35, {"fit_intercept": False, "average": "tail"}),
    ],
)
def test_weights_move_as_in_the_reference(count, options, step):
    """Features of two classes, or classes of a feature, move four at a time; some leave a rest."""
    options = {"step": step, **options}
    model, plain = LogisticRegression(**options), reference.LogisticRegression(**options)
    for x, y in rows_of_classes(count):
        model.learn_one(x, y)
        plain.learn(x, y)
    names = model.feature_names_out_
    expected = plain.weights()
    if count == 2:
        found = [[expected.get(name, 0.0) for name in names]]
    else:
        found = [[expected[y].get(name, 0.0) for name in names] for y in sorted(expected)]
    np.testing.assert_allclose(model.coef_, found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", [2, 6])
def test_numbers_near_the_limit_change_only_how_a_step_is_checked(count, step):
    """A number whose square is hardly kept makes all later steps be checked weight by weight."""
    models = [LogisticRegression(step, l1=0.01, average=True) for _ in range(2)]
    for model, large in zip(models, (1.0, 1e120), strict=True):
        for x, y in rows_of_classes(count):
            model.learn_one(x, y)
        model.learn_one({"large": large}, 0)
        for x, y in rows_of_classes(count, seed=1):
            model.learn_one(x, y)
    assert models[0].feature_names_out_[12] == models[1].feature_names_out_[12] == "large"
    kept = [np.delete(model.coef_, 12, axis=1) for model in models]
    np.testing.assert_array_equal(*kept)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"learning_rate": 1e-200, "beta": 1e200, "l2": 1.0},
        {"learning_rate": 1e308},
        {"learning_rate": 1e308, "step": "constant"},
    ],
)
def test_rates_that_overflow_are_refused_without_a_trace(options, classes):
    model = LogisticRegression(**options, fit_intercept=False)
    for y in range(classes - 1):
        model.learn_one({}, y)
    with pytest.raises(InvalidInput):
        model.learn_one({"a": 1.0}, classes - 1)
    assert not model.coef_.any()


def test_a_weight_that_overflows_with_the_rate_is_refused_without_a_trace():
    """All classes are sure, so the steps are ∞·0: none of them may be written."""
    model = LogisticRegression(step="constant", learning_rate=1e300, fit_intercept=False)
    for y in range(3):
        model.learn_one({}, y)
    model.learn_one({"a": 1e-148}, 0)
    before = model.coef_.copy()
    with pytest.raises(InvalidInput):
        model.learn_one({"a": 1e-148}, 0, sample_weight=1e10)
    np.testing.assert_array_equal(model.coef_, before)


STEPS = ("adagrad", "constant", "1/sqrt(t)", "1/t", "scale-free")
KINDS = [
    {"step": step, "l2": l2}
    for step in STEPS
    for l2 in (0.0, 0.5)
    if step != "scale-free" or not l2
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("first", KINDS, ids=str)
def test_options_that_change_leave_the_weights_or_are_refused(first, classes):
    """Also after one more example, of a weight of nearly 0."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % classes
    for then in KINDS:
        model = LogisticRegression(**first).partial_fit(X, y)
        before, steps = model.coef_.copy(), {first["step"], then["step"]}
        try:
            model.set_params(**then)
        except InvalidInput:
            assert steps & {"adagrad", "scale-free"} and len(steps) == 2, then
            assert model.step == first["step"] and model.l2 == first["l2"]
            model.partial_fit(X, y)
            continue
        np.testing.assert_array_equal(model.coef_, before)
        model.partial_fit(X[:1], y[:1], sample_weight=[1e-12])
        np.testing.assert_allclose(model.coef_, before, atol=1e-10)


def test_a_live_audit_is_of_plain_gradient_descent_only():
    X, y = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, -2.0]]), [1, 0, 0]
    model = LogisticRegression(step="constant").fit(X, y, audit="live")
    np.testing.assert_allclose(
        model.audit_.norm, np.sqrt(np.sum(model.coef_**2) + np.sum(model.intercept_**2))
    )
    with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
        model.set_params(l2=0.5)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("step", STEPS[:-1])
@given(seed=st.integers(0, 2**32 - 1), l1=st.sampled_from([0.0, 0.3]))
def test_penalties_may_begin_after_the_first_examples(step, seed, l1, classes):
    """The weights stay: an example of weight nearly 0 moves nothing."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % classes
    model = LogisticRegression(step=step).partial_fit(X, y)
    before = model.coef_.copy()
    model.set_params(l1=l1, l2=0.5)
    np.testing.assert_array_equal(model.coef_, before)
    model.partial_fit(X[:1], y[:1], sample_weight=[1e-12])
    np.testing.assert_allclose(model.coef_, before, atol=1e-10)
