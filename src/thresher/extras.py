"""What to install for a part that needs more than Thresher itself does."""

from __future__ import annotations

import importlib
from typing import Any

# The packages that are imported only where they are used, and the extra that installs each.
EXTRAS = {
    "anywidget": "notebook",
    "confluent_kafka": "stream",
    "distributed": "cluster",
    "fsspec": "remote",
    "httptools": "serve",
    "matplotlib": "plot",
    "nats": "stream",
    "numba": "jit",
    "onnx": "onnx",
    "prometheus_client": "serve",
    "pyarrow": "arrow",
    "pyspark": "spark",
    "redis": "stream",
    "scipy": "theory",
    "segno": "lab",
    "starlette": "serve",
    "uvicorn": "serve",
    "uvloop": "serve",
    "websockets": "lab",
    "zstandard": "zstd",
}

# Packages that it works with and no extra installs, and how they are called where one gets them.
PEERS = {"river": "river", "sklearn": "scikit-learn"}


def install(extra: str) -> str:
    """How to install an extra: from an index, and in a clone.

    >>> install("plot")
    "pip install 'thresher[plot]' (in a clone: pip install -e '.[plot]')"
    """
    return f"pip install 'thresher[{extra}]' (in a clone: pip install -e '.[{extra}]')"


def missing(what: str, package: str, extra: str | None = None) -> ImportError:
    """The error of a part that needs a package."""
    if package in PEERS:
        how = f"pip install {PEERS[package]}"
    else:
        how = install(extra or EXTRAS[package])
    return ImportError(f"{what} needs the package {package}: {how}", name=package)


def package(module: str) -> Any:
    """A module of an optional package, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise missing("this", module.partition(".")[0]) from None


def advice(error: ImportError) -> str:
    """What to install, for an import that failed; nothing if it is not known."""
    name = (error.name or "").partition(".")[0]
    return str(missing("this", name)) if name in EXTRAS or name in PEERS else ""
