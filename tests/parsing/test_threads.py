"""The threads of the reader, each of whose memory is another's only when it was handed over."""

import re
import subprocess

import pytest

from parsing import native


@pytest.mark.slow
def test_reading_under_the_thread_sanitizer():
    program = native.build("parsing/read_in_threads.cpp", ("-O0", "-g1", "-fsanitize=thread"))
    # It needs to know where memory lies: addresses are not to be drawn at random.
    run = subprocess.run(
        ["setarch", "-R", program], capture_output=True, text=True, env=native.ENVIRONMENT
    )
    assert run.returncode == 0, run.stderr[-5000:]
    batches = re.fullmatch(r"(\d+) batches\n", run.stdout)
    assert batches and int(batches[1]) > 500
