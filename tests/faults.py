"""System calls that fail, for real: a small library loaded before the C library (see faults.c)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

SHORT = -1  # in place of an error: half of the bytes are written or read


class Fault(NamedTuple):
    """The `at`-th call of these kinds on files under a folder fails (each, if `at` is 0)."""

    under: Path
    kinds: str  # open write read fsync close truncate fchmod flock rename unlink
    at: int
    error: int
    told: Path  # where it is written which call it was


def built(folder: Path) -> Path:
    """The library, compiled."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("faults need Linux and a C compiler")
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    command = [compiler, "-O1", "-shared", "-fPIC", source, "-o", library, "-ldl"]
    subprocess.run(command, check=True)
    return library
