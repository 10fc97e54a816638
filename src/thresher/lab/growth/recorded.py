"""What the page of a race over n asks, for a page that has no server (`view.js` asks it)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from thresher.lab.growth.measure import python, run
from thresher.lab.view import Recorded

SETTINGS = ("target", "k", "density", "p")


def recorded(state: dict[str, Any]) -> Iterator[Recorded]:
    asked = {name: state[name] for name in SETTINGS}
    yield Recorded("growth.run", asked, partial(run, asked))
    yield Recorded("growth.python", asked, partial(python, asked))
