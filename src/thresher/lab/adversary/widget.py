"""The game of the adversary in a notebook."""

from __future__ import annotations

from typing import Any

from thresher.lab.adversary.game import GameSetup
from thresher.lab.serving.widget import Widget


class AdversaryWidget(Widget):
    """A target that you change at a cost, against learners that follow it.

    Parameters
    ----------
    n : how many variables there are; the target is initially empty. Without it, the game of
        `thresher.theory.games.BuriedTarget`, played to its end.
    seed : of the rounds that are drawn.

    Examples
    --------
    >>> from thresher.lab import AdversaryWidget
    >>> AdversaryWidget(n=16).state["moves"]
    []
    """

    _view_name_of_lab = "adversary"

    def __init__(self, n: int | None = None, *, seed: int = 0) -> None:
        state: dict[str, Any] = {"seed": seed}
        if n is not None:
            state |= {"n": n, "moves": []}
        GameSetup({"n": 2, "moves": [], **state})
        super().__init__(state)
