"""The lab restarts at its last address, which no other user can read."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys

import pytest

from thresher.lab.serving import address


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "thresher" / "lab.json"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_what_was_kept_comes_back_and_is_ours_alone(place):
    port = free_port()
    address.keep(port, "a-token-of-sixteen-letters")
    assert address.kept() == (port, "a-token-of-sixteen-letters")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_port_that_is_taken_gets_another_address(place):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        address.keep(one.getsockname()[1], "a-token-of-sixteen-letters")
        port, token = address.kept()
    assert port == 0 and token != "a-token-of-sixteen-letters"


@pytest.mark.parametrize("text", [
    "", "{", "[]", "{}", '{"port": 1, "token": "a-token-of-sixteen-letters"}', '"x"',
    '{"port": 8642, "token": "../../sixteen-letters-and-more"}', '{"port": 8642, "token": "short"}',
    '{"port": "no", "token": "a-token-of-sixteen-letters"}', '{"port": 1e999, "token": "x"}',
])  # fmt: skip
def test_a_damaged_file_is_as_none(place, text):
    place.parent.mkdir()
    place.write_text(text)
    port, token = address.kept()
    assert port == 0 and len(token) >= 16


def test_a_lab_that_is_started_again_has_the_address_it_had(tmp_path):
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "thresher", "lab", "--no-browser", "--logs", str(tmp_path)]
    seen = []
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as lab:
            seen.append(lab.stdout.readline().strip())
            lab.send_signal(signal.SIGINT)
    assert seen[0] == seen[1]
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/(.+)/", seen[0])
    kept = json.loads((tmp_path / "thresher" / "lab.json").read_text())
    assert [kept["port"], kept["token"]] == [int(found[1]), found[2]]
