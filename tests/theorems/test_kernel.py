"""Kernel and voted perceptron: their theorems and their limits."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams import Stream, exact_streams
from thresher import KernelPerceptron, Perceptron, VotedPerceptron
from thresher.learners.table import by_short

PERCEPTRON = by_short("perceptron")
PLANES = {"fit_intercept": True}, {"fit_intercept": False}
MULTICLASS = ("ultraconservative", "one-vs-rest")


# ------------------------------------------------------------ Novikoff, in the kernel's space


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "rbf", "gamma": 0.7}, {"kernel": "polynomial", "degree": 2},
        {"kernel": "polynomial", "degree": 3, "coef0": 0.0, "fit_intercept": False},
        {"kernel": "linear"},
    ],
    ids=str,
)  # fmt: skip
@given(seed=st.integers(0, 2**32 - 1))
def test_mistakes_are_at_most_R2_over_gamma2(options: dict[str, Any], seed: int) -> None:
    """A function Σ b_j·K(z_j, ·) of norm ‖u‖ labels the examples; γ is its least |score|/‖u‖."""
    rng = np.random.default_rng(seed)
    truth = KernelPerceptron(**options).fit(rng.normal(size=(6, 3)), [0, 1, 0, 1, 1, 0])
    b = truth.support_coef_[:, 1]
    centres = truth._machine.support.rows.dense(3)
    norm = np.sqrt(b @ truth.kernel_values(centres) @ b)
    X = rng.normal(size=(400, 3))
    scores = truth.kernel_values(X) @ b
    clear = np.abs(scores) >= 0.2 * np.abs(scores).max()
    X, y, gamma = X[clear], scores[clear] > 0, np.abs(scores[clear]).min() / norm
    model = KernelPerceptron(**options, max_epochs=None).fit(X, y)
    R2 = model_K(model, max(X, key=np.linalg.norm))  # K(x, x) grows with ‖x‖, or is constant
    assert model.converged_
    assert model.mistakes_ <= R2 / gamma**2
    assert (model.set_params(prediction="last").predict(X) == y).all()


def model_K(model: KernelPerceptron, x: np.ndarray) -> float:
    """K(x, x), the bias included."""
    one = KernelPerceptron(
        model.kernel, model.gamma, model.coef0, model.degree, fit_intercept=model.fit_intercept
    )
    return float(one.fit(x[None], [1]).kernel_values(x[None])[0, 0])


def test_xor_is_separable_by_a_polynomial_and_not_by_a_line() -> None:
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    assert KernelPerceptron("polynomial", degree=2, max_epochs=None).fit(X, y).converged_
    assert KernelPerceptron("rbf", max_epochs=None).fit(X, y).converged_
    assert not KernelPerceptron("linear", max_epochs=200).fit(X, y).converged_


# ------------------------------------------------------------ with the linear kernel


@pytest.mark.filterwarnings("ignore::thresher.errors.NotSeparableWarning")
@pytest.mark.parametrize("multiclass", MULTICLASS)
@pytest.mark.parametrize("plane", PLANES, ids=str)
@given(stream=exact_streams(PERCEPTRON, {}))
def test_the_linear_kernel_is_the_perceptron(
    stream: Stream, plane: dict[str, bool], multiclass: str
) -> None:
    """The same mistakes, the same scores, last and averaged; on dyadic numbers all are exact."""
    for average, prediction in ((False, "last"), (True, "averaged")):
        options = {"multiclass": multiclass, "max_epochs": 2, **plane}
        primal = Perceptron(average=average, **options)
        primal.fit(stream.X, stream.labels, sample_weight=stream.weights)
        for cls in (KernelPerceptron, VotedPerceptron):
            dual = cls(kernel="linear", prediction=prediction, **options)
            dual.fit(stream.X, stream.labels, sample_weight=stream.weights)
            assert (dual.mistakes_, dual.updates_, dual.epochs_) == (
                primal.mistakes_, primal.updates_, primal.epochs_,
            )  # fmt: skip
            if len(primal.classes_) == 1:
                continue
            found, expected = dual.decision_function(stream.X), primal.decision_function(stream.X)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            if prediction == "last":
                np.testing.assert_array_equal(dual.predict(stream.X), primal.predict(stream.X))


# ------------------------------------------------------------ votes


@given(seed=st.integers(0, 2**32 - 1), classes=st.sampled_from([2, 4]))
def test_one_voter_is_the_last_hypothesis(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 4)), rng.integers(classes, size=80)
    model = VotedPerceptron(max_hypotheses=1).fit(X, y)
    votes = model.predict(X)
    np.testing.assert_array_equal(votes, model.set_params(prediction="last").predict(X))
    model.set_params(prediction="voted", max_hypotheses=model.n_support_)
    every = model.decision_function(X)
    model.set_params(max_hypotheses=None)
    np.testing.assert_array_equal(model.decision_function(X), every)


@pytest.mark.parametrize("burn_in", [0, 25])
@given(seed=st.integers(0, 2**32 - 1))
def test_votes_are_those_of_the_primal_hypotheses(burn_in: int, seed: int) -> None:
    """Exact: every weight vector that the perceptron ever had, each with its own examples."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, size=(60, 3)) / 8  # exact, so that ties are ties
    y = rng.integers(2, size=60)
    primal = Perceptron(average=False)
    votes = np.zeros(60)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        primal.partial_fit(x[None], [label], classes=[0, 1])
        if t >= burn_in:
            votes += np.where(primal.decision_function(X) >= 0.0, 1.0, -1.0)
    dual = VotedPerceptron(burn_in=burn_in).partial_fit(X, y)
    np.testing.assert_allclose(dual.decision_function(X), votes / (60 - burn_in), atol=1e-12)
    assert dual.survived_.sum() == 60 - burn_in
    assert dual.n_support_ == dual.mistakes_  # memory: the mistakes, no more
    np.testing.assert_array_equal(dual.predict(X), (votes >= 0).astype(int))


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_vote_is_wrong_at_most_twice_as_often_as_mistakes_are_made(
    m: int, fit_intercept: bool
) -> None:
    """Leave one out, counted out: every stream of m + 1 of five labelled points, one of them noise.

    P(the vote over m is wrong on the next) ≤ 2·E[mistakes on m + 1]/(m + 1)."""
    points = [([1.0, 2.0], 1), ([2.0, -1.0], 1), ([-1.0, -0.5], -1), ([-2.0, 1.0], -1),
              ([0.5, 1.0], -1)]  # fmt: skip
    wrong = mistakes = streams = 0
    for stream in itertools.product(points, repeat=m + 1):
        X, y = [list(column) for column in zip(*stream, strict=True)]
        model = VotedPerceptron(fit_intercept=fit_intercept)
        model.partial_fit(X[:m], y[:m], classes=[-1, 1])
        wrong += model.predict(X[m:])[0] != y[m]
        mistakes += model.partial_fit(X[m:], y[m:]).mistakes_
        streams += 1
    assert wrong / streams <= 2 * mistakes / streams / (m + 1)
    assert wrong / streams > 0.2 * mistakes / streams / (m + 1)  # the bound says something here


def test_one_vs_rest_is_a_voted_perceptron_for_each_class() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 4))
    y = np.concatenate([[0, 1, 2], rng.integers(3, size=117)])
    joint = VotedPerceptron(multiclass="one-vs-rest", kernel="polynomial", burn_in=3).fit(X, y)
    for r in range(3):
        own = joint.support_coef_[:, r] != 0
        sums = np.cumsum(joint.kernel_values(X) * joint.support_coef_[:, r], axis=1)
        first = int(np.argmax(own))
        votes = np.where(sums >= 0, 1.0, -1.0)[:, first:] @ joint.survived_[first:]
        np.testing.assert_allclose(joint.decision_function(X)[:, r], votes / 117, atol=1e-12)


# ------------------------------------------------------------ the budget

FORGET = ("oldest", "smallest", "random")


@pytest.mark.parametrize("multiclass", MULTICLASS)
@pytest.mark.parametrize("forget", FORGET)
@given(seed=st.integers(0, 2**32 - 1), classes=st.sampled_from([2, 3, 5]))
def test_with_a_budget_the_newest_hypotheses_vote_as_they_were(
    forget: str, multiclass: str, seed: int, classes: int
) -> None:
    """Exact: the answers of the last hypothesis, written down after every example of the run."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, size=(40, 3)) / 8  # exact, so that ties are ties
    y = np.concatenate([np.arange(classes), rng.integers(classes, size=40 - classes)])
    budget = int(rng.integers(1, 9))
    model = KernelPerceptron(
        "polynomial", degree=2, budget=budget, forget=forget, random_state=seed,
        multiclass=multiclass, prediction="last",
    )  # fmt: skip
    scores, votes, made = [], [], []
    for x, label in zip(X, y, strict=True):
        model.partial_fit(x[None], [label])
        known = np.searchsorted(np.arange(classes), model.classes_)
        now = np.zeros((40, classes))
        decisions = model.decision_function(X)
        now[:, known] = (
            np.stack([-decisions, decisions], axis=1) if len(known) == 2
            else decisions.reshape(40, -1)
        )  # fmt: skip
        cast = np.zeros((40, classes))
        if multiclass == "one-vs-rest" or classes == 2:
            cast[:, known] = np.where(now[:, known] >= 0.0, 1.0, -1.0)
        else:
            cast[np.arange(40), model.predict(X)] = 1.0
        scores.append(now)
        votes.append(cast)
        made.append(model.updates_)
    if classes == 2:
        scores[0][:, 1] = -scores[0][:, 0]  # the second class is the first one's mirror image
        votes = [np.where(s[:, 1:] >= 0.0, [[-1.0, 1.0]], [[1.0, -1.0]]) for s in scores]
    elif multiclass == "one-vs-rest":
        votes[0][:, 1] = np.where(-scores[0][:, 0] >= 0.0, 1.0, -1.0)
        scores[0][:, 1] = -scores[0][:, 0]
    else:
        scores[0][:, 1] = -scores[0][:, 0]
        votes[0] = np.eye(classes)[np.argmax(scores[0][:, :2], axis=1)]
    kept = np.array(made) > model.updates_ - budget
    assert model.survived_.sum() == kept.sum()
    assert model._machine.past.size < budget
    for prediction, answers in (("averaged", scores), ("voted", votes)):
        expected = np.array(answers)[kept].mean(axis=0)
        found = model.set_params(prediction=prediction).decision_function(X)
        np.testing.assert_allclose(
            found, expected[:, 1] if classes == 2 else expected, rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("forget", FORGET)
@given(seed=st.integers(0, 2**32 - 1), classes=st.sampled_from([2, 3]))
def test_a_budget_that_is_never_reached_changes_no_bit(
    forget: str, seed: int, classes: int
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 4)), rng.integers(classes, size=60)
    weights = rng.random(60)
    free = KernelPerceptron(gamma=0.3).fit(X, y, sample_weight=weights)
    roomy = KernelPerceptron(gamma=0.3, budget=free.n_support_, forget=forget, random_state=1)
    roomy.fit(X, y, sample_weight=weights)
    for prediction in ("last", "averaged", "voted"):
        found = roomy.set_params(prediction=prediction).decision_function(X)
        expected = free.set_params(prediction=prediction).decision_function(X)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("count_from", [0, 1])
def test_votes_by_hand_with_counts_from_0_and_from_1(count_from: int) -> None:
    """A hypothesis that fails at once has a vote if counts begin with 1, and none if with 0."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), rng.choice([-1, 1], size=30)
    model = VotedPerceptron(fit_intercept=False, count_from=count_from).fit(X, y)
    v, hypotheses = np.zeros(2), []
    for row, label in zip(X, y, strict=True):
        if label * (v @ row) <= 0.0:
            v = v + label * row
            hypotheses.append([v, count_from])
        else:
            hypotheses[-1][1] += 1
    assert model.survived_.tolist() == [count for _, count in hypotheses]
    questions = rng.normal(size=(200, 2))
    votes = sum(count * np.where(questions @ w >= 0.0, 1.0, -1.0) for w, count in hypotheses)
    assert model.predict(questions).tolist() == np.where(votes >= 0.0, 1, -1).tolist()
    other = VotedPerceptron(fit_intercept=False, count_from=1 - count_from).fit(X, y)
    assert (other.predict(questions) != model.predict(questions)).any()
