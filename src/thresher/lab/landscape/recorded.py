"""What the page of a landscape asks, for a page that has no server (`view.js` asks it)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from thresher.lab.landscape.as_python import python
from thresher.lab.landscape.paths import run
from thresher.lab.landscape.setup import FIELDS, generate
from thresher.lab.landscape.surface import surface
from thresher.lab.landscape.words import explain
from thresher.lab.view import Recorded


def recorded(state: dict[str, Any]) -> Iterator[Recorded]:
    made = {"task": state["task"], **state["made"]}
    yield Recorded("landscape.generate", made, partial(generate, made))
    points = generate(made)["points"]
    asked = {name: state[name] for name in FIELDS if name != "points"} | {"points": points}
    trace = run(asked)
    yield Recorded("landscape.run", asked, lambda: trace)
    yield Recorded("landscape.surface", asked, partial(surface, asked))
    yield Recorded("landscape.python", asked, partial(python, asked))
    for path in trace["paths"]:
        about = {"state": asked, "path": path["name"]}
        yield Recorded(
            "landscape.explain", about, partial(_explained, about, state["steps"]), by="t"
        )


def _explained(about: dict[str, Any], steps: int) -> list[Any]:
    return [None, *(explain({**about, "t": t}) for t in range(1, steps + 1))]
