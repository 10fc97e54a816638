"""Games: each lower bound is reached by every learner, and no adversary ever lies.

What an adversary claims is checked by brute force over the whole class, written here anew.
"""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import looped
from thresher import (
    BalancedWinnow,
    Banditron,
    Consistent,
    Elimination,
    Halving,
    LabelEfficientPerceptron,
    PassiveAggressive,
    Perceptron,
    ShiftingPerceptron,
    WeightedMajority,
    Winnow,
)
from thresher.concepts import disjunctions
from thresher.data import generate
from thresher.errors import InvalidInput
from thresher.theory.bounds import banditron, label_efficient, shifting
from thresher.theory.games import (
    Asked,
    BuriedTarget,
    Chain,
    Disjunctions,
    Game,
    HiddenLabels,
    MovingTarget,
    Nature,
    Parity,
    SettledLabels,
    TurningPlane,
    Xor,
    play,
)

seeds = st.integers(0, 2**32 - 1)


class Coin:
    """Learns nothing."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def predict_one(self, x):
        return self.random.random() < 0.5

    def learn_one(self, x, y):
        pass


# For disjunctions of k of n variables.
LEARNERS = {
    "perceptron": lambda n, k: Perceptron(average=False),
    "averaged perceptron": lambda n, k: Perceptron(),
    "perceptron without bias": lambda n, k: Perceptron(average=False, fit_intercept=False),
    "winnow": lambda n, k: Winnow(theta=n),
    "winnow that eliminates": lambda n, k: Winnow(theta=n, demotion="eliminate"),
    "winnow-r": lambda n, k: Winnow(theta=n, floor=0.5),
    "balanced winnow": lambda n, k: BalancedWinnow(),
    "pa": lambda n, k: PassiveAggressive(variant="PA", average=False),
    "pa-i": lambda n, k: PassiveAggressive(),
    "weighted majority": lambda n, k: WeightedMajority(disjunctions(n, monotone=True, k=k)),
    "coin": lambda n, k: Coin(n),
}
# These give up when no concept agrees with all labels.
REALIZABLE = {
    "elimination": lambda n, k: Elimination("disjunction"),
    "consistent": lambda n, k: Consistent(disjunctions(n, monotone=True, k=k), random_state=n),
    "halving": lambda n, k: Halving(disjunctions(n, monotone=True, k=k)),
}
every_learner = pytest.mark.parametrize(
    "make", (LEARNERS | REALIZABLE).values(), ids=LEARNERS | REALIZABLE
)


class Witness:
    """A learner whose examples and labels can be looked at."""

    def __init__(self, learner):
        self.learner, self.seen = learner, []

    def predict_one(self, x):
        return self.learner.predict_one(x)

    def learn_one(self, x, y):
        self.seen.append((frozenset(x), y))
        self.learner.learn_one(x, y)


def agrees(disjunction, seen):
    return all(bool(disjunction & x) == y for x, y in seen)


# ------------------------------------------------------------------ a class, and its lower bound


@every_learner
@looped("size", [1, 2, 3, 7, 64, 100, 127])
def test_a_chain_takes_log2_of_its_thresholds(make, size):
    learner = Witness(make(size, 1))
    result = play(learner, Chain(size))
    assert result.mistakes == result.rounds >= math.floor(math.log2(size)) == result.game.forced
    points = [(len(x), y) for x, y in learner.seen]
    assert all(x == {f"x{i}" for i in range(1, len(x) + 1)} for x, _ in learner.seen)
    assert all(1 <= j < size for j, _ in points)
    consistent = [t for t in range(1, size + 1) if all((j >= t) == y for j, y in points)]
    (variable,) = result.game.target.variables
    assert consistent == [int(variable[1:])]  # nothing is left open, and nothing else was possible
    assert result.consistent


@looped("size", [2, 3, 7, 64, 100, 127, 1024])
def test_halving_makes_no_more_than_the_chain_forces(size):
    learner = Halving(disjunctions(size, monotone=True, k=1))
    assert play(learner, Chain(size)).mistakes == math.floor(math.log2(size))


@every_learner
@looped(("n", "k"), [(1, 1), (5, 5), (8, 1), (9, 2), (11, 3), (16, 4)])
def test_disjunctions_take_k_times_log2_of_n_over_k(make, n, k):
    learner = Witness(make(n, k))
    game = Disjunctions(n, k, seed=n)
    result = play(learner, game)
    assert result.mistakes == result.rounds >= game.forced >= k * math.floor(math.log2(n // k))
    every = [f"x{i}" for i in range(1, n + 1)]
    of_k = map(frozenset, itertools.combinations(every, k))
    consistent = [disjunction for disjunction in of_k if agrees(disjunction, learner.seen)]
    assert game.target.variables in consistent
    assert len(game.target.variables) == k
    assert result.consistent


@pytest.mark.parametrize(("n", "k"), [(64, 4), (1000, 10), (4096, 1)])
def test_winnow_stays_within_its_bound_where_disjunctions_are_hardest(n, k):
    learner = Winnow(theta=n)
    result = play(learner, Disjunctions(n, k))
    bound = 3 * k * (1 + math.log2(n)) + 2
    assert result.game.forced <= result.mistakes <= bound + 2  # 2: no label foresees the other
    assert learner.mistakes_ <= bound


@given(seed=seeds, rounds=st.integers(1, 20), data=st.data())
def test_an_adversary_has_a_target_at_every_moment(seed, rounds, data):
    """Left in the middle of a game, it names a concept that agrees with all it has said."""
    n = data.draw(st.integers(3, 40))
    k = data.draw(st.integers(1, n))
    for game in (Chain(n), Disjunctions(n, k, seed), MovingTarget(n, 3, seed)):
        learner = Witness(Coin(seed))
        first = play(learner, game, rounds)
        rest = play(learner, game, 1000)
        assert first.consistent and rest.consistent
        if not isinstance(game, MovingTarget):
            assert agrees(game.target.variables, learner.seen)


# ------------------------------------------------------------------ XOR


@pytest.mark.parametrize("name", ["perceptron", "perceptron without bias", "winnow", "winnow-r"])
def test_xor_goes_on_for_ever(name):
    """A pass without a mistake would be a linear threshold unit for XOR."""
    learner, game = LEARNERS[name](2, 1), Xor()
    counts = [play(learner, game, rounds=4).mistakes for _ in range(200)]
    assert min(counts) >= 1
    assert game.target == Parity(("x1", "x2"))
    assert [game.target(dict.fromkeys(x, 1)) for x in ((), ("x1",), ("x2",), ("x1", "x2"))] == [
        False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("bias", [True, False])
def test_the_weights_of_a_perceptron_cycle_on_xor(bias):
    learner, game = Perceptron(average=False, fit_intercept=bias), Xor()
    ends = []
    for _ in range(100):
        play(learner, game, rounds=4)
        weights = sorted(learner.top_features(2))
        ends.append((*weights, *learner.intercept_.tolist()))
    period = next(p for p in range(1, 50) if ends[-p - 1] == ends[-1])
    assert all(ends[t] == ends[t - period] for t in range(50, 100))


@pytest.mark.parametrize("name", ["pa", "pa-i", "averaged perceptron", "balanced winnow"])
def test_nobody_else_learns_xor_either(name):
    learner, game = LEARNERS[name](2, 1), Xor()
    assert all(play(learner, game, rounds=400).mistakes >= 100 for _ in range(5))


# ------------------------------------------------------------------ a target that changes


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
@looped(("n", "moves"), [(2, 3), (13, 1), (32, 10)])
def test_a_moving_target_takes_log2_n_for_each_move(make, n, moves):
    learner = Witness(make(n, 1))
    game = MovingTarget(n, moves, seed=n)
    result = play(learner, game)
    assert result.mistakes >= game.forced == moves * math.floor(math.log2(n))
    assert result.cost == game.cost == 2 * moves - 1
    assert result.consistent
    begins = [begin for begin, _ in game.targets()]
    assert len(begins) == moves
    for begin, end in itertools.pairwise([*begins, result.rounds]):
        stretch = learner.seen[begin:end]
        assert any(agrees(frozenset({f"x{i}"}), stretch) for i in range(1, n + 1))


@pytest.mark.parametrize(("d", "depth", "buried"), [(4, 0, 3), (6, 5, 40), (10, 100, 200)])
def test_what_is_buried_costs_winnow_the_square(d, depth, buried):
    """Exactly as the docstring of the game counts."""
    n = 2**d
    for learner, each in (
        (Winnow(theta=n), depth + d),
        (Winnow(theta=n, floor=0.5), min(depth, 1) + d),
    ):
        result = play(learner, BuriedTarget(n, depth, buried))
        assert result.mistakes == 1 + d + 2 * depth + buried * each
        assert result.cost == 1 + 2 * depth + buried
        assert result.consistent


def additions(targets):
    """How many variables were added to the target, and how many added or removed."""
    added = changed = 0
    for before, after in itertools.pairwise([frozenset(), *targets]):
        added += len(after - before)
        changed += len(after ^ before)
    return added, changed


class Capricious(Game):
    """Changes its target and shows examples as it likes, which is: at random."""

    def __init__(self, n, rounds, seed):
        self.n, self.length, self.seed = n, rounds, seed
        self.history = []
        super().__init__()

    def strategy(self):
        rng = random.Random(self.seed)
        every = [f"x{i}" for i in range(1, self.n + 1)]
        target, changing, size = set(), rng.choice([0.01, 0.1, 0.5]), rng.choice([2, self.n])
        for _ in range(self.length):
            while rng.random() < changing:
                target ^= {rng.choice(every)}
            x = rng.sample(every, rng.randint(0, size))
            self.history.append(frozenset(target))
            yield dict.fromkeys(x, 1.0)
            yield bool(target & set(x))


def promotions_and_demotions(learner, game):
    """The mistakes of the online weights on positive and on negative examples."""
    counts = {True: 0, False: 0}
    for x in game:
        y = game.answer(learner.predict_one(x))
        before = learner.mistakes_ if game.rounds > 1 else 0
        learner.learn_one(x, y)
        counts[y] += learner.mistakes_ - before
    return counts[True], counts[False]


def check_winnow_r(n, u, v, added):
    """5·A·(1 + ⌈log2 n⌉) + 2: the proof is on top of thresher/theory/games/drift.py."""
    assert v <= 4 * u + 2 <= 4 * (u + 1)
    assert u <= added * (1 + math.ceil(math.log2(n)))
    assert u + v <= 5 * added * (1 + math.ceil(math.log2(n))) + 2


@given(n=st.integers(2, 40), rounds=st.integers(1, 300), seed=seeds)
def test_winnow_r_pays_log2_n_for_each_change(n, rounds, seed):
    game = Capricious(n, rounds, seed)
    u, v = promotions_and_demotions(Winnow(theta=n, floor=0.5), game)
    added, cost = additions(game.history)
    check_winnow_r(n, u, v, added)
    assert u + v <= 5 * cost * (1 + math.ceil(math.log2(n))) + 2


@pytest.mark.parametrize(
    "game",
    [
        BuriedTarget(256, 1, 200),
        BuriedTarget(256, 60, 60),
        BuriedTarget(100, 20, 99),
        MovingTarget(256, 40),
        MovingTarget(100, 40, seed=3),
    ],
    ids=lambda game: f"{type(game).__name__} {game.n}",
)
def test_winnow_r_keeps_its_promise_to_adversaries(game):
    u, v = promotions_and_demotions(Winnow(theta=game.n, floor=0.5), game)
    added, _ = additions([target.variables for _, target in game.targets()])
    check_winnow_r(game.n, u, v, added)
    assert added <= game.cost


def test_the_promise_on_promotions_is_nearly_reached():
    game = BuriedTarget(256, 1, 200)
    u, _ = promotions_and_demotions(Winnow(theta=256, floor=0.5), game)
    added, _ = additions([target.variables for _, target in game.targets()])
    assert u >= 0.99 * added * (1 + math.log2(256))


# ------------------------------------------------------------------ nature


def test_noise_is_what_contradicts_the_target():
    options = {"n": 60, "relevant": 3, "active": 8, "seed": 5}
    clean = [e.label for e in generate.disjunction(**options).take(3000)]
    noisy = [e.label for e in generate.disjunction(**options, noise=0.1).take(3000)]
    flipped = sum(a != b for a, b in zip(clean, noisy, strict=True))
    result = play(Coin(0), Nature(generate.disjunction(**options, noise=0.1)), rounds=3000)
    assert result.contradictions == flipped > 200
    assert result.labels.tolist() == [label == "1" for label in noisy]
    assert not result.consistent


@pytest.mark.parametrize(
    "stream",
    [
        generate.disjunction(n=50, relevant=4, active=6, seed=1),
        generate.m_of_n(m=2, n_relevant=5, n=50, active=6, seed=2),
        generate.linear(n=50, active=6, seed=3),
        generate.drift(n=50, every=300, relevant=3, active=6, targets=4, seed=4),
    ],
    ids=["disjunction", "m of n", "linear", "drift"],
)
def test_nature_is_honest(stream):
    result = play(Perceptron(), Nature(stream), rounds=2500)
    assert result.consistent
    assert 0 < result.mistakes < 1250
    assert result.on_positives + result.on_negatives == result.mistakes
    assert result.mistakes_over_time[-1] == result.mistakes


def test_what_drift_costs():
    stream = generate.drift(n=50, every=300, relevant=3, active=6, targets=4, seed=4)
    targets = [frozenset(names) for names in stream.truth["relevant"]]
    result = play(Coin(0), Nature(stream), rounds=1501)  # the first comes back, and the second
    _, cost = additions([*targets, *targets[:2]])
    assert result.cost == cost
    assert result.costs[0] == result.costs[299] == 3 < result.costs[300]


# ------------------------------------------------------------------ the rules of the game


def test_others_may_play():
    """All that a game asks for is predict_one and learn_one."""
    from river.linear_model import LogisticRegression
    from river.tree import HoeffdingTreeClassifier

    for learner in (LogisticRegression(), HoeffdingTreeClassifier()):
        assert play(learner, Chain(64)).mistakes == 6
        assert play(learner, MovingTarget(64, 3)).mistakes == 18


def test_turns_are_kept():
    game = Chain(8)
    with pytest.raises(InvalidInput, match="round 1: a prediction came before the example"):
        game.answer(True)
    next(game)
    with pytest.raises(InvalidInput, match="before the prediction"):
        next(game)
    with pytest.raises(InvalidInput, match="prediction is -1; expected True or False"):
        game.answer(-1)
    assert game.answer(None) is True
    next(game)
    assert game.answer(np.True_) is False


def test_what_was_shown_may_be_changed():
    """A learner that writes into its example does not change the game."""
    game = Disjunctions(8, 1)
    x = next(game)
    x.clear()
    assert game.answer(False) is True
    assert len(next(game)) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Chain(0), "size is 0"),
        (lambda: Chain(2.5), "size is 2.5"),
        (lambda: Disjunctions(3, 4), "k is 4; expected at most n = 3"),
        (lambda: Disjunctions(3, 0), "k is 0"),
        (lambda: Disjunctions(3, 1, seed=-1), "seed is -1"),
        (lambda: MovingTarget(1, 1), "n is 1"),
        (lambda: BuriedTarget(10, 1, 10), "buried is 10; expected less than n = 10"),
        (lambda: BuriedTarget(10, -1, 1), "depth is -1"),
        (lambda: Nature(generate.text(vocabulary=50)), "log_odds, which gives no example"),
        (lambda: Nature(generate.drift(kind="gradual")), "expected kind='abrupt'"),
        (lambda: play(Coin(0), Xor()), "Xor never ends; expected rounds"),
        (lambda: play(Coin(0), Xor(), rounds=-1), "rounds is -1"),
        (lambda: play(3, Chain(4)), "learner is 3; expected an object with predict_one"),
        (lambda: play(Winnow, Chain(4)), "expected an object with predict_one and learn_one"),
        (lambda: play(Coin(0), "chain"), "game is 'chain'; expected a game"),
        (lambda: play(Coin(0), Capricious(5, 9, 0)), "Capricious names no target for round 1"),
        (lambda: Xor().target, "no target before its first round"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_a_game_of_no_rounds():
    result = play(Coin(0), Xor(), rounds=0)
    assert (result.rounds, result.mistakes, result.cost, result.consistent) == (0, 0, 0, True)


# ------------------------------------------------------------------ games with partial feedback


@pytest.mark.parametrize(("n", "k"), [(1, 2), (3, 4), (5, 3)])
def test_hidden_labels_are_found_by_trying(n, k):
    for seed in range(3):
        game = HiddenLabels(n, k)
        learner = Banditron(gamma=0.3, classes=game.labels, seed=seed, fit_intercept=False)
        result = play(learner, game)
        assert result.consistent
        assert result.mistakes >= game.forced == n * (k - 1)
        assert result.mistakes == learner.mistakes_
        assert result.rounds == result.mistakes + n
        assert learner.predict_one({"x1": 1.0}) == game.target({"x1": 1.0}) or k > 2


def test_hidden_labels_are_forced_on_one_who_tries_in_order():
    class Orderly:
        def __init__(self):
            self.refused = {}

        def act_one(self, x):
            return 1 + len(self.refused.setdefault(tuple(x), set()))

        def reward_one(self, x, played, right):
            if not right:
                self.refused[tuple(x)].add(played)

    game = HiddenLabels(n=6, k=5)
    assert play(Orderly(), game).mistakes == game.forced == 24


@pytest.mark.parametrize("gamma", [0.05, 0.3])
def test_the_bound_of_the_banditron_in_its_game(gamma):
    n, k, T = 4, 3, 300
    mistakes = []
    for seed in range(25):
        game = SettledLabels(n, k)
        learner = Banditron(gamma=gamma, classes=game.labels, seed=seed, fit_intercept=False)
        result = play(learner, game, rounds=T)
        assert result.consistent
        mistakes.append(result.mistakes)
    bound = banditron(1.0, game.margin, k, T, gamma).value
    assert gamma * (1 - 1 / k) * T * 0.6 <= np.mean(mistakes) <= bound
    # What the bound says of the margin: the vectors of the docstring have it.
    truth = [game.target({f"x{i}": 1.0}) for i in range(1, n + 1)]
    U = np.full((k, n), -1 / k)
    U[np.array(truth) - 1, np.arange(n)] += 1.0
    U /= np.linalg.norm(U)
    for i, label in enumerate(truth):
        others = np.delete(U[:, i], label - 1)
        assert U[label - 1, i] - others.max() == pytest.approx(game.margin)


@pytest.mark.parametrize("b", [0.3, 3.0])
def test_the_bound_of_the_label_efficient_perceptron_in_its_game(b):
    mistakes, told = [], []
    for seed in range(20):
        stream = generate.linear(n=10, active=10, margin=0.3, seed=1)
        game = Asked(Nature(stream))
        learner = LabelEfficientPerceptron(b=b, seed=seed, average=False, fit_intercept=False)
        result = play(learner, game, rounds=200)
        assert result.consistent and learner.labels_asked_ == game.told <= 200
        mistakes.append(result.mistakes)
        told.append(game.told)
    w = np.array(list(stream.truth["weights"].values()))
    names, scale = list(stream.truth["weights"]), np.linalg.norm(w)
    rows = list(itertools.islice(generate.linear(n=10, active=10, margin=0.3, seed=1), 200))
    X = np.array([[row.features.get(name, 0.0) for name in names] for row in rows])
    R, gamma = np.linalg.norm(X, axis=1).max(), np.abs(X @ w / scale).min()
    assert np.mean(mistakes) <= label_efficient(R, gamma, b).value
    assert np.mean(told) < 200


@pytest.mark.parametrize("lambda_", [1.0, 4.0])
@pytest.mark.parametrize(("n", "turns"), [(1, 0), (4, 3), (9, 1)])
def test_a_plane_that_turns(n, turns, lambda_):
    learner = ShiftingPerceptron(lambda_=lambda_, fit_intercept=False)
    result = play(learner, game := TurningPlane(n, turns))
    bound = shifting(1.0, n**-0.5, lambda_, shift=game.shift).value
    assert result.consistent
    assert n * (turns + 1) == game.forced <= result.mistakes <= bound
    signs = [np.array(list(target.weights.values())) for _, target in game.targets()]
    moved = sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(signs)) / math.sqrt(n)
    assert game.shift == pytest.approx(moved)
    assert result.cost == sum(int((a != b).sum()) for a, b in itertools.pairwise(signs))
    for other in (Perceptron(average=False), PassiveAggressive(variant="PA", average=False)):
        assert play(other, TurningPlane(n, turns)).mistakes >= n * (turns + 1)


def test_partial_games_say_what_they_need():
    with pytest.raises(InvalidInput, match=r"act_one and reward_one, such as thresher.Banditron"):
        play(Perceptron(), HiddenLabels(2, 3))
    with pytest.raises(InvalidInput, match="LabelEfficientPerceptron"):
        play(Perceptron(), Asked(Chain(8)))
    with pytest.raises(InvalidInput, match="expected a game with labels"):
        Asked(HiddenLabels(2, 3))
    game = HiddenLabels(2, 3)
    with pytest.raises(InvalidInput, match="next\\(game\\) first"):
        game.answer(1)
    next(game)
    with pytest.raises(InvalidInput, match=r"the label played is 7; expected one of \[1, 2, 3\]"):
        game.answer(7)
    assert Asked(Chain(8)).forced == Chain(8).forced
