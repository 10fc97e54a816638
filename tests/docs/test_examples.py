"""The documentation cannot rot: its examples run, its tables and lists are complete.

Every ```python block of a page runs, one after the other, in one namespace. What a block prints
must be shown in a ```text block right after it, to the letter.
"""

from __future__ import annotations

import importlib.util
import inspect
import io
import re
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
    r"^```python\n(?P<code>.*?)^```\n(\n*^```text\n(?P<output>.*?)^```$)?", re.DOTALL | re.MULTILINE
)


def blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """Line number, code and promised output of each example of a page."""
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code"))
        yield line, match["code"], match["output"] or ""


def run(page: Path, line: int, code: str, namespace: dict[str, object]) -> str:
    """What the code prints; a traceback points to the line of the page."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile("\n" * line + code, page, "exec"), namespace)
    return printed.getvalue()


def page_parameter(page: Path) -> object:
    text = page.read_text()
    compiles = "rule(" in text  # Numba compiles a rule, if it is installed
    marks = [pytest.mark.nosanitize] if compiles else []
    return pytest.param(page, marks=marks, id=page.relative_to(REPOSITORY).as_posix())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("page", [page_parameter(p) for p in PAGES if "```python" in p.read_text()])
def test_examples_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where examples write their files
    namespace = ModuleType("example").__dict__
    for line, code, output in blocks(page.read_text()):
        where = f"{page.relative_to(REPOSITORY)}, line {line}"
        assert run(page, line, code, namespace) == output, where


def test_no_example_is_overlooked() -> None:
    for page in PAGES:
        text = page.read_text()
        assert len(list(blocks(text))) == len(re.findall(r"``` *(?:py|\{)", text)), page


@pytest.mark.parametrize("name", thresher.__all__)
def test_the_reference_has_every_public_name(name: str) -> None:
    assert f"\n::: thresher.{name}\n" in (DOCS / "reference.md").read_text()


def by_name(entry: Entry) -> str:
    return entry.name


def row(entry: Entry, folder: str) -> str:
    """The row of a learner in the tables of learners."""
    predicts = {"classify": "labels", "regress": "numbers"}[entry.task]
    link = f"[`{entry.name}`]({folder}{entry.family}.md)"
    return f"| {link} | {predicts} | `{entry.update}` | {entry.paper} |"


@pytest.mark.parametrize("entry", TABLE, ids=by_name)
def test_the_tables_of_learners_are_the_table_of_learners(entry: Entry) -> None:
    assert row(entry, "docs/learners/") in (REPOSITORY / "README.md").read_text()
    assert row(entry, "") in (DOCS / "learners" / "index.md").read_text()


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


def test_the_picture_tells_the_truth() -> None:
    """Its learners make fewer mistakes than its bounds allow; the figures stand in its caption."""
    spec = importlib.util.spec_from_file_location("make_images", DOCS / "make_images.py")
    assert spec is not None and spec.loader is not None
    images = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(images)
    _, mistakes = images.mistakes_over_time()
    perceptron, passive_aggressive, balanced = (counts[-1] for counts in mistakes.values())
    assert max(perceptron, passive_aggressive) <= images.additive_bound() == 5000
    assert balanced <= images.balanced_bound()
    assert 5 * perceptron > images.additive_bound()  # the bound is not empty either
