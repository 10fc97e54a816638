"""NumPy, imported when something of it is first used: the command line trains without it."""

from __future__ import annotations

from typing import Any


class _NumPy:
    """Stands for the module; holds all of it after the first question."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        self.__dict__.update(vars(numpy))
        return getattr(numpy, name)


np = _NumPy()
