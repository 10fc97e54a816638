"""The documentation cannot rot: its examples run, its tables and lists are complete.

The blocks of a page run one after the other, in one folder and one Python namespace:

- ```python  runs. What it prints must be shown in a ```text block right after it, to the letter.
  Behind a line `<!-- needs PACKAGE -->` it runs where that package is installed.
- ```console  shows commands, each behind `$ `, and below it what it prints: to the letter, but for
  times, rates and sizes, which are never the same twice.
- ```text title="NAME"  is a file of that name, for the examples that follow.
"""

from __future__ import annotations

import html
import importlib.util
import inspect
import io
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import pytest

import thresher
from thresher.learners.table import TABLE, Entry

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]

BLOCK = re.compile(
    r"""
    (?: ^<!--[ ]needs[ ](?P<needs> \w+)[ ]-->\n )?
    ^```python\n (?P<code> .*?) ^```\n (?: \n* ^```text\n (?P<output> .*?) ^```$ )?
    | ^```console\n (?P<session> .*?) ^```$
    | ^```text[ ]title="(?P<name> [^"]+)"\n (?P<content> .*?) ^```$
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
RUNS = re.compile(r"^``` *(?:py|\{|console|text title)", re.MULTILINE)

# What differs from run to run, and what is compared in its place.
CHANGING = [
    (r"\b[\d,.]+ s\b", "# s"),
    (r"\b[\d,]+/s", "#/s"),
    (r"process \d+ MB", "process # MB"),
    (r"size on disk +[\d.]+ \w+", "size on disk #"),  # from version to version
    (r"written by( +)Thresher [\d.]+", r"written by\1Thresher #"),
    (r'"(seconds|memory_bytes|names_bytes|rate|time)": [\d.]+', r'"\1": #'),
    (r"(?m)^([\d.,% ]+) [\d.]+$", r"\1 #"),  # the seconds of thresher train
    (r"(?m)( % +[\d.]+ +[\d,]+) +[\d,]+$", r"\1 #"),  # the rates of thresher race
    (r" +", " "),  # columns are as wide as their figures
]


def run_python(page: Path, line: int, code: str, namespace: dict[str, object]) -> str:
    """What the code prints; a traceback points to the line of the page."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile("\n" * line + code, page, "exec"), namespace)
    return printed.getvalue()


def commands_of(session: str) -> Iterator[tuple[str, str]]:
    """Each command, and what the page says it prints."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        end = 1
        while lines[end - 1].endswith("\\\n"):
            end += 1
        yield "".join(lines[:end]), "".join(lines[end:])


def run_session(session: str) -> str:
    """The session as it really goes."""
    shown, code = "", 0
    for command, _ in commands_of(session):
        done = subprocess.run(
            ["sh", "-c", f"(exit {code})\n{command}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=120,
        )  # fmt: skip
        code = done.returncode
        shown += f"$ {command}{done.stdout}"
    return shown


def lasting(text: str) -> str:
    for pattern, instead in CHANGING:
        text = re.sub(pattern, instead, text)
    return text


@pytest.fixture
def command_line(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command `thresher` is the one of this Python."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "thresher").write_text(f'#!/bin/sh\nexec {sys.executable} -m thresher "$@"\n')
    (folder / "thresher").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def page_parameter(page: Path) -> object:
    text = page.read_text()
    compiles = "rule(" in text  # Numba compiles a rule, if it is installed
    marks = [pytest.mark.nosanitize] if compiles else []
    return pytest.param(page, marks=marks, id=page.relative_to(REPOSITORY).as_posix())


@pytest.mark.filterwarnings("error")
@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("page", [page_parameter(p) for p in PAGES if RUNS.search(p.read_text())])
def test_examples_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where examples write their files
    namespace = ModuleType("example").__dict__
    text = page.read_text()
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        where = f"{page.relative_to(REPOSITORY)}, line {line}"
        if block["name"]:
            Path(block["name"]).write_text(block["content"])
        elif block["session"]:
            shown = block["session"]
            assert lasting(run_session(shown)) == lasting(shown), where
        elif not block["needs"] or importlib.util.find_spec(block["needs"]):
            with warnings.catch_warnings():
                if block["needs"]:  # what is old in other libraries is not ours to change
                    warnings.simplefilter("ignore", DeprecationWarning)
                printed = run_python(page, line, block["code"], namespace)
            assert printed == (block["output"] or ""), where


def test_the_tests_that_pages_name_are_there() -> None:
    named = {found for page in PAGES for found in re.findall(r"(test_\w+\.py)::(test_\w+)",
                                                             page.read_text())}  # fmt: skip
    assert named
    for file, name in named:
        holders = (REPOSITORY / "tests").rglob(file)
        assert any(f"def {name}(" in path.read_text() for path in holders), f"{file}::{name}"


def test_no_example_is_overlooked() -> None:
    for page in PAGES:
        text = page.read_text()
        assert len(BLOCK.findall(text)) == len(RUNS.findall(text)), page


def made(page: str) -> str:
    """A page as the site has it."""
    hook = runpy.run_path(str(DOCS / "table_of_learners.py"))
    return str(hook["on_page_markdown"]((DOCS / page).read_text()))


def test_the_reference_has_every_public_name() -> None:
    reference = made("reference.md")
    for name in thresher.__all__:
        assert reference.count(f"\n::: thresher.{name}\n") == 1, name


def by_name(entry: Entry) -> str:
    return entry.name


def test_the_pages_show_every_learner() -> None:
    index = made("learners/index.md")
    for entry in TABLE:
        assert f"| [`{entry.name}`]({entry.family}.md) |" in index
        assert entry.update in index
        assert (DOCS / "learners" / f"{entry.family}.md").exists()


@pytest.mark.parametrize("entry", TABLE, ids=by_name)
def test_the_page_of_a_family_names_its_learners_and_their_options(entry: Entry) -> None:
    text = (DOCS / "learners" / f"{entry.family}.md").read_text()
    assert f"`{entry.name}`" in text
    for option in inspect.signature(entry.cls).parameters:
        assert f"`{option}`" in text, option


@pytest.mark.parametrize("entry", TABLE, ids=by_name)
def test_the_docstring_of_a_learner_describes_every_option(entry: Entry) -> None:
    docstring = inspect.cleandoc(entry.cls.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n---|\Z)", docstring, re.M | re.S)
    assert section is not None
    described = re.findall(r"^(\w[\w,\s]*?) :(?=\s)", section[1], re.M)
    names = {name.strip() for listed in described for name in listed.split(",")}
    assert names == set(inspect.signature(entry.cls).parameters)


@pytest.fixture(scope="module")
def images() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_images", DOCS / "make_images.py")
    assert spec is not None and spec.loader is not None
    images = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(images)
    return images


def test_the_picture_tells_the_truth(images: ModuleType) -> None:
    """Its learners make fewer mistakes than its bounds allow; the figures stand in its caption."""
    _, mistakes = images.mistakes_over_time()
    perceptron, passive_aggressive, balanced = (counts[-1] for counts in mistakes.values())
    assert max(perceptron, passive_aggressive) <= images.additive_bound() == 5000
    assert balanced <= images.balanced_bound()
    assert 5 * perceptron > images.additive_bound()  # the bound is not empty either


def test_the_gallery_has_a_small_picture_of_each_display_that_it_draws(images: ModuleType) -> None:
    shown = [
        name
        for page in images.pages()
        for name in re.findall(r"\]\([./]*images/(plots-[^)]*)\)", page.read_text())
    ]
    drawn = [name for name, _ in images.gallery()]
    assert drawn == shown
    for name in drawn:
        assert 1_000 < (DOCS / "images" / name).stat().st_size < 150_000, name


def test_the_picture_of_a_session_shows_what_the_commands_say(images: ModuleType) -> None:
    drawn = html.unescape(re.sub(r"<[^>]*>", " ", (DOCS / "images" / "session.svg").read_text()))
    for command, shown in images.session():
        said = lasting(re.sub(r"\x1b\[[\d;]*m", "", shown))
        for word in f"{command} {said}".replace("#", "").split():
            assert word in drawn, word
