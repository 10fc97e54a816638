"""What the page of a run asks, for a page that has no server (`view.js` asks it)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from thresher.lab.classes.as_python import python
from thresher.lab.classes.catalog import listed
from thresher.lab.classes.points import generate
from thresher.lab.classes.trace import FIELDS, run
from thresher.lab.classes.words import explain
from thresher.lab.view import Recorded, every_step


def recorded(state: dict[str, Any]) -> Iterator[Recorded]:
    yield Recorded("classes.learners", {}, listed)
    made = partial(generate, state["made"])
    yield Recorded("classes.generate", state["made"], made)
    asked = {name: state[name] for name in FIELDS if name != "points"} | {
        "points": made()["points"]
    }
    trace = run(asked)
    yield Recorded("classes.run", asked, lambda: trace)
    yield Recorded("classes.python", asked, partial(python, asked))
    for i, panel in enumerate(trace["panels"]):
        about = {"state": asked, "panel": i}
        told = partial(every_step, explain, about, trace["sequence"], panel["update"])
        yield Recorded("classes.explain", about, told, by="sequence")
