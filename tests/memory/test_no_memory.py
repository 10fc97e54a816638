"""Where memory runs out: a MemoryError, no crash, and a model that is whole.

Allocations of the core fail, one after the other, in each operation on each learner: every third,
and another one first in each case. All of them, with all options of each learner, in some minutes:
THRESHER_ALL_FAULTS=1 make pytest PYTEST_ARGS=tests/memory
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


ALL = bool(os.environ.get("THRESHER_ALL_FAULTS"))


@pytest.mark.slow
@pytest.mark.nosanitize  # which brings an allocator of its own
@pytest.mark.parametrize("operations", OPERATIONS if ALL else [" ".join(OPERATIONS)])
def test_every_allocation_may_fail(operations):
    hook = native.build("memory/no_memory.cpp", ("-O1", "-shared", "-fPIC"))
    environment = {**native.ENVIRONMENT, "LD_PRELOAD": str(hook), "PYTHONPATH": str(FOLDER.parent)}
    run = subprocess.run(
        [sys.executable, FOLDER / "attempts.py", *operations.split()],
        capture_output=True, text=True, env=environment | {"PYTHONHASHSEED": "0"}, timeout=1800,
        cwd=os.fspath(FOLDER),
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-1500:] + run.stderr[-3000:]
    for operation in operations.split():
        total = re.search(rf"^{operation}: (\d+) failures", run.stdout, re.M)
        assert total and int(total[1]) > 130
