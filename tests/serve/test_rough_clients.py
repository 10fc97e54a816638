"""Brief forms of the long tests with clients that a server must endure."""

from pathlib import Path

from serve.rough_clients import drop, send_much, stay_idle


def test_connections_that_drop(tmp_path: Path) -> None:
    drop(tmp_path, 60)


def test_connections_that_say_nothing(tmp_path: Path) -> None:
    stay_idle(tmp_path, 200)


def test_a_body_that_never_ends(tmp_path: Path) -> None:
    send_much(tmp_path, 40)
