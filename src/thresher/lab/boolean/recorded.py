"""What the page of a race asks, for a page that has no server (`view.js` asks it)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from thresher.lab.boolean.learners import listed
from thresher.lab.boolean.proof import proof
from thresher.lab.boolean.trace import FIELDS, BooleanSetup, bounds, run
from thresher.lab.boolean.words import explained, python
from thresher.lab.view import Recorded


def recorded(state: dict[str, Any]) -> Iterator[Recorded]:
    yield Recorded("boolean.learners", {}, listed)
    asked = {name: state[name] for name in FIELDS}
    trace = run(asked)
    yield Recorded("boolean.run", asked, lambda: trace)
    yield Recorded("boolean.bounds", asked, partial(bounds, asked))
    yield Recorded("boolean.python", asked, partial(python, asked))
    for i, panel in enumerate(trace["panels"]):
        if "error" not in panel:
            about = {"state": asked, "panel": i}
            yield Recorded("boolean.explain", about, partial(_explained, about), by="t")
            yield Recorded("boolean.proof", about, partial(proof, about))


def _explained(about: dict[str, Any]) -> list[Any]:
    setup = BooleanSetup(about["state"])
    return [None, *(explained(setup, about["panel"], t) for t in range(1, setup.count + 1))]
