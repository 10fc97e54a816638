"""The Banditron: its steps by hand, in the mean the perceptron's; its bound; its answers."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher import Banditron, Perceptron
from thresher.errors import InvalidInput
from thresher.reference.few_labels import chance
from thresher.theory.bounds import banditron

seeds = st.integers(0, 2**32 - 1)


def paper(X, y, k, gamma, seed=0):
    """As the paper writes it: W, the labels played, the best scored labels."""
    W = np.zeros((k, X.shape[1]))
    played, best = [], []
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        scores = W @ x
        guess = int(scores[1] >= scores[0]) if k == 2 else int(scores.argmax())
        P = np.full(k, gamma / k)
        P[guess] += 1.0 - gamma
        coin = chance(seed, t)
        choice = int(coin / gamma * k) if coin < gamma else guess
        if choice == label:
            W[choice] += x / P[choice]
        W[guess] -= x
        played.append(choice)
        best.append(guess)
    return W, np.array(played), np.array(best)


@given(seed=seeds, k=st.integers(2, 6), gamma=st.sampled_from([0.05, 0.4, 1.0]))
def test_it_is_the_papers_algorithm(seed, k, gamma):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 4)), rng.integers(k, size=80)
    options = {"gamma": gamma, "classes": list(range(k)), "seed": 7, "fit_intercept": False}
    model = Banditron(**options).fit(X, y)
    W, played, _ = paper(X, y, k, gamma, seed=7)
    W = W[1:] - W[:1] if k == 2 else W  # of two labels the difference is kept
    np.testing.assert_allclose(model.coef_, W, rtol=1e-9, atol=1e-9)
    assert model.mistakes_ == np.count_nonzero(played != y)


def test_in_the_mean_its_step_is_that_of_the_perceptron():
    """Of a learner that is told the label: towards x for it, away from x for the best scored."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]), [2, 0, 1]
    k, gamma, runs = 3, 0.5, 4000
    before = [Banditron(gamma=gamma, classes=[0, 1, 2], seed=s, fit_intercept=False).fit(X, y)
              for s in range(runs)]  # fmt: skip
    x, label = np.array([3.0, -1.0]), 1
    steps = np.zeros((runs, k, 2))
    expected = np.zeros((runs, k, 2))
    for i, model in enumerate(before):
        best = model.predict([x])[0]
        expected[i, label] += x
        expected[i, best] -= x
        start = model.coef_
        steps[i] = model.partial_fit([x], [label]).coef_ - start
    error = (steps - expected).mean(axis=0)
    spread = (steps - expected).std(axis=0) / np.sqrt(runs)
    assert (np.abs(error) <= 4.5 * spread + 1e-9).all()
    assert spread.max() > 0.0


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("named", [True, False])
def test_right_or_wrong_is_all_that_a_label_tells(k, named):
    """`act_one` and `reward_one` learn what `learn_one` does, and wrong labels are all alike."""
    rng = np.random.default_rng(k)
    labels = [f"label{r}" for r in range(k)] if named else list(range(k))
    told, answered = (Banditron(gamma=0.3, classes=labels) for _ in range(2))
    lied = Banditron(gamma=0.3, classes=labels)
    for _ in range(150):
        x = {f"x{i}": float(v) for i, v in enumerate(rng.normal(size=3))}
        y = labels[rng.integers(k)]
        played = answered.act_one(x)
        assert played == answered.act_one(x)  # to play changes nothing
        answered.reward_one(x, played, played == y)
        told.learn_one(x, y)
        other = [label for label in labels if label != played]
        lied.learn_one(x, y if played == y else other[rng.integers(k - 1)])
    assert np.array_equal(told.coef_, answered.coef_)
    assert np.array_equal(told.coef_, lied.coef_)
    assert told.mistakes_ == answered.mistakes_ == lied.mistakes_ > 20
    assert told.classes_.tolist() == sorted(labels)


def test_answers_that_cannot_be_are_refused():
    model = Banditron(gamma=0.5, classes=["a", "b", "c"])
    played = model.act_one(["x"])
    for wrong in {"a", "b", "c", "d"} - {played}:
        with pytest.raises(InvalidInput, match=f"for this example it plays '{played}'"):
            model.reward_one(["x"], wrong, True)
    with pytest.raises(InvalidInput, match="right is 'yes'"):
        model.reward_one(["x"], played, "yes")
    assert model.examples_ == 0
    model.reward_one(["x"], played, True)
    assert model.examples_ == 1
    with pytest.raises(InvalidInput, match=r"expected Banditron\(classes="):
        Banditron().act_one(["x"])
    with pytest.raises(InvalidInput, match="label 'd' is not one of the given classes"):
        model.learn_one(["x"], "d")
    with pytest.raises(InvalidInput, match="label 'd' is not one of the given classes"):
        Banditron(classes=["a", "b"]).fit([[1.0], [2.0]], ["a", "d"])
    assert model.examples_ == 1 and model.classes_.tolist() == ["a", "b", "c"]
    with pytest.raises(InvalidInput, match="classes cannot change"):
        model.set_params(classes=["a", "b"])
    assert model.set_params(gamma=0.1).gamma == 0.1
    for classes in ("ab", ["a"], ["a", "a"], ["a", 1], 3):
        with pytest.raises(InvalidInput, match=r"classes is|labels of mixed type"):
            Banditron(classes=classes).fit([[1.0], [2.0]], ["a", "b"])


def test_a_model_with_given_labels_is_saved_and_goes_on(tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 5)), rng.integers(3, size=200)
    options = {"gamma": 0.3, "classes": [2, 0, 1, 7]}
    whole = Banditron(**options).fit(X, y)
    half = Banditron(**options).partial_fit(X[:90], y[:90])
    half.save(tmp_path / "model")
    loaded, pickled = thresher.load(tmp_path / "model"), pickle.loads(pickle.dumps(half))
    for again in (loaded, pickled):
        assert np.array_equal(again.partial_fit(X[90:], y[90:]).coef_, whole.coef_)
        assert again.mistakes_ == whole.mistakes_
        with pytest.raises(InvalidInput, match="not one of the given classes"):
            again.partial_fit(X[:1], [3])


def test_from_files_a_label_that_was_not_given_is_refused_with_its_line(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1 1:1\n2 2:1\n9 1:1\n")
    with pytest.raises(InvalidInput, match="label 9 is not one of the given classes") as caught:
        Banditron(classes=[1, 2]).fit_file(path)
    assert caught.value.where.line == 3
    assert Banditron(classes=[1, 2, 9]).fit_file(path).examples_ == 3
    with pytest.raises(InvalidInput, match="leave classes out"):
        thresher.Race([Banditron(classes=[1, 2, 9]), Perceptron()]).fit_file(path)
    with pytest.raises(InvalidInput, match="classes cannot be set for a single member"):
        thresher.Experts([Banditron(classes=[1, 2, 9]), Perceptron()]).fit_file(path)


def test_a_label_that_comes_late_was_wrong_and_is_played_from_then_on():
    model = Banditron(gamma=1.0, fit_intercept=False)
    for t, label in enumerate(["a", "a", "b", "c", "c"], start=1):
        model.learn_one(["x"], label)
        assert model.classes_.tolist() == sorted({"a", "b", "c"} & set("aabcc"[:t]))
    assert model.mistakes_ >= 3  # the first of each label, whatever the coin


@pytest.mark.parametrize("gamma", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_its_wrong_plays_are_on_average_below_its_bound(gamma, noise):
    k, n, T = 4, 12, 400
    rng = np.random.default_rng(round(100 * (gamma + noise)))
    U = rng.normal(size=(k, n))
    U /= np.linalg.norm(U)
    X = rng.normal(size=(4 * T, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    scores = np.sort(X @ U.T, axis=1)
    clear = scores[:, -1] - scores[:, -2] >= 0.12
    X = X[clear][:T]
    y = (X @ U.T).argmax(axis=1)
    assert len(X) == T
    wrong = rng.random(T) < noise
    y[wrong] = rng.integers(k, size=wrong.sum())
    S = X @ U.T
    own = S[np.arange(T), y].copy()
    S[np.arange(T), y] = -np.inf
    TD = np.maximum(0.0, 0.12 - (own - S.max(axis=1))).sum()
    bound = banditron(R=1.0, margin=0.12, k=k, T=T, gamma=gamma, TD=TD).value
    options = {"gamma": gamma, "classes": list(range(k)), "fit_intercept": False}
    mistakes = [Banditron(seed=s, **options).fit(X, y).mistakes_ for s in range(60)]
    assert np.mean(mistakes) <= bound
    assert np.mean(mistakes) >= gamma * (1.0 - 1.0 / k) * T * 0.9  # exploring alone costs that


@given(seed=seeds, gamma=st.sampled_from([0.1, 0.5, 1.0]), k=st.integers(2, 5))
def test_the_inequality_of_the_proof(seed, gamma, k):
    """E|Δ|² of one step, over all that may be played: the second half of the bound."""
    rng = np.random.default_rng(seed)
    x, best, y = rng.normal(size=3), int(rng.integers(k)), int(rng.integers(k))
    P = np.full(k, gamma / k)
    P[best] += 1.0 - gamma
    square = 0.0
    for played in range(k):
        step = np.zeros((k, 3))
        step[played] += x * (played == y) / P[played]
        step[best] -= x
        square += P[played] * (step**2).sum()
    beta = gamma * (1.0 - 1.0 / k)
    share = beta / (1.0 - beta) if best == y else k / gamma + 1.0
    assert square <= share * (x @ x) * (1.0 + 1e-9)
