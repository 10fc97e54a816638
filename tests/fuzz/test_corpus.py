"""The fuzzers' inputs, replayed: none crashes a parser or makes a broken batch or a broken model."""

import subprocess
from pathlib import Path

import pytest

from parsing import native

FOLDER = Path(__file__).parent


@pytest.mark.parametrize(
    ("folder", "target"), [("corpus", "parse"), ("crashes", "parse"), ("states", "state")]
)
def test_kept_inputs(folder, target):
    files = sorted((FOLDER / folder).iterdir())
    assert files
    replay = native.build(f"fuzz/replay_{target}.cpp")
    run = subprocess.run([replay, *files], capture_output=True, env=native.ENVIRONMENT)
    assert run.returncode == 0, run.stderr.decode(errors="replace")[-5000:]
    assert run.stderr.count(b"\n") == len(files)
