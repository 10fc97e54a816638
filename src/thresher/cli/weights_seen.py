"""The weights of a learner at work, as a plot shows them: the largest, and their distribution."""

from __future__ import annotations

from typing import Any

from thresher.learners.base.learner import Learner

TOP = 20
LABELS = 8  # of many classes, the first ones seen
BINS = 24  # on each side of 0
MOST_WEIGHTS = 50_000_000  # reading more takes seconds, which a run may need
NAME_LETTERS = 60


def weights_seen(learner: Any) -> dict[str, Any] | None:
    """Ready for JSON; nothing while there is nothing to show."""
    if not isinstance(learner, Learner):  # it keeps examples or concepts, not weights
        return None
    model = learner._model
    if model is None or not model.features:
        return None
    columns = len(model.constants())
    if columns * model.features > MOST_WEIGHTS:
        return {"skipped": f"more than {MOST_WEIGHTS:,} weights"}
    seen = model.picture(TOP, LABELS, BINS)
    return {
        "examples": int(model.counters()["examples"]),
        "top": [
            {**said, "features": [[_shown(name), weight] for name, weight in plus + minus]}
            for said, (plus, minus) in zip(
                _columns(learner, model, columns), seen["top"], strict=False
            )
        ],
        "labels": max(columns, 2),
        "weights": seen["weights"],
        "zeros": seen["zeros"],
        "histogram": _histogram(seen["most"], seen["counts"]),
    }


def _columns(learner: Any, model: Any, columns: int) -> list[dict[str, Any]]:
    """Which label positive weights of each column are for, and which negative ones."""
    if learner.task != "classify":
        return [{"for": None, "against": None}]
    met = [_shown(str(learner._labels.values[code])) for code in model.order()]
    if columns > 1:
        return [{"for": label, "against": None} for label in met]
    if len(met) != 2:
        return [{"for": None, "against": None}]
    positive = model.positive()
    return [{"for": met[positive], "against": met[1 - positive]}]


def _shown(text: str) -> str:
    return text if len(text) <= NAME_LETTERS else text[: NAME_LETTERS - 1] + "…"


def _histogram(most: float, counts: list[int]) -> dict[str, Any] | None:
    """How many weights that are not zero lie in which range; a side that is empty is left out."""
    if most == 0:
        return None
    low = 0 if any(counts[:BINS]) else BINS
    high = 2 * BINS if any(counts[BINS:]) else BINS
    edges = [most * ((i - BINS) / BINS) for i in range(low, high + 1)]
    return {"edges": edges, "counts": counts[low:high]}
