"""Sparse matrices, recognised without importing scipy."""

from __future__ import annotations

from typing import Any


def is_sparse(X: Any) -> bool:
    """Whether this is a scipy sparse matrix or array, of any kind."""
    return hasattr(X, "tocsr")
