"""The page on safety names for each promise the tests that hold it.

That they exist is tested for all pages, in test_examples.py.
"""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "safety.md").read_text()
ROWS = re.findall(r"^\| (?!promise |what happened )(.*) \| (.*) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("promise", "tests"), ROWS)
def test_a_promise_names_its_tests(promise, tests):
    assert re.fullmatch(r"`test_[^`]+`(, `test_[^`]+`)*", tests), f"{promise}: expected tests"
