"""Where memory runs out: a MemoryError, no crash, and a model that is whole.

Every allocation of the core fails once, one after the other, in each operation on each learner.
With THRESHER_ALL_FAULTS=1 in the environment, all options of each learner are tried.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from parsing import native

FOLDER = Path(__file__).parent

OPERATIONS = (
    "learn_one", "partial_fit", "predict", "save", "load", "set_params", "fit_file", "predict_file",
    "convert",
)  # fmt: skip


@pytest.mark.nosanitize  # which brings an allocator of its own
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_allocation_fails_once(operation):
    hook = native.build("memory/no_memory.cpp", ("-O1", "-shared", "-fPIC"))
    environment = {**native.ENVIRONMENT, "LD_PRELOAD": str(hook), "PYTHONPATH": str(FOLDER.parent)}
    run = subprocess.run(
        [sys.executable, FOLDER / "attempts.py", operation],
        capture_output=True, text=True, env=environment | {"PYTHONHASHSEED": "0"}, timeout=600,
        cwd=os.fspath(FOLDER),
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-1500:] + run.stderr[-3000:]
    total = re.search(rf"{operation}: (\d+) failures", run.stdout)
    assert total and int(total[1]) > 400
