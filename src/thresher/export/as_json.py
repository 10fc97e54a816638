"""A linear model as JSON: every number with 17 digits, and the recipe of its features."""

from __future__ import annotations

import json
from typing import Any

from thresher.export.portable import portable

VERSION = 1


def document(learner: Any) -> str:
    """See docs/howto/export.md for what each entry means."""
    found = portable(learner)
    weights = found.weights.T.tolist()
    return json.dumps(
        {
            "format": "thresher-linear",
            "version": VERSION,
            "learner": found.learner,
            "task": "regress" if found.classes is None else "classify",
            "classes": found.classes,
            "threshold": found.threshold,
            "bounds": found.bounds,
            "unit_length": found.unit,
            "scale": None
            if found.scale is None
            else dict(zip(found.names, found.scale.tolist(), strict=True)),
            "intercepts": found.intercepts.tolist(),
            "weights": {
                name: row for name, row in zip(found.names, weights, strict=True) if any(row)
            },
            "recipe": found.recipe.as_kept(),
        },
        ensure_ascii=False,
        allow_nan=False,
    )
