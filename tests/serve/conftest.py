"""Folders in memory: these tests sync hundreds of times, and ask nothing of the disk."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = "/dev/shm"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    folder = tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
