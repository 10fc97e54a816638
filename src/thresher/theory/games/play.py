"""A learner and a game, round after round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.options import whole
from thresher.theory.games.game import Example, Game


class Player(Protocol):
    """What most games require of a learner; `Game.needs` says what others do."""

    def predict_one(self, x: Any, /) -> Any: ...

    def learn_one(self, x: Any, y: Any, /) -> Any: ...


@dataclass(frozen=True, eq=False)
class Result:
    """How a game went.

    `labels`, `mistaken` and `costs` have an entry for each round: the label (or, in games that do
    not tell it, whether the label played was right), whether the learner was wrong, and what the
    adversary had paid by then.
    """

    learner: Any
    game: Game
    labels: npt.NDArray[np.bool_]
    mistaken: npt.NDArray[np.bool_]
    costs: npt.NDArray[np.int64]
    contradictions: int  # labels that are not those of the game's target

    @property
    def rounds(self) -> int:
        return len(self.labels)

    @property
    def mistakes(self) -> int:
        return int(self.mistaken.sum())

    @property
    def mistakes_over_time(self) -> npt.NDArray[np.int64]:
        """The mistakes up to each round, that round included."""
        return np.cumsum(self.mistaken)

    @property
    def on_positives(self) -> int:
        """Mistakes on positive examples; u in the analysis of Winnow."""
        return int((self.mistaken & self.labels).sum())

    @property
    def on_negatives(self) -> int:
        """Mistakes on negative examples; v in the analysis of Winnow."""
        return int((self.mistaken & ~self.labels).sum())

    @property
    def cost(self) -> int:
        """What the adversary paid: 1 for each change of the target."""
        return int(self.costs[-1]) if len(self.costs) else 0

    @property
    def consistent(self) -> bool:
        """Whether every label is that of the game's target."""
        return self.contradictions == 0

    def __repr__(self) -> str:
        return (
            f"<{type(self.game).__name__} against {type(self.learner).__name__}: {self.mistakes:,} "
            f"mistakes in {self.rounds:,} rounds, cost {self.cost:,}, "
            f"{self.contradictions:,} contradictions>"
        )


def play(learner: Player, game: Game, rounds: int | None = None) -> Result:
    """Let a learner play: it predicts, the game says the label, it learns, round after round.

    A mistake is a prediction that is not the label; before a learner has learned anything it
    predicts None, which is never right. (`learner.mistakes_` counts the mistakes of the online
    weights, averaged or not, where a score of 0 may count as wrong, so the two may differ a
    little.) At the end each label is compared with the target that the game claims.

    Parameters
    ----------
    learner : anything with `predict_one(x)` and `learn_one(x, y)`. It continues from its state.
    game : a game, new or in progress.
    rounds : the most rounds; needed if the game is endless.

    Examples
    --------
    >>> from thresher import PassiveAggressive
    >>> from thresher.theory.games import Chain, play
    >>> result = play(PassiveAggressive(), Chain(64))
    >>> result
    <Chain against PassiveAggressive: 6 mistakes in 6 rounds, cost 0, 0 contradictions>
    >>> result.mistakes_over_time.tolist()
    [1, 2, 3, 4, 5, 6]
    """
    if not isinstance(game, Game):
        raise InvalidInput(
            f"game is {game!r}; expected a game of thresher.theory.games, such as Chain(64)."
        )
    for name in game.needs:
        if isinstance(learner, type) or not callable(getattr(learner, name, None)):
            *most, last = game.needs
            raise InvalidInput(
                f"learner is {learner!r}; expected an object with {', '.join(most)} and {last}, "
                f"such as thresher.{game.player}()."
            )
    if rounds is not None:
        rounds = whole("rounds", rounds, 0)
    elif game.endless:
        raise InvalidInput(
            f"{type(game).__name__} never ends; expected rounds, the number of rounds to play."
        )
    begin = game.rounds
    examples: list[Example] = []
    said: list[Any] = []
    labels: list[bool] = []
    mistaken: list[bool] = []
    costs: list[int] = []
    while rounds is None or len(labels) < rounds:
        x = next(game, None)
        if x is None:
            break
        prediction, y = game.turn(learner, x)
        examples.append(x)
        said.append(prediction)
        labels.append(y)
        mistaken.append(game.is_mistake(prediction, y))
        costs.append(game.cost)
    return Result(
        learner,
        game,
        np.array(labels, bool),
        np.array(mistaken, bool),
        np.array(costs, np.int64),
        _contradictions(game, begin, examples, said, labels),
    )


def _contradictions(
    game: Game, begin: int, examples: list[Example], said: list[Any], answers: list[bool]
) -> int:
    """How many answers are not those of the target of their round."""
    targets = game.targets()
    if examples and not (targets and targets[0][0] <= begin):
        raise InvalidInput(
            f"{type(game).__name__} names no target for round {begin + 1}; expected targets() to "
            "say from which round on the target was what, the first from round 0 on."
        )
    found = following = 0
    for t, round in enumerate(zip(examples, said, answers, strict=True), begin):
        while following < len(targets) and targets[following][0] <= t:
            following += 1
        found += game.contradicts(targets[following - 1][1], *round)
    return found
