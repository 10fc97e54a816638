"""The guides to a rule and to a theorem in CONTRIBUTING.md, followed to the letter on a copy.

Of the native module only the one file that the guide changes is compiled again; the others are
linked as they were built.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pytest

from thresher import _core

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_FILES = 8
MODULE = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"

STEP = re.compile(
    r"""
    ^<!--[ ](?: (?P<how> new[ ]file | end[ ]of )[ ](?P<file> \S+)
        | in[ ](?P<inside> \S+)[ ](?P<place> after | replace ):[ ](?P<line> .+?) )[ ]-->\n
    ```\w+\n (?P<text> .*?) ^```$
    """,
    re.X | re.M | re.S,
)

# Imports of thresher get the copy, not what is installed in the environment.
RUN = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
sys.path.insert(0, "src")
import thresher
assert thresher.__file__.startswith(sys.argv[1]), thresher.__file__
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""


def steps(title: str) -> list[re.Match[str]]:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    guide = text[text.index(f"\n## {title}\n") :]
    guide = guide[: guide.index("\n## Add ", 1)]
    found = list(STEP.finditer(guide))
    assert len(found) == guide.count("<!--") == guide.count("\n```\n")
    return found


def test_the_guide_to_a_rule_touches_few_files() -> None:
    touched = {step["file"] or step["inside"] for step in steps("Add a rule")}
    assert len(touched) <= MOST_FILES, sorted(touched)


def follow(step: re.Match[str], root: Path) -> None:
    path = root / (step["file"] or step["inside"])
    if step["how"] == "new file":
        assert not path.exists()
        path.write_text(step["text"])
        return
    before = path.read_text()
    if step["how"] == "end of":
        path.write_text(f"{before}\n\n{step['text']}")
        return
    line = f"{step['line']}\n"
    assert before.count(f"\n{line}") == 1, line
    new = step["text"] if step["place"] == "replace" else line + step["text"]
    path.write_text(before.replace(f"\n{line}", f"\n{new}"))


def built_objects() -> list[Path]:
    """Of the last build of the native module; those of sanitizers are in hidden folders."""
    places = REPOSITORY.glob("build/[!.]*/CMakeFiles/_core.dir/src/bindings/options.cpp.o")
    last = max(places, key=lambda path: path.stat().st_mtime, default=None)
    assert last is not None, "the native module was not built here: make pytest builds it"
    others = [path for path in last.parent.glob("*.o") if path != last]
    return [*others, *last.parents[4].glob("libnanobind-static*.a")]


def copy_with(title: str, root: Path) -> None:
    """A copy of the repository with what the guide says."""
    for folder in ("src", "tests", "docs"):
        leave = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=leave)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / file, root)
    for step in steps(title):
        follow(step, root)


def passed(root: Path, *arguments: str) -> int:
    """How many tests passed in the copy; all must."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(root), "-q", "-p", "no:cacheprovider", *arguments],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return int(re.search(r"(\d+) passed", done.stdout)[1])


@pytest.mark.slow
@pytest.mark.nosanitize  # it links what was built without
def test_the_guide_to_a_rule_can_be_followed(tmp_path: Path) -> None:
    root = tmp_path / "copy"
    copy_with("Add a rule", root)
    compiler = shutil.which("g++") or shutil.which("c++")
    assert compiler is not None
    include = [nanobind.include_dir(), sysconfig.get_path("include"), str(root / "src")]
    changed = tmp_path / "options.o"
    subprocess.run(
        [compiler, "-c", "-std=c++20", "-O0", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off",
         "-DNDEBUG", *(f"-I{folder}" for folder in include),
         str(root / "src/bindings/options.cpp"), "-o", str(changed)],
        check=True,
    )  # fmt: skip
    subprocess.run(
        [compiler, "-shared", "-o", str(root / "src/thresher" / MODULE), str(changed),
         *map(str, built_objects())],
        check=True,
    )  # fmt: skip
    assert passed(
        root,
        "tests/theorems/test_normalized_perceptron.py",
        "tests/reference/test_fast_equals_reference.py",
        "tests/contracts/test_promises.py",
        "tests/contracts/test_learner_table.py",
        "tests/docs/test_examples.py",
        "--doctest-modules",
        "src/thresher/reference/perceptron.py",
        "src/thresher/learners/linear/perceptron.py",
        "-knormalized or Normalized or pages_show or reference_has",
    ) > 50  # fmt: skip


@pytest.mark.slow
def test_the_guide_to_a_theorem_can_be_followed(tmp_path: Path) -> None:
    root = tmp_path / "copy"
    copy_with("Add a theorem", root)
    shutil.copy(_core.__file__, root / "src/thresher" / MODULE)
    module = "src/thresher/theory/bounds/winnow.py"
    tests = "tests/theorems/test_winnow_demotions.py"
    audits = ("tests/theory/test_audit.py", "-kdemotions or every_theorem")
    assert passed(root, "--doctest-modules", module, tests, *audits) >= 3
