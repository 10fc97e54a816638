"""Games in which the learner is not told every label.

`Asked` gives a label only to a learner that asks for it. In the others an example has one of k
labels, and the answer to the label that is played is only whether it is right: what the Banditron
plays (`act_one`, `reward_one`).

**The Banditron** plays in T rounds, in the mean over its coin, at most
β·T + (1 − γ)·(L + ½(A²a + √(A⁴a² + 4A²(aL + bT)))) wrong labels (`theory.bounds.banditron`, with
the proof), for labels that are settled before the game: `SettledLabels`. `HiddenLabels` shows what
it costs every learner not to be told the label: k − 1 mistakes where being told takes one.
"""

from __future__ import annotations

import math
from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.options import whole
from thresher.theory.games.game import Example, Game, Strategy, names
from thresher.theory.games.targets import Assigned, Target


class Asked(Game):
    """Another game, in which a label is told only to a learner that asks for it.

    It asks by `asks_one(x)`; `learn_one` tells it the label, `skip_one` that there is none.
    `told` counts the labels that were told. The mistakes of the label-efficient perceptron are, in
    the mean over its coin, at most (2b + R²)²/(8bγ²) (`theory.bounds.label_efficient`), for
    labels that are settled before the game, as nature's are.

    Parameters
    ----------
    game : any game in which labels are True and False.

    Examples
    --------
    >>> from thresher import LabelEfficientPerceptron
    >>> from thresher.data.generate import linear
    >>> from thresher.theory.games import Asked, Nature, play
    >>> game = Asked(Nature(linear(n=20, margin=0.2)))
    >>> result = play(LabelEfficientPerceptron(b=1.0, average=False), game, rounds=2000)
    >>> result.mistakes < 200, game.told < 1000, result.contradictions
    (True, True, 0)
    """

    needs = ("predict_one", "asks_one", "learn_one", "skip_one")
    player = "LabelEfficientPerceptron"

    def __init__(self, game: Game) -> None:
        if not isinstance(game, Game) or game.needs != Game.needs:
            raise InvalidInput(f"game is {game!r}; expected a game with labels, such as Nature.")
        self.game, self.told = game, 0
        self.endless, self.forced = game.endless, game.forced
        super().__init__()

    def strategy(self) -> Strategy:
        for x in self.game:
            prediction = yield x
            label = self.game.answer(prediction)
            self.cost = self.game.cost
            yield label

    def targets(self) -> list[tuple[int, Target]]:
        return self.game.targets()

    def turn(self, player: Any, x: Example) -> tuple[Any, bool]:
        said = player.predict_one(x)
        label = self.answer(said)
        if player.asks_one(x):
            self.told += 1
            player.learn_one(x, label)
        else:
            player.skip_one(x)
        return said, label


class Bandit(Game):
    """A game with k labels, 1 … k, in which the answer is whether the label played is right."""

    needs = ("act_one", "reward_one")
    player = "Banditron"
    labels: list[int]

    def answer(self, prediction: Any) -> bool:
        """Whether the label played for the example just shown is right."""
        self._require_example()
        if prediction not in self.labels:
            raise InvalidInput(
                f"round {self.rounds + 1}: the label played is {prediction!r}; expected one of "
                f"{self.labels!r}, as of Banditron(classes={self.labels!r})."
            )
        return self._answer(prediction)

    def turn(self, player: Any, x: Example) -> tuple[Any, bool]:
        played = player.act_one(x)
        right = self.answer(played)
        player.reward_one(x, played, right)
        return played, right

    def is_mistake(self, said: Any, answer: bool) -> bool:
        return not answer

    def contradicts(self, target: Target, x: Example, said: Any, answer: bool) -> bool:
        return bool(target(x) == said) != answer


class HiddenLabels(Bandit):
    """A label of k for each of n examples, which is found by trying: n·(k − 1) mistakes.

    Example i has only the feature xi, so nothing learned from one helps with another. Each is
    shown until the label played is right.

    **Forced:** n·(k − 1) mistakes. *Proof.* The adversary says wrong to every label as long as
    another one was not refused for this example. So k − 1 different labels are refused before one
    is right, and that one agrees with every answer. ∎ A learner that is told the label after a
    mistake makes one for each example, n in all, if it keeps what it was told.

    Parameters
    ----------
    n : how many examples there are.
    k : how many labels.

    Examples
    --------
    >>> from thresher import Banditron
    >>> from thresher.theory.games import HiddenLabels, play
    >>> game = HiddenLabels(n=5, k=4)
    >>> result = play(Banditron(classes=game.labels, fit_intercept=False), game)
    >>> game.forced, result.mistakes >= game.forced, result.consistent
    (15, True, True)
    """

    def __init__(self, n: int, k: int) -> None:
        self.n, self.k = whole("n", n, 1), whole("k", k, 2)
        self.labels = list(range(1, self.k + 1))
        self.forced = self.n * (self.k - 1)
        self._left = {name: list(self.labels) for name in names(self.n)}
        super().__init__()

    def strategy(self) -> Strategy:
        for name, left in self._left.items():
            right = False
            while not right:
                played = yield {name: 1.0}
                right = left == [played]
                if not right and played in left:
                    left.remove(played)
                yield right

    def targets(self) -> list[tuple[int, Target]]:
        return [(0, Assigned({name: left[0] for name, left in self._left.items()}))]


class SettledLabels(Bandit):
    """n examples at random, each with a label of k that was settled before: endless.

    With vectors u_r that are (k − 1)/k for the examples of label r and −1/k for the others, all
    divided by √(n(k − 1)/k), Σ‖u_r‖² = 1, and the label of each example leads every other by
    `margin` = √(k/(n(k − 1))); and ‖x‖ = 1 without a constant feature. So the bound of the
    Banditron is `theory.bounds.banditron(1, game.margin, k, T, gamma)`.

    Parameters
    ----------
    n : how many examples there are.
    k : how many labels.
    seed : of the labels and of the order.

    Examples
    --------
    >>> from thresher import Banditron
    >>> from thresher.theory.bounds import banditron
    >>> from thresher.theory.games import SettledLabels, play
    >>> game = SettledLabels(n=5, k=4)
    >>> learner = Banditron(gamma=0.1, classes=game.labels, fit_intercept=False)
    >>> mistakes = play(learner, game, rounds=5000).mistakes
    >>> mistakes <= banditron(R=1.0, margin=game.margin, k=4, T=5000, gamma=0.1).value
    True
    """

    endless = True

    def __init__(self, n: int, k: int, seed: int = 0) -> None:
        self.n, self.k, self.seed = whole("n", n, 1), whole("k", k, 2), whole("seed", seed, 0)
        self.labels = list(range(1, self.k + 1))
        self.margin = math.sqrt(self.k / (self.n * (self.k - 1)))
        super().__init__()

    def strategy(self) -> Strategy:
        random = np.random.default_rng(self.seed)
        every = names(self.n)
        truth = dict(zip(every, random.integers(1, self.k + 1, self.n).tolist(), strict=True))
        self._targets = [(0, Assigned(truth))]
        while True:
            name = every[random.integers(self.n)]
            played = yield {name: 1.0}
            yield played == truth[name]
