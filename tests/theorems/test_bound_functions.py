"""Every function of `thresher.theory.bounds` on streams that real learners run on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from thresher import PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.theory import bounds, separability
from thresher.theory.bounds import Margins, MonotoneMargins, minimise

ROOM = 1.0 + 1e-9  # a bound may be met exactly


@st.composite
def streams(draw, noise=True):
    """Points, labels, and a comparator: a planted separator, some labels flipped."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n, rows = draw(st.integers(1, 10)), draw(st.integers(5, 150))
    X = rng.normal(size=(rows, n)) * draw(st.sampled_from([0.1, 1.0, 30.0]))
    u = rng.normal(size=n + 1)
    scores = X @ u[:-1] + u[-1]
    clear = np.abs(scores) > draw(st.sampled_from([0.0, 0.3, 1.0])) * np.abs(scores).mean()
    X, y = X[clear], (scores[clear] >= 0).astype(int)
    if noise:
        flipped = rng.random(len(y)) < draw(st.sampled_from([0.0, 0.05, 0.4]))
        y = np.where(flipped, 1 - y, y)
    return X, y, u


def two_labels(made):
    return len(made[1]) and len(set(made[1].tolist())) == 2


# ------------------------------------------------------------------ the best γ


margins_strategy = st.lists(
    st.one_of(st.floats(-3, 3), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=30
).map(np.array)


@given(m=margins_strategy, a=st.floats(0.01, 100), b=st.sampled_from([0.1, 1.0, 7.0]))
def test_no_gamma_is_better_than_the_best(m, a, b):
    """Against a fine grid of t and every breakpoint."""
    grid = np.concatenate([[0.0], np.geomspace(1e-6, 1e6, 4001), 1.0 / m[m > 1e-6]])
    loss = np.maximum(0.0, 1.0 - grid[:, None] * m)

    def at(t):
        return np.maximum(0.0, 1.0 - t * m)

    t = minimise.hinge(m, a, b)
    assert a * t**2 + 2 * b * at(t).sum() <= (a * grid**2 + 2 * b * loss.sum(1)).min() * ROOM
    t = minimise.squared_sum(m, a, b)
    best = (a * grid**2 + b * (loss**2).sum(1)).min()
    assert a * t**2 + b * (at(t) ** 2).sum() <= best * ROOM
    t = minimise.squared(m, a)
    best = (a * grid + np.linalg.norm(loss, axis=1)).min()
    assert a * t + np.linalg.norm(at(t)) <= best * ROOM


@given(made=streams())
def test_the_best_gamma_lies_on_no_coarser_value(made):
    """The bound at any γ of one's own is never below the minimum."""
    if not two_labels(made):
        return
    X, y, u = made
    margins = Margins.of(X, y, u[:-1], u[-1])
    for bound in (bounds.noisy_squared_on, bounds.noisy_hinge_on):
        least = bound(margins)
        assert least.applies
        for gamma in margins.R * np.array([0.01, 0.1, 0.5, 1.0]):
            given_gamma = bound(margins, gamma)
            assert least.value <= given_gamma.value * ROOM
            assert given_gamma.quantities["gamma"] == gamma


# ------------------------------------------------------------------ perceptron


@given(made=streams(noise=False), margin=st.sampled_from([0.0, 0.5]), eta=st.sampled_from([0.3, 2]))
def test_novikoff_with_the_largest_margin(made, margin, eta):
    if not two_labels(made):
        return
    X, y, _ = made
    best = separability(X, y)
    margins = Margins.of(X, y, best.weights, best.intercept)
    assert margins.gamma == pytest.approx(best.margin, rel=1e-9)
    bound = bounds.novikoff_on(margins, margin=margin, learning_rate=eta)
    assert bound.applies
    model = Perceptron(margin=margin, learning_rate=eta, max_epochs=30).fit(X, y)
    assert model.mistakes_ <= model.updates_ <= bound.value * ROOM


@given(made=streams(), passes=st.sampled_from([1, 3]), margin=st.sampled_from([0.0, 0.5]))
def test_noise_costs_its_slacks(made, passes, margin):
    if not two_labels(made):
        return
    X, y, u = made
    margins = Margins.of(X, y, u[:-1], u[-1])
    model = Perceptron(max_epochs=passes, margin=margin).fit(X, y)
    for bound in (bounds.noisy_squared_on, bounds.noisy_hinge_on):
        assert model.updates_ <= bound(margins, passes=passes, margin=margin).value * ROOM
    if margin == 0.0:  # an infinite γ: all examples
        assert bounds.noisy_squared_on(margins, passes=passes).value <= passes * len(y) * ROOM


def test_a_bound_is_never_claimed_when_its_assumptions_fail():
    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    margins = Margins.of(X, y, [1.0, 1.0], -0.5)
    for bound in (bounds.novikoff_on(margins), bounds.pa_on(margins)):
        assert not bound.applies
        assert math.isinf(bound.value)
        assert "does not apply" in str(bound)
    scores = MonotoneMargins.of(X, y, [1.0, 1.0])
    assert not bounds.winnow_on(scores).applies
    assert not bounds.winnow_on(MonotoneMargins.of([[0.5], [0.0]], [1, 0], [1.0])).applies
    assert not bounds.winnow_entropy_on(MonotoneMargins.of([[2.0], [0.0]], [1, 0], [1.0])).applies
    for gamma in (1e-16, 1e-17, 5e-324):  # 1 + δ/2 rounds to 1
        for bound in (bounds.winnow(1.0, gamma, 4), bounds.winnow_entropy([1.0, 0.0], gamma)):
            assert not bound.applies and bound.value == math.inf
            assert bound.quantities["alpha"] > 1.0


@given(made=streams(), cut=st.integers(1, 4))
def test_batches_of_a_stream_are_measured_like_the_whole(made, cut):
    if not two_labels(made):
        return
    X, y, u = made
    whole = Margins.of(X, y, u[:-1], u[-1])
    parts = [
        Margins.of(sparse.csr_array(X[rows]), y[rows], 3.0 * u[:-1], 3.0 * u[-1], classes=[0, 1])
        for rows in np.array_split(np.arange(len(y)), min(cut, len(y)))
    ]
    joined = bounds.joined(parts)
    assert joined.values == pytest.approx(whole.values, rel=1e-9, abs=1e-9)
    assert (joined.R, joined.r) == pytest.approx((whole.R, whole.r))
    assert (parts[0] + parts[-1]).R <= whole.R * ROOM


# ------------------------------------------------------------------ Passive-Aggressive


def losses_and_mistakes(options, X, signs, passes):
    model, losses, mistakes = PassiveAggressive(average=False, **options), [1.0], 1
    model.partial_fit(X[:1], signs[:1], classes=[-1, 1])
    for t in [*range(1, len(X)), *(list(range(len(X))) * (passes - 1))]:
        score = signs[t] * model.decision_function(X[t : t + 1])[0]
        losses.append(max(0.0, 1.0 - score))
        mistakes += score <= 0.0
        model.partial_fit(X[t : t + 1], signs[t : t + 1])
    return float(np.square(losses).sum()), mistakes


@given(made=streams(), C=st.sampled_from([0.01, 1.0, 50.0]), passes=st.sampled_from([1, 2]))
def test_passive_aggressive(made, C, passes):
    if not two_labels(made):
        return
    X, y, u = made
    X, signs = X[:60], np.where(y[:60] == 1, 1, -1)
    margins = Margins.of(X, signs, u[:-1], u[-1], classes=[-1, 1])
    squares, mistakes = losses_and_mistakes({"variant": "PA"}, X, signs, passes)
    assert mistakes <= squares * ROOM
    assert squares <= bounds.pa_noisy_on(margins, passes=passes).value * ROOM
    if margins.gamma > 0:
        assert squares <= bounds.pa_on(margins).value * ROOM
    squares, mistakes = losses_and_mistakes({"variant": "PA-I", "C": C}, X, signs, passes)
    assert mistakes <= bounds.pa_i_on(margins, C, passes=passes).value * ROOM
    squares, mistakes = losses_and_mistakes({"variant": "PA-II", "C": C}, X, signs, passes)
    assert squares <= bounds.pa_ii_on(margins, C, passes=passes).value * ROOM


# ------------------------------------------------------------------ Winnow


@st.composite
def monotone(draw, noise=False):
    """x in {0,1}^d or [0,1]^d, and a target of weights ≥ 0 with a gap around its threshold."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    d, rows = draw(st.integers(2, 40)), 200
    if draw(st.booleans(), label="boolean"):
        X = (rng.random((rows, d)) < draw(st.sampled_from([0.1, 0.3, 0.5]))).astype(float)
    else:
        X = rng.random((rows, d))
    w = rng.random(d) * (rng.random(d) < 0.4)
    scores = X @ w
    target = float(np.quantile(scores, 0.5))
    keep = (scores >= target) | (scores <= target * (1.0 - draw(st.sampled_from([0.1, 0.4, 0.9]))))
    X, y = X[keep], (scores[keep] >= target).astype(int)
    if noise:
        y = np.where(rng.random(len(y)) < 0.05, 1 - y, y)
    X, y = np.vstack([X] * 3), np.tile(y, 3)
    return X, y, w


@pytest.mark.parametrize("noise", [False, True])
@given(data=st.data(), share=st.sampled_from([0.3, 0.5, 0.95]))
def test_winnow_with_any_target(noise, data, share):
    X, y, w = data.draw(monotone(noise))
    if len(set(y.tolist())) < 2 or not w.any():
        return
    scores = MonotoneMargins.of(X, y, w)
    d = X.shape[1]
    delta = scores.gamma / scores.target_threshold if scores.target_threshold > 0 else 0.0
    alpha = 1.0 + share * (delta if delta > 0 else 0.5)
    for theta in (float(d), 2.0, d / 2.0):
        model = Winnow(alpha=alpha, theta=theta).fit(X, y)
        general = bounds.winnow_on(scores, theta=theta, alpha=alpha)
        entropy = bounds.winnow_entropy_on(scores, theta=theta, alpha=alpha)
        if general.applies:
            assert not noise or scores.gamma > 0
            assert model.mistakes_ <= general.value * ROOM
        if entropy.applies:
            assert model.mistakes_ <= entropy.value * ROOM
    if not noise and scores.boolean and scores.gamma > 0:
        assert bounds.winnow_on(scores).applies  # α = 1 + δ/2 always does


@given(gamma=st.floats(0.01, 1.0), target=st.floats(1.0, 5.0))
def test_the_step_that_lecture_notes_print(gamma, target):
    """β = 1 + γ/2 is small enough exactly if θ* < 2 + γ."""
    if abs(target - 2 - gamma) < 1e-9:
        return
    bound = bounds.winnow(3.0, gamma, 50, target_threshold=target, alpha=1 + gamma / 2)
    assert bound.applies == (target < 2 + gamma)


def test_disjunctions_are_a_case_of_the_general_theorem():
    for k, n in ((1, 2), (3, 64), (5, 1000)):
        special = bounds.winnow_disjunction(k, n)
        assert special.value == pytest.approx(bounds.winnow(k, 1.0, n, alpha=2.0).value)
        u = k * (1 + math.log2(n))
        assert special.value == pytest.approx(3 * u + 2)
        assert special.quantities["demotions"] == pytest.approx(2 * (u + 1))


@given(
    seed=st.integers(0, 2**32 - 1),
    alpha=st.sampled_from([1.5, 2.0, 3.0]),
    theta=st.sampled_from([2.0, 8.0, 32.0]),
    demotion=st.sampled_from(["divide", "eliminate"]),
)
def test_disjunctions_with_other_options(seed, alpha, theta, demotion):
    rng = np.random.default_rng(seed)
    n, k = 32, int(rng.integers(1, 5))
    X = (rng.random((300, n)) < rng.choice([0.03, 0.1, 0.4])).astype(float)
    y = X[:, :k].any(axis=1).astype(int)
    model = Winnow(alpha=alpha, theta=theta, demotion=demotion)
    model.partial_fit(np.vstack([X, X]), np.tile(y, 2), classes=[0, 1])
    bound = bounds.winnow_disjunction(k, n, alpha=alpha, theta=theta, demotion=demotion)
    assert model.mistakes_ <= bound.value * ROOM


@given(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([4, 16, 100]))
def test_winnow_r_in_the_game(seed, n):
    """The adversary moves variables in and out; each that enters costs 1."""
    rng = np.random.default_rng(seed)
    model = Winnow(theta=float(n), floor=0.5)
    inside, cost = {0}, 1
    promotions = demotions = 0
    for _ in range(250):
        if rng.random() < 0.03:
            variable = int(rng.integers(n))
            cost += variable not in inside
            inside ^= {variable}
        x = (rng.random(n) < rng.choice([1.5 / n, 0.5])).astype(float)
        y = int(any(x[i] for i in inside))
        before = 0 if promotions + demotions == 0 else model.mistakes_
        model.partial_fit(x[None], [y], classes=[0, 1])
        if model.mistakes_ > before:
            promotions, demotions = promotions + y, demotions + 1 - y
    assert demotions <= bounds.winnow_r_demotions(promotions).value
    bound = bounds.winnow_r(cost, n)
    assert promotions <= bound.quantities["promotions"]
    assert model.mistakes_ == promotions + demotions <= bound.value


# ------------------------------------------------------------------ classes of concepts


@given(
    seed=st.integers(0, 2**32 - 1), size=st.integers(1, 40), beta=st.sampled_from([0.0, 0.3, 0.9])
)
def test_votes_of_a_class(seed, size, beta):
    """Halving (β = 0 without noise) and Weighted Majority as their definitions say."""
    rng = np.random.default_rng(seed)
    answers = rng.random((60, size)) < 0.5
    labels = answers[:, 0].copy()
    if beta > 0:
        labels ^= rng.random(60) < 0.1
    weights, mistakes = np.ones(size), 0
    for row, label in zip(answers, labels, strict=True):
        if (weights[row].sum() >= weights[~row].sum()) != label:
            mistakes += 1
            weights[row != label] *= beta
    best = int((answers != labels[:, None]).sum(axis=0).min())
    assert mistakes <= bounds.weighted_majority(size, best, beta).value + 1e-9
    if beta == 0.0:
        halving = bounds.halving(size)
        assert mistakes <= halving.value
        assert halving.value == pytest.approx(bounds.weighted_majority(size, 0, 0.0).value)


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 12))
def test_consistent(seed, size):
    rng = np.random.default_rng(seed)
    answers = rng.random((80, size)) < 0.5
    left, mistakes = list(range(size)), 0
    for row in answers:
        mistakes += row[left[int(rng.integers(len(left)))]] != row[0]
        left = [c for c in left if row[c] == row[0]]
    assert mistakes <= bounds.consistent(size).value


@pytest.mark.parametrize("monotone", [True, False])
def test_elimination_reaches_its_bound(monotone):
    """Labels all negative, so that every literal must go, as few at a time as can be: all zeros
    take the n negated ones, then each example with a single one takes a single literal."""
    n = 6
    every = range(1, n + 1)
    literals = set(every) if monotone else {sign * i for i in every for sign in (1, -1)}
    mistakes = 0
    for x in [set(), *({i} for i in every)]:  # the variables that are on
        true = {v for v in literals if (abs(v) in x) == (v > 0)}
        mistakes += bool(true)  # the disjunction is predicted, and wrong
        literals -= true
    assert not literals
    assert mistakes == bounds.elimination(n, monotone).value


def test_sizes_with_more_digits_than_a_float():
    assert bounds.halving(3**1000).value == pytest.approx(1000 * math.log2(3))
    assert math.isinf(bounds.consistent(3**1000).value)


def test_the_lecture_example_of_survivors():
    """500 mistakes and 1000 in a row: about 500,000 examples, exactly (500 + 1)·1000 at most."""
    assert bounds.survivor_examples(500, 1000).value == 501_000


# ------------------------------------------------------------------ numbers that cannot be


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.novikoff(0.0, 1.0), "R is 0.0"),
        (lambda: bounds.novikoff(1.0, -1.0), "gamma is -1.0"),
        (lambda: bounds.novikoff(1.0, math.nan), "gamma is nan"),
        (lambda: bounds.noisy_squared(1.0, 1.0, -0.1), "D2 is -0.1"),
        (lambda: bounds.noisy_hinge(1.0, 1.0, math.inf), "TD is inf"),
        (lambda: bounds.pa_i(1.0, 1.0, 0.0, 1.0), "C is 0.0"),
        (lambda: bounds.winnow_disjunction(5, 0), "n is 0"),
        (lambda: bounds.winnow_disjunction(5, 3), "expected k of the n variables"),
        (lambda: bounds.winnow(1.0, 0.0, 5), "gamma is 0.0"),
        (lambda: bounds.winnow_entropy([-1.0], 1.0), "≥ 0"),
        (lambda: bounds.winnow_r(-1, 5), "cost is -1"),
        (lambda: bounds.halving(0), "size is 0"),
        (lambda: bounds.weighted_majority(5, 1, 0.0), "beta is 0.0"),
        (lambda: bounds.survivor_examples(5, 0), "s is 0"),
        (lambda: Margins.of([[1.0]], [1], [0.0]), "comparator is zero"),
        (lambda: Margins.of([[1.0]], [1], [1.0, 2.0]), "2 weights, X has 1"),
        (lambda: Margins.of([[1.0]], [1], [1.0], 1.0, fit_intercept=False), "intercept"),
        (lambda: bounds.novikoff_on(Margins(np.array([]), 1.0)), "no margins"),
        (lambda: bounds.novikoff_on(Margins(np.array([0.0]), 0.0)), "every example is zero"),
        (lambda: bounds.joined([]), "no margins to join"),
    ],
)
def test_bad_numbers_are_named(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
