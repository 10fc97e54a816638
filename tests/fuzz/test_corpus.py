"""The fuzzers' inputs, replayed: none crashes a parser or makes a broken batch or model."""

import subprocess
from pathlib import Path

import pytest

from parsing import native

FOLDER = Path(__file__).parent


# All learners: to compile them with more checks than these takes minutes.
QUICKLY = ("-O0", "-fsanitize=address")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "program", "flags"),
    [
        ("corpus", "replay_parse", native.CHECKED),
        ("crashes", "replay_parse", native.CHECKED),
        ("states", "replay_state", QUICKLY),
    ],
)
def test_kept_inputs(folder, program, flags):
    files = sorted((FOLDER / folder).iterdir())
    assert files
    replay = native.build(f"fuzz/{program}.cpp", flags)
    run = subprocess.run([replay, *files], capture_output=True, env=native.ENVIRONMENT)
    assert run.returncode == 0, run.stderr.decode(errors="replace")[-5000:]
    assert run.stderr.count(b"\n") == len(files)
