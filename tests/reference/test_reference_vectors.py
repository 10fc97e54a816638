"""The reference learners: worked examples by hand, and the property that defines each learner."""

import itertools
import math
import random

import pytest

from thresher import reference as ref
from thresher.reference.mira import smallest_change
from thresher.reference.vectors import dot, with_bias


def columns(*values):
    """A row as a dict: x0, x1, …"""
    return {f"x{i}": float(value) for i, value in enumerate(values)}


def row(weights, n):
    """Weights as a row, the bias left out."""
    return tuple(weights[f"x{i}"] for i in range(n))


def random_stream(seed, length, labels, n=4, values=(0.0, 1.0)):
    random_ = random.Random(seed)
    return [
        (columns(*(random_.choice(values) for _ in range(n))), random_.choice(labels))
        for _ in range(length)
    ]


REALS = (-1.5, -0.25, 0.0, 0.5, 1.0, 2.0)

# ------------------------------------------------------------------ worked examples


def test_winnow_of_the_lecture():
    """Target x1 ∨ x2, θ = 2, α = 2: every example here is a mistake."""
    winnow = ref.Winnow(alpha=2.0, theta=2.0, n_features=4)
    expected = [
        ((0, 0, 1, 1), -1, (1, 1, 0.5, 0.5)),
        ((1, 0, 1, 0), +1, (2, 1, 1, 0.5)),
        ((0, 1, 0, 1), +1, (2, 2, 1, 1)),
    ]
    for x, y, after in expected:
        winnow.learn(columns(*x), y)
        assert row(winnow.weights(), 4) == after
    assert winnow.mistakes == winnow.updates == winnow.examples == 3


def test_perceptron_of_the_lecture():
    perceptron = ref.Perceptron(average=False, fit_intercept=False)
    perceptron.learn(columns(1, 0), -1)
    assert row(perceptron.weights(), 2) == (-1.0, 0.0)
    perceptron.learn(columns(0.8, 0.6), +1)
    assert row(perceptron.weights(), 2) == pytest.approx((-0.2, 0.6), abs=1e-15)


POINTS = [(columns(1, 1), +1), (columns(0.5, 3), +1), (columns(2, 2), -1)]


@pytest.mark.parametrize(
    "learner",
    [
        ref.Perceptron(average=False),
        ref.Perceptron(average=False, margin=0.5),
        ref.Perceptron(average=False, learning_rate=0.1),
        ref.BatchPerceptron(),
        ref.BatchPerceptron(fixed_increment=True),
        ref.BatchPerceptron(learning_rate=0.3),
    ],
)
def test_three_points_are_separated(learner):
    learner.fit(POINTS, max_epochs=10_000)
    assert learner.converged
    assert [learner.predict(x) for x, _ in POINTS] == [y for _, y in POINTS]


def test_a_zero_score_is_a_mistake():
    """A perceptron that waited for y·s < 0 would never leave w = 0."""
    perceptron = ref.Perceptron(average=False)
    perceptron.learn(*POINTS[0])
    assert perceptron.mistakes == perceptron.updates == 1
    assert perceptron.weights() == {"x0": 1.0, "x1": 1.0, ref.BIAS: 1.0}


def test_batch_perceptron_by_hand():
    """From w = 0 all three points are mistakes: Σ y·x = (−0.5, 2) and 1 for the bias."""
    assert ref.BatchPerceptron(fixed_increment=True).fit(POINTS, max_epochs=1).weights() == {
        "x0": -0.5,
        "x1": 2.0,
        ref.BIAS: 1.0,
    }
    mean = ref.BatchPerceptron(learning_rate=0.5).fit(POINTS, max_epochs=1).weights()
    assert row(mean, 2) == pytest.approx((-0.25 / 3, 1.0 / 3), rel=1e-15)


def test_batch_perceptron_with_many_classes():
    stream = [(columns(1, 0), "a"), (columns(0, 1), "b"), (columns(-1, -1), "c")]
    learner = ref.BatchPerceptron().fit(stream)
    assert learner.converged
    assert [learner.predict(x) for x, _ in stream] == ["a", "b", "c"]


def test_a_truth_table_that_no_line_separates_makes_the_weights_cycle():
    xor = [(columns(0, 0), 0), (columns(0, 1), 1), (columns(1, 0), 1), (columns(1, 1), 0)]
    learner = ref.Perceptron().fit(xor, max_epochs=None)
    assert learner.cycled and not learner.converged
    assert not ref.Perceptron(learning_rate="1/t").fit(xor, max_epochs=50).cycled


# ------------------------------------------------------------------ where a step lands


def margin_now(learner, x, y):
    return y * dot(learner.hypothesis(), with_bias(x))


@pytest.mark.parametrize("average", [False, True])
def test_passive_aggressive_lands_on_margin_one(average):
    learner = ref.PassiveAggressive(variant="PA", average=average)
    for x, y in random_stream(1, 200, (-1, +1), values=REALS):
        before = learner.updates
        learner.learn(x, y)
        if learner.updates > before:
            assert margin_now(learner, x, y) == pytest.approx(1.0, abs=1e-12)
        else:
            assert margin_now(learner, x, y) >= 1.0
    assert 50 < learner.updates < 200


def test_aggressive_perceptron_lands_on_its_margin():
    learner = ref.Perceptron(step="aggressive", margin=0.75)
    for x, y in random_stream(2, 200, (-1, +1), values=REALS):
        before = learner.updates
        learner.learn(x, y)
        if learner.updates > before:
            assert margin_now(learner, x, y) == pytest.approx(0.75, abs=1e-12)
    with pytest.raises(ValueError, match="margin"):
        ref.Perceptron(step="aggressive")


def test_normalised_lms_hits_its_target():
    learner = ref.LMS(normalized=True)
    for x, y in random_stream(3, 100, (-3.0, 0.5, 7.0), values=REALS):
        learner.learn(x, y)
        assert learner.predict(x) == pytest.approx(y, abs=1e-12)


def test_regressor_lands_within_epsilon():
    learner = ref.PassiveAggressiveRegressor(variant="PA", epsilon=0.25, average=False)
    for x, y in random_stream(4, 100, (-3.0, 0.5, 7.0), values=REALS):
        learner.learn(x, y)
        assert abs(learner.predict(x) - y) <= 0.25 + 1e-12


def test_the_cap_of_pa1_and_the_softness_of_pa2():
    x = columns(1, 1, 1)  # with the bias ‖x‖² = 4
    for variant, C, tau in [("PA-I", 0.125, 0.125), ("PA-I", 1.0, 0.25), ("PA-II", 0.5, 0.2)]:
        learner = ref.PassiveAggressive(variant=variant, C=C, average=False)
        learner.learn(x, +1)
        assert set(learner.weights().values()) == {tau}


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@pytest.mark.parametrize("labels", [(-1, +1), ("a", "b", "c", "d")])
def test_a_huge_C_gives_plain_passive_aggressive(variant, labels):
    stream = random_stream(5, 60, labels, values=REALS)
    plain = ref.PassiveAggressive(variant="PA").fit(stream)
    soft = ref.PassiveAggressive(variant=variant, C=1e14).fit(stream)
    assert_close(soft.weights(), plain.weights(), 1e-9)


def test_passive_aggressive_bound():
    """Σ ℓ² ≤ ‖u‖²·R² for any u that has no loss at all (Crammer et al. 2006, theorem 2)."""
    random_ = random.Random(6)
    u = {"x0": 2.0, "x1": -1.0, ref.BIAS: 0.5}
    total = largest = 0.0
    learner = ref.PassiveAggressive(variant="PA", average=False)
    for _ in range(300):
        x = columns(random_.uniform(-2, 2), random_.uniform(-2, 2))
        if abs(dot(u, with_bias(x))) < 1.0:
            continue
        y = 1 if dot(u, with_bias(x)) > 0 else -1
        total += max(0.0, 1.0 - y * learner.score(x)) ** 2 if learner.examples else 1.0
        largest = max(largest, dot(with_bias(x), with_bias(x)))
        learner.learn(x, y)
    assert 0.0 < total <= dot(u, u) * largest


# ------------------------------------------------------------------ MIRA


def lead(learner, x, y):
    scores = learner.score(x)
    return min(scores[y] - scores[r] for r in scores if r != y)


def test_mira_satisfies_all_constraints():
    learner = ref.MIRA(C=math.inf, margin=2.0, average=False)
    for x, y in random_stream(7, 120, "abcde", values=REALS):
        learner.learn(x, y)
        if len(learner.labels) > 2:
            assert lead(learner, x, y) > 2.0 - 1e-12


def test_mira_with_two_classes_is_pa1():
    stream = random_stream(8, 80, (0, 1), values=REALS)
    assert ref.MIRA(C=0.2).fit(stream).weights() == (
        ref.PassiveAggressive(C=0.2, variant="PA-I").fit(stream).weights()
    )


@pytest.mark.parametrize("cap", [0.05, 0.4, 1.5, math.inf])
def test_mira_makes_the_smallest_change(cap):
    """Against brute force over the set of rivals that are moved.

    The dual is: max Σ τ_r·ℓ_r − ½‖x‖²·(Σ τ_r² + (Σ τ_r)²) over τ ≥ 0, Σ τ ≤ cap. At its optimum
    some set of rivals has τ > 0, where the gradient is 0, or the same for all at the cap.
    """
    random_ = random.Random(9)
    for _ in range(50):
        losses = [max(0.0, random_.uniform(-1, 3)) for _ in range(5)]
        sqnorm = random_.uniform(0.2, 4.0)

        def dual(taus, losses=losses, sqnorm=sqnorm):
            gain = sum(tau * loss for tau, loss in zip(taus, losses, strict=True))
            return gain - 0.5 * sqnorm * (sum(tau * tau for tau in taus) + sum(taus) ** 2)

        best = 0.0
        for size in range(1, 6):
            for moved in itertools.combinations(range(5), size):
                total = sum(losses[r] for r in moved) / sqnorm
                for level in (total / (size + 1), (total - cap) / size):
                    if not math.isfinite(level):
                        continue
                    taus = [losses[r] / sqnorm - level if r in moved else 0.0 for r in range(5)]
                    if min(taus) >= 0.0 and sum(taus) <= cap * (1 + 1e-12):
                        best = max(best, dual(taus))
        found = smallest_change(losses, sqnorm, cap)
        assert min(found) >= 0.0 and sum(found) <= cap * (1 + 1e-12)
        assert dual(found) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("C", [0.1, 0.5, 10.0])
def test_mira_against_a_general_solver(C):
    """One step from given prototypes, as the primal quadratic programme says it."""
    numpy = pytest.importorskip("numpy")
    minimize = pytest.importorskip("scipy.optimize").minimize
    learner = ref.MIRA(C=C, average=False, fit_intercept=False)
    for x, y in random_stream(10, 12, "abcd", n=2, values=REALS):
        learner.learn(x, y)
    before = numpy.array([row(learner.hypothesis()[label], 2) for label in "abcd"])
    x, y = columns(1.5, -0.75), "c"
    point = numpy.array(row(x, 2))

    def leads(v):
        scores = (before + v[:-1].reshape(4, 2)) @ point
        return numpy.delete(scores[2] - scores, 2) - 1.0 + v[-1]

    def cost(v):
        return 0.5 * v[:-1] @ v[:-1] + C * v[-1]

    solved = minimize(
        cost,
        numpy.append(numpy.zeros(8), 1.0),
        jac=lambda v: numpy.append(v[:-1], C),
        constraints=[{"type": "ineq", "fun": leads}, {"type": "ineq", "fun": lambda v: v[-1]}],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert solved.success
    learner.learn(x, y)
    after = numpy.array([row(learner.hypothesis()[label], 2) for label in "abcd"])
    change = numpy.append((after - before).ravel(), 0.0)
    change[-1] = max(0.0, -min(leads(change)))  # the slack ξ that is left
    assert cost(change) == pytest.approx(cost(solved.x), abs=1e-8)
    assert change == pytest.approx(solved.x, abs=1e-5)


# ------------------------------------------------------------------ Winnow


@pytest.mark.parametrize("options", [{}, {"demotion": "eliminate"}, {"floor": 0.5}, {"margin": 1}])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("labels", [(-1, +1), "abc"])
def test_negations_are_winnow_on_twice_the_columns(options, average, labels):
    n = 5
    short = ref.Winnow(negations=True, n_features=n, average=average, **options)
    long = ref.Winnow(n_features=2 * n, average=average, **options)
    stream = random_stream(11, 150, labels, n=n, values=(0.0, 0.25, 1.0))
    for x, y in stream:
        double = columns(*row(x, n), *(1.0 - value for value in row(x, n)))
        assert short.score(x) == pytest.approx(long.score(double), rel=1e-12, abs=1e-9)
        short.learn(x, y)
        long.learn(double, y)
    assert short.mistakes == long.mistakes and short.updates == long.updates
    for label in labels if len(labels) > 2 else [None]:
        shown = short.literals(label)
        assert [shown[f"x{i}"] for i in range(n)] + [shown[f"not x{i}"] for i in range(n)] == list(
            long.literals(label).values()
        )


@pytest.mark.parametrize("options", [{}, {"demotion": "eliminate"}, {"floor": 0.75}])
def test_a_literal_joins_with_the_weight_it_would_have_had(options):
    """Names as they come, or the same columns from the start. (An endless margin makes every
    example an update, so the weights do not hang on the scores.)"""
    options = {"negations": True, "average": True, "alpha": 1.25, "margin": math.inf} | options
    early, late = ref.Winnow(n_features=8, **options), ref.Winnow(**options)
    for k, y in enumerate([1, 1, -1, 1, -1, 1, 1, 1]):
        x = {"x0": 1.0, f"x{k}": 0.5}
        early.learn(x, y)
        late.learn(x, y)
    assert late.literals() == early.literals()
    assert late.updates == 8


def test_theta_is_the_number_of_features():
    named = ref.Winnow()
    named.learn({"a": 1.0}, -1)  # 1 ≥ 1: a false positive
    assert named.mistakes == 1
    named.learn({"b": 1.0}, -1)  # 1 < 2
    assert named.mistakes == 1
    assert named.weights()[ref.BIAS] == -2.0
    assert ref.Winnow(negations=True, n_features=3).score({}) == 3.0 - 6.0


def test_elimination_and_floor():
    for options, expected in [
        ({"demotion": "eliminate"}, 0.0),
        ({"floor": 0.5, "alpha": 8.0}, 0.5),
        ({"alpha": 8.0}, 0.125),
    ]:
        winnow = ref.Winnow(theta=1.0, **options)
        winnow.learn({"a": 1.0}, -1)
        assert winnow.weights()["a"] == expected


def test_weights_never_leave_their_range():
    winnow = ref.Winnow(theta=0.5)
    winnow.learn({"a": 1.0}, -1, weight=5000.0)
    assert winnow.weights()["a"] == 1e-150 and winnow.clamped == 1
    winnow.learn({"a": 1.0}, +1, weight=5000.0)
    assert winnow.weights()["a"] == 1e150 and winnow.clamped == 2
    balanced = ref.BalancedWinnow(scaled=False, fit_intercept=False)
    balanced.learn({"a": -5000.0}, -1)
    assert balanced.weights()["a"] == 1e150 and balanced.clamped == 2


def test_winnow_takes_values_between_zero_and_one():
    with pytest.raises(ValueError, match=r"'a' is 2\.0.*clip=True"):
        ref.Winnow().learn({"a": 2.0}, 1)
    clipped, plain = ref.Winnow(clip=True), ref.Winnow()
    for x, y in random_stream(13, 60, (0, 1), values=(-2.0, 0.5, 3.0)):
        clipped.learn(x, y)
        plain.learn({name: min(max(v, 0.0), 1.0) for name, v in x.items()}, y)
    assert clipped.weights() == plain.weights()


def test_winnow_finds_a_disjunction_within_its_bound():
    """x0 ∨ x1 among n = 32: promotions u ≤ k(1 + log2 n), mistakes ≤ 3u + 2."""
    random_ = random.Random(14)
    winnow = ref.Winnow(n_features=32)
    for _ in range(2000):
        x = columns(*(float(random_.random() < 0.1) for _ in range(32)))
        winnow.learn(x, +1 if x["x0"] or x["x1"] else -1)
    assert winnow.mistakes <= 3 * 2 * (1 + math.log2(32)) + 2


def test_balanced_winnow_by_hand():
    learner = ref.BalancedWinnow(alpha=2.0, fit_intercept=False)
    learner.learn({"a": -1.0, "b": 1.0}, -1)  # s = 0 is a mistake: w⁺÷2^x, w⁻×2^x
    assert learner.weights() == {"a": 2.0 - 0.5, "b": 0.5 - 2.0, ref.BIAS: 0.0}
    learner.learn({"a": 1.0, "b": 1.0}, +1)  # s = 0 again: a promotion
    assert learner.weights() == {"a": 4.0 - 0.25, "b": 0.0, ref.BIAS: 0.0}


# ------------------------------------------------------------------ averages

AVERAGED = [
    ref.Perceptron,
    ref.PassiveAggressive,
    ref.MIRA,
    ref.BalancedWinnow,
    lambda **options: ref.Winnow(negations=True, clip=True, n_features=4, **options),
    ref.PassiveAggressiveRegressor,
    ref.LMS,
]


@pytest.mark.parametrize("make", AVERAGED)
@pytest.mark.parametrize("burn_in", [0, 7])
def test_averaged_is_the_mean_of_the_trajectory(make, burn_in):
    learner = make(average=True, burn_in=burn_in)
    sums, clock = {}, 0.0
    random_ = random.Random(15)
    for t, (x, y) in enumerate(random_stream(16, 60, (-1, 1), values=REALS), start=1):
        weight = random_.choice([0.5, 1.0, 3.0])
        learner.learn(x, y, weight)
        if t > burn_in:
            clock += weight
            for name, w in learner.hypothesis().items():
                sums[name] = sums.get(name, 0.0) + weight * w
        else:
            assert learner.weights() == learner.hypothesis()
    assert_close(learner.weights(), {name: total / clock for name, total in sums.items()}, 1e-9)


def test_the_lazy_average_equals_the_honest_one():
    """avg = w − u/clock with u = Σ clock·Δw: what a fast engine keeps."""
    learner = ref.Perceptron(average=True, fit_intercept=False)
    w, u, clock = {}, {}, 0.0
    for x, y in [(columns(1, 0), -1), *random_stream(17, 50, (-1, 1), values=REALS)]:
        learner.learn(x, y)
        now = learner.hypothesis()
        for name in now:
            u[name] = u.get(name, 0.0) + clock * (now[name] - w.get(name, 0.0))
        w, clock = now, clock + 1.0
    assert_close(learner.weights(), {name: w[name] - u[name] / clock for name in w}, 1e-12)


# ------------------------------------------------------------------ labels as they come


@pytest.mark.parametrize("make", [ref.Perceptron, ref.PassiveAggressive, ref.BalancedWinnow])
@pytest.mark.parametrize("first", ["a", "b"])
def test_the_lone_label_is_read_both_ways(make, first):
    """However long only one label is seen, the outcome is that of y = ±1 known from the start."""
    stream = [(x, first) for x, _ in random_stream(18, 9, (0,), values=REALS)]
    stream += random_stream(19, 30, "ab", values=REALS)
    named = make().fit(stream)
    signed = make()
    signed._meet(-1)
    signed._meet(+1)
    signed.fit([(x, {"a": -1, "b": +1}[y]) for x, y in stream])
    assert named.weights() == signed.weights()
    assert named.mistakes == signed.mistakes and named.updates == signed.updates


def test_a_lone_label_is_shown_as_positive_unless_it_is_not():
    for label, bias in [(1, 1.0), ("no", 1.0), (0, -1.0), (False, -1.0), (-1, -1.0)]:
        learner = ref.Perceptron(average=False)
        learner.learn({}, label)
        assert learner.weights() == {ref.BIAS: bias}
        assert learner.predict({}) == label


@pytest.mark.parametrize("average", [False, True])
def test_a_third_class_splits_the_machine(average):
    two = random_stream(20, 40, "ab", values=REALS)
    x = columns(1, 0, -1, 0.5)
    for make, part in [(ref.Perceptron, 1.0), (ref.PassiveAggressive, 0.5), (ref.MIRA, 0.5)]:
        learner = make(average=average).fit(two)
        w, score = learner.weights(), learner.score(x)
        learner._meet("c")
        assert learner.weights()["b"] == {name: part * value for name, value in w.items()}
        assert learner.weights()["a"] == {name: -part * value for name, value in w.items()}
        assert set(learner.weights()["c"].values()) == {0.0}
        scores = learner.score(x)
        assert scores["b"] - scores["a"] == pytest.approx(2 * part * score, abs=1e-12)


def test_the_perceptron_of_two_prototypes_is_the_one_vector():
    """Before the third class comes, ±w is what two prototypes would have learned."""
    stream = random_stream(21, 50, "ab", values=REALS)
    one = ref.Perceptron(average=False).fit(stream)
    two = ref.Perceptron(average=False)
    for label in "abc":
        two._meet(label)
    two.shown.prototypes.pop("c")
    two.fit(stream)
    assert two.weights()["b"] == one.weights()
    assert two.mistakes == one.mistakes


def test_ultraconservative_step_by_hand():
    learner = ref.Perceptron(average=False, fit_intercept=False)
    learner.learn({"p": 1.0}, "a")
    learner.learn({"q": 1.0}, "b")
    learner.learn({"p": 1.0}, "c")  # ahead is a: w_c gains, w_a loses, w_b stays
    assert learner.weights() == {
        "a": {"p": 0.0, "q": -1.0},
        "b": {"p": -1.0, "q": 1.0},
        "c": {"p": 1.0, "q": 0.0},
    }
    assert learner.mistakes == 3


@pytest.mark.parametrize("make", AVERAGED[:5])
@pytest.mark.parametrize("labels", [(-1, 1), "abcd"])
def test_weights_are_the_function_that_scores(make, labels):
    learner = make(average=True).fit(random_stream(22, 60, labels, values=REALS))
    x = columns(0.5, 0, 1, 1)
    w, score = learner.weights(), learner.score(x)
    if isinstance(score, float):
        w, score = {None: w}, {None: score}
    for label in score:
        assert dot(w[label], with_bias(x)) == pytest.approx(score[label], rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("make", AVERAGED)
def test_weights_of_examples(make):
    stream = random_stream(23, 30, (-1, 1), values=REALS)
    plain, diluted = make(), make()
    for x, y in stream:
        plain.learn(x, y)
        diluted.learn(x, y)
        diluted.learn({"never": 1.0, "x0": 0.5}, 99, 0.0)
    assert plain.weights() == diluted.weights() and plain.examples == diluted.examples
    with pytest.raises(ValueError, match="weight"):
        plain.learn(*stream[0], -1.0)


# ------------------------------------------------------------------ LMS


def test_lms_by_hand():
    learner = ref.LMS(learning_rate=0.5)
    learner.learn({"a": 2.0}, 3.0)
    assert learner.weights() == {"a": 3.0, ref.BIAS: 1.5}
    learner.learn({"a": 1.0}, 3.5, 2.0)  # r = −1, twice as important
    assert learner.weights() == {"a": 2.0, ref.BIAS: 0.5}


def test_stability_of_lms():
    """Below 2/λ_max the mean converges on these inputs, above it the error is raised."""
    random_ = random.Random(24)
    X = [columns(random_.gauss(0, 3), random_.gauss(0, 1)) for _ in range(400)]
    limit = ref.lms_stability(X)
    numpy = pytest.importorskip("numpy")
    rows = numpy.array([(*row(x, 2), 1.0) for x in X])
    values = numpy.linalg.eigvalsh(rows.T @ rows / len(rows))
    assert limit.lambda_min == pytest.approx(values[0], rel=1e-12)
    assert limit.lambda_max == pytest.approx(values[-1], rel=1e-12)
    assert limit.eta_max == pytest.approx(2.0 / values[-1], rel=1e-12)
    stream = [(x, 2.0 * x["x0"] - x["x1"] + 1.0) for x in X]
    auto = ref.LMS().fit(stream, max_epochs=20)
    assert row(auto.weights(), 2) == pytest.approx((2.0, -1.0), abs=1e-3)
    wild = ref.LMS(learning_rate=4.0 * limit.eta_max)
    with pytest.raises(ref.DivergenceError, match="smaller learning rate"):
        wild.fit(stream, max_epochs=100)
    assert all(math.isfinite(w) for w in wild.weights().values())


def test_auto_rate_by_hand():
    """One feature: λ_max and the trace are both the mean of x², so η = 1/(3·mean)."""
    learner = ref.LMS(fit_intercept=False)
    learner.learn({"a": 1.0}, 3.0)
    assert learner.weights()["a"] == pytest.approx(1.0, rel=1e-15)
    learner.learn({"a": 3.0}, 0.0)  # mean of squares 5: η = 1/15, but at most 1/9
    assert learner.weights()["a"] == pytest.approx(1.0 - 9.0 / 15.0, rel=1e-12)


# ------------------------------------------------------------------ probabilities


def test_probabilities_are_calibrated():
    random_ = random.Random(25)
    for labels in [(0, 1), (0, 1, 2)]:
        learner = ref.Perceptron(calibrate=True)
        predicted, happened = 0.0, 0
        for t in range(3000):
            y = random_.choice(labels)
            x = {f"x{k}": random_.gauss(float(k == y), 1.0) for k in labels}
            if t > 1000:
                p = learner.predict_proba(x)
                assert sum(p.values()) == pytest.approx(1.0)
                predicted += max(p.values())
                happened += p[y] == max(p.values())
            learner.learn(x, y)
        assert predicted == pytest.approx(happened, rel=0.08)


def assert_close(actual, expected, rel):
    """Equal vectors, or equal vectors for each label."""
    assert actual.keys() == expected.keys()
    for key in expected:
        if isinstance(expected[key], dict):
            assert_close(actual[key], expected[key], rel)
        else:
            assert actual[key] == pytest.approx(expected[key], rel=rel, abs=rel)
