"""What the page of a game asks, for a page that has no server (`view.js` asks it)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from thresher.lab.adversary import game, line
from thresher.lab.view import Recorded


def recorded(state: dict[str, Any]) -> Iterator[Recorded]:
    if state["mode"] == "line":
        asked = {"seed": state["seed"], "moves": state["lines"]}
        yield Recorded("adversary.line", asked, partial(line.run, asked))
        yield Recorded("adversary.line.python", asked, partial(line.python, asked))
        return
    moves = state.get("moves")
    if moves is None:
        bury = {"n": state["n"], **state["bury"]}
        yield Recorded("adversary.bury", bury, partial(game.bury, bury))
        moves = game.bury(bury)["moves"]
    asked = {"n": state["n"], "seed": state["seed"], "moves": moves}
    yield Recorded("adversary.run", asked, partial(game.run, asked))
    yield Recorded("adversary.python", asked, partial(game.python, asked))
