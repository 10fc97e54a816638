"""What all games have in common: the turns, and the targets."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar, Self

from thresher.errors import InvalidInput
from thresher.theory.games.targets import Target

Example = dict[str, float]
# A strategy in the order of play: it yields x, is sent the prediction, yields the label, and so on.
Strategy = Generator[Example | bool, Any, None]


class Game:
    """An opponent who shows examples and, after each prediction, says the label.

    A game is an iterator of examples, dicts of named features that any learner with `predict_one`
    and `learn_one` takes. The player answers each with a prediction, in turns:

        for x in game:
            y = game.answer(learner.predict_one(x))
            learner.learn_one(x, y)

    Labels are True and False. Since the label may depend on the prediction, an adversary says the
    opposite of it as long as a concept of its class allows that. `play` runs the loop and counts. A
    new game is written as a generator, `strategy`, in the order of play.
    """

    needs: ClassVar[tuple[str, ...]] = ("predict_one", "learn_one")
    """The methods of a player."""
    player: ClassVar[str] = "Perceptron"
    """A learner that has them."""
    endless = False  # whether it never ends by itself
    forced = 0  # mistakes that no learner escapes in a whole game

    def __init__(self) -> None:
        self.rounds = 0  # labels given so far
        self.cost = 0  # changes of the target so far
        self._targets: list[tuple[int, Target]] = []  # first round, target
        self._strategy = self.strategy()
        self._asked = False

    def strategy(self) -> Strategy:
        """The opponent: `prediction = yield x`, then `yield label`, again and again.

        A player may stop after a label: its consequences must be recorded before it is yielded.
        """
        raise NotImplementedError

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Example:
        """The next example."""
        if self._asked:
            raise InvalidInput(
                f"round {self.rounds + 1}: the next example was asked for before the prediction; "
                "expected game.answer(prediction) first."
            )
        x: Any = next(self._strategy)
        self._asked = True
        return dict(x)

    def answer(self, prediction: Any) -> bool:
        """The label of the example just shown; `prediction` is True, False, or None for none."""
        self._require_example()
        if prediction is not None and prediction not in (True, False):
            raise InvalidInput(
                f"round {self.rounds + 1}: the prediction is {prediction!r}; expected True or "
                "False, the labels that the game gives, or None."
            )
        return self._answer(None if prediction is None else bool(prediction))

    def _require_example(self) -> None:
        if not self._asked:
            raise InvalidInput(
                f"round {self.rounds + 1}: a prediction came before the example; expected "
                "next(game) first."
            )

    def _answer(self, said: Any) -> bool:
        answer = bool(self._strategy.send(said))
        self._asked = False
        self.rounds += 1
        return answer

    # -- a round, in games that tell the label, as most do

    def turn(self, player: Any, x: Example) -> tuple[Any, bool]:
        """What a player said about the example just shown, and the answer, which it has learned."""
        said = player.predict_one(x)
        label = self.answer(said)
        player.learn_one(x, label)
        return said, label

    def is_mistake(self, said: Any, answer: bool) -> bool:
        return said is None or bool(said) != answer

    def contradicts(self, target: Target, x: Example, said: Any, answer: bool) -> bool:
        """Whether the answer is not that of the target."""
        return bool(target(x) != answer)

    # -- the target

    def targets(self) -> list[tuple[int, Target]]:
        """The targets, each with the round from which it holds, for all rounds played.

        An adversary decides late: these are concepts of its class that agree with all the labels
        it has given. `play` checks that.
        """
        return list(self._targets)

    @property
    def target(self) -> Target:
        """The concept behind the last label."""
        targets = self.targets()
        if not targets:
            raise InvalidInput("the game has no target before its first round; expected it begun.")
        return targets[-1][1]


def teach(x: Example, label: bool) -> Strategy:
    """The same example and label, repeated until the learner is right."""
    prediction = not label
    while prediction != label:
        prediction = yield x
        yield label


def names(n: int) -> list[str]:
    return [f"x{i}" for i in range(1, n + 1)]
