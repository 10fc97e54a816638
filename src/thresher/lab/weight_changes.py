"""The weights of a run as a page needs them: the initial ones, and which changed to what."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class WeightChanges:
    """Initial weights, and which of them changed to what after how many steps."""

    def __init__(self, w: Floats) -> None:
        self.w = w
        self.out: dict[str, list[Any]] = {
            "start": [rounded(v) for v in w], "at": [], "index": [], "value": [],
        }  # fmt: skip

    def add(self, t: int, w: Floats) -> None:
        changed = np.flatnonzero(w != self.w)
        self.out["at"].append(t)
        self.out["index"].append(changed.tolist())
        self.out["value"].append([rounded(v) for v in w[changed]])
        self.w = w


def rounded(value: Any) -> float:
    return float(f"{float(value):.9g}")
