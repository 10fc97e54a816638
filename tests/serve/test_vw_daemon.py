"""Clients of `vw --daemon` move without change."""

import json
import socket
from pathlib import Path

import pytest

from serve.processes import served
from thresher.client import Client
from thresher.serve.vw_daemon import as_text, kind_of, tag_of


@pytest.mark.parametrize(
    ("line", "kind", "tag"),
    [
        (b"1 | a b", "learn", ""),
        (b"-1.5 2 'x| a", "learn", "x"),
        (b"1 2 0.5 tag|ns a", "learn", "tag"),
        (b"| a b", "predict", ""),
        (b"|ns a", "predict", ""),
        (b"'x |a b", "predict", "x"),
        (b"tag| a", "predict", "tag"),
        (b"save", "save", ""),
        (b"save_/etc/passwd", "save", ""),
    ],
)
def test_what_a_line_asks_for(line: bytes, kind: str, tag: str) -> None:
    assert kind_of(line) == kind
    if kind != "save":
        assert tag_of(line) == tag


def test_predictions_as_text() -> None:
    assert [as_text(p) for p in (None, 0.1234567, "spam", 3)] == ["0", "0.123457", "spam", "3"]


def test_a_conversation(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with served(tmp_path, "--vw-port", str(port)) as server:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as talk:
            lines = talk.makefile("rwb")

            def ask(*asked: bytes) -> list[bytes]:
                lines.write(b"".join(line + b"\n" for line in asked))
                lines.flush()
                return [lines.readline() for line in asked if line and not line.startswith(b"save")]

            assert ask(b"2 | x:1") == [b"0\n"]
            told = ask(*[b"2 'a| x:1", b"4 b| x:2"] * 20, b"'end| x:1.5", b"oops x:1", b"'q | x:1")
            assert [word.split()[-1] for word in told[:2]] == [b"a", b"b"]
            assert float(told[40].split()[0]) == pytest.approx(3, abs=0.3)
            assert told[40].split()[1] == b"end" and told[41].split()[0] == b"nan"
            assert told[42].endswith(b" q\n")
            assert ask(b"save", b"1 |") and Client(server.url).snapshots("vw")
            lines.write(b"save_/tmp/other\n")
            lines.flush()
            assert lines.readline().startswith(b"error: save takes no file name")
            assert lines.readline() == b""
        with socket.create_connection(("127.0.0.1", port), timeout=30) as talk:
            talk.sendall(b"save_/tmp/other")  # the last line has no end
            talk.shutdown(socket.SHUT_WR)
            assert talk.makefile("rb").read().startswith(b"error: save takes no file name")
        told = json.dumps(Client(server.url).model("vw"))
        assert '"events": 42' in told and '"learner": "lms"' in told
