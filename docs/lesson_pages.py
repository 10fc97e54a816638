"""The lessons of the lab as pages of the site, made when it is built, and where they are shown.

A line `<!-- lesson: converges -->` of a page becomes a frame with that lesson.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url

from thresher.lab.lessons.screens import lesson_named
from thresher.lab.recording.lesson import html, names

MARK = re.compile(r"^<!-- lesson: ([\w-]+)(?:\.(\d+))? -->$", re.M)
LIST = "<!-- the lessons -->"


def on_files(files: Files, config: Any) -> Files:
    for name in names():
        files.append(File.generated(config, place(name), content=html(name, pages=True)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    folder = posixpath.dirname(page.file.src_uri) or "."
    lab = posixpath.relpath("lab.md", folder)

    def frame(found: re.Match[str]) -> str:
        name, screen = found[1], found[2] or "1"
        address = get_relative_url(place(name), page.url)
        title = lesson_named(name).title
        return (
            f'<iframe src="{address}#{screen}.present" title="Lesson: {title}" loading="lazy" '
            'allowfullscreen width="100%" height="500" '
            'style="border: 1px solid var(--md-default-fg-color--lightest); border-radius: 8px">'
            f"</iframe>\n<small>A lesson of the [lab]({lab}): *{title}*. "
            f'<a href="{address}#{screen}">In a page of its own</a>.</small>\n'
        )

    def link(name: str) -> str:
        return f"- [{lesson_named(name).title}]({posixpath.relpath(place(name), folder)})"

    return MARK.sub(frame, markdown).replace(LIST, "\n".join(map(link, names())))


def place(name: str) -> str:
    return f"lessons/{name}.html"
