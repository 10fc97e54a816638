"""The theory of online learning as code that runs: bounds, separability, representation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Where each name lives; imported when first asked for, so that nothing is loaded in vain.
_HOMES = {
    "Certificate": "certificate",
    "Inseparable": "separation",
    "Separable": "separation",
    "bounds": "",
    "separability": "separation",
    "verify": "certificate",
}

__all__ = [
    "Certificate",
    "Inseparable",
    "Separable",
    "bounds",
    "separability",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher.theory' has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(f"thresher.theory.{home or name}")
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if TYPE_CHECKING:
    from thresher.theory import bounds
    from thresher.theory.certificate import Certificate, verify
    from thresher.theory.separation import Inseparable, Separable, separability
