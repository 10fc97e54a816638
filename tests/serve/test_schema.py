"""Requests made from the description of the API: a brief form of `long.py schema`."""

import subprocess
import sys
from pathlib import Path

from serve.processes import served
from thresher.client import Client

# What is valid by the schema may still be refused: which settings there are depends on the learner.
LEFT_OUT = ["positive_data_acceptance"]


def probe(folder: Path, examples: int, *, pinned: bool, phases: str) -> str:
    """What schemathesis says, with all its checks; an error if it has found anything.

    With the name of a model that is there requests get beyond 404; without, names vary, too.
    """
    with served(folder / "dir", "--sync", "no") as server:
        client = Client(server.url)
        client.create("m", learner="arow", label="y")
        client.learn("m", {"x": 1, "y": 1})
        config = folder / "schemathesis.toml"
        config.write_text('[parameters]\n"path.model" = "m"\n' if pinned else "")
        left_out = [*LEFT_OUT, "negative_data_rejection"] if pinned else LEFT_OUT
        words = [str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(config),
                 "run", f"{server.url}/openapi.json", "--max-examples", str(examples),
                 "--phases", phases, "--checks", "all", "--exclude-checks", ",".join(left_out),
                 "--exclude-method", "DELETE"]  # fmt: skip
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert client.learn("m", {"x": 1, "y": 1}).learned == 1
        assert server.stop()[0] == 0
    return done.stdout


def test_what_the_description_says_holds(tmp_path: Path) -> None:
    probe(tmp_path, 1, pinned=True, phases="fuzzing")
