"""One step of a panel in words, in equations, and as Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab import check, steps
from thresher.lab.plane import exact
from thresher.lab.plane.follow import learning_options, that_learns
from thresher.lab.plane.trace import MOST_STEPS, PlaneSetup, check_steps

NAMES = ("x₁", "x₂")


def explain(given: Any) -> dict[str, Any]:
    """The last step of a run over the beginning of its sequence; that part is run again."""
    asked = check.fields("the request", given, ("state", "panel", "sequence"))
    setup = PlaneSetup(asked.get("state"))
    sequence = check.items(
        "sequence", asked.get("sequence"), MOST_STEPS,
        lambda name, v: check.whole(name, v, 0, len(setup.X) - 1),
    )  # fmt: skip
    if not sequence or not setup.panels:
        raise InvalidInput(
            "the state has no panels, or the sequence no points; expected a panel, and the points "
            "that it has seen up to the step to explain."
        )
    index = check.whole("panel", asked.get("panel"), 0, len(setup.panels) - 1)
    entry, options = setup.panels[index]
    check_steps(entry, len(sequence))
    if setup.exact:
        points = [(setup.X[i], int(setup.y[i])) for i in sequence]
        return exact.explain(entry, learning_options(entry, options), points)
    learner = entry.cls(**options)
    learning, averaged = that_learns(entry, options)
    step = steps.watch(learning, setup.X[sequence], np.take(setup.y, sequence).tolist())
    return {
        "words": steps.words(step, entry.name, averaged),
        "maths": steps.equations(step, NAMES, entry.update),
        "python": steps.python(step, repr(learner)),
    }
