"""The learners on fractions: nothing is rounded, so ties and cycles are those on paper."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from thresher import reference as ref
from thresher.reference import exact, kernel, trace

# There are dozens of such tests.
few = settings(max_examples=max(8, settings.default.max_examples // 5))

NUMBERS = st.sampled_from([-2, -1, 0, 1, 3])
BITS = st.sampled_from([0, 1])

# Learners whose steps are fractions, with options that no float holds.
LEARNERS: list[tuple[Any, dict[str, Any]]] = [
    (ref.Perceptron, {}),
    (ref.Perceptron, {"learning_rate": 0.1, "average": False}),
    (ref.Perceptron, {"learning_rate": 0.3, "margin": 0.7, "burn_in": 2}),
    (ref.Perceptron, {"learning_rate": "1/t"}),
    (ref.Perceptron, {"step": "aggressive", "margin": 0.1, "intercept_scaling": 3}),
    (ref.Perceptron, {"multiclass": "one-vs-rest", "learning_rate": 0.1}),
    (ref.PassiveAggressive, {"variant": "PA", "average": False}),
    (ref.PassiveAggressive, {"C": 0.1}),
    (ref.PassiveAggressive, {"variant": "PA-II", "C": 0.7, "intercept_scaling": 3}),
    (ref.MIRA, {"C": 0.3}),
    (ref.MIRA, {"constraints": "one", "margin": 0.1}),
    (ref.AROW, {"r": 0.3}),
    (ref.TruncatedPerceptron, {"keep": 2, "learning_rate": 0.1}),
    (ref.BatchPerceptron, {"learning_rate": 0.1}),
    (ref.BatchPerceptron, {"learning_rate": "1/t", "fit_intercept": False}),
    (ref.KernelPerceptron, {"kernel": kernel.polynomial(2)}),
    (ref.KernelPerceptron, {"kernel": kernel.polynomial(3, coef0=0.5), "prediction": "last"}),
    (ref.VotedPerceptron, {}),
]
WINNOW = [
    (ref.Winnow, {"alpha": 1.1}),
    (ref.Winnow, {"alpha": 1.5, "theta": 0.7, "negations": True, "average": True}),
    (ref.Winnow, {"floor": 0.3, "margin": 0.1}),
    (ref.Winnow, {"demotion": "eliminate"}),
    (ref.BalancedWinnow, {"alpha": 1.1, "theta": 0.3, "scaled": False}),
    (ref.BalancedWinnow, {"average": True, "fit_intercept": False, "scaled": False}),
]
REGRESSORS = [
    (ref.LMS, {"learning_rate": 0.1}),
    (ref.LMS, {"learning_rate": "1/t", "average": True}),
    (ref.LMS, {"normalized": True, "learning_rate": 0.3}),
    (ref.PassiveAggressiveRegressor, {"epsilon": 0.1, "C": 0.3}),
    (ref.PassiveAggressiveRegressor, {"variant": "PA", "average": False}),
]


def said(part: Any) -> str:
    if isinstance(part, dict):
        return "-".join(f"{k}={v.__name__ if callable(v) else v}" for k, v in part.items())
    return str(part.__name__)


def examples(values: Any, labels: Any, least: int = 1) -> Any:
    """Streams of sparse examples; one may have no feature at all."""
    x = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
    weight = st.sampled_from([1, 2, 0.1])
    return st.lists(st.tuples(x, labels, weight), min_size=least, max_size=9)


def rational(value: Any) -> bool:
    if isinstance(value, dict):
        return all(rational(part) for part in value.values())
    return isinstance(value, (int, Fraction))


def tells_fractions(learner: Any, stream: list[tuple[Any, ...]]) -> None:
    for x, *_ in stream:
        assert rational(learner.score(x))
        learner.predict(x)
    if not isinstance(learner.learner, ref.KernelPerceptron):
        assert rational(learner.weights())
    if isinstance(learner.learner, (ref.Perceptron, ref.PassiveAggressive)):
        assert rational(learner.hypothesis())


@pytest.mark.parametrize(("make", "options"), LEARNERS, ids=said)
@few
@given(stream=examples(NUMBERS, st.sampled_from([-1, 1]) | st.sampled_from([0, 1, 2])))
def test_classifiers_tell_fractions(make: Any, options: Any, stream: Any) -> None:
    tells_fractions(exact(make, **options).fit(stream, max_epochs=3), stream)


@pytest.mark.parametrize(("make", "options"), WINNOW, ids=said)
@few
@given(data=st.data())
def test_winnow_tells_fractions(make: Any, options: Any, data: Any) -> None:
    stream = data.draw(examples(BITS if make is ref.Winnow else NUMBERS, st.booleans()))
    stream = [(x, y, max(1, int(weight))) for x, y, weight in stream]  # α^0.1 is no fraction
    tells_fractions(exact(make, **options).fit(stream, max_epochs=3), stream)


@pytest.mark.parametrize(("make", "options"), REGRESSORS, ids=said)
@few
@given(stream=examples(NUMBERS, st.sampled_from([-1, 0.1, 3])))
def test_regressors_tell_fractions(make: Any, options: Any, stream: Any) -> None:
    learner = exact(make, **options)
    for example in stream:
        try:
            learner.learn(*example)
        except ref.DivergenceError:
            break
    tells_fractions(learner, stream)


# ------------------------------------------------------------------ the same as floats, where exact

DYADIC = [
    (ref.Perceptron, {"average": False}),
    (ref.Perceptron, {"average": False, "learning_rate": 0.25, "margin": 0.5}),
    (ref.Perceptron, {"average": False, "multiclass": "one-vs-rest"}),
    (ref.BatchPerceptron, {"fixed_increment": True}),
    (ref.KernelPerceptron, {"kernel": kernel.polynomial(2), "prediction": "last"}),
    (ref.BalancedWinnow, {"alpha": 2.0, "scaled": False}),
]


@pytest.mark.parametrize(("make", "options"), DYADIC, ids=said)
@few
@given(stream=examples(NUMBERS, st.sampled_from([0, 1, 2])))
def test_where_floats_are_exact_both_agree(make: Any, options: Any, stream: Any) -> None:
    stream = [example[:2] for example in stream]
    found = exact(make, **options).fit(stream, max_epochs=3)
    floats = make(**options).fit(
        [({k: float(v) for k, v in x.items()}, y) for x, y in stream], max_epochs=3
    )
    assert (found.mistakes, found.updates) == (floats.mistakes, floats.updates)
    for x, _ in stream:
        assert found.score(x) == floats.score(x)
    if not isinstance(floats, ref.KernelPerceptron):
        assert found.weights() == floats.weights()


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (ref.Perceptron, {"learning_rate": Fraction(1, 10)}),
        (ref.PassiveAggressive, {"C": Fraction(1, 10)}),
        (ref.MIRA, {"C": Fraction(3, 10)}),
    ],
    ids=said,
)
@few
@given(stream=examples(NUMBERS, st.sampled_from([-1, 1])))
def test_fractions_as_they_are(make: Any, options: Any, stream: Any) -> None:
    """No `exact` is needed where all that is given is a Fraction."""
    given_as_fractions = [({k: Fraction(v) for k, v in x.items()}, y) for x, y, _ in stream]
    plain = make(**options).fit(given_as_fractions, max_epochs=2)
    read = exact(make, **options).fit([(x, y) for x, y, _ in stream], max_epochs=2)
    assert plain.weights() == read.weights()
    assert rational(read.weights())


# ------------------------------------------------------------------ what is true on paper


@pytest.mark.parametrize("variant", ["PA", "PA-II"])
@given(stream=examples(NUMBERS, st.sampled_from([-1, 1])))
def test_a_passive_aggressive_step_lands_on_its_margin(variant: str, stream: Any) -> None:
    learner = exact(ref.PassiveAggressive, variant=variant, C=0.3, average=False)
    for x, y, _ in [({}, 1, 1), ({}, -1, 1), *stream]:
        before, sqnorm = y * learner.score(x), 1 + sum(v * v for v in x.values())
        learner.learn(x, y)
        if before < 1:
            share = 1 if variant == "PA" else sqnorm / (sqnorm + Fraction(1, 2) / Fraction("0.3"))
            assert y * learner.score(x) == before + (1 - before) * share


@given(stream=examples(NUMBERS, st.sampled_from([-1, 1])), rate=st.sampled_from([0.1, 0.3, 7]))
def test_a_constant_rate_changes_nothing_but_the_scale(stream: Any, rate: float) -> None:
    one, other = exact(ref.Perceptron), exact(ref.Perceptron, learning_rate=rate)
    for learner in (one, other):
        learner.fit([example[:2] for example in stream], max_epochs=4)
    assert one.mistakes == other.mistakes
    scaled = {name: w * Fraction(str(rate)) for name, w in one.weights().items()}
    assert other.weights() == scaled


# Three examples that a line separates. In floats some scores of theirs that are 0 on paper are not.
TIES = [({"a": 0.0, "b": 1.0}, -1), ({"a": -2.0, "b": -1.0}, -1), ({"a": -2.0, "b": 3.0}, 1)]


def test_in_floats_a_constant_rate_changes_the_mistakes() -> None:
    """η = 1, 0.1, 0.3: three numbers of mistakes in floats, of the engine too; one in fractions."""
    X, y = [[*x.values()] for x, _ in TIES], [label for _, label in TIES]
    floats, fast, fractions = [], [], []
    for rate in (1, 0.1, 0.3):
        options = {"learning_rate": rate, "average": False}
        floats.append(ref.Perceptron(**options).fit(TIES, max_epochs=5).mistakes)
        fast.append(thresher.Perceptron(**options, max_epochs=5).fit(X, y).mistakes_)
        fractions.append(exact(ref.Perceptron, **options).fit(TIES, max_epochs=5).mistakes)
    assert floats == fast == [8, 5, 4]
    assert fractions == [8, 8, 8]  # η = 1 keeps whole numbers


@given(
    labels=st.lists(st.sampled_from([-1, 1]), min_size=4, max_size=4),
    rate=st.sampled_from([1, 0.1, 0.3, 0.7]),
)
def test_the_cycling_theorem(labels: list[int], rate: float) -> None:
    """Whole numbers, a constant η: it ends by converging or by weights that come back."""
    corners = [{"a": a, "b": b} for a, b in itertools.product((0, 1), repeat=2)]
    learner = exact(ref.Perceptron, learning_rate=rate)
    learner.fit(list(zip(corners, labels, strict=True)), max_epochs=None)
    xor = labels[0] == labels[3] != labels[1] == labels[2]
    assert (learner.converged, learner.cycled) == (not xor, xor)


# ------------------------------------------------------------------ what leaves the fractions


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (ref.Perceptron, {"learning_rate": "1/sqrt(t)"}),
        (ref.Perceptron, {"calibrate": True}),
        (ref.ConfidenceWeighted, {}),
        (ref.KernelPerceptron, {"kernel": kernel.rbf()}),
        (ref.LMS, {}),
    ],
    ids=said,
)
def test_roots_and_exponentials_are_refused(make: Any, options: Any) -> None:
    learner = exact(make, **options)
    with pytest.raises(ArithmeticError, match="is a float, which exact numbers do not mix with"):
        for x in ({"a": 1, "b": 2}, {"a": 3, "b": 1}, {"b": 5}):
            learner.learn(x, 1)
            learner.learn(x, -1)


def test_powers_that_are_no_fractions_are_refused() -> None:
    with pytest.raises(ArithmeticError, match="take whole exponents"):
        exact(ref.Winnow).learn({"a": 0.5, "b": 1}, -1)
    with pytest.raises(ValueError, match="inf is no fraction"):
        exact(ref.MIRA, C=float("inf"))


def test_a_trace_is_the_run() -> None:
    """002's steps by hand: w = (0, 0), (1, 1)+, (3, 0)−, then all right."""
    stream = [({"a": 1, "b": 1}, 1), ({"a": 3}, -1), ({"b": 1}, 1)]
    steps = trace(exact(ref.Perceptron, average=False, fit_intercept=False), stream)
    assert [step.updated for step in steps] == [True, True, False]
    assert [step.score for step in steps] == [0, 3, 1]
    assert steps[-1].weights == {"a": -2, "b": 1}
    floats = trace(ref.Perceptron(average=False, fit_intercept=False), stream)
    assert [step[3:] for step in floats] == [step[3:] for step in steps]
