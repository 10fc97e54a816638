"""The fuzzers' inputs, replayed: none crashes a parser or makes a broken batch or model."""

import os
import subprocess
from pathlib import Path

import pytest

from parsing import native

FOLDER = Path(__file__).parent


# All learners: to compile them takes two minutes, with more checks than these much longer. Damaged
# model files are read by tests/contracts/test_model_file.py in every run.
QUICKLY = ("-O0", "-fsanitize=address")
ALL = bool(os.environ.get("THRESHER_ALL_FAULTS"))


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["corpus", "crashes"])
def test_kept_inputs_of_parsers(folder):
    replay(folder, "replay_parse", native.CHECKED)


@pytest.mark.skipif(
    not ALL, reason="THRESHER_ALL_FAULTS=1 replays states: two minutes of compiling"
)
def test_kept_states():
    replay("states", "replay_state", QUICKLY)


def replay(folder, program, flags):
    files = sorted((FOLDER / folder).iterdir())
    assert files
    binary = native.build(f"fuzz/{program}.cpp", flags)
    run = subprocess.run([binary, *files], capture_output=True, env=native.ENVIRONMENT)
    assert run.returncode == 0, run.stderr.decode(errors="replace")[-5000:]
    assert run.stderr.count(b"\n") == len(files)
