"""System calls that fail, for real: a small library loaded before the C library (see faults.c)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from parsing.native import ENVIRONMENT, compiler

KILLED = -2  # in place of an error: the process is killed before the call
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
    if sys.platform != "linux":
        pytest.skip("faults need Linux: the library is loaded before its C library")
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    command = [compiler(), "-x", "c", "-O1", "-shared", "-fPIC", source, "-o", library, "-ldl"]
    subprocess.run(command, check=True, env=ENVIRONMENT)
    return library
