"""scipy, which only this part needs: imported where it is used, with an error if missing."""

from __future__ import annotations

from typing import Any

from thresher.extras import package


def scipy_part(name: str) -> Any:
    return package(f"scipy.{name}")
