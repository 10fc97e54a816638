"""What a command loads before it begins: most of the time of a short run."""

import json
import subprocess
import sys

import pytest

CODE = """
import json, sys
from thresher.cli import main
try: main()
except SystemExit as stop: assert not stop.code
print(json.dumps(sorted(sys.modules)))
"""
# Each of these takes longer to load than a megabyte to learn.
SLOW = {
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "rich",
    "matplotlib",
    "hashlib",
    "pathlib",
    "tempfile",
    "difflib",  # Click's, for an option that it does not know: as which it takes -m at first
    "glob",
}


def loaded(folder, *options):
    (folder / "two.svm").write_text("1 1:0.5 2:1\n-1 2:0.25\n")
    words = ["train", "two.svm", "-m", "two.model", "-q", *options]
    run = subprocess.run(
        [sys.executable, "-c", CODE, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    assert (folder / "two.model").exists()
    return set(json.loads(run.stdout))


def test_training_one_learner_loads_that_one(tmp_path):
    found = loaded(tmp_path, "--learner", "pa")
    assert not SLOW & found
    learners = {name for name in found if name.startswith("thresher.learners.linear.")}
    assert learners == {
        "thresher.learners.linear.classifier",
        "thresher.learners.linear.passive_aggressive",
    }
    rest = ("experts", "kernel", "boolean", "sequence", "portfolio", "table_of_others")
    assert not {f"thresher.learners.{name}" for name in rest} & found
    assert not {name for name in found if name.startswith(("thresher.drift", "thresher.theory"))}


def test_training_many_loads_no_array_library(tmp_path):
    assert not SLOW & loaded(tmp_path)


ENDING = """
import atexit, threading, time
import thresher.cli
command = thresher.cli.main
def main():
    atexit.register(print, "exit function")
    threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
    command()
thresher.cli.main = main
from thresher.__main__ import main
main()
"""


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["inspect", "missing"], 1)])
def test_a_process_ends_after_its_threads_and_exit_functions(tmp_path, words, code):
    run = subprocess.run(
        [sys.executable, "-c", ENDING, *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == code
    assert run.stdout.splitlines()[-2:] == ["thread", "exit function"]
