"""Where there is no browser and none can be installed: CI fails, other runs say it aloud."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
TEST = "tests/browser/test_accessibility.py::test_what_happens_is_read_out"


@pytest.mark.parametrize(("ci", "processes"), [(True, 0), (False, 1)])
def test_it_is_not_passed_over(tmp_path, ci, processes):
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment["PATH"] = str(tmp_path)  # neither Chromium nor apt-get
    if ci:
        environment["CI"] = "true"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", str(processes), "-p", "no:cacheprovider", TEST],
        cwd=REPOSITORY, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == (1 if ci else 0), done.stdout + done.stderr
    assert "no browser: none of chromium" in done.stdout
    assert ("THE LAB WAS NOT TESTED" in done.stdout) == (not ci)
