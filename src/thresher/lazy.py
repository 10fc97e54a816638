"""NumPy, imported at first use: the command line trains without it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["np", "npt"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:

    class _AtFirstUse:
        """Stands for a module; has all its attributes after the first use."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            module = importlib.import_module(self._module)
            self.__dict__.update(vars(module))
            return getattr(module, name)

    np, npt = _AtFirstUse("numpy"), _AtFirstUse("numpy.typing")
