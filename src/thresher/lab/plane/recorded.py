"""What the page of a run asks, for a page that has no server (`view.js` asks it)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from thresher.lab.plane.as_python import python
from thresher.lab.plane.catalog import listed
from thresher.lab.plane.follow import that_learns
from thresher.lab.plane.points import generate
from thresher.lab.plane.proof import proof
from thresher.lab.plane.trace import FIELDS, PlaneSetup, bounds, field, run
from thresher.lab.plane.words import explain
from thresher.lab.view import Recorded, every_step

# What a state that does not say otherwise has in the page (`state.js`).
START = {"order": "given", "epochs": 2, "seed": 0, "exact": False}
FROM_ZERO = ("positive", "shares")  # sets whose window begins at 0


def recorded(given: dict[str, Any]) -> Iterator[Recorded]:
    state = {**START, **given}
    yield Recorded("plane.learners", {}, listed)
    if "points" not in state:
        made = partial(generate, state["made"])
        yield Recorded("plane.generate", state["made"], made)
        state["points"] = made()["points"]
    state["panels"] = [{**panel, "options": panel.get("options", {})} for panel in state["panels"]]
    asked = {name: state[name] for name in FIELDS}
    trace = run(asked)
    yield Recorded("plane.run", asked, lambda: trace)
    yield Recorded("plane.bounds", asked, partial(bounds, asked))
    yield Recorded("plane.python", asked, partial(python, asked))
    for i, panel in enumerate(trace["panels"]):
        if "error" in panel:
            continue
        about = {"state": asked, "panel": i}
        steps = partial(_explained, about, trace["sequence"], panel)
        yield Recorded("plane.explain", about, steps, by="sequence")
        yield Recorded("plane.proof", about, partial(proof, about))
        if panel["curved"]:
            about = {**about, "window": _window(state)}
            yield Recorded(
                "plane.field", about, partial(_fields, about, len(trace["sequence"])), "t"
            )


def _explained(about: dict[str, Any], sequence: list[int], panel: dict[str, Any]) -> list[Any]:
    """Of a learner that averages, or has a kernel, every step differs from those before."""
    entry, options = PlaneSetup(about["state"]).panels[about["panel"]]
    alike = entry.linear and not that_learns(entry, options)[1]
    updates = panel["update"] if alike else [1] * len(sequence)
    return every_step(explain, about, sequence, updates)


def _fields(about: dict[str, Any], steps: int) -> list[Any]:
    """The boundary at every moment. It is drawn from signs, and from scores where they change; of
    the other scores only the sign is kept."""
    out = []
    for t in range(steps + 1):
        told = field({**about, "t": t})
        scores = np.array(told["scores"]).reshape(told["size"], told["size"])
        near, positive = np.zeros(scores.shape, bool), scores >= 0
        for axis in (0, 1):
            change = np.diff(positive, axis=axis)
            before = np.pad(change, [(0, 1 - axis), (0, axis)])
            after = np.pad(change, [(1 - axis, 0), (axis, 0)])
            near |= before | after
        if scores.any():
            scores = np.where(near, scores, np.where(positive, 1, -1))
        kept = [float(f"{v:.3g}") if abs(v) != 1 else int(v) for v in scores.ravel()]
        out.append({**told, "scores": kept})
    return out


def _window(state: dict[str, Any]) -> list[float]:
    """[left, right, bottom, top] of the page (`windowOf` in geometry.js)."""
    xs, ys = [p[0] for p in state["points"]], [p[1] for p in state["points"]]
    made = state.get("made", {}).get("kind")
    if made in FROM_ZERO and min(xs + ys) >= 0 and max(xs + ys) <= 1.1:
        return [-0.15, 1.15, -0.15, 1.15]
    left, right, bottom, top = min(xs), max(xs), min(ys), max(ys)
    if min(left, bottom) >= -1.1 and max(right, top) <= 1.1:
        return [-1.2, 1.2, -1.2, 1.2]
    half = 0.6 * max(right - left, top - bottom, 1e-6)
    x, y = (left + right) / 2, (bottom + top) / 2
    return [x - half, x + half, y - half, y + half]
