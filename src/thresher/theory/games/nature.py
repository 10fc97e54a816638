"""Nature: random examples, honest labels, occasionally a wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thresher.errors import InvalidInput
from thresher.theory.games.drift import Drifting
from thresher.theory.games.game import Strategy
from thresher.theory.games.targets import AtLeast, Linear, Target

if TYPE_CHECKING:
    from thresher.data.generate import Stream


class Nature(Drifting):
    """A stream of `thresher.data.generate` as a game: it ignores the predictions.

    The target is that of the stream: a disjunction, m of n, a plane, or disjunctions that change
    abruptly (`drift`), where `cost` counts the variables added and removed, the first ones
    included. A wrong label (`noise`) is one that contradicts the target.

    Parameters
    ----------
    stream : one of `disjunction`, `m_of_n`, `linear`, `drift`.

    Examples
    --------
    >>> from thresher import Winnow
    >>> from thresher.theory.games import Nature, play
    >>> from thresher.data.generate import disjunction
    >>> result = play(Winnow(theta=500), Nature(disjunction(n=500, relevant=3)), rounds=2000)
    >>> result.mistakes, result.contradictions
    (16, 0)
    >>> play(Winnow(), Nature(disjunction(n=500, noise=0.1)), rounds=2000).contradictions
    200
    """

    endless = True

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        truth = stream.truth
        changing = "every" in truth
        if "relevant" not in truth and "weights" not in truth:
            raise InvalidInput(
                f"the truth of the stream is {', '.join(truth)}, which gives no example its label; "
                "expected a stream of disjunction, m_of_n, linear or drift."
            )
        if changing and truth["kind"] != "abrupt":
            raise InvalidInput(
                f"the target changes in a {truth['kind']} way, so that no one target labels an "
                "example; expected kind='abrupt'."
            )
        self._every: int | None = truth["every"] if changing else None
        super().__init__()

    def strategy(self) -> Strategy:
        truth = self.stream.truth
        fixed: Target | None = None
        if "weights" in truth:
            fixed = Linear(truth["weights"])
        elif self._every is None:
            fixed = AtLeast(truth["m"], frozenset(truth["relevant"]))
        if fixed is not None:
            self._targets.append((0, fixed))
        for block in self.stream.blocks():
            positive = block.labels[1]
            for example in block:
                if self._every is not None and self.rounds % self._every == 0:
                    relevant = truth["relevant"]
                    number = self.rounds // self._every % len(relevant)
                    self._change(frozenset(relevant[number]))
                yield dict(example.features)
                yield example.label == positive
