"""What is said about packages is so: extras, versions, what to install."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from thresher.extras import EXTRAS, install

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
DEVELOPERS = {"test", "test-notebook", "bench", "bench-moa", "docs"}


def test_extras_compose():
    extras = PROJECT["optional-dependencies"]
    assert set(EXTRAS.values()) <= set(extras)
    (every,) = extras["all"]
    named = set(every.removeprefix("thresher[").removesuffix("]").split(","))
    assert named == set(extras) - DEVELOPERS - {"all", "spark"}
    assert "thresher[all]" in extras["test"]


def test_one_place_says_how_to_install_an_extra():
    for path in (REPOSITORY / "src/thresher").rglob("*.py"):
        if path.name != "extras.py":
            code = re.sub(r'""".*?"""', "", path.read_text(), flags=re.DOTALL)
            assert "thresher[" not in code.replace("thresher[:", ""), path
    assert install("plot").startswith("pip install 'thresher[plot]'")


def test_a_command_names_the_extra_that_it_needs(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    run = "import sys; sys.modules['scipy'] = None; from thresher.cli import main; main()"
    train = [sys.executable, "-c", run, "train", "a.svm", "-m", "m", "--learner", "pa", "-q"]
    assert subprocess.run(train, cwd=tmp_path).returncode == 0
    audit = [sys.executable, "-c", run, "audit", "a.svm", "-m", "m"]
    done = subprocess.run(audit, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == f"error: this needs the package scipy: {install('theory')}"


def test_the_version_stands_in_one_place():
    assert PROJECT["dynamic"] == ["version"]
    from thresher.version import __version__

    for name in ("pyproject.toml", "CMakeLists.txt", "CITATION.cff", "Dockerfile", "mkdocs.yml"):
        assert __version__ not in (REPOSITORY / name).read_text(), name
