"""The lemmas of Winnow's bound on the run of a panel: what each allows, and how much is used."""

from __future__ import annotations

import warnings
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check, progress
from thresher.lab.boolean.learners import literal_columns
from thresher.lab.boolean.trace import LABELS, BooleanSetup
from thresher.lab.texts import most
from thresher.learners.linear.winnow import Winnow


def proof(given: Any) -> dict[str, Any]:
    """The total weight and the lemmas after each mistake, by `thresher.theory.winnow_proof`."""
    from thresher.theory import winnow_proof

    asked = check.fields("the request", given, ("state", "panel"))
    setup = BooleanSetup(asked.get("state"))
    if not setup.panels:
        raise InvalidInput("the state has no panels; expected one with Winnow.")
    kind, options = setup.panels[check.whole("panel", asked.get("panel"), 0, len(setup.panels) - 1)]
    model = kind.make(setup.target, options)
    if not isinstance(model, Winnow):
        raise InvalidInput(
            f"These lemmas are about Winnow; {kind.title} has another proof. Choose Winnow's panel."
        )
    X, y = literal_columns(setup.target, setup.X), setup.y
    progress.stage("Winnow's proof")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = winnow_proof(model.partial_fit(X, y, classes=LABELS), X, y)
    return {
        "at": told.at.tolist(),
        "total": told.total.tolist(),
        "most_total": told.most_total.tolist(),
        "largest": told.largest.tolist(),
        "most_largest": told.alpha * told.theta,
        "needed": told.needed.tolist(),
        "potential": told.potential.tolist(),
        "most_potential": told.most_potential,
        "d": told.d,
        "most": most(told.bound),
    }
