"""What is said about packages is so: extras, versions, what to install."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import thresher
from thresher import Perceptron
from thresher.extras import EXTRAS, install

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
DEVELOPERS = {"test", "test-notebook", "test-spark", "bench", "bench-moa", "docs"}


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


PARTS = {
    "scipy": ("audit", "a.svm", "-m", "m"),
    "matplotlib": ("evaluate", "a.svm", "-m", "m", "--plot", "a.svg"),
    "starlette": ("serve", "folder"),
    "websockets": ("lab",),
    "redis": ("consume", "redis://localhost/events", "-m", "c"),
    "distributed": ("train", "a.svm", "-m", "c", "--learner", "pa", "--cluster", "local:2"),
    "pyspark": ("train", "a.svm", "-m", "c", "--learner", "pa", "--cluster", "spark"),
    "fsspec": ("train", "s3://a/b", "-m", "c", "--learner", "pa", "--cluster", "local:2"),
    "onnx": ("export", "m", "-o", "m.onnx"),
    "pyarrow": ("convert", "a.svm", "a.parquet"),
    "zstandard": ("convert", "a.svm", "a.svm.zst"),
}


@pytest.mark.parametrize("package", PARTS)
def test_a_command_names_the_extra_that_it_needs(tmp_path, package):
    """In one line, for each part that needs more than what is always installed."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    Perceptron().fit_file(tmp_path / "a.svm").save(tmp_path / "m")
    without = [package, "compression.zstd"] if package == "zstandard" else [package]
    hide = f"import sys; sys.modules |= dict.fromkeys({without})"
    run = f"{hide}; from thresher.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", run, *PARTS[package]], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stdout == ""
    (said,) = done.stderr.splitlines()
    extra = "lab" if package == "websockets" else EXTRAS[package]
    assert said.startswith("error: ") and install(extra) in said


def test_a_function_names_the_package_that_it_needs(tmp_path, monkeypatch):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    model = Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(ImportError, match=r"to_sklearn needs .* pip install scikit-learn"):
        model.to_sklearn()
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match="needs the package scipy: pip install 'thresher"):
        thresher.read_svmlight(tmp_path / "a.svm")


def test_the_version_stands_in_one_place():
    assert PROJECT["dynamic"] == ["version"]
    from thresher.version import __version__

    for name in ("pyproject.toml", "CMakeLists.txt", "CITATION.cff", "Dockerfile", "mkdocs.yml"):
        assert __version__ not in (REPOSITORY / name).read_text(), name


def test_the_changelog_has_the_version():
    from thresher.version import __version__

    latest = re.search(r"^## (\d\S+) - (\S+)$", (REPOSITORY / "CHANGELOG.md").read_text(), re.M)
    assert latest is not None and latest[1] == __version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", latest[2])
