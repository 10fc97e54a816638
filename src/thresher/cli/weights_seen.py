"""The weights of a learner at work, as a picture shows them: the largest, and their spread."""

from __future__ import annotations

import math
from typing import Any

TOP = 20
LABELS = 8  # of many classes, those met first
BINS = 24  # on each side of 0
MOST_WEIGHTS = 4_000_000  # a copy of more would cost time and memory that a run may need
NAME_LETTERS = 120


def weights_seen(learner: Any) -> dict[str, Any] | None:
    """Ready for JSON; nothing while there is nothing to see."""
    model = learner.__dict__.get("_model")
    if model is None or not model.features:
        return None
    columns = len(model.constants())
    if columns * model.features > MOST_WEIGHTS:
        return {"skipped": f"more than {MOST_WEIGHTS:,} weights"}
    import numpy as np

    weights = model.weights()
    values = weights.ravel()
    nonzero = values[values != 0]
    finite = nonzero[np.isfinite(nonzero)]
    return {
        "examples": int(model.counters()["examples"]),
        "top": [
            {**said, "features": _largest(model, weights[column])}
            for column, said in enumerate(_columns(learner, model, len(weights))[:LABELS])
        ],
        "labels": columns if columns > 1 else 2,
        "weights": len(values),
        "zeros": len(values) - len(nonzero),
        "histogram": _spread(finite),
    }


def _columns(learner: Any, model: Any, columns: int) -> list[dict[str, Any]]:
    """For which label the weights of each column speak, and against which."""
    if not hasattr(type(learner), "classes_"):
        return [{"for": None, "against": None}]
    met = [_shown(learner._labels.values[code]) for code in model.order()]
    if columns == 1:
        if len(met) != 2:
            return [{"for": None, "against": None}]
        positive = model.positive()
        return [{"for": met[positive], "against": met[1 - positive]}]
    return [{"for": label, "against": None} for label in met[:columns]]


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= NAME_LETTERS else text[: NAME_LETTERS - 1] + "…"


def _largest(model: Any, weights: Any) -> list[list[Any]]:
    """The largest and the smallest, as [name, weight]: those above 0 first, each by size."""
    import numpy as np

    found: list[list[Any]] = []
    for sign in (1.0, -1.0):
        signed = sign * weights
        k = min(TOP, len(signed))
        best = np.argpartition(-signed, k - 1)[:k]
        best = best[np.argsort(-signed[best], kind="stable")]
        found += [
            [_shown(model.name(int(i))), float(weights[i])]
            for i in best
            if signed[i] > 0 and math.isfinite(weights[i])
        ]
    return found


def _spread(values: Any) -> dict[str, Any] | None:
    """How many weights that are not zero lie in which range; one edge is 0."""
    if not len(values):
        return None
    import numpy as np

    most = float(np.abs(values).max())
    low = -BINS if values.min() < 0 else 0
    high = BINS if values.max() > 0 else 0
    edges = most * (np.arange(low, high + 1) / BINS)
    counts, _ = np.histogram(values, edges)
    return {"edges": edges.tolist(), "counts": counts.tolist()}
