"""The boolean concepts in a notebook."""

from __future__ import annotations

from thresher.lab.boolean.trace import BooleanSetup
from thresher.lab.serving.widget import Widget


class BooleanWidget(Widget):
    """Boolean concepts: Winnow, Elimination, Halving and others side by side.

    Parameters
    ----------
    target : a concept as text, such as "x2 | x5 | x9", "x1 & !x3" or "2 of x1 x3 x4".
    n : how many variables there are.
    examples, seed : how many examples are drawn, half of them positive, and from which seed.

    Examples
    --------
    >>> from thresher.lab import BooleanWidget
    >>> BooleanWidget("x1 & !x3", n=8).state["target"]
    'x1 & !x3'
    """

    _view_name_of_lab = "boolean"

    def __init__(
        self, target: str = "x2 | x5 | x9", *, n: int = 32, examples: int = 120, seed: int = 3
    ) -> None:
        state = {"target": target, "n": n, "examples": examples, "draw": "half", "seed": seed}
        BooleanSetup({**state, "panels": []})  # refuses here what the page would refuse later
        super().__init__(state)
