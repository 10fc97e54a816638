"""NumPy, imported at first use: the command line trains without it."""

from __future__ import annotations

from typing import Any


class _NumPy:
    """Stands for the module; has all its attributes after the first use."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        self.__dict__.update(vars(numpy))
        return getattr(numpy, name)


np = _NumPy()
