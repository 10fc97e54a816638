"""The game of a target that changes: each change costs the adversary 1.

The target is a disjunction, initially empty. Before any round the adversary may add a variable to
it or remove one, and pays 1 for each; labels follow the current target.

**Winnow-R** (`Winnow(theta=n, floor=0.5)`, α = 2) makes at most 5·A·(1 + ⌈log2 n⌉) + 2 mistakes
when A variables are added, so O(c·log n) for an adversary of cost c ≥ A. *Proof.* Let it make u
promotions and v demotions.

1. *v ≤ 4u + 2* (so v ≤ 4(u + 1)). The weights are powers of 2, at least ½; their sum W is n at
   first and never below n/2. A promotion adds w·x < θ = n to W. In a demotion w·x ≥ n; of this sum
   at most n/2 is from weights that are ½ already, the others are halved: W loses at least
   (n − n/2)/2 = n/4. So n/2 ≤ W ≤ n + u·n − v·n/4.
2. *u ≤ A·(1 + ⌈log2 n⌉).* In a promotion the label is True, so a variable i of the target is active
   and its weight, below n, is doubled. From when i was added until it is removed it is in no
   negative example, so it is never demoted: its weight begins at ½ or more, and from ½ it is
   doubled at most 1 + ⌈log2 n⌉ times before it is n or more. So each of the A additions accounts
   for at most that many promotions, and every promotion is accounted for.
3. u + v ≤ 5u + 2. ∎

`MovingTarget` shows that c·log n is necessary; `BuriedTarget` that the floor is. `TurningPlane` is
the same game for planes, and the shifting perceptron.
"""

from __future__ import annotations

import math

from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.options import whole
from thresher.theory.games.adversaries import active, halve, log2_floor
from thresher.theory.games.game import Game, Strategy, names, teach
from thresher.theory.games.targets import AtLeast, Linear, Target


class Drifting(Game):
    """A game whose target is a disjunction that changes."""

    def _change(self, target: frozenset[str]) -> None:
        """The target from the next round on; each variable added or removed costs 1."""
        before = self._disjunction()
        self.cost += len(before ^ target)
        self._targets.append((self.rounds, AtLeast(1, target)))

    def _disjunction(self) -> frozenset[str]:
        last = self._targets[-1][1] if self._targets else None
        return last.variables if isinstance(last, AtLeast) else frozenset()


class MovingTarget(Drifting):
    """A target that is found and moves on: no learner does better than (c/2)·log2 n.

    The target is one variable, which the learner has to find. The adversary adds it (cost 1), and
    nothing is known about it, so that binary search takes ⌊log2 n⌋ mistakes (`halve`); then it
    removes it (cost 1) and adds another, `moves` times in all.

    **Forced:** moves·⌊log2 n⌋ mistakes for a cost of c = 2·moves − 1. *Proof.* While a variable is
    searched for the target is only that variable, so each search is a separate game, whatever the
    learner remembers. ∎ No learner can guarantee less than (c/2)·⌊log2 n⌋, and Winnow-R guarantees
    5·(c + 1)/2·(1 + ⌈log2 n⌉) + 2: the best possible, up to a factor of about 5.

    Parameters
    ----------
    n : how many variables there are.
    moves : how many times a variable is searched for.
    seed : of the order in which the variables are searched.

    Examples
    --------
    >>> from thresher import Winnow
    >>> from thresher.theory.games import MovingTarget, play
    >>> result = play(Winnow(theta=256, floor=0.5), MovingTarget(n=256, moves=5))
    >>> result.game.forced, result.mistakes, result.cost, result.consistent
    (40, 40, 9, True)
    """

    def __init__(self, n: int, moves: int, seed: int = 0) -> None:
        self.n, self.moves = whole("n", n, 2), whole("moves", moves, 1)
        self.seed = whole("seed", seed, 0)
        self.forced = self.moves * log2_floor(self.n)
        self._left: list[str] = []  # what the current variable may still be
        self._begin = 0  # when it was added
        super().__init__()

    def strategy(self) -> Strategy:
        random = np.random.default_rng(self.seed)
        every = names(self.n)
        for _ in range(self.moves):
            if self._left:
                self._targets.append(self._found())
                self.cost += 1  # it is removed
            self._left, self._begin = random.permutation(every).tolist(), self.rounds
            self.cost += 1  # it is added now, and named later
            yield from halve(self._left, active)

    def _found(self) -> tuple[int, Target]:
        return self._begin, AtLeast(1, frozenset(self._left[:1]))

    def targets(self) -> list[tuple[int, Target]]:
        return [*self._targets, self._found()]


class BuriedTarget(Drifting):
    """Variables whose weights must recover from far below: where Winnow needs its floor.

    The first example is empty and False. Then a variable a is added, leaves the target and
    returns, `depth` times. While it is out, an example with a and `buried` other variables is
    False; while it is in, a alone is True. Then the others are added one by one, each shown alone.
    Every example is shown until the learner is right on it. The cost is 1 + 2·depth + buried.

    With θ = n = 2^d, both make 1 + d + 2·depth mistakes until the others are added: w_a is n when a
    goes out, so that the example is a mistake, and n/2 when it comes back. In each of these
    demotions Winnow halves the weights of the others, down to 2^(−depth), and makes depth + d
    mistakes for each to come back: depth·buried in all, the square of the cost where both are a
    part of it, so not O(c·log n). Winnow-R stops at ½ and makes 1 + d for each.

    Parameters
    ----------
    n : how many variables there are, at least buried + 1.
    depth : how many times the others are in a negative example.
    buried : how many others there are.

    Examples
    --------
    >>> from thresher import Winnow
    >>> from thresher.theory.games import BuriedTarget, play
    >>> for floor in (None, 0.5):
    ...     game = BuriedTarget(n=1024, depth=50, buried=100)
    ...     print(play(Winnow(theta=1024, floor=floor), game).mistakes, "for", game.cost)
    6111 for 201
    1211 for 201
    """

    def __init__(self, n: int, depth: int, buried: int) -> None:
        self.n, self.depth = whole("n", n, 2), whole("depth", depth, 0)
        self.buried = whole("buried", buried, 1)
        if buried >= n:
            raise InvalidInput(f"buried is {buried}; expected less than n = {n}.")
        super().__init__()

    def strategy(self) -> Strategy:
        a, *others = names(self.buried + 1)
        self._change(frozenset())
        yield from teach({}, False)
        self._change(frozenset({a}))
        yield from teach({a: 1.0}, True)
        for _ in range(self.depth):
            self._change(frozenset())
            yield from teach(active([a, *others]), False)
            self._change(frozenset({a}))
            yield from teach({a: 1.0}, True)
        target = frozenset({a})
        for other in others:
            target |= {other}
            self._change(target)
            yield from teach({other: 1.0}, True)


class TurningPlane(Game):
    """A plane through 0 that turns: n mistakes before and after each turn.

    The examples have one feature each, x1 … xn, with the value 1, and the label is the sign of its
    weight in the target. Each is shown until the learner is right on it; then the plane turns, and
    all are shown again, `turns` times.

    **Forced:** n·(turns + 1) mistakes. *Proof.* Every labelling is that of a plane, with
    u = (±1 … ±1)/√n and the margin 1/√n. So the first answer on each example may be the opposite of
    the prediction, after each turn anew. ∎ The **shifting perceptron** without a constant feature
    makes at most λ·n·(1 + `shift`)² mistakes, `shift` the sum of all ‖u − u'‖, whatever it is shown
    (`theory.bounds.shifting(1, 1/√n, λ, shift=shift)`, with the proof). The cost is the number of
    signs that changed.

    Parameters
    ----------
    n : how many features there are.
    turns : how many times the plane turns.

    Examples
    --------
    >>> from thresher import ShiftingPerceptron
    >>> from thresher.theory.bounds import shifting
    >>> from thresher.theory.games import TurningPlane, play
    >>> game = TurningPlane(n=10, turns=3)
    >>> result = play(ShiftingPerceptron(lambda_=2.0, fit_intercept=False), game)
    >>> bound = shifting(R=1.0, gamma=10**-0.5, lambda_=2.0, shift=game.shift)
    >>> game.forced <= result.mistakes <= bound.value, result.consistent
    (True, True)
    """

    def __init__(self, n: int, turns: int) -> None:
        self.n, self.turns = whole("n", n, 1), whole("turns", turns, 0)
        self.forced = self.n * (self.turns + 1)
        self.shift = 0.0  # Σ ‖u − u'‖ so far
        self._signs = dict.fromkeys(names(self.n), 1.0)  # of the target now
        self._begin = 0
        super().__init__()

    def strategy(self) -> Strategy:
        for turn in range(self.turns + 1):
            if turn > 0:
                self._targets.append((self._begin, self._plane()))
                self._begin = self.rounds
            before, self._changed = self.shift, 0
            for name, old in self._signs.items():
                right = label = None
                while not right:
                    prediction = yield {name: 1.0}
                    if label is None:  # no prediction counts as wrong, too
                        label = not prediction
                        self._signs[name] = 1.0 if label else -1.0
                        if turn > 0 and self._signs[name] != old:
                            self.cost += 1
                            self._changed += 1
                            self.shift = before + 2.0 * math.sqrt(self._changed / self.n)
                    right = prediction == label
                    yield label

    def _plane(self) -> Linear:
        # w·x = 0 is on the positive side, so no sign is 0.
        return Linear(dict(self._signs))

    def targets(self) -> list[tuple[int, Target]]:
        return [*self._targets, (self._begin, self._plane())]
