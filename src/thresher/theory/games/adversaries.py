"""Adversaries for a fixed class of concepts: they force mistakes on every learner."""

from __future__ import annotations

from collections.abc import Callable

from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.options import whole
from thresher.theory.games.game import Example, Game, Strategy, names
from thresher.theory.games.targets import AtLeast, Parity, Target


def log2_floor(m: int) -> int:
    """⌊log2 m⌋, exactly."""
    return m.bit_length() - 1


def halve(left: list[str], show: Callable[[list[str]], Example]) -> Strategy:
    """Binary search against the learner for one variable of `left`: it takes ⌊log2 m⌋ mistakes.

    The target is one of m candidates, and no other variable of the target is shown. The example has
    half of them active, ⌊m/2⌋, and the label is not what the learner predicts: if True, the target
    is one of that half; if False, one of the others. Both are possible, and at least ⌊m/2⌋ remain.
    So f(m) mistakes are forced with f(1) = 0 and f(m) ≥ 1 + f(⌊m/2⌋), that is f(m) ≥ ⌊log2 m⌋.
    Each round is a mistake. What remains in `left` agrees with all labels at every moment.
    """
    while len(left) > 1:
        middle = len(left) // 2
        prediction = yield show(left[:middle])
        label = not prediction  # no prediction also counts as wrong
        if label:
            del left[middle:]
        else:
            del left[:middle]
        yield label


def active(variables: list[str]) -> Example:
    return dict.fromkeys(variables, 1.0)


class Chain(Game):
    """Thresholds on a chain: every learner makes ⌊log2 |C|⌋ mistakes.

    The points of the chain are 1, 2, … and point j has the first j features active: x1 … xj. The
    concepts are the thresholds t = 1 … `size`: point j is positive iff j ≥ t, that is, x_t is
    active in it. So |C| = `size`, and each concept is a disjunction of one variable.

    **Forced:** ⌊log2 size⌋ mistakes. *Proof.* Let the thresholds lo … hi be those that agree with
    all labels so far, m of them. Show the point in their middle, j = lo + ⌊m/2⌋ − 1, and say the
    opposite of the prediction. True leaves lo … j, False leaves j + 1 … hi: at least ⌊m/2⌋ each
    way, and one mistake was made. ∎ If the learner is deterministic, its predictions could have
    been foreseen and the threshold fixed at the beginning; so this also bounds its mistakes for
    honest labels. Halving reaches it: it makes at most log2 |C|.

    Parameters
    ----------
    size : how many thresholds there are.

    Examples
    --------
    >>> from thresher import Perceptron
    >>> from thresher.theory.games import Chain, play
    >>> result = play(Perceptron(), Chain(1024))
    >>> result.mistakes, result.game.forced, result.contradictions
    (10, 10, 0)
    """

    def __init__(self, size: int) -> None:
        self.size = whole("size", size, 1)
        self.forced = log2_floor(self.size)
        self._names = names(self.size)
        self._left = list(self._names)
        super().__init__()

    def strategy(self) -> Strategy:
        # What lies below the candidates is also active: it is known not to be the threshold.
        place = {name: i for i, name in enumerate(self._names, 1)}
        yield from halve(self._left, lambda half: active(self._names[: place[half[-1]]]))

    def targets(self) -> list[tuple[int, Target]]:
        return [(0, AtLeast(1, frozenset(self._left[:1])))]


class Disjunctions(Game):
    """Disjunctions of k of n variables: every learner makes k·⌊log2 ⌊n/k⌋⌋ mistakes.

    The n variables are divided into k blocks of ⌊n/k⌋ or ⌈n/k⌉, m_1 … m_k. The target has one
    variable of each block.

    **Forced:** Σ ⌊log2 m_b⌋ ≥ k·⌊log2 ⌊n/k⌋⌋ mistakes. *Proof.* Take one block after the other. An
    example has only variables of one block active, so its label depends only on the variable of
    that block, of which nothing is known. Half of the candidates of the block are active, and the
    label is the opposite of the prediction: `halve` shows that ⌊log2 m_b⌋ mistakes follow. Blocks
    share no variable, so a candidate that remains in each makes up a disjunction of exactly k
    variables that agrees with every label. ∎ Winnow makes at most 3k(1 + log2 n) + 2: within a
    constant of the best possible as long as k is at most, say, √n.

    Parameters
    ----------
    n : how many variables there are.
    k : how many of them the target has.
    seed : of how they are divided.

    Examples
    --------
    >>> from thresher import Winnow
    >>> from thresher.theory.games import Disjunctions, play
    >>> game = Disjunctions(n=640, k=5, seed=1)
    >>> result = play(Winnow(theta=640), game)
    >>> game.forced, result.mistakes, len(game.target.variables), result.consistent
    (35, 35, 5, True)
    """

    def __init__(self, n: int, k: int, seed: int = 0) -> None:
        self.n, self.k = whole("n", n, 1), whole("k", k, 1)
        if k > n:
            raise InvalidInput(f"k is {k}; expected at most n = {n}.")
        self.seed = whole("seed", seed, 0)
        dealt = np.random.default_rng(seed).permutation(names(n)).tolist()
        self._blocks: list[list[str]] = [dealt[b::k] for b in range(k)]
        self.forced = sum(log2_floor(len(block)) for block in self._blocks)
        super().__init__()

    def strategy(self) -> Strategy:
        for left in self._blocks:
            yield from halve(left, active)

    def targets(self) -> list[tuple[int, Target]]:
        return [(0, AtLeast(1, frozenset(left[0] for left in self._blocks)))]


class Xor(Game):
    """x1 ⊕ x2, its four examples in a cycle: endless mistakes.

    The order is (0,0), (0,1), (1,0), (1,1), repeated, and the labels are honest.

    **Forced:** ⌊T/4⌋ mistakes in T rounds on any linear threshold unit that changes only on a
    mistake, and on the Perceptron. *Proof.* In four rounds in a row without a mistake nothing
    changes, so one unit would be right on all four examples; but w·x for (0,0) and (1,1) together
    is the same sum as for (0,1) and (1,0), and cannot be below the threshold twice and not below it
    twice. The Perceptron also changes on a score of 0, which it predicts as True. Without a bias
    (0,0) is always a mistake. With one, b ≤ −1 if it is right on (0,0), and its scores of (0,1) and
    (1,0) are then w2 + b ≥ 0 and w1 + b ≥ 0, and do not fall before (1,1), whose score is
    (w1 + b) + (w2 + b) − b. That is ≥ 0, a mistake, if b ≤ 0. Else b was raised twice, from −1 to
    1, and both terms with it, by 2 or more: it is > 0. ∎ The Perceptron's weights still stay
    bounded, and are integers: they repeat, and from then on everything does (the cycling
    theorem).

    Examples
    --------
    >>> from thresher import Perceptron
    >>> from thresher.theory.games import Xor, play
    >>> learner = Perceptron(average=False)
    >>> [play(learner, Xor(), rounds=400).mistakes for _ in range(3)]
    [300, 300, 300]
    """

    endless = True

    def strategy(self) -> Strategy:
        self._targets = [(0, Parity(("x1", "x2")))]
        while True:
            for x in ({}, {"x2": 1.0}, {"x1": 1.0}, {"x1": 1.0, "x2": 1.0}):
                yield x
                yield len(x) == 1
