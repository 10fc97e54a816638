"""scipy, which only this part needs: imported where it is used, with an error if missing."""

from __future__ import annotations

import importlib
from typing import Any


def scipy_part(name: str) -> Any:
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError:
        raise ImportError(
            f"this needs scipy.{name}; install it with: pip install 'thresher[theory]'"
        ) from None
