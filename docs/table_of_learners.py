"""What the pages say of every learner, made from the table of learners when the site is built."""

from __future__ import annotations

from typing import Any

from thresher.learners.entry import Entry
from thresher.learners.table import TABLE

HEAD = "| learner | predicts | update | paper |\n|---|---|---|---|\n"
ROWS = "<!-- the table of learners -->"
CLASSIFIERS, REGRESSORS = "<!-- the linear classifiers -->", "<!-- the regressors -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page."""
    return with_learners(markdown)


def with_learners(markdown: str) -> str:
    markdown = markdown.replace(ROWS, HEAD + "\n".join(map(row, TABLE)))
    linear = [entry for entry in TABLE if entry.linear]
    for mark, task in ((CLASSIFIERS, "classify"), (REGRESSORS, "regress")):
        names = [entry.name for entry in linear if entry.task == task]
        markdown = markdown.replace(mark, "\n".join(f"::: thresher.{name}" for name in names))
    return markdown


def row(entry: Entry) -> str:
    predicts = {"classify": "labels", "regress": "numbers"}[entry.task]
    link = f"[`{entry.name}`]({entry.family}.md)"
    return f"| {link} | {predicts} | `{entry.update}` | {entry.paper} |"
