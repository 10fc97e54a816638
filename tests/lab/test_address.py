"""The lab restarts at its last address, which no other user can read."""

import json
import os
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

    def address_of_another():
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as lab:
            found = lab.stdout.readline().strip()
            lab.send_signal(signal.SIGINT)
        kept = json.loads((tmp_path / "thresher" / "lab.json").read_text())
        assert found == f"http://127.0.0.1:{kept['port']}/{kept['token']}/"
        return kept

    first = address_of_another()
    assert address_of_another() == first
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", first["port"]))
        taken.listen()
        other = address_of_another()
    assert other["port"] != first["port"]
    assert other["token"] != first["token"]
