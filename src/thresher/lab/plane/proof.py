"""Novikoff's proof on the run of a panel: both sides of the inequality after each update."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.lab import check, progress
from thresher.lab.plane.follow import that_learns
from thresher.lab.plane.trace import PlaneSetup, constant_feature, sequence_of
from thresher.lab.texts import most


def proof(given: Any) -> dict[str, Any]:
    """k·γ ≤ w·u ≤ ‖w‖ ≤ R·√k, by `thresher.theory.novikoff_proof`; u has the largest margin."""
    from thresher.theory import Separable, novikoff_proof, separability

    asked = check.fields("the request", given, ("state", "panel"))
    setup = PlaneSetup(asked.get("state"))
    if not setup.panels or not len(setup.X):
        raise InvalidInput("the state has no panels or no points; expected some to prove it of.")
    index = check.whole("panel", asked.get("panel"), 0, len(setup.panels) - 1)
    entry, options = setup.panels[index]
    if entry.name != "Perceptron":
        raise InvalidInput(
            f"Novikoff's theorem is about the perceptron; {entry.name} has another proof. Choose a "
            "panel with Perceptron."
        )
    constant = constant_feature(entry, options)
    rows = np.column_stack([setup.X, np.full(len(setup.X), constant)]) if constant else setup.X
    progress.stage(f"the largest margin of {len(rows):,} points")
    found = separability(rows, setup.y, fit_intercept=False)
    if not isinstance(found, Separable) or len(np.unique(setup.y)) < 2:
        raise InvalidInput(
            "The proof needs a vector u that has every example on its side; these points have none."
            if not isinstance(found, Separable)
            else "All points have one label; the proof needs both."
        )
    sequence = sequence_of(setup)
    X, y = setup.X[sequence], setup.y[sequence]
    progress.stage("Novikoff's proof")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = that_learns(entry, options)[0].partial_fit(X, y, classes=[-1, 1])
        told = novikoff_proof(model, X, y, comparator=found.weights)
    if not math.isfinite(told.bound):
        raise InvalidInput("R²/γ² is too large a number. Move the points apart, or closer to 0.")
    return {
        "at": told.at.tolist(),
        "along": [float(f"{v:.9g}") for v in told.along],
        "norm": [float(f"{v:.9g}") for v in told.norm],
        "gamma": told.gamma,
        "R": told.R,
        "bound": told.bound,
        "most": most(told.bound),
    }
