"""The files of the page: small modules, joined into one for a browser and for a notebook."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Collection
from importlib.resources import files

from thresher.lab.view import NAMES

FOLDERS = ("page", "page/style", "lessons", "classroom", *NAMES)
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
IMPORT = re.compile(r'^import\s*(?:\{[^}]*\}|\w+)?\s*(?:from\s*)?"(\.\.?/[\w/-]+\.js)";\n', re.M)

EXPORT = re.compile(r"^export (?:default .*;\n)?", re.M)


@functools.cache
def resources() -> dict[str, bytes]:
    """Every file of the page, such as "plane/view.js"."""
    return {
        f"{folder}/{entry.name}": entry.read_bytes()
        for folder in FOLDERS
        for entry in sorted((files("thresher.lab") / folder).iterdir(), key=lambda one: one.name)
        if posixpath.splitext(entry.name)[1] in TYPES
    }


@functools.cache
def served() -> dict[str, bytes]:
    """All that a browser may ask for: what is not a module, the phone's, and the page's as one, so
    that it need not ask for them one by one."""
    whole = {"page/joined.js": joined("page/host.js").encode()}
    apart = ("classroom/phone.js",)
    return whole | {
        name: data
        for name, data in resources().items()
        if not name.endswith(".js") or name in apart
    }


def content_type(name: str) -> str:
    return TYPES[posixpath.splitext(name)[1]]


def imports(name: str, text: str | None = None) -> list[str]:
    """The modules that a module imports."""
    found = IMPORT.findall(resources()[name].decode() if text is None else text)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), one)) for one in found]


def joined(first: str = "page/lab.js", views: Collection[str] = NAMES) -> str:
    """One module of `first` and all that it imports, each once, dependencies first; of the views,
    only these.

    A notebook loads a widget as one text, which cannot import its neighbours; a browser need not
    ask for one module after the other. Top-level names of the modules differ from each other.
    """
    done: dict[str, str] = {}
    texts = {name: data.decode() for name, data in resources().items() if name.endswith(".js")}
    texts["page/views.js"] = _table_of(views, texts["page/views.js"])

    def add(name: str) -> None:
        if name in done:
            return
        done[name] = ""
        for needed in imports(name, texts[name]):
            add(needed)
        del done[name]  # after those that it needs
        done[name] = IMPORT.sub("", texts[name])

    add(first)
    last = done.popitem()[1]
    parts = [EXPORT.sub("", text) for text in done.values()]
    return "\n".join([*parts, last])


def _table_of(views: Collection[str], text: str) -> str:
    """The table of views without the lines of the others."""
    for name in set(NAMES) - set(views):
        text = re.sub(rf'^(?:import .*"\.\./{name}/.*|  {name}: .*)\n', "", text, flags=re.M)
    return text
