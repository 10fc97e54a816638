"""The fuzzer's texts, replayed: none crashes a parser or breaks what a batch must hold."""

import subprocess
from pathlib import Path

import pytest

from parsing import native

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("kind", ["corpus", "crashes"])
def test_kept_inputs(kind):
    files = sorted((FOLDER / kind).iterdir())
    assert files
    replay = native.build("fuzz/replay.cpp")
    run = subprocess.run([replay, *files], capture_output=True, env=native.ENVIRONMENT)
    assert run.returncode == 0, run.stderr.decode(errors="replace")[-5000:]
    assert run.stderr.count(b"\n") == len(files)
