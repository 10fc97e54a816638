"""A brief form of `python tests/serve/long.py kills`."""

from pathlib import Path

from serve.killing import survive_kills


def test_killed_under_load(tmp_path: Path) -> None:
    assert survive_kills(tmp_path, kills=2) > 10
