"""A brief form of `python tests/serve/long.py faults 1`."""

import os
import subprocess
import sys
from pathlib import Path

from faults import built

DRIVER = Path(__file__).with_name("faulty_disk.py")


def fail_each_call(folder: Path, every: int) -> str:
    """Every n-th call of the disk fails in turn, in four ways; what was tried."""
    words = [sys.executable, str(DRIVER), str(every)]
    environment = {**os.environ, "LD_PRELOAD": str(built(folder))}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_calls_of_the_disk_that_fail(tmp_path: Path) -> None:
    told = fail_each_call(tmp_path, 151).splitlines()
    assert [line.split(":")[0] for line in told] == ["EIO", "ENOSPC", "short", "killed"]
