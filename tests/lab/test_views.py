"""A view is a folder: what Python and the page know of the views is the same."""

import re

import pytest

from thresher.lab.page.files import resources
from thresher.lab.serving.dispatch import QUESTIONS
from thresher.lab.view import NAMES, function, view

MODULES = {name: data.decode() for name, data in resources().items() if name.endswith(".js")}


def test_the_page_has_a_tab_for_each_folder():
    tabs = re.findall(r"^  (\w+): \{ title:", MODULES["page/views.js"], re.M)
    assert tabs == list(NAMES)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_its_function_and_the_page_asks_it(question):
    folder, place = QUESTIONS[question]
    assert callable(function(folder, place))
    asked = [name for name, text in MODULES.items() if f'"{question}"' in text]
    assert asked and all(name.startswith((f"{folder}/", "page/")) for name in asked)


@pytest.mark.parametrize("name", NAMES)
def test_a_view_says_what_would_make_it_smaller_and_tells_lessons_its_numbers(name):
    found = view(name)
    assert found.smaller and not found.smaller.endswith(".")
    assert found.lesson_facts is None or callable(function(name, found.lesson_facts))


def test_only_the_table_of_views_names_them():
    """The lab knows them by what all views are: none has a place of its own in the page."""
    for name, text in MODULES.items():
        if name.startswith("page/") and name != "page/views.js":
            up = (
                r"\.\./\.\./" if name.startswith("page/style/") else r"\.\./(?!lessons/|classroom/)"
            )
            assert not re.search(f'from "{up}', text), name
