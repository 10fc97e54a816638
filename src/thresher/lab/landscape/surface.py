"""J over a window of weights, and for squares its lowest point, axes and largest stable rate."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from thresher import lms_stability
from thresher.lab.landscape.paths import paths
from thresher.lab.landscape.setup import LandscapeSetup

GRID = 57
LEVELS = 9


def surface(given: Any) -> dict[str, Any]:
    """A grid of J, row by row from the bottom, and levels to draw."""
    setup = LandscapeSetup(given)
    J = setup.objective()
    out: dict[str, Any] = {"constant": setup.regress}
    if setup.squared:
        out |= _bowl(setup)
        middle = np.array(out["lowest"])
        half = 1.7 * max(0.6, float(np.abs(middle).max()))
    else:
        middle, half = np.zeros(2), _reach(setup)
    across, up = (np.linspace(m - half, m + half, GRID) for m in middle)
    W = np.array([[a, b] for b in up for a in across])
    values = J.values(W)
    low, high = float(values.min()), float(values.max())
    if setup.loss == "0/1":
        levels = np.unique(np.round(values, 9))[:-1] + 0.25 / len(setup.y)
    else:
        levels = low + (high - low) * (np.arange(1, LEVELS + 1) / (LEVELS + 1)) ** 2
    return out | {
        "window": dict(
            zip(
                ("left", "right", "bottom", "top"),
                map(float, (*across[[0, -1]], *up[[0, -1]])),
                strict=True,
            )
        ),
        "size": GRID,
        "values": [float(f"{v:.5g}") for v in values],
        "levels": [float(v) for v in levels],
    }


def _bowl(setup: LandscapeSetup) -> dict[str, Any]:
    """The lowest point of a mean of squares, and the axes of its ellipses."""
    J = setup.objective()
    rows = np.asarray(J.rows)
    lowest = np.linalg.lstsq(rows, setup.y, rcond=None)[0]
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    facts = lms_stability(setup.X, fit_intercept=setup.regress)
    return {
        "lowest": lowest.tolist(),
        "least": J.value(lowest),
        "eigenvalues": [facts.lambda_min, facts.lambda_max],
        "eta_max": facts.eta_max if np.isfinite(facts.eta_max) else None,
        # In the direction of λ the ellipse J = least + 1 reaches 1/√λ.
        "axes": [
            {"value": float(v), "direction": vectors[:, k].tolist()} for k, v in enumerate(values)
        ],
    }


def _reach(setup: LandscapeSetup) -> float:
    """How far the paths go."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 1.2 * max(0.1, *(float(np.abs(path).max()) for path in paths(setup).values()))
