"""The page on safety names, for each promise, the tests that hold it: they exist."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "safety.md").read_text()
ROWS = re.findall(r"^\| (?!promise )(.*) \| (.*) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("promise", "tests"), ROWS)
def test_a_promise_names_tests_that_exist(promise, tests):
    assert re.fullmatch(r"`[^`]+`(, `[^`]+`)*", tests), f"{promise}: expected tests"
    for name in tests.strip("`").split("`, `"):
        file, _, function = name.partition("::")
        found = [path.read_text() for path in (REPOSITORY / "tests").rglob(file)]
        assert found, f"there is no {file}"
        assert not function or any(f"def {function}(" in text for text in found), name
